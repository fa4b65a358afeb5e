//! Tables files from the command line to the page: `primitives`, `asymmetry`, `report`.

#![cfg(feature = "primitives")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helper functions of tests")]

use std::path::Path;
use std::process::{Command, Output};

use bench_results::tables::{STRESS, TablesFile, read};

fn cgka_bench(arguments: &[&str], files: &[&Path]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cgka-bench"));
    command.args(arguments);
    let mut files = files.iter();
    if let Some(out) = files.next() {
        command.arg("--out").arg(out);
    }
    if let Some(stress) = files.next() {
        command.arg("--stress").arg(stress);
    }
    command.output().unwrap()
}

fn load(path: &Path) -> TablesFile {
    read::load(path).unwrap_or_else(|why| panic!("{why}"))
}

#[test]
fn primitives_are_written_down_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.json");
    let made = cgka_bench(&["primitives", "--row", "x25519", "--rounds", "9"], &[&path]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let file = load(&path);
    let rows = &file.tables[0].rows;
    assert!(rows.iter().any(|row| row.name == "x25519/derive" && row.entries.len() >= 4));
    // No folder of this machine is in it.
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains(&folder.path().display().to_string()));

    let readme = folder.path().join("README.md");
    std::fs::write(&readme, "a\n<!-- primitives:begin -->\n<!-- primitives:end -->\n").unwrap();
    let path = path.display().to_string();
    let document = readme.display().to_string();
    let into = cgka_bench(&["report", "--markdown", &path, "--into", &document], &[]);
    assert!(into.status.success(), "{}", String::from_utf8_lossy(&into.stderr));
    let check = ["report", "--markdown", &path, "--check", &document];
    assert_eq!(cgka_bench(&check, &[]).status.code(), Some(0));
    let text = std::fs::read_to_string(&readme).unwrap();
    assert!(text.contains("| `x25519/derive` |"), "{text}");
    std::fs::write(&readme, text.replace("x25519/derive", "x25519/other")).unwrap();
    assert_eq!(cgka_bench(&check, &[]).status.code(), Some(1));
}

/// How long things take decides nothing here: a control may void a run on a busy machine.
#[test]
fn asymmetry_writes_two_documents_that_differ_in_kind() {
    let folder = tempfile::tempdir().unwrap();
    let [alone, stress] = ["a.json", "s.json"].map(|name| folder.path().join(name));
    let arguments = ["asymmetry", "--engine", "mls-rs/aws-lc", "--size", "2", "--rounds", "9"];
    let arguments = [&arguments[..], &["--only", "message", "--only", "ml-dsa-44"]].concat();
    let made = cgka_bench(&arguments, &[&alone, &stress]);
    assert!(matches!(made.status.code(), Some(0 | 1)), "{made:?}");

    let file = load(&alone);
    let row = |name: &str| {
        let row = file.tables[0].rows.iter().find(|row| row.name.contains(name));
        row.unwrap_or_else(|| panic!("{name}"))
    };
    for name in ["mls-rs/aws-lc message/2", "ml-dsa-44"] {
        assert_eq!(row(name).entries.len(), 3, "{:?}", row(name).absent);
        let refused = row(name).entries.iter().find(|entry| entry.name.ends_with("refused"));
        let figures: Vec<_> = refused.unwrap().figures.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(figures, ["object", "flipped in byte", "per byte sent"]);
    }
    assert!(row("x25519/aws-lc").equal && row("the same message each way").equal);
    assert_eq!(file.tables[0].sentences.len(), 2);

    let pressed = load(&stress);
    assert_eq!((pressed.kind.as_str(), pressed.grade.name.as_str()), (STRESS, "stress"));
    assert!(pressed.tables[0].rows.iter().all(|row| row.entries.len() >= 4));

    let page = folder.path().join("page.html");
    let [alone, stress, page] = [alone, stress, page].map(|path| path.display().to_string());
    let made = cgka_bench(&["report", &alone, &stress, "-o", &page], &[]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("Grade: stress") && html.contains("everybody: verify"));
}
