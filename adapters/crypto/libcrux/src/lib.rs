//! The crypto contract on libcrux: cipher suites 1 and 3 of RFC 9420 and, if asked for, the
//! post-quantum ones without NIST's curves; ML-KEM and X-Wing as [`kem`]s and ML-DSA as [`signature`]
//! schemes.
//!
//! Its proofs are of ML-KEM and ML-DSA (by hax) and of Curve25519, SHA-2, HMAC and ChaCha20-Poly1305
//! (by HACL*). It has no P-521 or curve448, and its P-256 gives ECDSA for a nonce that the caller must
//! choose, hence none of the suites with NIST's curves. Signing is deterministic, ML-DSA's included, so that with a
//! deterministic [`Random`] the whole backend is.
#![forbid(unsafe_code)]

pub mod aead;
pub mod dh;
pub mod hash;
pub mod kem;
mod random;
pub mod signature;

use std::sync::Arc;

use crypto_api::{
    CipherSuite, Composed, CryptoBackend, CryptoError, PqSuites, Random, Suite,
    dhkem::DhKem,
    post_quantum::{self, PqPrimitives},
};

pub use random::SystemRandom;

use aead::{Aes128Gcm, Aes256Gcm, ChaCha20Poly1305};
use dh::X25519;
use hash::{Sha256, Sha384};
use kem::{MlKem768, MlKem1024, XWing};
use signature::{Ed25519, MlDsa44, MlDsa65, MlDsa87};

const CIPHER_SUITES: [CipherSuite; 2] = [CipherSuite(1), CipherSuite(3)];

/// libcrux.
pub struct Libcrux {
    random: Arc<dyn Random>,
    cipher_suites: Vec<CipherSuite>,
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
        Self { random, cipher_suites: CIPHER_SUITES.to_vec(), suites }
    }

    /// With post-quantum suites beside the others, as far as libcrux has them.
    #[must_use]
    pub fn with_post_quantum(pq_suites: &PqSuites, random: Arc<dyn Random>) -> Self {
        let mut backend = Self::with_random(random);
        backend.suites.extend(post_quantum::compose::<Primitives>(pq_suites, &backend.random));
        backend.suites.sort_by_key(|suite| suite.cipher_suite());
        backend.cipher_suites = backend.suites.iter().map(|suite| suite.cipher_suite()).collect();
        backend
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
        &self.cipher_suites
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

/// What the post-quantum suites are made of.
struct Primitives;

impl PqPrimitives for Primitives {
    type XWing = XWing;
    type MlKem768 = MlKem768;
    type MlKem1024 = MlKem1024;
    type Sha256 = Sha256;
    type Sha384 = Sha384;
    type Aes128Gcm = Aes128Gcm;
    type Aes256Gcm = Aes256Gcm;
    type ChaCha20Poly1305 = ChaCha20Poly1305;
    type Ed25519 = Ed25519;
    type MlDsa44 = MlDsa44;
    type MlDsa65 = MlDsa65;
    type MlDsa87 = MlDsa87;
}
