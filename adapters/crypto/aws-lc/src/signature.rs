//! Signature schemes, by AWS-LC.

use aws_lc_rs::{
    rand::SystemRandom,
    signature::{self, EcdsaKeyPair, Ed25519KeyPair, KeyPair, ParsedPublicKey, PqdsaKeyPair},
};
use crypto_api::{
    CryptoError, Random, Secret,
    dhkem::generate_private,
    primitives::{Dh, SignatureScheme},
    rules,
};

use crate::dh;

/// Ed25519.
pub struct Ed25519;

/// An Ed25519 public key, decoded.
pub struct Ed25519Public(ParsedPublicKey);

impl SignatureScheme for Ed25519 {
    type SigningKey = Ed25519KeyPair;
    type VerifyingKey = Ed25519Public;

    fn generate(random: &dyn Random) -> Result<Secret, CryptoError> {
        Secret::try_from_fn(32, |out| random.fill(out))
    }

    fn signing_key(private: &[u8]) -> Result<(Ed25519KeyPair, Vec<u8>), CryptoError> {
        if private.len() != 32 {
            return Err(CryptoError::Rejected);
        }
        let key =
            Ed25519KeyPair::from_seed_unchecked(private).map_err(|_| CryptoError::Rejected)?;
        let public = key.public_key().as_ref().to_vec();
        Ok((key, public))
    }

    fn verifying_key(public: &[u8]) -> Result<Ed25519Public, CryptoError> {
        let public: &[u8; 32] = public.try_into().map_err(|_| CryptoError::Rejected)?;
        rules::ed25519_point(public)?;
        parse(&signature::ED25519, public).map(Ed25519Public)
    }

    fn sign(key: &Ed25519KeyPair, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
        let signature = key.try_sign(message).map_err(|_| CryptoError::Internal)?;
        Ok(signature.as_ref().to_vec())
    }

    fn verify(
        Ed25519Public(key): &Ed25519Public,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), CryptoError> {
        let signature = rules::ed25519_signature(signature)?;
        key.verify_sig(message, signature).map_err(|_| CryptoError::Rejected)
    }
}

macro_rules! ecdsa {
    ($($(#[$doc:meta])*
        $name:ident, $private:ident, $public:ident = $group:ty, $length:literal, $sign:ident, $verify:ident;
    )+) => {$(
        $(#[$doc])*
        pub struct $name;

        #[doc = concat!("A private key for [`", stringify!($name), "`], expanded.")]
        pub struct $private(EcdsaKeyPair);

        #[doc = concat!("A public key for [`", stringify!($name), "`], decoded.")]
        pub struct $public(ParsedPublicKey);

        impl SignatureScheme for $name {
            type SigningKey = $private;
            type VerifyingKey = $public;

            fn generate(random: &dyn Random) -> Result<Secret, CryptoError> {
                generate_private::<$group>(random)
            }

            fn signing_key(private: &[u8]) -> Result<($private, Vec<u8>), CryptoError> {
                let public = <$group>::public_key(&<$group>::private_key(private)?)?;
                let key = EcdsaKeyPair::from_private_key_and_public_key(
                    &signature::$sign,
                    private,
                    &public,
                )
                .map_err(|_| CryptoError::Rejected)?;
                Ok(($private(key), public))
            }

            fn verifying_key(public: &[u8]) -> Result<$public, CryptoError> {
                rules::uncompressed_point(public, $length)?;
                parse(&signature::$verify, public).map($public)
            }

            fn sign($private(key): &$private, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
                // The library ignores the generator that it is given.
                let signature = key
                    .sign(&SystemRandom::new(), message)
                    .map_err(|_| CryptoError::Internal)?;
                Ok(signature.as_ref().to_vec())
            }

            fn verify(
                $public(key): &$public,
                message: &[u8],
                signature: &[u8],
            ) -> Result<(), CryptoError> {
                key.verify_sig(message, signature)
                    .map_err(|_| CryptoError::Rejected)
            }
        }
    )+};
}

ecdsa! {
    /// `ecdsa_secp256r1_sha256`.
    EcdsaP256, EcdsaP256Private, EcdsaP256Public =
        dh::P256, 32, ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P256_SHA256_ASN1;
    /// `ecdsa_secp384r1_sha384`.
    EcdsaP384, EcdsaP384Private, EcdsaP384Public =
        dh::P384, 48, ECDSA_P384_SHA384_ASN1_SIGNING, ECDSA_P384_SHA384_ASN1;
    /// `ecdsa_secp521r1_sha512`.
    EcdsaP521, EcdsaP521Private, EcdsaP521Public =
        dh::P521, 66, ECDSA_P521_SHA512_ASN1_SIGNING, ECDSA_P521_SHA512_ASN1;
}

macro_rules! ml_dsas {
    ($($(#[$doc:meta])*
        $name:ident, $private:ident, $public:ident = $npk:literal, $length:literal, $sign:ident, $verify:ident;
    )+) => {$(
        $(#[$doc])*
        ///
        /// The private key is the seed of FIPS 204 algorithm 6. Signing is its hedged variant, by
        /// AWS-LC's own randomness, with an empty context.
        pub struct $name;

        #[doc = concat!("A private key for [`", stringify!($name), "`], expanded.")]
        pub struct $private(PqdsaKeyPair);

        #[doc = concat!("A public key for [`", stringify!($name), "`], decoded.")]
        pub struct $public(ParsedPublicKey);

        impl SignatureScheme for $name {
            type SigningKey = $private;
            type VerifyingKey = $public;

            fn generate(random: &dyn Random) -> Result<Secret, CryptoError> {
                Secret::try_from_fn(32, |out| random.fill(out))
            }

            fn signing_key(private: &[u8]) -> Result<($private, Vec<u8>), CryptoError> {
                let key = PqdsaKeyPair::from_seed(&signature::$sign, private)
                    .map_err(|_| CryptoError::Rejected)?;
                let public = key.public_key().as_ref().to_vec();
                Ok(($private(key), public))
            }

            fn verifying_key(public: &[u8]) -> Result<$public, CryptoError> {
                // The library also takes a SubjectPublicKeyInfo.
                if public.len() != $npk {
                    return Err(CryptoError::Rejected);
                }
                parse(&signature::$verify, public).map($public)
            }

            fn sign($private(key): &$private, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
                let mut signature = vec![0; $length];
                let length =
                    key.sign(message, &mut signature).map_err(|_| CryptoError::Internal)?;
                signature.truncate(length);
                Ok(signature)
            }

            fn verify(
                $public(key): &$public,
                message: &[u8],
                signature: &[u8],
            ) -> Result<(), CryptoError> {
                key.verify_sig(message, signature).map_err(|_| CryptoError::Rejected)
            }
        }
    )+};
}

ml_dsas! {
    /// ML-DSA-44.
    MlDsa44, MlDsa44Private, MlDsa44Public = 1312, 2420, ML_DSA_44_SIGNING, ML_DSA_44;
    /// ML-DSA-65.
    MlDsa65, MlDsa65Private, MlDsa65Public = 1952, 3309, ML_DSA_65_SIGNING, ML_DSA_65;
    /// ML-DSA-87.
    MlDsa87, MlDsa87Private, MlDsa87Public = 2592, 4627, ML_DSA_87_SIGNING, ML_DSA_87;
}

fn parse(
    algorithm: &'static dyn signature::VerificationAlgorithm,
    public: &[u8],
) -> Result<ParsedPublicKey, CryptoError> {
    ParsedPublicKey::new(algorithm, public).map_err(|_| CryptoError::Rejected)
}
