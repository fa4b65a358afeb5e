//! liboqs, through the `oqs` crate: ML-KEM, Classic McEliece and FrodoKEM as `kem`s, ML-DSA,
//! SPHINCS+ and Falcon as `signature` schemes; and a backend with the post-quantum cipher suites.
//!
//! liboqs has nothing classical. In the suites its ML-KEM stands beside AWS-LC's hashes, AEADs, groups
//! and signatures: AWS-LC's ML-DSA too, since that of liboqs gives other verdicts than everybody's (see
//! `signature`).
//!
//! liboqs takes seeds for the keys of some KEMs and for nothing else. Here everything that its
//! algorithms draw can be determined (see `random`), so that keys come from seeds, ML-DSA and
//! SPHINCS+ sign deterministically and ML-KEM encapsulates what it is told to. Falcon, Classic McEliece
//! and FrodoKEM draw from the operating system where the contract gives them no randomness.
//!
//! The crate is empty without its feature `vendored`, since compiling liboqs takes cmake, libclang and
//! minutes.
#![cfg(feature = "vendored")]

pub mod kem;
pub mod random;
pub mod signature;

use std::sync::Arc;

use crypto_api::{
    CipherSuite, CryptoBackend, CryptoError, PqSuites, Random, Suite,
    post_quantum::{self, NistPqPrimitives, PqPrimitives},
};
use crypto_aws_lc::{aead, hash, signature as classical};

pub use random::{SystemRandom, processor};

use kem::{MlKem768, MlKem768P256, MlKem1024, MlKem1024P384, XWing};

/// The version of liboqs.
pub const VERSION: &str = "0.13.0";

/// liboqs's ML-KEM in the post-quantum suites, with AWS-LC for the rest.
pub struct Oqs {
    random: Arc<dyn Random>,
    cipher_suites: Vec<CipherSuite>,
    suites: Vec<Box<dyn Suite>>,
}

impl Oqs {
    /// With these suites.
    #[must_use]
    pub fn with_post_quantum(pq_suites: &PqSuites, random: Arc<dyn Random>) -> Self {
        let mut suites = post_quantum::compose_nist::<Primitives>(pq_suites, &random);
        suites.sort_by_key(|suite| suite.cipher_suite());
        let cipher_suites = suites.iter().map(|suite| suite.cipher_suite()).collect();
        Self { random, cipher_suites, suites }
    }
}

impl CryptoBackend for Oqs {
    fn name(&self) -> &'static str {
        "oqs"
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

/// What the suites are made of.
struct Primitives;

impl PqPrimitives for Primitives {
    type XWing = XWing;
    type MlKem768 = MlKem768;
    type MlKem1024 = MlKem1024;
    type Sha256 = hash::Sha256;
    type Sha384 = hash::Sha384;
    type Aes128Gcm = aead::Aes128Gcm;
    type Aes256Gcm = aead::Aes256Gcm;
    type ChaCha20Poly1305 = aead::ChaCha20Poly1305;
    type Ed25519 = classical::Ed25519;
    type MlDsa44 = classical::MlDsa44;
    type MlDsa65 = classical::MlDsa65;
    type MlDsa87 = classical::MlDsa87;
}

impl NistPqPrimitives for Primitives {
    type MlKem768P256 = MlKem768P256;
    type MlKem1024P384 = MlKem1024P384;
    type EcdsaP256 = classical::EcdsaP256;
    type EcdsaP384 = classical::EcdsaP384;
}
