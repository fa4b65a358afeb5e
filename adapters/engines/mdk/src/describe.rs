//! What this engine says of itself.

use engine_api::{
    Capabilities, CipherSuite, Description, Deviation, Layer, Package, Spans, Support, Threads,
    WireProfile, Work,
};

use crate::store::Store;

engine_api::locked_packages!();

/// MDK's only cipher suite: X25519, AES-128-GCM, SHA-256, Ed25519.
const CIPHER_SUITE: CipherSuite = CipherSuite(0x0001);

pub(crate) fn describe<S: Store>() -> Description {
    Description {
        name: S::NAME,
        packages: packages(S::LAYER),
        wire_profile: WireProfile::Marmot,
        cipher_suites: &[CIPHER_SUITE],
        crypto: "RustCrypto; events: libsecp256k1",
        layer: S::LAYER,
        storage: S::STORAGE,
        threads: Threads::One,
        spans: SPANS,
        capabilities: Capabilities {
            fork: Support::Yes,
            snapshot: Support::No(match S::LAYER {
                Layer::Sqlite => "the database file is the store; the adapter makes no bytes of it",
                _ => "what mdk-memory-storage copies of itself can't be encoded from outside",
            }),
            rename: Support::Yes,
            any_member_commits: Support::No(
                "only admins add, remove and rename; the founder is the one admin here",
            ),
        },
        notes: match S::LAYER {
            Layer::Sqlite => NOTES_OF_SQLITE,
            _ => NOTES_OF_MEMORY,
        },
        deviations: DEVIATIONS,
    }
}

// As read in mdk-core's source, call by call.
const SPANS: Spans = Spans {
    create_group: &[
        Work::StorageWrite,
        Work::TransportEnvelope,
        Work::Records,
        Work::UnusedGroupInfo,
    ],
    join_welcome: &[
        Work::StorageWrite,
        Work::TransportEnvelope,
        Work::Records,
        Work::ProcessedTwice,
    ],
    send: &[
        Work::StorageWrite,
        Work::StateReload,
        Work::TransportEnvelope,
        Work::EventSigning,
        Work::Records,
    ],
    ingest_app: &[Work::StorageWrite, Work::StateReload, Work::TransportEnvelope, Work::Records],
    commit: &[
        Work::StorageWrite,
        Work::StateReload,
        Work::TransportEnvelope,
        Work::EventSigning,
        Work::Records,
        Work::UnusedGroupInfo,
        Work::NewSignatureKey,
    ],
    ingest_commit: &[
        Work::StorageWrite,
        Work::StateReload,
        Work::TransportEnvelope,
        Work::Records,
        Work::RollbackSnapshot,
    ],
};

const COMMON: [&str; 7] = [
    "Bytes are the JSON of Nostr events; writing it, parsing it and checking the event's id are timed.",
    "Not included: gift wraps (NIP-59), relays, and the verification of events' signatures, which MDK leaves to the relay pool.",
    "Every invitee gets a Welcome event of its own, all with the same MLS Welcome inside.",
    "An update makes and stores a new signature key pair (mdk-core's self_update calls OpenMLS's self_update_with_new_signer); the other engines keep theirs. So its update rows are of more work, and receivers validate a leaf with another signature key.",
    "Every commit carries an update path and, as the tree is in the Welcome, signs a second GroupInfo that nobody gets (OpenMLS's default, which mdk-core leaves).",
    "An event that can't be opened on arrival is on record as failed for good: a message or commit that comes before the commit it needs is lost.",
    "A commit that arrives late can win its epoch by time and event id (MIP-03): MDK then rolls back and applies it.",
];

const NOTES_OF_MEMORY: &[&str] = &[
    COMMON[0],
    COMMON[1],
    COMMON[2],
    COMMON[3],
    COMMON[4],
    COMMON[5],
    COMMON[6],
    "Payloads are base64 in a kind 9 rumor, a third larger than given; MDK's memory store takes rumors up to 100 KiB.",
    "A forked client starts without the snapshots that such a rollback needs.",
];

const NOTES_OF_SQLITE: &[&str] = &[
    COMMON[0],
    COMMON[1],
    COMMON[2],
    COMMON[3],
    COMMON[4],
    COMMON[5],
    COMMON[6],
    "Payloads are base64 in a kind 9 rumor, a third larger than given; MDK's SQLite store takes rumors up to 100 KiB.",
    "The store is MDK's own. Each row that MDK or OpenMLS writes is a transaction of its own, so an operation commits to the database many times, and a crash can leave it half done.",
    "A forked client starts from a copy of the file, under an MDK that doesn't list the snapshots in it.",
];

/// Where the lists of `build.rs` are: MDK on one store, and on the other.
fn packages(layer: Layer) -> &'static [Package] {
    #[cfg(feature = "sqlite")]
    const WITH_SQLITE: &[Package] = &[
        PACKAGES[0],
        PACKAGES[5],
        PACKAGES[2],
        PACKAGES[3],
        PACKAGES[4],
        PACKAGES[6],
        PACKAGES[7],
    ];
    match layer {
        #[cfg(feature = "sqlite")]
        Layer::Sqlite => WITH_SQLITE,
        _ => PACKAGES.split_at(5).0,
    }
}

const EARLY: &str = "MDK 0.8 can't tell an event of a later epoch from a damaged one, and files it \
    as failed for good: it is refused after the missing commit, too";
const SIGNATURE: &str = "the signature of an event is not looked at: MDK leaves it to the relay \
    pool; a copy with another one is taken for the event, and the event then for a duplicate";
const ONE_DOOR: &str = "MDK takes messages and commits by one call, which applies what it finds: \
    a commit given as a message is applied, with a caller's error that says so";

// How many flips leave a digit in an event's `sig`, which has 128. Of eight neighbours, each with
// another bit flipped, five can. `verify` flips every byte of a message, and of the longer events
// every other one, whose bits are 0, 2, 4 and 6: two of those can.
const EVERY_BYTE: usize = 128 * 5 / 8;
const EVERY_OTHER: usize = 64 * 2 / 4;

/// Each is shown by a test of this crate's, too.
const DEVIATIONS: &[Deviation] = &[
    early("early-message", "from epochs 0 to 0\" }) instead of retry-later", 2),
    early("early-message", "None instead of Some", 1),
    early("early-message", "\"rejected\" instead of \"applied\"", 1),
    early("epoch", "client 2 at 2", 1),
    early("agreement", "client 2: EpochAuthenticator", 1),
    wrong_kind("MDK can't look first, and has applied it"),
    wrong_kind("a commit given as a message left State { epoch: Epoch(2)"),
    wrong_kind("given as what it is: Duplicate"),
    damaged("damaged message", "damage-refused", "Ok(Applied(AppMessage", EVERY_BYTE),
    damaged("damaged message", "damage-harmless", "message then is duplicate", EVERY_BYTE),
    damaged("damaged commit", "damage-refused", "Ok(Applied(Epoch(2)))", EVERY_OTHER),
    // Two each: the epoch is the next one, and the genuine commit is a duplicate.
    damaged("damaged commit", "damage-harmless", "commit then is duplicate", 2 * EVERY_OTHER),
    // Two each: founding and adding.
    damaged("damaged key package", "damage-refused", "Ok(\"founded a group\")", 2 * EVERY_OTHER),
];

const fn early(check: &'static str, shows: &'static str, at_most: usize) -> Deviation {
    Deviation { scenario: "early", check, shows, at_most, why: EARLY }
}

const fn wrong_kind(shows: &'static str) -> Deviation {
    Deviation { scenario: "wrong kind", check: "wrong-kind", shows, at_most: 1, why: ONE_DOOR }
}

const fn damaged(
    scenario: &'static str,
    check: &'static str,
    shows: &'static str,
    at_most: usize,
) -> Deviation {
    Deviation { scenario, check, shows, at_most, why: SIGNATURE }
}
