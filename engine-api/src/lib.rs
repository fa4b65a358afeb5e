//! The contract between the lab and a CGKA (continuous group key agreement) engine.
//!
//! Implement [`CgkaEngine`] for your engine and the lab can verify it, bench it beside the others
//! and, if it speaks a shared wire profile, put it in groups with them. `docs/add-an-adapter.md`
//! walks through it.
//!
//! # Words
//!
//! - A **client** is one user's device: keys, a store, and the groups it is in. One value of a
//!   type that implements [`CgkaEngine`] is one client.
//! - An **engine** is such a type. Two configurations of one library are two engines.
//! - A **group** moves from [`Epoch`] to epoch by **commits**. A commit is staged, published, then
//!   merged ([`StagedCommit`], [`PublishedCommit`]); the others ingest it.
//! - A **wire profile** says which bytes an engine speaks ([`WireProfile`]).
//!
//! # Whose fault
//!
//! [`EngineError`] is sorted by who is to blame, and [`Ingested`] says what became of a message:
//! bad bytes from the network are an outcome there, not an error.
//!
//! # A toy
//!
//! The smallest thing that satisfies the types: no cryptography, one epoch, one message kind. It
//! founds, joins, sends and receives; the lab's checks would refuse it for all the rest.
//!
//! ```
#![doc = include_str!("../examples/toy.rs")]
//! ```
#![forbid(unsafe_code)]

mod bytes;
mod commit;
mod describe;
mod engine;
mod error;
mod group;
mod marmot;
mod mls;
mod outcome;
mod registration;

pub use bytes::{
    AppBytes, CommitBytes, EpochAuthenticator, GroupId, Identity, KeyPackageBytes, SnapshotBytes,
    WelcomeBytes,
};
pub use commit::{Change, Publication, PublishedCommit, StagedCommit};
pub use describe::{
    Capabilities, CipherSuite, Description, Deviation, Layer, Operation, Package, Spans, Support,
    Threads, WireProfile, Work,
};
pub use engine::CgkaEngine;
pub use error::EngineError;
pub use group::{EncodedSizes, Epoch, Founded, LeafIndex, Member, Welcomes};
pub use marmot::{MARMOT_GROUP_DATA, MarmotClient};
pub use mls::{
    AnyMlsClient, Declared, ExternallyJoined, GroupInfoBytes, MlsCapabilities, MlsClient,
    MlsEffect, MlsExtension, MlsProposal, MlsRegistration, PassiveClient, ProposalBytes,
    RatchetTreeBytes, TreePlace,
};
pub use outcome::{AppMessage, Ingested, RejectReason, Rejection};
pub use registration::{Client, Registration};
