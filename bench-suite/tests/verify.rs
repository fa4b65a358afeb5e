//! The checks pass on every engine, and catch every lie.

use std::collections::BTreeSet;

use bench_suite::checks::Check;
use bench_suite::verify::{self, report::Report};
use bench_suite::{cases, engines};
use engine_api::{Layer, Registration};

fn quietly(engines: &[Registration]) -> Report {
    verify::run(engines, &mut |_| {})
}

fn executed(report: &Report, subject: &str) -> usize {
    report.subjects.iter().find(|s| s.name == subject).map_or(0, |s| s.executed)
}

/// Every engine through every case and scenario, and every pair of one wire profile.
#[test]
fn every_engine_passes() {
    let engines = engines::built_in();
    let report = quietly(&engines);
    println!("{report}");
    assert!(report.is_clean(), "{} checks failed", report.failed);
    assert!(report.executed >= 5_000, "only {} checks executed", report.executed);
    for engine in &engines {
        let own = executed(&report, engine.name());
        assert!(own >= 550, "only {own} checks executed on {}", engine.name());
    }

    assert_eq!(verify::interop::SIZES, [2, 9, 33]);
    let pairs = ["mls", "marmot"].map(|profile| {
        let abouts = engines.iter().map(Registration::describe);
        let spoken = abouts.filter(|about| about.wire_profile.name() == profile);
        let names: Vec<_> = spoken.map(|about| about.name).collect();
        assert!(names.len() >= 4, "{profile}: {names:?}");
        for founder in &names {
            for joiner in names.iter().filter(|joiner| *joiner != founder) {
                let pair = executed(&report, &format!("{founder} -> {joiner}"));
                assert!(pair >= 180, "only {pair} checks executed on {founder} -> {joiner}");
            }
        }
        names.len() * (names.len() - 1)
    });
    assert_eq!(report.pairs, pairs.iter().sum::<usize>());
}

/// The same engines at other layers, each by itself: `cgka-bench verify` also pairs them.
#[test]
fn every_layer_passes() {
    let layered = engines::layered();
    let report = quietly(&layered);
    println!("{report}");
    assert!(report.is_clean(), "{} checks failed", report.failed);
    assert_eq!(report.pairs, 0);
    for engine in &layered {
        let own = executed(&report, engine.name());
        assert!(own >= 550, "only {own} checks executed on {}", engine.name());
        let (name, layer) = (engine.name(), engine.describe().layer.name());
        let names_a_layer = Layer::ALL.iter().any(|one| name.ends_with(one.name()));
        assert!(!names_a_layer || name.ends_with(layer), "{name} is of the layer {layer}");
    }
    let with_peers: Vec<_> = engines::with_layers(&engines::built_in());
    let pairs = verify::interop::pairs(&with_peers);
    for engine in &layered {
        let founds = pairs.iter().filter(|(founder, _)| founder.name() == engine.name());
        assert_eq!(founds.count(), 1, "{} is to be paired with one peer", engine.name());
    }
}

/// For each lie one check that must catch it, by name. Other checks may fail as well.
const CAUGHT_BY: &[(&str, Check)] = &[
    ("broken/wrong-plaintext", Check::Plaintext),
    ("broken/wrong-sender", Check::Sender),
    ("broken/drops-payload", Check::Plaintext),
    ("broken/cuts-payload", Check::Plaintext),
    ("broken/loses-messages", Check::Plaintext),
    ("broken/claims-cryptography", Check::Ciphertext),
    ("broken/replays", Check::Replay),
    ("broken/echoes", Check::OwnEcho),
    ("broken/in-order-only", Check::Reordered),
    ("broken/crosses-groups", Check::OtherGroup),
    ("broken/refuses-future", Check::EarlyMessage),
    ("broken/refuses-past", Check::LateMessage),
    ("broken/reads-before-joining", Check::LateJoiner),
    ("broken/reads-commits", Check::WrongKind),
    ("broken/wrong-epoch", Check::Epoch),
    ("broken/wrong-applied-epoch", Check::Works),
    ("broken/wrong-merged-epoch", Check::Works),
    ("broken/stuck-epoch", Check::Epoch),
    ("broken/stuck-merge", Check::Epoch),
    ("broken/skips-epochs", Check::EarlyMessage),
    ("broken/reapplies-commits", Check::CommitReplay),
    ("broken/merges-echo", Check::OwnEcho),
    ("broken/agrees-with-everybody", Check::Separation),
    ("broken/disagrees", Check::Agreement),
    ("broken/stale-authenticator", Check::Separation),
    ("broken/wrong-members", Check::Members),
    ("broken/lists-removed", Check::Members),
    ("broken/unsorted-members", Check::Sender),
    ("broken/swaps-members", Check::OwnLeaf),
    ("broken/wrong-leaf", Check::OwnLeaf),
    ("broken/wrong-identity", Check::Members),
    ("broken/invents-groups", Check::UnknownGroup),
    ("broken/keeps-removed", Check::RemovedIsTold),
    ("broken/sends-after-removal", Check::RemovedIsOut),
    ("broken/accepts-damage", Check::DamageRefused),
    ("broken/damaged-by-refusal", Check::DamageHarmless),
    ("broken/deaf-after-refusal", Check::DamageHarmless),
    ("broken/wrong-fault", Check::DamageRefused),
    ("broken/panics", Check::Works),
    ("broken/joins-uninvited", Check::DamageRefused),
    ("broken/rejoins", Check::WelcomeReplay),
    ("broken/repeats-key-packages", Check::Snapshot),
    ("broken/keeps-name", Check::Name),
    ("broken/merges-early", Check::StagedOnly),
    ("broken/discard-applies", Check::Discard),
    ("broken/merges-superseded", Check::Superseded),
    ("broken/merges-anothers", Check::AnothersCommit),
    ("broken/stages-twice", Check::StagedOnly),
    ("broken/shared-fork", Check::Fork),
    ("broken/lossy-snapshot", Check::Snapshot),
    ("broken/forgetful-snapshot", Check::Snapshot),
    ("broken/keyless-snapshot", Check::Snapshot),
    ("broken/restores-garbage", Check::Snapshot),
    ("broken/false-capability", Check::Capabilities),
    ("broken/hidden-capability", Check::Capabilities),
    ("broken/names-no-version", Check::Description),
    ("broken/declares-too-much", Check::Description),
    ("broken/tells-no-reason", Check::Description),
    ("broken/wrong-sizes", Check::Sizes),
    ("broken/forgets-staged", Check::Snapshot),
    ("broken/founder-only", Check::Capabilities),
];

#[test]
fn every_lie_is_caught_by_name() {
    let liars = engines::broken();
    let known: BTreeSet<_> = CAUGHT_BY.iter().map(|(lie, _)| *lie).collect();
    let present: BTreeSet<_> = liars.iter().map(Registration::name).collect();
    assert_eq!(present, known, "a lie without an expected check, or the reverse");
    for liar in &liars {
        let report = quietly(std::slice::from_ref(liar));
        let failed: BTreeSet<_> =
            report.subjects.iter().flat_map(|s| &s.failures).map(|entry| entry.check).collect();
        for (_, check) in CAUGHT_BY.iter().filter(|(lie, _)| *lie == liar.name()) {
            assert!(failed.contains(check), "{} is not caught by {check}: {failed:?}", liar.name());
        }
    }
}

/// A check that no lie is aimed at would be a check that nobody has seen fail.
#[test]
fn every_check_has_a_lie() {
    let aimed_at: BTreeSet<_> = CAUGHT_BY.iter().map(|(_, check)| *check).collect();
    let all: BTreeSet<_> = Check::ALL.iter().copied().collect();
    assert_eq!(all, aimed_at);
}

/// A lie is only a lie because the truth passes: the engine that the liars are made of is clean.
#[test]
fn the_honest_one_passes() {
    let null = engines::select(&engines::built_in(), &["null".into()]).unwrap();
    let report = quietly(&null);
    assert!(report.is_clean(), "{report}");
    assert_eq!(report.deviating, 0);
}

/// An engine that can't be copied is built anew for each sample, and is checked all the same.
#[test]
fn an_engine_without_fork_or_snapshot_can_be_sampled() {
    struct Sampled(usize);
    impl cases::Visitor for Sampled {
        fn visit<C: bench_suite::case::Case>(&mut self, case: C) {
            let engine = Registration::of::<disguised::Uncopyable>();
            for size in case.sizes() {
                if case.absent(&engine.describe(), *size).is_some() {
                    continue;
                }
                let row = bench_suite::case::Row::new(case, &engine, *size).unwrap();
                for _ in 0..2 {
                    let mut sample = row.sample().unwrap();
                    sample.run();
                    sample.spot_check().unwrap();
                    let mut ledger = bench_suite::checks::Ledger::default();
                    sample.check(&mut ledger).unwrap();
                    assert_eq!(ledger.first_failure(), None);
                    self.0 += 1;
                }
            }
        }
    }
    let mut sampled = Sampled(0);
    cases::visit_all(&mut sampled);
    assert!(sampled.0 >= 90, "{}", sampled.0);
}

/// Interop must be seen to fail: an honest engine and a liar in one group.
#[test]
fn a_liar_is_caught_in_company() {
    let null = engines::select(&engines::built_in(), &["null".into()]).unwrap();
    let report = quietly(&[null[0], Registration::of::<disguised::Mole>()]);
    assert_eq!(report.pairs, 2);
    for pair in ["null -> mole", "mole -> null"] {
        let subject = report.subjects.iter().find(|subject| subject.name == pair).unwrap();
        let caught = |size: &usize| {
            let scenario = format!("interop/{size}");
            let mut failures = subject.failures.iter();
            failures.any(|f| f.check == Check::Plaintext && f.scenario == scenario)
        };
        assert!(verify::interop::SIZES.iter().all(caught), "{:?}", subject.failures);
    }
}

/// `works` can't be excused: what panicked or stopped early has failed.
#[test]
fn a_panic_is_not_a_deviation() {
    let report = quietly(&[Registration::of::<disguised::Excused>()]);
    let mut failures = report.subjects[0].failures.iter();
    assert!(failures.any(|f| f.check == Check::Works && f.scenario == "damaged message"));
    let mut failures = report.subjects[0].failures.iter();
    assert!(failures.any(|f| f.check == Check::Description), "the declarations covered something");
}

/// A declaration covers as many faults as it says, and the next is a failure.
#[test]
fn a_deviation_covers_what_it_says() {
    let report = quietly(&[Registration::of::<disguised::Understated>()]);
    assert_eq!(report.deviating, 1);
    let in_talking =
        |f: &&bench_suite::checks::Entry| f.scenario == "talking" && f.check == Check::Sender;
    let uncovered = report.subjects[0].failures.iter().filter(in_talking).count();
    assert!(uncovered >= 5, "{uncovered}");
}

/// Nothing executed is nothing shown, and one name is one engine.
#[test]
fn nothing_and_twice_are_not_clean() {
    assert!(!quietly(&[]).is_clean());
    let null = engines::select(&engines::built_in(), &["null".into()]).unwrap();
    assert!(!quietly(&[null[0], null[0]]).is_clean());
}

mod disguised;
