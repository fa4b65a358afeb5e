//! The schema in `docs/` says of the format what the types say, no more and no less.

#![expect(clippy::unwrap_used, reason = "helper functions of tests")]

mod synthetic;

use std::collections::{BTreeMap, BTreeSet};

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

use bench_results::write::to_text;
use synthetic::{Recipe, file};

const SCHEMA: &str = include_str!("../../../docs/result-file.schema.json");
const MANUAL: &str = include_str!("../../../docs/result-file.md");

/// A file in which everything that can be there is there.
fn full() -> Value {
    let recipes = [Recipe::default(), Recipe { seed: 2, interrupted: true, ..Recipe::default() }];
    serde_json::from_str(&to_text(&file(&recipes)).unwrap()).unwrap()
}

fn compiled() -> (Schemas, SchemaIndex) {
    let mut schemas = Schemas::new();
    let mut compiler = Compiler::new();
    compiler.add_resource("result-file.json", serde_json::from_str(SCHEMA).unwrap()).unwrap();
    let index = compiler.compile("result-file.json", &mut schemas).unwrap();
    (schemas, index)
}

#[test]
fn what_is_written_fits_the_schema() {
    let (schemas, index) = compiled();
    if let Err(why) = schemas.validate(&full(), index) {
        panic!("{why}");
    }
    let fixture = include_str!("fixtures/v1.json");
    assert!(schemas.validate(&serde_json::from_str(fixture).unwrap(), index).is_ok());
}

#[test]
fn what_is_no_result_does_not() {
    let (schemas, index) = compiled();
    let changes: [fn(&mut Value); 8] = [
        |file| file["schema"] = 3.into(),
        |file| file["more"] = 1.into(),
        |file| file["runs"][0]["id"] = "abc".into(),
        |file| drop(file["runs"][0]["plan"].as_object_mut().unwrap().remove("seed")),
        |file| file["runs"][0]["rows"][0]["more"] = 1.into(),
        |file| file["runs"][0]["rows"][0]["outcome"]["by"] = 1.into(),
        |file| file["runs"][0]["rows"][0]["blocks"][0]["wall_ns"][0] = 0.into(),
        |file| file["runs"][0]["comparisons"][0]["verdict"] = "better".into(),
    ];
    for (at, change) in changes.into_iter().enumerate() {
        let mut file = full();
        change(&mut file);
        assert!(schemas.validate(&file, index).is_err(), "change {at}");
    }
}

/// Each object of the schema has the fields that the types write, all required, none besides; and
/// the manual has a line for each.
#[test]
fn schema_types_and_manual_have_the_same_fields() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut stated = BTreeMap::new();
    properties(&schema, &schema, "", &mut stated);
    let mut written = BTreeMap::new();
    let full = full();
    keys(&full, "", &mut written);
    assert_eq!(stated, written);
    assert!(stated.len() > 20, "{stated:?}");
    for (place, fields) in &stated {
        for field in fields.iter().filter(|_| !place.contains("outcome")) {
            assert!(MANUAL.contains(&format!("\n| `{field}` | ")), "{place}.{field}");
        }
    }
}

fn resolved<'a>(schema: &'a Value, root: &'a Value) -> Vec<&'a Value> {
    if let Some(name) = schema["$ref"].as_str() {
        return resolved(root.pointer(name.trim_start_matches('#')).unwrap(), root);
    }
    let choices = schema["anyOf"].as_array().or(schema["oneOf"].as_array());
    match choices {
        Some(choices) => choices.iter().flat_map(|choice| resolved(choice, root)).collect(),
        None => vec![schema],
    }
}

/// What version 1 doesn't have, and may therefore be missing.
const LATER: [&str; 3] =
    [".runs.plan.intervals", ".runs.rows.allocations.left_bytes", ".runs.rows.storage"];

/// Fields by the place of their object, out of the schema.
fn properties<'a>(
    schema: &'a Value,
    root: &'a Value,
    place: &str,
    found: &mut BTreeMap<String, BTreeSet<&'a str>>,
) {
    for schema in resolved(schema, root) {
        if schema["items"].is_object() {
            properties(&schema["items"], root, place, found);
        }
        let Some(fields) = schema["properties"].as_object() else { continue };
        assert_eq!(schema["additionalProperties"], false, "{place}");
        let required: BTreeSet<_> =
            schema["required"].as_array().unwrap().iter().map(|f| f.as_str().unwrap()).collect();
        let known = fields.keys().map(String::as_str);
        let since = |field: &&str| !LATER.contains(&format!("{place}.{field}").as_str());
        assert_eq!(required, known.filter(since).collect(), "{place}");
        for (name, field) in fields {
            found.entry(place.to_owned()).or_default().insert(name);
            properties(field, root, &format!("{place}.{name}"), found);
        }
    }
}

/// The same out of a file. Maps whose keys are data are not objects with fields.
fn keys<'a>(value: &'a Value, place: &str, found: &mut BTreeMap<String, BTreeSet<&'a str>>) {
    match value {
        Value::Array(values) => {
            for value in values {
                keys(value, place, found);
            }
        }
        Value::Object(fields) if !MAPS.iter().any(|map| place.ends_with(map)) => {
            for (name, value) in fields {
                found.entry(place.to_owned()).or_default().insert(name);
                keys(value, &format!("{place}.{name}"), found);
            }
        }
        _ => {}
    }
}

const MAPS: [&str; 4] = [".wire.sent", ".wire.received", ".counts.calls", ".counts.bytes"];
