//! The commands on result files, as a user or a script sees them.

#![expect(clippy::unwrap_used, reason = "helper functions of tests")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use bench_results::digest::run_id;
use bench_results::format::{ResultFile, Run};
use bench_results::read::load;
use bench_results::statistics::derive;
use bench_results::write::{Existing, save};

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/results/tests/fixtures/v1.json");

fn cgka_bench(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cgka-bench"));
    command.args(arguments).current_dir(folder).output().unwrap()
}

/// Exit code, and what was printed on both streams.
fn ran(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = cgka_bench(folder, arguments);
    let printed = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(printed).unwrap())
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The fixture with a change, and everything that follows from it.
fn changed(path: &Path, change: impl FnOnce(&mut Run)) {
    let mut file: ResultFile = load(FIXTURE.as_ref()).unwrap();
    let run = &mut file.runs[0];
    change(run);
    let derived = derive(run);
    for (row, statistics) in run.rows.iter_mut().zip(derived.statistics) {
        row.statistics = statistics;
    }
    run.comparisons = derived.comparisons;
    run.controls = derived.controls;
    run.id = run_id(run).unwrap();
    save(path, &file, Existing::Replace).unwrap();
}

fn slower(run: &mut Run, percent: u64) {
    let rows = run.rows.iter_mut().filter(|row| row.engine == "burrow/aws-lc");
    for ns in rows.flat_map(|row| &mut row.blocks).flat_map(|block| &mut block.wall_ns) {
        *ns += *ns * percent / 100;
    }
}

#[test]
fn compare_exits_by_what_changed() {
    let folder = folder("compare");
    changed(&folder.join("slow.json"), |run| slower(run, 10));
    changed(&folder.join("other.json"), |run| run.host.cpu = "another".into());
    std::fs::write(folder.join("cut.json"), "{\"schema\":1,\"runs\":[").unwrap();
    let compare = |more: &[&str]| ran(&folder, &[&["compare", FIXTURE], more].concat());
    assert_eq!(compare(&[FIXTURE]).0, 0);
    let (code, printed) = compare(&["slow.json"]);
    assert_eq!(code, 0, "two families of peers are no yardstick: {printed}");
    assert!(printed.contains("slower    send/1") && printed.contains("drift"), "{printed}");
    assert_eq!(compare(&["slow.json", "--raw"]).0, 1);
    assert_eq!(compare(&["slow.json", "--raw", "--threshold", "0.2"]).0, 0);
    let (code, printed) = compare(&["other.json"]);
    assert_eq!(code, 2, "{printed}");
    assert!(printed.contains("--force"), "{printed}");
    assert_eq!(compare(&["other.json", "--force"]).0, 0);
    let (code, printed) = compare(&["cut.json"]);
    assert_eq!(code, 2, "{printed}");
    assert!(printed.contains("cut.json is cut off"), "{printed}");
    assert_eq!(compare(&["nowhere.json"]).0, 2);
}

#[test]
fn merge_check_and_show_work_on_files() {
    let folder = folder("merge");
    changed(&folder.join("slow.json"), |run| slower(run, 10));
    let merge = |arguments: &[&str]| ran(&folder, &[&["merge"], arguments].concat());
    assert_eq!(merge(&[FIXTURE, "slow.json", "-o", "one.json"]).0, 0);
    assert_eq!(merge(&["slow.json", "one.json", FIXTURE, "-o", "two.json"]).0, 0);
    let bytes = |name: &str| std::fs::read(folder.join(name)).unwrap();
    assert_eq!(bytes("one.json"), bytes("two.json"));
    let (code, printed) = merge(&[FIXTURE, "-o", "one.json"]);
    assert_eq!(code, 2);
    assert!(printed.contains("one.json exists"), "{printed}");
    assert_eq!(bytes("one.json"), bytes("two.json"));
    assert_eq!(merge(&[FIXTURE, "-o", "one.json", "--force"]).0, 0);
    // The run as it was; the file around it is of today's version.
    let fixture =
        std::fs::read_to_string(FIXTURE).unwrap().replacen(r#""schema":1"#, r#""schema":2"#, 1);
    assert_eq!(String::from_utf8(bytes("one.json")).unwrap(), fixture);

    let (code, printed) = ran(&folder, &["check", "two.json"]);
    assert_eq!((code, printed.as_str()), (0, "two.json: 2 runs, 16 rows\n"));
    let edited =
        String::from_utf8(bytes("two.json")).unwrap().replacen("\"size\":1", "\"size\":3", 1);
    std::fs::write(folder.join("edited.json"), edited).unwrap();
    let (code, printed) = ran(&folder, &["check", "edited.json", "two.json"]);
    assert_eq!(code, 1);
    assert!(printed.contains("it was changed after it was recorded"), "{printed}");
    assert!(printed.contains("two.json: 2 runs"), "{printed}");

    let (code, printed) = ran(&folder, &["show", "send/1", FIXTURE]);
    assert_eq!(code, 0, "{printed}");
    assert!(printed.contains("\nburrow/aws-lc\n"), "{printed}");
    let (code, printed) = ran(&folder, &["show", "send/1", "two.json"]);
    assert_eq!(code, 2);
    assert!(printed.contains("has 2 runs; name one"), "{printed}");
    let id = &load(FIXTURE.as_ref()).unwrap().runs[0].id;
    assert_eq!(ran(&folder, &["show", "send/1", "two.json", "--run", id]).0, 0);
    // Without a file, the newest one of the recorder's folder.
    assert_eq!(ran(&folder, &["show", "send/1"]).0, 2);
    std::fs::create_dir(folder.join("results")).unwrap();
    std::fs::copy(FIXTURE, folder.join("results/run.json")).unwrap();
    assert_eq!(ran(&folder, &["show", "send/1"]).0, 0);
}

#[test]
fn report_writes_a_page_or_keeps_a_document_up_to_date() {
    let folder = folder("report");
    let report = |more: &[&str]| ran(&folder, &[&["report", FIXTURE], more].concat());
    assert_eq!(report(&["-o", "r.html"]).0, 0);
    let html = std::fs::read_to_string(folder.join("r.html")).unwrap();
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("over burrow/aws-lc"));
    assert_eq!(report(&["-o", "r.html"]).0, 2);
    assert_eq!(report(&["-o", "r.html", "--force", "--baseline", "mdk"]).0, 0);
    assert!(std::fs::read_to_string(folder.join("r.html")).unwrap().contains("over mdk"));
    let (code, printed) = report(&["-o", "s.html", "--baseline", "nobody"]);
    assert_eq!(code, 2);
    assert!(printed.contains("no run has an engine called nobody"), "{printed}");

    let (code, table) = report(&["--markdown"]);
    assert_eq!(code, 0, "{table}");
    let document = "a\n<!-- results:begin -->\n<!-- results:end -->\nb\n";
    std::fs::write(folder.join("README.md"), document).unwrap();
    let (code, printed) = report(&["--markdown", "--check", "README.md"]);
    assert_eq!(code, 1, "{printed}");
    assert_eq!(report(&["--markdown", "--into", "README.md"]).0, 0);
    let now = std::fs::read_to_string(folder.join("README.md")).unwrap();
    assert_eq!(now, format!("a\n<!-- results:begin -->\n{table}<!-- results:end -->\nb\n"));
    assert_eq!(report(&["--markdown", "--check", "README.md"]).0, 0);
    std::fs::write(folder.join("plain.md"), "no markers").unwrap();
    assert_eq!(report(&["--markdown", "--into", "plain.md"]).0, 2);
}
