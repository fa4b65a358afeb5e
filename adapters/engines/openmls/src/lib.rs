//! OpenMLS 0.8 as an engine under comparison.
//!
//! Two engines, one source: [`engines`] lists `openmls/rustcrypto` and `openmls/libcrux`. They
//! differ in the provider's crypto half and in nothing else.
//!
//! # Configuration
//!
//! What every engine of the `mls` profile is set to, in OpenMLS's words:
//!
//! - suite `MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519` (0x0001), basic credentials
//!   ([`on_request`] has OpenMLS's post-quantum suite);
//! - `MIXED_CIPHERTEXT_WIRE_FORMAT_POLICY`: commits leave as `PrivateMessage`s;
//! - `use_ratchet_tree_extension`: the tree travels in the Welcome;
//! - `padding_size` 0, `max_past_epochs` 5, out-of-order tolerance 100, forward distance 1000;
//! - lifetimes and capabilities as OpenMLS has them by default.
//!
//! # Fairness
//!
//! - Commits come from `add_members`, `remove_members` and `self_update`: the calls that OpenMLS
//!   documents and applications use. All three put an update path in. With the tree in the
//!   Welcome they also sign a second GroupInfo, tree included, for external joiners; the adapter
//!   drops it. `commit_builder().create_group_info(false)` would avoid that work.
//! - The store is the published in-memory one. It encodes JSON, and OpenMLS writes to it in every
//!   operation; that work is the engine's and is timed with it.
//! - Groups are live `MlsGroup` values, as in an application that is running. They are loaded from
//!   the store for [`fork`](engine_api::CgkaEngine::fork) and
//!   [`restore`](engine_api::CgkaEngine::restore) only.
//! - The backend does not sign: under both, `openmls_basic_credential` signs with ed25519-dalek,
//!   and expands the private key anew each time.
//!
//! # Where the adapter steps in
//!
//! - **A damaged Welcome costs the key package.** OpenMLS deletes a key package from its store
//!   before it decrypts the Welcome, so one flipped bit would lock the client out of the genuine
//!   message. The adapter keeps a copy from the time of publishing and puts it back. After a
//!   successful join it drops the copy of the one that was used: under the store's lock, it looks
//!   up every unused one's entries to see which are gone. That is timed with the join.
//! - **A group that removed the client stays in the store**, and a later Welcome to it would fail
//!   with `GroupAlreadyExists`. The adapter deletes the group once the removal is merged, with the
//!   key pairs of the last epoch, which `MlsGroup::delete` leaves behind after a removal.
//! - **The store unwraps what it parses**, so a damaged snapshot would panic inside OpenMLS.
//!   [`restore`](engine_api::CgkaEngine::restore) verifies a digest over the snapshot first.
//! - **Decoding a slice can panic.** `MlsMessageIn::tls_deserialize_bytes` cuts its input at the
//!   length that the message would have when encoded again, and some inputs grow (see below). The
//!   adapter uses `tls_deserialize_exact`, which reads and doesn't cut.
//!
//! Messages that fail need no help: OpenMLS 0.8.3 advances a sender's ratchet only after the
//! message was verified, and writes nothing before that.
//!
//! # Quirks of the engine that show
//!
//! - A list whose length ends inside its last item is taken for the whole item. So a Welcome or a
//!   key package with such a length passes, with the meaning and the signature of the genuine one.
//! - A key package whose leaf has an unusable encryption key (all zeros) is accepted. From then on
//!   nobody's updates succeed until that member is removed; the update fails as
//!   [`Internal`](engine_api::EngineError::Internal), an add as if the invitee were at fault.
//! - The same key package twice in one commit is one member.
//! - A repeated message is recognised by its place in the sender's ratchet, before it is
//!   decrypted: a damaged copy of a message that was read is
//!   [`Duplicate`](engine_api::Ingested::Duplicate) too, as is a damaged copy of an own one whose
//!   sender data are whole.
//! - No record is kept of commits: an applied one that comes again is
//!   [`Stale`](engine_api::Ingested::Stale).
//! - A message more than 1000 generations ahead of its sender's ratchet is
//!   [`RetryLater`](engine_api::Ingested::RetryLater): once the gap is filled it decrypts.
//! - A declared length is allocated before the bytes are there, up to 1 GiB, zeroed and unread.
#![forbid(unsafe_code)]

mod client;
mod counting;
mod describe;
mod ingest;
mod mls;
mod profile;
mod signing;
mod state;
mod store;
mod xwing;

use engine_api::{MlsRegistration, Registration};
use openmls_rust_crypto::RustCrypto;

use crate::client::OpenMls;
pub use crate::counting::{counted, counted_on_request};

/// `openmls/rustcrypto` and `openmls/libcrux`.
#[inline(never)]
#[must_use]
pub fn engines() -> Vec<Registration> {
    vec![
        Registration::of::<OpenMls<RustCrypto>>(),
        Registration::of::<OpenMls<openmls_libcrux_crypto::CryptoProvider>>(),
    ]
}

/// With the feature `sqlite`, OpenMLS on a SQLite store: `openmls/rustcrypto/sqlite`.
#[inline(never)]
#[must_use]
pub fn layered() -> Vec<Registration> {
    vec![
        #[cfg(feature = "sqlite")]
        Registration::of::<OpenMls<RustCrypto, store::Sqlite>>()
            .renamed("openmls/rustcrypto/sqlite"),
    ]
}

/// The configuration that only runs if it is named: `openmls/libcrux/0x004D`, on X-Wing.
#[inline(never)]
#[must_use]
pub fn on_request() -> Vec<Registration> {
    vec![xwing::engine()]
}

/// The same two as MLS engines.
#[inline(never)]
#[must_use]
pub fn mls_engines() -> Vec<MlsRegistration> {
    vec![
        MlsRegistration::of::<OpenMls<RustCrypto>>(),
        MlsRegistration::of::<OpenMls<openmls_libcrux_crypto::CryptoProvider>>(),
    ]
}
