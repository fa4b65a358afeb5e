//! What follows from samples: pure functions of a run's plan, engines and blocks.
//!
//! Everything here can be computed again from a file, by anybody, and gives the same numbers: the
//! random draws come from [`Plan::seed`] alone, and every result is rounded to a few decimals
//! ([`rounded_ns`], [`rounded_ratio`]), far below what can be measured.
//!
//! - A **median** is of the samples' times per operation; nothing is trimmed.
//! - An **interval** is a bootstrap over blocks. In each process as many blocks are drawn, with
//!   replacement, as it has; the same ones for all engines of a case and size. Its ends are
//!   percentiles that are moved outwards as Student's distribution is wider than the normal one
//!   with so few blocks (Hesterberg's expanded percentiles). Times within a block may depend on
//!   each other as they like. It reaches at least as far as Student's interval of the processes'
//!   own medians does; with one process nothing is known of those.
//! - A **ratio** is of two medians, its interval of the drawn medians' ratios.
//! - The **family interval** of a control holds together with those of all controls of the run
//!   (Bonferroni). Its tails are further out than draws reach, so it takes the drawn ratios'
//!   logarithms as normally distributed.
//! - With fewer than [`FEWEST_BLOCKS`] blocks there is no such thing: the interval then spans all
//!   samples, and nothing is said of a ratio.

pub(crate) mod bootstrap;
mod distribution;
mod random;
mod sample;

use std::collections::HashMap;

use crate::format::{Block, Comparison, Control, Engine, Outcome, Plan, Row, Run, Statistics};

pub use crate::format::Verdict;
pub use random::Random;
pub use sample::{mad, median, percentile};

use bootstrap::{Drawn, Interval};

/// Blocks that an interval needs.
pub const FEWEST_BLOCKS: usize = 6;

/// Samples that a 90th percentile needs.
pub const SAMPLES_FOR_P90: usize = 100;

/// Samples that a 99th percentile needs.
pub const SAMPLES_FOR_P99: usize = 1000;

/// The widest margin that a control is held against. However little a run cares for, an engine that
/// differs from itself by more shows that something else was measured.
pub const CONTROL_MARGIN: f64 = 0.01;

/// What follows from a run's rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Derived {
    /// Of each row, in the rows' order; `None` unless it was measured.
    pub statistics: Vec<Option<Statistics>>,
    /// Every pair of engines of each case and size; second entries are in no pair.
    pub comparisons: Vec<Comparison>,
    /// Every second entry against its first.
    pub controls: Vec<Control>,
}

/// Computes a run's statistics from its blocks. [`Statistics::first_ns`] is no result but a
/// record: it is taken over.
#[must_use]
pub fn derive(run: &Run) -> Derived {
    of(&run.plan, &run.engines, &run.rows)
}

/// [`derive()`] from its parts.
#[must_use]
pub fn of(plan: &Plan, engines: &[Engine], rows: &[Row]) -> Derived {
    let engine_of = |name: &str| engines.iter().find(|engine| engine.name == name);
    let mut derived = Derived { statistics: vec![None; rows.len()], ..Derived::default() };
    let mut controls = Vec::new();
    for group in groups(rows) {
        let members: Vec<&Row> = group.iter().map(|index| &rows[*index]).collect();
        let blocks: Vec<&[Block]> = members.iter().map(|row| row.blocks.as_slice()).collect();
        let drawn = Drawn::new(plan, &seed_text(members[0]), &blocks);
        for (arm, index) in group.iter().enumerate() {
            derived.statistics[*index] = Some(statistics(&rows[*index], &drawn, arm));
        }
        for (arm, row) in members.iter().enumerate() {
            let Some(first) = engine_of(&row.engine).and_then(|engine| engine.again.as_ref())
            else {
                continue;
            };
            if let Some(first) = members.iter().position(|other| other.engine == *first) {
                controls.push((row.case.clone(), row.size, drawn.pair(arm, first), members[first]));
            }
        }
        for (arm, row) in members.iter().enumerate() {
            for (other, against) in members.iter().enumerate().skip(arm + 1) {
                let (Some(engine), Some(against)) =
                    (engine_of(&row.engine), engine_of(&against.engine))
                else {
                    continue;
                };
                if engine.again.is_none() && against.again.is_none() {
                    let pair = drawn.pair(arm, other);
                    derived.comparisons.push(comparison(plan, row, engine, against, &pair));
                }
            }
        }
    }
    let family = controls.len();
    derived.controls = controls
        .into_iter()
        .map(|(case, size, pair, first)| {
            control(plan, case, size, first.engine.clone(), &pair, family)
        })
        .collect();
    derived
}

/// The measured rows by case and size, in the order in which they first appear.
fn groups(rows: &[Row]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut known: HashMap<(&str, usize), usize> = HashMap::new();
    for (index, row) in rows.iter().enumerate() {
        let sampled = row.blocks.iter().any(|block| !block.wall_ns.is_empty());
        if row.outcome != Outcome::Measured || !sampled {
            continue;
        }
        let group = *known.entry((&row.case, row.size)).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(index);
    }
    groups
}

fn seed_text(row: &Row) -> String {
    format!("{}/{}", row.case, row.size)
}

/// What may be said of a ratio with this interval.
#[must_use]
pub fn verdict(low: f64, high: f64, margin: f64) -> Verdict {
    if high < 1.0 - margin {
        Verdict::Faster
    } else if low > 1.0 + margin {
        Verdict::Slower
    } else if low >= 1.0 - margin && high <= 1.0 + margin {
        Verdict::Equivalent
    } else {
        Verdict::Inconclusive
    }
}

fn statistics(row: &Row, drawn: &Drawn, arm: usize) -> Statistics {
    let wall = sample::sorted(sample::per_operation(&row.blocks, |block| &block.wall_ns));
    let cpu = sample::sorted(sample::per_operation(&row.blocks, |block| &block.cpu_ns));
    let Interval { low, high, .. } = drawn.median(arm);
    let switches = row.blocks.iter().flat_map(|block| &block.switches);
    let mut processes: Vec<u32> = row.blocks.iter().map(|block| block.process).collect();
    processes.sort_unstable();
    processes.dedup();
    Statistics {
        samples: count(wall.len()),
        blocks: count(row.blocks.len()),
        processes: count(processes.len()),
        preempted: count(switches.filter(|switches| **switches > 0).count()),
        median_ns: rounded_ns(median(&wall)),
        low_ns: rounded_ns(low),
        high_ns: rounded_ns(high),
        mad_ns: rounded_ns(mad(&wall)),
        min_ns: rounded_ns(wall.first().copied().unwrap_or_default()),
        p90_ns: (wall.len() >= SAMPLES_FOR_P90).then(|| rounded_ns(percentile(&wall, 90))),
        p99_ns: (wall.len() >= SAMPLES_FOR_P99).then(|| rounded_ns(percentile(&wall, 99))),
        cpu_median_ns: rounded_ns(median(&cpu)),
        first_ns: row.statistics.as_ref().map(|was| was.first_ns.clone()).unwrap_or_default(),
    }
}

fn comparison(
    plan: &Plan,
    row: &Row,
    engine: &Engine,
    against: &Engine,
    pair: &bootstrap::Pair,
) -> Comparison {
    let (low, high) = (rounded_ratio(pair.interval.low), rounded_ratio(pair.interval.high));
    let (own, other) = (engine.spans.of(&row.operation), against.spans.of(&row.operation));
    let only = |one: &[String], other: &[String]| -> Vec<String> {
        one.iter().filter(|work| !other.contains(work)).cloned().collect()
    };
    Comparison {
        case: row.case.clone(),
        size: row.size,
        engine: engine.name.clone(),
        against: against.name.clone(),
        ratio: rounded_ratio(pair.ratio),
        low,
        high,
        verdict: said(pair, verdict(low, high, plan.margin)),
        same_crypto: engine.crypto == against.crypto && engine.cipher_suite == against.cipher_suite,
        only_engine: only(own, other),
        only_against: only(other, own),
    }
}

fn control(
    plan: &Plan,
    case: String,
    size: usize,
    engine: String,
    pair: &bootstrap::Pair,
    family: usize,
) -> Control {
    let (low, high) = (rounded_ratio(pair.interval.low), rounded_ratio(pair.interval.high));
    let all = pair.family(plan.confidence, family);
    let (family_low, family_high) = (rounded_ratio(all.low), rounded_ratio(all.high));
    let together = said(pair, verdict(family_low, family_high, plan.margin.min(CONTROL_MARGIN)));
    Control {
        case,
        size,
        engine,
        ratio: rounded_ratio(pair.ratio),
        low,
        high,
        verdict: said(pair, verdict(low, high, plan.margin)),
        family_low,
        family_high,
        differs: matches!(together, Verdict::Faster | Verdict::Slower),
    }
}

/// Nothing, without enough blocks.
fn said(pair: &bootstrap::Pair, verdict: Verdict) -> Verdict {
    if pair.interval.enough { verdict } else { Verdict::Inconclusive }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// To a thousandth of a nanosecond: few enough decimals to be read back as they were written.
#[must_use]
pub fn rounded_ns(ns: f64) -> f64 {
    (ns * 1e3).round() / 1e3
}

/// To seven digits, however small it is: an engine that does next to nothing has ratios of 1e-4.
#[must_use]
pub fn rounded_ratio(ratio: f64) -> f64 {
    format!("{ratio:.6e}").parse().unwrap_or(ratio)
}

#[cfg(test)]
mod tests;
