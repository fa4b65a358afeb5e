//! AWS-LC's randomness, seeded from the operating system.

use crypto_api::{CryptoError, Random};

/// AWS-LC's generator.
pub struct SystemRandom;

impl Random for SystemRandom {
    fn fill(&self, out: &mut [u8]) -> Result<(), CryptoError> {
        aws_lc_rs::rand::fill(out).map_err(|_| CryptoError::Internal)
    }
}
