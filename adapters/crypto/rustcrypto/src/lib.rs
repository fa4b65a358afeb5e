//! The crypto contract on dalek and RustCrypto: all seven cipher suites of RFC 9420, in Rust only,
//! and all of the post-quantum ones if asked for.
//!
//! Curve25519 is dalek's, all else is RustCrypto's. Signing is deterministic throughout (EdDSA by
//! design, ECDSA by RFC 6979, ML-DSA by its deterministic variant), so that with a deterministic [`Random`] the whole backend is.
//!
//! Ed448 and X448 come from pre-releases (`ed448-goldilocks`, `x448`): RustCrypto has published no
//! stable version of them on the current curve traits.
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
    post_quantum::{self, NistPqPrimitives, PqPrimitives},
};

pub use random::SystemRandom;

use aead::{Aes128Gcm, Aes256Gcm, ChaCha20Poly1305};
use dh::{P256, P384, P521, X448, X25519};
use hash::{Sha256, Sha384, Sha512};
use kem::{MlKem768, MlKem768P256, MlKem1024, MlKem1024P384, XWing};
use signature::{EcdsaP256, EcdsaP384, EcdsaP521, Ed448, Ed25519, MlDsa44, MlDsa65, MlDsa87};

const CIPHER_SUITES: [CipherSuite; 7] = [
    CipherSuite(1),
    CipherSuite(2),
    CipherSuite(3),
    CipherSuite(4),
    CipherSuite(5),
    CipherSuite(6),
    CipherSuite(7),
];

/// dalek and RustCrypto.
pub struct RustCrypto {
    random: Arc<dyn Random>,
    cipher_suites: Vec<CipherSuite>,
    suites: Vec<Box<dyn Suite>>,
}

impl RustCrypto {
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

    /// With post-quantum suites beside the others.
    #[must_use]
    pub fn with_post_quantum(pq_suites: &PqSuites, random: Arc<dyn Random>) -> Self {
        let mut backend = Self::with_random(random);
        backend.suites.extend(post_quantum::compose_nist::<Primitives>(pq_suites, &backend.random));
        backend.suites.sort_by_key(|suite| suite.cipher_suite());
        backend.cipher_suites = backend.suites.iter().map(|suite| suite.cipher_suite()).collect();
        backend
    }
}

impl Default for RustCrypto {
    fn default() -> Self {
        Self::new()
    }
}

impl CryptoBackend for RustCrypto {
    fn name(&self) -> &'static str {
        "rustcrypto"
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
    type Of<G, H, A, S> = Composed<DhKem<G>, H, A, S>;
    Some(match suite.0 {
        1 => Box::new(Of::<X25519, Sha256, Aes128Gcm, Ed25519>::new(suite, random)),
        2 => Box::new(Of::<P256, Sha256, Aes128Gcm, EcdsaP256>::new(suite, random)),
        3 => Box::new(Of::<X25519, Sha256, ChaCha20Poly1305, Ed25519>::new(suite, random)),
        4 => Box::new(Of::<X448, Sha512, Aes256Gcm, Ed448>::new(suite, random)),
        5 => Box::new(Of::<P521, Sha512, Aes256Gcm, EcdsaP521>::new(suite, random)),
        6 => Box::new(Of::<X448, Sha512, ChaCha20Poly1305, Ed448>::new(suite, random)),
        7 => Box::new(Of::<P384, Sha384, Aes256Gcm, EcdsaP384>::new(suite, random)),
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

impl NistPqPrimitives for Primitives {
    type MlKem768P256 = MlKem768P256;
    type MlKem1024P384 = MlKem1024P384;
    type EcdsaP256 = EcdsaP256;
    type EcdsaP384 = EcdsaP384;
}
