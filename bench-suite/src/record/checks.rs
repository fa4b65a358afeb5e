//! What is proved before anything is timed: `verify` and the scenarios on the engines of the run, and
//! the vectors on burrow, each in a process of its own and for a limited time.

use std::io::{Read, Seek};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bench_results::format::Checks;
use serde_json::Value;

use super::interrupt::Interrupt;

/// Runs them.
///
/// # Errors
/// Why there are none.
pub(super) fn run(
    program: &Path,
    engines: &[String],
    limit: Duration,
    interrupt: &Interrupt,
) -> Result<Vec<Checks>, String> {
    let verified = report(&["verify"], program, engines, limit, interrupt)?;
    let subjects = verified["subjects"].as_array().ok_or("verify gave no report")?;
    let mut checks: Vec<_> = subjects.iter().map(line).collect();
    if cfg!(feature = "burrow") {
        match report(&["scenarios", "--once"], program, engines, limit, interrupt) {
            Ok(walked) => match walked["lines"].as_array() {
                Some(lines) => checks.extend(lines.iter().map(scenario)),
                None => checks.push(not_made("scenario", "scenarios", "no report".into())),
            },
            // They are said not to have been made; what `verify` found stands.
            Err(why) => checks.push(not_made("scenario", "scenarios", why)),
        }
    }
    if cfg!(feature = "burrow") && engines.iter().any(|name| name.starts_with("burrow/")) {
        match conformance(program, limit, interrupt) {
            Ok(report) if report["files"].is_array() && report["own"].is_array() => {
                checks.extend(conforming(&report));
            }
            Ok(_) => checks.push(not_made("conformance", "all files", "no report".into())),
            Err(why) => checks.push(not_made("conformance", "all files", why)),
        }
    }
    Ok(checks)
}

/// It takes half a minute.
fn conformance(program: &Path, limit: Duration, interrupt: &Interrupt) -> Result<Value, String> {
    if limit < Duration::from_secs(60) {
        return Err("a quick run leaves it out".into());
    }
    if std::env::var_os("CGKA_VECTORS").is_none() {
        return Err("CGKA_VECTORS doesn't say where the vectors are".into());
    }
    report(&["conformance"], program, &[], limit, interrupt)
}

/// What a command prints as JSON.
fn report(
    command: &[&str],
    program: &Path,
    engines: &[String],
    limit: Duration,
    interrupt: &Interrupt,
) -> Result<Value, String> {
    let name = command.first().copied().unwrap_or_default();
    let mut out = tempfile::tempfile().map_err(|why| why.to_string())?;
    let mut process = Command::new(program);
    process.args(command).arg("--json");
    for engine in engines {
        process.args(["--engine", engine]);
    }
    process.stdin(Stdio::null()).stderr(Stdio::null());
    process.stdout(out.try_clone().map_err(|why| why.to_string())?);
    let mut child = process.spawn().map_err(|why| why.to_string())?;
    let start = Instant::now();
    while child.try_wait().map_err(|why| why.to_string())?.is_none() {
        if start.elapsed() > limit || interrupt.is_asked() {
            child.kill().and_then(|()| child.wait()).map_err(|why| why.to_string())?;
            return Err(format!("{name}: not finished within {} s", limit.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let mut text = String::new();
    out.rewind().map_err(|why| why.to_string())?;
    out.read_to_string(&mut text).map_err(|why| why.to_string())?;
    serde_json::from_str(&text).map_err(|_| format!("{name} gave no report"))
}

/// One scenario with one cast: of a walk that ends early, what was compared until then isn't counted.
fn scenario(line: &Value) -> Checks {
    let word = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let outcome = word("outcome");
    let is = |name: &str| u64::from(outcome == name);
    let reason = match outcome.as_str() {
        "passed" => None,
        "unsupported" => Some(word("why")),
        _ => Some(format!("step {}: {}: {}", line["step"], word("actor"), word("what"))),
    };
    Checks {
        kind: "scenario".into(),
        subject: word("cast"),
        item: word("scenario"),
        passed: line["compared"].as_u64().unwrap_or_default(),
        failed: is("failed"),
        deviating: is("deviates"),
        unsupported: is("unsupported"),
        reason,
    }
}

fn not_made(kind: &str, item: &str, why: String) -> Checks {
    Checks {
        kind: kind.into(),
        subject: "all".into(),
        item: item.into(),
        passed: 0,
        failed: 0,
        deviating: 0,
        unsupported: 1,
        reason: Some(why),
    }
}

/// The working group's files on burrow, by crypto library, with all their suites; and then our own
/// vectors, on every MLS engine.
fn conforming(conformance: &Value) -> Vec<Checks> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut checks: Vec<Checks> = Vec::new();
    let files = list(&conformance["files"]);
    let rows = files.iter().flat_map(|file| {
        let item = file["file"].as_str().unwrap_or_default().to_owned();
        list(&file["rows"]).into_iter().map(move |row| (item.clone(), row))
    });
    for (item, row) in rows {
        let backend = row["backend"].as_str();
        let subject = backend.map_or("burrow".into(), |backend| format!("burrow/{backend}"));
        add(&mut checks, of_vectors("conformance", subject, item, &row));
    }
    for row in list(&conformance["own"]) {
        let word = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        add(&mut checks, of_vectors("own vectors", word("engine"), word("file"), &row));
    }
    checks
}

fn of_vectors(kind: &str, subject: String, item: String, row: &Value) -> Checks {
    let count = |key: &str| row[key].as_u64().unwrap_or_default();
    let reason = row["reason"].as_str().or_else(|| row["reasons"][0].as_str());
    Checks {
        kind: kind.into(),
        subject,
        item,
        passed: count("passed"),
        failed: count("failed"),
        deviating: count("deviating"),
        unsupported: count("unsupported"),
        reason: reason.map(String::from),
    }
}

/// Adds to what there is of the same.
fn add(checks: &mut Vec<Checks>, more: Checks) {
    let same = |one: &&mut Checks| {
        (&one.kind, &one.subject, &one.item) == (&more.kind, &more.subject, &more.item)
    };
    match checks.iter_mut().find(same) {
        None => checks.push(more),
        Some(one) => {
            one.passed += more.passed;
            one.failed += more.failed;
            one.deviating += more.deviating;
            one.unsupported += more.unsupported;
            one.reason = one.reason.take().or(more.reason);
        }
    }
}

fn line(subject: &Value) -> Checks {
    let list = |key: &str| subject[key].as_array().map(Vec::as_slice).unwrap_or_default();
    let count = |key: &str| u64::try_from(list(key).len()).unwrap_or(u64::MAX);
    let executed = subject["executed"].as_u64().unwrap_or_default();
    let (failed, deviating) = (count("failures"), count("deviations"));
    let name = subject["name"].as_str().unwrap_or_default();
    let (kind, subject, item) = match name.split_once(" -> ") {
        Some((founder, joiner)) => {
            ("pair", format!("{founder} x {joiner}"), format!("{founder} founds"))
        }
        None => ("verify", name.to_owned(), "cases and scenarios".to_owned()),
    };
    let reason = list("failures").iter().chain(list("unsupported")).next().map(words);
    Checks {
        kind: kind.into(),
        subject,
        item,
        passed: executed.saturating_sub(failed + deviating),
        failed,
        deviating,
        unsupported: count("unsupported"),
        reason,
    }
}

/// The first that failed or could not be made.
fn words(entry: &Value) -> String {
    let word = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
    format!("{} in {}: {}", word("check"), word("scenario"), word("why"))
}
