//! Several runs side by side.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::overview::name;
use super::{Page, day};
use crate::digest::short;
use crate::index::{Cell, outcome_name};
use crate::units::{ratio, time};

pub(super) fn side_by_side(pages: &[Page<'_>]) -> Markup {
    html! {
        section #side-by-side {
            h2 { "The runs side by side" }
            p {
                "Times of different machines don't compare engines; ratios within one run do. Each "
                "run has a section of its own below."
            }
            (table_of_runs(pages))
            @for engine in engines(pages) { (one_engine(pages, engine)) }
        }
    }
}

fn table_of_runs(pages: &[Page<'_>]) -> Markup {
    html! {
        div.scroll { table {
            thead { tr {
                th scope="col" { "run" } th scope="col" { "machine" } th scope="col" { "day" }
                th scope="col" { "grade" } th scope="col" { "against it" }
            } }
            tbody { @for page in pages {
                @let run = page.index.run;
                tr {
                    th scope="row" { a href={ "#" (page.anchor) } { (short(&run.id)) } }
                    td.words { (run.host.kind) ", " (run.host.cpu) }
                    td { (day(run)) }
                    td { (run.grade.name) @if run.interrupted { ", stopped early" } }
                    td.words {
                        @let demerits: Vec<_> = run.grade.demerits.iter().map(|d| d.kind.as_str()).collect();
                        (if demerits.is_empty() { "nothing".into() } else { demerits.join(", ") })
                    }
                }
            } }
        } }
    }
}

/// One engine's medians in all runs, and its ratios to each run's baseline.
fn one_engine(pages: &[Page<'_>], engine: &str) -> Markup {
    html! {
        details {
            summary { (engine) }
            div.scroll { table {
                thead { tr {
                    th scope="col" { "row" }
                    @for page in pages { th.num scope="col" {
                        (page.index.run.host.kind) br;
                        span.small { (short(&page.index.run.id)) ", over " (page.baseline.unwrap_or("nothing")) }
                    } }
                } }
                tbody { @for cell in cells(pages) {
                    tr data-row-case=(cell.case) data-row-size=(cell.size) {
                        th scope="row" { (name(cell)) }
                        @for page in pages { (one(page, cell, engine)) }
                    }
                } }
            } }
        }
    }
}

fn one(page: &Page<'_>, cell: Cell<'_>, engine: &str) -> Markup {
    let Some(row) = page.index.row(cell, engine) else { return html! { td.num { "-" } } };
    let Some(statistics) = &row.statistics else {
        return html! { td.num.none { (outcome_name(&row.outcome)) } };
    };
    let comparison =
        page.baseline.and_then(|baseline| page.index.comparison(cell, engine, baseline));
    html! {
        td.num {
            (time(statistics.median_ns))
            @if let Some(c) = comparison {
                div.small {
                    (ratio(c.ratio)) "×"
                    @if let Some(words) = page.index.difference(&c) { ", " (words) }
                }
            }
        }
    }
}

/// Of all runs, the first run's first.
fn engines<'a>(pages: &[Page<'a>]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for engine in pages.iter().flat_map(|page| &page.index.run.engines) {
        if !names.contains(&engine.name.as_str()) {
            names.push(&engine.name);
        }
    }
    names
}

/// Of all runs: the cases in the order in which they first come, sizes ascending.
fn cells<'a>(pages: &[Page<'a>]) -> Vec<Cell<'a>> {
    let mut cases: Vec<&str> = Vec::new();
    let mut sizes: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for cell in pages.iter().flat_map(|page| page.index.cells()) {
        if !cases.contains(&cell.case) {
            cases.push(cell.case);
        }
        let known = sizes.entry(cell.case).or_default();
        if !known.contains(&cell.size) {
            known.push(cell.size);
            known.sort_unstable();
        }
    }
    let of = |case| sizes[case].iter().map(move |size| Cell { case, size: *size });
    cases.into_iter().flat_map(of).collect()
}
