//! The post-quantum suites' files: they are what the generator makes, everything in them holds on all
//! libraries, and nothing in them can change unnoticed.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use crypto_api::{CipherSuite, CryptoBackend, PqSuites};
use serde_json::Value;
use vectors::{
    POST_QUANTUM_FILES, VectorFile,
    mutation::{self, Mutation},
    own, post_quantum_backends, post_quantum_cases, run_case, run_post_quantum,
};

/// The data are small enough to be in a repository.
const LIMIT: usize = 6_000_000;

#[test]
fn the_data_is_what_the_generator_makes() {
    let mut length = 0;
    let made = own::generate_post_quantum().unwrap();
    assert_eq!(made.len(), POST_QUANTUM_FILES.len());
    for ((name, made), file) in made.iter().zip(&POST_QUANTUM_FILES) {
        assert_eq!(*name, file.file.name);
        let cases = post_quantum_cases(file).unwrap();
        assert!(*made == cases, "{name} drifted: cargo run -p vectors --release -- generate");
        length += own::to_json(&cases).unwrap().len();
    }
    assert!(length < LIMIT, "{length} bytes");
}

#[test]
fn every_vector_passes_on_every_library() {
    let report = run_post_quantum();
    println!("{report}");
    assert!(report.clean);
    assert_eq!((report.totals.files, report.totals.cases), (11, 11 * 12));
    // Twelve suites on two libraries, seven on the third.
    assert_eq!(report.totals.executed, 11 * (12 + 12 + 7));
    assert_eq!((report.totals.failed, report.totals.skipped), (0, 0));
}

/// How many of its occurrences are changed, for each field of a file.
const PER_FIELD: usize = 5;

#[test]
fn a_change_of_any_field_is_noticed() {
    let backends = post_quantum_backends();
    let mut wrong = Vec::new();
    for file in &POST_QUANTUM_FILES {
        let cases = post_quantum_cases(file).unwrap();
        let mut noticed = 0;
        let mutations = mutation::sample(&cases, PER_FIELD);
        for mutation in &mutations {
            let mutated = mutation.apply(&cases[mutation.case]);
            let file = &file.file;
            let known = || file.unnoticed.iter().any(|known| known.field == mutation.field);
            if is_noticed(&backends, file, &mutated) {
                noticed += 1;
            } else if !known() && !is_rejection_seed(mutation, &mutated) {
                wrong.push(format!("{} {}, case {}", file.name, mutation.field, mutation.case));
            }
        }
        println!("{}: {noticed} of {} changes noticed", file.file.name, mutations.len());
    }
    assert!(wrong.is_empty(), "not noticed:\n{}", wrong.join("\n"));
}

/// Whether the field is a private key of ML-KEM alone. Its second half is for what doesn't decapsulate,
/// and nothing that is good depends on it.
fn is_rejection_seed(mutation: &Mutation, case: &Value) -> bool {
    let is_private = [
        "encrypt_with_label.priv",
        "init_priv",
        "encryption_priv",
        "leaves_private[].encryption_priv",
    ]
    .contains(&mutation.field.as_str());
    let number = CipherSuite(case["cipher_suite"].as_u64().unwrap() as u16);
    let suite = PqSuites::default().suite(number).unwrap();
    is_private && matches!(suite.algorithms().kem_id, 0x0041 | 0x0042)
}

/// Whether no library is content with a case.
fn is_noticed(backends: &[Arc<dyn CryptoBackend>], file: &VectorFile, case: &Value) -> bool {
    backends.iter().all(|backend| match run_case(backend, file, case) {
        Ok(tally) => tally.failed() > 0,
        Err(_) => true,
    })
}
