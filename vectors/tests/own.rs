//! Our own vectors: they are what the generator makes, and engines agree with them.

use std::collections::BTreeSet;

use engine_api::Registration;
use serde_json::Value;
use vectors::backends;
use vectors::own::deviations::{self, Shows};
use vectors::own::{self, KeyPackageCase, Outcome, Reason, Verdict};

/// Cases in the file; a lost one is a failure.
const CASES: usize = 127;

/// Of these, the ones for suites 4 and 6, which AWS-LC doesn't have.
const X448: usize = 20;

#[test]
fn the_data_is_what_the_generator_makes() {
    let written = include_str!("../data/key-packages.json");
    let made = own::to_json(&own::generate().unwrap()).unwrap();
    assert!(made == written, "it drifted: cargo run -p vectors --release -- generate");
    let cases = own::key_packages().unwrap();
    assert_eq!(cases.len(), CASES);
    let names: BTreeSet<_> = cases.iter().map(|case| (&case.name, case.cipher_suite)).collect();
    assert_eq!(names.len(), CASES, "two cases have one name");
    for case in &cases {
        assert_eq!(case.reason.is_some(), case.verdict == Verdict::Reject, "{}", case.name);
    }
}

/// The fields are those of the schema, neither more nor fewer.
#[test]
fn the_schema_has_the_same_fields() {
    let schema: Value =
        serde_json::from_str(include_str!("../schema/key-packages.schema.json")).unwrap();
    let data: Value = serde_json::from_str(include_str!("../data/key-packages.json")).unwrap();
    let described: BTreeSet<_> =
        schema["items"]["properties"].as_object().unwrap().keys().collect();
    let required = schema["items"]["required"].as_array().unwrap().len();
    assert_eq!(described.len(), required);
    for case in data.as_array().unwrap() {
        let fields: BTreeSet<_> = case.as_object().unwrap().keys().collect();
        assert_eq!(fields, described);
    }
}

#[test]
fn burrow_gives_each_verdict_for_its_reason() {
    let cases = own::key_packages().unwrap();
    let (mut agreed, mut unsupported) = (0, 0);
    let mut wrong = Vec::new();
    for backend in backends() {
        for case in &cases {
            match own::on_burrow(&backend, case) {
                Outcome::Agrees => agreed += 1,
                Outcome::Unsupported(_) => unsupported += 1,
                Outcome::Differs(why) => {
                    wrong.push(format!("{} {}: {why}", case.name, case.cipher_suite));
                }
            }
        }
    }
    println!("{agreed} agreed, {unsupported} unsupported");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!((agreed, unsupported), (2 * CASES - X448, X448));
}

/// The runner notices the other verdict, and another reason.
#[test]
fn a_wrong_expectation_is_noticed() {
    let [backend, _] = backends();
    for case in own::key_packages().unwrap() {
        let (verdict, reason) = match (case.verdict, case.reason) {
            (Verdict::Reject, _) => (Verdict::Accept, None),
            (Verdict::Accept, _) => (Verdict::Reject, Some(Reason::Rule)),
        };
        let other = KeyPackageCase { verdict, reason, ..case.clone() };
        let outcome = own::on_burrow(&backend, &other);
        assert!(matches!(outcome, Outcome::Differs(_)), "{} {outcome:?}", case.name);
        let Some(reason) = case.reason else { continue };
        for other in [Reason::Malformed, Reason::Key, Reason::Signature, Reason::Rule] {
            let changed = KeyPackageCase { reason: Some(other), ..case.clone() };
            let agrees = own::on_burrow(&backend, &changed) == Outcome::Agrees;
            assert_eq!(agrees, other == reason, "{} {other:?}", case.name);
        }
        if reason == Reason::Rule {
            let changed = KeyPackageCase { section: "1".into(), ..case.clone() };
            let outcome = own::on_burrow(&backend, &changed);
            assert!(matches!(outcome, Outcome::Differs(_)), "{} {outcome:?}", case.name);
        }
    }
}

fn known(engine: &str, case: &KeyPackageCase) -> Option<Shows> {
    deviations::of(engine, "key-packages.json", &case.name).map(|(.., shows)| *shows)
}

#[test]
fn other_engines_agree_but_for_what_is_known() {
    let cases = own::key_packages().unwrap();
    let mut wrong = Vec::new();
    let mut engines = adapter_openmls::engines();
    engines.extend(adapter_mls_rs::engines());
    engines.extend(adapter_burrow::engines());
    for engine in &engines {
        let asked = replay(engine, &cases, &mut wrong);
        // Suite 1 at least, and all of its cases.
        assert!(asked >= 37, "{}: {asked} cases", engine.name());
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// How many cases the engine could be asked about.
fn replay(engine: &Registration, cases: &[KeyPackageCase], wrong: &mut Vec<String>) -> usize {
    let (mut agreed, mut known, mut unsupported) = (0, 0, BTreeSet::new());
    for (case, outcome) in cases.iter().zip(own::on_engine(engine, cases)) {
        let case_of = || format!("{} {} {}", engine.name(), case.name, case.cipher_suite);
        match (outcome, self::known(engine.name(), case)) {
            (Outcome::Agrees, None) => agreed += 1,
            (Outcome::Differs(why), Some(shows)) if Shows::of(&why) == shows => known += 1,
            (Outcome::Agrees, Some(_)) => wrong.push(format!("{}: agrees now", case_of())),
            (Outcome::Differs(why), _) => wrong.push(format!("{}: {why}", case_of())),
            (Outcome::Unsupported(why), _) => drop(unsupported.insert(why)),
        }
    }
    println!("{}: {agreed} agreed, {known} known to differ", engine.name());
    for why in unsupported {
        println!("    not asked: {why}");
    }
    agreed + known
}
