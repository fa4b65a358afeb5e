//! Running files.

use std::collections::BTreeMap;
use std::sync::Arc;

use crypto_api::{CipherSuite, CryptoBackend, CryptoError, Suite};
use serde_json::Value;

use crate::files::Check;
use crate::report::{FileReport, Report, Row};
use crate::{FILES, Library, Stop, Tally, VectorFile, backends, floors};

/// What a case is executed on.
pub(crate) struct Bench<'a> {
    pub(crate) backend: &'a Arc<dyn CryptoBackend>,
    pub(crate) suite: &'a dyn Suite,
}

/// Runs every file on every backend.
#[must_use]
pub fn run_all(library: &Library) -> Report {
    Report::new(FILES.iter().map(|file| run_file(library, file)).collect())
}

/// Runs one file on every backend.
#[must_use]
pub fn run_file(library: &Library, file: &VectorFile) -> FileReport {
    let cases = library.cases(file).map_err(|error| error.to_string());
    run_cases(file, cases, &backends())
}

/// Runs the cases of a file, if there are any, on these backends.
pub(crate) fn run_cases(
    file: &VectorFile,
    cases: Result<Vec<Value>, String>,
    backends: &[Arc<dyn CryptoBackend>],
) -> FileReport {
    let mut report = FileReport::new(file);
    let cases = match cases {
        Ok(cases) => cases,
        Err(error) => {
            report.problems.push(error);
            return report;
        }
    };
    report.cases = cases.len();
    if file.has_suites() {
        for backend in backends {
            report.rows.extend(run_on(backend, file, &cases));
        }
    } else {
        let mut row = Row::new(None, None);
        for (index, case) in cases.iter().enumerate() {
            row.add(index, &run_plain(file, case));
        }
        report.rows.push(row);
    }
    floors::check(&mut report);
    report
}

fn run_on(backend: &Arc<dyn CryptoBackend>, file: &VectorFile, cases: &[Value]) -> Vec<Row> {
    let mut rows = BTreeMap::new();
    for (index, case) in cases.iter().enumerate() {
        let number = cipher_suite(case);
        let new = || Row::new(number, Some(backend.name()));
        let row: &mut Row = rows.entry(number).or_insert_with(new);
        match run_case(backend, file, case) {
            Ok(tally) => row.add(index, &tally),
            Err(reason) => row.unsupported(&reason),
        }
    }
    rows.into_values().collect()
}

/// Runs one case on a backend; for a file without cipher suites, on none.
///
/// # Errors
/// With the reason if the backend doesn't have the case's cipher suite.
pub fn run_case(
    backend: &Arc<dyn CryptoBackend>,
    file: &VectorFile,
    case: &Value,
) -> Result<Tally, String> {
    let Check::WithSuite(check) = file.check else {
        return Ok(run_plain(file, case));
    };
    let mut tally = Tally::default();
    let Some(number) = cipher_suite(case) else {
        let _ = tally.some::<()>("cipher_suite", None);
        return Ok(tally);
    };
    match backend.suite(CipherSuite(number)) {
        Ok(suite) => {
            let ended = check(&Bench { backend, suite }, case, &mut tally);
            Ok(counted(tally, ended))
        }
        Err(CryptoError::Unsupported) => {
            Err(format!("{} doesn't have cipher suite {number}", backend.name()))
        }
        Err(error) => {
            let _ = tally.step::<(), _>("cipher suite", Err(error));
            Ok(tally)
        }
    }
}

fn run_plain(file: &VectorFile, case: &Value) -> Tally {
    let mut tally = Tally::default();
    match file.check {
        Check::Plain(check) => {
            let ended = check(case, &mut tally);
            counted(tally, ended)
        }
        Check::WithSuite(_) => {
            let _ = tally.some::<()>("cipher suite", None);
            tally
        }
    }
}

/// A case that ended early has failed, even if nobody had counted that.
fn counted(mut tally: Tally, ended: Result<(), Stop>) -> Tally {
    if ended.is_err() && tally.failed() == 0 {
        tally.holds("the whole case", false);
    }
    tally
}

fn cipher_suite(case: &Value) -> Option<u16> {
    case.get("cipher_suite")?.as_u64()?.try_into().ok()
}
