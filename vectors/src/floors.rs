//! What there has to be in each file: a vector that gets lost, or a loop that runs over nothing,
//! is a failure.

use serde::Serialize;

use crate::report::FileReport;

/// The least that there has to be in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Floor {
    /// Cases in the file.
    pub cases: usize,
    /// The cipher suites that its cases are of.
    pub cipher_suites: &'static [u16],
    /// Assertions executed, over all suites and backends.
    pub assertions: usize,
}

/// The cipher suites that each backend has to have.
const BACKENDS: [(&str, &[&[u16]]); 3] = [
    ("rustcrypto", &[&[1, 2, 3, 4, 5, 6, 7], POST_QUANTUM]),
    ("aws-lc", &[&[1, 2, 3, 5, 7], POST_QUANTUM]),
    ("libcrux", &[&[0xf001, 0xf002, 0xf006, 0xf009, 0xf00a, 0xf00b, 0x004d]]),
];

/// The post-quantum suites, by their numbers in our files.
pub(crate) const POST_QUANTUM: &[u16] = &[
    0xf001, 0xf002, 0xf003, 0xf004, 0xf005, 0xf006, 0xf007, 0xf008, 0xf009, 0xf00a, 0xf00b, 0x004d,
];

const ALL: &[u16] = &[1, 2, 3, 4, 5, 6, 7];

pub(crate) const fn floor(cases: usize, cipher_suites: &'static [u16], assertions: usize) -> Floor {
    Floor { cases, cipher_suites, assertions }
}

pub(crate) const CRYPTO_BASICS: Floor = floor(7, ALL, 180);
pub(crate) const DESERIALIZATION: Floor = floor(14, &[], 42);
pub(crate) const KEY_SCHEDULE: Floor = floor(7, ALL, 900);
pub(crate) const MESSAGE_PROTECTION: Floor = floor(7, ALL, 840);
pub(crate) const MESSAGES: Floor = floor(300, &[], 26_100);
pub(crate) const PASSIVE_WELCOME: Floor = floor(56, ALL, 672);
pub(crate) const PASSIVE_COMMIT: Floor = floor(91, ALL, 1860);
pub(crate) const PSK_SECRET: Floor = floor(77, ALL, 132);
pub(crate) const SECRET_TREE: Floor = floor(21, ALL, 7944);
pub(crate) const TRANSCRIPT_HASHES: Floor = floor(7, ALL, 72);
pub(crate) const TREE_MATH: Floor = floor(10, &[], 8214);
pub(crate) const TREE_OPERATIONS: Floor = floor(5, &[1], 60);
pub(crate) const TREE_VALIDATION: Floor = floor(98, ALL, 12_072);
pub(crate) const TREEKEM: Floor = floor(77, ALL, 39_288);
pub(crate) const WELCOME: Floor = floor(7, ALL, 120);
pub(crate) const BRANCH: Floor = floor(224, ALL, 2688);
pub(crate) const EXTERNAL_JOIN: Floor = floor(42, ALL, 600);
pub(crate) const EXTERNAL_PROPOSALS: Floor = floor(196, ALL, 4056);
pub(crate) const REINIT: Floor = floor(336, ALL, 4032);

/// Adds to the report's problems what it falls short of.
pub(crate) fn check(report: &mut FileReport) {
    let floor = report.floor;
    let mut problems = Vec::new();
    if report.cases < floor.cases {
        problems.push(format!("short: {} cases, not {}", report.cases, floor.cases));
    }
    let assertions = report.assertions();
    if assertions < floor.assertions {
        problems.push(format!("short: {assertions} assertions, not {}", floor.assertions));
    }
    for suite in floor.cipher_suites {
        let owing = BACKENDS.iter().filter(|(_, suites)| suites.concat().contains(suite));
        for (backend, _) in owing {
            let executed = report.rows.iter().any(|row| {
                row.backend == Some(backend) && row.cipher_suite == Some(*suite) && row.executed > 0
            });
            if !executed {
                problems.push(format!("no case of cipher suite {suite} ran on {backend}"));
            }
        }
    }
    report.problems.extend(problems);
}
