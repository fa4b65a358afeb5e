//! Blocks drawn anew, many times, and the medians of what was drawn.

use super::FEWEST_BLOCKS;
use super::distribution::{normal_tail, student_beyond};
use super::random::Random;
use super::sample::{as_f64, median, sorted};
use crate::format::{Block, Intervals, Plan};

/// All draws of one case and size.
pub(crate) struct Drawn {
    arms: Vec<Arm>,
    blocks: usize,
    processes: usize,
    confidence: f64,
    intervals: Intervals,
}

/// One engine: what its samples are, and what its median was in each draw.
struct Arm {
    least: f64,
    median: f64,
    most: f64,
    medians: Vec<f64>,
    /// Its median in each process, where it has samples there.
    by_process: Vec<Option<f64>>,
}

/// What is known of how far an estimate may be off, on the logarithmic scale.
struct Spread {
    /// The standard deviation that the draws show, and its degrees of freedom.
    within: f64,
    blocks: f64,
    /// That of a mean of as many processes, as their own medians show it; it has what blocks differ
    /// by in it, too. None if there are fewer than two.
    between: Option<(f64, f64)>,
}

/// Where something lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interval {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Whether there were blocks enough for it to mean anything.
    pub(crate) enough: bool,
}

/// The ratio of two engines' medians.
pub(super) struct Pair {
    pub(super) ratio: f64,
    pub(super) interval: Interval,
    spread: Spread,
}

impl Drawn {
    pub(crate) fn new(plan: &Plan, purpose: &str, arms: &[&[Block]]) -> Self {
        let keys = keys(arms);
        let strata = strata(&keys);
        let mut arms: Vec<(Arm, Vec<(f64, usize)>)> =
            arms.iter().map(|blocks| Arm::new(blocks, &keys)).collect();
        let drawn = Self {
            arms: Vec::new(),
            blocks: keys.len(),
            processes: strata.len(),
            confidence: plan.confidence,
            intervals: plan.intervals,
        };
        let mut weights = vec![0_u32; keys.len()];
        for stratum in &strata {
            weights.fill(0);
            weights[stratum.clone()].fill(1);
            for (arm, samples) in &mut arms {
                arm.by_process.push(weighted_median(samples, &weights));
            }
        }
        let mut random = Random::new(plan.seed, purpose);
        for _ in 0..if drawn.enough() { plan.resamples } else { 0 } {
            weights.fill(0);
            for stratum in &strata {
                for _ in stratum.clone() {
                    weights[stratum.start + random.below(stratum.len())] += 1;
                }
            }
            for (arm, samples) in &mut arms {
                let median = weighted_median(samples, &weights).unwrap_or(arm.median);
                arm.medians.push(median);
            }
        }
        Self { arms: arms.into_iter().map(|(arm, _)| arm).collect(), ..drawn }
    }

    pub(crate) fn enough(&self) -> bool {
        self.blocks >= FEWEST_BLOCKS && self.blocks >= self.processes + 4
    }

    pub(crate) fn freedom(&self) -> f64 {
        as_f64((self.blocks - self.processes) as u64)
    }

    /// Draws from n blocks vary too little, by the root of (n - 1) / n.
    fn small(&self) -> f64 {
        (as_f64(self.blocks as u64) / self.freedom()).sqrt()
    }

    /// An engine's median, and what it was in each draw.
    pub(crate) fn medians(&self, arm: usize) -> (f64, &[f64]) {
        let arm = &self.arms[arm];
        (arm.median, &arm.medians)
    }

    /// An engine's median in each process.
    pub(crate) fn by_process(&self, arm: usize) -> &[Option<f64>] {
        &self.arms[arm].by_process
    }

    /// The interval of an engine's median.
    pub(super) fn median(&self, arm: usize) -> Interval {
        let arm = &self.arms[arm];
        if !self.enough() {
            return Interval { low: arm.least, high: arm.most, enough: false };
        }
        let drawn = sorted(arm.medians.clone());
        let spread = self.spread(&drawn, arm.by_process.iter().copied().flatten());
        self.widened(self.percentiles(drawn, arm.median), arm.median, &spread)
    }

    /// The ratio of the medians of two engines.
    pub(super) fn pair(&self, above: usize, below: usize) -> Pair {
        let (above, below) = (&self.arms[above], &self.arms[below]);
        let divided = |one: f64, other: f64| if other > 0.0 { one / other } else { 1e9 };
        let ratio = divided(above.median, below.median);
        if !self.enough() {
            let low = divided(above.least, below.most);
            let interval = Interval { low, high: divided(above.most, below.least), enough: false };
            return Pair { ratio, interval, spread: Spread::none() };
        }
        let both = above.medians.iter().zip(&below.medians);
        let ratios = sorted(both.map(|(one, other)| divided(*one, *other)).collect());
        let by_process = above.by_process.iter().zip(&below.by_process);
        let by_process = by_process.filter_map(|(one, other)| Some(divided((*one)?, (*other)?)));
        let spread = self.spread(&ratios, by_process);
        let interval = self.widened(self.percentiles(ratios, ratio), ratio, &spread);
        Pair { ratio, interval, spread }
    }

    fn spread(&self, drawn: &[f64], by_process: impl Iterator<Item = f64>) -> Spread {
        let by_process: Vec<f64> = by_process.collect();
        let processes = as_f64(by_process.len() as u64);
        let between = (by_process.len() >= 2 && !self.intervals.is_over_blocks())
            .then(|| (deviation(&by_process) / processes.sqrt(), processes - 1.0));
        Spread { within: self.small() * deviation(drawn), blocks: self.freedom(), between }
    }

    /// An interval of draws, reaching on both sides at least as far as the processes' medians do.
    fn widened(&self, interval: Interval, estimate: f64, spread: &Spread) -> Interval {
        let reach = spread.reach_of_processes((1.0 - self.confidence) / 2.0);
        if reach <= 0.0 {
            return interval;
        }
        Interval {
            low: interval.low.min(estimate * (-reach).exp()),
            high: interval.high.max(estimate * reach.exp()),
            enough: interval.enough,
        }
    }

    /// The interval of something whose values in the draws these are, sorted.
    pub(crate) fn percentiles(&self, drawn: Vec<f64>, estimate: f64) -> Interval {
        let wide = self.small() * student_beyond((1.0 - self.confidence) / 2.0, self.freedom());
        let tail = normal_tail(wide) * as_f64(drawn.len() as u64);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to half")]
        let skipped = (tail.max(0.0) as usize).min(drawn.len().saturating_sub(1) / 2);
        let low = drawn.get(skipped).copied().unwrap_or(estimate);
        let high = drawn.iter().nth_back(skipped).copied().unwrap_or(estimate);
        Interval { low: low.min(estimate), high: high.max(estimate), enough: true }
    }
}

impl Pair {
    /// The interval that holds together with those of `family` pairs.
    pub(super) fn family(&self, confidence: f64, family: usize) -> Interval {
        if !self.interval.enough {
            return self.interval;
        }
        let tail = (1.0 - confidence) / 2.0 / as_f64(family.max(1) as u64);
        let reach = self.spread.reach(tail);
        Interval {
            low: (self.ratio * (-reach).exp()).min(self.interval.low),
            high: (self.ratio * reach.exp()).max(self.interval.high),
            enough: true,
        }
    }
}

impl Spread {
    fn none() -> Self {
        Self { within: 0.0, blocks: 1.0, between: None }
    }

    /// How far from the estimate lies what has this probability: the further of the two, as either
    /// may be underestimated by chance.
    fn reach(&self, tail: f64) -> f64 {
        (student_beyond(tail, self.blocks) * self.within).max(self.reach_of_processes(tail))
    }

    fn reach_of_processes(&self, tail: f64) -> f64 {
        self.between.map_or(0.0, |(deviation, freedom)| student_beyond(tail, freedom) * deviation)
    }
}

impl Arm {
    /// The engine's samples in ascending order, each with the index of its block.
    fn new(blocks: &[Block], keys: &[(u32, u32)]) -> (Self, Vec<(f64, usize)>) {
        let mut samples = Vec::new();
        for block in blocks {
            let Ok(key) = keys.binary_search(&(block.process, block.block)) else {
                continue;
            };
            let operations = f64::from(block.operations.max(1));
            samples.extend(block.wall_ns.iter().map(|ns| (as_f64(*ns) / operations, key)));
        }
        samples.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        let values: Vec<f64> = samples.iter().map(|(value, _)| *value).collect();
        let arm = Self {
            least: values.first().copied().unwrap_or_default(),
            median: median(&values),
            most: values.last().copied().unwrap_or_default(),
            medians: Vec::new(),
            by_process: Vec::new(),
        };
        (arm, samples)
    }
}

/// Every block that any engine has, in order.
fn keys(arms: &[&[Block]]) -> Vec<(u32, u32)> {
    let blocks = arms.iter().flat_map(|blocks| blocks.iter());
    let mut keys: Vec<_> = blocks.map(|block| (block.process, block.block)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Where each process begins and ends among the keys.
fn strata(keys: &[(u32, u32)]) -> Vec<std::ops::Range<usize>> {
    let mut start = 0;
    let same_process = |one: &(u32, u32), other: &(u32, u32)| one.0 == other.0;
    keys.chunk_by(same_process)
        .map(|chunk| {
            let stratum = start..start + chunk.len();
            start = stratum.end;
            stratum
        })
        .collect()
}

/// The median of samples of which each counts as often as its block was drawn.
fn weighted_median(samples: &[(f64, usize)], weights: &[u32]) -> Option<f64> {
    let total: u64 = samples.iter().map(|(_, key)| u64::from(weights[*key])).sum();
    let mut passed = 0;
    let mut lower = None;
    for (value, key) in samples {
        let weight = u64::from(weights[*key]);
        if weight == 0 {
            continue;
        }
        if let Some(lower) = lower {
            return Some(f64::midpoint(lower, *value));
        }
        passed += 2 * weight;
        if passed > total {
            return Some(*value);
        }
        if passed == total {
            lower = Some(*value);
        }
    }
    None
}

/// How far the logarithm of a ratio of two runs' means may be off by what processes of one run differ
/// by, which their own values show; nothing is known of it with fewer than two in either run. The
/// degrees of freedom are Welch's.
pub(crate) fn reach_between(old: &[f64], new: &[f64], confidence: f64) -> f64 {
    if old.len() < 2 || new.len() < 2 {
        return 0.0;
    }
    let variance = |values: &[f64]| deviation(values).powi(2) / as_f64(values.len() as u64);
    let (old_part, new_part) = (variance(old), variance(new));
    let all = old_part + new_part;
    if all <= 0.0 {
        return 0.0;
    }
    let share = |part: f64, values: &[f64]| part.powi(2) / as_f64(values.len() as u64 - 1);
    let freedom = all.powi(2) / (share(old_part, old) + share(new_part, new));
    student_beyond((1.0 - confidence) / 2.0, freedom) * all.sqrt()
}

/// The standard deviation of the logarithms.
fn deviation(ratios: &[f64]) -> f64 {
    let logarithms: Vec<f64> =
        ratios.iter().map(|ratio| ratio.max(f64::MIN_POSITIVE).ln()).collect();
    let number = as_f64(logarithms.len().max(2) as u64);
    let mean = logarithms.iter().sum::<f64>() / number;
    let squares = logarithms.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    (squares / (number - 1.0)).sqrt()
}
