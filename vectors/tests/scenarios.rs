//! The scenarios: as data, on ours, on the peers, and with every expectation turned round.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use engine_api::{MlsRegistration, Registration};
use serde_json::Value;
use vectors::scenarios::{
    Action, Engine, Expect, FILES, KNOWN, Part, Profile, Row, Scenario, Step, Stop, Verdict, Word,
    run, scenarios, walk_once,
};

/// Things that ours compare in all scenarios, at least: both profiles, each walk.
const FLOOR: usize = 500_000;

/// Expectations that are turned round, at least.
const MUTATED: usize = 1_300;

/// Of one scenario, at most.
const MUTATED_EACH: usize = 24;

fn mls(engine: MlsRegistration) -> Engine {
    Engine::new(engine.engine(), Some(engine))
}

fn plain(engine: Registration) -> Engine {
    Engine::new(engine, None)
}

/// The first configuration of each of ours.
fn ours() -> [Engine; 2] {
    [mls(adapter_burrow::mls_engines()[0]), plain(adapter_burrow_marmot::engines()[0])]
}

fn peers() -> Vec<Engine> {
    let mls_peers = [adapter_openmls::mls_engines(), adapter_mls_rs::mls_engines()];
    let mls_peers = mls_peers.iter().map(|engines| mls(engines[0]));
    mls_peers.chain([plain(adapter_mdk::engines()[0]), plain(adapter_null::engines()[0])]).collect()
}

/// The peers alone, and with ours in both ways.
fn casts_with_peers() -> Vec<Vec<Engine>> {
    let mut casts = Vec::new();
    for peer in peers() {
        casts.push(vec![peer]);
        for own in ours().into_iter().filter(|own| own.speaks_with(&peer)) {
            casts.extend([vec![own, peer], vec![peer, own]]);
        }
    }
    casts
}

#[test]
fn every_file_is_a_scenario_and_every_scenario_a_file() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
    let files: BTreeSet<String> = files.map(|name| name.into_string().unwrap()).collect();
    let listed: BTreeSet<String> = FILES.iter().map(|(name, _)| format!("{name}.json")).collect();
    assert_eq!(files, listed);
    let all = scenarios().unwrap();
    let reports: BTreeSet<_> = all.iter().flat_map(|scenario| &scenario.reports).collect();
    println!("{} scenarios, {} bug reports: {reports:?}", all.len(), reports.len());
    assert!(reports.len() >= 15);
    for (scenario, (_, text)) in all.iter().zip(FILES) {
        // What is written again is what was read, so that a replay is a scenario.
        let written = serde_json::to_value(scenario).unwrap();
        let read: Scenario = serde_json::from_value(written).unwrap();
        assert_eq!(read, *scenario);
        assert!(serde_json::from_str::<Value>(text).is_ok());
    }
}

/// An unknown field anywhere is an error.
#[test]
fn fields_that_are_unknown_are_refused() {
    fn places(value: &Value, path: &str, into: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                // What actors, messages and profiles are called is free.
                if !["/cast", "/not_for", "/expect"].iter().any(|free| path.ends_with(free)) {
                    into.push(path.to_owned());
                }
                fields
                    .iter()
                    .for_each(|(key, value)| places(value, &format!("{path}/{key}"), into));
            }
            Value::Array(list) => {
                let each = list.iter().enumerate();
                each.for_each(|(at, value)| places(value, &format!("{path}/{at}"), into));
            }
            _ => {}
        }
    }
    let mut tried = 0;
    for (name, text) in FILES {
        let value: Value = serde_json::from_str(text).unwrap();
        let mut found = Vec::new();
        places(&value, "", &mut found);
        for path in found.iter().step_by(1 + found.len() / 40) {
            let mut changed = value.clone();
            let object = changed.pointer_mut(path).unwrap().as_object_mut().unwrap();
            object.insert("unheard-of".into(), 1.into());
            assert!(serde_json::from_value::<Scenario>(changed).is_err(), "{name}: {path}");
            tried += 1;
        }
    }
    println!("{tried} unknown fields refused");
    assert!(tried > 500, "{tried}");
}

/// The schema lists what the program knows.
#[test]
fn the_schema_has_the_same_words() {
    let schema: Value =
        serde_json::from_str(include_str!("../schema/scenario.schema.json")).unwrap();
    let words: BTreeSet<_> = Word::ALL.iter().map(|word| word.name()).collect();
    let listed = schema["$defs"]["word"]["enum"].as_array().unwrap();
    assert_eq!(listed.iter().map(|word| word.as_str().unwrap()).collect::<BTreeSet<_>>(), words);
    let mut actions = BTreeSet::new();
    for one in schema["$defs"]["action"]["oneOf"].as_array().unwrap() {
        actions.extend(one["properties"].as_object().unwrap().keys().cloned());
    }
    let (mut steps, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for (_, text) in FILES {
        let value: Value = serde_json::from_str(text).unwrap();
        for step in value["steps"].as_array().unwrap() {
            steps.extend(step.as_object().unwrap().keys().cloned());
            let (action, fields) = step["do"].as_object().unwrap().iter().next().unwrap();
            seen.insert(action.clone());
            let known = schema["$defs"]["action"]["oneOf"].as_array().unwrap();
            let own = known.iter().find_map(|one| one["properties"].get(action)).unwrap();
            for field in fields.as_object().unwrap().keys() {
                assert!(own["properties"].get(field).is_some(), "{action}: {field}");
            }
        }
    }
    assert_eq!(seen, actions, "each action occurs");
    let known = schema["$defs"]["step"]["properties"].as_object().unwrap();
    assert_eq!(steps, known.keys().cloned().collect());
}

fn told(row: &Row) -> String {
    let Row { scenario, engines, walks, compared, .. } = row;
    match &row.verdict {
        Verdict::Passed => format!("passed {scenario} {engines:?}: {walks} walks, {compared}"),
        Verdict::Unsupported(why) => format!("unsupported {scenario} {engines:?}: {why}"),
        Verdict::Failed(failure) => format!(
            "FAILED {scenario} {engines:?}, walk {walks}, step {}: {}: {:?} ({:?}): {}",
            failure.step, failure.action, failure.actor, failure.engine, failure.what
        ),
    }
}

#[test]
fn ours_pass_every_scenario() {
    let (mut compared, mut failures) = (0, Vec::new());
    for scenario in scenarios().unwrap() {
        for engine in ours() {
            let row = run(&scenario, &[engine]);
            println!("{}", told(&row));
            compared += row.compared;
            match &row.verdict {
                Verdict::Passed => assert!(row.compared > 0),
                Verdict::Unsupported(why) => {
                    // Only what the scenario itself says of the profile.
                    assert_eq!(scenario.not_for.get(&engine.profile()), Some(why));
                }
                Verdict::Failed(_) => failures.push(told(&row)),
            }
        }
    }
    println!("{compared} compared, at least {FLOOR}");
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(compared >= FLOOR, "{compared}");
}

#[test]
fn peers_differ_only_as_declared() {
    let (mut undeclared, mut shown) = (Vec::new(), BTreeSet::new());
    let all = scenarios().unwrap();
    for cast in casts_with_peers() {
        for scenario in &all {
            let row = run(scenario, &cast);
            println!("{}", told(&row));
            let Verdict::Failed(failure) = &row.verdict else { continue };
            let known = |known: &vectors::scenarios::Known| {
                known.covers(&scenario.name, &row.engines, &failure.what)
            };
            match KNOWN.iter().position(known) {
                Some(place) => drop(shown.insert(place)),
                None => undeclared.push(told(&row)),
            }
        }
    }
    assert!(undeclared.is_empty(), "{undeclared:#?}");
    let stale: Vec<_> = (0..KNOWN.len()).filter(|place| !shown.contains(place)).collect();
    let stale: Vec<_> = stale.iter().map(|place| KNOWN[*place]).collect();
    assert!(stale.is_empty(), "declared, and didn't show: {stale:#?}");
}

/// Every expectation, turned round, one at a time.
fn mutants(walk: &Scenario, profile: Profile) -> Vec<(String, Scenario)> {
    let mut mutants = Vec::new();
    let mut with = |place: usize, what: String, change: &dyn Fn(&mut Step)| {
        let mut mutant = walk.clone();
        change(&mut mutant.steps[place]);
        mutants.push((format!("step {place}: {what}"), mutant));
    };
    for (place, step) in walk.steps.iter().enumerate() {
        if has_outcome(&step.action) {
            let never = never(step);
            with(place, format!("expects {never:?}"), &|step| {
                step.expect = Some(Expect::Any(never.clone()));
            });
        }
        for (at, camp) in step.then.iter().flatten().enumerate() {
            with(place, format!("camp {at}: epoch"), &|step| camp_of(step, at).epoch += 1);
            with(place, format!("camp {at}: members"), &|step| {
                let camp = camp_of(step, at);
                let mut members = camp.members.clone().unwrap_or_else(|| camp.who.clone());
                members.pop();
                camp.members = Some(members);
            });
            if camp.name.is_some() {
                with(place, format!("camp {at}: name"), &|step| {
                    camp_of(step, at).name.as_mut().unwrap().push('x');
                });
            }
            if camp.admins.is_some() && profile == Profile::Marmot {
                with(place, format!("camp {at}: admins"), &|step| {
                    camp_of(step, at).admins.as_mut().unwrap().pop();
                });
            }
        }
    }
    mutants
}

fn camp_of(step: &mut Step, at: usize) -> &mut vectors::scenarios::Camp {
    &mut step.then.as_mut().unwrap()[at]
}

fn has_outcome(action: &Action) -> bool {
    !matches!(
        action,
        Action::KeyPackage { .. }
            | Action::Merge { .. }
            | Action::Discard { .. }
            | Action::Restart { .. }
            | Action::Rank { .. }
            | Action::Forge { .. }
            | Action::Retracted { .. }
    ) && !matches!(action, Action::Leave { to, .. } | Action::Advance { to, .. } if to.is_empty())
}

/// Words that may not come: all but those that the step allows, or would allow by itself.
fn never(step: &Step) -> Vec<Word> {
    let allowed: Vec<Word> = match &step.expect {
        None => vec![Word::Done, Word::Applied, Word::Duplicate, Word::Stale],
        Some(Expect::One(word)) => vec![*word],
        Some(Expect::Any(words)) => words.clone(),
        Some(Expect::Each(each)) => {
            let named = each.values().flat_map(|words| words.list().to_vec());
            named.chain([Word::Applied, Word::Duplicate, Word::Stale]).collect()
        }
    };
    Word::ALL.into_iter().filter(|word| !allowed.contains(word)).collect()
}

#[test]
fn a_changed_expectation_is_noticed() {
    let (mut changed, mut unnoticed) = (0, Vec::new());
    for scenario in scenarios().unwrap() {
        let mut of_this = 0;
        for engine in ours() {
            if scenario.not_for.contains_key(&engine.profile()) {
                continue;
            }
            let walk = scenario.walks(engine.profile()).remove(0);
            let all = mutants(&walk, engine.profile());
            for (what, mutant) in all.iter().step_by(1 + all.len() / MUTATED_EACH) {
                of_this += 1;
                match walk_once(mutant, &[engine]) {
                    Err(Stop::Failed(_)) => {}
                    other => unnoticed.push(format!("{}: {what}: {other:?}", scenario.name)),
                }
            }
        }
        println!("{}: {of_this} expectations changed", scenario.name);
        assert!(of_this > 0);
        changed += of_this;
    }
    println!("{changed} expectations changed, at least {MUTATED}");
    assert!(unnoticed.is_empty(), "{unnoticed:#?}");
    assert!(changed >= MUTATED, "{changed}");
}

/// The engines that lie, each in one way: those that a scenario can see through are caught.
#[test]
fn engines_that_lie_are_caught() {
    let all = scenarios().unwrap();
    let mut unseen = Vec::new();
    for liar in adapter_null::broken() {
        let rows = all.iter().map(|scenario| run(scenario, &[plain(liar)]));
        let caught = rows.filter(|row| matches!(row.verdict, Verdict::Failed(_))).count();
        println!("{}: caught by {caught} scenarios", liar.name());
        if caught == 0 {
            unseen.push(liar.name());
        }
    }
    assert_eq!(unseen, UNSEEN);
}

/// Lies about what no scenario asks; `cgka-bench verify` catches them.
const UNSEEN: &[&str] = &[
    "broken/cuts-payload",
    "broken/reads-commits",
    "broken/invents-groups",
    "broken/accepts-damage",
    "broken/panics",
    "broken/joins-uninvited",
    "broken/stages-twice",
    "broken/merges-anothers",
    "broken/shared-fork",
    "broken/restores-garbage",
    "broken/false-capability",
    "broken/hidden-capability",
    "broken/claims-cryptography",
    "broken/names-no-version",
    "broken/declares-too-much",
    "broken/tells-no-reason",
    "broken/wrong-sizes",
];

/// A scenario without an insider has none in its steps.
#[test]
fn only_insiders_forge() {
    for scenario in scenarios().unwrap() {
        for step in &scenario.steps {
            if let Action::Forge { by: Some(by), .. } = &step.action {
                assert_eq!(scenario.cast[by], Part::Insider, "{}", scenario.name);
            }
        }
    }
}
