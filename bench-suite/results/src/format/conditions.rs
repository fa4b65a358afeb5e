//! Under what conditions a run was made.

use serde::{Deserialize, Serialize};

/// How the run was laid out, fixed before the first sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// `quick`, `default` or `thorough`.
    pub preset: String,
    /// Fresh processes, one after the other.
    pub processes: u32,
    /// Blocks of a row in each process, at most. In a block each engine has its turn.
    pub blocks: u32,
    /// How the order within blocks is chosen, in a few words.
    pub order: String,
    /// Where the random choices come from.
    pub seed: u64,
    /// The margin `m`: ratios between `1 - m` and `1 + m` don't matter to anybody.
    pub margin: f64,
    /// How sure an interval is, e.g. 0.95.
    pub confidence: f64,
    /// How often the blocks are drawn anew for an interval.
    pub resamples: u32,
    /// Samples that are taken and thrown away before the first block of a row.
    pub warm_up: u32,
    /// The engine that was entered twice.
    pub again: Option<String>,
    /// Only rows with this in their name; all if empty.
    pub only: Vec<String>,
    /// Only these sizes; each case's own if empty.
    pub sizes: Vec<usize>,
    /// What intervals hold. Version 1 of the format had no such field, and intervals over blocks.
    #[serde(default, skip_serializing_if = "Intervals::is_over_blocks")]
    pub intervals: Intervals,
}

/// What the intervals of a run hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Intervals {
    /// What blocks of one process differ by.
    #[default]
    OverBlocks,
    /// That, and what processes differ by beyond it.
    OverBlocksAndProcesses,
}

impl Intervals {
    /// Whether what processes differ by is left out.
    #[must_use]
    pub fn is_over_blocks(&self) -> bool {
        *self == Self::OverBlocks
    }
}

/// The machine, as far as it lets itself be asked. `None` is "it doesn't say".
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// A short name for tables, e.g. `linux-x86_64-vm-2`: no machine's or person's name.
    pub kind: String,
    /// The processor's brand string.
    pub cpu: String,
    /// Instruction sets that crypto libraries look for.
    pub cpu_features: Vec<String>,
    /// Logical processors.
    pub processors: u32,
    /// Memory.
    pub memory_bytes: u64,
    /// Operating system and kernel.
    pub system: String,
    /// The hypervisor, if there is one.
    pub hypervisor: Option<String>,
    /// The frequency governor of every processor.
    pub governors: Vec<Option<String>>,
    /// Whether the clock may go above its nominal frequency.
    pub turbo: Option<bool>,
    /// The processor that samples were pinned to.
    pub pinned: Option<u32>,
    /// How often a processor was throttled during the run.
    pub throttled: Option<u64>,
    /// The kernel's clock source.
    pub clock_source: Option<String>,
    /// The smallest step of the clock that was seen.
    pub timer_step_ns: u64,
    /// What reading the clock costs.
    pub timer_cost_ns: u64,
    /// Before the first sample.
    pub before: Load,
    /// After the last.
    pub after: Load,
    /// Share of processor time that the hypervisor gave to others during the run, 0 to 1.
    pub steal: Option<f64>,
}

/// How busy the machine was.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Load averages over 1, 5 and 15 minutes.
    pub average: Option<[f64; 3]>,
}

/// The program that was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// `rustc --version`.
    pub rustc: String,
    /// The target triple.
    pub target: String,
    /// The profile and its settings that matter.
    pub profile: String,
    /// Extra compiler flags.
    pub flags: String,
    /// The allocator that all engines share.
    pub allocator: String,
    /// The commit that was built.
    pub commit: Option<String>,
    /// Whether the tree had changes that are in no commit.
    pub dirty: Option<bool>,
    /// SHA-256 of the lockfile, in hex.
    pub lockfile: String,
    /// Features of the suite that were on.
    pub features: Vec<String>,
}

/// What a run is worth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grade {
    /// `reference` without demerits, `demoted` with any, `invalid` if an A/A pair differs.
    pub name: String,
    /// What speaks against it.
    pub demerits: Vec<Demerit>,
}

/// One thing that speaks against a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demerit {
    /// `load`, `governor`, `turbo`, `pinning`, `throttling`, `steal`, `hypervisor`, `dirty`, `a/a`, ...
    pub kind: String,
    /// What was seen, in words.
    pub seen: String,
}
