//! What `verify` prints.

use std::fmt;

use engine_api::{Deviation, Registration};
use serde::Serialize;

use super::interop;
use super::pair_name;
use crate::checks::{Check, Entry, Ledger, Verdict};

/// The outcome of all checks.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The shape of this report.
    pub schema: &'static str,
    /// Checks that were executed and judged.
    pub executed: usize,
    /// Of those, the ones that failed without the engine's declaring it.
    pub failed: usize,
    /// Of those, the ones that failed as the engine's adapter declares.
    pub deviating: usize,
    /// Checks that couldn't be tried; not among the executed.
    pub unsupported: usize,
    /// Ordered pairs of engines that were put in groups together.
    pub pairs: usize,
    /// Engine by engine, then pair by pair.
    pub subjects: Vec<Subject>,
    /// Engines that were in no pair, and rows that don't exist: each with its reason.
    pub absent: Vec<String>,
}

/// One engine or one pair.
#[derive(Debug, Serialize)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// As in [`Report`].
    pub executed: usize,
    /// Every check that failed.
    pub failures: Vec<Entry>,
    /// Every check that failed as declared, and the declaration.
    pub deviations: Vec<(Entry, &'static str)>,
    /// Every check that couldn't be tried.
    pub unsupported: Vec<Entry>,
}

/// A declaration, whose it is, and how many faults it has covered so far.
struct Declared {
    engine: &'static str,
    deviation: Deviation,
    covered: usize,
}

impl Report {
    pub(super) fn new(
        engines: &[Registration],
        pairs: &[(Registration, Registration)],
        ledger: &Ledger,
        absent_rows: Vec<String>,
    ) -> Self {
        let mut declared: Vec<Declared> = engines.iter().flat_map(declarations).collect();
        let mut subjects: Vec<Subject> = engines
            .iter()
            .map(|engine| Subject::new(engine.name(), &[engine.name()], ledger, &mut declared))
            .collect();
        for (founder, joiner) in pairs {
            let both = [founder.name(), joiner.name()];
            let name = pair_name(founder, joiner);
            subjects.push(Subject::new(&name, &both, ledger, &mut declared));
        }
        for stale in declared.iter().filter(|declared| declared.covered == 0) {
            if let Some(subject) = subjects.iter_mut().find(|s| s.name == stale.engine) {
                subject.failures.push(stale.entry());
            }
        }
        let mut absent: Vec<_> = interop::alone(engines)
            .into_iter()
            .map(|(name, why)| format!("{name} is in no pair: no other engine here speaks {why}"))
            .collect();
        absent.extend(absent_rows);
        let sum = |count: fn(&Subject) -> usize| subjects.iter().map(count).sum();
        Self {
            schema: "cgka-bench/verify/1",
            executed: sum(|subject| subject.executed),
            failed: sum(|subject| subject.failures.len()),
            deviating: sum(|subject| subject.deviations.len()),
            unsupported: sum(|subject| subject.unsupported.len()),
            pairs: pairs.len(),
            absent,
            subjects,
        }
    }

    /// Whether nothing failed, and something was executed on everybody.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.failed == 0
            && !self.subjects.is_empty()
            && self.subjects.iter().all(|subject| subject.executed > 0)
    }
}

fn declarations(engine: &Registration) -> impl Iterator<Item = Declared> {
    let about = engine.describe();
    let declared =
        |deviation: &Deviation| Declared { engine: about.name, deviation: *deviation, covered: 0 };
    about.deviations.iter().map(declared).collect::<Vec<_>>().into_iter()
}

impl Declared {
    /// Takes a failure over, if the declaration is about it and has room for it.
    fn cover(&mut self, engines: &[&str], entry: &Entry, failure: &str) -> bool {
        let Deviation { scenario, check, shows, at_most, .. } = self.deviation;
        let about_it = engines.contains(&self.engine)
            && entry.check != Check::Works
            && scenario == entry.scenario
            && check == entry.check.name()
            && failure.contains(shows)
            && self.covered + entry.faults <= at_most;
        if about_it {
            self.covered += entry.faults;
        }
        about_it
    }

    /// The failure that a declaration is which covered nothing.
    fn entry(&self) -> Entry {
        Entry {
            subject: self.engine.into(),
            scenario: self.deviation.scenario.into(),
            check: Check::Description,
            verdict: Verdict::Failed(format!(
                "the declared deviation in {} didn't show; take it out: {}",
                self.deviation.check, self.deviation.why
            )),
            faults: 1,
        }
    }
}

impl Subject {
    /// Sorts the ledger's entries about one subject.
    fn new(name: &str, engines: &[&str], ledger: &Ledger, declared: &mut [Declared]) -> Self {
        let mut subject = Self {
            name: name.into(),
            executed: 0,
            failures: Vec::new(),
            deviations: Vec::new(),
            unsupported: Vec::new(),
        };
        for entry in ledger.entries().iter().filter(|entry| entry.subject == name) {
            match &entry.verdict {
                Verdict::Passed => subject.executed += 1,
                Verdict::Unsupported(_) => subject.unsupported.push(entry.clone()),
                Verdict::Failed(failure) => {
                    subject.executed += 1;
                    let cover = declared.iter_mut().find_map(|declared| {
                        let covers = declared.cover(engines, entry, failure);
                        covers.then_some(declared.deviation.why)
                    });
                    match cover {
                        Some(why) => subject.deviations.push((entry.clone(), why)),
                        None => subject.failures.push(entry.clone()),
                    }
                }
            }
        }
        subject
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.subjects.iter().map(|subject| subject.name.len()).max().unwrap_or(0);
        for subject in &self.subjects {
            writeln!(
                f,
                "{:width$}  {:4} checks, {} failed, {} deviating, {} unsupported",
                subject.name,
                subject.executed,
                subject.failures.len(),
                subject.deviations.len(),
                subject.unsupported.len(),
            )?;
            for entry in subject.failures.iter().chain(&subject.unsupported) {
                write_entry(f, entry, None)?;
            }
            for (entry, why) in &subject.deviations {
                write_entry(f, entry, Some(why))?;
            }
        }
        for why in &self.absent {
            writeln!(f, "absent: {why}")?;
        }
        writeln!(
            f,
            "{} checks executed, {} failed, {} deviating as declared, {} unsupported; {} pairs",
            self.executed, self.failed, self.deviating, self.unsupported, self.pairs,
        )
    }
}

fn write_entry(f: &mut fmt::Formatter<'_>, entry: &Entry, declared: Option<&str>) -> fmt::Result {
    let (word, text) = match (&entry.verdict, declared) {
        (Verdict::Passed, _) => return Ok(()),
        (Verdict::Failed(why), None) => ("FAILED", why),
        (Verdict::Failed(why), Some(_)) => ("deviates", why),
        (Verdict::Unsupported(why), _) => ("unsupported", why),
    };
    writeln!(f, "    {word} {} in {}: {text}", entry.check, entry.scenario)?;
    match declared {
        Some(why) => writeln!(f, "        as declared: {why}"),
        None => Ok(()),
    }
}
