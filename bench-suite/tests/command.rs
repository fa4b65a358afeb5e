//! The `cgka-bench` command as a user or a script sees it.

#![expect(clippy::unwrap_used, reason = "helper functions of tests")]

use std::process::{Command, Output};

use serde_json::{Value, json};

fn cgka_bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cgka-bench")).args(arguments).output().unwrap()
}

fn parsed(arguments: &[&str]) -> Value {
    let output = cgka_bench(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn verify_prints_counts_and_exits_with_0_when_clean() {
    let report = parsed(&["verify", "--json", "--engine", "null"]);
    assert_eq!(report["schema"], "cgka-bench/verify/1");
    assert_eq!(report["failed"], 0);
    assert!(report["executed"].as_u64().unwrap() >= 500, "{report}");
    assert_eq!(report["unsupported"], 1);
    let unsupported = &report["subjects"][0]["unsupported"][0];
    assert_eq!(unsupported["check"], "ciphertext");
    assert_eq!(unsupported["why"], "the engine has no cryptography");
}

#[test]
fn verify_exits_with_another_code_when_a_check_fails() {
    let output = cgka_bench(&["verify", "--json", "--engine", "broken/wrong-plaintext"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["failed"].as_u64().unwrap() > 0);
    let failures = report["subjects"][0]["failures"].as_array().unwrap();
    assert!(failures.iter().any(|failure| failure["check"] == "plaintext"), "{failures:?}");
}

#[test]
fn broken_names_all_the_liars() {
    let report = cgka_bench(&["verify", "--json", "--engine", "broken"]);
    assert_eq!(report.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    let subjects = report["subjects"].as_array().unwrap();
    assert!(subjects.len() >= 50, "{}", subjects.len());
    for subject in subjects {
        assert_ne!(subject["failures"].as_array().unwrap().len(), 0, "{}", subject["name"]);
    }
}

#[test]
fn an_unknown_engine_is_named() {
    let output = cgka_bench(&["verify", "--engine", "nobody"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no engine is called nobody"));
}

/// Versions are the lockfile's: every package that an engine names stands there with that version.
#[test]
fn engines_have_the_versions_of_the_lockfile() {
    let lockfile = include_str!("../../Cargo.lock");
    let engines = parsed(&["engines", "--json"]);
    let mut named = 0;
    for engine in engines.as_array().unwrap() {
        for (package, version) in engine["packages"].as_object().unwrap() {
            let entry = format!("name = \"{package}\"\nversion = {version}\n");
            assert!(lockfile.contains(&entry), "{entry}");
            named += 1;
        }
        for operation in ["create_group", "join_welcome", "send", "ingest_app", "commit"] {
            assert!(engine["includes"][operation].is_array(), "{engine}");
        }
    }
    assert!(named >= 15, "{named}");
}

#[test]
fn list_has_every_case_with_its_sizes() {
    let listed = parsed(&["list", "--json"]);
    let cases = listed["cases"].as_array().unwrap();
    let sizes = |name: &str| {
        let case = cases.iter().find(|case| case["case"] == name);
        case.unwrap_or_else(|| panic!("no {name}"))["sizes"].to_string()
    };
    assert_eq!(sizes("create_group"), "[0,1,8,32]");
    assert_eq!(sizes("join_welcome"), "[2,8,33]");
    assert_eq!(sizes("send"), "[1,2,9,33]");
    assert_eq!(sizes("ingest_app"), "[2,9,33]");
    for operation in ["commit", "ingest_commit"] {
        for change in ["add", "remove", "update"] {
            for tree in ["cold", "warm"] {
                assert_eq!(sizes(&format!("{operation}/{change}/{tree}")), "[2,9,33]");
            }
        }
    }
    assert_eq!(cases.len(), 16);
}

/// What a founding really is, on every engine: one epoch for the founding add, nothing published.
#[test]
fn epoch_probe_shows_foundings() {
    let foundings = parsed(&["epoch-probe", "--json"]);
    assert_eq!(foundings["absent"], json!([]));
    let foundings = foundings["foundings"].as_array().unwrap();
    assert!(foundings.len() >= 6);
    for founding in foundings {
        assert_eq!(founding["agree"], true, "{founding}");
        assert_eq!(founding["epoch_after_create"], founding["epoch_of_invitee"], "{founding}");
        assert_eq!(founding["epoch_alone"], 0, "{founding}");
    }
}

/// A warm tree makes a committer's message shorter than a cold one, or the two names mean nothing.
#[test]
fn warm_and_cold_trees_differ_on_the_wire() {
    let sizes = parsed(&["sizes", "--json"]);
    let update = |engine: &Value, tree: &str| {
        let rows = sizes["sizes"].as_array().unwrap().iter();
        let mut row = rows
            .filter(|row| row["engine"] == *engine && row["members"] == 33 && row["tree"] == tree);
        row.next().unwrap()["commit_update"].as_u64().unwrap()
    };
    let engines = parsed(&["engines", "--json"]);
    let mut compared = 0;
    for engine in engines.as_array().unwrap() {
        let spoken = engine["wire_profile"].as_str().unwrap();
        // The other layers of an engine put the same bytes on the wire, and aren't listed again.
        let listed = sizes["sizes"].as_array().unwrap().iter();
        let listed = listed.map(|row| &row["engine"]).any(|name| *name == engine["name"]);
        if listed && ["mls", "marmot"].contains(&spoken) {
            let (cold, warm) = (update(&engine["name"], "cold"), update(&engine["name"], "warm"));
            assert!(warm * 2 < cold, "{}: {warm} and {cold}", engine["name"]);
            compared += 1;
        }
    }
    assert!(compared >= 8, "{compared}");
}

/// A short walk of all MLS engines in one group; the command's defaults are 3 seeds of 500 epochs.
#[test]
fn soak_walks_as_far_as_it_says() {
    let soaked = parsed(&["soak", "--json", "--seed", "7", "--epochs", "60", "--members", "16"]);
    assert_eq!(soaked["epochs"], 60);
    assert!(soaked["comparisons"].as_u64().unwrap() >= 300, "{soaked}");
    assert!(soaked["restarts"].as_u64().unwrap() >= 1, "{soaked}");
    let broken = cgka_bench(&["soak", "--engine", "null"]);
    assert_eq!(broken.status.code(), Some(2));
}

/// The working group's vectors on burrow, and ours on every MLS engine.
#[test]
fn conformance_is_clean_and_counted() {
    let without = Command::new(env!("CARGO_BIN_EXE_cgka-bench"))
        .arg("conformance")
        .env_remove("CGKA_VECTORS")
        .output()
        .unwrap();
    assert_eq!(without.status.code(), Some(2));
    if std::env::var_os("CGKA_VECTORS").is_none() {
        println!("skipped: CGKA_VECTORS says nothing of where the working group's vectors are");
        return;
    }
    let report = parsed(&["conformance", "--json"]);
    assert_eq!(report["clean"], true);
    for nothing in ["failed", "skipped", "problems"] {
        assert_eq!(report["totals"][nothing], 0, "{nothing}");
    }
    assert!(report["totals"]["assertions"].as_u64().unwrap() >= 109_000);
    let own = report["own"].as_array().unwrap();
    let number = |row: &Value, field: &str| row[field].as_u64().unwrap();
    for (engine, least) in
        [("burrow/aws-lc", 560), ("openmls/rustcrypto", 360), ("mls-rs/aws-lc", 560)]
    {
        let rows: Vec<_> = own.iter().filter(|row| row["engine"] == engine).collect();
        assert_eq!(rows.len(), 5, "{engine}");
        assert!(rows.iter().all(|row| number(row, "executed") > 0 && number(row, "failed") == 0));
        let executed: u64 = rows.iter().map(|row| number(row, "executed")).sum();
        let accounted: u64 =
            rows.iter().map(|row| number(row, "passed") + number(row, "deviating")).sum();
        assert_eq!(executed, accounted, "{engine}");
        assert!(executed >= least, "{engine}: {executed}");
    }
}
