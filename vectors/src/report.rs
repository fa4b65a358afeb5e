//! What came of running the files.

use std::fmt;

use serde::Serialize;

use crate::{Floor, Tally, VectorFile};

/// What came of all files.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Which version of this structure it is.
    pub schema: &'static str,
    /// Whether nothing failed, nothing is missing and nothing was skipped.
    pub clean: bool,
    /// The sums.
    pub totals: Totals,
    /// The files.
    pub files: Vec<FileReport>,
}

/// Sums over files, suites and backends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Files that were asked for.
    pub files: usize,
    /// Cases in them.
    pub cases: usize,
    /// Cases executed, once for each backend.
    pub executed: usize,
    /// Of these, the ones with no failed assertion.
    pub passed: usize,
    /// Of these, the others.
    pub failed: usize,
    /// Cases that a backend doesn't have the cipher suite for.
    pub unsupported: usize,
    /// Cases that no backend has the cipher suite for.
    pub skipped: usize,
    /// Assertions executed.
    pub assertions: usize,
    /// Of these, the failed ones.
    pub failed_assertions: usize,
    /// Files that are missing, short or wrong otherwise.
    pub problems: usize,
}

/// What came of one file.
#[derive(Clone, Debug, Serialize)]
pub struct FileReport {
    /// Its name.
    pub file: &'static str,
    /// The folder that it belongs in.
    pub folder: &'static str,
    /// Cases in it.
    pub cases: usize,
    /// What there has to be.
    pub floor: Floor,
    /// What was executed, for each cipher suite and backend.
    pub rows: Vec<Row>,
    /// What is wrong with the file as a whole.
    pub problems: Vec<String>,
}

/// What came of the cases of one cipher suite, on one backend.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The cipher suite, if the file has them.
    pub cipher_suite: Option<u16>,
    /// The backend, if the cases need one.
    pub backend: Option<&'static str>,
    /// Cases executed.
    pub executed: usize,
    /// Of these, the ones with no failed assertion.
    pub passed: usize,
    /// Of these, the others.
    pub failed: usize,
    /// Cases not executed, because the backend doesn't have the suite.
    pub unsupported: usize,
    /// Why, if there are any.
    pub reason: Option<String>,
    /// Assertions executed.
    pub assertions: usize,
    /// Of these, the failed ones.
    pub failed_assertions: usize,
    /// The first failures, in words.
    pub failures: Vec<String>,
    #[serde(skip)]
    tally: Tally,
}

impl Row {
    pub(crate) fn new(cipher_suite: Option<u16>, backend: Option<&'static str>) -> Self {
        Self {
            cipher_suite,
            backend,
            executed: 0,
            passed: 0,
            failed: 0,
            unsupported: 0,
            reason: None,
            assertions: 0,
            failed_assertions: 0,
            failures: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// A case was executed. One that asserts nothing hasn't passed.
    pub(crate) fn add(&mut self, case: usize, tally: &Tally) {
        self.executed += 1;
        if tally.executed() > 0 && tally.failed() == 0 {
            self.passed += 1;
        } else {
            self.failed += 1;
        }
        self.tally.add(format_args!("case {case}"), tally);
        self.assertions = self.tally.executed();
        self.failed_assertions = self.tally.failed();
        self.failures = self.tally.failures().to_vec();
    }

    pub(crate) fn unsupported(&mut self, reason: &str) {
        self.unsupported += 1;
        self.reason.get_or_insert_with(|| reason.to_owned());
    }
}

impl FileReport {
    pub(crate) fn new(file: &VectorFile) -> Self {
        Self {
            file: file.name,
            folder: file.folder,
            cases: 0,
            floor: file.floor,
            rows: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Assertions executed, over all suites and backends.
    #[must_use]
    pub fn assertions(&self) -> usize {
        self.rows.iter().map(|row| row.assertions).sum()
    }

    /// Cases that no backend has the cipher suite for.
    #[must_use]
    pub fn skipped(&self) -> usize {
        let nowhere = |row: &&Row| {
            let mut others = self.rows.iter().filter(|o| o.cipher_suite == row.cipher_suite);
            others.all(|other| other.executed == 0)
        };
        let first = |row: &&Row| {
            let same = self.rows.iter().find(|o| o.cipher_suite == row.cipher_suite);
            same.is_some_and(|same| same.backend == row.backend)
        };
        self.rows.iter().filter(nowhere).filter(first).map(|row| row.unsupported).sum()
    }

    /// Whether nothing failed, nothing is missing and nothing was skipped.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.problems.is_empty()
            && self.skipped() == 0
            && self.rows.iter().all(|row| row.failed == 0 && row.failed_assertions == 0)
    }
}

impl Report {
    /// Sums up what came of the files.
    #[must_use]
    pub fn new(files: Vec<FileReport>) -> Self {
        let mut totals = Totals { files: files.len(), ..Totals::default() };
        for file in &files {
            totals.cases += file.cases;
            totals.skipped += file.skipped();
            totals.problems += file.problems.len();
            for row in &file.rows {
                totals.executed += row.executed;
                totals.passed += row.passed;
                totals.failed += row.failed;
                totals.unsupported += row.unsupported;
                totals.assertions += row.assertions;
                totals.failed_assertions += row.failed_assertions;
            }
        }
        Self {
            schema: "cgka-bench/conformance/1",
            clean: files.iter().all(FileReport::is_clean),
            totals,
            files,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:36} {:>5} {:10} {:>8} {:>6} {:>6} {:>11} {:>10}",
            "file", "suite", "backend", "executed", "passed", "failed", "unsupported", "assertions"
        )?;
        for file in &self.files {
            write!(f, "{file}")?;
        }
        let t = &self.totals;
        writeln!(
            f,
            "{} files, {} cases: {} executed over all backends, {} passed, {} failed, {} \
             unsupported by one backend, {} skipped; {} assertions, {} failed; {} problem(s)",
            t.files,
            t.cases,
            t.executed,
            t.passed,
            t.failed,
            t.unsupported,
            t.skipped,
            t.assertions,
            t.failed_assertions,
            t.problems
        )
    }
}

impl fmt::Display for FileReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.rows {
            let suite = row.cipher_suite.map_or("-".into(), |suite| suite.to_string());
            writeln!(
                f,
                "{:36} {suite:>5} {:10} {:8} {:6} {:6} {:11} {:10}",
                self.file,
                row.backend.unwrap_or("-"),
                row.executed,
                row.passed,
                row.failed,
                row.unsupported,
                row.assertions,
            )?;
            if let Some(reason) = &row.reason {
                writeln!(f, "    unsupported: {reason}")?;
            }
            for failure in &row.failures {
                writeln!(f, "    FAILED {failure}")?;
            }
        }
        for problem in &self.problems {
            writeln!(f, "    PROBLEM {}: {problem}", self.file)?;
        }
        Ok(())
    }
}
