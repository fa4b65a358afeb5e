//! One row in full, for the terminal.

use std::fmt::Write;

use crate::digest::short;
use crate::format::{Block, Row, Run, Statistics};
use crate::index::{Cell, Index, verdict_name, why_not};
use crate::price::own_floor;
use crate::units::{count, memory, ratio, time};

/// How wide a histogram's bars can be.
const BAR: usize = 40;

/// How many classes a histogram has.
const CLASSES: usize = 10;

/// Everything that a run says of a row, given as `case/size`, at all engines.
///
/// # Errors
/// What there is instead, if there is no such row.
pub fn row(run: &Run, wanted: &str) -> Result<String, String> {
    let index = Index::new(run);
    let Some(cell) = index.cells().into_iter().find(|cell| name(*cell) == wanted) else {
        let names: Vec<_> = index.cells().into_iter().map(name).collect();
        return Err(format!("there is no row {wanted}; there are {}", names.join(", ")));
    };
    let mut out = String::new();
    put(&mut out, format_args!("{wanted} in run {}, {}", short(&run.id), run.started));
    let rows = run.engines.iter().filter_map(|engine| index.row(cell, &engine.name));
    for (at, row) in rows.enumerate() {
        if at == 0 {
            put(&mut out, format_args!("the size counts {}", row.size_means));
        }
        engine(&mut out, &index, row);
    }
    pairs(&mut out, &index, cell);
    Ok(out)
}

fn name(cell: Cell<'_>) -> String {
    format!("{}/{}", cell.case, cell.size)
}

/// Writing to a `String` can't fail.
fn put(out: &mut String, line: std::fmt::Arguments<'_>) {
    let _ = writeln!(out, "{line}");
}

fn engine(out: &mut String, index: &Index<'_>, row: &Row) {
    put(out, format_args!("\n{}", row.engine));
    if let Some(why) = why_not(&row.outcome) {
        put(out, format_args!("  {why}"));
    }
    let span = index.engine(&row.engine).map_or(&[] as &[String], |e| e.spans.of(&row.operation));
    let span = if span.is_empty() { "nothing".into() } else { span.join(", ") };
    put(out, format_args!("  beyond the baseline: {span}"));
    if let Some(s) = &row.statistics {
        statistics(out, s, index.run.plan.confidence);
    }
    beside_time(out, index, row);
    if !row.blocks.is_empty() {
        histogram(out, &row.blocks);
    }
}

fn statistics(out: &mut String, s: &Statistics, confidence: f64) {
    put(
        out,
        format_args!(
            "  median {} [{}, {}] at {confidence}, of {} samples in {} blocks of {} processes",
            time(s.median_ns),
            time(s.low_ns),
            time(s.high_ns),
            s.samples,
            s.blocks,
            s.processes
        ),
    );
    put(
        out,
        format_args!(
            "  mad {}, fastest {}, processor time {}, {} samples preempted",
            time(s.mad_ns),
            time(s.min_ns),
            time(s.cpu_median_ns),
            s.preempted
        ),
    );
    let percentile = |ns: Option<f64>| ns.map_or("too few samples".into(), time);
    put(out, format_args!("  p90 {}, p99 {}", percentile(s.p90_ns), percentile(s.p99_ns)));
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let first: Vec<_> = s.first_ns.iter().map(|ns| time(*ns as f64)).collect();
    put(out, format_args!("  first of each process: {}", first.join(", ")));
}

fn beside_time(out: &mut String, index: &Index<'_>, row: &Row) {
    if let (Some(floor), Some(s)) = (&row.floor, &row.statistics) {
        let times = ratio(s.median_ns / floor.total_ns);
        put(out, format_args!("  floor {}, measured / floor {times}", time(floor.total_ns)));
        let engine = index.engine(&row.engine);
        if let Some(own) = engine.and_then(|engine| own_floor(index.run, row, engine).ok()) {
            let times = ratio(s.median_ns / own);
            put(out, format_args!("  on its own library {}, measured / that {times}", time(own)));
        }
        for term in &floor.terms {
            let (each, of) = (time(term.each_ns), &term.backend);
            put(out, format_args!("    {} x {} at {each} ({of})", term.count, term.kind()));
        }
        for left_out in &floor.left_out {
            put(out, format_args!("    not priced: {left_out}"));
        }
    }
    let list = |numbers: &std::collections::BTreeMap<String, u64>| {
        let words: Vec<_> =
            numbers.iter().map(|(name, n)| format!("{name} {}", count(*n))).collect();
        if words.is_empty() { "none".into() } else { words.join(", ") }
    };
    if let Some(counts) = &row.counts {
        put(out, format_args!("  calls: {}", list(&counts.calls)));
        put(out, format_args!("  bytes through: {}", list(&counts.bytes)));
    }
    if let Some(a) = &row.allocations {
        let (all, peak) = (memory(a.bytes), memory(a.peak_bytes));
        put(out, format_args!("  allocations: {}, {all} in all, {peak} at most", count(a.count)));
        if let Some(left) = a.left_bytes {
            put(out, format_args!("  left when it returned: {left} B"));
        }
    }
    if let Some(storage) = &row.storage {
        let named = [
            ("the group", storage.group_bytes),
            ("the tree", storage.tree_bytes),
            ("written by the operation", storage.written_bytes),
        ];
        let known = named.iter().filter_map(|(name, bytes)| Some((*name, (*bytes)?)));
        let words: Vec<_> = known.map(|(name, n)| format!("{name} {} B", count(n))).collect();
        put(out, format_args!("  stored: {}", words.join(", ")));
    }
    if let Some(wire) = &row.wire {
        let (sent, received) = (list(&wire.sent), list(&wire.received));
        put(out, format_args!("  bytes sent: {sent}; received: {received}"));
    }
}

/// Samples by time, from the fastest to where the slowest tenth begins, and those beyond.
fn histogram(out: &mut String, blocks: &[Block]) {
    #[expect(clippy::cast_precision_loss, reason = "a picture")]
    let mut times: Vec<f64> = blocks
        .iter()
        .flat_map(|b| b.wall_ns.iter().map(|ns| *ns as f64 / f64::from(b.operations.max(1))))
        .collect();
    times.sort_unstable_by(f64::total_cmp);
    let (Some(low), Some(high)) = (times.first(), times.get(times.len() * 9 / 10)) else {
        return;
    };
    #[expect(clippy::cast_precision_loss, reason = "ten classes")]
    let edge = |class: usize| low + (high - low) * class as f64 / CLASSES as f64;
    let mut classes = [0_usize; CLASSES + 1];
    for time in &times {
        let class = (1..=CLASSES).find(|class| *time <= edge(*class)).unwrap_or(CLASSES + 1);
        classes[class - 1] += 1;
    }
    let most = classes.iter().max().copied().unwrap_or(1).max(1);
    for (class, number) in classes.iter().enumerate() {
        let bar = "#".repeat((number * BAR).div_ceil(most));
        let label =
            if class < CLASSES { format!("to {}", time(edge(class + 1))) } else { "above".into() };
        put(out, format_args!("  {label:>14} {bar} {number}"));
    }
}

fn pairs(out: &mut String, index: &Index<'_>, cell: Cell<'_>) {
    let run = index.run;
    let here = |case: &str, size: usize| case == cell.case && size == cell.size;
    put(out, format_args!("\npairs"));
    for c in run.comparisons.iter().filter(|c| here(&c.case, c.size)) {
        let crypto = if c.same_crypto { ", same crypto" } else { "" };
        let span = index.difference(c).map_or(String::new(), |words| format!(" ({words})"));
        let (ratio, low, high) = (ratio(c.ratio), ratio(c.low), ratio(c.high));
        let verdict = verdict_name(c.verdict);
        put(
            out,
            format_args!(
                "  {} / {}: {ratio} [{low}, {high}] {verdict}{crypto}{span}",
                c.engine, c.against
            ),
        );
    }
    for c in run.controls.iter().filter(|c| here(&c.case, c.size)) {
        let (ratio, low, high) = (ratio(c.ratio), ratio(c.low), ratio(c.high));
        let verdict = verdict_name(c.verdict);
        put(out, format_args!("  {} again / itself: {ratio} [{low}, {high}] {verdict}", c.engine));
    }
}
