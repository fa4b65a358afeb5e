//! A file that is missing, short or no vectors at all is a failure.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;

use vectors::{FILES, FileReport, Library, VectorFile, run_file};

fn file(name: &str) -> &'static VectorFile {
    FILES.iter().find(|file| file.name == name).unwrap()
}

/// What becomes of a library in which `tree-math.json` has this text, or isn't.
fn run_with(test: &str, text: Option<&str>) -> FileReport {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(folder.join("mls-wg")).unwrap();
    if let Some(text) = text {
        std::fs::write(folder.join("mls-wg/tree-math.json"), text).unwrap();
    }
    run_file(&Library::at(folder), file("tree-math.json"))
}

const ONE_LEAF: &str = r#"{"n_leaves": 1, "n_nodes": 1, "root": 0, "left": [null],
    "right": [null], "parent": [null], "sibling": [null]}"#;

#[test]
fn missing() {
    let report = run_with("missing", None);
    assert!(!report.is_clean());
    assert_eq!(report.problems.len(), 1, "{report}");
    assert!(report.problems[0].contains("missing"), "{report}");
}

#[test]
fn no_vectors() {
    for text in ["", "{}", "7", "[1, 2"] {
        let report = run_with("no_vectors", Some(text));
        assert!(!report.is_clean() && !report.problems.is_empty(), "{report}");
    }
}

#[test]
fn short() {
    let report = run_with("short", Some(&format!("[{ONE_LEAF}]")));
    assert!(!report.is_clean());
    let row = &report.rows[0];
    assert_eq!((row.executed, row.passed, row.failed, row.assertions), (1, 1, 0, 11), "{report}");
    assert_eq!(report.problems.len(), 2, "{report}");
}

#[test]
fn enough_but_empty() {
    let report = run_with("enough_but_empty", Some(&format!("[{}]", ["{}"; 10].join(","))));
    assert!(!report.is_clean());
    assert_eq!(report.rows[0].failed, 10, "{report}");
}

/// A field that the kit doesn't know is one that it doesn't check.
#[test]
fn an_unknown_field() {
    let text = format!("[{}]", ONE_LEAF.replace("\"root\"", "\"more\": 1, \"root\""));
    let report = run_with("an_unknown_field", Some(&text));
    assert_eq!(report.rows[0].failed, 1, "{report}");
}

#[test]
fn a_wrong_answer_is_named() {
    let text = format!("[{}]", ONE_LEAF.replace("\"root\": 0", "\"root\": 1"));
    let report = run_with("a_wrong_answer_is_named", Some(&text));
    let row = &report.rows[0];
    assert_eq!((row.passed, row.failed, row.failed_assertions), (0, 1, 1), "{report}");
    assert_eq!(row.failures, ["case 0: root: 0, not 1"]);
}
