//! `record` as a user or a script sees it, on engines that cost nothing.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helper functions of tests")]

use std::path::Path;
use std::process::{Command, Output};

use bench_results::format::{Outcome, ResultFile, Row, Run};
use bench_results::validate;

fn recorder(out: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cgka-bench"));
    command.args(["record", "--no-checks", "--out"]).arg(out).args(arguments);
    command
}

fn record(out: &Path, arguments: &[&str]) -> Output {
    recorder(out, arguments).arg("--quick").output().unwrap()
}

/// The one run of a file that passes every check.
fn run_of(out: &Path) -> Run {
    let text = std::fs::read_to_string(out).unwrap();
    let mut file: ResultFile = serde_json::from_str(&text).unwrap();
    assert_eq!(validate::list(&validate::check(&file)), "");
    assert_eq!(file.runs.len(), 1);
    file.runs.remove(0)
}

fn is_wrong(row: &Row) -> bool {
    matches!(row.outcome, Outcome::Wrong { .. })
}

#[test]
fn only_the_rows_that_were_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("deep/er/run.json");
    let arguments = ["--engines", "null", "--only", "send/", "--only", "ingest_commit/remove/cold"];
    let output = record(&out, &[&arguments[..], &["--sizes", "2", "--seed", "7"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let run = run_of(&out);
    let names: Vec<_> =
        run.rows.iter().map(|row| format!("{}/{} {}", row.case, row.size, row.engine)).collect();
    assert_eq!(
        names,
        [
            "send/2 null",
            "send/2 null again",
            "ingest_commit/remove/cold/2 null",
            "ingest_commit/remove/cold/2 null again",
        ]
    );
    let sent = &run.rows[0];
    let statistics = sent.statistics.as_ref().unwrap();
    assert!(statistics.samples >= 600 && statistics.processes >= 2, "{statistics:?}");
    assert_eq!(statistics.first_ns.len(), statistics.processes as usize);
    assert!(sent.wire.as_ref().unwrap().sent["application"] >= 100);
    let allocations = sent.allocations.unwrap();
    assert!(allocations.count > 0 && allocations.peak_bytes <= allocations.bytes);
    let Outcome::Absent { reason } = &run.rows[2].outcome else { panic!("{:?}", run.rows[2]) };
    assert!(reason.contains("group of two"), "{reason}");
    assert_eq!((run.controls.len(), run.comparisons.len()), (1, 0));
    assert_eq!((run.plan.seed, run.plan.again.as_deref()), (7, Some("null")));
    assert!(!run.command.iter().any(|word| word.contains("er/")), "{:?}", run.command);
    assert_ne!(run.grade.name, "reference");
}

#[test]
fn a_wrong_engine_gets_no_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run.json");
    let engines = "null,broken/wrong-plaintext";
    let output = record(&out, &["--engines", engines, "--only", "ingest_app/2", "--again", "none"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("WRONG ingest_app/2 broken"));
    let run = run_of(&out);
    let [right, wrong] = &run.rows[..] else { panic!("{} rows", run.rows.len()) };
    assert_eq!(right.outcome, Outcome::Measured);
    assert!(is_wrong(wrong) && wrong.blocks.is_empty() && wrong.statistics.is_none(), "{wrong:?}");
    assert!(run.comparisons.is_empty());
}

#[test]
fn an_a_a_pair_that_differs_makes_the_run_invalid() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run.json");
    let rigged = ["--engines", "null", "--only", "commit/update/warm/9", "--rig-again", "60"];
    assert!(record(&out, &rigged).status.success());
    let run = run_of(&out);
    assert!(run.controls.iter().all(|control| control.differs), "{:?}", run.controls);
    assert_eq!(run.grade.name, "invalid");
    let named =
        run.grade.demerits.iter().any(|demerit| {
            demerit.kind == "a/a" && demerit.seen.contains("commit/update/warm/9 null")
        });
    assert!(named, "{:?}", run.grade);
}

#[test]
fn nothing_is_overwritten_unless_asked() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run.json");
    std::fs::write(&out, "mine").unwrap();
    let row = ["--engines", "null", "--only", "send/2"];
    let output = record(&out, &row);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "mine");
    assert!(record(&out, &[&row[..], &["--force"]].concat()).status.success());
    assert_eq!(run_of(&out).rows.len(), 2);
    let files = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files, 1, "nothing but the file is left");
}

/// Before any sample: there is no run of which to lose the file.
#[test]
fn a_place_that_can_not_be_written_is_found_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "mine").unwrap();
    let row = ["--engines", "null", "--only", "send/2", "--force"];
    for out in [file.join("run.json").as_path(), folder.path()] {
        let output = record(out, &row);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("can't") && !said.contains("looking at"), "{said}");
    }
}

#[test]
fn unknown_names_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run.json");
    for (arguments, said) in [
        (["--only", "nothing"], "no row"),
        (["--engines", "nobody"], "no engine is called nobody"),
        (["--again", "nobody"], "--again nobody"),
    ] {
        let output = record(&out, &arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(said), "{output:?}");
    }
    assert!(!out.exists());
}

#[cfg(target_os = "linux")]
mod ended {
    use std::collections::BTreeSet;
    use std::process::{Child, Stdio};
    use std::time::{Duration, Instant};

    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    use super::*;

    fn processes_of(parent: u32) -> Vec<i32> {
        let ids = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
            let id: i32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
            let (_, rest) = stat.rsplit_once(") ")?;
            (rest.split(' ').nth(1)? == parent.to_string()).then_some(id)
        });
        ids.collect()
    }

    /// Starts a long run and waits for its second worker: the first that takes samples.
    #[expect(clippy::zombie_processes, reason = "the callers wait; a panic ends the test")]
    fn sampling(out: &Path) -> (Child, i32) {
        let arguments = ["--thorough", "--engines", "null", "--sizes", "2,9"];
        let mut recorder = recorder(out, &arguments);
        recorder.stdout(Stdio::null()).stderr(Stdio::piped());
        let child = recorder.spawn().unwrap();
        let mut seen = BTreeSet::new();
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(120) {
            for worker in processes_of(child.id()) {
                if seen.insert(worker) && seen.len() == 2 {
                    std::thread::sleep(Duration::from_secs(1));
                    return (child, worker);
                }
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("no second worker");
    }

    #[test]
    fn an_interrupted_run_is_kept_as_far_as_it_got() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run.json");
        let (child, _) = sampling(&out);
        kill(Pid::from_raw(child.id().try_into().unwrap()), Signal::SIGINT).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted"));
        let run = run_of(&out);
        assert!(run.interrupted);
        assert!(run.grade.demerits.iter().any(|demerit| demerit.kind == "interrupted"));
        let measured = run.rows.iter().filter(|row| row.outcome == Outcome::Measured).count();
        let rest = run.rows.iter().filter(|row| row.outcome == Outcome::NotReached).count();
        assert!(measured > 0 && rest > 0, "{measured} measured, {rest} not reached");
    }

    #[test]
    fn a_worker_that_dies_costs_one_row() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run.json");
        let (child, worker) = sampling(&out);
        kill(Pid::from_raw(worker), Signal::SIGKILL).unwrap();
        std::thread::sleep(Duration::from_secs(2));
        kill(Pid::from_raw(child.id().try_into().unwrap()), Signal::SIGINT).unwrap();
        child.wait_with_output().unwrap();
        let run = run_of(&out);
        let wrong: Vec<_> = run.rows.iter().filter(|row| is_wrong(row)).collect();
        let [Outcome::Wrong { reason }] =
            wrong.iter().map(|row| &row.outcome).collect::<Vec<_>>()[..]
        else {
            panic!("{wrong:?}")
        };
        assert!(reason.contains("died") && reason.contains('9'), "{reason}");
        let measured = run.rows.iter().filter(|row| row.outcome == Outcome::Measured).count();
        assert!(measured > 0, "the others go on");
    }
}
