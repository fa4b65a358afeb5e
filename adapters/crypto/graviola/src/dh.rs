//! Diffie-Hellman groups, by graviola.

use crypto_api::{CryptoError, Secret, primitives::Dh, rules};
use graviola::key_agreement::{p256, p384, x25519};
use zeroize::Zeroizing;

use crate::hash::{Sha256, Sha384};

/// X25519.
pub struct X25519;

impl Dh for X25519 {
    const KEM_ID: u16 = 0x0020;
    const NSK: usize = 32;
    const CANDIDATE_MASK: Option<u8> = None;
    type Hash = Sha256;
    type PrivateKey = x25519::StaticPrivateKey;

    fn private_key(private: &[u8]) -> Result<Self::PrivateKey, CryptoError> {
        x25519::StaticPrivateKey::try_from_slice(private).map_err(|_| CryptoError::Rejected)
    }

    fn public_key(private: &Self::PrivateKey) -> Result<Vec<u8>, CryptoError> {
        Ok(private.public_key().as_bytes().to_vec())
    }

    fn check_public_key(public: &[u8]) -> Result<(), CryptoError> {
        rules::x25519_public_key(public).map(|_| ())
    }

    fn agree(private: &Self::PrivateKey, public: &[u8]) -> Result<Secret, CryptoError> {
        let public = x25519::PublicKey::from_array(rules::x25519_public_key(public)?);
        let shared = private.diffie_hellman(&public).map_err(|_| CryptoError::Rejected)?;
        let shared = Secret::copy_from(&shared.0);
        if shared == Secret::zero(32) {
            return Err(CryptoError::Rejected);
        }
        Ok(shared)
    }
}

macro_rules! nist_curves {
    ($($(#[$doc:meta])*
        $name:ident = $curve:ident, $nsk:literal, $kem_id:literal, $hash:ty;
    )+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl Dh for $name {
            const KEM_ID: u16 = $kem_id;
            const NSK: usize = $nsk;
            const CANDIDATE_MASK: Option<u8> = Some(0xff);
            type Hash = $hash;
            type PrivateKey = $curve::StaticPrivateKey;

            fn private_key(private: &[u8]) -> Result<Self::PrivateKey, CryptoError> {
                if private.len() != $nsk {
                    return Err(CryptoError::Rejected);
                }
                $curve::StaticPrivateKey::from_bytes(private).map_err(|_| CryptoError::Rejected)
            }

            fn public_key(private: &Self::PrivateKey) -> Result<Vec<u8>, CryptoError> {
                Ok(private.public_key_uncompressed().to_vec())
            }

            fn check_public_key(public: &[u8]) -> Result<(), CryptoError> {
                rules::uncompressed_point(public, $nsk)?;
                $curve::PublicKey::from_x962_uncompressed(public)
                    .map(|_| ())
                    .map_err(|_| CryptoError::Rejected)
            }

            fn agree(private: &Self::PrivateKey, public: &[u8]) -> Result<Secret, CryptoError> {
                rules::uncompressed_point(public, $nsk)?;
                let public = $curve::PublicKey::from_x962_uncompressed(public)
                    .map_err(|_| CryptoError::Rejected)?;
                let shared =
                    private.diffie_hellman(&public).map_err(|_| CryptoError::Rejected)?;
                Ok(Secret::copy_from(&*Zeroizing::new(shared.0)))
            }
        }
    )+};
}

nist_curves! {
    /// ECDH over P-256.
    P256 = p256, 32, 0x0010, Sha256;
    /// ECDH over P-384.
    P384 = p384, 48, 0x0011, Sha384;
}
