//! MDK 0.8 (`mdk-core` with `mdk-memory-storage`) as an engine: the Marmot profile, cipher suite
//! 0x0001, one configuration named `mdk`; on MDK's SQLite store instead, `mdk/sqlite` ([`layered`]).
//!
//! # What was configured
//!
//! Nothing: `MDK::builder(..)` with MDK's defaults over a default memory store, plus a callback
//! that tells the adapter of rollbacks. Each client is a fresh Nostr account. A group's founder
//! is its only admin; its founding commit is merged inside `create_group` and never published, as
//! MDK does it. Group and key packages name one relay, which is never spoken to.
//!
//! Key packages are the JSON of a signed kind 30443 event, Welcomes that of an unsigned kind 444
//! event per invitee, commits and messages that of a kind 445 event. A group's id is that of the
//! MLS group; an identity is a 32-byte x-only public key, so the wished-for name is ignored.
//!
//! # Fairness
//!
//! Bytes in, bytes out: parsing and writing event JSON is timed, like other engines' framing,
//! though MDK's own interface takes parsed events. On top, the adapter computes each incoming
//! event's id once (a SHA-256 over it) and reads MDK's record of the group and of the event.
//! The id has to be checked because MDK files outcomes under it: a damaged copy under the genuine
//! id would have the genuine event refused.
//!
//! A payload is base64 in the content of a kind 9 rumor, because a rumor's content is text. It is
//! base64 again in the event, so an application message grows by three quarters.
//!
//! Left out: the gift wrap around a Welcome (NIP-59), relays, and the verification of events'
//! signatures, which MDK doesn't do either but expects of the relay pool.
//! [`describe`](engine_api::CgkaEngine::describe) says for each operation what it includes.
//!
//! # Where MDK is not what the contract wants
//!
//! - **An event that can't be opened is lost.** A message or commit that comes before the commit
//!   that opens its epoch looks like a damaged one, is reported as
//!   [`Unauthenticated`](engine_api::RejectReason::Unauthenticated) and refused by its id from
//!   then on. A lost commit leaves the member behind for good.
//! - **Signatures of events are not checked**, so a copy of an event with another `sig` is the
//!   event. What else stands in the JSON is in the id: with another key, time, kind, tag or content
//!   it is refused. Spelling is not: white space, the order of the fields, escapes in strings and
//!   fields of other names make no other event. An id or key in upper case is refused, but only if
//!   it doesn't stand in lower case anywhere else in the text.
//! - **One call takes everything.** Whether an event is a commit shows when MDK has applied it.
//!   A message given to `ingest_commit` is refused and kept for `ingest_app`; a commit given to
//!   `ingest_app` is applied and the call fails with a caller's error that says so.
//! - **A late commit can win.** Of two commits for one epoch the one with the smaller time stamp
//!   (in seconds), then the smaller event id, wins, in whichever order they arrive: MDK goes back
//!   to its snapshot and applies the winner, reported as applied at the epoch that it opens. A
//!   committer who merged its own commit, and a forked client, have no snapshot and don't follow.
//! - **Going back comes before looking.** Any member can make the others go back an epoch with a
//!   commit for it that is no good but has an earlier time stamp: MDK rolls back, refuses it, and
//!   stays there. The adapter reports that as [`Internal`](engine_api::EngineError::Internal).
//! - **A Welcome in another wrapper is another Welcome.** Key packages are of the last-resort
//!   kind and are kept, and joining replaces the group: whoever was invited along can take a
//!   member back to the epoch of its Welcome. The same bytes a second time are refused here,
//!   because MDK then says that the Welcome was accepted.
//! - **Echoes of a staged commit merge it** in MDK, which takes them as word of publication. The
//!   adapter doesn't hand them over and reports a duplicate.
//! - **Reasons are few.** Where MDK says `Unprocessable`, its record of the event is read; where
//!   that says `processing_failed`, the outcome is `Unauthenticated`.
//! - **Limits**: rumors up to 100 KiB (payloads up to some 75 000 bytes), group names up to 256
//!   bytes, events up to 45 days old, messages up to five epochs late.
//! - **Removal goes by account**: one account may be in a group with several leaves, and all of
//!   them go; keys that aren't members' are passed over if another one is a member's.
//! - Two equal payloads that one client sends in the same second are two messages to the
//!   receiver's caller but one record in MDK's store.
//! - A proposal, as MDK's own `leave_group` publishes it, is reported as invalid, but MDK then
//!   holds it, or a commit of it, and sends no message until that is merged.
//!
//! A removed client's calls about the group, observers included, are a caller's error.
#![forbid(unsafe_code)]

mod client;
mod describe;
mod events;
#[cfg(test)]
mod hostile_tests;
mod ingest;
mod marmot;
mod state;
mod store;

use engine_api::Registration;

/// The one configuration, `mdk`.
#[must_use]
#[inline(never)]
pub fn engines() -> Vec<Registration> {
    vec![Registration::of::<client::MdkClient>()]
}

/// With the feature `sqlite`, MDK on its SQLite store: `mdk/sqlite`.
#[must_use]
#[inline(never)]
pub fn layered() -> Vec<Registration> {
    vec![
        #[cfg(feature = "sqlite")]
        Registration::of::<client::MdkClient<store::Sqlite>>(),
    ]
}
