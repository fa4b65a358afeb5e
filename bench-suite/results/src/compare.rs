//! What changed from one run to another, beyond noise.
//!
//! Two runs are of two times, and a machine is not the same at both. So each row has two ratios of
//! new over old:
//!
//! - the **raw** one, of the medians;
//! - the one **relative to the peers**: the raw one divided by the median of the peers' raw ratios
//!   in the same case and size. A peer is an engine of another family (what stands before the
//!   slash) with cryptography, that was entered once, and whose packages and features are the same
//!   in both runs. Each family has one voice, the median of its engines, as its engines change
//!   together. What slows all engines alike cancels out.
//!
//! The verdict is by the relative ratio where there are peers of at least [`FEWEST_PEERS`] families,
//! else by the raw one; [`Change::by`] says which. A raw ratio holds the machine's drift between the
//! runs too, so it is no regression by itself. Second entries and slowed ones have no ratio.
//! Intervals are bootstrapped from the blocks of both runs, each
//! drawn for itself, at the confidence of the old run's plan.
//!
//! Counts and bytes on the wire don't vary from run to run: they are compared exactly. Allocations
//! vary by a few percent.

mod exact;
mod print;
mod timing;

use std::collections::BTreeSet;

use crate::format::{Engine, Outcome, ResultFile, Run};
use crate::index::{Cell, Index, outcome_name};

pub use exact::Difference;
pub use timing::{By, Change, FEWEST_PEERS, Said};

/// Why two runs are not compared.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// A file with several runs, or none.
    #[error("{file} has {} runs; name one by the beginning of its id: {}", ids.len(), ids.join(", "))]
    Ambiguous {
        /// Which file.
        file: String,
        /// Its runs.
        ids: Vec<String>,
    },
    /// No run, or several, begin like this.
    #[error("{found} runs of {file} have an id that begins with {wanted}")]
    NotOne {
        /// Which file.
        file: String,
        /// What was asked for.
        wanted: String,
        /// How many there are.
        found: usize,
    },
    /// Of different machines a ratio says nothing of the engines.
    #[error(
        "the runs are of different machines ({0}): a ratio between them says nothing of the engines; \
         --force compares them all the same"
    )]
    OtherMachine(String),
}

/// All that changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Changes {
    /// The share above which a slower row is a regression.
    pub threshold: f64,
    /// Conditions that were not the same, in words.
    pub conditions: Vec<String>,
    /// Rows that were measured in both.
    pub times: Vec<Change>,
    /// Rows whose outcome is another, or that are in one run only.
    pub outcomes: Vec<OutcomeChange>,
    /// Counts, allocations and bytes on the wire that are not the same.
    pub exact: Vec<Difference>,
}

/// A row that is measured in one run and not in the other, or missing from one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutcomeChange {
    /// `case/size of engine`.
    pub row: String,
    /// Before.
    pub old: String,
    /// Now.
    pub new: String,
    /// Whether it was measured, and is wrong now.
    pub broken: bool,
}

impl Changes {
    /// Whether no row was measured in both runs: then nothing was compared.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.times.is_empty()
    }

    /// Whether anything is wrong, or worse than its peers by more than the threshold.
    #[must_use]
    pub fn is_regression(&self) -> bool {
        self.outcomes.iter().any(|change| change.broken)
            || self.regressed().any(|change| change.by != By::Raw)
    }

    /// Whether anything is slower by more than the threshold where only raw ratios judge: that may be
    /// the machine of another hour.
    #[must_use]
    pub fn is_raw_regression(&self) -> bool {
        self.regressed().any(|change| change.by == By::Raw)
    }

    fn regressed(&self) -> impl Iterator<Item = &Change> {
        self.times.iter().filter(|change| change.said == Said::Regressed)
    }
}

/// The run of a file: the one whose identity begins with `wanted`, or the only one.
///
/// # Errors
/// If it isn't one.
pub fn choose<'a>(
    name: &str,
    file: &'a ResultFile,
    wanted: Option<&str>,
) -> Result<&'a Run, Refused> {
    let fits = |run: &&Run| wanted.is_none_or(|wanted| run.id.starts_with(wanted));
    let found: Vec<_> = file.runs.iter().filter(fits).collect();
    match (&found[..], wanted) {
        ([run], _) => Ok(run),
        (runs, None) => Err(Refused::Ambiguous {
            file: name.into(),
            ids: runs.iter().map(|run| crate::digest::short(&run.id).into()).collect(),
        }),
        (runs, Some(wanted)) => {
            Err(Refused::NotOne { file: name.into(), wanted: wanted.into(), found: runs.len() })
        }
    }
}

/// Compares two runs.
///
/// # Errors
/// [`Refused::OtherMachine`], unless told to do it all the same.
pub fn compare(old: &Run, new: &Run, threshold: f64, force: bool) -> Result<Changes, Refused> {
    let machine = |run: &Run| format!("{}, {}", run.host.kind, run.host.cpu);
    let (was, is) = (machine(old), machine(new));
    if was != is && !force {
        return Err(Refused::OtherMachine(format!("{was}; {is}")));
    }
    let (old, new) = (Index::new(old), Index::new(new));
    let mut cells = old.cells();
    cells.extend(new.cells().into_iter().filter(|cell| !old.cells().contains(cell)));
    let mut changes = Changes {
        threshold,
        conditions: conditions(old.run, new.run),
        times: Vec::new(),
        outcomes: Vec::new(),
        exact: Vec::new(),
    };
    for cell in cells {
        changes.times.extend(timing::changes(&old, &new, cell, threshold));
        for engine in engines(old.run, new.run) {
            let change = outcome(&old, &new, cell, engine);
            let compared =
                [&old, &new].iter().all(|run| run.engine(engine).is_none_or(is_compared));
            changes.outcomes.extend(change.filter(|change| compared || change.broken));
            if let (Some(old), Some(new)) = (old.row(cell, engine), new.row(cell, engine)) {
                changes.exact.extend(exact::differences(old, new));
            }
        }
    }
    Ok(changes)
}

/// A second entry or a slowed one is there for its own run: whatever it does, its first does too.
fn is_compared(engine: &Engine) -> bool {
    engine.again.is_none() && !engine.name.starts_with("slowed/")
}

/// Of both runs, the old one's first.
fn engines<'a>(old: &'a Run, new: &'a Run) -> Vec<&'a str> {
    let mut names: Vec<&str> = old.engines.iter().map(|engine| engine.name.as_str()).collect();
    let added: Vec<_> = new.engines.iter().map(|engine| engine.name.as_str()).collect();
    names.extend(added.into_iter().filter(|name| !old.engines.iter().any(|e| e.name == *name)));
    names
}

fn outcome(
    old: &Index<'_>,
    new: &Index<'_>,
    cell: Cell<'_>,
    engine: &str,
) -> Option<OutcomeChange> {
    let words = |outcome: Option<&Outcome>| match outcome {
        None => "not in this run".to_owned(),
        Some(Outcome::Absent { reason } | Outcome::Wrong { reason }) => {
            format!("{} ({reason})", outcome.map_or("", outcome_name))
        }
        Some(other) => outcome_name(other).to_owned(),
    };
    let was = old.row(cell, engine).map(|row| &row.outcome);
    let is = new.row(cell, engine).map(|row| &row.outcome);
    (was != is).then(|| OutcomeChange {
        row: format!("{}/{} of {engine}", cell.case, cell.size),
        old: words(was),
        new: words(is),
        broken: was == Some(&Outcome::Measured) && matches!(is, Some(Outcome::Wrong { .. })),
    })
}

fn conditions(old: &Run, new: &Run) -> Vec<String> {
    let words = |option: &Option<String>| option.clone().unwrap_or_else(|| "unknown".into());
    let yes_no = |option: Option<bool>| match option {
        None => "unknown".to_owned(),
        Some(yes) => if yes { "yes" } else { "no" }.into(),
    };
    let number = |option: Option<u32>| option.map_or("none".to_owned(), |it| it.to_string());
    let pairs = [
        ("machine", old.host.kind.clone(), new.host.kind.clone()),
        ("processor", old.host.cpu.clone(), new.host.cpu.clone()),
        ("system", old.host.system.clone(), new.host.system.clone()),
        ("compiler", old.build.rustc.clone(), new.build.rustc.clone()),
        ("target", old.build.target.clone(), new.build.target.clone()),
        ("profile", old.build.profile.clone(), new.build.profile.clone()),
        ("flags", old.build.flags.clone(), new.build.flags.clone()),
        ("allocator", old.build.allocator.clone(), new.build.allocator.clone()),
        ("lockfile", old.build.lockfile.clone(), new.build.lockfile.clone()),
        ("commit", words(&old.build.commit), words(&new.build.commit)),
        ("uncommitted changes", yes_no(old.build.dirty), yes_no(new.build.dirty)),
        ("pinned to", number(old.host.pinned), number(new.host.pinned)),
        ("turbo", yes_no(old.host.turbo), yes_no(new.host.turbo)),
        ("plan", old.plan.preset.clone(), new.plan.preset.clone()),
        ("grade", old.grade.name.clone(), new.grade.name.clone()),
    ];
    let mut changed: Vec<_> = pairs
        .into_iter()
        .filter(|(_, old, new)| old != new)
        .map(|(name, old, new)| format!("{name}: {old} -> {new}"))
        .collect();
    for engine in &old.engines {
        if let Some(now) = new.engines.iter().find(|now| now.name == engine.name) {
            changed.extend(packages(engine, now));
        }
    }
    changed
}

fn packages(old: &Engine, new: &Engine) -> Option<String> {
    let list = |engine: &Engine| -> BTreeSet<String> {
        engine.packages.iter().map(|p| format!("{} {}", p.name, p.version)).collect()
    };
    let (was, is) = (list(old), list(new));
    let only = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
        let only: Vec<_> = one.difference(other).cloned().collect();
        only.join(", ")
    };
    (was != is).then(|| format!("{}: {} -> {}", old.name, only(&was, &is), only(&is, &was)))
}
