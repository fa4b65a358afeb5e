//! What post-quantum cipher suites cost: a run's engines on them, held against themselves on 0x0001.

use maud::{Markup, html};

use super::Page;
use super::overview::{head, name};
use crate::index::{Cell, verdict_name};
use crate::migration::sentences::sentences;
use crate::migration::suites::Phase;
use crate::migration::{Amount, Line, Migration, Move, Price, Time};
use crate::units::{count, ratio, time};

/// Nothing of a run that has no engine on such a suite.
pub(super) fn section(page: &Page<'_>) -> Option<Markup> {
    let run = page.index.run;
    let migration = Migration::of(run);
    if migration.is_empty() {
        return None;
    }
    let sentences = sentences(run, &migration);
    Some(html! {
        p {
            "Each engine on a post-quantum suite over the same engine, backend and layer on 0x0001. A "
            "factor of time has its interval; bytes and allocations are counted and have none. Wire "
            "bytes are what an operation sends or, if it sends nothing, what it was given. The primitives "
            "alone are what the RFC makes unavoidable at this run's prices of the same backend."
        }
        @if !sentences.said.is_empty() {
            h3 { "To quote" }
            ul { @for said in &sentences.said { li { (said) } } }
        }
        @if !sentences.unsaid.is_empty() {
            details {
                summary { "What this run doesn't carry (" (sentences.unsaid.len()) ")" }
                ul { @for unsaid in &sentences.unsaid { li { (unsaid) } } }
            }
        }
        @for phase in [Phase::Phase0, Phase::Phase2] { (of_phase(&migration, phase)) }
    })
}

fn of_phase(migration: &Migration, phase: Phase) -> Markup {
    let moves: Vec<&Move> = migration.moves.iter().filter(|one| one.suite.phase == phase).collect();
    let what = match phase {
        Phase::Baseline => "the baseline",
        Phase::Phase0 => "a hybrid or post-quantum KEM, a classical signature",
        Phase::Phase2 => "a post-quantum signature too",
    };
    html! {
        @if !moves.is_empty() { h3 { (phase.name()) ": " (what) } }
        @for one in moves { (table(one)) }
    }
}

fn table(one: &Move) -> Markup {
    let unpriced = one.lines.iter().find_map(|line| match &line.primitives {
        Price::Unknown { why } => Some(why),
        Price::Known { .. } => None,
    });
    html! {
        h4 { (one.engine) " over " (one.baseline) }
        p.small { (one.suite) "." @if let Some(note) = one.notes.first() { " " (note) } }
        div.scroll { table.sortable {
            thead { tr {
                th scope="col" { (head("row")) }
                th.num scope="col" { "median" } th.num scope="col" { "time, ×" }
                th.num scope="col" { "wire bytes, ×" } th.num scope="col" { "allocations, ×" }
                th.num scope="col" { "allocated bytes, ×" } th.num scope="col" { "peak bytes, ×" }
                th.num scope="col" { "state bytes, ×" } th.num scope="col" { "tree bytes, ×" }
                th.num scope="col" { "primitives alone, ×" }
            } }
            tbody { @for line in &one.lines { (row(line)) } }
        } }
        @if let Some(why) = unpriced { p.small { "Primitives alone, where there is a dash: " (why) "." } }
    }
}

fn row(line: &Line) -> Markup {
    let cell = Cell { case: &line.case, size: line.size };
    html! {
        tr data-row-case=(line.case) data-row-size=(line.size) {
            th scope="row" { (name(cell)) }
            @if let Some(why) = &line.missing { td.none.words colspan="9" { (why) } } @else {
                td.num { (line.time.map_or("-".into(), |t| time(t.median_ns))) }
                td.num { @match &line.time { Some(time) => (factor(time)), None => "-" } }
                @for amount in amounts(line) { td.num { (counted(amount)) } }
                td.num { (alone(&line.primitives)) }
            }
        }
    }
}

fn amounts(line: &Line) -> [Option<Amount>; 6] {
    let Line {
        wire_bytes, allocations, allocated_bytes, peak_bytes, state_bytes, tree_bytes, ..
    } = line;
    [*wire_bytes, *allocations, *allocated_bytes, *peak_bytes, *state_bytes, *tree_bytes]
}

fn factor(time: &Time) -> Markup {
    html! {
        span.ratio { (ratio(time.factor)) "×" } " "
        span.interval { "[" (ratio(time.low)) ", " (ratio(time.high)) "]" } " "
        span.verdict.{ "v-" (verdict_name(time.verdict)) } { (verdict_name(time.verdict)) }
    }
}

fn counted(amount: Option<Amount>) -> Markup {
    let Some(amount) = amount else { return html! { "-" } };
    html! {
        (count(amount.is))
        @if let Some(factor) = amount.factor { " " strong { (ratio(factor)) "×" } }
    }
}

fn alone(price: &Price) -> Markup {
    match price {
        Price::Known { alone_ns, factor, .. } => {
            html! { (time(*alone_ns)) " " strong { (ratio(*factor)) "×" } }
        }
        Price::Unknown { .. } => html! { "-" },
    }
}
