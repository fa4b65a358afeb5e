//! The crypto contract on libsodium, through `libsodium-sys-stable`: cipher suite 3 of RFC 9420,
//! ML-KEM-768 and X-Wing as `kem`s, and its boxes, its KDF and Argon2id in `nacl`.
//!
//! It has no AES-128-GCM, no NIST curves, no SHA-384 and no curve448, hence no other suite. It keeps a
//! decoded Ed25519 public key for nobody: each verification decodes it anew. Signing is deterministic,
//! so that with a deterministic `Random` the whole backend is.
//!
//! The crate is empty without its feature `vendored`: the source is in `libsodium-sys-stable`, and
//! compiling it takes a C compiler, make and a shell.
#![cfg(feature = "vendored")]

pub mod aead;
pub mod dh;
pub mod hash;
pub mod kem;
mod library;
pub mod nacl;
mod random;
pub mod signature;

use std::sync::Arc;

use crypto_api::{CipherSuite, Composed, CryptoBackend, CryptoError, Random, Suite, dhkem::DhKem};

pub use library::{VERSION, ed25519_verify, has_aes256gcm, processor};
pub use random::SystemRandom;

use aead::ChaCha20Poly1305;
use dh::X25519;
use hash::Sha256;
use signature::Ed25519;

const CIPHER_SUITES: [CipherSuite; 1] = [CipherSuite(3)];

/// libsodium.
pub struct Sodium {
    random: Arc<dyn Random>,
    suites: Vec<Box<dyn Suite>>,
}

impl Sodium {
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

impl Default for Sodium {
    fn default() -> Self {
        Self::new()
    }
}

impl CryptoBackend for Sodium {
    fn name(&self) -> &'static str {
        "sodium"
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
    type Three = Composed<DhKem<X25519>, Sha256, ChaCha20Poly1305, Ed25519>;
    (suite.0 == 3).then(|| Box::new(Three::new(suite, random)) as Box<dyn Suite>)
}
