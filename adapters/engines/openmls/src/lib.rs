//! OpenMLS 0.8 as an engine under comparison.
//!
//! Two engines, one source: [`engines`] lists `openmls/rustcrypto` and `openmls/libcrux`. They
//! differ in the provider's crypto half and in nothing else.
//!
//! # Configuration
//!
//! What every engine of the `mls` profile is set to, in OpenMLS's words:
//!
//! - suite `MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519` (0x0001), basic credentials;
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
//!   message. The adapter keeps a copy from the time of publishing and puts it back; a successful
//!   join does nothing more for it than drop that copy.
//! - **A group that removed the client stays in the store**, and a later Welcome to it would fail
//!   with `GroupAlreadyExists`. The adapter deletes the group once the removal is merged, with the
//!   key pairs of the last epoch, which `MlsGroup::delete` leaves behind after a removal.
//! - **The store unwraps what it parses**, so a damaged snapshot would panic inside OpenMLS.
//!   [`restore`](engine_api::CgkaEngine::restore) verifies a digest over the snapshot first.
//!
//! Messages that fail need no help: OpenMLS 0.8.3 advances a sender's ratchet only after the
//! message was verified, and writes nothing before that.
#![forbid(unsafe_code)]

mod client;
mod describe;
mod ingest;
mod state;

use engine_api::Registration;
use openmls_rust_crypto::RustCrypto;

use crate::client::OpenMls;

/// `openmls/rustcrypto` and `openmls/libcrux`.
#[inline(never)]
#[must_use]
pub fn engines() -> Vec<Registration> {
    vec![
        Registration::of::<OpenMls<RustCrypto>>(),
        Registration::of::<OpenMls<openmls_libcrux_crypto::CryptoProvider>>(),
    ]
}
