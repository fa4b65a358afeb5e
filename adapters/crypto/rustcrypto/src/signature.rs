//! Signature schemes, by `ed25519-dalek`, `ed448-goldilocks`, `p256`, `p384`, `p521` and `ml-dsa`.

use crypto_api::{
    CryptoError, Random, Secret,
    dhkem::generate_private,
    primitives::{Dh, SignatureScheme},
    rules,
};
use ed448_goldilocks::signature::Verifier;
use ed25519_dalek::Signer;
use zeroize::Zeroizing;

use crate::dh;

/// Ed25519.
pub struct Ed25519;

impl SignatureScheme for Ed25519 {
    type SigningKey = ed25519_dalek::SigningKey;
    type VerifyingKey = ed25519_dalek::VerifyingKey;

    fn generate(random: &dyn Random) -> Result<Secret, CryptoError> {
        Secret::try_from_fn(32, |out| random.fill(out))
    }

    fn signing_key(private: &[u8]) -> Result<(Self::SigningKey, Vec<u8>), CryptoError> {
        let seed = Zeroizing::new(private.try_into().map_err(|_| CryptoError::Rejected)?);
        let key = ed25519_dalek::SigningKey::from_bytes(&seed);
        let public = key.verifying_key().as_bytes().to_vec();
        Ok((key, public))
    }

    fn verifying_key(public: &[u8]) -> Result<Self::VerifyingKey, CryptoError> {
        let public = public.try_into().map_err(|_| CryptoError::Rejected)?;
        rules::ed25519_point(public)?;
        ed25519_dalek::VerifyingKey::from_bytes(public).map_err(|_| CryptoError::Rejected)
    }

    fn sign(key: &Self::SigningKey, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
        let signature = key.try_sign(message).map_err(|_| CryptoError::Internal)?;
        Ok(signature.to_bytes().to_vec())
    }

    fn verify(
        key: &Self::VerifyingKey,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), CryptoError> {
        let signature = rules::ed25519_signature(signature)?;
        // With small orders ruled out, `verify` decides as `verify_strict` does, and need not
        // decompress `R`.
        key.verify(message, &ed25519_dalek::Signature::from_bytes(signature))
            .map_err(|_| CryptoError::Rejected)
    }
}

/// Ed448.
pub struct Ed448;

impl SignatureScheme for Ed448 {
    type SigningKey = ed448_goldilocks::SigningKey;
    type VerifyingKey = ed448_goldilocks::VerifyingKey;

    fn generate(random: &dyn Random) -> Result<Secret, CryptoError> {
        Secret::try_from_fn(57, |out| random.fill(out))
    }

    fn signing_key(private: &[u8]) -> Result<(Self::SigningKey, Vec<u8>), CryptoError> {
        let key =
            ed448_goldilocks::SigningKey::try_from(private).map_err(|_| CryptoError::Rejected)?;
        let public = key.verifying_key().as_bytes().to_vec();
        Ok((key, public))
    }

    fn verifying_key(public: &[u8]) -> Result<Self::VerifyingKey, CryptoError> {
        let public: &[u8; 57] = public.try_into().map_err(|_| CryptoError::Rejected)?;
        rules::ed448_point(public)?;
        ed448_goldilocks::VerifyingKey::from_bytes(public).map_err(|_| CryptoError::Rejected)
    }

    fn sign(key: &Self::SigningKey, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
        Ok(key.sign_raw(message).to_bytes().to_vec())
    }

    fn verify(
        key: &Self::VerifyingKey,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), CryptoError> {
        let signature = rules::ed448_signature(signature)?;
        let signature = ed448_goldilocks::Signature::from_slice(signature)
            .map_err(|_| CryptoError::Rejected)?;
        key.verify(message, &signature).map_err(|_| CryptoError::Rejected)
    }
}

macro_rules! ecdsa {
    ($($(#[$doc:meta])* $name:ident = $curve:ident, $group:ty, $length:literal;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl SignatureScheme for $name {
            type SigningKey = $curve::ecdsa::SigningKey;
            type VerifyingKey = $curve::ecdsa::VerifyingKey;

            fn generate(random: &dyn Random) -> Result<Secret, CryptoError> {
                generate_private::<$group>(random)
            }

            fn signing_key(private: &[u8]) -> Result<(Self::SigningKey, Vec<u8>), CryptoError> {
                let key = <$group as Dh>::private_key(private)?;
                let public = <$group as Dh>::public_key(&key)?;
                Ok((key.into(), public))
            }

            fn verifying_key(public: &[u8]) -> Result<Self::VerifyingKey, CryptoError> {
                rules::uncompressed_point(public, $length)?;
                $curve::ecdsa::VerifyingKey::from_sec1_bytes(public)
                    .map_err(|_| CryptoError::Rejected)
            }

            fn sign(key: &Self::SigningKey, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
                let signature: $curve::ecdsa::Signature =
                    key.try_sign(message).map_err(|_| CryptoError::Internal)?;
                Ok(signature.to_der().as_bytes().to_vec())
            }

            fn verify(
                key: &Self::VerifyingKey,
                message: &[u8],
                signature: &[u8],
            ) -> Result<(), CryptoError> {
                let signature = $curve::ecdsa::Signature::from_der(signature)
                    .map_err(|_| CryptoError::Rejected)?;
                key.verify(message, &signature)
                    .map_err(|_| CryptoError::Rejected)
            }
        }
    )+};
}

ecdsa! {
    /// `ecdsa_secp256r1_sha256`.
    EcdsaP256 = p256, dh::P256, 32;
    /// `ecdsa_secp384r1_sha384`.
    EcdsaP384 = p384, dh::P384, 48;
    /// `ecdsa_secp521r1_sha512`.
    EcdsaP521 = p521, dh::P521, 66;
}

macro_rules! ml_dsas {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        ///
        /// The private key is the seed of FIPS 204 algorithm 6. Signing is its deterministic variant,
        /// with an empty context.
        pub struct $name;

        impl SignatureScheme for $name {
            type SigningKey = ml_dsa::SigningKey<ml_dsa::$name>;
            type VerifyingKey = ml_dsa::VerifyingKey<ml_dsa::$name>;

            fn generate(random: &dyn Random) -> Result<Secret, CryptoError> {
                Secret::try_from_fn(32, |out| random.fill(out))
            }

            fn signing_key(private: &[u8]) -> Result<(Self::SigningKey, Vec<u8>), CryptoError> {
                let seed = private.try_into().map_err(|_| CryptoError::Rejected)?;
                let key = ml_dsa::SigningKey::<ml_dsa::$name>::from_seed(seed);
                let public = key.expanded_key().verifying_key().encode().to_vec();
                Ok((key, public))
            }

            fn verifying_key(public: &[u8]) -> Result<Self::VerifyingKey, CryptoError> {
                let public = public.try_into().map_err(|_| CryptoError::Rejected)?;
                Ok(ml_dsa::VerifyingKey::<ml_dsa::$name>::decode(public))
            }

            fn sign(key: &Self::SigningKey, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
                let signature = key
                    .expanded_key()
                    .sign_deterministic(message, b"")
                    .map_err(|_| CryptoError::Internal)?;
                Ok(signature.encode().to_vec())
            }

            fn verify(
                key: &Self::VerifyingKey,
                message: &[u8],
                signature: &[u8],
            ) -> Result<(), CryptoError> {
                let signature = signature.try_into().map_err(|_| CryptoError::Rejected)?;
                let signature = ml_dsa::Signature::<ml_dsa::$name>::decode(signature)
                    .ok_or(CryptoError::Rejected)?;
                if key.verify_with_context(message, b"", &signature) {
                    Ok(())
                } else {
                    Err(CryptoError::Rejected)
                }
            }
        }
    )+};
}

ml_dsas! {
    /// ML-DSA-44.
    MlDsa44;
    /// ML-DSA-65.
    MlDsa65;
    /// ML-DSA-87.
    MlDsa87;
}
