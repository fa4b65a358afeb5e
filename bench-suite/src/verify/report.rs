//! What `verify` prints.

use std::collections::BTreeMap;
use std::fmt;

use engine_api::{Deviation, Registration};
use serde::Serialize;

use super::interop;
use super::pair_name;
use crate::checks::{Entry, Ledger, Verdict};

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
    /// Engines that were in no pair, and why.
    pub unpaired: Vec<String>,
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

impl Report {
    pub(super) fn new(
        engines: &[Registration],
        pairs: &[(Registration, Registration)],
        ledger: Ledger,
    ) -> Self {
        let mut subjects: Vec<Subject> = Vec::new();
        for engine in engines {
            let declared = engine.describe().deviations;
            subjects.push(Subject::new(engine.name(), &ledger, declared, true));
        }
        for (founder, joiner) in pairs {
            let both = [founder.describe().deviations, joiner.describe().deviations].concat();
            subjects.push(Subject::new(&pair_name(founder, joiner), &ledger, &both, false));
        }
        let sum = |count: fn(&Subject) -> usize| subjects.iter().map(count).sum();
        Self {
            schema: "cgka-bench/verify/1",
            executed: sum(|subject| subject.executed),
            failed: sum(|subject| subject.failures.len()),
            deviating: sum(|subject| subject.deviations.len()),
            unsupported: sum(|subject| subject.unsupported.len()),
            pairs: pairs.len(),
            unpaired: interop::alone(engines)
                .into_iter()
                .map(|(name, profile)| format!("{name}: no other engine here speaks {profile}"))
                .collect(),
            subjects,
        }
    }

    /// Whether nothing failed.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.failed == 0
    }
}

impl Subject {
    /// Sorts the ledger's entries about one subject. A declared deviation that never showed is
    /// entered as a failure, where the subject is the engine itself: the declaration is stale.
    fn new(name: &str, ledger: &Ledger, declared: &[Deviation], stale_fails: bool) -> Self {
        let mut subject = Self {
            name: name.into(),
            executed: 0,
            failures: Vec::new(),
            deviations: Vec::new(),
            unsupported: Vec::new(),
        };
        let mut shown = vec![false; declared.len()];
        for entry in ledger.entries().iter().filter(|entry| entry.subject == name) {
            let declaration = declared.iter().position(|deviation| {
                deviation.scenario == entry.scenario && deviation.check == entry.check.name()
            });
            match (&entry.verdict, declaration) {
                (Verdict::Passed, _) => subject.executed += 1,
                (Verdict::Failed(_), Some(index)) => {
                    subject.executed += 1;
                    shown[index] = true;
                    subject.deviations.push((entry.clone(), declared[index].why));
                }
                (Verdict::Failed(_), None) => {
                    subject.executed += 1;
                    subject.failures.push(entry.clone());
                }
                (Verdict::Unsupported(_), _) => subject.unsupported.push(entry.clone()),
            }
        }
        for (deviation, shown) in declared.iter().zip(shown) {
            if stale_fails && !shown {
                subject.failures.push(stale(name, deviation));
            }
        }
        subject
    }
}

fn stale(name: &str, deviation: &Deviation) -> Entry {
    Entry {
        subject: name.into(),
        scenario: deviation.scenario.into(),
        check: crate::checks::Check::Description,
        verdict: Verdict::Failed(format!(
            "the declared deviation in {} didn't show; take it out: {}",
            deviation.check, deviation.why
        )),
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
                write_entry(f, entry)?;
            }
            write_deviations(f, &subject.deviations)?;
        }
        for why in &self.unpaired {
            writeln!(f, "not paired: {why}")?;
        }
        writeln!(
            f,
            "{} checks executed, {} failed, {} deviating as declared, {} unsupported; {} pairs",
            self.executed, self.failed, self.deviating, self.unsupported, self.pairs,
        )
    }
}

fn write_entry(f: &mut fmt::Formatter<'_>, entry: &Entry) -> fmt::Result {
    let (word, why) = match &entry.verdict {
        Verdict::Passed => return Ok(()),
        Verdict::Failed(why) => ("FAILED", why),
        Verdict::Unsupported(why) => ("unsupported", why),
    };
    writeln!(f, "    {word} {} in {}: {why}", entry.check, entry.scenario)
}

/// One line per declaration, with the first thing that it covered.
fn write_deviations(f: &mut fmt::Formatter<'_>, all: &[(Entry, &'static str)]) -> fmt::Result {
    let mut by_reason: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for (entry, why) in all {
        by_reason.entry(why).or_default().push(entry);
    }
    for (why, entries) in by_reason {
        for entry in &entries[..1] {
            writeln!(f, "    deviates {} in {}: {why}", entry.check, entry.scenario)?;
            if let Verdict::Failed(shown) = &entry.verdict {
                writeln!(f, "        {} times; the first: {shown}", entries.len())?;
            }
        }
    }
    Ok(())
}
