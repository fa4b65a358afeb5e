//! X25519, by libsodium.

use crypto_api::{CryptoError, Secret, primitives::Dh, rules};
use zeroize::Zeroizing;

use crate::{hash::Sha256, library};

/// X25519.
pub struct X25519;

impl Dh for X25519 {
    const KEM_ID: u16 = 0x0020;
    const NSK: usize = 32;
    const CANDIDATE_MASK: Option<u8> = None;
    type Hash = Sha256;
    type PrivateKey = Zeroizing<[u8; 32]>;

    fn private_key(private: &[u8]) -> Result<Self::PrivateKey, CryptoError> {
        Ok(Zeroizing::new(private.try_into().map_err(|_| CryptoError::Rejected)?))
    }

    fn public_key(private: &Self::PrivateKey) -> Result<Vec<u8>, CryptoError> {
        library::x25519_base(private).map(|public| public.to_vec())
    }

    fn check_public_key(public: &[u8]) -> Result<(), CryptoError> {
        rules::x25519_public_key(public).map(|_| ())
    }

    fn agree(private: &Self::PrivateKey, public: &[u8]) -> Result<Secret, CryptoError> {
        let public = rules::x25519_public_key(public)?;
        Ok(Secret::copy_from(&*library::x25519(private, public)?))
    }
}
