//! `record`: the cases, timed in pairs and written down so that others can judge them.
//!
//! The engines of a row are ready in one process and have their turns in blocks, in a balanced order
//! that is drawn (`order`); several fresh processes do the same. Only [`Sample::run`] is timed: a
//! block's inputs are made before its first sample, its outputs looked at and dropped after its last.
//! A row that fails its checks has no numbers. What the run is worth is judged at the end
//! (`grade`), and everything goes into one file ([`bench_results::format`]).
//!
//! [`Sample::run`]: crate::case::Sample::run

mod board;
mod checks;
mod clock;
pub(crate) mod conditions;
mod grade;
mod host;
mod interrupt;
mod order;
mod plan;
mod process;
mod program;
mod progress;
mod protocol;
mod selection;
pub(crate) mod self_test;
mod session;
mod spin;
pub(crate) mod worker;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bench_results::format::{Allocations, Outcome, ResultFile, Run, SCHEMA};
use bench_results::write::{Existing, WriteError, replace, save, to_text};
use bench_results::{digest, statistics};
use engine_api::Registration;

pub use plan::{DEFAULT, Preset, QUICK, THOROUGH};

use session::Session;

/// The hidden command that makes a program a worker.
pub(crate) const WORKER: &str = "record-worker";

/// What is to be recorded.
#[derive(Clone, Debug)]
pub struct Request {
    /// How long it may take.
    pub preset: Preset,
    /// Engines by name; all if empty.
    pub engines: Vec<String>,
    /// The engine that is entered twice: `none` for none. Left out, it is mls-rs/aws-lc if that
    /// takes part, and else the first.
    pub again: Option<String>,
    /// Only rows with one of these in their names, as whole components.
    pub only: Vec<String>,
    /// Only these sizes.
    pub sizes: Vec<usize>,
    /// Where random choices come from.
    pub seed: u64,
    /// Ratios this near to 1 don't matter.
    pub margin: f64,
    /// Fresh processes, if not as many as the preset says.
    pub processes: Option<u32>,
    /// The processor to stay on.
    pub pin: Option<usize>,
    /// Whether `verify` runs before.
    pub checks: bool,
    /// Where the file goes.
    pub out: Option<PathBuf>,
    /// Whether it may replace another.
    pub force: bool,
    /// For self-tests: enters each engine again as `slowed/`, with a busy loop of so many percent.
    pub slowed: Option<f64>,
    /// For self-tests: slows the second entry of the A/A pair.
    pub rigged: Option<f64>,
}

/// Records a run, writes its file and says what came of it. The code is 0, or 1 if a row was wrong,
/// or 130 if the run was interrupted.
///
/// # Errors
/// What kept it from being recorded.
pub fn run(request: Request, present: &[Registration]) -> Result<ExitCode, String> {
    let mut session = Session::new(request, present)?;
    let out = session.out()?;
    session.check();
    session.look()?;
    session.sample()?;
    session.passes();
    session.say("computing");
    let (mut run, force, interrupt) = session.finish();
    let derived = statistics::derive(&run);
    for (row, statistics) in run.rows.iter_mut().zip(derived.statistics) {
        row.statistics = statistics;
    }
    (run.comparisons, run.controls) = (derived.comparisons, derived.controls);
    let seen = std::mem::take(&mut run.grade.demerits);
    run.grade = grade::judge(&run, seen);
    run.id = digest::run_id(&run).map_err(|why| why.to_string())?;
    let file = ResultFile { schema: SCHEMA, runs: vec![run] };
    {
        let _whole = interrupt.hold();
        if let Some(folder) = out.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|why| why.to_string())?;
        }
        let existing = if force { Existing::Replace } else { Existing::Keep };
        save(&out, &file, existing).map_err(|why| kept(&out, &file, &why))?;
    }
    Ok(file.runs.first().map_or(ExitCode::FAILURE, |run| tell(run, &out)))
}

/// Runs as a worker whose allocator counts.
pub fn count_allocations(
    present: &[Registration],
    counter: fn(&mut dyn FnMut()) -> Allocations,
) -> ExitCode {
    worker::run(present, Some(counter))
}

/// Why there is no result file, and where the samples are all the same: nobody should have to take
/// them again for a clock that was set back.
fn kept(out: &Path, file: &ResultFile, why: &WriteError) -> String {
    let beside = out.with_extension("refused.json");
    let text = to_text(file).map_err(|why| why.to_string());
    let put = text.and_then(|text| {
        replace(&beside, text.as_bytes(), Existing::Replace).map_err(|why| why.to_string())
    });
    match put {
        Ok(()) => format!("{why}\nwhat was recorded is in {}", beside.display()),
        Err(also) => format!("{why}\n{also}"),
    }
}

/// Says what came of a run.
fn tell(run: &Run, out: &Path) -> ExitCode {
    const SHOWN: usize = 40;
    let measured = run.rows.iter().filter_map(|row| Some((row, row.statistics.as_ref()?)));
    let measured: Vec<_> = measured.collect();
    if measured.len() <= SHOWN {
        for (row, s) in &measured {
            println!(
                "{:30} {:24} {:>12.1} ns  [{:.1}, {:.1}]  {} samples",
                format!("{}/{}", row.case, row.size),
                row.engine,
                s.median_ns,
                s.low_ns,
                s.high_ns,
                s.samples,
            );
        }
    }
    let mut wrong = false;
    for row in &run.rows {
        if let Outcome::Wrong { reason } = &row.outcome {
            wrong = true;
            eprintln!("WRONG {}/{} {}: {reason}", row.case, row.size, row.engine);
        }
    }
    println!("{} of {} rows measured: {}", measured.len(), run.rows.len(), run.grade.name);
    for demerit in &run.grade.demerits {
        println!("  {}: {}", demerit.kind, demerit.seen);
    }
    println!("written to {}", out.display());
    if run.interrupted {
        eprintln!("interrupted: the file has what was done until then");
        return ExitCode::from(130);
    }
    if wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
