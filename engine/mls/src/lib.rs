//! burrow: Messaging Layer Security, RFC 9420.
//!
//! A group of clients agrees on keys that change with every member who comes and goes, and sends
//! messages under them. The engine does no input or output, draws no randomness and reads no clock
//! of its own: bytes go in, bytes come out, all cryptography goes through a
//! [`crypto_api::CryptoBackend`], and what only the application can know it is asked through
//! [`group::Application`].
//!
//! # A group, from the beginning
//!
//! ```
//! use std::sync::Arc;
//!
//! use burrow::{
//!     codec::Decode,
//!     crypto::SignaturePublicKey,
//!     framing::MlsMessage,
//!     group::{Application, Client, Config, Received},
//!     types::{Credential, Extensions, KeyPackage, Lifetime},
//! };
//! use crypto_api::CipherSuite;
//! use crypto_rustcrypto::RustCrypto;
//!
//! /// What the engine asks the application.
//! struct Chat;
//!
//! impl Application for Chat {
//!     fn now(&self) -> Option<u64> {
//!         Some(1_800_000_000) // the time, in seconds since 1970
//!     }
//!
//!     fn is_credential_valid(&self, credential: &Credential, _: &SignaturePublicKey) -> bool {
//!         // Look the key up where users have registered it.
//!         matches!(credential, Credential::Basic(name) if name == b"alice" || name == b"bob")
//!     }
//! }
//!
//! # fn main() -> burrow::Result<()> {
//! let client = Client::new(Arc::new(RustCrypto::new()), Arc::new(Chat), Config::default());
//! let suite = CipherSuite::MLS_128_DHKEMX25519_AES128GCM_SHA256_ED25519;
//! let lifetime = Lifetime { not_before: 1_799_000_000, not_after: 1_806_000_000 };
//!
//! // Bob publishes a key package, and keeps its private keys.
//! let bob = client.generate_identity(suite, Credential::Basic(b"bob".to_vec()), lifetime)?;
//! let bobs_secrets = client.generate_key_package(&bob)?;
//! let published: Vec<u8> = bobs_secrets.message()?;
//!
//! // Alice creates a group.
//! let alice = client.generate_identity(suite, Credential::Basic(b"alice".to_vec()), lifetime)?;
//! let mut alices_group = client.create_group(&alice, b"team".to_vec(), Extensions::new())?;
//!
//! // She adds Bob. The commit changes nothing until it is merged, which is when the Delivery
//! // Service has accepted it.
//! let MlsMessage::KeyPackage(key_package) = MlsMessage::decode_exact(&published)? else {
//!     panic!("not a key package");
//! };
//! let staged = alices_group.commit().add_member(*key_package).stage()?;
//! let messages = staged.messages.clone(); // messages.message is for the members there are
//! alices_group.merge(staged)?;
//!
//! // Bob joins by the Welcome.
//! let Some(welcome) = messages.welcome else { panic!("nobody was added") };
//! let MlsMessage::Welcome(welcome) = MlsMessage::decode_exact(&welcome)? else {
//!     panic!("not a Welcome");
//! };
//! let mut bobs_group = client.join(&welcome, &bobs_secrets)?;
//! assert_eq!(alices_group.epoch_authenticator(), bobs_group.epoch_authenticator());
//!
//! // Alice sends. The record of the key has to be stored before the message leaves.
//! let sent = alices_group.send(b"hello, Bob", b"")?;
//! let Received::Application(message) = bobs_group.receive(&sent.message)? else {
//!     panic!("not application data");
//! };
//! assert_eq!(message.data, b"hello, Bob");
//!
//! // Bob commits to fresh keys; Alice looks at the commit and merges it.
//! let staged = bobs_group.commit().stage()?;
//! let Received::Commit(commit) = alices_group.receive(&staged.messages.message)? else {
//!     panic!("not a commit");
//! };
//! assert!(commit.changes().has_path && !commit.removes_us());
//! alices_group.merge_remote(*commit)?;
//! bobs_group.merge(staged)?;
//! assert_eq!(alices_group.epoch_authenticator(), bobs_group.epoch_authenticator());
//!
//! // Stored, and back again.
//! let written = alices_group.write()?;
//! let alices_group = client.restore(&written, &[])?;
//! assert_eq!(alices_group.epoch(), 2);
//! # Ok(())
//! # }
//! ```
//!
//! # What the application sees to
//!
//! - All members process the same commits in the same order; the Delivery Service accepts one per
//!   epoch.
//! - Commits are merged when they are accepted, and [`group::Group::write`] is called after that.
//! - [`group::KeyUse`] records are stored before a message is sent.
//! - A group that is joined isn't one that the client is in already.
//! - A key package's secrets are deleted once it was used, unless it is one of last resort.
//! - The answers of [`group::Application`] are the same at all members.
//!
//! # Layers
//!
//! [`codec`], [`crypto`], [`types`], [`tree`], [`schedule`], [`framing`] and [`group`], each of which
//! uses those before it only. An application needs [`group`] and, of the others, their types.
//!
//! # Features
//!
//! Both are off by default.
//!
//! - `parallel`: who joins a large group, adds many members or commits for many does the verifying and
//!   the sealing on several threads, those of `rayon`'s global pool. What is accepted and what is
//!   refused, and why, doesn't change.
//! - `duplicate`: `Group::duplicate`, for measuring and not for applications.
//!
//! References like "section 7.3" are to RFC 9420.
#![forbid(unsafe_code)]

// So that unit tests can share what the tests outside of the crate use.
#[cfg(test)]
extern crate self as burrow;

pub mod codec;
pub mod crypto;
mod error;
pub mod framing;
pub mod group;
mod parallel;
pub mod schedule;
pub mod tree;
pub mod types;

pub use error::{CallerError, Error, PeerError, Result};
