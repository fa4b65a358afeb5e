//! burrow on post-quantum cipher suites, on three libraries.
//!
//! A client's leaf lists the suites that RFC 9420 has and the library too, as on 0x0001, and the one
//! that the client is on. The suites that its library could compute beside are not in it: in a group
//! of one suite they would only add bytes.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;

use burrow::types::Credential;
use crypto_api::{
    CipherSuite as Number, CryptoBackend, CryptoError, PqSuite, PqSuites, Random, Suite,
};
use crypto_aws_lc::AwsLc;
use crypto_counting::Counting;
use crypto_libcrux::Libcrux;
use crypto_rustcrypto::RustCrypto;
use engine_api::{CipherSuite, Client, Description, EngineError, Package, Registration};

use crate::client::Burrow;
use crate::describe::{
    Backend, LIBCRUX_PACKAGES, PAST, PQ_AWS_LC_PACKAGES, PQ_RUSTCRYPTO_PACKAGES, PROFILE, WRITES,
    describe,
};
use crate::ingest::ours;
use crate::state::{Psks, Time, lifetime_now, new_client, random_number};

/// A library that has post-quantum suites if it is asked for them.
pub(crate) trait Offers: Backend {
    /// The packages that do the work then.
    const PQ_PACKAGES: &'static [Package];
    /// How the library does it.
    const HOW: &'static str;

    fn with_post_quantum(suites: &PqSuites) -> Self;
}

impl Offers for AwsLc {
    const PQ_PACKAGES: &'static [Package] = PQ_AWS_LC_PACKAGES;
    const HOW: &'static str = "ML-KEM's key pairs are expanded from their seeds by libcrux, as aws-lc-rs takes \
                               no seeds, and SHAKE is libcrux's; all else is AWS-LC's, which tests its \
                               entropy source at the first use in a process, before anything is timed.";

    fn with_post_quantum(suites: &PqSuites) -> Self {
        Self::with_post_quantum(suites, random(crypto_aws_lc::SystemRandom))
    }
}

impl Offers for RustCrypto {
    const PQ_PACKAGES: &'static [Package] = PQ_RUSTCRYPTO_PACKAGES;
    const HOW: &'static str =
        "ML-KEM and ML-DSA are RustCrypto's, which has no vector code for them.";

    fn with_post_quantum(suites: &PqSuites) -> Self {
        Self::with_post_quantum(suites, random(crypto_rustcrypto::SystemRandom))
    }
}

impl Offers for Libcrux {
    const PQ_PACKAGES: &'static [Package] = LIBCRUX_PACKAGES;
    const HOW: &'static str = "libcrux computes everything, signatures included.";

    fn with_post_quantum(suites: &PqSuites) -> Self {
        Self::with_post_quantum(suites, random(crypto_libcrux::SystemRandom))
    }
}

fn random(source: impl Random) -> Arc<dyn Random> {
    Arc::new(source)
}

/// `burrow/libcrux`.
impl Backend for Libcrux {
    const NAME: &'static str = "burrow/libcrux";
    const CRYPTO: &'static str = "libcrux";
    const PACKAGES: &'static [Package] = LIBCRUX_PACKAGES;
    const CIPHER_SUITES: &'static [CipherSuite] = &[CipherSuite(1), CipherSuite(3)];

    fn notes() -> &'static [&'static str] {
        &[PROFILE, PAST, WRITES]
    }
}

/// A library with all post-quantum suites that it has.
pub(crate) struct PostQuantum<B>(B);

impl<B: Offers> Default for PostQuantum<B> {
    fn default() -> Self {
        Self(B::with_post_quantum(&PqSuites::default()))
    }
}

impl<B: Offers> CryptoBackend for PostQuantum<B> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn cipher_suites(&self) -> &[Number] {
        self.0.cipher_suites()
    }

    fn suite(&self, cipher_suite: Number) -> Result<&dyn Suite, CryptoError> {
        self.0.suite(cipher_suite)
    }

    fn random(&self, out: &mut [u8]) -> Result<(), CryptoError> {
        self.0.random(out)
    }
}

impl<B: Offers> Backend for PostQuantum<B> {
    const NAME: &'static str = B::NAME;
    const CRYPTO: &'static str = B::CRYPTO;
    const PACKAGES: &'static [Package] = B::PQ_PACKAGES;
    const CIPHER_SUITES: &'static [CipherSuite] = B::CIPHER_SUITES;

    fn notes() -> &'static [&'static str] {
        B::notes()
    }
}

/// The configurations of a list of suites on one library, by `$make`.
macro_rules! on {
    ($make:ident::<$library:ty>, $name:literal, $end:literal: $($number:literal $hex:literal),+) => {
        vec![$(
            $make::<$library, $number>().renamed(concat!("burrow/", $name, "/", $hex, $end)),
        )+]
    };
}

/// All suites on the three libraries, as far as they have them, by `$make`.
macro_rules! everywhere {
    ($make:ident, $end:literal) => {
        [
            on!($make::<AwsLc>, "aws-lc", $end:
                0xF001 "0xF001", 0xF002 "0xF002", 0xF003 "0xF003", 0xF004 "0xF004", 0xF005 "0xF005",
                0xF006 "0xF006", 0xF007 "0xF007", 0xF008 "0xF008", 0xF009 "0xF009", 0xF00A "0xF00A",
                0xF00B "0xF00B", 0x004D "0x004D"),
            on!($make::<RustCrypto>, "rustcrypto", $end:
                0xF001 "0xF001", 0xF002 "0xF002", 0xF003 "0xF003", 0xF004 "0xF004", 0xF005 "0xF005",
                0xF006 "0xF006", 0xF007 "0xF007", 0xF008 "0xF008", 0xF009 "0xF009", 0xF00A "0xF00A",
                0xF00B "0xF00B", 0x004D "0x004D"),
            on!($make::<Libcrux>, "libcrux", $end:
                0xF001 "0xF001", 0xF002 "0xF002", 0xF006 "0xF006", 0xF009 "0xF009", 0xF00A "0xF00A",
                0xF00B "0xF00B", 0x004D "0x004D"),
        ]
        .concat()
    };
}

pub(crate) fn engines() -> Vec<Registration> {
    let mut engines = vec![Registration::of::<Burrow<Libcrux>>()];
    engines.extend(everywhere!(measured, ""));
    engines
}

pub(crate) fn counted() -> Vec<Registration> {
    let classical = Registration::of::<Burrow<Counting<Libcrux>>>();
    let mut engines = vec![classical.renamed("burrow/libcrux/counted")];
    engines.extend(everywhere!(counting, "/counted"));
    engines
}

fn measured<B: Offers, const SUITE: u16>() -> Registration {
    Registration::of::<Burrow<PostQuantum<B>>>()
        .configured(describe_on::<B, SUITE>, client_on::<PostQuantum<B>, SUITE>)
}

fn counting<B: Offers, const SUITE: u16>() -> Registration {
    Registration::of::<Burrow<Counting<PostQuantum<B>>>>()
        .configured(describe_on::<B, SUITE>, client_on::<Counting<PostQuantum<B>>, SUITE>)
}

fn describe_on<B: Offers, const SUITE: u16>() -> Description {
    Description {
        cipher_suites: const { &[CipherSuite(SUITE)] },
        notes: const { &[name_of(SUITE), B::HOW, PROFILE, PAST, WRITES] },
        ..describe::<PostQuantum<B>>()
    }
}

/// The suite's name.
const fn name_of(number: u16) -> &'static str {
    let mut at = 0;
    while at < PqSuite::ALL.len() {
        if PqSuite::ALL[at].default_code_point().0 == number {
            return PqSuite::ALL[at].name();
        }
        at += 1;
    }
    "an unknown cipher suite"
}

fn client_on<B: Backend, const SUITE: u16>(name: &str) -> Result<Client, EngineError> {
    let psks = Psks::default();
    let client = new_client::<B>(&psks, Time::Present);
    let credential = Credential::Basic(name.as_bytes().to_vec());
    let identity = client.generate_identity(Number(SUITE), credential, lifetime_now());
    let mut identity = identity.map_err(ours)?;
    let classical = B::CIPHER_SUITES.iter().map(|suite| Number(suite.0));
    identity.description.capabilities.cipher_suites = classical.chain([Number(SUITE)]).collect();
    Ok(Box::new(Burrow::<B> {
        identity,
        key_packages: BTreeMap::new(),
        groups: BTreeMap::new(),
        psks,
        time: Time::Present,
        stages: random_number(&client)?,
        client,
        backend: PhantomData,
    }))
}
