//! Writing down what was measured: the conditions, the tables, the grade.

use std::path::Path;

use bench_results::format::{Demerit, Grade};
use bench_results::grade::demerit;
use bench_results::tables::{self, Table, TablesFile, VERSION, read};
use bench_results::write::Existing;

use super::Plan;
use super::measure::ORDER;
use crate::record::conditions::{Conditions, command_line};

/// A tables file in the making: begins before the first turn, since it looks at the machine then.
pub struct Writer {
    conditions: Conditions,
    plan: Plan,
    kind: &'static str,
}

impl Writer {
    /// Measurements under reference conditions.
    #[must_use]
    pub fn reference(plan: Plan) -> Self {
        Self { conditions: Conditions::begin(), plan, kind: tables::KIND }
    }

    /// Measurements in which the machine is pressed on purpose.
    #[must_use]
    pub fn stress(plan: Plan) -> Self {
        Self { conditions: Conditions::begin(), plan, kind: tables::STRESS }
    }

    /// Computes what follows from the rounds, and judges.
    ///
    /// # Errors
    ///
    /// If it can't be put as JSON.
    pub fn finish(self, tables: Vec<Table>, seen: Vec<Demerit>) -> Result<TablesFile, String> {
        let ended = self.conditions.end();
        let file = TablesFile {
            kind: self.kind.into(),
            version: VERSION,
            id: String::new(),
            tool: env!("CARGO_PKG_VERSION").into(),
            command: command_line(),
            started: ended.started,
            finished: ended.finished,
            plan: tables::Plan {
                rounds: self.plan.rounds,
                turn_ns: u64::try_from(self.plan.turn.as_nanos()).unwrap_or(u64::MAX),
                order: ORDER.into(),
            },
            host: ended.host,
            build: ended.build,
            tables,
            grade: Grade { name: String::new(), demerits: seen },
        };
        file.seal().map_err(|why| why.to_string())
    }
}

/// Puts a tables file at `path`; one that stands there is only replaced by `force`.
///
/// # Errors
///
/// Why it wasn't written.
pub fn save(path: &Path, file: &TablesFile, force: bool) -> Result<(), String> {
    let existing = if force { Existing::Replace } else { Existing::Keep };
    read::save(path, file, existing).map_err(|why| why.to_string())
}
/// Kind of the demerit of what failed its checks or its timing.
pub const WRONG: &str = "wrong";

/// That something in a row isn't what it should be.
#[must_use]
pub fn wrong(row: &str, who: &str, why: &str) -> Demerit {
    demerit(WRONG, format!("{row}, {who}: {why}"))
}
