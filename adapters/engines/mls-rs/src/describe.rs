//! What the two configurations are.

use engine_api::{
    Capabilities, CipherSuite, Description, Deviation, Layer, Package, Spans, Support, Threads,
    WireProfile, Work,
};
use mls_rs::CryptoProvider;
use mls_rs_crypto_awslc::AwsLcCryptoProvider;
use mls_rs_crypto_rustcrypto::RustCryptoProvider;

engine_api::locked_packages!();

/// A cryptography provider under mls-rs: all in which the two engines differ.
pub(crate) trait Backend: CryptoProvider + Clone + Default + 'static {
    /// The configuration's name.
    const NAME: &'static str;
    /// The library that computes.
    const CRYPTO: &'static str;
    /// The packages that do the work.
    const PACKAGES: &'static [Package];
    /// The same with those that store to SQLite.
    const PACKAGES_WITH_SQLITE: &'static [Package] = Self::PACKAGES;
    /// What the provider offers, the benched one first.
    const CIPHER_SUITES: &'static [CipherSuite];
    /// What a reader of a table must know.
    const NOTES: &'static [&'static str];

    /// A provider for a client of this suite. What it offers, the client lists in its leaf.
    fn offering(_suite: mls_rs::CipherSuite) -> Self {
        Self::default()
    }
}

/// Those of the lockfile's packages, by their place in `build.rs`.
const fn picked<const N: usize>(places: [usize; N]) -> [Package; N] {
    let mut picked = [PACKAGES[0]; N];
    let mut next = 0;
    while next < N {
        picked[next] = PACKAGES[places[next]];
        next += 1;
    }
    picked
}

impl Backend for AwsLcCryptoProvider {
    const NAME: &'static str = "mls-rs/aws-lc";
    const CRYPTO: &'static str = "aws-lc";
    const PACKAGES: &'static [Package] = &picked::<6>([0, 1, 2, 3, 4, 5]);
    #[cfg(feature = "sqlite")]
    const PACKAGES_WITH_SQLITE: &'static [Package] = &picked::<9>([0, 1, 2, 3, 4, 5, 10, 11, 12]);
    const CIPHER_SUITES: &'static [CipherSuite] =
        &[CipherSuite(1), CipherSuite(2), CipherSuite(3), CipherSuite(5), CipherSuite(7)];
    const NOTES: &'static [&'static str] = &[PROFILE, PAST, WRITES, ENTROPY];

    /// Without the post-quantum suites, but for that of the client: those that the provider was built
    /// with make no client's leaf longer which isn't on one of them.
    fn offering(suite: mls_rs::CipherSuite) -> Self {
        let mut offered = Self::supported_classical_cipher_suites();
        if !offered.contains(&suite) {
            offered.push(suite);
        }
        Self::with_enabled_cipher_suites(offered)
    }
}

impl Backend for RustCryptoProvider {
    const NAME: &'static str = "mls-rs/rustcrypto";
    const CRYPTO: &'static str = "rustcrypto";
    const PACKAGES: &'static [Package] = &picked::<7>([0, 1, 2, 6, 7, 8, 9]);
    #[cfg(feature = "sqlite")]
    const PACKAGES_WITH_SQLITE: &'static [Package] =
        &picked::<10>([0, 1, 2, 6, 7, 8, 9, 10, 11, 12]);
    const CIPHER_SUITES: &'static [CipherSuite] =
        &[CipherSuite(1), CipherSuite(2), CipherSuite(3), CipherSuite(7)];
    const NOTES: &'static [&'static str] = &[
        PROFILE,
        PAST,
        WRITES,
        "The adapter turns on the basepoint tables of curve25519-dalek, which \
         mls-rs-crypto-rustcrypto leaves off: without them signing, and so a send, takes much \
         longer.",
    ];
}

pub(crate) const PROFILE: &str = "Commits are private messages and always carry an update path, nothing is \
                       padded; mls-rs' defaults are public, optional and stepwise.";
pub(crate) const PAST: &str = "Messages of the last 5 epochs are read, up to 1024 generations ahead of a \
                    sender's last.";
pub(crate) const ENTROPY: &str =
    "AWS-LC tests its entropy source at the first use in a process, before anything is timed.";
pub(crate) const WRITES: &str =
    "State is not written: mls-rs leaves write_to_storage to the application.";
pub(crate) const BURNT: &str = "mls-rs takes the message key out of the secret tree before it verifies the \
                     ciphertext and doesn't put it back, so a copy that is damaged behind the \
                     ciphertext's first 32 bytes makes it refuse the genuine message as a \
                     repetition (CiphertextProcessor::open; tests/damage pins it).";

// How many bytes stand behind those 32 in what `verify` damages. In a commit that adds, the newcomer's
// list of cipher suites is among them, and longest with AWS-LC.
const BURNT_BY_MESSAGE: usize = 58;
const BURNT_BY_COMMIT: usize = 806;

pub(crate) fn describe<B: Backend>() -> Description {
    Description {
        name: B::NAME,
        packages: B::PACKAGES,
        wire_profile: WireProfile::Mls,
        cipher_suites: B::CIPHER_SUITES,
        crypto: B::CRYPTO,
        layer: Layer::Core,
        storage: "none (state in memory; write_to_storage is not called)",
        threads: Threads::One,
        spans: Spans::uniform(&[]),
        capabilities: Capabilities {
            fork: Support::Yes,
            snapshot: Support::Yes,
            rename: Support::No("mls-rs has no group name of its own"),
            any_member_commits: Support::Yes,
        },
        notes: B::NOTES,
        deviations: &[
            Deviation {
                scenario: "damaged message",
                check: "damage-harmless",
                shows: "the genuine message then is duplicate",
                at_most: BURNT_BY_MESSAGE,
                why: BURNT,
            },
            Deviation {
                scenario: "damaged commit",
                check: "damage-harmless",
                shows: "the genuine commit then is duplicate",
                at_most: BURNT_BY_COMMIT,
                why: BURNT,
            },
        ],
    }
}

const KEPT: &[&str] = &[
    PROFILE,
    PAST,
    "write_to_storage is called at the end of each operation, a send included: it writes the whole \
     group, tree and all, and the past epochs that changed. A staged commit is in it.",
];
const KEPT_IN_SQLITE: &[&str] = &[
    KEPT[0],
    KEPT[1],
    KEPT[2],
    "The SQLite store is mls-rs-provider-sqlite, with the 5 past epochs of all engines for its \
     default of 3. It is written; past epochs and key packages are read from memory.",
];

/// mls-rs with a store beside it.
pub(crate) fn describe_kept<B: Backend>(layer: Layer, storage: &'static str) -> Description {
    let (packages, notes) = match layer {
        Layer::Sqlite => (B::PACKAGES_WITH_SQLITE, KEPT_IN_SQLITE),
        _ => (B::PACKAGES, KEPT),
    };
    Description {
        packages,
        layer,
        storage,
        spans: Spans::uniform(&[Work::StorageWrite]),
        notes,
        ..describe::<B>()
    }
}
