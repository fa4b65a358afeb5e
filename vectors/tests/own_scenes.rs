//! Our own Welcomes, commits and messages: they are what the generator makes, and engines agree
//! with them.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use engine_api::MlsRegistration;
use serde_json::Value;
use vectors::backends;
use vectors::own::deviations::{self, DEVIATIONS, Shows};
use vectors::own::{self, Kind, Outcome, PassiveCase, Reason, Scene, Verdict};

/// The cases in each file, and how many of them are for suite 1; a lost one is a failure.
const CASES: [(Kind, usize, usize); 3] =
    [(Kind::Welcomes, 116, 85), (Kind::Commits, 289, 162), (Kind::Messages, 118, 75)];

/// The data are small enough to be in a repository.
const LIMIT: usize = 1_500_000;

#[test]
fn the_data_is_what_the_generator_makes() {
    let mut length = 0;
    for (kind, all, of_suite_1) in CASES {
        let made = own::to_json(&own::generate_scenes(kind).unwrap()).unwrap();
        let file = kind.file();
        assert!(made == kind.text(), "{file} drifted: cargo run -p vectors --release -- generate");
        length += made.len();
        let scenes = kind.scenes().unwrap();
        let count = |suite: Option<u16>| -> usize {
            let scenes = scenes.iter().filter(|s| suite.is_none_or(|n| n == s.cipher_suite));
            scenes.map(|scene| scene.cases.len()).sum()
        };
        assert_eq!((count(None), count(Some(1))), (all, of_suite_1), "{file}");
        scenes.iter().for_each(names_and_controls);
    }
    assert!(length < LIMIT, "{length} bytes");
}

/// Every refusal has a case beside it that is accepted and made the same way.
fn names_and_controls(scene: &Scene) {
    let by_name: BTreeMap<_, _> = scene.cases.iter().map(|case| (&case.name, case)).collect();
    assert_eq!(by_name.len(), scene.cases.len(), "two cases of {} have one name", scene.name);
    for case in &scene.cases {
        let place = format!("{} {} {}", scene.name, scene.cipher_suite, case.name);
        let is_bad = case.verdict == Verdict::Reject;
        assert_eq!((case.reason.is_some(), case.control.is_some()), (is_bad, is_bad), "{place}");
        if let Some(control) = &case.control {
            let control = by_name.get(control);
            let control = control.unwrap_or_else(|| panic!("{place}: its control isn't there"));
            assert_eq!(control.verdict, Verdict::Accept, "{place}");
            let given = |case: &PassiveCase| {
                (case.before.clone(), case.message.clone(), case.ratchet_tree.clone())
            };
            assert_ne!(given(control), given(case), "{place}");
        }
    }
}

/// All fields are in the schema, those that it requires are there, and each occurs.
#[test]
fn the_schema_has_the_same_fields() {
    let schema: Value =
        serde_json::from_str(include_str!("../schema/passive-cases.schema.json")).unwrap();
    let reasons = schema["$defs"]["case"]["properties"]["reason"]["enum"].as_array().unwrap();
    let (mut of_scenes, mut of_cases) = (BTreeSet::new(), BTreeSet::new());
    for kind in Kind::ALL {
        let data: Value = serde_json::from_str(kind.text()).unwrap();
        for scene in data.as_array().unwrap() {
            of_scenes.extend(fields(scene, &schema["items"]));
            for case in scene["cases"].as_array().unwrap() {
                of_cases.extend(fields(case, &schema["$defs"]["case"]));
                assert!(case.get("reason").is_none_or(|reason| reasons.contains(reason)));
            }
        }
    }
    let described = |schema: &Value| schema["properties"].as_object().unwrap().len();
    assert_eq!(of_scenes.len(), described(&schema["items"]));
    assert_eq!(of_cases.len(), described(&schema["$defs"]["case"]));
}

fn fields(value: &Value, schema: &Value) -> Vec<String> {
    let value = value.as_object().unwrap();
    for required in schema["required"].as_array().unwrap() {
        assert!(value.contains_key(required.as_str().unwrap()), "{required}");
    }
    for field in value.keys() {
        assert!(schema["properties"].get(field).is_some(), "{field}");
    }
    value.keys().cloned().collect()
}

#[test]
fn burrow_gives_each_verdict_for_its_reason() {
    let mut wrong = Vec::new();
    for (kind, all, _) in CASES {
        for backend in backends() {
            let mut agreed = 0;
            for scene in kind.scenes().unwrap() {
                let outcomes = own::judge_burrow(&backend, &scene);
                for (case, outcome) in scene.cases.iter().zip(outcomes) {
                    match outcome {
                        Outcome::Agrees => agreed += 1,
                        Outcome::Unsupported(why) | Outcome::Differs(why) => wrong.push(format!(
                            "{} {} {} [{:?} {}]: {why}",
                            scene.name, scene.cipher_suite, case.name, case.reason, case.section
                        )),
                    }
                }
            }
            println!("{} on {}: {agreed} agreed", kind.file(), backend.name());
            if wrong.is_empty() {
                assert_eq!(agreed, all, "{}", kind.file());
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The runner notices the other verdict, another reason, another section and another outcome.
#[test]
fn a_wrong_expectation_is_noticed() {
    let [backend, _] = backends();
    for kind in Kind::ALL {
        for scene in kind.scenes().unwrap().into_iter().filter(|s| s.cipher_suite == 1) {
            let mut changed = Vec::new();
            for case in &scene.cases {
                changed.extend(wrong_expectations(case));
            }
            let wrong = Scene { cases: changed, ..scene };
            let outcomes = own::judge_burrow(&backend, &wrong);
            for (case, outcome) in wrong.cases.iter().zip(outcomes) {
                assert!(matches!(outcome, Outcome::Differs(_)), "{} {outcome:?}", case.name);
            }
            let mut then = wrong.clone();
            then.cases.retain(|case| case.verdict == Verdict::Reject);
            then.then.epoch_authenticator = "00".into();
            let outcomes = own::judge_burrow(&backend, &then);
            assert!(outcomes.iter().all(|outcome| matches!(outcome, Outcome::Differs(_))));
        }
    }
}

fn wrong_expectations(case: &PassiveCase) -> Vec<PassiveCase> {
    let mut wrong = Vec::new();
    let Some(reason) = case.reason else {
        let (verdict, reason) = (Verdict::Reject, Some(Reason::Rule));
        wrong.push(PassiveCase { verdict, reason, ..case.clone() });
        wrong.push(PassiveCase { epoch_authenticator: Some("00".into()), ..case.clone() });
        wrong.push(PassiveCase { application_data: Some("00".into()), ..case.clone() });
        return wrong;
    };
    wrong.push(PassiveCase { verdict: Verdict::Accept, reason: None, ..case.clone() });
    if reason == Reason::Rule {
        wrong.push(PassiveCase { section: "1".into(), ..case.clone() });
    }
    for other in [Reason::Malformed, Reason::Signature, Reason::Mac, Reason::Decryption] {
        if other != reason {
            wrong.push(PassiveCase { reason: Some(other), ..case.clone() });
        }
    }
    wrong
}

#[test]
fn other_engines_agree_but_for_what_is_known() {
    let mut wrong = Vec::new();
    let mut engines = adapter_openmls::mls_engines();
    engines.extend(adapter_mls_rs::mls_engines());
    engines.extend(adapter_burrow::mls_engines());
    let mut shown = BTreeSet::new();
    for engine in &engines {
        for (kind, _, of_suite_1) in CASES {
            let asked = replay(engine, kind, &mut wrong, &mut shown);
            assert!(asked >= of_suite_1, "{} {}: {asked} cases", engine.name(), kind.file());
        }
    }
    for (engine, file, case, ..) in DEVIATIONS {
        if file != "key-packages.json" && !shown.contains(&(engine, file, case)) {
            wrong.push(format!("{engine} {file} {case}: doesn't show any more"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

type Shown = BTreeSet<(&'static str, &'static str, &'static str)>;

/// How many cases the engine could be asked about.
fn replay(
    engine: &MlsRegistration,
    kind: Kind,
    wrong: &mut Vec<String>,
    shown: &mut Shown,
) -> usize {
    let (mut agreed, mut known, mut unsupported) = (0, 0, BTreeSet::new());
    let (mut not_given, before) = (0, wrong.len());
    for mut scene in kind.scenes().unwrap() {
        scene.cases.retain(|case| {
            let why = deviations::not_given(engine.name(), kind.file(), &case.name);
            let why = why.filter(|_| scene.cipher_suite == 1);
            why.inspect(|why| println!("{}: not given {}: {why}", engine.name(), case.name));
            not_given += usize::from(why.is_some());
            why.is_none()
        });
        for (case, outcome) in scene.cases.iter().zip(own::judge_engine(engine, &scene)) {
            let place =
                format!("{} {} {} {}", engine.name(), kind.file(), case.name, scene.cipher_suite);
            let deviation = deviations::of(engine.name(), kind.file(), &case.name);
            match (outcome, deviation) {
                (Outcome::Agrees, None) => agreed += 1,
                (Outcome::Differs(why), Some((engine, file, case, .., shows)))
                    if Shows::of(&why) == *shows =>
                {
                    known += 1;
                    shown.insert((*engine, *file, *case));
                }
                (Outcome::Agrees, Some(_)) => wrong.push(format!("{place}: agrees now")),
                (Outcome::Differs(why), _) => wrong.push(format!("{place}: {why}")),
                (Outcome::Unsupported(why), _) => drop(unsupported.insert(why)),
            }
        }
    }
    println!("{} {}: {agreed} agreed, {known} known to differ", engine.name(), kind.file());
    for why in unsupported {
        println!("    not asked: {why}");
    }
    let asked = agreed + known + wrong.len() - before;
    if asked == 0 { 0 } else { asked + not_given }
}

/// The document has each of them, and says which section.
#[test]
fn the_findings_are_written_down() {
    let document = include_str!("../../docs/peer-findings.md");
    let rows: BTreeSet<_> = document.lines().filter(|line| line.starts_with('|')).collect();
    for (engine, file, case, section, what, _) in DEVIATIONS {
        let engine = if engine.starts_with("openmls") { "OpenMLS" } else { "mls-rs" };
        let file = file.trim_end_matches(".json");
        let is_there = rows.iter().any(|row| {
            row.starts_with(&format!("| {engine} "))
                && row.contains(&format!("| {file} | `{case}` | {section} |"))
                && row.contains(what)
        });
        assert!(is_there, "{engine} {file} {case}");
    }
}
