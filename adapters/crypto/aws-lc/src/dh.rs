//! Diffie-Hellman groups, by AWS-LC.

use aws_lc_rs::agreement::{self, PrivateKey, UnparsedPublicKey};
use crypto_api::{CryptoError, Secret, primitives::Dh, rules};

use crate::hash::{Sha256, Sha384, Sha512};

/// X25519.
pub struct X25519;

impl Dh for X25519 {
    const KEM_ID: u16 = 0x0020;
    const NSK: usize = 32;
    const CANDIDATE_MASK: Option<u8> = None;
    type Hash = Sha256;
    type PrivateKey = PrivateKey;

    fn private_key(private: &[u8]) -> Result<PrivateKey, CryptoError> {
        private_key(&agreement::X25519, private)
    }

    fn public_key(private: &PrivateKey) -> Result<Vec<u8>, CryptoError> {
        public_key(private)
    }

    fn check_public_key(public: &[u8]) -> Result<(), CryptoError> {
        rules::x25519_public_key(public).map(|_| ())
    }

    fn agree(private: &PrivateKey, public: &[u8]) -> Result<Secret, CryptoError> {
        let public = rules::x25519_public_key(public)?;
        let shared = agree(private, &agreement::X25519, public)?;
        if shared == Secret::zero(32) {
            return Err(CryptoError::Rejected);
        }
        Ok(shared)
    }
}

macro_rules! nist_curves {
    ($($(#[$doc:meta])*
        $name:ident = $curve:ident, $nsk:literal, $kem_id:literal, $mask:literal, $hash:ty;
    )+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl Dh for $name {
            const KEM_ID: u16 = $kem_id;
            const NSK: usize = $nsk;
            const CANDIDATE_MASK: Option<u8> = Some($mask);
            type Hash = $hash;
            type PrivateKey = PrivateKey;

            fn private_key(private: &[u8]) -> Result<PrivateKey, CryptoError> {
                private_key(&agreement::$curve, private)
            }

            fn public_key(private: &PrivateKey) -> Result<Vec<u8>, CryptoError> {
                public_key(private)
            }

            fn check_public_key(public: &[u8]) -> Result<(), CryptoError> {
                rules::uncompressed_point(public, $nsk)?;
                agreement::ParsedPublicKey::try_from(UnparsedPublicKey::new(
                    &agreement::$curve,
                    public,
                ))
                .map(|_| ())
                .map_err(|_| CryptoError::Rejected)
            }

            fn agree(private: &PrivateKey, public: &[u8]) -> Result<Secret, CryptoError> {
                rules::uncompressed_point(public, $nsk)?;
                agree(private, &agreement::$curve, public)
            }
        }
    )+};
}

nist_curves! {
    /// ECDH over P-256.
    P256 = ECDH_P256, 32, 0x0010, 0xff, Sha256;
    /// ECDH over P-384.
    P384 = ECDH_P384, 48, 0x0011, 0xff, Sha384;
    /// ECDH over P-521.
    P521 = ECDH_P521, 66, 0x0012, 0x01, Sha512;
}

fn private_key(
    algorithm: &'static agreement::Algorithm,
    private: &[u8],
) -> Result<PrivateKey, CryptoError> {
    PrivateKey::from_private_key(algorithm, private).map_err(|_| CryptoError::Rejected)
}

fn public_key(private: &PrivateKey) -> Result<Vec<u8>, CryptoError> {
    let public = private.compute_public_key().map_err(|_| CryptoError::Internal)?;
    Ok(public.as_ref().to_vec())
}

fn agree(
    private: &PrivateKey,
    algorithm: &'static agreement::Algorithm,
    public: &[u8],
) -> Result<Secret, CryptoError> {
    agreement::agree(
        private,
        UnparsedPublicKey::new(algorithm, public),
        CryptoError::Rejected,
        |shared| Ok(Secret::copy_from(shared)),
    )
}
