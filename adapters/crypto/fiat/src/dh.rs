//! X25519 as a Diffie-Hellman group.

use crypto_api::{CryptoError, Secret, primitives::Dh, rules};
use zeroize::Zeroizing;

use crate::hash::Sha256;
use crate::x25519;

/// X25519.
pub struct X25519;

impl Dh for X25519 {
    const KEM_ID: u16 = 0x0020;
    const NSK: usize = 32;
    const CANDIDATE_MASK: Option<u8> = None;
    type Hash = Sha256;
    type PrivateKey = Zeroizing<[u8; 32]>;

    fn private_key(private: &[u8]) -> Result<Self::PrivateKey, CryptoError> {
        let mut key = Zeroizing::new([0; 32]);
        if private.len() != key.len() {
            return Err(CryptoError::Rejected);
        }
        key.copy_from_slice(private);
        Ok(key)
    }

    fn public_key(private: &Self::PrivateKey) -> Result<Vec<u8>, CryptoError> {
        Ok(x25519::x25519_base(private).to_vec())
    }

    fn check_public_key(public: &[u8]) -> Result<(), CryptoError> {
        rules::x25519_public_key(public).map(|_| ())
    }

    fn agree(private: &Self::PrivateKey, public: &[u8]) -> Result<Secret, CryptoError> {
        let public = rules::x25519_public_key(public)?;
        let shared = Secret::copy_from(&*Zeroizing::new(x25519::x25519(private, public)));
        if shared == Secret::zero(32) {
            return Err(CryptoError::Rejected);
        }
        Ok(shared)
    }
}
