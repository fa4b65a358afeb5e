//! All that is ours, given to one engine: what the conformance table is made of.

use std::collections::BTreeSet;

use engine_api::{MlsRegistration, Registration};
use serde::Serialize;

use super::deviations::{self, Shows};
use super::{Kind, Outcome, judge_engine, key_packages, on_engine};
use crate::sessions::{Replayed, recordings, replay};

/// What came of one of our files on one engine.
#[derive(Clone, Debug, Serialize)]
pub struct EngineRow {
    /// The engine.
    pub engine: &'static str,
    /// The file.
    pub file: String,
    /// Cases that the engine was given.
    pub executed: usize,
    /// Of these, the ones that came out as they should.
    pub passed: usize,
    /// Of these, the ones that came out otherwise, as `docs/peer-findings.md` says.
    pub deviating: usize,
    /// Of these, the others.
    pub failed: usize,
    /// Cases that the engine was not given.
    pub unsupported: usize,
    /// Why, if there are any.
    pub reasons: BTreeSet<String>,
    /// The failures, in words.
    pub failures: Vec<String>,
}

impl EngineRow {
    fn new(engine: &'static str, file: &str) -> Self {
        Self {
            engine,
            file: file.into(),
            executed: 0,
            passed: 0,
            deviating: 0,
            failed: 0,
            unsupported: 0,
            reasons: BTreeSet::new(),
            failures: Vec::new(),
        }
    }

    fn not_given(&mut self, why: impl Into<String>) {
        self.unsupported += 1;
        self.reasons.insert(why.into());
    }

    fn fail(&mut self, why: String) {
        self.failed += 1;
        self.failures.push(why);
    }

    fn add(&mut self, case: &str, cipher_suite: u16, outcome: Outcome) {
        if let Outcome::Unsupported(why) = outcome {
            return self.not_given(why);
        }
        self.executed += 1;
        let known = deviations::of(self.engine, &self.file, case).map(|(.., shows)| *shows);
        match outcome {
            Outcome::Differs(why) if known == Some(Shows::of(&why)) => self.deviating += 1,
            Outcome::Differs(why) => self.fail(format!("{case} on suite {cipher_suite}: {why}")),
            _ if known.is_some() => {
                self.fail(format!("{case} on suite {cipher_suite}: agrees by now"))
            }
            _ => self.passed += 1,
        }
    }
}

/// Gives an engine our key packages, Welcomes, commits and messages, and the recorded sessions.
/// `plain` is the same engine without what only MLS has.
///
/// # Errors
/// If a file in the repository is damaged.
pub fn engine_rows(
    engine: &MlsRegistration,
    plain: &Registration,
) -> serde_json::Result<Vec<EngineRow>> {
    let mut rows = vec![of_key_packages(plain)?];
    for kind in Kind::ALL {
        rows.push(of_scenes(engine, kind)?);
    }
    for (file, recording) in recordings()? {
        let mut row = EngineRow::new(engine.name(), file);
        for session in &recording.sessions {
            match replay(engine, session) {
                Replayed::Unsupported(why) => row.not_given(why),
                replayed => {
                    row.executed += 1;
                    match replayed {
                        Replayed::Differs(why) => row.fail(format!("{}: {why}", session.name)),
                        _ => row.passed += 1,
                    }
                }
            }
        }
        rows.push(row);
    }
    Ok(rows)
}

fn of_key_packages(engine: &Registration) -> serde_json::Result<EngineRow> {
    let cases = key_packages()?;
    let mut row = EngineRow::new(engine.name(), "key-packages.json");
    for (case, outcome) in cases.iter().zip(on_engine(engine, &cases)) {
        row.add(&case.name, case.cipher_suite, outcome);
    }
    Ok(row)
}

fn of_scenes(engine: &MlsRegistration, kind: Kind) -> serde_json::Result<EngineRow> {
    let mut row = EngineRow::new(engine.name(), kind.file());
    for mut scene in kind.scenes()? {
        scene.cases.retain(|case| {
            let why = deviations::not_given(engine.name(), kind.file(), &case.name);
            why.into_iter().for_each(|why| row.not_given(format!("{}: {why}", case.name)));
            why.is_none()
        });
        for (case, outcome) in scene.cases.iter().zip(judge_engine(engine, &scene)) {
            row.add(&case.name, scene.cipher_suite, outcome);
        }
    }
    Ok(row)
}
