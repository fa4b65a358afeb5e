//! X25519, by dryoc.

use crypto_api::{CryptoError, Secret, primitives::Dh, rules};
use dryoc::classic::crypto_core::{crypto_scalarmult, crypto_scalarmult_base};
use zeroize::Zeroizing;

use crate::hash::Sha256;

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
        let mut public = [0; 32];
        crypto_scalarmult_base(&mut public, private);
        Ok(public.to_vec())
    }

    fn check_public_key(public: &[u8]) -> Result<(), CryptoError> {
        rules::x25519_public_key(public).map(|_| ())
    }

    fn agree(private: &Self::PrivateKey, public: &[u8]) -> Result<Secret, CryptoError> {
        let public = rules::x25519_public_key(public)?;
        let mut shared = Zeroizing::new([0; 32]);
        // Refuses a result that is all zero.
        crypto_scalarmult(&mut shared, private, public).map_err(|_| CryptoError::Rejected)?;
        Ok(Secret::copy_from(&*shared))
    }
}
