//! Every median in one table.

use maud::{Markup, html};

use super::Page;
use crate::format::Row;
use crate::index::{Cell, outcome_name, why_not};
use crate::units::time;

pub(super) fn section(page: &Page<'_>) -> Markup {
    let index = &page.index;
    html! {
        p { "Medians of one operation. A row's name is case/size; what the size counts stands at the case." }
        div.scroll { table.overview.sortable {
            thead { tr {
                th scope="col" { "row" }
                @for engine in &index.run.engines {
                    th.num scope="col" { (swatch(page, &engine.name)) br; (head(&engine.name)) }
                }
            } }
            tbody {
                @for cell in index.cells() {
                    tr data-row-case=(cell.case) data-row-size=(cell.size) {
                        th scope="row" { (name(cell)) }
                        @for engine in &index.run.engines {
                            (median(index.row(cell, &engine.name)))
                        }
                    }
                }
            }
        } }
    }
}

pub(super) fn name(cell: Cell<'_>) -> Markup {
    html! { @for part in cell.case.split('/') { (part) "/" wbr; } (cell.size) }
}

/// An engine's name at the head of a column: it may break behind its slashes.
pub(super) fn head(engine: &str) -> Markup {
    html! { @for part in engine.split_inclusive('/') { span.whole { (part) } wbr; } }
}

/// A cell with a median, which programs find as attributes.
pub(super) fn median(row: Option<&Row>) -> Markup {
    let Some(row) = row else { return html! { td.num { "-" } } };
    match (&row.statistics, why_not(&row.outcome)) {
        (Some(s), _) => html! {
            td.num data-case=(row.case) data-size=(row.size) data-engine=(row.engine)
                data-median-ns=(s.median_ns)
                title={ (time(s.low_ns)) " to " (time(s.high_ns)) ", " (s.samples) " samples" }
                { (time(s.median_ns)) }
        },
        (None, why) => html! {
            td.num.none data-case=(row.case) data-size=(row.size) data-engine=(row.engine)
                title=(why.unwrap_or_default()) { (outcome_name(&row.outcome)) }
        },
    }
}

/// The engine's colour and pattern.
pub(super) fn swatch(page: &Page<'_>, engine: &str) -> Markup {
    let style = page.palette.of(engine);
    html! {
        svg.swatch.(style.class) viewBox="0 0 14 10" aria-hidden="true" {
            rect width="14" height="10" rx="2" fill="currentColor" fill-opacity=(style.strength) {}
            @if style.member > 0 {
                line x1="0" y1="5" x2="14" y2="5" stroke="currentColor" stroke-width="2"
                    stroke-dasharray=(style.dash) {}
            }
        }
    }
}
