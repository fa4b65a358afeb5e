//! Counted operations against the arithmetic of RFC 9420, on every engine that can be counted.

#![expect(clippy::panic, reason = "helper functions of tests")]

mod wasteful;

use std::process::Command;

use bench_suite::case::{Case, CaseId};
use bench_suite::cases::{self, Visitor};
use bench_suite::counts::{Counted, Twin, Uncounted, count, count_all, twins};
use bench_suite::floor::{self, Primitives, least};
use engine_api::Operation as Measured;
use operation_counts::{Counts, Operation};
use serde_json::Value;

/// The default sizes of every case.
fn default_sizes() -> Vec<(CaseId, usize)> {
    struct Sizes(Vec<(CaseId, usize)>);
    impl Visitor for Sizes {
        fn visit<C: Case>(&mut self, case: C) {
            self.0.extend(case.sizes().iter().map(|size| (case.id(), *size)));
        }
    }
    let mut sizes = Sizes(Vec::new());
    cases::visit_all(&mut sizes);
    sizes.0
}

fn counted(twins: &[Twin], wanted: &[(CaseId, usize)]) -> Vec<Counted> {
    let mut found = Vec::new();
    for attempt in count_all(twins, &|case, size| wanted.contains(&(case, size))) {
        match attempt.outcome {
            Ok(counted) => found.push(counted),
            Err(Uncounted::Absent(why)) => {
                println!("{} {} {}: {why}", attempt.engine, attempt.case, attempt.size);
            }
            Err(why) => panic!("{} {} {}: {why}", attempt.engine, attempt.case, attempt.size),
        }
    }
    found
}

fn of(engine: &str) -> Vec<Twin> {
    let fits = |twin: &Twin| twin.name.split('/').next() == Some(engine);
    twins().into_iter().filter(fits).collect()
}

/// burrow does what the RFC asks for and not one public-key operation more.
#[test]
fn burrow_does_what_the_arithmetic_says() {
    let mut wanted = default_sizes();
    let large: Vec<_> = wanted
        .iter()
        .filter(|(case, _)| case.change.is_none_or(|change| change.name() != "remove"))
        .map(|(case, _)| (*case, if case.operation == Measured::CreateGroup { 100 } else { 101 }))
        .collect();
    wanted.extend(large);
    let found = counted(&of("burrow"), &wanted);
    assert!(found.len() >= 2 * 60, "{}", found.len());
    for Counted { engine, case, size, counts, least } in &found {
        let row = format!("{engine} {case} {size}");
        for operation in EXACT {
            let (is, least) = (counts.of(*operation).calls, least.calls(*operation));
            assert_eq!(is, least, "{row}: {}", operation.name());
        }
        for (operation, allowed) in allowance(*case, *size) {
            let (is, least) = (counts.of(operation).calls, least.calls(operation));
            assert!(is >= least, "{row}: {} is {is}, below {least}", operation.name());
            assert!(is <= least + allowed, "{row}: {} is {is}, above {least}", operation.name());
        }
    }
}

const EXACT: &[Operation] = &[
    Operation::Sign,
    Operation::Verify,
    Operation::SignatureKeyGenerate,
    Operation::KemGenerate,
    Operation::KemDerive,
    Operation::KemEncap,
    Operation::KemDecap,
    Operation::AeadOpen,
    Operation::Mac,
];

/// What burrow is known to do beyond the arithmetic, at most; `docs/floor.md` has the reasons.
fn allowance(case: CaseId, size: usize) -> [(Operation, u64); 4] {
    let founds = case.operation == Measured::CreateGroup && size > 0;
    let joins = case.operation == Measured::JoinWelcome;
    let invites = founds
        || case.operation == Measured::Commit
            && case.change.is_some_and(|change| change.name() == "add");
    // A leaf's hash is not kept, so that a sibling's is computed with each path.
    let hash = match case.operation {
        Measured::CreateGroup if founds => 1 + empty_subtrees(size + 1),
        Measured::JoinWelcome => 1 + empty_subtrees(size),
        Measured::Commit | Measured::IngestCommit => 4,
        _ => 0,
    };
    [
        // The founding commit is encrypted, for nobody.
        (Operation::AeadSeal, if founds { 2 } else { 0 }),
        (Operation::KdfExpand, if founds { 7 } else { u64::from(joins) }),
        (Operation::KdfExtract, u64::from(invites || joins)),
        (Operation::Hash, hash),
    ]
}

/// The nodes with nobody below them, in a tree whose leaves are taken from the left.
fn empty_subtrees(members: usize) -> u64 {
    let width = members.next_power_of_two();
    let levels = 0..=width.trailing_zeros();
    let taken: usize = levels.map(|level| members.div_ceil(1 << level)).sum();
    (2 * width - 1 - taken) as u64
}

/// No engine does less than the arithmetic: one of the two would be wrong.
#[test]
fn no_peer_is_below_the_arithmetic_and_what_is_above_is_known() {
    let peers: Vec<_> = of("openmls").into_iter().chain(of("mls-rs")).collect();
    assert_eq!(peers.len(), 4);
    let found = counted(&peers, &default_sizes());
    assert!(found.len() >= 4 * 40, "{}", found.len());
    for Counted { engine, case, size, counts, least } in &found {
        let row = format!("{engine} {case} {size}");
        assert_eq!(least.undercut(counts), [], "{row}");
        let excess = least.excess(counts);
        println!("{row}: {excess:?}");
        let public_key: Vec<_> = excess
            .iter()
            .filter(|(name, ..)| PUBLIC_KEY.contains(name))
            .map(|(name, is, least)| (*name, is - least))
            .collect();
        assert_eq!(public_key, known_excess(engine, *case, *size), "{row}");
    }
}

const PUBLIC_KEY: [&str; 5] = ["sign", "verify", "kem_encap", "kem_decap", "kem_key_pairs"];

/// The public-key operations that the pinned versions do beyond the arithmetic; `docs/floor.md` has
/// the reasons.
fn known_excess(engine: &str, case: CaseId, size: usize) -> Vec<(&'static str, u64)> {
    let founds = case.operation == Measured::CreateGroup && size > 0;
    let commits = case.operation == Measured::Commit;
    let adds = case.change.is_some_and(|change| change.name() == "add");
    if engine.starts_with("openmls") {
        let exports = founds || commits;
        return if exports { vec![("sign", 1), ("kem_key_pairs", 1)] } else { Vec::new() };
    }
    match case.operation {
        Measured::CreateGroup => vec![("verify", 1)],
        Measured::Commit if !adds => vec![("sign", 1)],
        _ => Vec::new(),
    }
}

/// Whatever the size of the group, and whoever computes.
#[test]
fn a_receiver_of_a_commit_decapsulates_once() {
    let wanted: Vec<_> = default_sizes()
        .into_iter()
        .filter(|(case, _)| case.operation == Measured::IngestCommit)
        .collect();
    let found = counted(&twins(), &wanted);
    assert!(found.len() >= 6 * 14, "{}", found.len());
    for Counted { engine, case, size, counts, .. } in found {
        assert_eq!(counts.kem_decap.calls, 1, "{engine} {case} {size}");
        assert_eq!(counts.kem_encap.calls, 0, "{engine} {case} {size}");
    }
}

/// Nothing that is counted depends on chance: keys and nonces do, their number and length do not.
#[test]
fn two_runs_count_the_same() {
    let small: Vec<_> = default_sizes().into_iter().filter(|(_, size)| *size < 10).collect();
    let run = || -> Vec<(&str, String, Counts)> {
        let found = counted(&twins(), &small).into_iter();
        found.map(|one| (one.engine, format!("{} {}", one.case, one.size), one.counts)).collect()
    };
    let (one, other) = (run(), run());
    assert!(one.len() >= 6 * 30, "{}", one.len());
    for (one, other) in one.iter().zip(&other) {
        assert_eq!(one, other);
    }
}

/// A signature too many shows, and in the row that makes it only.
#[test]
fn a_planted_signature_is_noticed() {
    let twin = wasteful::twin();
    let sent = count(cases::Send, &twin, 9).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(sent.least.excess(&sent.counts), [("sign", 2, 1)]);
    let read = count(cases::IngestApp, &twin, 9).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(read.least.excess(&read.counts), []);
}

/// An engine that does less than it has to is as loud.
#[test]
fn less_than_the_least_is_noticed() {
    let send = least(cases::Send.id(), 9).unwrap();
    let undercut: Vec<_> =
        send.undercut(&Counts::NONE).into_iter().map(|(name, ..)| name).collect();
    assert_eq!(undercut, ["sign", "aead_seal", "kdf_expand"]);
}

/// Every row has arithmetic, but for those that no engine has.
#[test]
fn every_case_has_a_floor_and_it_grows_with_the_group() {
    struct Floors(Primitives, usize);
    impl Visitor for Floors {
        fn visit<C: Case>(&mut self, case: C) {
            let about = twins()[0].counted.describe();
            let sizes = case.sizes().iter().chain(case.large_sizes());
            let mut before = 0.0;
            for size in sizes.filter(|size| case.absent(&about, **size).is_none()) {
                let floor = floor::floor(case.id(), *size, &self.0);
                let floor = floor.unwrap_or_else(|| panic!("{} {size}", case.id()));
                assert!(floor.total_ns > 0.0, "{} {size}", case.id());
                // What receivers do hardly depends on the size: an add to a group of two makes the
                // tree grow, which costs its receiver a node more than in a group of nine.
                let receives = case.id().operation == Measured::IngestCommit;
                assert!(receives || floor.total_ns >= before, "{} {size}", case.id());
                let sum: f64 = floor.terms.iter().map(|t| t.each_ns * t.term.calls as f64).sum();
                assert!((sum - floor.total_ns).abs() < 1.0, "{} {size}", case.id());
                println!("{} {size}: {:.1} us", case.id(), floor.total_ns / 1e3);
                before = floor.total_ns;
                self.1 += 1;
            }
        }
    }
    let primitives = Primitives::measure().unwrap_or_else(|why| panic!("{why}"));
    let mut floors = Floors(primitives, 0);
    cases::visit_all(&mut floors);
    assert!(floors.1 >= 75, "{}", floors.1);
}

#[test]
fn the_command_prints_what_was_counted() {
    let run = |arguments: &[&str]| {
        let all = ["counts"].iter().chain(arguments);
        Command::new(env!("CARGO_BIN_EXE_cgka-bench")).args(all).output().unwrap()
    };
    let arguments = ["--json", "--engine", "openmls/rustcrypto", "--case", "send", "--size", "9"];
    let output = run(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 1);
    assert_eq!(rows[0]["engine"], "openmls/rustcrypto");
    assert_eq!(rows[0]["case"], "send");
    assert_eq!(rows[0]["counted"]["sign"]["calls"], 1);
    assert_eq!(rows[0]["counted"]["sign"]["least"], 1);

    let table = run(&["--engine", "burrow", "--case", "ingest_commit/update", "--size", "2"]);
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(table.contains("ingest_commit/update/warm 2"), "{table}");
    assert!(table.contains("kem_decap"), "{table}");

    for wrong in [["--engine", "mdk"], ["--case", "nothing"], ["--size", "3"]] {
        assert_eq!(run(&wrong).status.code(), Some(2), "{wrong:?}");
    }
}
