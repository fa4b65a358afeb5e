//! A run that is short enough for each change, and that it did what it says.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use burrow_hostile::{
    input::Stage,
    judge::Judge,
    mutate::Mutation,
    report::{Depth, Row},
    samples::Kind,
    target::Burrow,
};

const INPUTS: u64 = 120_000;

/// Of those that somebody with a key made, so many of a hundred get past signatures and tags.
const DEEP: u64 = 25;

#[test]
fn nothing_breaks_and_everything_was_tried() {
    let stage = Stage::new().unwrap();
    let mut judge = Judge::new(Burrow::new(&stage).unwrap(), stage.worlds.len(), 200).unwrap();
    for index in 0..INPUTS {
        let input = stage.input(7, index).unwrap();
        judge.judge(&format!("--replay 7 {index}"), &input).unwrap();
    }
    let report = &judge.report;
    println!("{report}");
    assert_eq!(report.failed, 0, "{:#?}", report.failures);
    assert_eq!(report.inputs(), INPUTS);

    let of = |kind: Kind, is_sealed| {
        report.kinds.get(&(kind, is_sealed)).cloned().unwrap_or_else(Row::default)
    };
    for (kind, share) in Kind::ALL {
        let (raw, sealed) = (of(kind, false), of(kind, true));
        let floor = INPUTS * share as u64 / 200;
        let inputs = raw.inputs + sealed.inputs;
        assert!(inputs > floor, "{kind:?}: {inputs} of {floor}");
        assert!(raw.inputs > floor / 8, "{kind:?}: few that anybody could make");
        if kind.is_stored() {
            continue;
        }
        assert!(sealed.inputs > floor / 8, "{kind:?}: few that take a key");
        if kind != Kind::OwnMessage {
            let deep = 100 * sealed.at_least(Depth::Validate) / sealed.inputs;
            assert!(deep >= DEEP, "{kind:?}: only {deep} % get to the rules");
            assert!(sealed.at_least(Depth::Accept) > 0, "{kind:?}: none is accepted");
        }
    }
    let commits = [Kind::PublicCommit, Kind::PrivateCommit, Kind::ExternalCommit, Kind::Welcome];
    for kind in commits {
        let last = of(kind, true).depths.get(&Depth::Schedule).copied().unwrap_or(0);
        assert!(last > 20, "{kind:?}: {last} get to the confirmation tag");
    }
    for mutation in Mutation::ALL.into_iter().chain([Mutation::Forged, Mutation::None]) {
        let inputs = report.mutations.get(&mutation).map_or(0, |row| row.inputs);
        assert!(inputs > INPUTS / 500, "{mutation:?}: {inputs}");
    }
    assert!(report.rules.len() > 50, "only {} rules were broken", report.rules.len());
}

/// Each input can be made again by its number alone.
#[test]
fn an_input_is_told_by_its_number() {
    let (one, other) = (Stage::new().unwrap(), Stage::new().unwrap());
    for index in 0..300 {
        let _ = one.input(3, index).unwrap();
    }
    for index in (0..300).rev() {
        let (first, second) = (one.input(3, index).unwrap(), other.input(3, index).unwrap());
        assert_eq!((first.kind, first.world), (second.kind, second.world));
        assert_eq!(first.bytes, second.bytes, "{index}");
    }
}

/// The shapes know all that the engine writes: nothing is mutated without its fields for want of them.
#[test]
fn everything_is_taken_apart_and_put_together_again() {
    use burrow_hostile::value::Value;
    let stage = Stage::new().unwrap();
    let mut without_fields = 0;
    for (_, samples) in &stage.worlds {
        for sample in &samples.all {
            without_fields += usize::from(matches!(sample.value, Value::Raw(_)));
            if sample.seal != burrow_hostile::seal::Seal::Raw {
                let bytes = sample.value.to_bytes();
                let again = Value::parse(sample.seal.shape(), &bytes).unwrap();
                assert_eq!(again.to_bytes(), bytes);
            }
        }
    }
    // One of each world is there without its fields on purpose.
    assert_eq!(without_fields, stage.worlds.len());
}
