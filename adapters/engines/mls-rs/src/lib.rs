//! mls-rs 0.57 as a [`CgkaEngine`](engine_api::CgkaEngine), on two cryptography providers:
//! `mls-rs/aws-lc` and `mls-rs/rustcrypto`. Cipher suite 0x0001 is the one benched.
//!
//! # What was configured
//!
//! - The `mls` wire profile: key packages and Welcomes as `MLSMessage`, the ratchet tree inside the
//!   Welcome, one Welcome for all invitees, commits as `PrivateMessage`s with proposals by value and
//!   always with an update path, no padding. mls-rs' own defaults differ: commits are public, have
//!   a path only where RFC 9420 asks for one, and application messages are padded in steps.
//! - Basic credentials, mls-rs' `BasicIdentityProvider` and `DefaultMlsRules`, default features.
//! - Messages of the last five epochs are read. mls-rs itself keeps a past epoch until the
//!   application writes the group to its store, so here, where nobody does, the adapter draws the
//!   line.
//! - Within an epoch mls-rs skips at most 1024 generations of a sender at a time and keeps the keys
//!   of all that it skipped. Neither can be configured.
//! - Key packages have been valid for an hour when they are made, because OpenMLS 0.8.3 refuses one
//!   that became valid in the present second. No clock is given to mls-rs when joining, so it
//!   checks no lifetimes in the tree, as in its own examples.
//! - Commits are staged detached (`CommitBuilder::build_detached`), the same work as `build`. A
//!   pending commit of one's own would be applied when the network echoes it.
//!
//! # Fairness
//!
//! - Nothing is written to a store in any operation of these two; [`layered`] lists those that do.
//!   mls-rs leaves that to the application, which calls `write_to_storage`, which takes the longer the
//!   larger the group is.
//! - mls-rs-crypto-rustcrypto takes its dalek crates without basepoint tables. This adapter turns
//!   them on, because signing takes much longer without. To see by how much, run the send case
//!   with and without the dependency on curve25519-dalek in this crate's Cargo.toml.
//! - mls-rs computes on rayon's threads, as many as the pool has that it is called in.
//! - AWS-LC tests its entropy source the first time it is used, once per process, which takes much
//!   longer than any operation. Warm up before timing.
//!
//! # What a user of mls-rs should know
//!
//! - **A damaged copy can cost the genuine message.** The key of a `PrivateMessage` is taken out of
//!   the secret tree before the ciphertext is verified, and isn't put back. Whoever can deliver a
//!   copy with a bit flipped behind the first 32 bytes of the ciphertext (those go into the sender
//!   data key, and are found out in time) makes the receiver refuse the original, as a repetition.
//!   If it was a commit, the receiver can't follow the group any more. The adapter doesn't hide
//!   this; a copy of the group at each ingestion would, at the cost of every success.
//! - A commit with a wrong confirmation tag is refused after the private tree was replaced. Only a
//!   member can make one. (Read in the source of `update_key_schedule`, not provoked.)
//! - A client that is told of its removal stays in the epoch that it was removed from and could go
//!   on sending there. The adapter drops the group.
//! - A message that comes after its sender has left, or after its sender's leaf was taken by
//!   somebody else, is refused.
//! - A Welcome to a group that the client is in already makes a second state of it. The adapter
//!   refuses it.
//! - The protocol version in front of a key package isn't looked at. The adapter looks.
//! - The in-memory stores are shared by all clones of a group: after one clone is written, another
//!   can't apply a commit. The adapter has stores of its own. The store of external PSKs is still one
//!   for a client and its forks, since a group in memory can't be given another.
//!
//! The README says how the state is kept and copied.
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

use engine_api::{MlsRegistration, Registration};
use mls_rs_crypto_awslc::AwsLcCryptoProvider;
use mls_rs_crypto_rustcrypto::RustCryptoProvider;

use crate::client::MlsRs;
pub use crate::counting::{counted, counted_on_request};
use crate::layers::Keeping;
use crate::store::Memory;
#[cfg(feature = "sqlite")]
use crate::store::Sqlite;

/// Both configurations. Neither generic nor inlined, so that their code is compiled here, once.
#[inline(never)]
#[must_use]
pub fn engines() -> Vec<Registration> {
    vec![
        Registration::of::<MlsRs<AwsLcCryptoProvider>>(),
        Registration::of::<MlsRs<RustCryptoProvider>>(),
    ]
}

/// The two with every operation written to a store: in memory, and with the feature `sqlite` in a
/// file.
#[inline(never)]
#[must_use]
pub fn layered() -> Vec<Registration> {
    vec![
        Registration::of::<Keeping<AwsLcCryptoProvider, Memory>>().renamed("mls-rs/aws-lc/memory"),
        Registration::of::<Keeping<RustCryptoProvider, Memory>>()
            .renamed("mls-rs/rustcrypto/memory"),
        #[cfg(feature = "sqlite")]
        Registration::of::<Keeping<AwsLcCryptoProvider, Sqlite>>().renamed("mls-rs/aws-lc/sqlite"),
        #[cfg(feature = "sqlite")]
        Registration::of::<Keeping<RustCryptoProvider, Sqlite>>()
            .renamed("mls-rs/rustcrypto/sqlite"),
    ]
}

/// The configurations that only run if they are named: on mls-rs' own post-quantum suites.
#[inline(never)]
#[must_use]
pub fn on_request() -> Vec<Registration> {
    post_quantum::engines()
}

/// The same two as MLS engines.
#[inline(never)]
#[must_use]
pub fn mls_engines() -> Vec<MlsRegistration> {
    vec![
        MlsRegistration::of::<MlsRs<AwsLcCryptoProvider>>(),
        MlsRegistration::of::<MlsRs<RustCryptoProvider>>(),
    ]
}
