//! What follows from the samples, computed again and held against what the file says.

use std::collections::HashMap;

use super::Found;
use super::pairs::{comparison_name, control_name};
use super::rows::name;
use crate::format::{Comparison, Control, Run, Statistics};
use crate::statistics::derive;

/// How far a time may be off: one step of [`rounded_ns`](crate::statistics::rounded_ns), as other
/// machines may round the last bits of a logarithm differently.
const STEP_NS: f64 = 0.001_5;

/// The same for ratios, as a share: a step is between a tenth of this and all of it.
const STEP: f64 = 0.000_001_5;

pub(super) fn check(run: &Run, found: &mut Found<'_>) {
    let derived = derive(run);
    for (row, should_be) in run.rows.iter().zip(&derived.statistics) {
        if let (Some(stated), Some(should_be)) = (&row.statistics, should_be) {
            statistics(&name(row), stated, should_be, found);
        }
    }
    let key = |c: &Comparison| (c.case.clone(), c.size, c.engine.clone(), c.against.clone());
    let stated: HashMap<_, _> = run.comparisons.iter().map(|c| (key(c), c)).collect();
    for should_be in &derived.comparisons {
        match stated.get(&key(should_be)) {
            Some(stated) => comparison(stated, should_be, found),
            None => found.add(comparison_name(should_be), "it is missing"),
        }
    }
    number("comparisons", run.comparisons.len(), derived.comparisons.len(), found);
    let key = |c: &Control| (c.case.clone(), c.size, c.engine.clone());
    let stated: HashMap<_, _> = run.controls.iter().map(|c| (key(c), c)).collect();
    for should_be in &derived.controls {
        match stated.get(&key(should_be)) {
            Some(stated) => control(stated, should_be, found),
            None => found.add(control_name(should_be), "it is missing"),
        }
    }
    number("controls", run.controls.len(), derived.controls.len(), found);
}

fn number(what: &str, is: usize, should_be: usize, found: &mut Found<'_>) {
    found.must(is == should_be, what, || {
        format!("there are {is}; from the rows follow {should_be}")
    });
}

fn statistics(part: &str, stated: &Statistics, should_be: &Statistics, found: &mut Found<'_>) {
    let counts = [
        ("samples", stated.samples, should_be.samples),
        ("blocks", stated.blocks, should_be.blocks),
        ("processes", stated.processes, should_be.processes),
        ("preempted", stated.preempted, should_be.preempted),
    ];
    for (name, is, should_be) in counts {
        same(part, name, &is, &should_be, found);
    }
    let times = [
        ("median_ns", stated.median_ns, should_be.median_ns),
        ("low_ns", stated.low_ns, should_be.low_ns),
        ("high_ns", stated.high_ns, should_be.high_ns),
        ("mad_ns", stated.mad_ns, should_be.mad_ns),
        ("min_ns", stated.min_ns, should_be.min_ns),
        ("cpu_median_ns", stated.cpu_median_ns, should_be.cpu_median_ns),
    ];
    for (name, is, should_be) in times {
        close(part, name, (is, should_be), STEP_NS, found);
    }
    let percentiles =
        [("p90_ns", stated.p90_ns, should_be.p90_ns), ("p99_ns", stated.p99_ns, should_be.p99_ns)];
    for (name, is, should_be) in percentiles {
        match (is, should_be) {
            (Some(is), Some(should_be)) => close(part, name, (is, should_be), STEP_NS, found),
            (is, should_be) => same(part, name, &is, &should_be, found),
        }
    }
}

fn comparison(stated: &Comparison, should_be: &Comparison, found: &mut Found<'_>) {
    let part = comparison_name(should_be);
    ratio(&part, "ratio", (stated.ratio, should_be.ratio), found);
    ratio(&part, "low", (stated.low, should_be.low), found);
    ratio(&part, "high", (stated.high, should_be.high), found);
    same(&part, "verdict", &stated.verdict, &should_be.verdict, found);
    same(&part, "same_crypto", &stated.same_crypto, &should_be.same_crypto, found);
    same(&part, "only_engine", &stated.only_engine, &should_be.only_engine, found);
    same(&part, "only_against", &stated.only_against, &should_be.only_against, found);
}

fn control(stated: &Control, should_be: &Control, found: &mut Found<'_>) {
    let part = control_name(should_be);
    ratio(&part, "ratio", (stated.ratio, should_be.ratio), found);
    ratio(&part, "low", (stated.low, should_be.low), found);
    ratio(&part, "high", (stated.high, should_be.high), found);
    ratio(&part, "family_low", (stated.family_low, should_be.family_low), found);
    ratio(&part, "family_high", (stated.family_high, should_be.family_high), found);
    same(&part, "verdict", &stated.verdict, &should_be.verdict, found);
    same(&part, "differs", &stated.differs, &should_be.differs, found);
}

fn same<T: PartialEq + std::fmt::Debug>(
    part: &str,
    field: &str,
    is: &T,
    should_be: &T,
    found: &mut Found<'_>,
) {
    found.must(is == should_be, part, || {
        format!("{field} is {is:?}; from the samples follows {should_be:?}")
    });
}

fn ratio(part: &str, field: &str, (is, should_be): (f64, f64), found: &mut Found<'_>) {
    close(part, field, (is, should_be), STEP * should_be.abs(), found);
}

/// Within a step, or a share of 1e-9 of numbers so large that a step is below their last bits.
fn close(part: &str, field: &str, (is, should_be): (f64, f64), step: f64, found: &mut Found<'_>) {
    let near = (is - should_be).abs() <= step.max(1e-9 * should_be.abs());
    found.must(near, part, || format!("{field} is {is}; from the samples follows {should_be}"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::rounded_ratio;

    #[test]
    fn a_digit_of_a_ratio_counts_however_small_it_is() {
        for should_be in [0.000_123_456_789, 0.987_654_321, 1.0, 8_765.432_1].map(rounded_ratio) {
            for (is, fits) in [
                (should_be, true),
                (should_be * (1.0 + 1e-7), true),
                (should_be * (1.0 + 1e-5), false),
                (should_be * (1.0 - 1e-5), false),
                (f64::NAN, false),
            ] {
                let mut problems = Vec::new();
                let mut found = Found { run: "a run", problems: &mut problems };
                ratio("a pair", "low", (is, should_be), &mut found);
                assert_eq!(problems.is_empty(), fits, "{is} for {should_be}");
            }
        }
    }
}
