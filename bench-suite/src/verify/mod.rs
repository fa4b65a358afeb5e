//! Proves that engines do what they are timed for: every case once, the scenarios, interop.

mod capabilities;
mod damage;
mod delivery;
pub mod interop;
mod lifecycle;
mod party;
pub mod report;

use std::panic::{AssertUnwindSafe, catch_unwind};

use engine_api::{EngineError, Registration};

use crate::case::{Case, Row};
use crate::cases::{self, Visitor};
use crate::checks::{Check, Ledger};
use crate::engines;
use report::Report;

/// A scenario's name and what it does.
type Named = (&'static str, fn(&Registration, &mut Ledger) -> Result<(), EngineError>);

/// Runs every check on every engine, then every pair.
#[must_use]
pub fn run(engines: &[Registration], progress: &mut dyn FnMut(&str)) -> Report {
    let mut ledger = Ledger::default();
    let mut absent = Vec::new();
    if let Err(why) = engines::check_names(engines) {
        for engine in engines {
            ledger.open(engine.name(), "names");
            ledger.expect(Check::Description, false, || why.clone());
        }
        return Report::new(engines, &[], &ledger, absent);
    }
    for engine in engines {
        progress(engine.name());
        each_case(engine, &mut ledger, &mut absent);
        for (name, scenario) in scenarios() {
            guarded(engine.name(), name, &mut ledger, |ledger| scenario(engine, ledger));
        }
    }
    let pairs = interop::pairs(engines);
    for (founder, joiner) in &pairs {
        let subject = pair_name(founder, joiner);
        progress(&subject);
        for size in interop::SIZES {
            let scenario = format!("interop/{size}");
            guarded(&subject, &scenario, &mut ledger, |ledger| {
                interop::pair(founder, joiner, *size, ledger)
            });
        }
    }
    Report::new(engines, &pairs, &ledger, absent)
}

/// All scenarios of a single engine.
pub fn scenarios() -> impl Iterator<Item = Named> {
    [lifecycle::SCENARIOS, delivery::SCENARIOS, damage::SCENARIOS, capabilities::SCENARIOS]
        .into_iter()
        .flatten()
        .copied()
}

/// How a pair is called.
pub(crate) fn pair_name(founder: &Registration, joiner: &Registration) -> String {
    format!("{} -> {}", founder.name(), joiner.name())
}

/// Every case at every default size, once.
fn each_case(engine: &Registration, ledger: &mut Ledger, absent: &mut Vec<String>) {
    struct Once<'a>(&'a Registration, &'a mut Ledger, &'a mut Vec<String>);
    impl Visitor for Once<'_> {
        fn visit<C: Case>(&mut self, case: C) {
            let Self(engine, ledger, absent) = self;
            for size in case.sizes() {
                let scenario = format!("{}/{size}", case.id());
                if let Some(why) = case.absent(&engine.describe(), *size) {
                    absent.push(format!("{scenario} {}: {why}", engine.name()));
                    continue;
                }
                guarded(engine.name(), &scenario, ledger, |ledger| {
                    Row::new(case, engine, *size)?.check(ledger)
                });
            }
        }
    }
    cases::visit_all(&mut Once(engine, ledger, absent));
}

/// Runs one scenario to its end, its error or its panic.
fn guarded(
    subject: &str,
    scenario: &str,
    ledger: &mut Ledger,
    run: impl FnOnce(&mut Ledger) -> Result<(), EngineError>,
) {
    ledger.open(subject, scenario);
    let end = catch_unwind(AssertUnwindSafe(|| run(ledger)));
    ledger.close(end.unwrap_or_else(|panic| {
        let message = panic
            .downcast_ref::<&str>()
            .map(ToString::to_string)
            .or_else(|| panic.downcast_ref::<String>().cloned());
        Err(EngineError::internal(format_args!("panicked: {}", message.unwrap_or_default())))
    }));
}
