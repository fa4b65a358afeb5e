//! Signature schemes, by graviola.

use crypto_api::{
    CryptoError, Random, Secret,
    dhkem::generate_private,
    primitives::{Dh, SignatureScheme},
    rules,
};
use graviola::{
    hashing,
    signing::{
        ecdsa,
        eddsa::{Ed25519SigningKey, Ed25519VerifyingKey},
    },
};
use zeroize::Zeroizing;

use crate::dh;

/// Ed25519.
pub struct Ed25519;

impl SignatureScheme for Ed25519 {
    type SigningKey = Ed25519SigningKey;
    type VerifyingKey = Ed25519VerifyingKey;

    fn generate(random: &dyn Random) -> Result<Secret, CryptoError> {
        Secret::try_from_fn(32, |out| random.fill(out))
    }

    fn signing_key(private: &[u8]) -> Result<(Self::SigningKey, Vec<u8>), CryptoError> {
        let key = Ed25519SigningKey::from_bytes(private).map_err(|_| CryptoError::Rejected)?;
        let public = key.public_key().as_bytes().to_vec();
        Ok((key, public))
    }

    fn verifying_key(public: &[u8]) -> Result<Self::VerifyingKey, CryptoError> {
        let public: &[u8; 32] = public.try_into().map_err(|_| CryptoError::Rejected)?;
        rules::ed25519_point(public)?;
        Ed25519VerifyingKey::from_bytes(public).map_err(|_| CryptoError::Rejected)
    }

    fn sign(key: &Self::SigningKey, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
        Ok(key.sign(message).to_vec())
    }

    fn verify(
        key: &Self::VerifyingKey,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), CryptoError> {
        let signature = rules::ed25519_signature(signature)?;
        key.verify(signature, message).map_err(|_| CryptoError::Rejected)
    }
}

macro_rules! ecdsa {
    ($($(#[$doc:meta])*
        $name:ident, $private:ident, $public:ident =
            $curve:ident, $hash:ident, $group:ty, $length:literal, $oid:expr;
    )+) => {$(
        $(#[$doc])*
        pub struct $name;

        #[doc = concat!("A private key for [`", stringify!($name), "`].")]
        pub struct $private(ecdsa::SigningKey<ecdsa::$curve>);

        #[doc = concat!("A public key for [`", stringify!($name), "`], decoded.")]
        pub struct $public(ecdsa::VerifyingKey<ecdsa::$curve>);

        impl SignatureScheme for $name {
            type SigningKey = $private;
            type VerifyingKey = $public;

            fn generate(random: &dyn Random) -> Result<Secret, CryptoError> {
                generate_private::<$group>(random)
            }

            fn signing_key(private: &[u8]) -> Result<($private, Vec<u8>), CryptoError> {
                let public = <$group>::public_key(&<$group>::private_key(private)?)?;
                let key = ecdsa::SigningKey::from_sec1_der(&sec1(private, &$oid))
                    .map_err(|_| CryptoError::Rejected)?;
                Ok(($private(key), public))
            }

            fn verifying_key(public: &[u8]) -> Result<$public, CryptoError> {
                rules::uncompressed_point(public, $length)?;
                ecdsa::VerifyingKey::from_x962_uncompressed(public)
                    .map($public)
                    .map_err(|_| CryptoError::Rejected)
            }

            fn sign($private(key): &$private, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
                let mut room = [0; 2 * $length + 16];
                let signature = key
                    .sign_asn1::<hashing::$hash>(&[message], &mut room)
                    .map_err(|_| CryptoError::Internal)?;
                Ok(signature.to_vec())
            }

            fn verify(
                $public(key): &$public,
                message: &[u8],
                signature: &[u8],
            ) -> Result<(), CryptoError> {
                key.verify_asn1::<hashing::$hash>(&[message], signature)
                    .map_err(|_| CryptoError::Rejected)
            }
        }
    )+};
}

ecdsa! {
    /// `ecdsa_secp256r1_sha256`.
    EcdsaP256, EcdsaP256Private, EcdsaP256Public = P256, Sha256, dh::P256, 32,
        [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
    /// `ecdsa_secp384r1_sha384`.
    EcdsaP384, EcdsaP384Private, EcdsaP384Public = P384, Sha384, dh::P384, 48,
        [0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x22];
}

/// `ECPrivateKey` (RFC 5915) of a scalar below 64 bytes and a curve: the one form of private key that
/// graviola reads.
fn sec1(scalar: &[u8], oid: &[u8]) -> Zeroizing<Vec<u8>> {
    let length = 3 + 2 + scalar.len() + 2 + oid.len();
    let mut der = Zeroizing::new(Vec::with_capacity(2 + length));
    der.extend_from_slice(&[0x30, length as u8, 0x02, 0x01, 0x01, 0x04, scalar.len() as u8]);
    der.extend_from_slice(scalar);
    der.extend_from_slice(&[0xa0, oid.len() as u8]);
    der.extend_from_slice(oid);
    der
}
