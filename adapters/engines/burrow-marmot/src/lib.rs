//! burrow with the Marmot profile (`burrow-marmot`) as an engine, on three crypto libraries:
//! `burrow-marmot/aws-lc`, `burrow-marmot/rustcrypto`, and `burrow-marmot/lanes`, which is AWS-LC with
//! bulk work on Curve25519 done eight at a time. It speaks mdk-core 0.8.0's bytes: the two are put
//! into one group.
//!
//! # Configuration
//!
//! As mdk-core 0.8.0 is by itself, and so burrow-marmot, but for one thing: as with MDK, the signatures
//! of events are left to the relay pool, which there is none of here. So the checks that damage a
//! signature find what they find of `mdk`. [`on_request`] has the configurations that verify them, as
//! burrow-marmot does by itself, and one without a store, to tell what each part of the work costs.
//!
//! A group's founder is its only admin. Group and key packages name one relay, which is never spoken to.
//! Each client is a fresh account.
//!
//! # Fairness
//!
//! - What MDK's operations include, these do: event JSON both ways with a check of the id, the outer
//!   layer, the ephemeral key and its signature, a new signature key with each update, the state and the
//!   messages in a store in memory, a state to roll back to. What MDK does twice or for nothing isn't
//!   there.
//! - The store is the adapter's. It gets what burrow-marmot asks an application to store, before the
//!   operation returns: a group's encoded state on each change of epoch, a record of 17 bytes for each
//!   key used, a staged commit, each message. The state that is kept for rolling back is the one that
//!   was stored when its epoch began, so it isn't written again.
//! - A payload is base64 in the content of a kind 9 rumor, as in the adapter of MDK.
//! - A copy of a client is made by `Group::duplicate_for`, a feature that is for measuring only.
//! - A client that is restored from a snapshot computes at once what a running one has by then.
//!
//! # Where the adapter steps in
//!
//! - A Welcome to a group that the client is in already is for the application to refuse: the adapter
//!   does.
//! - An event that no key opens may be one of an epoch to come, or damaged: nobody can tell. It is
//!   [`RetryLater`](engine_api::Ingested::RetryLater).
//! - Group names may be 256 bytes long, because MDK's store takes no longer ones.
//! - Key packages are of the last-resort kind and are kept after their use.
#![forbid(unsafe_code)]

mod client;
mod describe;
mod ingest;
mod marmot;
mod state;
mod store;

use crypto_aws_lc::AwsLc;
use crypto_lanes::Lanes;
use crypto_rustcrypto::RustCrypto;
use engine_api::Registration;

use crate::client::Marmot;
use crate::describe::{Unstored, Verifying};

/// The configurations. Neither generic nor inlined, so that their code is compiled here, once.
#[inline(never)]
#[must_use]
pub fn engines() -> Vec<Registration> {
    vec![
        Registration::of::<Marmot<AwsLc>>(),
        Registration::of::<Marmot<Lanes>>(),
        Registration::of::<Marmot<RustCrypto>>(),
    ]
}

/// The configurations that run only if they are named: with the signatures of events verified, and
/// without a store.
#[inline(never)]
#[must_use]
pub fn on_request() -> Vec<Registration> {
    vec![
        Registration::of::<Marmot<AwsLc, Verifying>>().renamed("burrow-marmot/aws-lc/verifying"),
        Registration::of::<Marmot<Lanes, Verifying>>().renamed("burrow-marmot/lanes/verifying"),
        Registration::of::<Marmot<AwsLc, Unstored>>().renamed("burrow-marmot/aws-lc/unstored"),
    ]
}
