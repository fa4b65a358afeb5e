//! Our own vectors: what the working group's lack.
//!
//! The first kind are key packages with one rule broken each, and the ones beside them that break
//! none. The data is in the repository and built in here; `cargo run -p vectors --release --
//! generate` makes it again, the same to the byte.

mod forge;
mod generate;
mod key_packages;
mod random;
mod replay;
mod specs;

pub use generate::{generate, to_json};
pub use key_packages::{KeyPackageCase, Reason, Verdict, key_packages};
pub use replay::{Outcome, on_burrow, on_engine};
