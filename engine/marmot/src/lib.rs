//! burrow-marmot: the Marmot profile over [`burrow`], MLS groups that live in Nostr events.
//!
//! It speaks what `mdk-core` 0.8.0 speaks, byte for byte: key packages in events of kind 30443
//! (MIP-00), the group data extension 0xF2EE (MIP-01), Welcomes in rumors of kind 444 (MIP-02), and
//! group events of kind 445 (MIP-03). Members with either are in one group and don't notice. Where
//! MDK and the texts differ, and where this crate is stricter than both, is in `docs/marmot.md`.
//!
//! Like burrow it does no input or output: events go in and come out, the time comes from a
//! [`Clock`], randomness from the crypto backend, and what is to be stored is handed out as a list of
//! changes. Relays, gift wraps (NIP-59) and the user's keys are the application's.
//!
//! # A group, from the beginning
//!
//! ```
//! use std::sync::Arc;
//!
//! use burrow_marmot::{
//!     Client, Clock, Config,
//!     event::{Event, Rumor},
//!     group::{Kept, NewGroup, Received},
//! };
//! use crypto_rustcrypto::RustCrypto;
//!
//! /// The time, where no clock is to be had.
//! struct Noon;
//!
//! impl Clock for Noon {
//!     fn now(&self) -> u64 {
//!         1_800_000_000 // seconds since 1970
//!     }
//! }
//!
//! # fn main() -> burrow_marmot::Result<()> {
//! let client = Client::new(Arc::new(RustCrypto::new()), Arc::new(Noon), Config::default());
//! let relay = "wss://relay.example.com".to_owned();
//!
//! // Bob publishes a key package, and keeps its private keys.
//! let bob = client.generate_keys()?;
//! let new = client.generate_key_package(bob.public(), &[relay.clone()], None)?;
//! let bobs_secrets = new.secrets;
//! let published = client.sign(new.unsigned, &bob)?.to_json();
//!
//! // Alice creates a group with Bob in it.
//! let alice = client.generate_keys()?;
//! let bobs = client.read_key_package(&Event::from_json(client.suite()?, &published)?)?;
//! let new = NewGroup { name: "team".into(), relays: [relay].into(), ..NewGroup::default() };
//! let (mut alices_group, welcomes) = client.create_group(alice.public(), new, &[bobs])?;
//!
//! // Bob gets his Welcome, out of a gift wrap, and joins.
//! let rumor = Rumor::with_id_from_json(client.suite()?, &welcomes[0].to_json())?;
//! let mut bobs_group = client.join(&client.read_welcome(&rumor)?, &bobs_secrets)?;
//! assert_eq!(bobs_group.data().name, "team");
//!
//! // Alice says something. What has changed is to be stored before the event is published.
//! let said = client.rumor(alice.public(), 9, Vec::new(), "hello, Bob")?;
//! let event = alices_group.send(&said)?;
//! let mut store = Kept::new(client.config().past_epochs);
//! alices_group.take_changes().into_iter().for_each(|change| store.apply(change));
//!
//! // Bob reads it.
//! let Received::Message(message) = bobs_group.receive(&event)? else {
//!     panic!("not a message");
//! };
//! assert_eq!(message.rumor, said);
//!
//! // He commits to fresh keys, as one should after joining. When a relay has taken the event, he
//! // merges it; Alice follows.
//! let publication = bobs_group.self_update()?;
//! bobs_group.merge_pending()?;
//! let Received::Commit(committed) = alices_group.receive(&publication.event)? else {
//!     panic!("not a commit");
//! };
//! assert_eq!(committed.epoch, bobs_group.epoch());
//!
//! // Alice restarts.
//! alices_group.take_changes().into_iter().for_each(|change| store.apply(change));
//! let written = store.write()?;
//! let alices_group = client.restore(Kept::read(&written)?)?;
//! assert_eq!(alices_group.epoch(), 2);
//! # Ok(())
//! # }
//! ```
//!
//! # What the application sees to
//!
//! - [`group::Group::take_changes`] is stored, all of it or nothing, before anything is published.
//! - A commit is merged when a relay has taken its event, and its Welcomes are sent after that.
//! - An event that is [`group::Ignored::Unopened`] is kept for a while and given again after the next
//!   commit. Nothing of it is kept in here.
//! - After a [`group::Committed::rolled_back`] the messages that it names never were: one's own are to
//!   be sent again. All events since that epoch are to be given again.
//! - A Welcome to a group that the account is in already is refused, unless it was removed.
//! - Key packages are of the last-resort kind. Their secrets are deleted some time after they were
//!   replaced.
//! - Whoever wants to leave is let go by [`group::Group::commit_departures`], after a random time.
//!
//! # Features
//!
//! - `duplicate`: `Group::duplicate_for`, for measuring and not for applications.
#![forbid(unsafe_code)]

mod client;
mod envelope;
mod error;
pub mod event;
pub mod group;
mod group_data;
mod hex;
mod key_package;
mod keys;
mod media;
mod policy;
mod profile;
mod welcome;

pub use client::Client;
pub use error::{CallerError, Error, PeerError, Result};
pub use group_data::{GroupData, is_relay};
pub use key_package::{KeyPackageEvent, NewKeyPackage};
pub use keys::{Keys, PublicKey, SIGNATURE_LENGTH};
pub use media::Media;
pub use profile::{
    Clock, Config, EventSignatures, GROUP_DATA, GROUP_EVENT_KIND, KEY_PACKAGE_KIND,
    LEGACY_KEY_PACKAGE_KIND, SUITE, WELCOME_KIND,
};
pub use welcome::Invitation;
