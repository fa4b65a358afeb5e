//! The crypto contract on graviola, s2n-bignum's assembler in a crate that needs no C compiler: cipher
//! suites 1, 2, 3 and 7 of RFC 9420.
//!
//! It has no P-521, X448 or Ed448, hence no suite 4, 5 or 6. ECDSA signing mixes in randomness of the
//! library's own, so suites 2 and 7 don't repeat signatures even with a deterministic [`Random`]. Its
//! ML-KEM-768 has neither seeds to export nor an encapsulation from given bytes in its stable
//! interface; what there is, is not offered here.
//!
//! graviola stops the process on a processor that lacks ADX, AES, AVX2, BMI1 or PCLMULQDQ (on AArch64:
//! AES, PMULL and SHA-2). [`Graviola::cipher_suites`](CryptoBackend::cipher_suites) is empty there, and
//! the primitives in the modules are not to be used.
#![forbid(unsafe_code)]

pub mod aead;
pub mod dh;
pub mod hash;
mod random;
pub mod signature;

use std::sync::Arc;

use crypto_api::{CipherSuite, Composed, CryptoBackend, CryptoError, Random, Suite, dhkem::DhKem};

pub use random::SystemRandom;

use aead::{Aes128Gcm, Aes256Gcm, ChaCha20Poly1305};
use dh::{P256, P384, X25519};
use hash::{Sha256, Sha384};
use signature::{EcdsaP256, EcdsaP384, Ed25519};

const CIPHER_SUITES: [CipherSuite; 4] =
    [CipherSuite(1), CipherSuite(2), CipherSuite(3), CipherSuite(7)];

/// graviola.
pub struct Graviola {
    random: Arc<dyn Random>,
    suites: Vec<Box<dyn Suite>>,
}

impl Graviola {
    /// With the operating system's randomness.
    #[must_use]
    pub fn new() -> Self {
        Self::with_random(Arc::new(SystemRandom))
    }

    /// With another source of randomness.
    #[must_use]
    pub fn with_random(random: Arc<dyn Random>) -> Self {
        let suites =
            offered().iter().filter_map(|suite| compose(*suite, Arc::clone(&random))).collect();
        Self { random, suites }
    }
}

impl Default for Graviola {
    fn default() -> Self {
        Self::new()
    }
}

impl CryptoBackend for Graviola {
    fn name(&self) -> &'static str {
        "graviola"
    }

    fn cipher_suites(&self) -> &[CipherSuite] {
        offered()
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

/// Whether graviola runs on this processor.
#[must_use]
pub fn is_supported() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        is_x86_feature_detected!("adx")
            && is_x86_feature_detected!("aes")
            && is_x86_feature_detected!("avx")
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("pclmulqdq")
    }
    #[cfg(target_arch = "aarch64")]
    {
        std::arch::is_aarch64_feature_detected!("aes")
            && std::arch::is_aarch64_feature_detected!("pmull")
            && std::arch::is_aarch64_feature_detected!("sha2")
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        false
    }
}

fn offered() -> &'static [CipherSuite] {
    if is_supported() { &CIPHER_SUITES } else { &[] }
}

fn compose(suite: CipherSuite, random: Arc<dyn Random>) -> Option<Box<dyn Suite>> {
    type Of<G, H, A, S> = Composed<DhKem<G>, H, A, S>;
    Some(match suite.0 {
        1 => Box::new(Of::<X25519, Sha256, Aes128Gcm, Ed25519>::new(suite, random)),
        2 => Box::new(Of::<P256, Sha256, Aes128Gcm, EcdsaP256>::new(suite, random)),
        3 => Box::new(Of::<X25519, Sha256, ChaCha20Poly1305, Ed25519>::new(suite, random)),
        7 => Box::new(Of::<P384, Sha384, Aes256Gcm, EcdsaP384>::new(suite, random)),
        _ => return None,
    })
}
