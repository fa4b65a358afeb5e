//! The engine x scenario matrix.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;
use vectors::scenarios::{Engine, Failure, KNOWN, Row, Scenario, Verdict, shrunk};

use super::is_ours;

/// The outcome of all scenarios with all casts.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The shape of this report.
    pub schema: &'static str,
    /// How many rows of each kind there are.
    pub passed: usize,
    /// Rows that failed without a declaration.
    pub failed: usize,
    /// Of those, the ones that ours are at fault in, or may be.
    pub failed_ours: usize,
    /// Rows that failed as declared.
    pub deviating: usize,
    /// Rows that can't be walked.
    pub unsupported: usize,
    /// Things that were compared.
    pub compared: usize,
    /// The rows.
    pub lines: Vec<Line>,
    /// Declarations that nothing showed.
    pub not_shown: Vec<&'static str>,
    #[serde(skip)]
    shown: BTreeSet<usize>,
    #[serde(skip)]
    played: BTreeSet<(String, &'static str)>,
}

/// One scenario with one cast.
#[derive(Debug, Serialize)]
pub struct Line {
    /// The engines, with ` x ` between.
    pub cast: String,
    /// The scenario's name.
    pub scenario: String,
    /// How many walks there were, and how many things were compared.
    pub walks: usize,
    /// Things that were compared.
    pub compared: usize,
    /// What the scenario has to be noted of it.
    pub notes: Vec<String>,
    /// How it went.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// How a row went.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum Outcome {
    /// As it has to.
    Passed,
    /// Not as it has to.
    Failed {
        /// Where, and what differed.
        #[serde(flatten)]
        failure: Box<Failure>,
        /// A command that shows it again.
        command: String,
    },
    /// Not as it has to, and as declared.
    Deviates {
        /// Where, and what differed.
        #[serde(flatten)]
        failure: Box<Failure>,
        /// The declaration.
        why: &'static str,
        /// A command that shows it again.
        command: String,
    },
    /// It can't be walked.
    Unsupported {
        /// Why.
        why: String,
    },
}

impl Default for Report {
    fn default() -> Self {
        Self {
            schema: "cgka-bench/scenarios/1",
            passed: 0,
            failed: 0,
            failed_ours: 0,
            deviating: 0,
            unsupported: 0,
            compared: 0,
            lines: Vec::new(),
            not_shown: Vec::new(),
            shown: BTreeSet::new(),
            played: BTreeSet::new(),
        }
    }
}

impl Report {
    pub(super) fn enter(&mut self, row: Row, cast: &[Engine]) {
        self.compared += row.compared;
        self.played.extend(row.engines.iter().map(|engine| (row.scenario.clone(), *engine)));
        let outcome = match row.verdict {
            Verdict::Passed => {
                self.passed += 1;
                Outcome::Passed
            }
            Verdict::Unsupported(why) => {
                self.unsupported += 1;
                Outcome::Unsupported { why }
            }
            Verdict::Failed(failure) => self.failure(&row.scenario, failure, cast),
        };
        self.lines.push(Line {
            cast: row.engines.join(" x "),
            scenario: row.scenario,
            walks: row.walks,
            compared: row.compared,
            notes: row.notes,
            outcome,
        });
    }

    fn failure(&mut self, scenario: &str, failure: Box<Failure>, cast: &[Engine]) -> Outcome {
        let names: Vec<_> = cast.iter().map(Engine::name).collect();
        let command = format!(
            "cgka-bench scenarios --replay {} --cast {}",
            file_name(scenario, &names.join(" x ")),
            names.join("+")
        );
        let known = KNOWN.iter().position(|known| known.covers(scenario, &names, &failure.what));
        let failure = Box::new(shrunk(*failure, cast));
        match known.and_then(|place| Some((place, KNOWN.get(place)?))) {
            Some((place, known)) => {
                self.deviating += 1;
                self.shown.insert(place);
                Outcome::Deviates { failure, why: known.why, command }
            }
            None => {
                self.failed += 1;
                self.failed_ours += usize::from(failure.engine.is_none_or(is_ours));
                Outcome::Failed { failure, command }
            }
        }
    }

    /// Declarations whose engine has played and that nothing showed.
    pub(super) fn close(&mut self) {
        let stale = KNOWN.iter().enumerate().filter(|(place, known)| {
            let mut played = self.played.iter();
            !self.shown.contains(place)
                && played
                    .any(|(scenario, engine)| known.scenario == scenario && known.is_about(engine))
        });
        self.not_shown = stale.map(|(_, known)| known.why).collect();
    }

    /// Whether ours did everything as they have to, and every declaration holds.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        let walked = self.passed + self.failed + self.deviating;
        self.failed_ours == 0 && self.not_shown.is_empty() && walked > 0
    }

    /// The replays: the name of the file that each row's command names, and the scenario in it.
    pub fn replays(&self) -> impl Iterator<Item = (String, &Scenario)> {
        self.lines.iter().filter_map(|line| match &line.outcome {
            Outcome::Failed { failure, .. } | Outcome::Deviates { failure, .. } => {
                Some((file_name(&line.scenario, &line.cast), &failure.replay))
            }
            Outcome::Passed | Outcome::Unsupported { .. } => None,
        })
    }
}

fn file_name(scenario: &str, cast: &str) -> String {
    format!("{scenario}.{}.json", cast.replace(" x ", "+").replace('/', "-"))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            let Line { cast, scenario, walks, compared, notes, outcome } = line;
            match outcome {
                Outcome::Passed => {
                    writeln!(
                        f,
                        "passed       {scenario}: {cast}: {walks} walks, {compared} compared"
                    )?;
                    notes.iter().try_for_each(|note| writeln!(f, "             {note}"))?;
                }
                Outcome::Unsupported { why } => {
                    writeln!(f, "unsupported  {scenario}: {cast}: {why}")?;
                }
                Outcome::Deviates { failure, why, .. } => {
                    writeln!(f, "deviates     {scenario}: {cast}: {}", words(failure))?;
                    writeln!(f, "             as declared: {why}")?;
                }
                Outcome::Failed { failure, command } => {
                    writeln!(f, "FAILED       {scenario}: {cast}: {}", words(failure))?;
                    writeln!(f, "             {command}")?;
                }
            }
        }
        for why in &self.not_shown {
            writeln!(f, "FAILED       declared, and didn't show: {why}")?;
        }
        writeln!(
            f,
            "{} rows passed, {} failed, {} deviating as declared, {} unsupported; {} compared",
            self.passed, self.failed, self.deviating, self.unsupported, self.compared,
        )
    }
}

/// Where it went wrong, and how.
fn words(failure: &Failure) -> String {
    let actor = failure.actor.as_deref().unwrap_or("the kit");
    format!("step {}, {}: {actor}: {}", failure.step, failure.action, failure.what)
}
