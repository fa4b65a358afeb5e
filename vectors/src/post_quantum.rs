//! The files of the post-quantum suites: ours, in the working group's formats.

use std::fmt;

use serde_json::Value;

use crate::files::{Check, Unnoticed, VectorFile};
use crate::floors::{Floor, POST_QUANTUM, floor};
use crate::formats::{
    crypto_basics, key_schedule, message_protection, passive_client, psk_secret, secret_tree,
    transcript_hashes, tree_operations, tree_validation, treekem, welcome,
};
use crate::run::{Bench, run_cases};
use crate::{FileReport, Report, Stop, Tally, post_quantum_backends};

/// A file, and its text.
#[derive(Clone, Copy)]
pub struct PostQuantumFile {
    /// What is done with it.
    pub file: VectorFile,
    text: &'static str,
}

impl fmt::Debug for PostQuantumFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.file.fmt(f)
    }
}

type CheckCase = fn(&Bench<'_>, &Value, &mut Tally) -> Result<(), Stop>;

const fn file(
    name: &'static str,
    text: &'static str,
    assertions: usize,
    unnoticed: &'static [Unnoticed],
    check: CheckCase,
) -> PostQuantumFile {
    let floor: Floor = floor(POST_QUANTUM.len(), POST_QUANTUM, assertions);
    let check = Check::WithSuite(check);
    let folder = "post-quantum";
    PostQuantumFile {
        file: VectorFile { name, folder, floor, unnoticed, round_trips: false, check },
        text,
    }
}

macro_rules! files {
    ($($name:literal: $assertions:literal, $unnoticed:expr, $check:expr;)+) => {
        /// All of them, each with a case of each suite.
        pub const POST_QUANTUM_FILES: [PostQuantumFile; 11] = [$(file(
            $name,
            include_str!(concat!("../data/post-quantum/", $name)),
            $assertions,
            $unnoticed,
            $check,
        )),+];
    };
}

/// Where the hash, the KDF or the AEAD is all that a suite is asked for.
const ALIKE: Unnoticed =
    Unnoticed { field: "cipher_suite", why: "several suites have the same KDF, hash and AEAD" };

const TREE_OPERATIONS: &[Unnoticed] = &[
    tree_operations::UNNOTICED[0],
    ALIKE,
    Unnoticed { field: "proposal", why: "of an Add, nothing but the leaf gets into the tree" },
];

files! {
    "crypto-basics.json": 465, &[], crypto_basics::check;
    "secret-tree.json": 2046, secret_tree::UNNOTICED, secret_tree::check;
    "message-protection.json": 2170, &[], message_protection::check;
    "key-schedule.json": 1395, key_schedule::UNNOTICED, key_schedule::check;
    "psk_secret.json": 31, psk_secret::UNNOTICED, psk_secret::check;
    "transcript-hashes.json": 186, transcript_hashes::UNNOTICED, transcript_hashes::check;
    "welcome.json": 310, &[], welcome::check;
    "tree-operations.json": 186, TREE_OPERATIONS, tree_operations::check;
    "tree-validation.json": 651, &[], tree_validation::check;
    "treekem.json": 2356, treekem::UNNOTICED, treekem::check;
    "passive-client.json": 434, passive_client::UNNOTICED, passive_client::check;
}

/// The cases of a file, not looked at any further.
///
/// # Errors
/// If it isn't an array in JSON.
pub fn post_quantum_cases(file: &PostQuantumFile) -> Result<Vec<Value>, String> {
    serde_json::from_str(file.text).map_err(|error| format!("{}: {error}", file.file.name))
}

/// Runs every file on every backend that has post-quantum suites.
#[must_use]
pub fn run_post_quantum() -> Report {
    let backends = post_quantum_backends();
    let run = |file: &PostQuantumFile| -> FileReport {
        run_cases(&file.file, post_quantum_cases(file), &backends)
    };
    Report::new(POST_QUANTUM_FILES.iter().map(run).collect())
}
