//! The operating system's randomness, by `getrandom`.

use crypto_api::{CryptoError, Random};

/// The operating system's generator.
pub struct SystemRandom;

impl Random for SystemRandom {
    fn fill(&self, out: &mut [u8]) -> Result<(), CryptoError> {
        getrandom::fill(out).map_err(|_| CryptoError::Internal)
    }
}
