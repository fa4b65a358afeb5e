//! Recorded sessions: what one member of a mixed group saw, from its Welcome to its removal.
//!
//! The members were clients of several engines, and the one whose private keys are in the file is
//! only there to be replayed: [`replay`] imports it into any [`MlsRegistration`]'s engine and shows
//! it each message, and what became of it has to be what became of it at the others. The working
//! group's passive clients are sessions of the same kind ([`Session::from_working_group`]).
//!
//! Engines draw fresh randomness, so a session that is recorded again is another one:
//! `cgka-bench sessions --write` makes them anew. What is in the repository is checked by replaying
//! it, and by the digest that its provenance has of it.
//!
//! [`MlsRegistration`]: engine_api::MlsRegistration

mod data;
mod member;
mod replay;

pub use data::{
    Expected, ExternalPsk, Provenance, Recording, Session, State, Step, recordings, to_hex,
};
pub use member::new_member;
pub use replay::{Replayed, replay};
