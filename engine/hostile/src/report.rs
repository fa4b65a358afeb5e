//! What came of all inputs.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    time::Duration,
};

use burrow::{Error, PeerError};

use crate::{input::Input, mutate::Mutation, samples::Kind, seal::Seal, target::Outcome};

/// How far an input got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Depth {
    /// It wasn't read to its end.
    Parse,
    /// It was of another group, epoch or kind.
    Route,
    /// A signature, a tag or an encryption wasn't right.
    Authenticate,
    /// It broke a rule.
    Validate,
    /// What comes out of it isn't what it says: the last check of a commit and of a Welcome.
    Schedule,
    /// It was accepted.
    Accept,
}

/// Counts.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// How many inputs.
    pub inputs: u64,
    /// By what came of them.
    pub outcomes: BTreeMap<&'static str, u64>,
    /// By how far they got.
    pub depths: BTreeMap<Depth, u64>,
    slowest: Duration,
    largest: usize,
}

/// All counts.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// By kind, and whether a member's keys were used on it.
    pub kinds: BTreeMap<(Kind, bool), Row>,
    /// By mutation; an input that was mutated in several ways is in several rows.
    pub mutations: BTreeMap<Mutation, Row>,
    /// What was accepted, and how often.
    pub accepted: BTreeMap<(Kind, bool, &'static str), u64>,
    /// The broken rules.
    pub rules: BTreeMap<&'static str, u64>,
    /// What was said to be the caller's fault or the engine's.
    pub others: BTreeMap<(Kind, String), u64>,
    /// The failures, the first of each kind in full.
    pub failures: Vec<String>,
    /// How many failures.
    pub failed: u64,
    seen: BTreeSet<(Kind, String)>,
}

impl Row {
    fn count(&mut self, class: &'static str, depth: Depth, time: Duration, memory: usize) {
        self.inputs += 1;
        *self.outcomes.entry(class).or_default() += 1;
        *self.depths.entry(depth).or_default() += 1;
        self.slowest = self.slowest.max(time);
        self.largest = self.largest.max(memory);
    }

    /// How many got at least as far as this.
    #[must_use]
    pub fn at_least(&self, depth: Depth) -> u64 {
        self.depths.range(depth..).map(|(_, count)| count).sum()
    }
}

impl Report {
    /// How many inputs there were.
    #[must_use]
    pub fn inputs(&self) -> u64 {
        self.kinds.values().map(|row| row.inputs).sum()
    }

    pub(crate) fn count(
        &mut self,
        input: &Input,
        outcome: &Outcome,
        time: Duration,
        memory: usize,
    ) {
        let is_sealed = input.seal != Seal::Raw;
        let (class, depth) = classify(outcome, is_sealed);
        let row = self.kinds.entry((input.kind, is_sealed)).or_default();
        row.count(class, depth, time, memory);
        for mutation in &input.mutations {
            self.mutations.entry(*mutation).or_default().count(class, depth, time, memory);
        }
        match outcome {
            Outcome::Rejected(Error::Peer(PeerError::Invalid(rule))) => {
                *self.rules.entry(rule).or_default() += 1;
            }
            Outcome::Rejected(
                error @ (Error::Caller(_) | Error::Internal(_) | Error::Crypto(_)),
            ) => {
                *self.others.entry((input.kind, error.to_string())).or_default() += 1;
            }
            Outcome::Accepted(what) => {
                *self.accepted.entry((input.kind, is_sealed, what)).or_default() += 1;
            }
            Outcome::Staged => {
                *self.accepted.entry((input.kind, is_sealed, "a commit")).or_default() += 1;
            }
            _ => {}
        }
    }

    pub(crate) fn count_panic(&mut self, input: &Input) {
        let row = self.kinds.entry((input.kind, input.seal != Seal::Raw)).or_default();
        row.count("panic", Depth::Parse, Duration::ZERO, 0);
    }

    pub(crate) fn fail(&mut self, name: &str, input: &Input, fault: &str) {
        self.failed += 1;
        // One of each is enough to look at. Numbers in it make no difference.
        let kind_of_fault = fault.chars().filter(|c| !c.is_ascii_digit()).collect();
        if self.failures.len() < 64 && self.seen.insert((input.kind, kind_of_fault)) {
            let Input { world, kind, seal, mutations, bytes } = input;
            let hex: String = bytes.iter().take(4096).map(|byte| format!("{byte:02x}")).collect();
            self.failures.push(format!(
                "{fault}\n  {name}: world {world}, {kind:?} sealed as {seal:?}, {mutations:?}\n  {} bytes: {hex}",
                bytes.len()
            ));
        }
    }
}

fn classify(outcome: &Outcome, is_sealed: bool) -> (&'static str, Depth) {
    match outcome {
        Outcome::Ignored(_) => ("ignored", Depth::Route),
        Outcome::Staged | Outcome::Accepted(_) => ("accepted", Depth::Accept),
        Outcome::Rejected(Error::Peer(error)) => of_peer(*error, is_sealed),
        Outcome::Rejected(Error::Caller(_)) => ("caller", Depth::Validate),
        Outcome::Rejected(Error::Unsupported(_) | Error::UnsupportedSuite(_)) => {
            ("unsupported", Depth::Validate)
        }
        Outcome::Rejected(_) => ("internal", Depth::Validate),
    }
}

fn of_peer(error: PeerError, is_sealed: bool) -> (&'static str, Depth) {
    // With a seal that is right, it is the confirmation tag or a path secret that isn't.
    let last = if is_sealed { Depth::Schedule } else { Depth::Authenticate };
    match error {
        PeerError::Malformed(_) => ("malformed", Depth::Parse),
        PeerError::BadMac => ("mac", last),
        PeerError::Undecryptable => ("undecryptable", last),
        PeerError::BadSignature => ("signature", Depth::Authenticate),
        PeerError::KeyUsedUp | PeerError::KeyTooOld | PeerError::TooFarAhead => {
            ("generation", Depth::Authenticate)
        }
        PeerError::BadKey => ("key", Depth::Validate),
        PeerError::UnknownProposal | PeerError::TooManyProposals => {
            ("unknown proposal", Depth::Validate)
        }
        PeerError::Invalid(rule) if rule.starts_with("6: the message is of another") => {
            ("rule", Depth::Route)
        }
        _ => ("rule", Depth::Validate),
    }
}

const CLASSES: [&str; 14] = [
    "malformed",
    "mac",
    "undecryptable",
    "signature",
    "generation",
    "key",
    "rule",
    "unknown proposal",
    "unsupported",
    "caller",
    "internal",
    "panic",
    "ignored",
    "accepted",
];

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_head(f, "kind, by whom")?;
        for ((kind, is_sealed), row) in &self.kinds {
            let by = if *is_sealed { "insider" } else { "anybody" };
            write_row(f, &format!("{kind:?}, {by}"), row)?;
        }
        writeln!(f)?;
        write_head(f, "mutation")?;
        for (mutation, row) in &self.mutations {
            write_row(f, &format!("{mutation:?}"), row)?;
        }
        writeln!(f, "\naccepted:")?;
        for ((kind, is_sealed, what), count) in &self.accepted {
            let by = if *is_sealed { "insider" } else { "anybody" };
            writeln!(f, "{count:>9}  {kind:?}, {by}: {what}")?;
        }
        writeln!(f, "\nsaid to be the caller's fault or the engine's:")?;
        for ((kind, error), count) in &self.others {
            writeln!(f, "{count:>9}  {kind:?}: {error}")?;
        }
        writeln!(f, "\n{} rules broken:", self.rules.len())?;
        for (rule, count) in &self.rules {
            writeln!(f, "{count:>9}  {rule}")?;
        }
        writeln!(f, "\n{} inputs, {} failures", self.inputs(), self.failed)?;
        self.failures.iter().try_for_each(|failure| writeln!(f, "\nFAILED: {failure}"))
    }
}

fn write_head(f: &mut fmt::Formatter<'_>, title: &str) -> fmt::Result {
    write!(f, "{title:<32}{:>9}", "inputs")?;
    for class in CLASSES {
        write!(f, " {:>9}", class.get(..9).unwrap_or(class))?;
    }
    writeln!(f, " {:>8} {:>8} {:>9} {:>9}", "deep %", "max ms", "max KiB", "deepest")
}

fn write_row(f: &mut fmt::Formatter<'_>, title: &str, row: &Row) -> fmt::Result {
    write!(f, "{title:<32}{:>9}", row.inputs)?;
    for class in CLASSES {
        write!(f, " {:>9}", row.outcomes.get(class).copied().unwrap_or(0))?;
    }
    let deep = 100 * row.at_least(Depth::Validate) / row.inputs.max(1);
    let slowest = row.slowest.as_secs_f64() * 1000.0;
    let deepest = row.depths.keys().next_back().copied().unwrap_or(Depth::Parse);
    writeln!(f, " {deep:>8} {slowest:>8.1} {:>9} {deepest:>9?}", row.largest / 1024)
}
