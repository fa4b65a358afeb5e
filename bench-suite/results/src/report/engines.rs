//! What each engine said of itself.

use maud::{Markup, html};

use super::Page;
use super::overview::swatch;
use crate::format::Engine;

pub(super) fn section(page: &Page<'_>) -> Markup {
    html! {
        p { "In the words of their adapters." }
        div.cards { @for engine in &page.index.run.engines { (card(page, engine)) } }
    }
}

fn card(page: &Page<'_>, engine: &Engine) -> Markup {
    let name = html! { h3 { (swatch(page, &engine.name)) (engine.name) } };
    if let Some(first) = &engine.again {
        return html! {
            section.card data-about=(engine.name) { (name) p { (first) ", entered a second time." } }
        };
    }
    let packages: Vec<_> =
        engine.packages.iter().map(|p| format!("{} {}", p.name, p.version)).collect();
    html! {
        section.card data-about=(engine.name) {
            (name)
            dl {
                dt { "packages" } dd { (packages.join(", ")) }
                @if !engine.features.is_empty() { dt { "features" } dd { (engine.features.join(", ")) } }
                dt { "wire, suite" } dd { (engine.wire_profile) ", " (engine.cipher_suite) }
                dt { "crypto" } dd { (engine.crypto) }
                dt { "storage" } dd { (engine.storage) " (" (engine.layer) ")" }
                dt { "threads" } dd { (engine.threads) }
                (spans(engine))
                @if !engine.missing.is_empty() {
                    dt { "can't" }
                    dd { @for missing in &engine.missing { div { (missing) } } }
                }
            }
            @if !engine.notes.is_empty() { ul { @for note in &engine.notes { li { (note) } } } }
            @if !engine.deviations.is_empty() {
                p { "Known not to hold:" }
                ul { @for d in &engine.deviations {
                    li { (d.scenario) " (" (d.check) "): " (d.why) }
                } }
            }
        }
    }
}

/// What is included beyond the baseline; once, if it is the same everywhere.
fn spans(engine: &Engine) -> Markup {
    const OPERATIONS: [&str; 6] =
        ["create_group", "join_welcome", "send", "ingest_app", "commit", "ingest_commit"];
    let first = engine.spans.of(OPERATIONS[0]);
    let words = |works: &[String]| {
        if works.is_empty() { "nothing".to_owned() } else { works.join(", ") }
    };
    if OPERATIONS.iter().all(|operation| engine.spans.of(operation) == first) {
        return html! { dt { "includes" } dd { (words(first)) " beyond the baseline" } };
    }
    html! {
        @for operation in OPERATIONS {
            dt { (operation) " includes" } dd { (words(engine.spans.of(operation))) }
        }
    }
}
