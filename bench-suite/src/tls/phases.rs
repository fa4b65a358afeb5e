//! The phases of a migration, each over the one before it, on each stack.

use bench_results::format::Demerit;
use bench_results::tables::statistics::{Ratio, ratio};
use bench_results::tables::{self, Entry, Table};
use bench_results::units;
use tls_api::check::Failure;
use tls_api::{Cell, Certificate, Chains, Group, TlsStack};

use super::counted::Counts;
use super::matrix::finished;
use super::ready;
use super::work::timed;
use crate::side_by_side::{Absent, Plan, wrong};

/// A phase, and the cell that it is with certificates of a classical algorithm before it.
struct Phase {
    name: &'static str,
    group: Group,
    /// `None` for the classical one.
    certificate: Option<Certificate>,
}

/// Nothing; hybrid key exchange, against those who record today; post-quantum certificates as well.
const PHASES: [Phase; 3] = [
    Phase { name: "baseline", group: Group::X25519, certificate: None },
    Phase { name: "phase 0", group: Group::X25519MlKem768, certificate: None },
    Phase {
        name: "phase 2",
        group: Group::X25519MlKem768,
        certificate: Some(Certificate::MlDsa65),
    },
];

const CLASSICAL: [Certificate; 2] = [Certificate::Ed25519, Certificate::EcdsaP256];

impl Phase {
    fn cell(&self, classical: Certificate) -> Cell {
        Cell { group: self.group, certificate: self.certificate.unwrap_or(classical) }
    }

    fn entry(&self, classical: Certificate) -> String {
        format!("{}: {}", self.name, self.cell(classical))
    }
}

/// A row a stack and classical algorithm; in it the phases in turns.
pub(super) fn table(
    stacks: &[Box<dyn TlsStack>],
    chains: &Chains,
    plan: &Plan,
    counts: &Counts,
) -> (Table, Vec<Demerit>) {
    let mut seen = Vec::new();
    let mut rows = Vec::new();
    for stack in stacks {
        for classical in CLASSICAL {
            rows.push(row(stack.as_ref(), classical, chains, plan, counts, &mut seen));
        }
    }
    let mut table = Table {
        name: "tls-phases".into(),
        title: "TLS 1.3: phases of a migration".into(),
        about: vec![
            "A row is a stack and the algorithm of its classical certificates. Baseline: x25519. \
             Phase 0: X25519MLKEM768, so that what is recorded today stays closed. Phase 2: \
             ML-DSA-65 certificates as well. Phase 1, hybrid signatures, is no cell: TLS has no code \
             points for them. The phases are timed in turns, so that factors are taken round by \
             round."
                .into(),
        ],
        rows,
        sentences: Vec::new(),
    };
    let mut filled = [table.clone()];
    tables::statistics::fill(&mut filled);
    let [filled] = filled;
    table.sentences = filled.rows.iter().flat_map(sentences).collect();
    (table, seen)
}

fn row(
    stack: &dyn TlsStack,
    classical: Certificate,
    chains: &Chains,
    plan: &Plan,
    counts: &Counts,
    seen: &mut Vec<Demerit>,
) -> tables::Row {
    let stack_name = stack.describe().name;
    let name = format!("{stack_name}, {} certificates", classical.name());
    let (mut all, mut absent) = (Vec::new(), Vec::new());
    for phase in &PHASES {
        let entry = phase.entry(classical);
        match ready(stack, phase.cell(classical), chains) {
            Ok(ready) => all.push(timed(entry, ready)),
            Err(failure) => {
                if let Failure::Wrong(why) = &failure {
                    seen.push(wrong(&name, &entry, why));
                }
                absent.push(Absent { name: entry, reason: failure.to_string() });
            }
        }
    }
    let counted = |entry: &str| {
        let phase = PHASES.iter().find(|phase| phase.entry(classical) == entry);
        phase.map_or_else(Vec::new, |phase| counts.of(&stack_name, phase.cell(classical)))
    };
    finished(name, classical == Certificate::Ed25519, all, absent, plan, &counted, seen)
}

/// What a row says: the price of each phase over the one before, and of all over the baseline.
fn sentences(row: &tables::Row) -> Vec<String> {
    let find = |phase: &str| row.entries.iter().find(|entry| entry.name.starts_with(phase));
    let [baseline, hybrid, full] = PHASES.each_ref().map(|phase| find(phase.name));
    let hybrid_price = baseline.zip(hybrid).map(|(before, after)| {
        let price = Price::of(before, after);
        format!("{}: hybrid key exchange, X25519MLKEM768 for x25519, {price}.", row.name)
    });
    let certificate_price = hybrid.zip(full).map(|(before, after)| {
        let price = Price::of(before, after);
        format!("{}: ML-DSA-65 in their place, under X25519MLKEM768, {price}.", row.name)
    });
    let all = baseline.zip(full).map(|(before, after)| {
        let price = Price::of(before, after);
        format!("{}: both together, phase 2 over the baseline, {price}.", row.name)
    });
    [hybrid_price, certificate_price, all].into_iter().flatten().collect()
}

/// What one entry costs over another.
struct Price {
    times: [f64; 2],
    factor: Ratio,
    bytes: [f64; 2],
}

impl Price {
    fn of(before: &Entry, after: &Entry) -> Self {
        Self {
            times: [before.median_ns, after.median_ns],
            factor: ratio(&after.rounds_ns, &before.rounds_ns),
            bytes: [sent(before), sent(after)],
        }
    }
}

impl std::fmt::Display for Price {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [before, after] = self.times.map(units::time);
        let [median, low, high] =
            [self.factor.median, self.factor.low, self.factor.high].map(units::ratio);
        let [fewer, more] = self.bytes.map(|bytes| units::count(bytes as u64));
        let factor = units::ratio(self.bytes[1] / self.bytes[0]);
        write!(
            f,
            "takes a handshake from {before} to {after}, {median} times [{low}, {high}], and from \
             {fewer} to {more} bytes on the wire, {factor} times"
        )
    }
}

/// Both ways.
fn sent(entry: &Entry) -> f64 {
    let figures = entry.figures.iter();
    let sent = figures.filter(|figure| ["client sends", "server sends"].contains(&&*figure.name));
    sent.map(|figure| figure.value).sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use bench_results::tables::{Figure, Row};

    use super::*;

    fn entry(name: &str, time: f64, server_sends: f64) -> Entry {
        let figure = |name: &str, value| Figure { name: name.into(), value, unit: "B".into() };
        Entry {
            name: name.into(),
            median_ns: time,
            low_ns: time,
            high_ns: time,
            ratio: Ratio { median: 1.0, low: 1.0, high: 1.0 },
            rounds_ns: vec![time; 9],
            parts: Vec::new(),
            figures: vec![
                figure("client sends", 200.0),
                figure("server sends", server_sends),
                figure("ClientHello", 100.0),
            ],
        }
    }

    fn row(entries: Vec<Entry>) -> Row {
        Row {
            name: "stack".into(),
            bytes: None,
            headline: true,
            equal: false,
            entries,
            control: None,
            absent: Vec::new(),
        }
    }

    #[test]
    fn sentences_are_made_of_the_rows() {
        let row = row(vec![
            entry("baseline: a", 100_000.0, 800.0),
            entry("phase 2: c", 300_000.0, 9_800.0),
            entry("phase 0: b", 150_000.0, 1_800.0),
        ]);
        assert_eq!(
            sentences(&row),
            [
                "stack: hybrid key exchange, X25519MLKEM768 for x25519, takes a handshake from 100 µs \
                 to 150 µs, 1.50 times [1.50, 1.50], and from 1,000 to 2,000 bytes on the wire, 2.00 \
                 times.",
                "stack: ML-DSA-65 in their place, under X25519MLKEM768, takes a handshake from 150 µs \
                 to 300 µs, 2.00 times [2.00, 2.00], and from 2,000 to 10,000 bytes on the wire, 5.00 \
                 times.",
                "stack: both together, phase 2 over the baseline, takes a handshake from 100 µs to 300 \
                 µs, 3.00 times [3.00, 3.00], and from 1,000 to 10,000 bytes on the wire, 10.0 times.",
            ]
        );
    }

    #[test]
    fn a_phase_that_is_missing_has_no_price() {
        let row = row(vec![entry("baseline: a", 100.0, 800.0), entry("phase 2: c", 300.0, 800.0)]);
        let said = sentences(&row);
        assert_eq!(said.len(), 1);
        assert!(said[0].starts_with("stack: both together"), "{said:?}");
    }
}
