//! What the configurations are.

use crypto_api::CryptoBackend;
use crypto_aws_lc::AwsLc;
use crypto_fiat::Fiat;
use crypto_lanes::Lanes;
use crypto_rustcrypto::RustCrypto;
use engine_api::{
    Capabilities, CipherSuite, Description, Layer, Package, Spans, Support, Threads, WireProfile,
    Work,
};

engine_api::locked_packages!();

/// A crypto library under burrow: all in which the engines differ.
pub(crate) trait Backend: CryptoBackend + Default {
    /// The configuration's name.
    const NAME: &'static str;
    /// That of the configuration that uses all cores.
    #[cfg(feature = "threads")]
    const NAME_WITH_THREADS: &'static str = Self::NAME;
    /// The library that computes.
    const CRYPTO: &'static str;
    /// The packages that do the work.
    const PACKAGES: &'static [Package];
    /// The same with those that store to SQLite.
    const PACKAGES_WITH_SQLITE: &'static [Package] = Self::PACKAGES;
    /// What the library offers, the benched one first.
    const CIPHER_SUITES: &'static [CipherSuite];
    /// What a reader of a table must know.
    fn notes() -> &'static [&'static str];
}

// How long the lists of `build.rs` are: AWS-LC's, SQLite's, RustCrypto's, SQLite's again, the
// lanes', fiat-crypto's, and those of the post-quantum suites.
const AWS_LC: usize = 5;
const SQLITE: usize = if cfg!(feature = "sqlite") { 2 } else { 0 };
const WITH_AWS_LC: (&[Package], &[Package]) = PACKAGES.split_at(AWS_LC + SQLITE);
const LANES: usize = 9;
const FIAT: usize = 6;
const PQ_AWS_LC: usize = AWS_LC + 2;
const PQ_RUSTCRYPTO: usize = 13;
const LIBCRUX: usize = 11;
const POST_QUANTUM: usize = PQ_AWS_LC + PQ_RUSTCRYPTO + LIBCRUX;
const WITH_RUSTCRYPTO: (&[Package], &[Package]) =
    WITH_AWS_LC.1.split_at(WITH_AWS_LC.1.len() - LANES - FIAT - POST_QUANTUM);
const WITH_LANES: (&[Package], &[Package]) = WITH_RUSTCRYPTO.1.split_at(LANES);
const WITH_FIAT: (&[Package], &[Package]) = WITH_LANES.1.split_at(FIAT);
const WITH_PQ_AWS_LC: (&[Package], &[Package]) = WITH_FIAT.1.split_at(PQ_AWS_LC);
const WITH_PQ_RUSTCRYPTO: (&[Package], &[Package]) = WITH_PQ_AWS_LC.1.split_at(PQ_RUSTCRYPTO);
pub(crate) const PQ_AWS_LC_PACKAGES: &[Package] = WITH_PQ_AWS_LC.0;
pub(crate) const PQ_RUSTCRYPTO_PACKAGES: &[Package] = WITH_PQ_RUSTCRYPTO.0;
pub(crate) const LIBCRUX_PACKAGES: &[Package] = WITH_PQ_RUSTCRYPTO.1;

impl Backend for AwsLc {
    const NAME: &'static str = "burrow/aws-lc";
    #[cfg(feature = "threads")]
    const NAME_WITH_THREADS: &'static str = "burrow/aws-lc/threads=all";
    const CRYPTO: &'static str = "aws-lc";
    const PACKAGES: &'static [Package] = WITH_AWS_LC.0.split_at(AWS_LC).0;
    const PACKAGES_WITH_SQLITE: &'static [Package] = WITH_AWS_LC.0;
    const CIPHER_SUITES: &'static [CipherSuite] =
        &[CipherSuite(1), CipherSuite(2), CipherSuite(3), CipherSuite(5), CipherSuite(7)];

    fn notes() -> &'static [&'static str] {
        &[PROFILE, PAST, WRITES, ENTROPY]
    }
}

impl Backend for RustCrypto {
    const NAME: &'static str = "burrow/rustcrypto";
    const CRYPTO: &'static str = "rustcrypto";
    const PACKAGES: &'static [Package] =
        WITH_RUSTCRYPTO.0.split_at(WITH_RUSTCRYPTO.0.len() - SQLITE).0;
    const PACKAGES_WITH_SQLITE: &'static [Package] = WITH_RUSTCRYPTO.0;
    const CIPHER_SUITES: &'static [CipherSuite] = &[
        CipherSuite(1),
        CipherSuite(2),
        CipherSuite(3),
        CipherSuite(4),
        CipherSuite(5),
        CipherSuite(6),
        CipherSuite(7),
    ];

    fn notes() -> &'static [&'static str] {
        &[PROFILE, PAST, WRITES]
    }
}

impl Backend for Lanes {
    const NAME: &'static str = "burrow/lanes";
    const CRYPTO: &'static str = "aws-lc + dalek + curve25519x8";
    const PACKAGES: &'static [Package] = WITH_LANES.0;
    const CIPHER_SUITES: &'static [CipherSuite] = &[CipherSuite(1), CipherSuite(3)];

    fn notes() -> &'static [&'static str] {
        if curve25519x8::Lanes::detect().is_some() {
            &[
                PROFILE,
                PAST,
                WRITES,
                ENTROPY,
                "Seals, key derivations and signatures to verify that come three or more at a time \
                 are computed eight at once, on one core, with AVX-512 IFMA; a signature alone is \
                 verified by dalek, and all else is AWS-LC's.",
            ]
        } else {
            &[
                PROFILE,
                PAST,
                WRITES,
                ENTROPY,
                "This processor has no AVX-512 IFMA: signatures are verified by dalek, and all else is \
                 AWS-LC's, as in burrow/aws-lc.",
            ]
        }
    }
}

impl Backend for Fiat {
    const NAME: &'static str = "burrow/fiat";
    const CRYPTO: &'static str = "fiat-crypto + rustcrypto";
    const PACKAGES: &'static [Package] = WITH_FIAT.0;
    const CIPHER_SUITES: &'static [CipherSuite] = &[CipherSuite(1), CipherSuite(3)];

    fn notes() -> &'static [&'static str] {
        &[
            PROFILE,
            PAST,
            WRITES,
            "X25519 and Ed25519 are this repository's own, over fiat-crypto's arithmetic; all else \
             is RustCrypto's.",
        ]
    }
}

pub(crate) const PROFILE: &str = "Commits are private messages and always carry an update path, nothing is \
                       padded: burrow's defaults.";
const ENTROPY: &str =
    "AWS-LC tests its entropy source at the first use in a process, before anything is timed.";
pub(crate) const PAST: &str = "Messages of the last 5 epochs are read, up to 100 generations out of order and \
                    1000 ahead.";
pub(crate) const WRITES: &str = "State is not written: burrow leaves that to the application, and offers for \
                      each message a record of 17 bytes instead of the whole group.";

pub(crate) fn describe<B: Backend>() -> Description {
    Description {
        name: B::NAME,
        packages: B::PACKAGES,
        wire_profile: WireProfile::Mls,
        cipher_suites: B::CIPHER_SUITES,
        crypto: B::CRYPTO,
        layer: Layer::Core,
        storage: "none (state in memory; Group::write is not called)",
        threads: Threads::One,
        spans: Spans::uniform(&[]),
        capabilities: Capabilities {
            fork: Support::Yes,
            snapshot: Support::Yes,
            rename: Support::No("burrow has no group name of its own"),
            any_member_commits: Support::Yes,
        },
        notes: B::notes(),
        deviations: &[],
    }
}

/// burrow with a thread pool.
#[cfg(feature = "threads")]
pub(crate) fn describe_threaded<B: Backend>() -> Description {
    Description {
        name: B::NAME_WITH_THREADS,
        threads: Threads::All,
        notes: THREADED,
        ..describe::<B>()
    }
}

#[cfg(feature = "threads")]
const THREADED: &[&str] = &[
    PROFILE,
    PAST,
    WRITES,
    "It uses all cores, where the others have one: 16 or more keys to verify or to seal to, in \
     founding, joining and committing, are shared among the threads of its own pool.",
    "Processor time is that of the calling thread, which waits meanwhile; allocations of other \
     threads are not counted, so there is no count.",
];

const KEPT: &[&str] = &[
    PROFILE,
    PAST,
    "The store is the adapter's, which does as burrow's documentation asks of an application: the \
     whole group is written after each change of epoch, a record of 17 bytes for each message, and \
     a staged commit by itself, each operation's writes as one transaction.",
];

/// burrow with a store beside it.
pub(crate) fn describe_kept<B: Backend>(layer: Layer, storage: &'static str) -> Description {
    Description {
        packages: match layer {
            Layer::Sqlite => B::PACKAGES_WITH_SQLITE,
            _ => B::PACKAGES,
        },
        layer,
        storage,
        spans: Spans::uniform(&[Work::StorageWrite]),
        notes: KEPT,
        ..describe::<B>()
    }
}
