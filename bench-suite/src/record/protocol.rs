//! What the recorder and its workers say to each other: a job in, events out, one JSON text a line.
//!
//! A worker stops after the running block when its standard input ends. Before it does something
//! with an engine it writes the engine's name to its standard error, after [`MARK`], so that a
//! death can be laid at somebody's door.

use std::collections::BTreeMap;

use bench_results::format::{Allocations, Block, Counts, Floor, Primitive, Storage, Wire};
use serde::{Deserialize, Serialize};

/// Begins a line of a worker's standard error that names the engine which has its turn.
pub(super) const MARK: &str = "@turn ";

/// What a worker is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Job {
    /// Which process of the run this is.
    pub(super) process: u32,
    /// Where the order within blocks comes from.
    pub(super) seed: u64,
    /// The processor to stay on.
    pub(super) pin: Option<usize>,
    /// Samples before the first block.
    pub(super) warm_up: u32,
    /// The engines, each as often as it was entered.
    pub(super) arms: Vec<Arm>,
    /// What to do with them.
    pub(super) task: Task,
    /// With which rows.
    pub(super) groups: Vec<Group>,
}

/// A worker's task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Task {
    /// Check every row to the end, and see how long its parts take.
    Look,
    /// Take the samples.
    Sample,
    /// Count what one operation allocates.
    Allocations,
    /// Count what it asks of the crypto library, and price what it can't do without.
    Operations,
}

/// An entry of an engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Arm {
    /// Its name in the rows.
    pub(super) name: String,
    /// The engine's own name.
    pub(super) engine: String,
    /// A busy loop at the end of each sample, in percent of the row's median. For self-tests.
    pub(super) slowed: Option<f64>,
}

/// A case and size with the engines that take part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Group {
    /// The case's name.
    pub(super) case: String,
    /// The size.
    pub(super) size: usize,
    /// Blocks to take.
    pub(super) blocks: u32,
    /// Who takes part.
    pub(super) seats: Vec<Seat>,
}

/// How an arm takes part in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seat {
    /// Which of the job's arms.
    pub(super) arm: usize,
    /// Samples in each block.
    pub(super) turn: u32,
    /// Operations in each sample.
    pub(super) operations: u32,
    /// Rounds of the busy loop at the end of each sample.
    pub(super) rounds: u64,
    /// Whether an operation that isn't timed comes before each turn.
    pub(super) lead_in: bool,
}

/// What a worker tells. An `arm` is an index into the job's arms.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Event {
    /// About the clock, before everything else.
    Clock { step_ns: u64, cost_ns: u64 },
    /// A group is next.
    Began { case: String, size: usize },
    /// A row was looked at.
    Looked { case: String, size: usize, arm: usize, seen: Seen },
    /// A group's blocks were taken, or as many as there was time for.
    Sampled { case: String, size: usize, arms: Vec<Sampled> },
    /// A row's allocations were counted.
    Allocated { case: String, size: usize, arm: usize, allocations: Allocations },
    /// What the primitives cost.
    Primitives(Vec<Primitive>),
    /// A row's crypto operations were counted, if its engine has a counted twin.
    Counted { case: String, size: usize, arm: usize, counts: Option<Counts>, floor: Option<Floor> },
    /// All groups are done, or the worker was told to stop.
    Ended,
}

/// What a first look at a row showed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Seen {
    /// It passes its checks.
    Fit(Fit),
    /// There is no such row.
    Absent(String),
    /// It takes more time or memory than a row may. So will those that are prepared alike, and
    /// larger ones.
    Over(String),
    /// It doesn't.
    Wrong(String),
}

/// A row that can be sampled.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Fit {
    /// What a process takes before it can take samples.
    pub(super) fixture_ns: u64,
    /// What a sample takes beside the operation.
    pub(super) setup_ns: u64,
    /// The operation.
    pub(super) operation_ns: u64,
    /// Rounds of the busy loop that take as long as one operation; 0 if nobody asked.
    pub(super) rounds: u64,
    /// What it sends and receives.
    pub(super) wire: Wire,
    /// What its client stores.
    pub(super) storage: Option<Storage>,
}

/// One arm's part of a group.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Sampled {
    /// Who.
    pub(super) arm: usize,
    /// The first sample after the fixture was built.
    pub(super) first_ns: Option<u64>,
    /// Its blocks.
    pub(super) blocks: Vec<Block>,
    /// What was wrong; then the blocks are void.
    pub(super) fault: Option<String>,
}

/// Bytes by kind, summed, without the kinds that there were none of.
pub(super) fn by_kind(list: &[(&'static str, usize)]) -> BTreeMap<String, u64> {
    let mut kinds = BTreeMap::new();
    for (kind, bytes) in list.iter().filter(|(_, bytes)| *bytes > 0) {
        *kinds.entry((*kind).to_owned()).or_insert(0) += u64::try_from(*bytes).unwrap_or(u64::MAX);
    }
    kinds
}
