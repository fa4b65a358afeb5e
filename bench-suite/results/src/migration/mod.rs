//! What the move to post-quantum cipher suites costs a group, made from a record of one engine on
//! several suites.
//!
//! An engine on a post-quantum suite is held against the same engine on the same backend, at the same
//! layer, on suite 0x0001. Ratios of times are the run's own comparisons, with their intervals. Bytes
//! are counted, and so is what is allocated: those factors have no interval. [`sentences`] says of it
//! what the run carries, and what it doesn't.

mod price;
pub mod sentences;
pub mod suites;
mod text;

use serde::Serialize;

use crate::format::{Allocations, Comparison, Engine, Row, Run, Verdict};
use crate::index::{Cell, Index, why_not};
use crate::statistics::rounded_ratio;
use suites::{Phase, Suite, named};

pub use text::text;

/// All of it.
#[derive(Clone, Debug, Serialize)]
pub struct Migration {
    /// The run.
    pub run: String,
    /// What the run is worth.
    pub grade: String,
    /// One for each engine on a suite beyond the baseline, by phase.
    pub moves: Vec<Move>,
    /// Engines that stand on such a suite and can't be held against anything, with the reason.
    pub without_baseline: Vec<Alone>,
}

/// An engine without its baseline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Alone {
    /// The engine.
    pub engine: String,
    /// Why.
    pub why: String,
}

/// An engine on one suite, held against itself on 0x0001.
#[derive(Clone, Debug, Serialize)]
pub struct Move {
    /// The engine.
    pub engine: String,
    /// Its suite.
    pub suite: Suite,
    /// The engine on 0x0001.
    pub baseline: String,
    /// What it says of itself that a reader must know.
    pub notes: Vec<String>,
    /// Each case and size.
    pub lines: Vec<Line>,
}

/// A case at a size.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// The case.
    pub case: String,
    /// The size.
    pub size: usize,
    /// What the size counts.
    pub size_means: String,
    /// Why there are no numbers, if there are none.
    pub missing: Option<String>,
    /// The medians and their ratio.
    pub time: Option<Time>,
    /// What the operation puts on the wire; of one that puts nothing there, what it takes from it.
    pub wire_bytes: Option<Amount>,
    /// Allocations.
    pub allocations: Option<Amount>,
    /// Bytes allocated.
    pub allocated_bytes: Option<Amount>,
    /// The most that was live at once.
    pub peak_bytes: Option<Amount>,
    /// What the client has to keep of the group.
    pub state_bytes: Option<Amount>,
    /// The ratchet tree, as a joiner is sent it.
    pub tree_bytes: Option<Amount>,
    /// What the RFC makes unavoidable, at this backend's price of its primitives.
    pub primitives: Price,
}

/// Time, here and on the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Time {
    /// The median.
    pub median_ns: f64,
    /// The baseline's.
    pub baseline_ns: f64,
    /// The one over the other.
    pub factor: f64,
    /// The factor's interval.
    pub low: f64,
    /// Its other end.
    pub high: f64,
    /// What may be said of it.
    pub verdict: Verdict,
}

/// A counted number, here and on the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Amount {
    /// Here.
    pub is: u64,
    /// On the baseline.
    pub baseline: u64,
    /// The one over the other; `None` over nothing.
    pub factor: Option<f64>,
}

/// The primitives alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Price {
    /// Both are priced.
    Known {
        /// Their sum here.
        alone_ns: f64,
        /// Their sum on the baseline.
        baseline_ns: f64,
        /// The one over the other.
        factor: f64,
    },
    /// They are not.
    Unknown {
        /// Why.
        why: String,
    },
}

impl Amount {
    /// Of both.
    #[must_use]
    pub fn new(is: u64, baseline: u64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
        let factor = (baseline > 0).then(|| rounded_ratio(is as f64 / baseline as f64));
        Self { is, baseline, factor }
    }
}

impl Migration {
    /// Of a run; empty if no engine of it is on a suite beyond the baseline.
    #[must_use]
    pub fn of(run: &Run) -> Self {
        let index = Index::new(run);
        let mut moves = Vec::new();
        let mut without_baseline = Vec::new();
        for (engine, suite) in run.engines.iter().filter_map(moved) {
            match baseline(run, engine) {
                Some(base) => moves.push(one(&index, engine, suite, base)),
                None => without_baseline.push(alone(engine)),
            }
        }
        moves.sort_by_key(|one| (one.suite.phase, one.suite.number));
        Self { run: run.id.clone(), grade: run.grade.name.clone(), moves, without_baseline }
    }

    /// Whether the run has nothing to do with a migration.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty() && self.without_baseline.is_empty()
    }
}

/// An engine on a suite beyond the baseline.
fn moved(engine: &Engine) -> Option<(&Engine, Suite)> {
    let suite = named(&engine.cipher_suite)?;
    (engine.again.is_none() && suite.phase != Phase::Baseline).then_some((engine, suite))
}

/// The same engine on the same backend, at the same layer and with as many threads, on 0x0001.
fn baseline<'a>(run: &'a Run, engine: &Engine) -> Option<&'a Engine> {
    let kind = |engine: &Engine| {
        let Engine { name, crypto, layer, threads, wire_profile, .. } = engine;
        let family = name.split('/').next().unwrap_or(name).to_owned();
        (family, crypto.clone(), layer.clone(), threads.clone(), wire_profile.clone())
    };
    let is_baseline = |other: &&Engine| {
        let suite = named(&other.cipher_suite);
        other.again.is_none() && suite.is_some_and(|suite| suite.phase == Phase::Baseline)
    };
    run.engines.iter().filter(is_baseline).find(|other| kind(other) == kind(engine))
}

fn alone(engine: &Engine) -> Alone {
    let family = engine.name.split('/').next().unwrap_or(&engine.name);
    Alone {
        engine: engine.name.clone(),
        why: format!(
            "this run has no {family} on {} at layer {} with suite 0x0001: there is nothing to hold it \
             against",
            engine.crypto, engine.layer
        ),
    }
}

fn one(index: &Index<'_>, engine: &Engine, suite: Suite, base: &Engine) -> Move {
    let cells = index.cells();
    let lines = cells.iter().filter_map(|cell| line(index, *cell, engine, base));
    Move {
        engine: engine.name.clone(),
        suite,
        baseline: base.name.clone(),
        notes: engine.notes.clone(),
        lines: lines.collect(),
    }
}

fn line(index: &Index<'_>, cell: Cell<'_>, engine: &Engine, base: &Engine) -> Option<Line> {
    let (row, was) = (index.row(cell, &engine.name)?, index.row(cell, &base.name)?);
    let both = [row, was];
    let missing = both.iter().find_map(|row| Some((row, why_not(&row.outcome)?)));
    let amount = |of: &dyn Fn(&Row) -> Option<u64>| Some(Amount::new(of(row)?, of(was)?));
    let allocated = |of: fn(&Allocations) -> u64| amount(&|row| row.allocations.as_ref().map(of));
    Some(Line {
        case: cell.case.into(),
        size: cell.size,
        size_means: row.size_means.clone(),
        missing: missing.map(|(row, why)| format!("{}: {why}", row.engine)),
        time: time(index, row, was),
        wire_bytes: amount(&on_the_wire),
        allocations: allocated(|of| of.count),
        allocated_bytes: allocated(|of| of.bytes),
        peak_bytes: allocated(|of| of.peak_bytes),
        state_bytes: amount(&|row| row.storage?.group_bytes),
        tree_bytes: amount(&|row| row.storage?.tree_bytes),
        primitives: price::of(index.run, (row, engine), (was, base)),
    })
}

fn time(index: &Index<'_>, row: &Row, was: &Row) -> Option<Time> {
    let cell = Cell { case: &row.case, size: row.size };
    let Comparison { ratio, low, high, verdict, .. } =
        index.comparison(cell, &row.engine, &was.engine)?;
    Some(Time {
        median_ns: row.statistics.as_ref()?.median_ns,
        baseline_ns: was.statistics.as_ref()?.median_ns,
        factor: ratio,
        low,
        high,
        verdict,
    })
}

fn on_the_wire(row: &Row) -> Option<u64> {
    let wire = row.wire.as_ref()?;
    let sum = |bytes: &std::collections::BTreeMap<String, u64>| bytes.values().sum::<u64>();
    let sent = sum(&wire.sent);
    Some(if sent > 0 { sent } else { sum(&wire.received) })
}
