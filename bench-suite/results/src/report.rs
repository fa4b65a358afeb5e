//! One HTML page that needs nothing else: styles, script and pictures are in it.
//!
//! Everything is there without the script, which only filters, sorts and switches between runs.
//! Texts from files are escaped by maud.

mod cases;
mod chart;
mod checks;
mod colour;
mod conditions;
mod counted;
mod engines;
mod migration;
mod overview;
mod runs;
mod scaling;
mod summary;
mod verdicts;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::digest::short;
use crate::format::{ResultFile, Run};
use crate::index::Index;
use crate::tables::{self, TablesFile};
use colour::Palette;

/// Everything that a section needs to know.
struct Page<'a> {
    index: Index<'a>,
    palette: &'a Palette,
    /// The engine that the others are held against.
    baseline: Option<&'a str>,
    /// What stands before the names of the run's anchors.
    anchor: String,
}

/// The page of these runs. `baseline` is the engine that the others are held against; without one,
/// or in a run that lacks it, it is the first that was entered once and has cryptography.
#[must_use]
pub fn page(file: &ResultFile, baseline: Option<&str>) -> String {
    page_with_tables(file, &[], baseline)
}

/// The same with the tables of these files behind the runs.
#[must_use]
pub fn page_with_tables(
    file: &ResultFile,
    tables: &[TablesFile],
    baseline: Option<&str>,
) -> String {
    let palette = Palette::new(&file.runs);
    let title = match &file.runs[..] {
        [] => "cgka-bench, tables".to_owned(),
        [run] => format!("cgka-bench, {}, {}", run.host.kind, day(run)),
        runs => format!("cgka-bench, {} runs", runs.len()),
    };
    let pages: Vec<_> = file
        .runs
        .iter()
        .map(|run| Page {
            index: Index::new(run),
            palette: &palette,
            baseline: chosen(run, baseline),
            anchor: format!("r{}", short(&run.id)),
        })
        .collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(include_str!("report/style.css"))) (palette.css()) }
            }
            body {
                h1 { (title) }
                @if file.runs.is_empty() && tables.is_empty() { p { "There is no run in this file." } }
                @if file.runs.len() > 1 { (runs::side_by_side(&pages)) }
                @for page in &pages { (section(page, file.runs.len() > 1)) }
                @for tables in tables { (tables::chapter(tables)) }
                script { (PreEscaped(include_str!("report/script.js"))) }
            }
        }
    };
    page.into_string()
}

fn section(page: &Page<'_>, several: bool) -> Markup {
    let run = page.index.run;
    let name = format!("{}, {}, {}", run.host.kind, day(run), short(&run.id));
    let parts: [(&str, &str, Markup); 12] = [
        ("pairs", "Engine against engine", summary::section(page)),
        ("overview", "All medians", overview::section(page)),
        ("cases", "Case by case", cases::section(page)),
        ("scaling", "Over group size", scaling::section(page)),
        ("floor", "Against the floor", counted::floor(page)),
        ("counts", "Counted operations", counted::operations(page)),
        ("wire", "Bytes on the wire", counted::wire(page)),
        ("storage", "Bytes to keep", counted::storage(page)),
        ("allocations", "Allocations", counted::allocations(page)),
        ("checks", "Checks", checks::section(page)),
        ("engines", "The engines", engines::section(page)),
        ("conditions", "Conditions", conditions::section(page)),
    ];
    let moved = migration::section(page).map(|chapter| ("migration", "Migration", chapter));
    let parts: Vec<_> = moved.into_iter().chain(parts).collect();
    html! {
        section.run id=(page.anchor) data-run=(run.id) data-name=(name) {
            @if several { h2.run-title { (name) } }
            (verdicts::grade(run))
            nav.contents {
                @for (anchor, title, _) in &parts {
                    a href={ "#" (page.anchor) "-" (anchor) } { (title) } " "
                }
            }
            @for (anchor, title, content) in &parts {
                section id={ (page.anchor) "-" (anchor) } { h2 { (title) } (content) }
            }
        }
    }
}

fn day(run: &Run) -> &str {
    run.started.get(..10).unwrap_or(&run.started)
}

fn chosen<'a>(run: &'a Run, wanted: Option<&str>) -> Option<&'a str> {
    let asked = run.engines.iter().find(|engine| Some(engine.name.as_str()) == wanted);
    let first = run
        .engines
        .iter()
        .find(|engine| engine.again.is_none() && !verdicts::measures_the_harness(engine));
    asked.or(first).map(|engine| engine.name.as_str())
}
