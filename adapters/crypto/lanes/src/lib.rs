//! The crypto contract on AWS-LC, with bulk work on Curve25519 eight at a time: cipher suites 1
//! and 3 of RFC 9420.
//!
//! One operation alone is AWS-LC's, but for verifying a signature, which is dalek's, the fastest
//! measured. Where many come together, sealing to many members or verifying many signatures, they go
//! through [`curve25519x8`], if the processor has AVX-512 IFMA; where it hasn't, they are done one by
//! one, too.
//!
//! What comes out is the same in either way: a seal opens with any library, and a batch of
//! signatures has the verdict of each alone.
#![forbid(unsafe_code)]

pub mod kem;
pub mod signature;

use std::sync::Arc;

use crypto_api::{CipherSuite, Composed, CryptoBackend, CryptoError, Random, Suite};
use crypto_aws_lc::SystemRandom;
use crypto_aws_lc::aead::{Aes128Gcm, ChaCha20Poly1305};
use crypto_aws_lc::hash::Sha256;

use kem::X25519Kem;
use signature::Ed25519;

const CIPHER_SUITES: [CipherSuite; 2] = [CipherSuite(1), CipherSuite(3)];

/// AWS-LC, eight at a time.
pub struct Lanes {
    random: Arc<dyn Random>,
    suites: [Box<dyn Suite>; 2],
}

impl Lanes {
    /// With AWS-LC's own randomness.
    #[must_use]
    pub fn new() -> Self {
        Self::with_random(Arc::new(SystemRandom))
    }

    /// With another source of randomness.
    #[must_use]
    pub fn with_random(random: Arc<dyn Random>) -> Self {
        type Of<A> = Composed<X25519Kem, Sha256, A, Ed25519>;
        let [one, three] = CIPHER_SUITES;
        let suites: [Box<dyn Suite>; 2] = [
            Box::new(Of::<Aes128Gcm>::new(one, Arc::clone(&random))),
            Box::new(Of::<ChaCha20Poly1305>::new(three, Arc::clone(&random))),
        ];
        Self { random, suites }
    }
}

impl Default for Lanes {
    fn default() -> Self {
        Self::new()
    }
}

impl CryptoBackend for Lanes {
    fn name(&self) -> &'static str {
        "lanes"
    }

    fn cipher_suites(&self) -> &[CipherSuite] {
        &CIPHER_SUITES
    }

    fn suite(&self, cipher_suite: CipherSuite) -> Result<&dyn Suite, CryptoError> {
        self.suites
            .iter()
            .find(|suite| suite.cipher_suite() == cipher_suite)
            .map(|suite| &**suite)
            .ok_or(CryptoError::Unsupported)
    }

    fn random(&self, out: &mut [u8]) -> Result<(), CryptoError> {
        self.random.fill(out)
    }
}
