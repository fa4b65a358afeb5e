//! What is proved before anything is timed: `verify` on the engines of the run, in a process of its
//! own and for a limited time.

use std::fs::File;
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
    let mut out = tempfile::tempfile().map_err(|why| why.to_string())?;
    let mut verify = Command::new(program);
    verify.args(["verify", "--json"]);
    for engine in engines {
        verify.args(["--engine", engine]);
    }
    verify.stdin(Stdio::null()).stderr(Stdio::null());
    verify.stdout(out.try_clone().map_err(|why| why.to_string())?);
    let mut child = verify.spawn().map_err(|why| why.to_string())?;
    let start = Instant::now();
    while child.try_wait().map_err(|why| why.to_string())?.is_none() {
        if start.elapsed() > limit || interrupt.is_asked() {
            child.kill().and_then(|()| child.wait()).map_err(|why| why.to_string())?;
            return Err(format!("not finished within {} s", limit.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    read(&mut out)
}

fn read(out: &mut File) -> Result<Vec<Checks>, String> {
    let mut text = String::new();
    out.rewind().map_err(|why| why.to_string())?;
    out.read_to_string(&mut text).map_err(|why| why.to_string())?;
    let report: Value =
        serde_json::from_str(&text).map_err(|_| "verify gave no report".to_owned())?;
    let subjects = report["subjects"].as_array().ok_or("verify gave no report")?;
    Ok(subjects.iter().map(line).collect())
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
