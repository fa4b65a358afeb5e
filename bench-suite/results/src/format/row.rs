//! Rows: what was measured of one engine at one case and size, and how two of them compare.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One engine at one case and size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The case's name, e.g. `commit/update/warm`.
    pub case: String,
    /// Its operation, e.g. `commit`: which span it has.
    pub operation: String,
    /// The size.
    pub size: usize,
    /// What the size counts, e.g. `members before the commit`.
    pub size_means: String,
    /// The engine's name.
    pub engine: String,
    /// Whether it was measured, and if not, why.
    pub outcome: Outcome,
    /// The samples in the order in which they were taken; empty unless measured.
    pub blocks: Vec<Block>,
    /// What follows from the samples.
    pub statistics: Option<Statistics>,
    /// From a pass of its own.
    pub allocations: Option<Allocations>,
    /// From a pass of its own.
    pub wire: Option<Wire>,
    /// Of the client that does the operation. Version 1 of the format had no such field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<Storage>,
    /// From a pass of its own, over the engine's counted twin, if it has one.
    pub counts: Option<Counts>,
    /// What the RFC makes unavoidable.
    pub floor: Option<Floor>,
}

/// Whether a row was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "status")]
pub enum Outcome {
    /// It was, and every sample's result was right.
    Measured,
    /// It can't be: there is no such row for this engine or size.
    Absent {
        /// Why.
        reason: String,
    },
    /// It gave a wrong result or failed: there are no numbers.
    Wrong {
        /// What was wrong.
        reason: String,
    },
    /// The run ended before its turn came.
    NotReached,
}

/// The samples of one engine in one block. The lists are equally long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Which process, from 0.
    pub process: u32,
    /// Which block of the row in that process, from 0. Blocks with the same process and number are
    /// from the same stretch of time at all engines.
    pub block: u32,
    /// How often the operation ran in a sample, each on an input of its own. Times are of the
    /// whole sample.
    pub operations: u32,
    /// Wall-clock time of each sample.
    pub wall_ns: Vec<u64>,
    /// Processor time of the thread.
    pub cpu_ns: Vec<u64>,
    /// Involuntary context switches during the sample.
    pub switches: Vec<u32>,
}

/// What follows from a row's samples. Times are of one operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statistics {
    /// Samples.
    pub samples: u32,
    /// Blocks.
    pub blocks: u32,
    /// Processes.
    pub processes: u32,
    /// Of those samples, with an involuntary switch. They are kept.
    pub preempted: u32,
    /// The median.
    pub median_ns: f64,
    /// The median's interval, over blocks.
    pub low_ns: f64,
    /// Its other end.
    pub high_ns: f64,
    /// The median absolute deviation.
    pub mad_ns: f64,
    /// The fastest.
    pub min_ns: f64,
    /// From 100 samples on.
    pub p90_ns: Option<f64>,
    /// From 1000 samples on.
    pub p99_ns: Option<f64>,
    /// The median of the thread's processor time.
    pub cpu_median_ns: f64,
    /// The first sample of each process after the fixture was built.
    pub first_ns: Vec<u64>,
}

/// What one operation allocated: the median of a few.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allocations {
    /// How many, growing included.
    pub count: u64,
    /// How much in all.
    pub bytes: u64,
    /// The most that was live at once, above what was live before.
    pub peak_bytes: u64,
    /// What was live when it returned, above what was live before: of a join, the group that the
    /// client then holds. Version 1 of the format had no such field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_bytes: Option<i64>,
}

/// What one operation puts on the wire, or takes from it, by kind of message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wire {
    /// Bytes that it returns for publishing, e.g. `commit`, `welcome`, `application`.
    pub sent: BTreeMap<String, u64>,
    /// Bytes that it was given.
    pub received: BTreeMap<String, u64>,
}

/// What the client that did an operation has to keep of the group afterwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Storage {
    /// All of the group, as the engine would write it. None where the engine can't say.
    pub group_bytes: Option<u64>,
    /// The ratchet tree, as a joiner is sent it. None where there is none.
    pub tree_bytes: Option<u64>,
    /// What the operation gave to the client's store. None where nothing is stored, and where the
    /// engine can't say.
    pub written_bytes: Option<u64>,
}

/// Calls of the crypto library, by primitive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Calls, e.g. `sign`, `verify`, `kem_encap`, `kem_decap`, `kdf_expand`.
    pub calls: BTreeMap<String, u64>,
    /// Bytes, e.g. `aead_seal`, `hash`.
    pub bytes: BTreeMap<String, u64>,
}

/// What the RFC makes unavoidable, at the prices of this run's fastest backends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Floor {
    /// The sum of the terms.
    pub total_ns: f64,
    /// Count times price.
    pub terms: Vec<FloorTerm>,
    /// What the RFC makes unavoidable too and is not priced, in words.
    pub left_out: Vec<String>,
}

/// One primitive's share of a floor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FloorTerm {
    /// The name of one of the run's primitives.
    pub primitive: String,
    /// Over how many bytes each.
    pub bytes: u64,
    /// How often.
    pub count: u64,
    /// The price of one: the primitive's median, and its `per_byte_ns` for each byte beyond its own.
    pub each_ns: f64,
    /// Whose price.
    pub backend: String,
}

impl FloorTerm {
    /// The primitive without its size, as in [`Counts::calls`].
    #[must_use]
    pub fn kind(&self) -> &str {
        self.primitive.split(',').next().unwrap_or(&self.primitive)
    }
}

/// What a primitive costs on a backend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Primitive {
    /// What it is, and after a comma over how many bytes and how many at once.
    pub name: String,
    /// The backend.
    pub backend: String,
    /// Over how many bytes.
    pub bytes: u64,
    /// What each byte more costs: the slope between the smallest and the largest size measured.
    pub per_byte_ns: f64,
    /// The median.
    pub median_ns: f64,
    /// Samples.
    pub samples: u32,
}

/// Two engines at one case and size. The ratio is of `engine` over `against`: 0.5 is twice as
/// fast.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// The case.
    pub case: String,
    /// The size.
    pub size: usize,
    /// Whose time is above.
    pub engine: String,
    /// Whose time is below.
    pub against: String,
    /// Ratio of the medians.
    pub ratio: f64,
    /// Its interval, over blocks.
    pub low: f64,
    /// Its other end.
    pub high: f64,
    /// What may be said.
    pub verdict: Verdict,
    /// Whether both compute the same cipher suite with the same library.
    pub same_crypto: bool,
    /// What only `engine` does in this span.
    pub only_engine: Vec<String>,
    /// What only `against` does in this span.
    pub only_against: Vec<String>,
}

/// What may be said of a ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The whole interval lies below the margin.
    Faster,
    /// The whole interval lies above the margin.
    Slower,
    /// The whole interval lies within the margin.
    Equivalent,
    /// None of these.
    Inconclusive,
}

/// An A/A pair at one case and size: a verdict other than equivalent or inconclusive is false.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// The case.
    pub case: String,
    /// The size.
    pub size: usize,
    /// The engine.
    pub engine: String,
    /// Second entry over first.
    pub ratio: f64,
    /// Its interval, at the plan's confidence.
    pub low: f64,
    /// Its other end.
    pub high: f64,
    /// By the rule for all pairs: what would have been said of two engines.
    pub verdict: Verdict,
    /// The interval at the confidence that all controls of the run hold together.
    pub family_low: f64,
    /// Its other end.
    pub family_high: f64,
    /// Whether the family interval lies wholly beyond the margin, or 0.01 if the margin is wider: this
    /// stamps the run invalid.
    pub differs: bool,
}
