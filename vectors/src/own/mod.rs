//! Our own vectors: what the working group's lack.
//!
//! Key packages, Welcomes, commits and messages with one rule broken each, and the ones beside them
//! that break none. The data is in the repository and built in here; `cargo run -p vectors --release
//! -- generate` makes it again, the same to the byte.
//!
//! The post-quantum suites, in the working group's formats, are generated here too and run as the
//! working group's files are, by [`run_post_quantum`](crate::run_post_quantum).
//!
//! [`key_packages`] are given to whoever founds a group ([`on_burrow`], [`on_engine`]); the
//! [`Scene`]s of a [`Kind`] to a client whose private keys are in them ([`judge_burrow`],
//! [`judge_engine`]). [`engine_rows`] gives an engine all of them, and the recorded sessions.

pub mod deviations;
mod forge;
mod forging;
mod generate;
mod judge;
mod key_packages;
mod passive;
mod post_quantum;
mod random;
mod replay;
mod rows;
mod scenes;
mod specs;

pub use generate::{generate, to_json};
pub use judge::{judge_burrow, judge_engine};
pub use key_packages::{KeyPackageCase, Reason, Verdict, key_packages};
pub use passive::{ExternalPsk, Kind, PassiveCase, Scene, Then};
pub use post_quantum::generate_post_quantum;
pub use replay::{Outcome, on_burrow, on_engine};
pub use rows::{EngineRow, engine_rows};
pub use scenes::generate_scenes;
