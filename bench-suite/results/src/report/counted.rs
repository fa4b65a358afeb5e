//! What was counted, and how far times are from the floor.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::Page;
use super::overview::{head, name};
use crate::format::{Counts, Engine, Floor, Row, Storage};
use crate::index::Cell;
use crate::price::own_floor;
use crate::units::{count, memory, ratio, time};

pub(super) fn floor(page: &Page<'_>) -> Markup {
    let floors = cells(page, |row| row.floor.is_some() && row.statistics.is_some());
    html! {
        p {
            "The floor of a row is what the RFC makes unavoidable: its cryptographic operations, each "
            "at the price of the fastest of this run's priced backends (under Conditions). The number is "
            "measured over floor: 1 would be an engine that does nothing else. An engine whose "
            "library is not among those, or is faster at many at once, can be below."
        }
        @if floors.is_empty() { p { "This run has no floors." } } @else {
            (table(page, &floors, Some("floor"), |cell| {
                first_floor(page, cell).map(|floor| html! { (time(floor.total_ns)) })
            }, |row| {
                let (floor, statistics) = (row.floor.as_ref()?, row.statistics.as_ref()?);
                Some(html! { (ratio(statistics.median_ns / floor.total_ns)) })
            }))
            h3 { "On the engine's own library" }
            p {
                "The same calls at the prices of the library that the engine stands on, where this run "
                "has them: what is above 1 is the engine's doing."
            }
            (table(page, &floors, None, |_| None, |row| {
                let engine = page.index.engine(&row.engine)?;
                let own = own_floor(page.index.run, row, engine).ok()?;
                Some(html! { (ratio(row.statistics.as_ref()?.median_ns / own)) })
            }))
            details {
                summary { "What each floor is made of" }
                div.scroll { table {
                    thead { tr {
                        th scope="col" { "row" } th scope="col" { "terms" }
                        th scope="col" { "unavoidable too, and not priced" }
                    } }
                    tbody { @for cell in &floors { (terms(page, *cell)) } }
                } }
            }
        }
    }
}

fn terms(page: &Page<'_>, cell: Cell<'_>) -> Markup {
    let Some(floor) = first_floor(page, cell) else { return html! {} };
    html! {
        tr data-row-case=(cell.case) data-row-size=(cell.size) {
            th scope="row" { (name(cell)) }
            td.words {
                @for (at, term) in floor.terms.iter().enumerate() {
                    @if at > 0 { " + " }
                    (term.count) " × " (term.kind()) " at " (time(term.each_ns)) " (" (term.backend) ")"
                }
            }
            td.words { (floor.left_out.join(", ")) }
        }
    }
}

/// The floor is the case's, not the engine's.
fn first_floor<'a>(page: &Page<'a>, cell: Cell<'_>) -> Option<&'a Floor> {
    let mut engines = page.index.run.engines.iter();
    engines.find_map(|engine| page.index.row(cell, &engine.name)?.floor.as_ref())
}

pub(super) fn operations(page: &Page<'_>) -> Markup {
    let counted = cells(page, |row| row.counts.is_some());
    html! {
        p {
            "Calls of the crypto library in one operation, where an engine lets itself be counted. "
            span.excess { "+n" } " is what is more than the floor needs. Not every primitive is "
            "priced in the floor: those have no excess. Key pairs are generated or derived: an "
            "engine without a call for the first draws bytes and derives, so it is their sum that "
            "counts (kem_key_pairs)."
        }
        @if counted.is_empty() { p { "Nothing was counted in this run." } }
        @for cell in counted { (calls(page, cell)) }
    }
}

fn calls(page: &Page<'_>, cell: Cell<'_>) -> Markup {
    let engines = page.index.run.engines.iter();
    let rows: Vec<&Row> = engines
        .filter_map(|engine| page.index.row(cell, &engine.name))
        .filter(|row| row.counts.is_some())
        .collect();
    let needed = first_floor(page, cell).map(needed);
    let counted: Vec<_> =
        rows.iter().map(|row| row.counts.as_ref().map(counted).unwrap_or_default()).collect();
    let names: BTreeSet<&str> = counted.iter().flat_map(BTreeMap::keys).copied().collect();
    let of = |at: usize, name: &str| -> u64 {
        counted.get(at).and_then(|calls| calls.get(name)).copied().unwrap_or_default()
    };
    let excess = |at: usize, name: &str| {
        let needed = needed.as_ref()?.get(name)?;
        of(at, name).checked_sub(*needed).filter(|excess| *excess > 0)
    };
    let with_excess: Vec<&str> = rows
        .iter()
        .enumerate()
        .filter(|(at, _)| names.iter().any(|name| excess(*at, name).is_some()))
        .map(|(_, row)| row.engine.as_str())
        .collect();
    html! {
        details data-row-case=(cell.case) data-row-size=(cell.size) {
            summary {
                (name(cell))
                @if !with_excess.is_empty() { span.small { ": more than needed by " (with_excess.join(", ")) } }
            }
            div.scroll { table {
                thead { tr {
                    th scope="col" { "calls of" } th.num scope="col" { "floor" }
                    @for row in &rows { th.num scope="col" { (head(&row.engine)) } }
                } }
                tbody { @for name in &names { tr {
                    th scope="row" { (name) }
                    td.num { (needed.as_ref().and_then(|n| n.get(name)).map_or("-".into(), |n| count(*n))) }
                    @for at in 0..rows.len() { td.num {
                        (count(of(at, name)))
                        @if let Some(excess) = excess(at, name) { " " span.excess { "+" (excess) } }
                    } }
                } } }
            } }
        }
    }
}

/// Calls by primitive, over all terms.
fn needed(floor: &Floor) -> BTreeMap<&str, u64> {
    by_kind(floor.terms.iter().map(|term| (term.kind(), term.count)))
}

fn counted(counts: &Counts) -> BTreeMap<&str, u64> {
    by_kind(counts.calls.iter().map(|(name, calls)| (name.as_str(), *calls)))
}

/// Sums, with both ways to a key pair under one name.
fn by_kind<'a>(calls: impl Iterator<Item = (&'a str, u64)>) -> BTreeMap<&'a str, u64> {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for (name, calls) in calls {
        let kind = match name {
            "kem_generate" | "kem_derive" => "kem_key_pairs",
            other => other,
        };
        let sum = sums.entry(kind).or_default();
        *sum = sum.saturating_add(calls);
    }
    sums
}

pub(super) fn wire(page: &Page<'_>) -> Markup {
    let cells = cells(page, |row| row.wire.is_some());
    html! {
        p { "What one operation returns for publishing (out), and what it was given (in)." }
        @if cells.is_empty() { p { "No bytes were counted in this run." } } @else {
            (table(page, &cells, None, |_| None, |row| {
                let wire = row.wire.as_ref()?;
                let lines = wire.sent.iter().map(|kind| ("out", kind));
                let lines = lines.chain(wire.received.iter().map(|kind| ("in", kind)));
                Some(html! {
                    @for (way, (kind, bytes)) in lines {
                        div { span.small { (way) " " (kind) } " " (count(*bytes)) " B" }
                    }
                })
            }))
        }
    }
}

pub(super) fn storage(page: &Page<'_>) -> Markup {
    let cells = cells(page, |row| row.storage.is_some());
    html! {
        p {
            "What the client that did the operation has to keep of the group afterwards: all of it, as "
            "the engine would write it; the ratchet tree, as a joiner is sent it; and where the engine "
            "has a store, what the operation wrote to it. A dash is what an engine can't tell."
        }
        @if cells.is_empty() { p { "No storage was looked at in this run." } } @else {
            (table(page, &cells, None, |_| None, |row| {
                let Storage { group_bytes, tree_bytes, written_bytes } = row.storage?;
                let lines = [("group", group_bytes), ("tree", tree_bytes), ("written", written_bytes)];
                let known = lines.into_iter().filter_map(|(name, bytes)| Some((name, bytes?)));
                Some(html! {
                    @for (name, bytes) in known {
                        div { span.small { (name) } " " (count(bytes)) " B" }
                    }
                })
            }))
        }
    }
}

pub(super) fn allocations(page: &Page<'_>) -> Markup {
    let cells = cells(page, |row| row.allocations.is_some());
    html! {
        p {
            "Allocations of one operation: how many, how much in all, the most that was live at once, "
            "and what was left when it returned. What a join leaves is a client's state of the group; "
            "what it is per member stands behind it. Memory that C code takes for itself isn't seen."
        }
        @if cells.is_empty() { p { "Allocations were not counted in this run." } } @else {
            (table(page, &cells, None, |_| None, |row| {
                let a = row.allocations?;
                Some(html! {
                    div { (count(a.count)) }
                    div.small title={ (count(a.bytes)) " B in all, " (count(a.peak_bytes)) " B at most" } {
                        (memory(a.bytes)) ", peak " (memory(a.peak_bytes))
                    }
                    @if let Some(left) = a.left_bytes {
                        div.small title={ (left) " B left" } {
                            "left " (if left < 0 { "-" } else { "" }) (memory(left.unsigned_abs()))
                            @if row.operation == "join_welcome" && left > 0 && row.size > 0 {
                                ", " (memory(left.unsigned_abs() / row.size as u64)) " a member"
                            }
                        }
                    }
                })
            }))
        }
    }
}

/// The cells with such a row.
fn cells<'a>(page: &Page<'a>, has: impl Fn(&Row) -> bool) -> Vec<Cell<'a>> {
    let index = &page.index;
    let any = |cell: &Cell<'a>| {
        index.run.engines.iter().any(|engine| index.row(*cell, &engine.name).is_some_and(&has))
    };
    index.cells().into_iter().filter(any).collect()
}

/// Rows by engines, without the second entries. A column in front, if it has a title.
fn table(
    page: &Page<'_>,
    cells: &[Cell<'_>],
    front: Option<&str>,
    of_cell: impl Fn(Cell<'_>) -> Option<Markup>,
    of_row: impl Fn(&Row) -> Option<Markup>,
) -> Markup {
    let engines: Vec<&Engine> = page
        .index
        .run
        .engines
        .iter()
        .filter(|engine| engine.again.is_none())
        .filter(|engine| {
            let mut rows = cells.iter().filter_map(|cell| page.index.row(*cell, &engine.name));
            rows.any(|row| of_row(row).is_some())
        })
        .collect();
    html! {
        div.scroll { table {
            thead { tr {
                th scope="col" { "row" }
                @if let Some(title) = front { th.num scope="col" { (title) } }
                @for engine in &engines { th.num scope="col" { (head(&engine.name)) } }
            } }
            tbody {
                @for cell in cells {
                    tr data-row-case=(cell.case) data-row-size=(cell.size) {
                        th scope="row" { (name(*cell)) }
                        @if front.is_some() { td.num { (of_cell(*cell).unwrap_or_else(|| html! { "-" })) } }
                        @for engine in &engines {
                            td.num {
                                (page.index.row(*cell, &engine.name).and_then(&of_row)
                                    .unwrap_or_else(|| html! { "-" }))
                            }
                        }
                    }
                }
            }
        } }
    }
}
