//! The format: one JSON document, version [`SCHEMA`].
//!
//! Times are nanoseconds, sizes are bytes, dates are RFC 3339 in UTC. A name that a reader doesn't
//! know is an error: within one version the fields are fixed.

mod conditions;
mod engine;
mod row;

use serde::{Deserialize, Serialize};

pub use conditions::{Build, Demerit, Grade, Host, Intervals, Load, Plan};
pub use engine::{Deviation, Engine, Package, Spans};
pub use row::{
    Allocations, Block, Comparison, Control, Counts, Floor, FloorTerm, Outcome, Primitive, Row,
    Statistics, Storage, Verdict, Wire,
};

/// The version that this code writes.
pub const SCHEMA: u32 = 2;

/// A result file: one run as recorded, several after a merge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultFile {
    /// [`SCHEMA`] of the writer. Version 2 has [`Plan::intervals`], [`Row::storage`] and
    /// [`Allocations::left_bytes`]; all else is as in version 1, so that a run of either can stand
    /// beside the other.
    pub schema: u32,
    /// Ordered by [`Run::id`], each once.
    pub runs: Vec<Run>,
}

/// One run of the recorder on one machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// SHA-256 over the compact JSON of the run with this field empty, in hex: whoever edits a
    /// number by hand has to say so.
    pub id: String,
    /// Version of `cgka-bench`.
    pub tool: String,
    /// The command as it was typed, without the path of the program.
    pub command: Vec<String>,
    /// When it began.
    pub started: String,
    /// When it ended.
    pub finished: String,
    /// Whether it was stopped before its plan was done; what is here was done.
    pub interrupted: bool,
    /// What was planned.
    pub plan: Plan,
    /// The machine.
    pub host: Host,
    /// The program.
    pub build: Build,
    /// The engines, each as often as it was entered.
    pub engines: Vec<Engine>,
    /// The rows, by case, size and engine in the order of the tables.
    pub rows: Vec<Row>,
    /// Every pair of engines of each case and size.
    pub comparisons: Vec<Comparison>,
    /// The A/A pairs: one engine against itself.
    pub controls: Vec<Control>,
    /// What the primitives cost in this run.
    pub primitives: Vec<Primitive>,
    /// What was proved before anything was timed.
    pub checks: Vec<Checks>,
    /// What the run is worth.
    pub grade: Grade,
}

/// One line of a conformance or interop matrix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checks {
    /// `verify`, `conformance`, `pair`, `flow` or `scenario`.
    pub kind: String,
    /// Who: an engine, two with a ` x ` between, or a backend.
    pub subject: String,
    /// What: a scenario, a vector file, a flow.
    pub item: String,
    /// Checks or cases that were executed and held.
    pub passed: u64,
    /// Those that did not.
    pub failed: u64,
    /// Those that did not, as declared beforehand.
    pub deviating: u64,
    /// Those that could not be made.
    pub unsupported: u64,
    /// Why, where something was not made.
    pub reason: Option<String>,
}
