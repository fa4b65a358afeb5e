//! The backends, side by side.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses its own share of this")]

use std::sync::{Arc, Mutex};

use crypto_api::{CipherSuite, CryptoBackend, CryptoError, Random, Suite};
use crypto_aws_lc::AwsLc;
use crypto_dryoc::Dryoc;
use crypto_fiat::Fiat;
use crypto_graviola::Graviola;
use crypto_libcrux::Libcrux;
use crypto_rustcrypto::RustCrypto;

/// The backends with one source of randomness. The first two stand behind the tests' numbers, the
/// others have to do as these do.
pub(crate) struct Both {
    rustcrypto: RustCrypto,
    aws_lc: AwsLc,
    fiat: Fiat,
    graviola: Graviola,
    libcrux: Libcrux,
    dryoc: Dryoc,
}

impl Both {
    pub(crate) fn new() -> Self {
        Self {
            rustcrypto: RustCrypto::new(),
            aws_lc: AwsLc::new(),
            fiat: Fiat::new(),
            graviola: Graviola::new(),
            libcrux: Libcrux::new(),
            dryoc: Dryoc::new(),
        }
    }

    pub(crate) fn with_random(random: &Arc<dyn Random>) -> Self {
        Self {
            rustcrypto: RustCrypto::with_random(Arc::clone(random)),
            aws_lc: AwsLc::with_random(Arc::clone(random)),
            fiat: Fiat::with_random(Arc::clone(random)),
            graviola: Graviola::with_random(Arc::clone(random)),
            libcrux: Libcrux::with_random(Arc::clone(random)),
            dryoc: Dryoc::with_random(Arc::clone(random)),
        }
    }

    /// The implementations of a suite.
    pub(crate) fn of(&self, suite: u16) -> Vec<(&'static str, &dyn Suite)> {
        let backends: [&dyn CryptoBackend; 6] = [
            &self.rustcrypto,
            &self.aws_lc,
            &self.fiat,
            &self.libcrux,
            &self.dryoc,
            &self.graviola,
        ];
        let found: Vec<_> = backends
            .into_iter()
            .filter_map(|backend| Some((backend.name(), backend.suite(CipherSuite(suite)).ok()?)))
            .collect();
        let without_graviola = match suite {
            1 => 4,
            3 => 5,
            4 | 6 => 1,
            _ => 2,
        };
        let graviola = crypto_graviola::is_supported() && matches!(suite, 1 | 2 | 3 | 7);
        let expected = without_graviola + usize::from(graviola);
        assert_eq!(found.len(), expected, "suite {suite}");
        found
    }
}

pub(crate) const SUITES: [u16; 7] = [1, 2, 3, 4, 5, 6, 7];

/// Not random at all: the same bytes for the same seed.
pub(crate) struct Repeatable(Mutex<u64>);

impl Repeatable {
    pub(crate) fn from_seed(seed: u64) -> Arc<dyn Random> {
        Arc::new(Self(Mutex::new(seed)))
    }
}

impl Random for Repeatable {
    fn fill(&self, out: &mut [u8]) -> Result<(), CryptoError> {
        let mut state = self.0.lock().unwrap();
        for byte in out {
            // splitmix64
            *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = *state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            *byte = (z ^ (z >> 31)) as u8;
        }
        Ok(())
    }
}

/// Gives out one string, whole, each time.
pub(crate) struct Always(pub(crate) Vec<u8>);

impl Random for Always {
    fn fill(&self, out: &mut [u8]) -> Result<(), CryptoError> {
        assert_eq!(out.len(), self.0.len());
        out.copy_from_slice(&self.0);
        Ok(())
    }
}

/// Has nothing to give.
pub(crate) struct Never;

impl Random for Never {
    fn fill(&self, _: &mut [u8]) -> Result<(), CryptoError> {
        Err(CryptoError::Internal)
    }
}

pub(crate) fn unhex(text: &str) -> Vec<u8> {
    assert_eq!(text.len() % 2, 0);
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

/// How a suite on a NIST curve writes things.
pub(crate) struct Curve {
    pub(crate) suite: u16,
    /// Bytes in a coordinate and in a private key.
    pub(crate) length: usize,
    /// The field's prime, the group's order and a square root of the equation's constant, so that
    /// (0, root) is on the curve.
    pub(crate) prime: &'static str,
    pub(crate) order: &'static str,
    pub(crate) root_of_b: &'static str,
}

pub(crate) const NIST: [Curve; 3] = [
    Curve {
        suite: 2,
        length: 32,
        prime: "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
        order: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
        root_of_b: ROOT_P256,
    },
    Curve {
        suite: 7,
        length: 48,
        prime: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000\
                000000ffffffff",
        order: "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aec\
                ec196accc52973",
        root_of_b: ROOT_P384,
    },
    Curve {
        suite: 5,
        length: 66,
        prime: "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
                ffffffffffffffffffffffffffffffffffffffffffffffffff",
        order: "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f96\
                6b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409",
        root_of_b: ROOT_P521,
    },
];

const ROOT_P256: &str = "66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4";
const ROOT_P384: &str = "c306610fb0ae5a159cf45c06069f22a6c5eb3641c602d42dea2c4b4f75550793406d80d2b91ad54f90\
    48bd487af1ade1";
const ROOT_P521: &str = "012df13601594a883ef2d935e44bb90bf4d6619b74e52af7552f97769011c0719eb439cfab2a88d40f\
    e59a2bed1f43557169a2d0a2ccd280c607b92bbf51ffe0b078";

/// All implementations of the suite refuse `bytes` in `attempt`.
pub(crate) fn refused<T: std::fmt::Debug>(
    suite: u16,
    what: &str,
    attempt: impl Fn(&dyn Suite) -> Result<T, CryptoError>,
) {
    for (name, implementation) in Both::new().of(suite) {
        let result = attempt(implementation);
        assert_eq!(result.err(), Some(CryptoError::Rejected), "{name}, suite {suite}: {what}");
    }
}

/// All implementations of the suite take it.
pub(crate) fn taken<T: std::fmt::Debug>(
    suite: u16,
    what: &str,
    attempt: impl Fn(&dyn Suite) -> Result<T, CryptoError>,
) {
    for (name, implementation) in Both::new().of(suite) {
        let result = attempt(implementation);
        assert!(result.is_ok(), "{name}, suite {suite}: {what}");
    }
}

/// A signature private key that any suite takes.
pub(crate) fn key_bytes(suite: u16) -> Vec<u8> {
    let length = match suite {
        1..=3 => 32,
        4 | 6 => 57,
        5 => 66,
        _ => 48,
    };
    let mut key = vec![0x11; length];
    key[0] = 0; // below every order
    key
}
