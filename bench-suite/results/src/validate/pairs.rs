//! Comparisons and controls: of rows that were measured, and with ratios that can be.

use super::Found;
use crate::format::{Comparison, Control, Run};
use crate::index::{Cell, Index};

pub(super) fn check(run: &Run, found: &mut Found<'_>) {
    let index = Index::new(run);
    let pair = |c: &Comparison| {
        let (one, other) = (c.engine.clone(), c.against.clone());
        let (one, other) = if one < other { (one, other) } else { (other, one) };
        (c.case.clone(), c.size, one, other)
    };
    found.unique(run.comparisons.iter().map(pair), |(case, size, one, other)| {
        format!("comparison {case}/{size} of {one} and {other}")
    });
    for comparison in &run.comparisons {
        check_comparison(&index, comparison, found);
    }
    found.unique(run.controls.iter().map(|c| (&c.case, c.size, &c.engine)), |(case, size, of)| {
        format!("control {case}/{size} of {of}")
    });
    for control in &run.controls {
        check_control(&index, control, found);
    }
}

/// A comparison's name in problems.
pub(super) fn comparison_name(c: &Comparison) -> String {
    format!("comparison {}/{} of {} with {}", c.case, c.size, c.engine, c.against)
}

/// A control's name in problems.
pub(super) fn control_name(c: &Control) -> String {
    format!("control {}/{} of {}", c.case, c.size, c.engine)
}

fn check_comparison(index: &Index<'_>, c: &Comparison, found: &mut Found<'_>) {
    let part = comparison_name(c);
    let cell = Cell { case: &c.case, size: c.size };
    found.must(c.engine != c.against, &part, || "an engine is compared with itself".into());
    measured(index, cell, [&c.engine, &c.against], &part, found);
    interval((c.low, c.ratio, c.high), &part, found);
}

fn check_control(index: &Index<'_>, c: &Control, found: &mut Found<'_>) {
    let part = control_name(c);
    let cell = Cell { case: &c.case, size: c.size };
    match index.run.engines.iter().find(|other| other.again.as_ref() == Some(&c.engine)) {
        Some(again) => measured(index, cell, [&again.name, &c.engine], &part, found),
        None => found.add(&part, "this engine was entered only once"),
    }
    interval((c.low, c.ratio, c.high), &part, found);
    interval((c.family_low, c.ratio, c.family_high), &part, found);
}

fn measured(
    index: &Index<'_>,
    cell: Cell<'_>,
    engines: [&String; 2],
    part: &str,
    found: &mut Found<'_>,
) {
    for engine in engines {
        match index.row(cell, engine) {
            None => found.add(part, format!("there is no such row of {engine}")),
            Some(row) if row.statistics.is_none() => {
                found.add(part, format!("{engine} was not measured there"));
            }
            Some(_) => {}
        }
    }
}

fn interval((low, ratio, high): (f64, f64, f64), part: &str, found: &mut Found<'_>) {
    let possible = [low, ratio, high].into_iter().all(|r| r.is_finite() && r > 0.0);
    found.must(possible, part, || "a ratio is no number above 0".into());
    found.must(low <= high, part, || {
        format!("its interval's low end, {low}, is above its high end, {high}")
    });
    found.must(low <= ratio && ratio <= high, part, || {
        format!("its ratio, {ratio}, is not in its interval, {low} to {high}")
    });
}
