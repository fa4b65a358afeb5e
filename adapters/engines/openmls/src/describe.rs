//! What the two configurations are, and the trait that they differ by.

use engine_api::{
    Capabilities, CipherSuite, Description, EngineError, Layer, Package, Spans, Support, Threads,
    WireProfile, Work,
};
use openmls_rust_crypto::RustCrypto;
use openmls_traits::crypto::OpenMlsCrypto;
use openmls_traits::random::OpenMlsRand;

engine_api::locked_packages!();

/// How many of [`PACKAGES`] are the list of `openmls/rustcrypto`; the rest is that of
/// `openmls/libcrux`.
const RUSTCRYPTO_PACKAGES: usize = 10;
/// How many come in between with the feature `sqlite`.
const SQLITE_PACKAGES: usize = if cfg!(feature = "sqlite") { 3 } else { 0 };
/// Which of them is the store in memory.
#[cfg(feature = "sqlite")]
const MEMORY_STORAGE: usize = 2;

/// The crypto half of an OpenMLS provider.
pub(crate) trait Backend: OpenMlsCrypto + OpenMlsRand + Sized + 'static {
    /// The engine's name with this backend.
    const NAME: &'static str;
    /// The library that computes.
    const CRYPTO: &'static str;

    /// The packages at work with this backend.
    fn packages() -> &'static [Package];

    /// A backend of its own for a client, seeded by the system.
    fn open() -> Result<Self, EngineError>;

    /// Told of each signature, which a backend doesn't make: see [`crate::signing`].
    fn about_to_sign(_payload: &[u8]) {}
}

impl Backend for RustCrypto {
    const NAME: &'static str = "openmls/rustcrypto";
    const CRYPTO: &'static str = "rustcrypto";

    fn packages() -> &'static [Package] {
        PACKAGES.split_at(RUSTCRYPTO_PACKAGES).0
    }

    fn open() -> Result<Self, EngineError> {
        Ok(Self::default())
    }
}

impl Backend for openmls_libcrux_crypto::CryptoProvider {
    const NAME: &'static str = "openmls/libcrux";
    const CRYPTO: &'static str = "libcrux, signing with ed25519-dalek";

    fn packages() -> &'static [Package] {
        PACKAGES.split_at(RUSTCRYPTO_PACKAGES + SQLITE_PACKAGES).1
    }

    fn open() -> Result<Self, EngineError> {
        Self::new().map_err(EngineError::internal)
    }
}

/// A commit's second GroupInfo is signed for external joiners; the founding one has it, too.
const SPANS: Spans = Spans {
    create_group: &[Work::StorageWrite, Work::UnusedGroupInfo],
    commit: &[Work::StorageWrite, Work::UnusedGroupInfo],
    ..Spans::uniform(&[Work::StorageWrite])
};

const COMMON: [&str; 5] = [
    "Signing is openmls_basic_credential with ed25519-dalek under either backend, from \
     the seed each time.",
    "Every commit carries an update path and, as the tree is in the Welcome, signs a \
     second GroupInfo that nobody gets.",
    "Tree hashes are not cached: each commit computes them anew for the whole tree.",
    "Update paths are derived and encrypted on rayon's pool.",
    "Past epochs 5, out-of-order tolerance 100, forward distance 1000, padding 0.",
];

pub(crate) const NOTES_OF_MEMORY: &[&str] = &[
    COMMON[0],
    COMMON[1],
    COMMON[2],
    COMMON[3],
    COMMON[4],
    "Every operation writes the store, as JSON: a commit the tree, the epoch's secrets \
     and the message secrets; a send or an ingest the message secrets of all kept epochs.",
    "The private keys of the tree live in the store alone: ingesting a commit reads and \
     parses them twice, merging an own one once.",
    "OpenMLS deletes the key package before it decrypts a Welcome; the adapter puts it \
     back when the join fails, and when it succeeds looks up all unused ones in the store \
     to see which is gone.",
];

const NOTES_OF_SQLITE: &[&str] = &[
    COMMON[0],
    COMMON[1],
    COMMON[2],
    COMMON[3],
    COMMON[4],
    "The store is MDK's mdk-sqlite-storage, of which OpenMLS' half is used: openmls_sqlite_storage \
     0.2 wants rusqlite 0.32, the other stores 0.37, and one binary links one SQLite. It writes \
     postcard, not JSON.",
    "Each value that OpenMLS writes is a transaction of its own, so an operation commits to the \
     database several times, and a crash can leave it half done. openmls_sqlite_storage does so \
     too, unless the application opens a transaction around each operation.",
    "The private keys of the tree live in the store alone: ingesting a commit reads and \
     parses them twice, merging an own one once.",
    "OpenMLS deletes the key package before it decrypts a Welcome; the adapter puts it back when \
     the join fails, and when it succeeds looks up all unused ones in the store.",
];

/// OpenMLS on RustCrypto, without its memory store and with MDK's SQLite store.
#[cfg(feature = "sqlite")]
const PACKAGES_WITH_SQLITE: &[Package] = &{
    let mut packages = [PACKAGES[0]; RUSTCRYPTO_PACKAGES + SQLITE_PACKAGES - 1];
    let (mut from, mut to) = (0, 0);
    while from < RUSTCRYPTO_PACKAGES + SQLITE_PACKAGES {
        if from != MEMORY_STORAGE {
            packages[to] = PACKAGES[from];
            to += 1;
        }
        from += 1;
    }
    packages
};

pub(crate) fn description<B: Backend>(layer: Layer, storage: &'static str) -> Description {
    Description {
        name: B::NAME,
        packages: match layer {
            #[cfg(feature = "sqlite")]
            Layer::Sqlite => PACKAGES_WITH_SQLITE,
            _ => B::packages(),
        },
        wire_profile: WireProfile::Mls,
        cipher_suites: &[CipherSuite(0x0001)],
        crypto: B::CRYPTO,
        layer,
        storage,
        threads: Threads::One,
        spans: SPANS,
        capabilities: Capabilities {
            fork: Support::Yes,
            snapshot: Support::Yes,
            rename: Support::No("the core of OpenMLS knows no group name"),
            any_member_commits: Support::Yes,
        },
        notes: match layer {
            Layer::Sqlite => NOTES_OF_SQLITE,
            _ => NOTES_OF_MEMORY,
        },
        deviations: &[],
    }
}
