//! The crypto contract on libcrux: cipher suites 1 and 3 of RFC 9420, ML-KEM as [`kem`]s and ML-DSA as
//! [`signature`] schemes.
//!
//! Its proofs are of ML-KEM and ML-DSA (by hax) and of Curve25519, SHA-2, HMAC and ChaCha20-Poly1305
//! (by HACL*). It has no P-521 or curve448, and its P-256 gives ECDSA for a nonce that the caller must
//! choose, hence no other suite. Signing is deterministic, ML-DSA's included, so that with a
//! deterministic [`Random`] the whole backend is.
#![forbid(unsafe_code)]

pub mod aead;
pub mod dh;
pub mod hash;
pub mod kem;
mod random;
pub mod signature;

use std::sync::Arc;

use crypto_api::{CipherSuite, Composed, CryptoBackend, CryptoError, Random, Suite, dhkem::DhKem};

pub use random::SystemRandom;

use aead::{Aes128Gcm, ChaCha20Poly1305};
use dh::X25519;
use hash::Sha256;
use signature::Ed25519;

const CIPHER_SUITES: [CipherSuite; 2] = [CipherSuite(1), CipherSuite(3)];

/// libcrux.
pub struct Libcrux {
    random: Arc<dyn Random>,
    suites: Vec<Box<dyn Suite>>,
}

impl Libcrux {
    /// With the operating system's randomness.
    #[must_use]
    pub fn new() -> Self {
        Self::with_random(Arc::new(SystemRandom))
    }

    /// With another source of randomness.
    #[must_use]
    pub fn with_random(random: Arc<dyn Random>) -> Self {
        let suites =
            CIPHER_SUITES.iter().filter_map(|suite| compose(*suite, Arc::clone(&random))).collect();
        Self { random, suites }
    }
}

impl Default for Libcrux {
    fn default() -> Self {
        Self::new()
    }
}

impl CryptoBackend for Libcrux {
    fn name(&self) -> &'static str {
        "libcrux"
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

fn compose(suite: CipherSuite, random: Arc<dyn Random>) -> Option<Box<dyn Suite>> {
    type Of<A> = Composed<DhKem<X25519>, Sha256, A, Ed25519>;
    Some(match suite.0 {
        1 => Box::new(Of::<Aes128Gcm>::new(suite, random)),
        3 => Box::new(Of::<ChaCha20Poly1305>::new(suite, random)),
        _ => return None,
    })
}
