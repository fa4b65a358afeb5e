//! Sentences to quote, each made from the numbers; and what was left unsaid, with the reason.

use serde::Serialize;

use super::{Amount, Line, Migration, Move, Time};
use crate::format::{Control, Run, Verdict};
use crate::units::{count, percent, ratio};

/// The largest group that sentences are about, where the run has it.
const QUOTED: usize = 33;

/// What may be quoted, and what may not.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Sentences {
    /// In the order of the moves and their cases.
    pub said: Vec<String>,
    /// What the run doesn't carry.
    pub unsaid: Vec<String>,
}

/// The sentences of a run. Of each case they are about one size: the largest up to 33 members, or the
/// smallest if all are larger.
#[must_use]
pub fn sentences(run: &Run, migration: &Migration) -> Sentences {
    let mut sentences = Sentences::default();
    for one in &migration.moves {
        for line in quoted(one) {
            enter(&mut sentences, run, one, line);
        }
        sentences.said.extend(state(one));
    }
    let alone = migration.without_baseline.iter();
    sentences.unsaid.extend(alone.map(|alone| format!("{}: {}.", alone.engine, alone.why)));
    sentences
}

fn quoted(one: &Move) -> Vec<&Line> {
    let mut chosen: Vec<&Line> = Vec::new();
    for line in one.lines.iter().filter(|line| line.missing.is_none()) {
        match chosen.iter_mut().find(|other| other.case == line.case) {
            Some(other) if is_better(line.size, other.size) => *other = line,
            Some(_) => {}
            None => chosen.push(line),
        }
    }
    chosen
}

fn is_better(size: usize, than: usize) -> bool {
    if than > QUOTED { size < than } else { size <= QUOTED && size > than }
}

fn enter(sentences: &mut Sentences, run: &Run, one: &Move, line: &Line) {
    let subject = subject(one, line);
    let bytes = line.wire_bytes.and_then(fold);
    let time = line.time.as_ref().map(|time| (time, carried(run, line, time)));
    let said = match (&time, bytes) {
        (Some((time, Ok(()))), Some(bytes)) => {
            Some(format!("{} and {bytes} the bytes", took(run, time)))
        }
        (Some((time, Ok(()))), None) => Some(took(run, time)),
        (_, Some(bytes)) => Some(format!("costs {bytes} the bytes")),
        (_, None) => None,
    };
    if let Some(said) = said {
        sentences.said.push(format!("{subject} {said} of {}.", one.baseline));
    }
    match time {
        Some((time, Err(why))) => {
            let Time { factor, low, high, .. } = time;
            let (factor, low, high) = (ratio(*factor), ratio(*low), ratio(*high));
            sentences.unsaid.push(format!(
                "{subject}: nothing is said of its time ({factor}x [{low}, {high}]), as {why}."
            ));
        }
        None => sentences.unsaid.push(format!("{subject}: its time was not compared.")),
        Some((_, Ok(()))) => {}
    }
}

/// Who does what, among how many.
fn subject(one: &Move, line: &Line) -> String {
    let size = line.size;
    let at = match line.case.as_str() {
        "create_group" if size == 1 => "With 1 invitee".to_owned(),
        "create_group" => format!("With {size} invitees"),
        _ if size == 1 => "At 1 member".to_owned(),
        _ => format!("At {size} members"),
    };
    format!("{at} {} on {} by {}", doing(&line.case), one.suite, one.engine)
}

fn doing(case: &str) -> String {
    let parts: Vec<_> = case.split('/').collect();
    match parts[..] {
        ["create_group"] => "founding a group".into(),
        ["join_welcome"] => "joining by a Welcome".into(),
        ["send"] => "sending a message".into(),
        ["ingest_app"] => "reading a message".into(),
        ["commit", change, tree] => format!("a commit ({change}, {tree} tree)"),
        ["ingest_commit", change, tree] => format!("following a commit ({change}, {tree} tree)"),
        _ => case.to_owned(),
    }
}

/// A time that the run carries.
fn took(run: &Run, time: &Time) -> String {
    if time.verdict == Verdict::Equivalent {
        return format!("costs the time, to within {},", percent(run.plan.margin));
    }
    let (factor, low, high) = (ratio(time.factor), ratio(time.low), ratio(time.high));
    format!("costs {factor}x [{low}, {high}] the time")
}

fn fold(bytes: Amount) -> Option<String> {
    let factor = ratio(bytes.factor?);
    Some(format!("{factor}x ({} for {})", count(bytes.is), count(bytes.baseline)))
}

/// Whether the run carries what is said of a time: its interval has to lie beyond the margin (or within
/// it), and further out than an engine that was entered twice is from itself in the same row.
///
/// # Errors
/// Why it doesn't.
pub fn carried(run: &Run, line: &Line, time: &Time) -> Result<(), String> {
    if run.grade.name == "invalid" {
        return Err("the run is invalid".into());
    }
    let here = |control: &&Control| control.case == line.case && control.size == line.size;
    let Some(control) = run.controls.iter().find(here) else {
        return Err("no engine was entered twice in that row".into());
    };
    if control.differs {
        return Err("the engine that was entered twice differs from itself there".into());
    }
    let (low, high) = (control.low.min(1.0 / control.high), control.high.max(1.0 / control.low));
    let beyond = match time.verdict {
        Verdict::Inconclusive => return Err("its interval reaches into the margin around 1".into()),
        Verdict::Equivalent => true,
        Verdict::Slower => time.low > high,
        Verdict::Faster => time.high < low,
    };
    if beyond {
        Ok(())
    } else {
        let (low, high) = (ratio(control.low), ratio(control.high));
        Err(format!("an engine entered twice is [{low}, {high}] of itself there"))
    }
}

/// What a member keeps, after a commit if the run has one.
fn state(one: &Move) -> Option<String> {
    let lines = quoted(one);
    let update = lines.iter().find(|line| line.case == "commit/update/warm");
    let line = update.or_else(|| lines.iter().find(|line| line.state_bytes.is_some()))?;
    let bytes = fold(line.state_bytes?)?;
    // Of a founding the size counts those invited.
    let members = line.size + usize::from(line.case == "create_group");
    Some(format!(
        "At {members} members a member's state of the group on {} by {} is {bytes} the bytes of {}.",
        one.suite, one.engine, one.baseline
    ))
}
