//! The table of a README: medians, and what may be said of an engine and its same-crypto peers.

use std::fmt::Write;

use crate::digest::short;
use crate::format::{Engine, Grade, Run};
use crate::grade::is_false;
use crate::index::{Cell, Index, outcome_name, verdict_name};
use crate::statistics::CONTROL_MARGIN;
use crate::units::{percent, ratio, time};

/// Where a table begins in a document.
pub const BEGIN: &str = "<!-- results:begin -->";

/// Where it ends.
pub const END: &str = "<!-- results:end -->";

/// What to show.
#[derive(Clone, Debug)]
pub struct Options {
    /// The family (what stands before the slash) that is compared with its same-crypto peers.
    pub subject: String,
    /// Of each case the largest size up to this one is shown.
    pub largest: usize,
}

/// A document without the two markers.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("there must be one line `{begin}` and after it one line `{end}`")]
pub struct NoPlace {
    begin: String,
    end: String,
}

/// `document` with `table` between its markers.
///
/// # Errors
/// [`NoPlace`].
pub fn place(document: &str, table: &str) -> Result<String, NoPlace> {
    place_between(document, BEGIN, END, table)
}

/// The same between other markers.
pub(crate) fn place_between(
    document: &str,
    begin: &str,
    end: &str,
    table: &str,
) -> Result<String, NoPlace> {
    let no_place = || NoPlace { begin: begin.into(), end: end.into() };
    let (before, rest) = document.split_once(begin).ok_or_else(no_place)?;
    let (_, after) = rest.split_once(end).ok_or_else(no_place)?;
    if after.contains(begin) || after.contains(end) {
        return Err(no_place());
    }
    Ok(format!("{before}{begin}\n{table}{end}{after}"))
}

/// The table of one run.
#[must_use]
pub fn table(run: &Run, options: &Options) -> String {
    let index = Index::new(run);
    let mut out = String::new();
    origin(&mut out, run);
    let engines = columns(run);
    let cells = cells(&index, options.largest);
    let mut layers: Vec<&str> = Vec::new();
    for engine in &engines {
        if !layers.contains(&engine.layer.as_str()) {
            layers.push(&engine.layer);
        }
    }
    for layer in layers {
        let of_layer: Vec<_> = engines.iter().filter(|e| e.layer == layer).copied().collect();
        medians(&mut out, &index, layer, &of_layer, &cells);
    }
    let pairs = pairs(run, &engines, &options.subject);
    if !pairs.is_empty() {
        ratios(&mut out, &index, &pairs, &cells);
    }
    notes(&mut out, &index, &engines, &cells, &pairs);
    out
}

/// Writing to a `String` can't fail.
fn put(out: &mut String, line: std::fmt::Arguments<'_>) {
    let _ = writeln!(out, "{line}");
}

fn origin(out: &mut String, run: &Run) {
    let date = run.started.get(..10).unwrap_or(&run.started);
    let commit = run.build.commit.as_deref().map_or("an unknown commit".into(), |commit| {
        let dirty = if run.build.dirty == Some(true) { ", changed" } else { "" };
        format!("commit {}{dirty}", short(commit))
    });
    put(
        out,
        format_args!(
            "Run `{}` of {date}, {}, {} ({} processors), {}, {commit}:",
            short(&run.id),
            run.host.kind,
            run.host.cpu,
            run.host.processors,
            run.build.rustc,
        ),
    );
    put(out, format_args!("\n    {}\n", run.command.join(" ")));
    put(out, format_args!("{}\n", grade(&run.grade, run.interrupted)));
}

/// The grade in a sentence.
#[must_use]
pub fn grade(grade: &Grade, interrupted: bool) -> String {
    let demerits: Vec<_> =
        grade.demerits.iter().map(|d| format!("{}: {}", d.kind, d.seen)).collect();
    let cut = if interrupted { " It was stopped before its plan was done." } else { "" };
    let against =
        if demerits.is_empty() { "nothing speaks against it".into() } else { demerits.join("; ") };
    format!("**Grade: {}** ({against}).{cut}", grade.name)
}

/// Without second entries, and without what measures the harness.
fn columns(run: &Run) -> Vec<&Engine> {
    let harness = |engine: &Engine| engine.spans.send.iter().any(|work| work == "no cryptography");
    run.engines.iter().filter(|engine| engine.again.is_none() && !harness(engine)).collect()
}

fn cells<'a>(index: &Index<'a>, largest: usize) -> Vec<Cell<'a>> {
    let of = |case| {
        let sizes = index.sizes(case);
        let fitting = sizes.iter().rev().find(|size| **size <= largest).or(sizes.first());
        fitting.map(|size| Cell { case, size: *size })
    };
    index.cases().into_iter().filter_map(of).collect()
}

/// A table for each layer: rows of one compare.
fn medians(
    out: &mut String,
    index: &Index<'_>,
    layer: &str,
    engines: &[&Engine],
    cells: &[Cell<'_>],
) {
    let names: Vec<_> = engines.iter().map(|engine| format!("`{}`", engine.name)).collect();
    put(out, format_args!("| median, {layer} | {} |", names.join(" | ")));
    put(out, format_args!("|---|{}", "--:|".repeat(engines.len())));
    for cell in cells {
        let of = |engine: &&Engine| match index.row(*cell, &engine.name) {
            None => "-".into(),
            Some(row) => match &row.statistics {
                Some(statistics) => time(statistics.median_ns),
                None => outcome_name(&row.outcome).to_owned(),
            },
        };
        let medians: Vec<_> = engines.iter().map(of).collect();
        put(out, format_args!("| `{}/{}` | {} |", cell.case, cell.size, medians.join(" | ")));
    }
    put(out, format_args!(""));
}

/// Each engine of the family with each peer on the same crypto library, at the same layer.
fn pairs<'a>(run: &Run, engines: &[&'a Engine], subject: &str) -> Vec<(&'a Engine, &'a Engine)> {
    let family = |engine: &Engine| engine.name.split('/').next() == Some(subject);
    let mut pairs = Vec::new();
    for own in engines.iter().filter(|engine| family(engine)) {
        for peer in engines
            .iter()
            .filter(|peer| !family(peer) && peer.crypto == own.crypto && peer.layer == own.layer)
            .filter(|peer| peer.cipher_suite == own.cipher_suite)
        {
            let (one, other) = (&own.name, &peer.name);
            let compared = run.comparisons.iter().any(|c| {
                (&c.engine == one && &c.against == other)
                    || (&c.engine == other && &c.against == one)
            });
            if compared {
                pairs.push((*own, *peer));
            }
        }
    }
    pairs
}

fn ratios(out: &mut String, index: &Index<'_>, pairs: &[(&Engine, &Engine)], cells: &[Cell<'_>]) {
    let plan = &index.run.plan;
    put(
        out,
        format_args!(
            "Ratios of medians on the same crypto library and layer, with the interval at {} confidence: \
             below 1 the first is faster. Within {} of 1 it is called equivalent.\n",
            percent(plan.confidence),
            percent(plan.margin),
        ),
    );
    let heads: Vec<_> =
        pairs.iter().map(|(own, peer)| format!("`{}` / `{}`", own.name, peer.name)).collect();
    put(out, format_args!("| ratio | {} |", heads.join(" | ")));
    put(out, format_args!("|---|{}", "---|".repeat(pairs.len())));
    for cell in cells {
        let of = |(own, peer): &(&Engine, &Engine)| {
            index.comparison(*cell, &own.name, &peer.name).map_or("-".into(), |c| {
                let (mid, low, high) = (ratio(c.ratio), ratio(c.low), ratio(c.high));
                format!("{mid} [{low}, {high}] {}", verdict_name(c.verdict))
            })
        };
        let ratios: Vec<_> = pairs.iter().map(of).collect();
        put(out, format_args!("| `{}/{}` | {} |", cell.case, cell.size, ratios.join(" | ")));
    }
}

fn notes(
    out: &mut String,
    index: &Index<'_>,
    engines: &[&Engine],
    cells: &[Cell<'_>],
    pairs: &[(&Engine, &Engine)],
) {
    if !pairs.is_empty() {
        put(out, format_args!(""));
    }
    for engine in engines {
        let mut works: Vec<&str> = Vec::new();
        for cell in cells {
            let operation = index.row(*cell, &engine.name).map_or("", |row| &row.operation);
            for work in engine.spans.of(operation) {
                if !works.contains(&work.as_str()) {
                    works.push(work);
                }
            }
        }
        if !works.is_empty() {
            let compared = pairs.iter().any(|(_, peer)| peer.name == engine.name);
            let so = if compared { "; its ratios are of the sum" } else { "" };
            let name = &engine.name;
            put(out, format_args!("- `{name}` does more in some rows: {}{so}.", works.join(", ")));
        }
    }
    put(out, format_args!("- {}", controls(index.run)));
}

/// What the A/A pairs showed, in a sentence.
#[must_use]
pub fn controls(run: &Run) -> String {
    let Some(first) = run.controls.first() else {
        return "No engine was entered twice: nothing shows how much of a difference is noise."
            .into();
    };
    let margin = run.plan.margin.min(CONTROL_MARGIN);
    let within = run.controls.iter().filter(|c| (c.ratio - 1.0).abs() <= margin).count();
    let far = run.controls.iter().map(|c| (c.ratio - 1.0).abs()).fold(0.0, f64::max);
    let differ = run.controls.iter().filter(|c| c.differs).count();
    let all = run.controls.len();
    let alone = run.controls.iter().filter(|c| is_false(c)).count();
    let verdict = match (differ, alone) {
        (0, 0) => "none differs beyond its interval".into(),
        (0, alone) => format!(
            "by the rule for pairs {alone} would be called different, none by the interval that all \
             hold together"
        ),
        (differ, _) => format!("{differ} differ beyond their interval, so the run is invalid"),
    };
    format!(
        "A/A: `{}`, entered twice, was within {} of itself in {within} of {all} rows, at most {} \
         off; {verdict}.",
        first.engine,
        percent(margin),
        percent(far),
    )
}
