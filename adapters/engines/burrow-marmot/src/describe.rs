//! What the configurations are.

use burrow_marmot::EventSignatures;
use crypto_api::CryptoBackend;
use crypto_aws_lc::AwsLc;
use crypto_lanes::Lanes;
use crypto_rustcrypto::RustCrypto;
use engine_api::{
    Capabilities, CipherSuite, Description, Deviation, Layer, Package, Spans, Support, Threads,
    WireProfile, Work,
};

engine_api::locked_packages!();

/// A crypto library under burrow: all in which the engines differ.
pub(crate) trait Backend: CryptoBackend + Default {
    /// The configuration's name.
    const NAME: &'static str;
    /// The libraries that compute.
    const CRYPTO: &'static str;
    /// The packages that do the work.
    const PACKAGES: &'static [Package];
}

// How long the lists of `build.rs` are.
const AWS_LC: usize = 8;
const RUSTCRYPTO: usize = 11;
const WITH_AWS_LC: (&[Package], &[Package]) = PACKAGES.split_at(AWS_LC);
const WITH_RUSTCRYPTO: (&[Package], &[Package]) = WITH_AWS_LC.1.split_at(RUSTCRYPTO);

impl Backend for AwsLc {
    const NAME: &'static str = "burrow-marmot/aws-lc";
    const CRYPTO: &'static str = "aws-lc; events: libsecp256k1";
    const PACKAGES: &'static [Package] = WITH_AWS_LC.0;
}

impl Backend for RustCrypto {
    const NAME: &'static str = "burrow-marmot/rustcrypto";
    const CRYPTO: &'static str = "rustcrypto; events: libsecp256k1";
    const PACKAGES: &'static [Package] = WITH_RUSTCRYPTO.0;
}

impl Backend for Lanes {
    const NAME: &'static str = "burrow-marmot/lanes";
    const CRYPTO: &'static str = "aws-lc + curve25519x8; events: libsecp256k1";
    const PACKAGES: &'static [Package] = WITH_RUSTCRYPTO.1;
}

/// What of the work is done: in which the configurations on one library differ.
pub(crate) trait Mode: 'static {
    /// Who verifies the signatures of events.
    const EVENT_SIGNATURES: EventSignatures;
    /// Whether there is a store.
    const KEEPS: bool;
}

/// What MDK does: the signatures of events are left to the relay pool.
pub(crate) struct Relayed;

/// With the signatures of events verified.
pub(crate) struct Verifying;

/// As [`Relayed`], without a store.
pub(crate) struct Unstored;

impl Mode for Relayed {
    const EVENT_SIGNATURES: EventSignatures = EventSignatures::VerifiedBefore;
    const KEEPS: bool = true;
}

impl Mode for Verifying {
    const EVENT_SIGNATURES: EventSignatures = EventSignatures::Verified;
    const KEEPS: bool = true;
}

impl Mode for Unstored {
    const EVENT_SIGNATURES: EventSignatures = EventSignatures::VerifiedBefore;
    const KEEPS: bool = false;
}

const VERIFIED: Work = Work::Other("signature of the event verified");

const VERIFYING_SPANS: Spans = Spans {
    create_group: &[
        Work::StorageWrite,
        Work::TransportEnvelope,
        Work::Other("signatures of the invitees' events verified"),
    ],
    join_welcome: &[Work::StorageWrite, Work::TransportEnvelope],
    send: &[Work::StorageWrite, Work::TransportEnvelope, Work::EventSigning, Work::Records],
    ingest_app: &[Work::StorageWrite, Work::TransportEnvelope, Work::Records, VERIFIED],
    commit: &[
        Work::StorageWrite,
        Work::TransportEnvelope,
        Work::EventSigning,
        Work::RollbackSnapshot,
        Work::NewSignatureKey,
        Work::Other("signature of an added member's event verified"),
    ],
    ingest_commit: &[Work::StorageWrite, Work::TransportEnvelope, Work::RollbackSnapshot, VERIFIED],
};

/// As MDK, which leaves the signatures of events to the relay pool.
const RELAYED_SPANS: Spans = Spans {
    create_group: &[Work::StorageWrite, Work::TransportEnvelope],
    ingest_app: &[Work::StorageWrite, Work::TransportEnvelope, Work::Records],
    commit: &[
        Work::StorageWrite,
        Work::TransportEnvelope,
        Work::EventSigning,
        Work::RollbackSnapshot,
        Work::NewSignatureKey,
    ],
    ingest_commit: &[Work::StorageWrite, Work::TransportEnvelope, Work::RollbackSnapshot],
    ..VERIFYING_SPANS
};

const UNSTORED_SPANS: Spans = Spans {
    create_group: &[Work::TransportEnvelope],
    join_welcome: &[Work::TransportEnvelope],
    send: &[Work::TransportEnvelope, Work::EventSigning],
    ingest_app: &[Work::TransportEnvelope],
    commit: &[
        Work::TransportEnvelope,
        Work::EventSigning,
        Work::RollbackSnapshot,
        Work::NewSignatureKey,
    ],
    ingest_commit: &[Work::TransportEnvelope, Work::RollbackSnapshot],
};

const VERIFYING: &str = "Bytes are the JSON of Nostr events; writing it, parsing it, checking the event's id and its signature are timed.";
const RELAYED: &str = "Bytes are the JSON of Nostr events; writing it, parsing it and checking the event's id are timed. The signatures of events are not verified: as with MDK that is left to the relay pool.";
const NOT_INCLUDED: &str = "Not included: gift wraps (NIP-59) and relays.";
const WELCOMES: &str =
    "Every invitee gets a Welcome event of its own, all with the same MLS Welcome inside.";
const NEW_KEY: &str =
    "An update makes a new signature key pair, as MDK's does; burrow/* keep theirs.";
const STORE: &str = "The store is the adapter's: the whole group is written after each change of epoch, a record of 17 bytes for each key used, a staged commit by itself, and every message.";
const NO_STORE: &str = "Nothing is stored; burrow-marmot writes each epoch's state all the same, because it has to be able to go back to it.";
const GOING_BACK: &str = "The states of the last 5 epochs are kept for rolling back; they are the ones that were stored, and aren't written again.";
const LATE: &str = "A commit that arrives late can win its epoch by time and event id (MIP-03): the group then goes back and applies it.";
const PAYLOADS: &str = "Payloads are base64 in a kind 9 rumor, a third larger than given.";

const SIGNATURE: &str = "the signature of an event is not looked at, as in MDK, which leaves it to \
    the relay pool; a copy with another one is taken for the event, and the event then for a duplicate";

// How many flips leave a digit in an event's `sig`, which has 128: `verify` flips every byte of a
// message, and of the longer events every other one. See the adapter of MDK.
const EVERY_BYTE: usize = 128 * 5 / 8;
const EVERY_OTHER: usize = 64 * 2 / 4;

const DEVIATIONS: &[Deviation] = &[
    damaged("damaged message", "damage-refused", "Ok(Applied(AppMessage", EVERY_BYTE),
    damaged("damaged message", "damage-harmless", "message then is duplicate", EVERY_BYTE),
    damaged("damaged commit", "damage-refused", "Ok(Applied(Epoch(2)))", EVERY_OTHER),
    damaged("damaged commit", "damage-harmless", "commit then is duplicate", 2 * EVERY_OTHER),
    damaged("damaged key package", "damage-refused", "Ok(\"founded a group\")", 2 * EVERY_OTHER),
];

const fn damaged(
    scenario: &'static str,
    check: &'static str,
    shows: &'static str,
    at_most: usize,
) -> Deviation {
    Deviation { scenario, check, shows, at_most, why: SIGNATURE }
}

pub(crate) fn describe<B: Backend, M: Mode>() -> Description {
    let is_verifying = M::EVENT_SIGNATURES == EventSignatures::Verified;
    Description {
        name: B::NAME,
        packages: B::PACKAGES,
        wire_profile: WireProfile::Marmot,
        cipher_suites: &[CipherSuite(1)],
        crypto: B::CRYPTO,
        layer: if M::KEEPS { Layer::Memory } else { Layer::Core },
        storage: if M::KEEPS {
            "memory (the adapter's own, burrow's encoding)"
        } else {
            "none (state in memory)"
        },
        threads: Threads::One,
        spans: match (is_verifying, M::KEEPS) {
            (true, _) => VERIFYING_SPANS,
            (false, true) => RELAYED_SPANS,
            (false, false) => UNSTORED_SPANS,
        },
        capabilities: Capabilities {
            fork: Support::Yes,
            snapshot: Support::Yes,
            rename: Support::Yes,
            any_member_commits: Support::No(
                "only admins add, remove and rename; the founder is the one admin here",
            ),
        },
        notes: match (is_verifying, M::KEEPS) {
            (true, _) => {
                &[VERIFYING, NOT_INCLUDED, WELCOMES, NEW_KEY, STORE, GOING_BACK, LATE, PAYLOADS]
            }
            (false, true) => {
                &[RELAYED, NOT_INCLUDED, WELCOMES, NEW_KEY, STORE, GOING_BACK, LATE, PAYLOADS]
            }
            (false, false) => &[RELAYED, NOT_INCLUDED, WELCOMES, NEW_KEY, NO_STORE, LATE, PAYLOADS],
        },
        deviations: if is_verifying { &[] } else { DEVIATIONS },
    }
}
