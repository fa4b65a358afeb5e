//! Tables as HTML: a chapter behind a report's runs.

use maud::{Markup, html};

use super::{Control, Entry, Figure, Row, Table, TablesFile};
use crate::digest::short;
use crate::statistics::CONTROL_MARGIN;
use crate::units::{count, memory, ratio, time};

/// One file's tables with their conditions.
#[must_use]
pub fn chapter(file: &TablesFile) -> Markup {
    let anchor = format!("t{}", short(&file.id));
    html! {
        section.tables id=(anchor) data-tables=(file.id) {
            h2 { "Tables " (short(&file.id)) ", " (file.host.kind) ", "
                (file.started.get(..10).unwrap_or_default()) }
            (grade(file))
            pre { (file.command.join(" ")) }
            p {
                (file.host.cpu) ", " (file.host.system) ", " (file.build.rustc) ", commit "
                (file.build.commit.as_deref().unwrap_or("unknown")) ". " (file.plan.rounds)
                " rounds, " (file.plan.order) ", a turn about "
                (time(file.plan.turn_ns as f64)) ". Intervals hold the median with 95 %."
            }
            @for table in &file.tables { (one(&anchor, table)) }
        }
    }
}

fn grade(file: &TablesFile) -> Markup {
    let controls: Vec<_> = file.controls().collect();
    let is_near = |control: &Control| (control.ratio.median - 1.0).abs() <= CONTROL_MARGIN;
    let near = controls.iter().filter(|(_, control)| is_near(control));
    html! {
        div class={ "grade grade-" (file.grade.name) } {
            p { strong { "Grade: " (file.grade.name) } }
            @if !file.grade.demerits.is_empty() {
                ul { @for demerit in &file.grade.demerits {
                    li { (demerit.kind) ": " (demerit.seen) }
                } }
            }
        }
        @if !controls.is_empty() {
            p { "A/A: the fastest of a row, timed as if it were two, was within 1 % of itself in "
                (near.count()) " of " (controls.len()) " rows." }
        }
    }
}

fn one(anchor: &str, table: &Table) -> Markup {
    html! {
        section id={ (anchor) "-" (table.name) } {
            h3 { (table.title) }
            @for paragraph in &table.about { p { (paragraph) } }
            @if !table.sentences.is_empty() {
                ul.sentences { @for sentence in &table.sentences { li { (sentence) } } }
            }
            div.scroll { table {
                thead { tr {
                    th scope="col" { "row" } th scope="col" { "by" }
                    th.num scope="col" { "median" } th.num scope="col" { "interval" }
                    th.num scope="col" { "over the fastest" } th.num scope="col" { "interval" }
                    th scope="col" { "further" }
                } }
                @for row in &table.rows { (body(row)) }
            } }
        }
    }
}

fn body(row: &Row) -> Markup {
    html! {
        tbody {
            @for (at, entry) in row.entries.iter().enumerate() {
                tr data-table-row=(row.name) data-entry=(entry.name) data-median=(entry.median_ns) {
                    @if at == 0 { th scope="rowgroup" rowspan=(lines(row)) { (row.name) } }
                    td { (entry.name) }
                    td.num { (time(entry.median_ns)) }
                    td.num { (time(entry.low_ns)) " to " (time(entry.high_ns)) }
                    td.num { (ratio(entry.ratio.median)) }
                    td.num { (ratio(entry.ratio.low)) " to " (ratio(entry.ratio.high)) }
                    td { (further(row, entry)) }
                }
            }
            @for (at, absent) in row.absent.iter().enumerate() {
                tr {
                    @if at == 0 && row.entries.is_empty() {
                        th scope="rowgroup" rowspan=(lines(row)) { (row.name) }
                    }
                    td { (absent.name) } td colspan="5" { (absent.reason) }
                }
            }
        }
    }
}

fn lines(row: &Row) -> usize {
    row.entries.len() + row.absent.len()
}

fn further(row: &Row, entry: &Entry) -> String {
    let mut words: Vec<String> = entry.parts.iter().chain(&entry.figures).map(figure).collect();
    if let Some(bytes) = row.bytes {
        words.insert(0, format!("{:.2} GB/s", bytes as f64 / entry.median_ns));
    }
    words.join(", ")
}

/// A figure with its name and unit.
pub(super) fn figure(figure: &Figure) -> String {
    let value = match figure.unit.as_str() {
        "ns" => time(figure.value),
        // Bytes are counted one by one where they are few enough to read.
        "B" if figure.value < 100_000.0 => format!("{} B", count(figure.value as u64)),
        "B" => memory(figure.value as u64),
        _ if figure.value.fract() == 0.0 => count(figure.value as u64),
        _ => ratio(figure.value),
    };
    format!("{} {value}", figure.name)
}

#[cfg(test)]
mod tests {
    use super::super::read::tests::file;
    use super::*;

    #[test]
    fn every_entry_and_every_reason_is_on_the_page() {
        let page = chapter(&file()).into_string();
        for text in ["work/whole", "slow", "fast is fast.", "it has no hands", "Grade: reference"] {
            assert!(page.contains(text), "{text}");
        }
    }

    #[test]
    fn figures_have_their_units() {
        let of = |value, unit: &str| figure(&Figure { name: "n".into(), value, unit: unit.into() });
        assert_eq!(of(1234.0, "B"), "n 1,234 B");
        assert_eq!(of(1_234_567.0, "B"), "n 1.23 MB");
        assert_eq!(of(1500.0, "ns"), "n 1.50 µs");
        assert_eq!(of(3.0, ""), "n 3");
        assert_eq!(of(1.5, ""), "n 1.50");
    }
}
