//! What speaks against a run by what its own file says: the recorder grades with it, and a reader
//! holds a `reference` against it.

use crate::format::{Build, Control, Demerit, Host, Run, Verdict};

/// The highest load beside a run that is none.
const IDLE: f64 = 0.5;

/// What a run is of the load after it.
const OWN: f64 = 1.0;

/// The share of processor time that a hypervisor may take.
const STOLEN: f64 = 0.01;

/// All that follows from the run's conditions and controls. What was only seen while it was made
/// (checks that failed, a pass that died) is not among them.
#[must_use]
pub fn demerits(run: &Run) -> Vec<Demerit> {
    let mut demerits = Vec::new();
    conditions(run, &mut demerits);
    demerits.extend(of_conditions(&run.host, &run.build));
    controls(run, &mut demerits);
    demerits
}

/// What speaks against measurements of this program on this machine.
#[must_use]
pub fn of_conditions(host: &Host, build: &Build) -> Vec<Demerit> {
    let mut demerits = Vec::new();
    program(build, &mut demerits);
    machine(host, &mut demerits);
    demerits
}

/// The grade of a run with these demerits.
#[must_use]
pub fn name(run: &Run, demerits: &[Demerit]) -> &'static str {
    let differs = run.controls.iter().any(|control| control.differs);
    match (differs, demerits.is_empty()) {
        (true, _) => "invalid",
        (false, true) => "reference",
        (false, false) => "demoted",
    }
}

/// A demerit.
#[must_use]
pub fn demerit(kind: &str, seen: impl Into<String>) -> Demerit {
    Demerit { kind: kind.into(), seen: seen.into() }
}

fn conditions(run: &Run, demerits: &mut Vec<Demerit>) {
    if run.interrupted {
        demerits.push(demerit("interrupted", "stopped before its plan was done"));
    }
    if run.controls.is_empty() {
        let seen = match &run.plan.again {
            None => "no engine was entered twice".to_owned(),
            Some(name) => format!("{name} was entered twice, and no row has both"),
        };
        demerits.push(demerit("a/a", seen));
    }
}

fn program(build: &Build, demerits: &mut Vec<Demerit>) {
    match build.dirty {
        Some(false) => {}
        Some(true) => demerits.push(demerit("dirty", "the tree has changes that are in no commit")),
        None => demerits.push(demerit("dirty", "it is not known which commit was built")),
    }
}

fn machine(host: &Host, demerits: &mut Vec<Demerit>) {
    match host.before.average {
        Some([load, ..]) if load <= IDLE => {}
        Some([load, ..]) => demerits.push(demerit("load", format!("{load} before the run"))),
        None => demerits.push(demerit("load", "unknown")),
    }
    match host.after.average {
        Some([load, ..]) if load - OWN > IDLE => {
            let seen = format!("{load} after the run, of which {OWN} is its own");
            demerits.push(demerit("load", seen));
        }
        _ => {}
    }
    let other: Vec<_> =
        host.governors.iter().filter(|g| g.as_deref() != Some("performance")).collect();
    if let Some(first) = other.first() {
        let name = first.as_deref().unwrap_or("unknown");
        demerits.push(demerit("governor", format!("{name} on {} processors", other.len())));
    }
    match host.turbo {
        Some(false) => {}
        Some(true) => demerits.push(demerit("turbo", "on")),
        None => demerits.push(demerit("turbo", "unknown")),
    }
    if host.pinned.is_none() {
        demerits.push(demerit("pinning", "the samples were not held to one processor"));
    }
    match host.throttled {
        Some(0) => {}
        Some(times) => demerits.push(demerit("throttling", format!("{times} times"))),
        None => demerits.push(demerit("throttling", "unknown")),
    }
    match host.steal {
        Some(share) if share > STOLEN => {
            demerits.push(demerit("steal", format!("{:.1} % of processor time", share * 100.0)));
        }
        _ => {}
    }
    if let Some(name) = &host.hypervisor {
        demerits.push(demerit("hypervisor", name.clone()));
    }
}

/// Whether an A/A pair differs beyond what chance does in any of the run's pairs, and whether one
/// does by the rule that all pairs are judged by.
fn controls(run: &Run, demerits: &mut Vec<Demerit>) {
    let differs: Vec<_> = run.controls.iter().filter(|control| control.differs).collect();
    if !differs.is_empty() {
        demerits
            .push(demerit("a/a", format!("one engine differs from itself: {}", names(&differs))));
    }
    let alone: Vec<_> = run.controls.iter().filter(|control| is_false(control)).collect();
    if !alone.is_empty() {
        let seen = format!(
            "by the rule for pairs, though not beyond the chance that {} controls give: {}",
            run.controls.len(),
            names(&alone)
        );
        demerits.push(demerit("a/a", seen));
    }
}

/// A false verdict that many controls make likely.
pub(crate) fn is_false(control: &Control) -> bool {
    !control.differs && matches!(control.verdict, Verdict::Faster | Verdict::Slower)
}

fn names(controls: &[&Control]) -> String {
    let name = |c: &&Control| format!("{}/{} {} ({:.4})", c.case, c.size, c.engine, c.ratio);
    controls.iter().map(name).collect::<Vec<_>>().join(", ")
}
