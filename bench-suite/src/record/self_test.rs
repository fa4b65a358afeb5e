//! Whether the recorder can be believed: it must find no difference where there is none, and find
//! one that is known.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use bench_results::format::{ResultFile, Verdict};

/// What is to be found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Test {
    /// Nothing: one engine under two names.
    Null,
    /// An engine that is slower than itself by so many percent.
    Sensitivity(f64),
}

/// How a test is to be run.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) runs: u32,
    pub(crate) engine: String,
    pub(crate) only: Vec<String>,
    pub(crate) sizes: Vec<usize>,
    pub(crate) margin: f64,
    pub(crate) pin: Option<usize>,
}

/// One ratio: the second entry over the first, or the slowed over the plain.
struct Found {
    row: String,
    ratio: f64,
    verdict: Verdict,
}

/// Runs `record --quick` again and again and prints what it found. The code is 1 if that misses the
/// bars: in a null test a false verdict in more than one of twenty runs of a row or a median
/// deviation of 1 %; in a sensitivity test fewer than nine of ten found.
pub(crate) fn run(test: Test, settings: &Settings) -> Result<ExitCode, String> {
    let program = std::env::current_exe().map_err(|why| why.to_string())?;
    let folder = tempfile::tempdir().map_err(|why| why.to_string())?;
    let mut rows: BTreeMap<String, Vec<Found>> = BTreeMap::new();
    for run in 1..=settings.runs {
        let out = folder.path().join(format!("{run}.json"));
        record(&program, test, settings, run, &out)?;
        let text = std::fs::read_to_string(&out).map_err(|why| why.to_string())?;
        let file: ResultFile = serde_json::from_str(&text).map_err(|why| why.to_string())?;
        for found in ratios(test, &file) {
            eprintln!("run {run}: {} {:.4} {:?}", found.row, found.ratio, found.verdict);
            rows.entry(found.row.clone()).or_default().push(found);
        }
    }
    if rows.is_empty() {
        return Err("no ratio came of it".into());
    }
    let mut good = true;
    for (row, found) in &rows {
        good &= judge(test, row, found);
    }
    println!("{}", if good { "as it should be" } else { "NOT as it should be" });
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn record(
    program: &Path,
    test: Test,
    settings: &Settings,
    run: u32,
    out: &Path,
) -> Result<(), String> {
    let mut record = Command::new(program);
    record.args(["record", "--quick", "--no-checks", "--engines", &settings.engine]);
    record.args(["--seed", &run.to_string(), "--margin", &settings.margin.to_string()]);
    match test {
        Test::Null => record.args(["--again", &settings.engine]),
        Test::Sensitivity(percent) => {
            record.args(["--again", "none", "--slowed", &percent.to_string()])
        }
    };
    for part in &settings.only {
        record.args(["--only", part]);
    }
    for size in &settings.sizes {
        record.args(["--sizes", &size.to_string()]);
    }
    if let Some(processor) = settings.pin {
        record.args(["--pin", &processor.to_string()]);
    }
    record.arg("--out").arg(out).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let output = record.output().map_err(|why| why.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

fn ratios(test: Test, file: &ResultFile) -> Vec<Found> {
    let row = |case: &str, size: usize| format!("{case}/{size}");
    let of_run = file.runs.iter();
    match test {
        Test::Null => of_run
            .flat_map(|run| &run.controls)
            .map(|c| Found { row: row(&c.case, c.size), ratio: c.ratio, verdict: c.verdict })
            .collect(),
        // The plain engine stands first, so that its ratio to the slowed one is below 1.
        Test::Sensitivity(_) => of_run
            .flat_map(|run| &run.comparisons)
            .map(|c| Found {
                row: row(&c.case, c.size),
                ratio: 1.0 / c.ratio,
                verdict: match c.verdict {
                    Verdict::Faster => Verdict::Slower,
                    Verdict::Slower => Verdict::Faster,
                    other => other,
                },
            })
            .collect(),
    }
}

/// Prints what was found of a row; whether it is as it should be.
fn judge(test: Test, row: &str, found: &[Found]) -> bool {
    let count = |wanted: &[Verdict]| found.iter().filter(|f| wanted.contains(&f.verdict)).count();
    let mut off: Vec<f64> = found.iter().map(|found| (found.ratio - 1.0).abs()).collect();
    off.sort_unstable_by(f64::total_cmp);
    let median = off[off.len() / 2];
    let most = off.last().copied().unwrap_or_default();
    let runs = found.len();
    match test {
        Test::Null => {
            let wrong = count(&[Verdict::Faster, Verdict::Slower]);
            println!(
                "{row}: {wrong} of {runs} verdicts false; |ratio - 1| {:.3} % at the median, \
                 {:.3} % at most; {} equivalent",
                median * 100.0,
                most * 100.0,
                count(&[Verdict::Equivalent]),
            );
            wrong * 20 <= runs.max(20) && median < 0.01
        }
        Test::Sensitivity(percent) => {
            let slower = count(&[Verdict::Slower]);
            println!(
                "{row}: {slower} of {runs} called slower, {} faster; ratio - 1 {:.3} % at the \
                 median, {percent} % were put in",
                count(&[Verdict::Faster]),
                median * 100.0,
            );
            slower * 10 >= runs * 9
        }
    }
}
