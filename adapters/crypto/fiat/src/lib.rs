//! The crypto contract on fiat-crypto: cipher suites 1 and 3 of RFC 9420, in Rust only.
//!
//! The arithmetic modulo 2^255 - 19 and modulo the order of the base point is `fiat-crypto`'s, which
//! is generated from a proof. X25519 and Ed25519 are written here over it: [`x25519`] and
//! [`ed25519`], which allocate nothing. AES-GCM, ChaCha20-Poly1305, SHA-2 and HMAC are RustCrypto's.
//! Signing is deterministic, so that with a deterministic [`Random`] the whole backend is.
//!
//! # Constant time
//!
//! Operations on secrets neither branch nor index memory on them. What fiat-crypto computes has no
//! branches; selections go by a mask behind [`core::hint::black_box`], so that the compiler doesn't
//! make branches of them, and a table is read from end to end. `examples/timing.rs` measures whether
//! it came out that way.
//!
//! Arrays that hold secret scalars, their digits and the points computed from them are wiped. What
//! the compiler keeps of them elsewhere, in registers and what it spills of these, is not.
//!
//! # Tables
//!
//! The multiples of the base point are computed by the compiler, from the curve's definition and
//! with the same code that runs later ([`fixed_base`]). A test compares them with another library's.
#![forbid(unsafe_code)]
// The tables.
#![allow(long_running_const_eval, reason = "two thousand multiplications take a second")]

pub mod aead;
pub mod dh;
pub mod ed25519;
pub mod edwards;
pub mod field;
pub mod fixed_base;
pub mod hash;
mod random;
pub mod scalar;
pub mod signature;
pub mod x25519;

use std::sync::Arc;

use crypto_api::{CipherSuite, Composed, CryptoBackend, CryptoError, Random, Suite, dhkem::DhKem};

pub use random::SystemRandom;

use aead::{Aes128Gcm, ChaCha20Poly1305};
use dh::X25519;
use hash::Sha256;
use signature::Ed25519;

const CIPHER_SUITES: [CipherSuite; 2] = [CipherSuite(1), CipherSuite(3)];

/// fiat-crypto.
pub struct Fiat {
    random: Arc<dyn Random>,
    suites: Vec<Box<dyn Suite>>,
}

impl Fiat {
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

impl Default for Fiat {
    fn default() -> Self {
        Self::new()
    }
}

impl CryptoBackend for Fiat {
    fn name(&self) -> &'static str {
        "fiat"
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
