//! What was proved before anything was timed: one matrix per kind of check.

use maud::{Markup, html};

use super::Page;
use super::overview::head;
use crate::format::Checks;
use crate::units::count;

/// Between the names of a pair.
const BETWEEN: &str = " x ";

pub(super) fn section(page: &Page<'_>) -> Markup {
    let all = &page.index.run.checks;
    let kinds = distinct(all.iter().map(|check| check.kind.as_str()));
    html! {
        p {
            "Each number counts checks that were executed and held. "
            span.failed { "failed" } " ones did not; those that an adapter declared beforehand are "
            "called deviating. " "Not made are those that an engine has no means for: below, with the reason."
        }
        @if kinds.is_empty() { p { "This run holds no checks." } }
        @for kind in kinds {
            @let checks: Vec<&Checks> = all.iter().filter(|check| check.kind == kind).collect();
            h3 { (title(kind)) }
            @if kind == "pair" { (pairs(&checks)) } @else { (matrix(&checks)) }
            (reasons(&checks))
        }
    }
}

fn title(kind: &str) -> &str {
    match kind {
        "verify" => "Every engine in every scenario",
        "conformance" => "The working group's vectors, on burrow",
        "own vectors" => "Vectors of our own, on every MLS engine",
        "pair" => "Groups of two engines",
        "flow" => "Flows between engines",
        "scenario" => "Scenarios, with one engine or two of them in the parts",
        other => other,
    }
}

/// Items by subjects.
fn matrix(checks: &[&Checks]) -> Markup {
    let subjects = distinct(checks.iter().map(|check| check.subject.as_str()));
    let items = distinct(checks.iter().map(|check| check.item.as_str()));
    html! {
        div.scroll { table {
            thead { tr { th scope="col" { "" } @for subject in &subjects { th scope="col" { (head(subject)) } } } }
            tbody { @for item in &items { tr {
                th scope="row" { (item) }
                @for subject in &subjects {
                    (cell(checks.iter().filter(|c| c.item == *item && c.subject == *subject).copied()))
                }
            } } }
        } }
    }
}

/// Founders by joiners, over all items.
fn pairs(checks: &[&Checks]) -> Markup {
    let split = |check: &Checks| check.subject.split_once(BETWEEN).is_some();
    if !checks.iter().all(|check| split(check)) {
        return matrix(checks);
    }
    let half = |first: bool| {
        let halves = checks.iter().filter_map(|check| check.subject.split_once(BETWEEN));
        distinct(halves.map(move |(one, other)| if first { one } else { other }))
    };
    let (founders, joiners) = (half(true), half(false));
    let of = |founder: &str, joiner: &str| {
        let name = format!("{founder}{BETWEEN}{joiner}");
        let those: Vec<&Checks> =
            checks.iter().filter(|check| check.subject == name).copied().collect();
        cell(those.into_iter())
    };
    html! {
        div.scroll { table {
            thead { tr {
                th scope="col" { "founder, joiner" }
                @for joiner in &joiners { th scope="col" { (head(joiner)) } }
            } }
            tbody { @for founder in &founders { tr {
                th scope="row" { (founder) }
                @for joiner in &joiners { (of(founder, joiner)) }
            } } }
        } }
    }
}

/// The sum of some checks.
fn cell<'a>(checks: impl Iterator<Item = &'a Checks>) -> Markup {
    let mut seen = 0;
    let [mut passed, mut failed, mut deviating, mut unsupported] = [0; 4];
    for check in checks {
        seen += 1;
        passed += check.passed;
        failed += check.failed;
        deviating += check.deviating;
        unsupported += check.unsupported;
    }
    if seen == 0 {
        return html! { td.none { "-" } };
    }
    let class = if failed > 0 {
        "failed"
    } else if passed > 0 {
        "held"
    } else {
        "none"
    };
    html! {
        td.(class) {
            // What wasn't made is no pass.
            @if failed > 0 { "✗ " (count(passed)) } @else if passed > 0 { "✓ " (count(passed)) }
            @else { "-" }
            @if failed > 0 { br; (count(failed)) " failed" }
            @if deviating > 0 { br; span.small { (count(deviating)) " deviating" } }
            @if unsupported > 0 { br; span.small { (count(unsupported)) " not made" } }
        }
    }
}

fn reasons(checks: &[&Checks]) -> Markup {
    let with: Vec<_> =
        checks.iter().filter_map(|check| Some((*check, check.reason.as_ref()?))).collect();
    html! {
        @if !with.is_empty() {
            ul.small { @for (check, reason) in with {
                li { (check.subject) ", " (check.item) ": " (reason) }
            } }
        }
    }
}

/// Each once, in the order in which they come.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut distinct = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    distinct
}
