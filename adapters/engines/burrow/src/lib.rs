//! burrow, the in-house engine, as a [`CgkaEngine`](engine_api::CgkaEngine), on three crypto
//! libraries: [`engines`] lists `burrow/aws-lc`, `burrow/rustcrypto`, and `burrow/lanes`, which is
//! AWS-LC with bulk work on Curve25519 done eight at a time. Only the first two have peers on the
//! same library. Cipher suite 0x0001 is the one benched.
//!
//! # Configuration
//!
//! What every engine of the `mls` profile is set to:
//!
//! - key packages and Welcomes as `MLSMessage`, the ratchet tree inside the Welcome, one Welcome for
//!   all invitees, commits as `PrivateMessage`s with proposals by value and always with an update
//!   path, no padding: burrow's defaults;
//! - application messages of the last 5 epochs are read, up to 100 generations out of order and
//!   1000 ahead (burrow keeps 2 past epochs by default);
//! - basic credentials, all of them valid: there is no Authentication Service in the lab;
//! - a clock, so that lifetimes are checked, also those of a group's members when joining. Totals
//!   longer than burrow's own limit are accepted, because mls-rs' key packages last a year;
//! - key packages have been valid for an hour when they are made, because OpenMLS 0.8.3 refuses one
//!   that became valid in the present second.
//!
//! # Fairness
//!
//! - Nothing is written to a store in any operation of these; [`layered`] lists those that do.
//!   burrow leaves that to the application: all of the group after each change of epoch
//!   (`Group::write`), and in between a record of 17 bytes for each message (`KeyUse`), which the
//!   engine makes in the timed operation and the adapter drops.
//! - A copy of a client is made by burrow's `Group::duplicate`, a feature that is for measuring only.
//!   The copy shares the tree, with its hashes and the members' decoded signature keys, until one of
//!   the two changes.
//! - A client that is restored from a snapshot is made to compute those at once, as a running one has
//!   by then. Neither is in a timed operation.
//! - With the feature `threads` burrow is built with `parallel`, for `burrow/aws-lc/threads=all`
//!   ([`on_request`]), which has a thread pool of its own. All others then use rayon's global pool,
//!   which the harness holds to the measured thread, as it does for OpenMLS and mls-rs. By default
//!   burrow knows of no threads.
//! - A commit of one's own makes a GroupInfo only if somebody is added: it goes into the Welcome.
//!
//! # Where the adapter steps in
//!
//! - A message whose key is too old to be kept is [`Stale`](engine_api::Ingested::Stale): nobody can
//!   tell whether it was received before.
//! - A Welcome to a group that the client is in already is for the application to refuse: the
//!   adapter does.
//! - A client that was removed keeps the state of its last epoch in burrow, marked as removed. The
//!   adapter drops it.
//! - A commit with neither a change nor anybody to change would be an update: the adapter refuses an
//!   empty list of members or of key packages.
#![forbid(unsafe_code)]

mod client;
mod counting;
mod describe;
mod ingest;
mod layers;
mod mls;
mod post_quantum;
mod state;
mod store;
#[cfg(feature = "threads")]
mod threads;

use crypto_aws_lc::AwsLc;
use crypto_fiat::Fiat;
use crypto_lanes::Lanes;
use crypto_rustcrypto::RustCrypto;
use engine_api::{MlsRegistration, Registration};

use crate::client::Burrow;
pub use crate::counting::{counted, counted_post_quantum};
use crate::layers::Keeping;
use crate::store::Memory;
#[cfg(feature = "sqlite")]
use crate::store::Sqlite;
#[cfg(feature = "threads")]
use crate::threads::Threaded;

/// The configurations. Neither generic nor inlined, so that their code is compiled here, once.
#[inline(never)]
#[must_use]
pub fn engines() -> Vec<Registration> {
    vec![
        Registration::of::<Burrow<AwsLc>>(),
        Registration::of::<Burrow<Lanes>>(),
        Registration::of::<Burrow<RustCrypto>>(),
    ]
}

/// The configurations that only run if they are named: on our own X25519 and Ed25519 and, with the
/// feature `threads`, on all cores.
#[inline(never)]
#[must_use]
pub fn on_request() -> Vec<Registration> {
    vec![
        Registration::of::<Burrow<Fiat>>(),
        #[cfg(feature = "threads")]
        Registration::of::<Threaded<AwsLc>>(),
    ]
}

/// The configurations that only run if they are named, on post-quantum cipher suites:
/// `burrow/aws-lc/0xF001` and so on, all of draft-ietf-mls-pq-ciphersuites-06 and OpenMLS' own, as far as
/// a library has them. With them `burrow/libcrux`, on 0x0001, for them to be held against.
#[inline(never)]
#[must_use]
pub fn post_quantum() -> Vec<Registration> {
    post_quantum::engines()
}

/// The two as an application keeps them: in memory, and with the feature `sqlite` in a file.
#[inline(never)]
#[must_use]
pub fn layered() -> Vec<Registration> {
    vec![
        Registration::of::<Keeping<AwsLc, Memory>>().renamed("burrow/aws-lc/memory"),
        Registration::of::<Keeping<RustCrypto, Memory>>().renamed("burrow/rustcrypto/memory"),
        #[cfg(feature = "sqlite")]
        Registration::of::<Keeping<AwsLc, Sqlite>>().renamed("burrow/aws-lc/sqlite"),
        #[cfg(feature = "sqlite")]
        Registration::of::<Keeping<RustCrypto, Sqlite>>().renamed("burrow/rustcrypto/sqlite"),
    ]
}

/// The same two as MLS engines.
#[inline(never)]
#[must_use]
pub fn mls_engines() -> Vec<MlsRegistration> {
    vec![MlsRegistration::of::<Burrow<AwsLc>>(), MlsRegistration::of::<Burrow<RustCrypto>>()]
}
