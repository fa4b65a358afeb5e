//! The lab: cases that run on every engine, checks that each result is correct, and two front
//! ends, divan's table and the `cgka-bench` command.
//!
//! To run all of it on an engine of your own, beside those in this repository, make a bench target
//! with `harness = false` that says
//!
//! ```text
//! bench_suite::bench_suite!(MyEngine);
//! ```
//!
//! `cargo bench` then prints the tables, and `cargo bench --bench <target> -- verify` runs the checks.
#![forbid(unsafe_code)]

#[cfg(feature = "primitives")]
pub mod asymmetry;
pub mod case;
pub mod cases;
pub mod checks;
pub mod cli;
pub mod counter;
pub mod counts;
pub mod engines;
pub mod epoch_probe;
pub mod floor;
pub mod flows;
#[doc(hidden)]
pub mod front;
#[cfg(feature = "burrow")]
pub(crate) mod large_group;
pub mod migration;
pub mod original;
#[cfg(feature = "primitives")]
pub mod primitives;
pub mod record;
#[cfg(feature = "burrow")]
pub mod scenarios;
pub mod side_by_side;
pub mod sizes;
pub mod soak;
#[cfg(feature = "tls")]
pub mod tls;
pub mod verify;
pub mod world;

pub use divan;
pub use engine_api;
