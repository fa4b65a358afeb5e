//! `scenarios`: the scenarios of the `vectors` crate, on every engine and on mixed casts.
//!
//! Each engine plays all parts alone. In the Marmot profile ours and MDK share the parts, in both
//! ways; in the `mls` profile burrow does so with OpenMLS and with mls-rs, the first configuration of
//! each library.

pub(crate) mod command;
mod report;

use engine_api::Registration;
use vectors::scenarios::{Engine, Scenario, run, run_once};

pub use report::{Line, Outcome, Report};

/// The libraries that are of this repository: in a mixed cast one plays beside a peer.
const OURS: &[&str] = &["burrow", "burrow-marmot"];

/// Whether an engine is one of ours, by its name.
#[must_use]
pub fn is_ours(engine: &str) -> bool {
    OURS.contains(&engine.split('/').next().unwrap_or_default())
}

/// Registrations with what they have of MLS beside the general contract.
#[must_use]
pub fn engines(plain: &[Registration]) -> Vec<Engine> {
    let all = crate::flows::built_in();
    let engine = |one: &Registration| {
        let mls = all.iter().find(|mls| mls.name() == one.name());
        Engine::new(*one, mls.copied())
    };
    plain.iter().map(engine).collect()
}

/// Every engine alone, and the mixed casts.
#[must_use]
pub fn casts(engines: &[Engine]) -> Vec<Vec<Engine>> {
    let mut casts: Vec<Vec<Engine>> = engines.iter().map(|engine| vec![*engine]).collect();
    let leads = leads(engines);
    for ours in leads.iter().filter(|lead| is_ours(lead.name())) {
        for peer in leads.iter().filter(|lead| !is_ours(lead.name()) && lead.speaks_with(ours)) {
            casts.extend([vec![*ours, *peer], vec![*peer, *ours]]);
        }
    }
    casts
}

/// The first configuration of each library.
fn leads(engines: &[Engine]) -> Vec<Engine> {
    let mut leads: Vec<Engine> = Vec::new();
    for engine in engines {
        if leads.iter().all(|lead| lead.library() != engine.library()) {
            leads.push(*engine);
        }
    }
    leads
}

/// Walks all of it, or of each scenario the first walk only. `progress` is told what comes next.
#[must_use]
pub fn walk(
    scenarios: &[Scenario],
    casts: &[Vec<Engine>],
    once: bool,
    progress: &mut dyn FnMut(&str),
) -> Report {
    let mut report = Report::default();
    for scenario in scenarios {
        progress(&scenario.name);
        for cast in casts {
            let row = if once { run_once(scenario, cast) } else { run(scenario, cast) };
            report.enter(row, cast);
        }
    }
    if !once {
        report.close();
    }
    report
}
