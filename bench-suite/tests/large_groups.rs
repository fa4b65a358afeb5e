//! Large groups are made by construction: they have to be groups like any others, to every engine.

#![cfg(feature = "burrow")]

use bench_suite::case::{Case, Row};
use bench_suite::cases::{self, Visitor};
use bench_suite::checks::Ledger;
use bench_suite::engines;
use engine_api::{Registration, WireProfile};

/// Every case at one size on one engine, checked to its end with the other members.
struct Checked {
    engine: Registration,
    size: usize,
    cases: usize,
    failures: Vec<String>,
}

impl Visitor for Checked {
    fn visit<C: Case>(&mut self, case: C) {
        if !case.large_sizes().contains(&self.size) {
            return;
        }
        let name = format!("{} {}/{}", self.engine.name(), case.id(), self.size);
        if let Some(why) = case.absent(&self.engine.describe(), self.size) {
            println!("{name} is absent: {why}");
            return;
        }
        let mut ledger = Ledger::default();
        ledger.open(self.engine.name(), &name);
        let checked = Row::new(case, &self.engine, self.size)
            .and_then(|row| row.check(&mut ledger))
            .map_err(|why| why.to_string());
        let failed = ledger.first_failure().map(|entry| format!("{:?}", entry.verdict));
        match (checked, failed) {
            (Ok(()), None) => self.cases += 1,
            (Err(why), _) | (_, Some(why)) => self.failures.push(format!("{name}: {why}")),
        }
    }
}

fn check(engine: &str, size: usize) -> Checked {
    let found = engines::built_in().into_iter().find(|one| one.name() == engine);
    let engine = found.unwrap_or_else(|| unreachable!("{engine} is built in"));
    assert_eq!(engine.describe().wire_profile, WireProfile::Mls);
    let mut checked = Checked { engine, size, cases: 0, failures: Vec::new() };
    cases::visit_all(&mut checked);
    checked
}

/// Twelve commits, a join, a message each way.
const CASES: usize = 15;

/// One test, because the engines that use rayon are held to the one thread that asked for it.
#[test]
fn every_engine_takes_part() {
    engines::hold_to_one_thread();
    let engines = engines::built_in().into_iter();
    let plain = engines.filter(|engine| engine.describe().wire_profile == WireProfile::Mls);
    let large = ["burrow/aws-lc", "mls-rs/aws-lc"].map(|engine| (engine, 1001));
    for (engine, size) in plain.map(|engine| (engine.name(), 101)).chain(large) {
        let Checked { cases, failures, .. } = check(engine, size);
        assert!(failures.is_empty(), "{failures:#?}");
        assert_eq!(cases, CASES, "{engine} {size}");
    }
}
