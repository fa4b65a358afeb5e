//! The working group's files: everything in them holds, and nothing in them can change unnoticed.

use std::sync::Arc;

use crypto_api::CryptoBackend;
use serde_json::Value;
use vectors::{FILES, Library, VectorFile, backends, mutation, run_all, run_case};

fn library() -> Option<Library> {
    Library::from_env().inspect_err(|why| println!("{why}")).ok()
}

#[test]
fn every_vector_passes_and_none_is_missing() {
    let Some(library) = library() else { return };
    let report = run_all(&library);
    println!("{report}");
    assert!(report.clean);
    assert_eq!(report.totals.files, 19);
    assert_eq!(report.totals.skipped, 0);
}

/// How many of its occurrences are changed, for each field of a file.
const PER_FIELD: usize = 7;

#[test]
fn a_change_of_any_field_is_noticed() {
    let Some(library) = library() else { return };
    let backends = backends();
    let mut wrong = Vec::new();
    for file in &FILES {
        let cases = library.cases(file).unwrap();
        let mut noticed = 0;
        let mutations = mutation::sample(&cases, PER_FIELD);
        for mutation in &mutations {
            let case = &cases[mutation.case];
            let mutated = if file.round_trips {
                mutation.apply_to_expected(case)
            } else {
                mutation.apply(case)
            };
            assert_ne!(&mutated, case, "{} {}: no mutation", file.name, mutation.field);
            if is_noticed(&backends, file, &mutated) {
                noticed += 1;
            } else if file.unnoticed.iter().all(|known| known.field != mutation.field) {
                wrong.push(format!("{} {}, case {}", file.name, mutation.field, mutation.case));
            }
        }
        println!("{}: {noticed} of {} changes noticed", file.name, mutations.len());
    }
    assert!(wrong.is_empty(), "not noticed:\n{}", wrong.join("\n"));
}

/// Whether no backend is content with a case.
fn is_noticed(backends: &[Arc<dyn CryptoBackend>], file: &VectorFile, case: &Value) -> bool {
    backends.iter().all(|backend| match run_case(backend, file, case) {
        Ok(tally) => tally.failed() > 0,
        // Nor does the case pass for a suite that isn't there; the floors want it executed.
        Err(_) => true,
    })
}
