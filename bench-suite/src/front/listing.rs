//! What is printed around divan's table: who is who, what is inside, what is absent and why.

use engine_api::{Operation, Registration};

use super::sizes;
use crate::case::Case;
use crate::cases::{self, Visitor};

/// Before the table: each engine and what its operations include.
pub(super) fn before(engines: &[Registration]) {
    println!("engines");
    for engine in engines {
        let about = engine.describe();
        let packages: Vec<_> = about.packages.iter().map(ToString::to_string).collect();
        println!(
            "  {}: {} | wire {} | suite {} | crypto {} | layer {} | storage {} | threads {}",
            about.name,
            packages.join(", "),
            about.wire_profile.name(),
            about.cipher_suites.first().map_or("none".into(), ToString::to_string),
            about.crypto,
            about.layer.name(),
            about.storage,
            about.threads.name(),
        );
        for operation in Operation::ALL {
            let extra = about.spans.of(operation);
            if !extra.is_empty() {
                let words: Vec<_> = extra.iter().map(|work| work.name()).collect();
                println!("      {} includes {}", operation.name(), words.join(", "));
            }
        }
        for note in about.notes {
            println!("      note: {note}");
        }
    }
    println!(
        "every sample starts from a fresh state; setup, checks and drops are outside the window; \
         read the medians\n"
    );
}

/// After the table: each row that isn't there.
pub(super) fn after(engines: &[Registration], unsupported: &[String]) {
    struct Absences<'a>(&'a [Registration]);
    impl Visitor for Absences<'_> {
        fn visit<C: Case>(&mut self, case: C) {
            for size in sizes(&case) {
                for engine in self.0 {
                    if let Some(why) = case.absent(&engine.describe(), size) {
                        println!("  {}/{size} {}: {why}", case.id(), engine.name());
                    }
                }
            }
        }
    }
    println!("\nrows of the whole suite that are absent");
    cases::visit_all(&mut Absences(engines));
    for row in unsupported {
        println!("  {row}");
    }
}
