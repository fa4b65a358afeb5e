//! Finding things in a run.

use std::collections::HashMap;

use crate::format::{Comparison, Engine, Outcome, Row, Run, Statistics, Verdict};

/// A case at one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell<'a> {
    /// The case's name.
    pub case: &'a str,
    /// The size.
    pub size: usize,
}

/// A run with its rows and comparisons by name.
pub struct Index<'a> {
    /// The run.
    pub run: &'a Run,
    rows: HashMap<(Cell<'a>, &'a str), &'a Row>,
    comparisons: HashMap<(Cell<'a>, &'a str, &'a str), &'a Comparison>,
}

impl<'a> Index<'a> {
    /// Of this run.
    #[must_use]
    pub fn new(run: &'a Run) -> Self {
        let rows = run.rows.iter().map(|row| ((cell(row), row.engine.as_str()), row)).collect();
        let name = |c: &'a Comparison| {
            (Cell { case: &c.case, size: c.size }, c.engine.as_str(), c.against.as_str())
        };
        let comparisons = run.comparisons.iter().map(|c| (name(c), c)).collect();
        Self { run, rows, comparisons }
    }

    /// The cases in the order of the tables.
    #[must_use]
    pub fn cases(&self) -> Vec<&'a str> {
        let mut cases: Vec<&str> = Vec::new();
        for row in &self.run.rows {
            if !cases.contains(&row.case.as_str()) {
                cases.push(&row.case);
            }
        }
        cases
    }

    /// The sizes of a case, ascending.
    #[must_use]
    pub fn sizes(&self, case: &str) -> Vec<usize> {
        let mut sizes: Vec<_> =
            self.run.rows.iter().filter(|row| row.case == case).map(|row| row.size).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// Every case at every size, in the order of the tables.
    #[must_use]
    pub fn cells(&self) -> Vec<Cell<'a>> {
        let of = |case| self.sizes(case).into_iter().map(move |size| Cell { case, size });
        self.cases().into_iter().flat_map(of).collect()
    }

    /// The row of one engine.
    #[must_use]
    pub fn row(&self, cell: Cell<'_>, engine: &str) -> Option<&'a Row> {
        self.rows.get(&(cell, engine)).copied()
    }

    /// What was measured of one engine.
    #[must_use]
    pub fn statistics(&self, cell: Cell<'_>, engine: &str) -> Option<&'a Statistics> {
        self.row(cell, engine)?.statistics.as_ref()
    }

    /// The engine of this name.
    #[must_use]
    pub fn engine(&self, name: &str) -> Option<&'a Engine> {
        self.run.engines.iter().find(|engine| engine.name == name)
    }

    /// `engine` over `against`, turned round if it is recorded the other way.
    #[must_use]
    pub fn comparison(&self, cell: Cell<'_>, engine: &str, against: &str) -> Option<Comparison> {
        if let Some(found) = self.comparisons.get(&(cell, engine, against)) {
            return Some((*found).clone());
        }
        self.comparisons.get(&(cell, against, engine)).map(|found| turned(found))
    }

    /// Why a ratio is not of like with like, in words: what only one of the two does, and how far
    /// each has brought its state. Nothing if they do the same.
    #[must_use]
    pub fn difference(&self, comparison: &Comparison) -> Option<String> {
        let layer = |name: &str| self.engine(name).map(|engine| engine.layer.as_str());
        let (one, other) = (layer(&comparison.engine)?, layer(&comparison.against)?);
        let layers = (one != other).then(|| format!("layers {one} and {other}"));
        let words: Vec<_> = span_difference(comparison).into_iter().chain(layers).collect();
        if words.is_empty() { None } else { Some(words.join("; ")) }
    }
}

/// Where a row belongs.
#[must_use]
pub fn cell(row: &Row) -> Cell<'_> {
    Cell { case: &row.case, size: row.size }
}

/// A row's outcome in words; nothing if it was measured.
#[must_use]
pub fn why_not(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Measured => None,
        Outcome::Absent { reason } => Some(format!("absent: {reason}")),
        Outcome::Wrong { reason } => Some(format!("wrong: {reason}")),
        Outcome::NotReached => Some("not reached: the run was stopped before".into()),
    }
}

/// The outcome in a word.
#[must_use]
pub fn outcome_name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Measured => "measured",
        Outcome::Absent { .. } => "absent",
        Outcome::Wrong { .. } => "wrong",
        Outcome::NotReached => "not reached",
    }
}

/// A verdict in a word.
#[must_use]
pub fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::Equivalent => "equivalent",
        Verdict::Inconclusive => "inconclusive",
    }
}

/// What two engines do not both do in a span, in words; nothing if they do the same.
fn span_difference(comparison: &Comparison) -> Option<String> {
    let only = |engine: &str, works: &[String]| match works {
        [] => None,
        works => Some(format!("only {engine}: {}", works.join(", "))),
    };
    let sides = [
        only(&comparison.engine, &comparison.only_engine),
        only(&comparison.against, &comparison.only_against),
    ];
    let words: Vec<_> = sides.into_iter().flatten().collect();
    if words.is_empty() { None } else { Some(words.join("; ")) }
}

fn turned(recorded: &Comparison) -> Comparison {
    Comparison {
        case: recorded.case.clone(),
        size: recorded.size,
        engine: recorded.against.clone(),
        against: recorded.engine.clone(),
        ratio: 1.0 / recorded.ratio,
        low: 1.0 / recorded.high,
        high: 1.0 / recorded.low,
        verdict: match recorded.verdict {
            Verdict::Faster => Verdict::Slower,
            Verdict::Slower => Verdict::Faster,
            same @ (Verdict::Equivalent | Verdict::Inconclusive) => same,
        },
        same_crypto: recorded.same_crypto,
        only_engine: recorded.only_against.clone(),
        only_against: recorded.only_engine.clone(),
    }
}
