//! Diffie-Hellman groups, by `x25519-dalek`, `x448`, `p256`, `p384` and `p521`.

use crypto_api::{CryptoError, Secret, primitives::Dh, rules};
use p256::elliptic_curve::sec1::ToSec1Point;
use x25519_dalek::{PublicKey, StaticSecret};
use zeroize::Zeroizing;

use crate::hash::{Sha256, Sha384, Sha512};

/// X25519.
pub struct X25519;

impl Dh for X25519 {
    const KEM_ID: u16 = 0x0020;
    const NSK: usize = 32;
    const CANDIDATE_MASK: Option<u8> = None;
    type Hash = Sha256;
    type PrivateKey = StaticSecret;

    fn private_key(private: &[u8]) -> Result<StaticSecret, CryptoError> {
        let private: [u8; 32] = private.try_into().map_err(|_| CryptoError::Rejected)?;
        Ok(StaticSecret::from(*Zeroizing::new(private)))
    }

    fn public_key(private: &StaticSecret) -> Result<Vec<u8>, CryptoError> {
        Ok(PublicKey::from(private).as_bytes().to_vec())
    }

    fn check_public_key(public: &[u8]) -> Result<(), CryptoError> {
        rules::x25519_public_key(public).map(|_| ())
    }

    fn agree(private: &StaticSecret, public: &[u8]) -> Result<Secret, CryptoError> {
        let public = rules::x25519_public_key(public)?;
        let shared = private.diffie_hellman(&PublicKey::from(*public));
        if !shared.was_contributory() {
            return Err(CryptoError::Rejected);
        }
        Ok(Secret::copy_from(shared.as_bytes()))
    }
}

/// X448.
pub struct X448;

impl Dh for X448 {
    const KEM_ID: u16 = 0x0021;
    const NSK: usize = 56;
    const CANDIDATE_MASK: Option<u8> = None;
    type Hash = Sha512;
    type PrivateKey = Zeroizing<[u8; 56]>;

    fn private_key(private: &[u8]) -> Result<Self::PrivateKey, CryptoError> {
        let private = private.try_into().map_err(|_| CryptoError::Rejected)?;
        Ok(Zeroizing::new(private))
    }

    fn public_key(private: &Self::PrivateKey) -> Result<Vec<u8>, CryptoError> {
        let public = x448::x448(**private, x448::X448_BASEPOINT_BYTES);
        Ok(public.ok_or(CryptoError::Internal)?.to_vec())
    }

    fn check_public_key(public: &[u8]) -> Result<(), CryptoError> {
        rules::x448_public_key(public).map(|_| ())
    }

    fn agree(private: &Self::PrivateKey, public: &[u8]) -> Result<Secret, CryptoError> {
        let public = rules::x448_public_key(public)?;
        let shared = Zeroizing::new(x448::x448(**private, *public).ok_or(CryptoError::Rejected)?);
        let shared = Secret::copy_from(&*shared);
        if shared == Secret::zero(56) {
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
            type PrivateKey = $curve::SecretKey;

            fn private_key(private: &[u8]) -> Result<$curve::SecretKey, CryptoError> {
                // `from_slice` would also take a shorter one.
                if private.len() != $nsk {
                    return Err(CryptoError::Rejected);
                }
                $curve::SecretKey::from_slice(private).map_err(|_| CryptoError::Rejected)
            }

            fn public_key(private: &$curve::SecretKey) -> Result<Vec<u8>, CryptoError> {
                Ok(private.public_key().to_sec1_point(false).as_bytes().to_vec())
            }

            fn check_public_key(public: &[u8]) -> Result<(), CryptoError> {
                rules::uncompressed_point(public, $nsk)?;
                $curve::PublicKey::from_sec1_bytes(public)
                    .map(|_| ())
                    .map_err(|_| CryptoError::Rejected)
            }

            fn agree(
                private: &$curve::SecretKey,
                public: &[u8],
            ) -> Result<Secret, CryptoError> {
                rules::uncompressed_point(public, $nsk)?;
                let public = $curve::PublicKey::from_sec1_bytes(public)
                    .map_err(|_| CryptoError::Rejected)?;
                let shared =
                    $curve::ecdh::diffie_hellman(private.to_nonzero_scalar(), public.as_affine());
                Ok(Secret::copy_from(shared.raw_secret_bytes()))
            }
        }
    )+};
}

nist_curves! {
    /// ECDH over P-256.
    P256 = p256, 32, 0x0010, 0xff, Sha256;
    /// ECDH over P-384.
    P384 = p384, 48, 0x0011, 0xff, Sha384;
    /// ECDH over P-521.
    P521 = p521, 66, 0x0012, 0x01, Sha512;
}
