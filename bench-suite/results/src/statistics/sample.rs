//! Medians and percentiles of samples.

use crate::format::Block;

/// A sample's time, per operation.
pub(super) fn per_operation(blocks: &[Block], times: fn(&Block) -> &Vec<u64>) -> Vec<f64> {
    let each = |block: &Block| {
        let operations = f64::from(block.operations.max(1));
        times(block).iter().map(|ns| as_f64(*ns) / operations).collect::<Vec<_>>()
    };
    blocks.iter().flat_map(each).collect()
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 ns, a hundred days")]
pub(super) fn as_f64(ns: u64) -> f64 {
    ns as f64
}

pub(super) fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values
}

/// The median of sorted values: the middle one, or the mean of the two in the middle. 0 of none.
#[must_use]
pub fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    match (sorted.len() % 2, sorted.get(middle)) {
        (_, None) => 0.0,
        (1, Some(value)) => *value,
        (_, Some(value)) => f64::midpoint(sorted[middle - 1], *value),
    }
}

/// The median absolute deviation from the median, not scaled.
#[must_use]
pub fn mad(values: &[f64]) -> f64 {
    let center = median(values);
    median(&sorted(values.iter().map(|value| (value - center).abs()).collect()))
}

/// The smallest of sorted values that at least `percent` percent don't exceed. 0 of none.
#[must_use]
pub fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}
