//! The recorded sessions: as written, and followed by every engine.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use engine_api::MlsRegistration;
use serde_json::Value;
use vectors::sessions::{Expected, Recording, Replayed, recordings, replay};

/// Sessions in the repository, and things compared in each, at least.
const SESSIONS: usize = 6;
const COMPARED: usize = 40;

fn engines() -> Vec<MlsRegistration> {
    [adapter_burrow::mls_engines(), adapter_openmls::mls_engines(), adapter_mls_rs::mls_engines()]
        .concat()
}

fn all() -> Vec<Recording> {
    recordings().unwrap().into_iter().map(|(_, recording)| recording).collect()
}

#[test]
fn every_engine_follows_every_session_to_its_end() {
    let mut sessions = 0;
    for session in all().iter().flat_map(|recording| &recording.sessions) {
        sessions += 1;
        for engine in engines() {
            match replay(&engine, session) {
                Replayed::Agrees(compared) => {
                    println!("{}: {}: {compared} compared", session.name, engine.name());
                    assert!(compared >= COMPARED, "{compared}");
                }
                other => panic!("{}: {}: {other:?}", session.name, engine.name()),
            }
        }
    }
    assert!(sessions >= SESSIONS, "{sessions} sessions");
}

#[test]
fn a_session_is_the_one_that_was_recorded() {
    for recording in all() {
        assert_eq!(recording.digest().unwrap(), recording.provenance.sha256);
        let casts: BTreeSet<_> = recording.sessions.iter().map(|one| &one.engines).collect();
        assert_eq!(casts.len(), recording.sessions.len(), "a cast twice");
        for session in &recording.sessions {
            assert!(session.engines.len() > 1);
            assert!(matches!(session.steps.last().unwrap().expected, Expected::Removed));
        }
    }
}

/// The engine isn't asked twice: burrow's verdict stands for that of the others.
#[test]
fn a_change_of_what_is_expected_is_noticed() {
    let engine = adapter_burrow::mls_engines()[0];
    let recording = all().remove(0);
    let session = &recording.sessions[0];
    let mut changed = session.clone();
    changed.joined.epoch_authenticator = flipped(&changed.joined.epoch_authenticator);
    assert!(matches!(replay(&engine, &changed), Replayed::Differs(_)));
    for number in 0..session.steps.len() {
        let mut changed = session.clone();
        let expected = &mut changed.steps[number].expected;
        match expected {
            Expected::Proposal(Some(kind)) => *kind ^= 1,
            Expected::Proposal(None) => panic!("of no type"),
            Expected::Commit(state) => {
                state.epoch_authenticator = flipped(&state.epoch_authenticator);
            }
            Expected::Application { payload, .. } => *payload = flipped(payload),
            Expected::Removed => *expected = Expected::Proposal(Some(1)),
        }
        assert!(matches!(replay(&engine, &changed), Replayed::Differs(_)), "step {number}");
    }
}

fn flipped(hex: &str) -> String {
    let last = if hex.ends_with('0') { '1' } else { '0' };
    hex.chars().take(hex.len() - 1).chain([last]).collect()
}

/// Every property that the data has is in the schema, and every one that has to be is in the data.
#[test]
fn the_schema_fits() {
    let schema: Value =
        serde_json::from_str(include_str!("../schema/sessions.schema.json")).unwrap();
    let data = include_str!("../data/sessions-mixed.json");
    let data: Value = serde_json::from_str(data).unwrap();
    fits(&schema, &schema, &data, "");
}

fn fits(root: &Value, schema: &Value, data: &Value, place: &str) {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(reference.trim_start_matches('#')).unwrap();
        return fits(root, target, data, place);
    }
    if let Some(choices) = schema.get("oneOf").or_else(|| schema.get("anyOf")) {
        let choices = choices.as_array().unwrap();
        let chosen = choices.iter().find(|choice| is_of(root, choice, data));
        return fits(root, chosen.unwrap_or_else(|| panic!("{place}: {data}")), data, place);
    }
    assert!(is_of(root, schema, data), "{place}: {data}");
    if let Some(properties) = schema.get("properties") {
        let properties = properties.as_object().unwrap();
        let data = data.as_object().unwrap();
        for required in schema["required"].as_array().unwrap() {
            assert!(data.contains_key(required.as_str().unwrap()), "{place}: no {required}");
        }
        for (name, value) in data {
            let schema = properties.get(name).unwrap_or_else(|| panic!("{place}: {name}"));
            fits(root, schema, value, &format!("{place}/{name}"));
        }
    }
    if let Some(items) = schema.get("items") {
        for item in data.as_array().unwrap() {
            fits(root, items, item, place);
        }
    }
}

/// Whether the type, the constant or the properties that a schema asks for are there.
fn is_of(root: &Value, schema: &Value, data: &Value) -> bool {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(reference.trim_start_matches('#')).unwrap();
        return is_of(root, target, data);
    }
    if let Some(constant) = schema.get("const") {
        return constant == data;
    }
    match schema["type"].as_str().unwrap() {
        "object" => data.as_object().is_some_and(|data| {
            let mut required = schema["required"].as_array().unwrap().iter();
            required.all(|name| data.contains_key(name.as_str().unwrap()))
        }),
        "array" => data.is_array(),
        "string" => data.as_str().is_some_and(|text| {
            schema.get("pattern").is_none()
                || (text.len() % 2 == 0
                    && text.bytes().all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase()))
        }),
        "integer" => data.is_u64(),
        "null" => data.is_null(),
        other => panic!("{other}"),
    }
}
