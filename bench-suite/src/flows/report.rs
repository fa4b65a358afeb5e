//! What came of the flows.

use std::fmt;

use engine_api::MlsRegistration;
use serde::Serialize;

use super::{KNOWN, Known};

/// What came of all flows.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// One for each flow and cast.
    pub rows: Vec<Row>,
    /// Checks executed.
    pub checks: usize,
    /// Rows that passed.
    pub passed: usize,
    /// Rows that failed.
    pub failed: usize,
    /// Rows that failed as declared.
    pub deviating: usize,
    /// Rows that could not be walked.
    pub unsupported: usize,
    /// Declared deviations that didn't show.
    pub not_shown: Vec<String>,
}

/// One flow, walked by one cast.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The flow.
    pub flow: &'static str,
    /// The engines in the order in which they take turns.
    pub engines: Vec<&'static str>,
    /// How often it was walked: once, and once for each restart.
    pub walks: usize,
    /// Checks executed.
    pub checks: usize,
    /// What came of it.
    pub verdict: Verdict,
}

/// What came of a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Everything was as it has to be.
    Passed,
    /// The first thing that wasn't.
    Failed(String),
    /// The same, where that is declared.
    Deviates {
        /// The first thing that wasn't.
        failure: String,
        /// Why it is so.
        why: &'static str,
    },
    /// An engine doesn't have it.
    Unsupported(String),
}

impl Row {
    pub(super) fn new(flow: &'static str, engines: &[MlsRegistration]) -> Self {
        let engines = engines.iter().map(MlsRegistration::name).collect();
        Self { flow, engines, walks: 0, checks: 0, verdict: Verdict::Passed }
    }
}

impl Report {
    /// Sorts out what is declared, and counts.
    pub(super) fn close(&mut self, engines: &[MlsRegistration]) {
        for known in KNOWN {
            let about = |row: &&mut Row| {
                row.flow == known.flow && row.engines.iter().any(|name| known.is_about(name))
            };
            let mut asked = false;
            let mut shown = false;
            for row in self.rows.iter_mut().filter(about) {
                asked = true;
                if let Verdict::Failed(failure) = &row.verdict
                    && failure.contains(known.shows)
                {
                    shown = true;
                    row.verdict = Verdict::Deviates { failure: failure.clone(), why: known.why };
                }
            }
            let present = engines.iter().any(|engine| known.is_about(engine.name()));
            if asked && present && !shown {
                self.not_shown.push(format!("{} in {}: {}", known.engine, known.flow, known.why));
            }
        }
        self.checks = self.rows.iter().map(|row| row.checks).sum();
        for row in &self.rows {
            *match row.verdict {
                Verdict::Passed => &mut self.passed,
                Verdict::Failed(_) => &mut self.failed,
                Verdict::Deviates { .. } => &mut self.deviating,
                Verdict::Unsupported(_) => &mut self.unsupported,
            } += 1;
        }
    }

    /// Whether there is nothing that has to be looked at.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.failed == 0 && self.not_shown.is_empty() && self.passed > 0
    }
}

impl Known {
    fn is_about(&self, engine: &str) -> bool {
        let rest = engine.strip_prefix(self.engine);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.rows {
            let cast = row.engines.join(" + ");
            let (flow, walks, checks) = (row.flow, row.walks, row.checks);
            match &row.verdict {
                Verdict::Passed => {
                    writeln!(f, "passed       {flow}: {cast}: {walks} walks, {checks} checks")?;
                }
                Verdict::Failed(why) => writeln!(f, "FAILED       {flow}: {cast}: {why}")?,
                Verdict::Deviates { failure, why } => {
                    writeln!(f, "deviates     {flow}: {cast}: {failure}")?;
                    writeln!(f, "             as declared: {why}")?;
                }
                Verdict::Unsupported(why) => {
                    writeln!(f, "unsupported  {flow}: {cast}: {why}")?;
                }
            }
        }
        for why in &self.not_shown {
            writeln!(f, "FAILED       declared, and didn't show: {why}")?;
        }
        writeln!(
            f,
            "{} rows passed, {} failed, {} deviating as declared, {} unsupported; {} checks",
            self.passed, self.failed, self.deviating, self.unsupported, self.checks,
        )
    }
}
