//! Each case at each size: medians with their intervals, as numbers and bars, and the ratio to the
//! baseline.

use maud::{Markup, html};

use super::Page;
use super::chart::bar;
use super::overview::swatch;
use super::verdicts::{legend, measures_the_harness, said};
use crate::format::{Row, Statistics};
use crate::index::{Cell, why_not};
use crate::units::time;

pub(super) fn section(page: &Page<'_>) -> Markup {
    let index = &page.index;
    html! {
        p {
            "Bars begin at 0; the bracket on a bar is the interval of its median, the dotted line the "
            "floor (see below). "
            @if let Some(baseline) = page.baseline {
                "Ratios are of the engine's median over that of " strong { (baseline) }
                ". " span.same { "same crypto" } " marks pairs on one library. Where the two don't do "
                "the same work, the difference stands below the ratio: it is of the sum then."
            }
        }
        (legend(index.run))
        @for case in index.cases() {
            section.case data-row-case=(case) {
                h3 { (case) }
                @for size in index.sizes(case) { (one(page, Cell { case, size })) }
            }
        }
    }
}

fn one(page: &Page<'_>, cell: Cell<'_>) -> Markup {
    let rows: Vec<&Row> = page
        .index
        .run
        .engines
        .iter()
        .filter_map(|engine| page.index.row(cell, &engine.name))
        .collect();
    let means = rows.first().map_or("", |row| &row.size_means);
    // What no engine has needs no table.
    if let Some(why) = nobody(&rows) {
        return html! {
            div.cell data-row-case=(cell.case) data-row-size=(cell.size) {
                h4 { (cell.size) " " (means) } p.none { "No engine: " (why) }
            }
        };
    }
    let highest = rows.iter().filter_map(|r| r.statistics.as_ref()).map(|s| s.high_ns);
    let highest = highest.fold(0.0, f64::max);
    html! {
        div.cell data-row-case=(cell.case) data-row-size=(cell.size) {
            h4 { (cell.size) " " (means) }
            table.bars {
                thead { tr {
                    th scope="col" { "engine" }
                    th.num scope="col" { "median [interval]" }
                    th scope="col" { span.sr { "bar" } }
                    th scope="col" { "over " (page.baseline.unwrap_or("nothing")) }
                } }
                tbody { @for row in &rows { (line(page, cell, row, highest)) } }
            }
        }
    }
}

fn line(page: &Page<'_>, cell: Cell<'_>, row: &Row, highest: f64) -> Markup {
    let name = html! { th scope="row" { (swatch(page, &row.engine)) (row.engine) } };
    let Some(s) = &row.statistics else {
        return html! {
            tr { (name) td.none colspan="3" { (why_not(&row.outcome).unwrap_or_default()) } }
        };
    };
    let floor = row.floor.as_ref().map(|floor| floor.total_ns);
    html! {
        tr {
            (name)
            (median(row, s))
            td.bar { (bar(&page.palette.of(&row.engine), s, floor, highest)) }
            td.against { (against(page, cell, row)) }
        }
    }
}

fn median(row: &Row, s: &Statistics) -> Markup {
    html! {
        td.num data-case=(row.case) data-size=(row.size) data-engine=(row.engine)
            data-median-ns=(s.median_ns)
            title={
                (s.samples) " samples in " (s.blocks) " blocks of " (s.processes) " processes, "
                (s.preempted) " preempted; fastest " (time(s.min_ns))
                @if let Some(p90) = s.p90_ns { ", p90 " (time(p90)) }
                @if let Some(p99) = s.p99_ns { ", p99 " (time(p99)) }
            } {
            span.value { (time(s.median_ns)) } " "
            span.interval { "[" (time(s.low_ns)) ", " (time(s.high_ns)) "]" }
        }
    }
}

fn against(page: &Page<'_>, cell: Cell<'_>, row: &Row) -> Markup {
    let engine = page.index.engine(&row.engine);
    if engine.is_some_and(measures_the_harness) {
        return html! { span.small { "no cryptography: the harness's own cost" } };
    }
    if let Some(first) = engine.and_then(|engine| engine.again.as_ref()) {
        return html! { span.small { (first) " a second time, see A/A" } };
    }
    match page.baseline {
        None => html! {},
        Some(baseline) if baseline == row.engine => html! { span.small { "the baseline" } },
        Some(baseline) => match page.index.comparison(cell, &row.engine, baseline) {
            None => html! { span.small { "the baseline was not measured" } },
            Some(c) => html! {
                (said(&c))
                @if c.same_crypto { " " span.same { "same crypto" } }
                @if let Some(words) = page.index.difference(&c) { div.small { (words) } }
            },
        },
    }
}

/// The reason, if all rows have the same one.
fn nobody(rows: &[&Row]) -> Option<String> {
    let first = why_not(&rows.first()?.outcome)?;
    rows.iter().all(|row| why_not(&row.outcome).as_ref() == Some(&first)).then_some(first)
}
