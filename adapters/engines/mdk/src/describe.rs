//! What this engine says of itself.

use engine_api::{
    Capabilities, CipherSuite, Description, Deviation, Spans, Support, Threads, WireProfile, Work,
};

engine_api::locked_packages!();

/// MDK's only cipher suite: X25519, AES-128-GCM, SHA-256, Ed25519.
const CIPHER_SUITE: CipherSuite = CipherSuite(0x0001);

pub(crate) fn describe() -> Description {
    Description {
        name: "mdk",
        packages: PACKAGES,
        wire_profile: WireProfile::Marmot,
        cipher_suites: &[CIPHER_SUITE],
        crypto: "RustCrypto; events: libsecp256k1",
        storage: "memory (mdk-memory-storage, postcard)",
        threads: Threads::One,
        spans: SPANS,
        capabilities: Capabilities {
            fork: Support::Yes,
            snapshot: Support::No(
                "what mdk-memory-storage copies of itself can't be encoded from outside",
            ),
            rename: Support::Yes,
            any_member_commits: Support::No(
                "only admins add, remove and rename; the founder is the one admin here",
            ),
        },
        notes: NOTES,
        deviations: DEVIATIONS,
    }
}

// As read in mdk-core's source, call by call.
const SPANS: Spans = Spans {
    create_group: &[Work::StorageWrite, Work::TransportEnvelope, Work::Records],
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
    ],
    ingest_commit: &[
        Work::StorageWrite,
        Work::StateReload,
        Work::TransportEnvelope,
        Work::Records,
        Work::RollbackSnapshot,
    ],
};

const NOTES: &[&str] = &[
    "Bytes are the JSON of Nostr events; writing it, parsing it and checking the event's id are timed.",
    "Not included: gift wraps (NIP-59), relays, and the verification of events' signatures, which MDK leaves to the relay pool.",
    "Payloads are base64 in a kind 9 rumor, a third larger than given; MDK's memory store takes rumors up to 100 KiB.",
    "Every invitee gets a Welcome event of its own, all with the same MLS Welcome inside.",
    "An event that can't be opened on arrival is on record as failed for good: a message or commit that comes before the commit it needs is lost.",
    "A commit that arrives late can win its epoch by time and event id (MIP-03): MDK then rolls back and applies it.",
    "A forked client starts without the snapshots that such a rollback needs.",
];

const EARLY: &str = "MDK 0.8 can't tell an event of a later epoch from a damaged one, and files it \
    as failed for good: it is refused after the missing commit, too";
const SIGNATURE: &str = "the signature of an event is not looked at: MDK leaves it to the relay \
    pool; a copy with another one is taken for the event, and the event then for a duplicate";
const ONE_DOOR: &str = "MDK takes messages and commits by one call, which applies what it finds: \
    a commit given as a message is applied, with a caller's error that says so";

/// Each is shown by a test of this crate's, too.
const DEVIATIONS: &[Deviation] = &[
    deviation("early", "early-message", EARLY),
    deviation("early", "epoch", EARLY),
    deviation("early", "agreement", EARLY),
    deviation("wrong kind", "works", ONE_DOOR),
    deviation("damaged message", "damage-refused", SIGNATURE),
    deviation("damaged message", "damage-harmless", SIGNATURE),
    deviation("damaged commit", "damage-refused", SIGNATURE),
    deviation("damaged commit", "damage-harmless", SIGNATURE),
    deviation("damaged key package", "damage-refused", SIGNATURE),
];

const fn deviation(scenario: &'static str, check: &'static str, why: &'static str) -> Deviation {
    Deviation { scenario, check, why }
}
