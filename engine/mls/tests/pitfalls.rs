//! The list of known pitfalls in `docs/pitfalls.md` is complete, and the tests that it names are there.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

const PITFALLS: u32 = 54;

/// Where tests of pitfalls are, from the workspace's root.
const SOURCES: [&str; 4] = ["engine/mls/src", "engine/mls/tests", "vectors/src", "vectors/tests"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// An entry of the list.
#[derive(Debug)]
struct Entry {
    number: u32,
    tests: Vec<String>,
    text: String,
}

fn entries(list: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in list.lines() {
        if let Some((number, text)) = line.strip_prefix("- P").and_then(|l| l.split_once(": ")) {
            let number = number.parse().unwrap_or_else(|_| panic!("no number: {line}"));
            entries.push(Entry { number, tests: Vec::new(), text: text.to_owned() });
        } else if let (Some(more), Some(entry)) = (line.strip_prefix("  "), entries.last_mut()) {
            entry.text.push(' ');
            entry.text.push_str(more);
        }
    }
    for entry in &mut entries {
        let quoted = entry.text.split('`').skip(1).step_by(2);
        entry.tests = quoted.filter(|name| name.contains("pitfall_")).map(str::to_owned).collect();
    }
    entries
}

/// The tests in a source, with the comments above them.
fn tests_in(source: &str) -> Vec<(String, String)> {
    let mut tests = Vec::new();
    let mut comment = String::new();
    let mut is_test = false;
    for line in source.lines().map(str::trim_start) {
        if let Some(text) = line.strip_prefix("///") {
            comment.push_str(text);
        } else if line == "#[test]" {
            is_test = true;
        } else if let Some(rest) = line.strip_prefix("fn ").filter(|_| is_test) {
            let name = rest.split(['(', '<']).next().unwrap_or_default();
            tests.push((name.to_owned(), std::mem::take(&mut comment)));
            is_test = false;
        } else if !line.starts_with("#[") {
            comment.clear();
            is_test = false;
        }
    }
    tests
}

fn read_tests(path: &Path, tests: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_tests(&path, tests);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            tests.extend(tests_in(&fs::read_to_string(path).unwrap()));
        }
    }
}

fn all_tests() -> BTreeMap<String, String> {
    let mut tests = BTreeMap::new();
    for source in SOURCES {
        read_tests(&root().join(source), &mut tests);
    }
    tests
}

/// Whether a test says that it is about a pitfall.
fn carries(name: &str, comment: &str, number: u32) -> bool {
    let numbers = name.split("pitfall_").skip(1);
    let mut numbers = numbers.map(|rest| rest.split('_').next().unwrap_or_default());
    let number = number.to_string();
    let words = comment.split(|c: char| !c.is_ascii_alphanumeric());
    numbers.any(|found| found == number)
        || words.filter_map(|word| word.strip_prefix('P')).any(|found| found == number)
}

/// What is wrong with a list, given the tests there are.
fn faults(list: &str, tests: &BTreeMap<String, String>) -> Vec<String> {
    let entries = entries(list);
    let mut faults = Vec::new();
    let numbers: Vec<_> = entries.iter().map(|entry| entry.number).collect();
    if numbers != (1..=PITFALLS).collect::<Vec<_>>() {
        faults.push(format!("not P1 to P{PITFALLS} in order: {numbers:?}"));
    }
    for Entry { number, tests: named, text } in &entries {
        if named.is_empty() && !text.contains("no bytes") {
            faults.push(format!("P{number} names no test"));
        }
        for name in named {
            match tests.get(name) {
                None => faults.push(format!("P{number}: there is no test {name}")),
                Some(comment) if !carries(name, comment, *number) => {
                    faults.push(format!("P{number}: {name} doesn't say so"));
                }
                Some(_) => {}
            }
        }
    }
    // And the other way round: a test of a pitfall is in the list.
    let is_named = |test: &String| entries.iter().any(|entry| entry.tests.contains(test));
    let missing = tests.keys().filter(|test| test.contains("pitfall_") && !is_named(test));
    faults.extend(missing.map(|test| format!("{test} is not in the list")));
    faults
}

#[test]
fn the_list_is_complete_and_its_tests_are_there() {
    let list = fs::read_to_string(root().join("docs/pitfalls.md")).unwrap();
    let faults = faults(&list, &all_tests());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The check itself notices what it is there for.
#[test]
fn a_list_with_a_fault_is_noticed() {
    let list = fs::read_to_string(root().join("docs/pitfalls.md")).unwrap();
    let tests = all_tests();
    let found = |from: &str, to: &str| {
        assert!(list.contains(from), "{from}");
        faults(&list.replacen(from, to, 1), &tests).join("\n")
    };
    assert!(found("- P7: ", "P7: ").contains("not P1 to P54"));
    assert!(found("`pitfall_7_", "`pitfall_07_").contains("P7: there is no test"));
    let other =
        found("`pitfall_8_adding_takes_the_leftmost_blank_leaf`", "`pitfall_19_of_the_committer`");
    assert!(other.contains("P8: pitfall_19_of_the_committer doesn't say so"), "{other}");
    assert!(other.contains("pitfall_8_adding_takes_the_leftmost_blank_leaf is not in the list"));
    assert!(found("`pitfall_20_twice`", "").contains("P20 names no test"));
    let source = "/// P3.\n#[test]\nfn one() {}\n\nfn pitfall_4() {}\n/// P5.\nconst A: u8 = 1;\n#[test]\nfn two() {}\n";
    let tests = tests_in(source);
    assert_eq!(tests, [("one".to_owned(), " P3.".to_owned()), ("two".to_owned(), String::new())]);
}
