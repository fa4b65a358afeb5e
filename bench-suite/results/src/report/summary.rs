//! Engines on the same crypto library against each other: the only figures that sum rows up.

use maud::{Markup, html};

use super::Page;
use super::overview::head;
use super::verdicts::{legend, measures_the_harness};
use crate::format::{Comparison, Engine, Verdict};
use crate::markdown::controls;
use crate::units::ratio;

/// Two engines with one crypto library, over all rows.
struct Pair {
    engine: String,
    against: String,
    /// Rows in which both do the same.
    same: Vec<Comparison>,
    /// What differs in the others, in words, each once.
    differences: Vec<String>,
    different: usize,
}

pub(super) fn section(page: &Page<'_>) -> Markup {
    let pairs = pairs(page);
    html! {
        p {
            "Pairs of engines on the same crypto library, so that the library's speed cancels out. "
            "Below 1 the first is faster. The mean is the geometric one of the ratios of all cases "
            "and sizes in which both do the same work and bring their state equally far; rows in which they don't are left out and "
            "stand, with the difference, in the tables below."
        }
        @if pairs.is_empty() {
            p { "No two engines of this run share a crypto library." }
        } @else {
            div.scroll { table {
                thead { tr {
                    th scope="col" { "pair" }
                    th.num scope="col" { "mean ratio" }
                    th.num scope="col" { "range" }
                    th.num scope="col" { "rows" }
                    th scope="col" { "verdicts on the first" }
                } }
                tbody { @for pair in &pairs { (line(pair)) } }
            } }
        }
        p.small { (controls(page.index.run).replace('`', "")) }
        (legend(page.index.run))
    }
}

fn line(pair: &Pair) -> Markup {
    let name = html! { th scope="row" { (head(&pair.engine)) " / " (head(&pair.against)) } };
    let ratios = || pair.same.iter().map(|c| c.ratio);
    let Some(mean) = geometric_mean(ratios()) else {
        return html! {
            tr { (name) td.words colspan="4" {
                "not summed up: they never do the same work (" (pair.differences.join("; ")) ")"
            } }
        };
    };
    let (low, high) = (ratios().fold(f64::MAX, f64::min), ratios().fold(0.0, f64::max));
    let number = |verdict| pair.same.iter().filter(|c| c.verdict == verdict).count();
    html! {
        tr {
            (name)
            td.num { strong { (ratio(mean)) "×" } }
            td.num { (ratio(low)) " to " (ratio(high)) }
            td.num {
                (pair.same.len())
                @if pair.different > 0 { br; span.small { (pair.different) " left out" } }
            }
            td {
                span.verdict.v-faster { "faster" } " " (number(Verdict::Faster)) ", "
                span.verdict.v-slower { "slower" } " " (number(Verdict::Slower)) ", equivalent "
                (number(Verdict::Equivalent)) ", inconclusive " (number(Verdict::Inconclusive))
            }
        }
    }
}

/// `None` of nothing.
#[expect(clippy::cast_precision_loss, reason = "a few hundred ratios")]
pub(super) fn geometric_mean(ratios: impl Iterator<Item = f64>) -> Option<f64> {
    let logarithms: Vec<f64> = ratios.map(f64::ln).collect();
    let number = logarithms.len();
    (number > 0).then(|| (logarithms.iter().sum::<f64>() / number as f64).exp())
}

/// The engines of the baseline's family come first in their pairs.
fn pairs(page: &Page<'_>) -> Vec<Pair> {
    let run = page.index.run;
    let family = |name: &str| name.split('/').next().unwrap_or_default().to_owned();
    let first = page.baseline.map(family);
    let engines: Vec<_> = run
        .engines
        .iter()
        .filter(|engine| engine.again.is_none() && !measures_the_harness(engine))
        .collect();
    let mut pairs = Vec::new();
    for (at, one) in engines.iter().enumerate() {
        let same_crypto =
            |other: &&&Engine| other.crypto == one.crypto && other.cipher_suite == one.cipher_suite;
        for other in engines[at + 1..].iter().filter(same_crypto) {
            let turn = Some(family(&other.name)) == first;
            let (one, other) = if turn { (other, one) } else { (one, other) };
            pairs.extend(pair(page, &one.name, &other.name));
        }
    }
    pairs
}

fn pair(page: &Page<'_>, engine: &str, against: &str) -> Option<Pair> {
    let cells = page.index.cells();
    let all: Vec<_> =
        cells.iter().filter_map(|cell| page.index.comparison(*cell, engine, against)).collect();
    if all.is_empty() {
        return None;
    }
    let mut differences: Vec<String> =
        all.iter().filter_map(|c| page.index.difference(c)).collect();
    let different = differences.len();
    differences.sort();
    differences.dedup();
    let same = all.into_iter().filter(|c| page.index.difference(c).is_none()).collect();
    Some(Pair { engine: engine.into(), against: against.into(), same, differences, different })
}
