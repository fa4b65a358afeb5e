//! The post-quantum cipher suites: the eleven of `draft-ietf-mls-pq-ciphersuites-06`, and the one that
//! OpenMLS has had since before it.
//!
//! IANA has assigned no numbers yet, and two implementations that speak of the same suite may number
//! it differently. A [`PqSuite`] says which suite is meant; [`PqSuites`] says which numbers stand for
//! which suites, and by which rule their KEMs derive keys. A library says in [`PqPrimitives`] and
//! [`NistPqPrimitives`] what it has, and gets the suites from [`compose`] and [`compose_nist`].

use std::sync::Arc;

use crate::{
    CipherSuite, Composed, CryptoError, Random, Suite,
    primitives::{Aead, Hash, SignatureScheme},
    seed_kem::{FromSeed, Labelled, SeedKem, SeedRule, Unlabelled},
};

macro_rules! suites {
    ($($(#[$doc:meta])* $suite:ident, $constant:ident = $name:literal, $default:literal,
        $openmls:expr, $kem:literal, $kdf:literal, $aead:literal, $signature:literal;
    )+) => {
        /// Which post-quantum suite is meant, whatever its number.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum PqSuite {$(
            $(#[$doc])*
            $suite,
        )+}

        impl PqSuite {
            /// The draft's, in its order, then OpenMLS's.
            pub const ALL: [Self; 12] = [$(Self::$suite),+];

            /// Its name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$suite => $name,)+ }
            }

            /// The number that it has by default.
            #[must_use]
            pub const fn default_code_point(self) -> CipherSuite {
                match self { $(Self::$suite => CipherSuite::$constant,)+ }
            }

            /// The number that OpenMLS 0.9.2 gives it, if it has it.
            #[must_use]
            pub const fn openmls_code_point(self) -> Option<CipherSuite> {
                match self { $(Self::$suite => $openmls,)+ }
            }

            /// What it consists of.
            #[must_use]
            pub const fn algorithms(self) -> Algorithms {
                match self { $(Self::$suite => Algorithms {
                    kem_id: $kem,
                    kdf_id: $kdf,
                    aead_id: $aead,
                    signature: $signature,
                },)+ }
            }
        }

        impl CipherSuite {$(
            #[doc = concat!("`", $name, "`, by the number that [`crate::PqSuites`] has by default.")]
            pub const $constant: Self = Self($default);
        )+}
    };
}

suites! {
    /// X-Wing, AES-128, SHA-256, Ed25519.
    MlKem768X25519Aes128Sha256Ed25519, MLS_128_MLKEM768X25519_AES128GCM_SHA256_ED25519 =
        "MLS_128_MLKEM768X25519_AES128GCM_SHA256_Ed25519", 0xf001,
        Some(CipherSuite(0x004f)), 0x647a, 1, 1, "ed25519";
    /// X-Wing, AES-256, SHA-384, Ed25519.
    MlKem768X25519Aes256Sha384Ed25519, MLS_128_MLKEM768X25519_AES256GCM_SHA384_ED25519 =
        "MLS_128_MLKEM768X25519_AES256GCM_SHA384_Ed25519", 0xf002,
        Some(CipherSuite(0x004e)), 0x647a, 2, 2, "ed25519";
    /// ML-KEM-768 with P-256, AES-128, SHA-256, ECDSA P-256.
    MlKem768P256Aes128Sha256P256, MLS_128_MLKEM768P256_AES128GCM_SHA256_P256 =
        "MLS_128_MLKEM768P256_AES128GCM_SHA256_P256", 0xf003,
        None, 0x0050, 1, 1, "ecdsa_secp256r1_sha256";
    /// ML-KEM-768 with P-256, AES-256, SHA-384, ECDSA P-256.
    MlKem768P256Aes256Sha384P256, MLS_128_MLKEM768P256_AES256GCM_SHA384_P256 =
        "MLS_128_MLKEM768P256_AES256GCM_SHA384_P256", 0xf004,
        None, 0x0050, 2, 2, "ecdsa_secp256r1_sha256";
    /// ML-KEM-1024 with P-384, AES-256, SHA-384, ECDSA P-384.
    MlKem1024P384Aes256Sha384P384, MLS_192_MLKEM1024P384_AES256GCM_SHA384_P384 =
        "MLS_192_MLKEM1024P384_AES256GCM_SHA384_P384", 0xf005,
        None, 0x0051, 2, 2, "ecdsa_secp384r1_sha384";
    /// ML-KEM-768, AES-256, SHA-384, Ed25519.
    MlKem768Aes256Sha384Ed25519, MLS_128_MLKEM768_AES256GCM_SHA384_ED25519 =
        "MLS_128_MLKEM768_AES256GCM_SHA384_Ed25519", 0xf006,
        Some(CipherSuite(0xf042)), 0x0041, 2, 2, "ed25519";
    /// ML-KEM-768, AES-256, SHA-384, ECDSA P-256.
    MlKem768Aes256Sha384P256, MLS_128_MLKEM768_AES256GCM_SHA384_P256 =
        "MLS_128_MLKEM768_AES256GCM_SHA384_P256", 0xf007,
        Some(CipherSuite(0x0050)), 0x0041, 2, 2, "ecdsa_secp256r1_sha256";
    /// ML-KEM-1024, AES-256, SHA-384, ECDSA P-384.
    MlKem1024Aes256Sha384P384, MLS_192_MLKEM1024_AES256GCM_SHA384_P384 =
        "MLS_192_MLKEM1024_AES256GCM_SHA384_P384", 0xf008,
        Some(CipherSuite(0x0042)), 0x0042, 2, 2, "ecdsa_secp384r1_sha384";
    /// X-Wing, ChaCha20-Poly1305, SHA-384, ML-DSA-44.
    MlKem768X25519ChaCha20Sha384MlDsa44, MLS_128_MLKEM768X25519_CHACHA20POLY1305_SHA384_MLDSA44 =
        "MLS_128_MLKEM768X25519_CHACHA20POLY1305_SHA384_MLDSA44", 0xf009,
        Some(CipherSuite(0x0052)), 0x647a, 2, 3, "mldsa44";
    /// ML-KEM-768, AES-256, SHA-384, ML-DSA-65.
    MlKem768Aes256Sha384MlDsa65, MLS_192_MLKEM768_AES256GCM_SHA384_MLDSA65 =
        "MLS_192_MLKEM768_AES256GCM_SHA384_MLDSA65", 0xf00a,
        Some(CipherSuite(0x0051)), 0x0041, 2, 2, "mldsa65";
    /// ML-KEM-1024, AES-256, SHA-384, ML-DSA-87.
    MlKem1024Aes256Sha384MlDsa87, MLS_256_MLKEM1024_AES256GCM_SHA384_MLDSA87 =
        "MLS_256_MLKEM1024_AES256GCM_SHA384_MLDSA87", 0xf00b,
        Some(CipherSuite(0x0907)), 0x0042, 2, 2, "mldsa87";
    /// OpenMLS's: X-Wing, ChaCha20-Poly1305, SHA-256, Ed25519, and the unlabelled derivation.
    XWingChaCha20Sha256Ed25519, MLS_256_XWING_CHACHA20POLY1305_SHA256_ED25519 =
        "MLS_256_XWING_CHACHA20POLY1305_SHA256_Ed25519", 0x004d,
        Some(CipherSuite(0x004d)), 0x647a, 1, 3, "ed25519";
}

/// What a suite consists of, by the registries' numbers and names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Algorithms {
    /// The KEM in HPKE.
    pub kem_id: u16,
    /// The KDF in HPKE, whose hash is also the suite's.
    pub kdf_id: u16,
    /// The AEAD in HPKE.
    pub aead_id: u16,
    /// The signature scheme in TLS.
    pub signature: &'static str,
}

/// The rule by which a suite's KEM makes a key pair of a secret (`DeriveKeyPair`). Members of one group
/// have to have the same: the keys above a leaf follow from path secrets by it, and the external key
/// from the external secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivation {
    /// [`Labelled`], as `draft-ietf-hpke-pq` has it.
    Labelled,
    /// [`Unlabelled`], as OpenMLS has it.
    Unlabelled,
}

/// Which post-quantum suites there are to be, under which numbers, and how they derive keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PqSuites {
    /// In the order of [`PqSuite::ALL`].
    code_points: [Option<CipherSuite>; PqSuite::ALL.len()],
    of_draft: Derivation,
}

impl PqSuites {
    /// All of them: the draft's in its order from 0xF001, which is in the range for private use
    /// (RFC 9420 section 17.1), and OpenMLS's as OpenMLS has it.
    #[must_use]
    pub fn private_range() -> Self {
        Self {
            code_points: PqSuite::ALL.map(|suite| Some(suite.default_code_point())),
            of_draft: Derivation::Labelled,
        }
    }

    /// Those that OpenMLS 0.9.2 has, under its numbers and with its derivation: to be in a group
    /// with it.
    #[must_use]
    pub fn openmls() -> Self {
        Self {
            code_points: PqSuite::ALL.map(PqSuite::openmls_code_point),
            of_draft: Derivation::Unlabelled,
        }
    }

    /// These only.
    #[must_use]
    pub fn only(mut self, suites: &[PqSuite]) -> Self {
        for (suite, code_point) in PqSuite::ALL.iter().zip(&mut self.code_points) {
            if !suites.contains(suite) {
                *code_point = None;
            }
        }
        self
    }

    /// This suite by that number.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] if the number is another suite's: of these, of RFC 9420's, or none.
    pub fn with_code_point(
        mut self,
        suite: PqSuite,
        code_point: CipherSuite,
    ) -> Result<Self, CryptoError> {
        let taken = self.suite(code_point).is_some_and(|other| other != suite);
        if taken || code_point.0 <= 7 {
            return Err(CryptoError::Rejected);
        }
        self.code_points[suite as usize] = Some(code_point);
        Ok(self)
    }

    /// The number of a suite, if it is one of these.
    #[must_use]
    pub fn code_point(&self, suite: PqSuite) -> Option<CipherSuite> {
        self.code_points[suite as usize]
    }

    /// The suite that a number stands for, if for one of these.
    #[must_use]
    pub fn suite(&self, code_point: CipherSuite) -> Option<PqSuite> {
        self.iter().find(|(_, found)| *found == code_point).map(|(suite, _)| suite)
    }

    /// The rule by which a suite's KEM derives keys.
    #[must_use]
    pub fn derivation(&self, suite: PqSuite) -> Derivation {
        match suite {
            PqSuite::XWingChaCha20Sha256Ed25519 => Derivation::Unlabelled,
            _ => self.of_draft,
        }
    }

    /// The suites and their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (PqSuite, CipherSuite)> {
        let all = PqSuite::ALL.into_iter().zip(self.code_points);
        all.filter_map(|(suite, code_point)| Some((suite, code_point?)))
    }
}

impl Default for PqSuites {
    fn default() -> Self {
        Self::private_range()
    }
}

/// What a library has for the suites without NIST's curves. It need not be all one library's.
pub trait PqPrimitives {
    /// X-Wing.
    type XWing: FromSeed;
    /// ML-KEM-768.
    type MlKem768: FromSeed;
    /// ML-KEM-1024.
    type MlKem1024: FromSeed;
    /// SHA-256.
    type Sha256: Hash;
    /// SHA-384.
    type Sha384: Hash;
    /// AES-128-GCM.
    type Aes128Gcm: Aead;
    /// AES-256-GCM.
    type Aes256Gcm: Aead;
    /// ChaCha20-Poly1305.
    type ChaCha20Poly1305: Aead;
    /// Ed25519.
    type Ed25519: SignatureScheme;
    /// ML-DSA-44.
    type MlDsa44: SignatureScheme;
    /// ML-DSA-65.
    type MlDsa65: SignatureScheme;
    /// ML-DSA-87.
    type MlDsa87: SignatureScheme;
}

/// What a library has for the suites with NIST's curves.
pub trait NistPqPrimitives: PqPrimitives {
    /// MLKEM768-P256.
    type MlKem768P256: FromSeed;
    /// MLKEM1024-P384.
    type MlKem1024P384: FromSeed;
    /// ECDSA with P-256 and SHA-256.
    type EcdsaP256: SignatureScheme;
    /// ECDSA with P-384 and SHA-384.
    type EcdsaP384: SignatureScheme;
}

/// Those of `suites` that have nothing to do with NIST's curves.
#[must_use]
pub fn compose<P: PqPrimitives>(
    suites: &PqSuites,
    random: &Arc<dyn Random>,
) -> Vec<Box<dyn Suite>> {
    let composed = suites.iter().filter_map(|(suite, code_point)| {
        let new = New { code_point, random };
        match suites.derivation(suite) {
            Derivation::Labelled => new.without_nist::<P, Labelled>(suite),
            Derivation::Unlabelled => new.without_nist::<P, Unlabelled>(suite),
        }
    });
    composed.collect()
}

/// All of `suites`.
#[must_use]
pub fn compose_nist<P: NistPqPrimitives>(
    suites: &PqSuites,
    random: &Arc<dyn Random>,
) -> Vec<Box<dyn Suite>> {
    let mut composed = compose::<P>(suites, random);
    composed.extend(suites.iter().filter_map(|(suite, code_point)| {
        let new = New { code_point, random };
        match suites.derivation(suite) {
            Derivation::Labelled => new.with_nist::<P, Labelled>(suite),
            Derivation::Unlabelled => new.with_nist::<P, Unlabelled>(suite),
        }
    }));
    composed
}

/// A suite to be put together.
struct New<'a> {
    code_point: CipherSuite,
    random: &'a Arc<dyn Random>,
}

impl New<'_> {
    fn of<K: FromSeed, R: SeedRule, H: Hash, A: Aead, S: SignatureScheme>(self) -> Box<dyn Suite> {
        let random = Arc::clone(self.random);
        Box::new(Composed::<SeedKem<K, R>, H, A, S>::new(self.code_point, random))
    }

    fn without_nist<P: PqPrimitives, R: SeedRule>(self, suite: PqSuite) -> Option<Box<dyn Suite>> {
        use PqSuite as Pq;
        Some(match suite {
            Pq::MlKem768X25519Aes128Sha256Ed25519 => {
                self.of::<P::XWing, R, P::Sha256, P::Aes128Gcm, P::Ed25519>()
            }
            Pq::MlKem768X25519Aes256Sha384Ed25519 => {
                self.of::<P::XWing, R, P::Sha384, P::Aes256Gcm, P::Ed25519>()
            }
            Pq::MlKem768Aes256Sha384Ed25519 => {
                self.of::<P::MlKem768, R, P::Sha384, P::Aes256Gcm, P::Ed25519>()
            }
            Pq::MlKem768X25519ChaCha20Sha384MlDsa44 => {
                self.of::<P::XWing, R, P::Sha384, P::ChaCha20Poly1305, P::MlDsa44>()
            }
            Pq::MlKem768Aes256Sha384MlDsa65 => {
                self.of::<P::MlKem768, R, P::Sha384, P::Aes256Gcm, P::MlDsa65>()
            }
            Pq::MlKem1024Aes256Sha384MlDsa87 => {
                self.of::<P::MlKem1024, R, P::Sha384, P::Aes256Gcm, P::MlDsa87>()
            }
            Pq::XWingChaCha20Sha256Ed25519 => {
                self.of::<P::XWing, R, P::Sha256, P::ChaCha20Poly1305, P::Ed25519>()
            }
            _ => return None,
        })
    }

    fn with_nist<P: NistPqPrimitives, R: SeedRule>(self, suite: PqSuite) -> Option<Box<dyn Suite>> {
        use PqSuite as Pq;
        Some(match suite {
            Pq::MlKem768P256Aes128Sha256P256 => {
                self.of::<P::MlKem768P256, R, P::Sha256, P::Aes128Gcm, P::EcdsaP256>()
            }
            Pq::MlKem768P256Aes256Sha384P256 => {
                self.of::<P::MlKem768P256, R, P::Sha384, P::Aes256Gcm, P::EcdsaP256>()
            }
            Pq::MlKem1024P384Aes256Sha384P384 => {
                self.of::<P::MlKem1024P384, R, P::Sha384, P::Aes256Gcm, P::EcdsaP384>()
            }
            Pq::MlKem768Aes256Sha384P256 => {
                self.of::<P::MlKem768, R, P::Sha384, P::Aes256Gcm, P::EcdsaP256>()
            }
            Pq::MlKem1024Aes256Sha384P384 => {
                self.of::<P::MlKem1024, R, P::Sha384, P::Aes256Gcm, P::EcdsaP384>()
            }
            _ => return None,
        })
    }
}
