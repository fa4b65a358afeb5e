//! Two things that are not for messaging.
//!
//! [`engines`] has `null`: an engine without cryptography that keeps the contract to the letter.
//! It has epochs, members, staging and every outcome, over a plain protocol of its own, and does
//! as little as it can. What it costs is what the harness costs: the floor under every column.
//!
//! [`broken`] has the same engine many times over, each copy telling one [`Lie`]. They exist for
//! the lab's checks: a check that lets its lie through is no check.
//!
//! # What the protocol gives
//!
//! Every message ends in a checksum, so bytes that were damaged by accident are refused. That is
//! integrity against accidents only: there are no keys, anybody can read everything, write
//! anything and compute the checksum. Within one group the messages say which branch of its
//! history they belong to, so clients that applied different commits don't hear each other.
//!
//! # What it leaves open to choose
//!
//! - Application messages of the five past epochs are still delivered; older ones, and those from
//!   before this client joined, are stale. Commits are for the present epoch only.
//! - A repeated commit is recognised for as long (`Duplicate`), then `Stale`.
//! - Messages may arrive in any order. Each is delivered once.
//! - A client that was removed keeps what it last saw, for the observers to report; everything
//!   else is the caller's fault, until a Welcome lets the client in again.
//! - A key package of somebody who is a member already is a bad key package ([`Invalid`]).
//!
//! [`Invalid`]: engine_api::RejectReason::Invalid
#![forbid(unsafe_code)]

mod broken;
mod client;
mod describe;
mod fresh;
mod group;
mod ingest;
mod lie;
mod roster;
mod state;
mod twist;
mod wire;

use engine_api::Registration;

pub use lie::Lie;

/// The engine `null`.
#[inline(never)]
#[must_use]
pub fn engines() -> Vec<Registration> {
    vec![Registration::of::<client::Null>()]
}

/// The engines `broken/<lie>`, one for each of [`Lie::ALL`] and in that order.
#[inline(never)]
#[must_use]
pub fn broken() -> Vec<Registration> {
    lie::registrations()
}
