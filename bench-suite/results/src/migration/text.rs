//! The report for the terminal.

use std::fmt::{self, Write};

use super::sentences::{Sentences, sentences};
use super::{Amount, Line, Migration, Move, Price, Time};
use crate::digest::short;
use crate::format::Run;
use crate::index::verdict_name;
use crate::markdown::{controls, grade};
use crate::units::{count, ratio, time};

/// The report of one run.
#[must_use]
pub fn text(run: &Run) -> String {
    let migration = Migration::of(run);
    let mut out = String::new();
    put(&mut out, format_args!("Run {}, {}, {}", short(&run.id), run.started, run.host.cpu));
    put(&mut out, format_args!("{}", grade(&run.grade, run.interrupted).replace("**", "")));
    put(&mut out, format_args!("{}", controls(run).replace('`', "")));
    if migration.is_empty() {
        put(&mut out, format_args!("\nNo engine of this run is on a post-quantum cipher suite."));
        return out;
    }
    for one in &migration.moves {
        table(&mut out, one);
    }
    for alone in &migration.without_baseline {
        put(&mut out, format_args!("\n{}: {}", alone.engine, alone.why));
    }
    quotes(&mut out, &sentences(run, &migration));
    out
}

/// Writing to a `String` can't fail.
fn put(out: &mut String, line: fmt::Arguments<'_>) {
    let _ = writeln!(out, "{line}");
}

fn table(out: &mut String, one: &Move) {
    let Move { engine, suite, baseline, .. } = one;
    put(out, format_args!("\n{engine} over {baseline}: {}, {suite}", suite.phase));
    put(
        out,
        format_args!(
            "  {:30} {:>9} {:>28} {:>16} {:>16} {:>16} {:>20}",
            "row",
            "median",
            "time, x",
            "wire bytes, x",
            "allocations, x",
            "state bytes, x",
            "primitives alone, x"
        ),
    );
    for line in &one.lines {
        row(out, line);
    }
    let unpriced = one.lines.iter().find_map(|line| match &line.primitives {
        Price::Unknown { why } => Some(why),
        Price::Known { .. } => None,
    });
    if let Some(why) = unpriced {
        put(out, format_args!("  primitives alone, where there is a dash: {why}"));
    }
}

fn row(out: &mut String, line: &Line) {
    let name = format!("{}/{}", line.case, line.size);
    if let Some(why) = &line.missing {
        put(out, format_args!("  {name:30} {why}"));
        return;
    }
    let median = line.time.map_or("-".into(), |t| time(t.median_ns));
    put(
        out,
        format_args!(
            "  {name:30} {median:>9} {:>28} {:>16} {:>16} {:>16} {:>20}",
            line.time.as_ref().map_or("-".into(), factor),
            line.wire_bytes.map_or("-".into(), amount),
            line.allocations.map_or("-".into(), amount),
            line.state_bytes.map_or("-".into(), amount),
            alone(&line.primitives),
        ),
    );
}

fn factor(time: &Time) -> String {
    let Time { factor, low, high, verdict, .. } = time;
    let (factor, low, high) = (ratio(*factor), ratio(*low), ratio(*high));
    format!("{factor} [{low}, {high}] {}", verdict_name(*verdict))
}

fn amount(amount: Amount) -> String {
    let factor = amount.factor.map_or("-".into(), ratio);
    format!("{} {factor}", count(amount.is))
}

fn alone(price: &Price) -> String {
    match price {
        Price::Known { alone_ns, factor, .. } => format!("{} {}", time(*alone_ns), ratio(*factor)),
        Price::Unknown { .. } => "-".into(),
    }
}

fn quotes(out: &mut String, sentences: &Sentences) {
    if !sentences.said.is_empty() {
        put(out, format_args!("\nTo quote"));
    }
    for said in &sentences.said {
        put(out, format_args!("  {said}"));
    }
    if !sentences.unsaid.is_empty() {
        put(out, format_args!("\nWhat this run doesn't carry"));
    }
    for unsaid in &sentences.unsaid {
        put(out, format_args!("  {unsaid}"));
    }
}
