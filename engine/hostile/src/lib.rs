//! Hostile input for burrow.
//!
//! Everything that somebody else can hand to the engine, and what comes back from its storage, is
//! taken from groups that live here, taken apart into its fields, mutated, put together again, and
//! given to a member. Half of the inputs are what anybody can make. The other half are what a member
//! can make who holds its keys and checks nothing: signed, tagged and encrypted anew after they were
//! mutated, so that they get to the rules behind.
//!
//! Of each input has to hold, and [`judge::Judge`] checks:
//!
//! - no panic;
//! - at most [`judge::MAX_TIME`] of the processor's time, the shortest of a few tries if the first took
//!   longer;
//! - at most [`judge::MAX_MEMORY`] live at any time above what there was before;
//! - after a rejection, or if it was passed over, or if it is a commit that isn't merged yet, all of
//!   the state, as [`burrow::group::Group::write`] writes it, is what it was;
//! - what was refused was refused as a peer's fault;
//! - what was accepted can't have been made without a key;
//! - what is right is still accepted after it (on every so many inputs).
//!
//! An input is told by a seed and a number, so that each can be made again by itself.
#![forbid(unsafe_code)]

pub mod dice;
pub mod forge;
pub mod fuzz;
pub mod input;
pub mod insider;
pub mod judge;
pub mod meter;
pub mod mutate;
pub mod recipe;
pub mod report;
pub mod samples;
pub mod seal;
pub mod shape;
pub mod target;
pub mod value;
pub mod world;

/// Why the harness itself couldn't go on.
pub type Failure = Box<dyn std::error::Error>;
