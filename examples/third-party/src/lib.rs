//! `flat`: group messaging without a tree, as the example of an engine from outside.
//!
//! It knows nothing of this repository but `engine-api`, and gets all of the suite by one line in
//! `benches/suite.rs`. It is a working protocol because a toy would show nothing: beside the MLS
//! engines it says what a ratchet tree is for. A commit here carries one wrapped secret per member
//! and a Welcome the list of all, so the author's work and the bytes grow with the group; in return
//! there is no tree to keep, and following a commit costs one X25519 operation.
//!
//! # This is not a proposal
//!
//! Nobody has proved or reviewed anything about it. Don't use it for messages. Among other things:
//!
//! - There is no proof of post-compromise security: a compromised member heals by committing, as
//!   far as its X25519 key goes, but its Ed25519 key stays for good.
//! - Nothing stops a member from wrapping different secrets to different members. Those whose
//!   confirmation tag doesn't fit refuse the commit, and the group is split.
//! - Commits are signed and not encrypted: whoever carries them sees who is in the group and who
//!   changes it. Messages name their sender and carry its signature in the clear.
//! - A key package's X25519 key is the joiner's first leaf key, too. It never expires.
//! - A Welcome is signed by a member of the group that it lists. Whether that is somebody whose
//!   invitation is welcome, the application has to ask.
//!
//! # How it works
//!
//! The group state of an epoch is a list of **leaves** (identity, Ed25519 key, X25519 key, signed
//! by the leaf itself) with the group's id, the epoch's number and a transcript hash over all
//! commits: the **roster**.
//!
//! - **Commit**: removals and additions by value, the author's leaf with a fresh X25519 key, and a
//!   fresh epoch secret, wrapped to every member that stays (X25519 with one ephemeral key, HKDF
//!   over both public keys and the place, ChaCha20-Poly1305). Then a confirmation tag and the
//!   author's signature.
//! - **Epoch**: everything is derived with HKDF-SHA256 from the epoch secret and the roster's hash:
//!   the authenticator, the confirmation tag, and a chain key per member. The epoch secret is then
//!   dropped.
//! - **Message**: the sender's chain gives one key per message and moves on; ChaCha20-Poly1305, then
//!   Ed25519. A receiver keeps up to 128 keys of messages that haven't come, and reads five past
//!   epochs.
//! - **Welcome**: one for all invitees, with the epoch secret wrapped to each, and the roster under
//!   a key derived from it, signed by the author of the commit. The joiner checks every leaf.
//!
//! # What the contract leaves open
//!
//! - A removed client keeps its last epoch: the observers report it and late messages of it are
//!   read. What comes from later epochs is `Misdirected`. A Welcome lets the client in again.
//! - A commit of this client's own that it discarded is `Duplicate` if the network delivers it: the
//!   wrapped secrets are for the others, so it can't be followed.
//! - A repeated commit is `Duplicate` for five epochs, then `Stale`.
//! - A snapshot has a pending commit in it.
#![forbid(unsafe_code)]

mod client;
mod describe;
mod ingest;
mod protocol;
mod state;

pub use state::Flat;
