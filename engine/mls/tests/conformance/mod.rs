//! Running a file of the working group's vectors on every backend, and counting what was checked.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test uses a part of it")]

use crypto_api::{CipherSuite, Suite};
use serde::Deserialize;

use crate::{backends::backends, vectors};

/// How many cases and checks there have to be, over all backends: a lost vector is a failure.
pub(crate) struct Floor {
    pub(crate) cases: usize,
    pub(crate) checks: usize,
}

/// Counts checks.
#[derive(Default)]
pub(crate) struct Tally {
    cases: usize,
    checks: usize,
    context: String,
}

impl Tally {
    /// A new case, named for messages.
    pub(crate) fn case(&mut self, context: String) {
        self.cases += 1;
        self.context = context;
    }

    #[track_caller]
    pub(crate) fn equal(&mut self, what: &str, ours: impl AsRef<[u8]>, theirs: impl AsRef<[u8]>) {
        assert_eq!(ours.as_ref(), theirs.as_ref(), "{what} of {}", self.context);
        self.checks += 1;
    }

    #[track_caller]
    pub(crate) fn holds(&mut self, what: &str, condition: bool) {
        assert!(condition, "{what} of {}", self.context);
        self.checks += 1;
    }

    #[track_caller]
    pub(crate) fn finish(&self, file: &str, floor: &Floor) {
        println!("{file}: {} cases, {} checks", self.cases, self.checks);
        assert!(self.cases >= floor.cases, "{file}: too few cases");
        assert!(self.checks >= floor.checks, "{file}: too few checks");
    }
}

/// Runs `check` on each case in `file`, once for each backend that has its suite.
pub(crate) fn run<C: for<'de> Deserialize<'de>>(
    file: &str,
    floor: &Floor,
    cipher_suite: impl Fn(&C) -> u16,
    check: impl Fn(&dyn Suite, &C, &mut Tally),
) {
    let Some(cases) = vectors::load::<Vec<C>>(file) else {
        return;
    };
    let mut tally = Tally::default();
    for (backend, suites) in backends() {
        for (index, case) in cases.iter().enumerate() {
            let number = cipher_suite(case);
            if !suites.contains(&number) {
                continue;
            }
            let suite = backend.suite(CipherSuite(number)).unwrap();
            tally.case(format!(
                "{file}[{index}], suite {number}, {}",
                backend.name()
            ));
            check(suite, case, &mut tally);
        }
    }
    tally.finish(file, floor);
}
