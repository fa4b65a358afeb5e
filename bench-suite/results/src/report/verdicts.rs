//! What may be said of a run and of a ratio, as it is shown.

use maud::{Markup, html};

use crate::format::{Comparison, Engine, Run};
use crate::index::verdict_name;
use crate::units::{percent, ratio};

/// The work by which the engine that measures the harness declares itself.
const NO_CRYPTOGRAPHY: &str = "no cryptography";

pub(super) fn measures_the_harness(engine: &Engine) -> bool {
    engine.spans.send.iter().any(|work| work == NO_CRYPTOGRAPHY)
}

/// Who is against a run, before anything of it is shown.
pub(super) fn grade(run: &Run) -> Markup {
    let grade = &run.grade;
    let meaning = match grade.name.as_str() {
        "reference" => "Nothing speaks against this run.",
        "invalid" => {
            "Don't use these numbers: an engine that was entered twice differs from itself by more \
             than its interval."
        }
        _ => {
            "The conditions were not those of a reference: read differences of a few percent with care."
        }
    };
    html! {
        div.grade.{ "grade-" (grade.name) } role="note" {
            p { strong { "Grade: " (grade.name) } ". " (meaning) }
            @if !grade.demerits.is_empty() {
                ul {
                    @for demerit in &grade.demerits {
                        li { strong { (demerit.kind) } ": " (demerit.seen) }
                    }
                }
            }
            @if run.interrupted {
                p { "It was stopped before its plan was done. What is here was done." }
            }
            p.small {
                (run.started) ", " (run.host.cpu) ", " (run.build.rustc) ". Made by "
                code { (run.command.join(" ")) }
            }
        }
    }
}

/// A ratio with its interval and verdict.
pub(super) fn said(c: &Comparison) -> Markup {
    html! {
        span.ratio { (ratio(c.ratio)) "×" } " "
        span.interval { "[" (ratio(c.low)) ", " (ratio(c.high)) "]" } " "
        span.verdict.{ "v-" (verdict_name(c.verdict)) } { (verdict_name(c.verdict)) }
    }
}

/// What the verdicts mean in this run.
pub(super) fn legend(run: &Run) -> Markup {
    let (confidence, margin) = (percent(run.plan.confidence), percent(run.plan.margin));
    html! {
        p.small {
            "Brackets are intervals at " (confidence) " confidence. A ratio is faster or slower only "
            "if its whole interval is more than " (margin) " away from 1, equivalent if it is "
            "wholly within, else inconclusive. Intervals are over blocks within processes, drawn in each "
            "process for itself. "
            @if run.plan.intervals.is_over_blocks() {
                "They hold nothing of how processes, machines or builds differ: for that take more "
                "processes, and merge several runs."
            } @else {
                "They reach at least as far as what the processes' own medians differ by. They hold "
                "nothing of how machines or builds differ: for that merge several runs."
            }
        }
    }
}
