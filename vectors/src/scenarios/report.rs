//! What came of scenarios.

use serde::Serialize;

use super::data::Scenario;

/// How a walk went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The step, counted from 0.
    pub step: usize,
    /// What happens in it.
    pub action: String,
    /// Who it went wrong at.
    pub actor: Option<String>,
    /// Which engine that is, if it is the only one that it can be.
    pub engine: Option<&'static str>,
    /// What differed.
    pub what: String,
    /// The data of the walk up to there: nothing is left to choose in it.
    pub replay: Scenario,
}

/// How a walk ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// An engine doesn't have what it takes.
    Unsupported(String),
    /// Something differed.
    Failed(Box<Failure>),
}

/// How a scenario went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every walk of it as it has to.
    Passed,
    /// One didn't.
    Failed(Box<Failure>),
    /// It can't be walked, for this reason.
    Unsupported(String),
}

/// One scenario with one cast of engines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The scenario's name.
    pub scenario: String,
    /// The engines: of part A, and of part B if that is another.
    pub engines: Vec<&'static str>,
    /// How many walks there were.
    pub walks: usize,
    /// How many things were compared.
    pub compared: usize,
    /// What the scenario has to be noted of it.
    pub notes: Vec<String>,
    /// How it went.
    pub verdict: Verdict,
}
