//! What follows from the rounds of an entry.
//!
//! A median's interval is between order statistics, which asks nothing of how times are distributed:
//! of `n` independent values, so many lie on one side of their median only by a chance that the
//! binomial distribution gives. Ratios are taken round by round, since what the machine does meets
//! all turns of a round.

use serde::{Deserialize, Serialize};

use super::{Row, Table};
use crate::statistics::{CONTROL_MARGIN, median, rounded_ns, rounded_ratio};

/// Standard deviations that hold 95 % of what is distributed normally.
const CONFIDENCE: f64 = 1.96;

/// Rounds that an interval needs.
pub const FEWEST_ROUNDS: usize = 9;

/// The median of a ratio over the rounds, and what holds it with 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ratio {
    /// The median.
    pub median: f64,
    /// The interval's lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Ratio {
    /// Whether the interval comes as near to 1 as that.
    #[must_use]
    pub fn is_one_within(&self, share: f64) -> bool {
        self.low <= 1.0 + share && 1.0 - share <= self.high
    }
}

/// The median of these and its interval at 95 %.
#[must_use]
pub fn interval(values: &[f64]) -> (f64, f64, f64) {
    interval_at(values, CONFIDENCE)
}

/// The same so many standard deviations wide.
fn interval_at(values: &[f64], deviations: f64) -> (f64, f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len();
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else {
        return (f64::NAN, f64::NAN, f64::NAN);
    };
    if count < FEWEST_ROUNDS {
        return (median(&sorted), *first, *last);
    }
    let half = count as f64 / 2.0;
    let low = (half - deviations / 2.0 * (count as f64).sqrt()).floor().max(0.0) as usize;
    let high = count - 1 - low.min(count - 1);
    (median(&sorted), sorted[low.min(count - 1)], sorted[high])
}

/// `times` over `base`, round by round.
#[must_use]
pub fn ratio(times: &[f64], base: &[f64]) -> Ratio {
    rounded(interval(&quotients(times, base)))
}

fn quotients(times: &[f64], base: &[f64]) -> Vec<f64> {
    times.iter().zip(base).map(|(time, base)| time / base).collect()
}

fn rounded((median, low, high): (f64, f64, f64)) -> Ratio {
    Ratio { median: rounded_ratio(median), low: rounded_ratio(low), high: rounded_ratio(high) }
}

/// Puts each row's fastest first and computes everything that follows from the rounds.
pub fn fill(tables: &mut [Table]) {
    let rows = || tables.iter().flat_map(|table| &table.rows);
    let controls = rows().filter(|row| row.control.is_some()).count();
    for row in tables.iter_mut().flat_map(|table| &mut table.rows) {
        fill_row(row, controls);
    }
}

fn fill_row(row: &mut Row, controls: usize) {
    for entry in &mut row.entries {
        let (median, low, high) = interval(&entry.rounds_ns);
        (entry.median_ns, entry.low_ns, entry.high_ns) =
            (rounded_ns(median), rounded_ns(low), rounded_ns(high));
    }
    row.entries.sort_by(|one, other| {
        one.median_ns.total_cmp(&other.median_ns).then_with(|| one.name.cmp(&other.name))
    });
    let Some(fastest) = row.entries.first().map(|entry| entry.rounds_ns.clone()) else { return };
    for entry in &mut row.entries {
        entry.ratio = ratio(&entry.rounds_ns, &fastest);
    }
    let Some(control) = &mut row.control else { return };
    let of = row.entries.iter().find(|entry| entry.name == control.name);
    let first = of.map_or(&fastest, |entry| &entry.rounds_ns);
    control.ratio = ratio(&control.rounds_ns, first);
    let (_, low, high) =
        interval_at(&quotients(&control.rounds_ns, first), deviations_of_all(controls));
    control.differs = low > 1.0 + CONTROL_MARGIN || high < 1.0 - CONTROL_MARGIN;
}

/// Standard deviations that hold 95 % of the cases in which so many intervals hold all at once
/// (Bonferroni). The tail of the normal distribution is below `exp(-x²/2) / (x √2π)`, which is solved
/// for `x` from above, so that the interval is never too narrow.
fn deviations_of_all(controls: usize) -> f64 {
    let tail = 0.025 / controls.max(1) as f64;
    let mut reach = 6.0_f64;
    for _ in 0..50 {
        let bound = (tail * reach * (2.0 * std::f64::consts::PI).sqrt()).ln();
        reach = (-2.0 * bound).max(CONFIDENCE * CONFIDENCE).sqrt();
    }
    reach
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "whole numbers")]

    use super::*;

    #[test]
    fn the_interval_is_between_order_statistics() {
        let values: Vec<f64> = (1..=61).map(f64::from).collect();
        assert_eq!(interval(&values), (31.0, 23.0, 39.0));
        assert_eq!(interval(&[3.0, 1.0, 2.0]), (2.0, 1.0, 3.0));
        assert!(interval(&[]).0.is_nan());
    }

    /// Of draws from a distribution with median 1, the interval misses it in one of twenty.
    #[test]
    fn it_misses_as_often_as_it_says() {
        let mut random = crate::statistics::Random::new(1, "tables");
        let mut missed = 0;
        for _ in 0..4000 {
            let draw = |_| {
                let unit = (random.bits() >> 11) as f64 / (1u64 << 53) as f64;
                // Skewed as times are: median 1.
                1.0 + unit * unit - 0.25
            };
            let values: Vec<f64> = (0..61).map(draw).collect();
            let (_, low, high) = interval(&values);
            missed += usize::from(low > 1.0 || high < 1.0);
        }
        assert!((100..260).contains(&missed), "{missed} of 4000");
    }

    #[test]
    fn many_controls_widen_the_interval() {
        assert!((deviations_of_all(1) - 1.96).abs() < 0.15, "{}", deviations_of_all(1));
        assert!((deviations_of_all(200) - 3.66).abs() < 0.06, "{}", deviations_of_all(200));
        assert!(deviations_of_all(2) > deviations_of_all(1));
    }
}
