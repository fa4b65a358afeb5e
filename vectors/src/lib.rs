//! The MLS working group's test vectors, run to their last output on burrow, over each crypto
//! backend that has the cipher suite.
//!
//! [`run_all`] runs all [`FILES`] of a [`Library`] and returns a [`Report`]: per file, cipher suite
//! and backend how many cases and assertions were executed, passed and failed, or why there were
//! none. A file that is missing, or shorter than its [`Floor`], is a failure like any other.
//!
//! How a case of each file is executed is in `formats`, one module for each description in the
//! working group's document. Nothing there panics, whatever the file says: the tests run them on
//! [`mutation`]s of the files and require that each is noticed.
//!
//! [`own`] has what the working group's files lack, [`sessions`] what members of mixed groups saw,
//! [`scenarios`] what happens to members of groups, on any engine.
#![forbid(unsafe_code)]

mod backends;
mod files;
mod floors;
mod formats;
mod hex;
mod library;
pub mod mutation;
pub mod own;
mod post_quantum;
mod report;
mod run;
pub mod scenarios;
pub mod sessions;
mod tally;

pub use backends::{backends, post_quantum_backends};
pub use files::{FILES, Unnoticed, VectorFile};
pub use floors::Floor;
pub use library::{CGKA_VECTORS, Library, LoadError};
pub use post_quantum::{POST_QUANTUM_FILES, post_quantum_cases, run_post_quantum};
pub use report::{FileReport, Report, Row, Totals};
pub use run::{run_all, run_case, run_file};
pub use tally::{Stop, Tally};
