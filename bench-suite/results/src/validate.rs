//! Whether a file can be what it says: the checks that no type can make.

mod derived;
mod pairs;
mod rows;

use std::collections::HashSet;
use std::fmt;
use std::hash::Hash;

use crate::digest::{run_id, short};
use crate::format::{Demerit, Grade, Plan, ResultFile, Run, SCHEMA};

/// One thing that can't be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The run, by the beginning of its identity.
    pub run: Option<String>,
    /// The row, comparison or other part of the run.
    pub part: Option<String>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(run) = &self.run {
            write!(f, "run {run}, ")?;
        }
        if let Some(part) = &self.part {
            write!(f, "{part}: ")?;
        }
        f.write_str(&self.what)
    }
}

/// Problems on a line each, the first twenty.
#[must_use]
pub fn list(problems: &[Problem]) -> String {
    const SHOWN: usize = 20;
    let mut lines: Vec<_> = problems.iter().take(SHOWN).map(|p| format!("\n  {p}")).collect();
    if problems.len() > SHOWN {
        lines.push(format!("\n  and {} more", problems.len() - SHOWN));
    }
    lines.concat()
}

/// Everything in a file that can't be.
#[must_use]
pub fn check(file: &ResultFile) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut of_file = |what: String| problems.push(Problem { run: None, part: None, what });
    if !(1..=SCHEMA).contains(&file.schema) {
        of_file(format!("its version is {}, this program writes {SCHEMA}", file.schema));
    }
    if file.schema == 1 && file.runs.iter().any(|run| !run.plan.intervals.is_over_blocks()) {
        of_file("version 1 has no field `plan.intervals`".into());
    }
    let left = |run: &Run| {
        run.rows.iter().any(|row| row.allocations.is_some_and(|a| a.left_bytes.is_some()))
    };
    if file.schema == 1 && file.runs.iter().any(left) {
        of_file("version 1 has no field `left_bytes`".into());
    }
    let stored = |run: &Run| run.rows.iter().any(|row| row.storage.is_some());
    if file.schema == 1 && file.runs.iter().any(stored) {
        of_file("version 1 has no field `storage`".into());
    }
    for pair in file.runs.windows(2) {
        if pair[0].id == pair[1].id {
            of_file(format!("run {} stands in it twice", short(&pair[0].id)));
        } else if pair[0].id > pair[1].id {
            let (one, other) = (short(&pair[0].id), short(&pair[1].id));
            of_file(format!("its runs are not in order: {one} stands before {other}"));
        }
    }
    for run in &file.runs {
        let mut found = Found { run: short(&run.id), problems: &mut problems };
        check_run(run, &mut found);
    }
    problems
}

/// More would keep a reader busy for hours.
const MOST_RESAMPLES: u32 = 100_000;

/// From fewer, an interval is as narrow as one likes.
const FEWEST_RESAMPLES: u32 = 200;

/// Collects the problems of one run.
struct Found<'a> {
    run: &'a str,
    problems: &'a mut Vec<Problem>,
}

impl Found<'_> {
    fn add(&mut self, part: impl Into<String>, what: impl Into<String>) {
        self.problems.push(Problem {
            run: Some(self.run.to_owned()),
            part: Some(part.into()),
            what: what.into(),
        });
    }

    /// Adds `what` unless it holds.
    fn must(&mut self, holds: bool, part: &str, what: impl FnOnce() -> String) {
        if !holds {
            self.add(part, what());
        }
    }

    /// Adds a problem for each key that comes again.
    fn unique<K: Hash + Eq + Clone>(
        &mut self,
        keys: impl IntoIterator<Item = K>,
        part: impl Fn(&K) -> String,
    ) {
        let mut seen = HashSet::new();
        for key in keys {
            if !seen.insert(key.clone()) {
                self.add(part(&key), "stands in the run twice");
            }
        }
    }
}

fn check_run(run: &Run, found: &mut Found<'_>) {
    digest(run, found);
    times(run, found);
    host(run, found);
    engines(run, found);
    let before = found.problems.len();
    plan(&run.plan, found);
    rows::check(run, found);
    pairs::check(run, found);
    // From broken blocks nothing follows.
    if found.problems.len() == before {
        derived::check(run, found);
    }
    grade(run, &run.grade, found);
    found.unique(run.checks.iter().map(|c| (&c.kind, &c.subject, &c.item)), |(kind, who, what)| {
        format!("check {kind} of {who}: {what}")
    });
}

/// First of all: with a wrong digest everything else may be somebody's edit.
fn digest(run: &Run, found: &mut Found<'_>) {
    match run_id(run) {
        Ok(id) if id == run.id => {}
        Ok(id) => found.add(
            "id",
            format!("it hashes to {}: it was changed after it was recorded", short(&id)),
        ),
        Err(why) => found.add("id", format!("it can't be hashed: {why}")),
    }
}

fn times(run: &Run, found: &mut Found<'_>) {
    for (name, time) in [("started", &run.started), ("finished", &run.finished)] {
        found.must(is_utc(time), name, || format!("`{time}` is no RFC 3339 time in UTC"));
    }
    // Of one form, they are ordered as texts.
    found.must(run.started <= run.finished, "finished", || {
        format!("{} is before the start, {}", run.finished, run.started)
    });
}

/// `2026-11-30T21:35:02Z`.
fn is_utc(time: &str) -> bool {
    const FORM: &[u8; 20] = b"0000-00-00T00:00:00Z";
    time.len() == FORM.len()
        && time.bytes().zip(FORM).all(|(is, form)| match form {
            b'0' => is.is_ascii_digit(),
            other => is == *other,
        })
}

fn plan(plan: &Plan, found: &mut Found<'_>) {
    found.must(plan.processes > 0 && plan.blocks > 0, "plan", || "it has no blocks".into());
    found.must(plan.resamples <= MOST_RESAMPLES, "plan", || {
        format!("{} resamples are more than the {MOST_RESAMPLES} that are allowed", plan.resamples)
    });
    found.must(plan.resamples >= FEWEST_RESAMPLES, "plan", || {
        format!("{} resamples are too few for an interval", plan.resamples)
    });
    for (name, share) in [("margin", plan.margin), ("confidence", plan.confidence)] {
        found.must(share > 0.0 && share < 1.0, "plan", || {
            format!("its {name} is {share}, not between 0 and 1")
        });
    }
}

fn host(run: &Run, found: &mut Found<'_>) {
    let host = &run.host;
    found.must(host.processors > 0, "host", || "it has no processor".into());
    let loads = [host.before, host.after];
    for load in loads.iter().filter_map(|load| load.average).flatten() {
        found.must(load.is_finite() && load >= 0.0, "host", || format!("a load of {load}"));
    }
    if let Some(steal) = host.steal {
        found.must((0.0..=1.0).contains(&steal), "host", || {
            format!("steal is {steal}, not a share of 1")
        });
    }
}

fn engines(run: &Run, found: &mut Found<'_>) {
    let names: HashSet<_> = run.engines.iter().map(|engine| engine.name.as_str()).collect();
    found.unique(run.engines.iter().map(|engine| &engine.name), |name| format!("engine {name}"));
    for engine in &run.engines {
        if let Some(first) = &engine.again {
            let part = format!("engine {}", engine.name);
            found.must(names.contains(first.as_str()), &part, || {
                format!("it is {first} again, which is no engine of this run")
            });
            // Against itself in the literal sense, no engine ever differs.
            let second = run.engines.iter().any(|e| e.name == *first && e.again.is_some());
            found.must(!second, &part, || {
                format!("it is {first} again, which is a second entry itself")
            });
            found.must(run.plan.again.as_ref() == Some(first), &part, || {
                format!("it is {first} again, which the plan doesn't enter twice")
            });
        }
    }
}

fn grade(run: &Run, grade: &Grade, found: &mut Found<'_>) {
    let differs = run.controls.iter().filter(|control| control.differs).count();
    let should_be = crate::grade::name(run, &grade.demerits);
    if grade.name == "reference" {
        for against in crate::grade::demerits(run) {
            let Demerit { kind, seen } = against;
            found
                .add("grade", format!("it is `reference`, and this is against it: {kind}: {seen}"));
        }
    }
    found.must(grade.name == should_be, "grade", || {
        format!(
            "it is `{}`; with {} demerits and {differs} A/A pairs that differ it is `{should_be}`",
            grade.name,
            grade.demerits.len(),
        )
    });
}
