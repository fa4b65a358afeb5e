//! Scenarios: what happens to members of a group over a network, as data, on any engine.
//!
//! A [`Scenario`] is a list of steps by named actors. Each step says what has to come of it, and who
//! agrees with whom from there on; after every step all of those are compared. Two engines of one
//! wire profile can share the parts. What a file leaves open (orders of delivery, restarts) is
//! walked in every way: [`Scenario::walks`] pins each of them, so that a failure is replayed from its
//! data alone.
//!
//! The format is described in `docs/scenarios.md`, and by `vectors/schema/scenario.schema.json`.

mod check;
mod committing;
mod compare;
mod data;
mod deliver;
mod engine;
mod files;
mod forge;
mod forging;
mod known;
mod perform;
mod report;
mod stage;
mod walks;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use data::{
    Action, Camp, Change, Expect, Faults, Forgery, GROUP, GroupDataShape, Name, Order, Part,
    Profile, Scenario, Step, Word, Words,
};
pub use engine::Engine;
pub use files::{FILES, scenarios};
pub use known::{KNOWN, Known};
pub use report::{Failure, Row, Stop, Verdict};

use stage::{End, Stage};

/// Things that one walk compared, and what was noted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many things were compared.
    pub compared: usize,
    /// What came of the steps that have a note.
    pub notes: Vec<String>,
}

/// Walks a scenario in every way, with the first engine in part A and the last in part B.
#[must_use]
pub fn run(scenario: &Scenario, engines: &[Engine]) -> Row {
    run_first(scenario, engines, usize::MAX)
}

/// The same with the first walk only.
#[must_use]
pub fn run_once(scenario: &Scenario, engines: &[Engine]) -> Row {
    run_first(scenario, engines, 1)
}

fn run_first(scenario: &Scenario, engines: &[Engine], count: usize) -> Row {
    let mut row = Row {
        scenario: scenario.name.clone(),
        engines: engines.iter().map(Engine::name).collect(),
        walks: 0,
        compared: 0,
        notes: Vec::new(),
        verdict: Verdict::Passed,
    };
    let Some(profile) = engines.first().map(Engine::profile) else {
        row.verdict = Verdict::Unsupported("no engine".into());
        return row;
    };
    if let Some(why) = scenario.not_for.get(&profile) {
        row.verdict = Verdict::Unsupported(why.clone());
        return row;
    }
    for walk in scenario.walks(profile).into_iter().take(count) {
        row.walks += 1;
        match walk_once(&walk, engines) {
            Ok(tally) => {
                row.compared += tally.compared;
                if row.walks == 1 {
                    row.notes = tally.notes;
                }
            }
            Err(Stop::Unsupported(why)) => {
                row.verdict = Verdict::Unsupported(why);
                return row;
            }
            Err(Stop::Failed(failure)) => {
                row.verdict = Verdict::Failed(failure);
                return row;
            }
        }
    }
    row
}

/// Walks once. Of a scenario with something left to choose that is the first way.
///
/// # Errors
/// Where it stopped, and why.
pub fn walk_once(walk: &Scenario, engines: &[Engine]) -> Result<Tally, Stop> {
    let lacks = |engine: &Engine| Some(format!("{}: {}", engine.name(), engine.lacks(walk)?));
    if let Some(why) = engines.iter().find_map(lacks) {
        return Err(Stop::Unsupported(why));
    }
    let mut place = 0;
    let end = catch_unwind(AssertUnwindSafe(|| {
        let mut stage = Stage::new(walk, engines)?;
        for (number, step) in walk.steps.iter().enumerate() {
            place = number;
            stage.step(step)?;
        }
        Ok(Tally { compared: stage.compared, notes: stage.notes })
    }));
    let end = end.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Err(End::Differs { what: format!("panicked: {text}"), actor: None, engine: None })
    });
    end.map_err(|end| stopped(walk, place, end))
}

/// The same failure with less before it: steps without which it shows as well are left out.
#[must_use]
pub fn shrunk(failure: Failure, engines: &[Engine]) -> Failure {
    let mut least = failure;
    for place in (0..least.step).rev() {
        let mut walk = least.replay.clone();
        walk.steps.remove(place);
        if walk.check().is_err() {
            continue;
        }
        if let Err(Stop::Failed(again)) = walk_once(&walk, engines) {
            let last = again.step + 1 == walk.steps.len();
            if last && again.actor == least.actor && alike(&again.what, &least.what) {
                least = *again;
            }
        }
    }
    least
}

/// Whether two failures say the same, but for numbers, which are new each time.
fn alike(one: &str, other: &str) -> bool {
    let words = |text: &str| -> String {
        text.chars().filter(|c| !c.is_ascii_hexdigit() && !c.is_ascii_whitespace()).collect()
    };
    words(one) == words(other)
}

fn stopped(walk: &Scenario, step: usize, end: End) -> Stop {
    match end {
        End::Unsupported(why) => Stop::Unsupported(why),
        End::Differs { what, actor, engine } => {
            let action = walk.steps.get(step).map(|step| serde_json::to_string(&step.action));
            let action = action.and_then(Result::ok).unwrap_or_default();
            let replay = walk.until(step);
            Stop::Failed(Box::new(Failure { step, action, actor, engine, what, replay }))
        }
    }
}

impl Stage {
    /// One step, and what holds after it.
    fn step(&mut self, step: &Step) -> stage::Outcome {
        self.perform(step)?;
        if let Some(camps) = &step.then {
            let mentioned = |camp: &Camp| camps.iter().any(|new| new.group == camp.group);
            self.camps.retain(|camp| !camps.is_empty() && !mentioned(camp));
            self.camps.extend(camps.iter().cloned());
        }
        self.compare()
    }
}
