//! `compare` on the command line.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::files;

/// What `compare` can be told.
#[derive(Debug, Args)]
pub(super) struct Compare {
    /// The result file of before.
    old: PathBuf,
    /// The result file of now.
    new: PathBuf,
    /// A row whose whole interval, relative to its peers, is slower than this share is a regression.
    #[arg(long, value_name = "SHARE", default_value_t = 0.03, value_parser = threshold)]
    threshold: f64,
    /// Exits with 1, too, if a row regressed by its raw ratio for want of peers (fewer than three
    /// families): that may be drift between the runs.
    #[arg(long)]
    raw: bool,
    /// Compares runs of different machines, too.
    #[arg(long)]
    force: bool,
    /// The run in OLD, by the beginning of its id.
    #[arg(long, value_name = "ID")]
    old_run: Option<String>,
    /// The run in NEW.
    #[arg(long, value_name = "ID")]
    new_run: Option<String>,
}

fn threshold(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share.is_finite() && share >= 0.0 => Ok(share),
        _ => Err("must be a number, 0 or above".into()),
    }
}

pub(super) fn run(arguments: &Compare) -> Result<ExitCode, String> {
    let (old, new) = (files::read(&arguments.old)?, files::read(&arguments.new)?);
    let old = files::choose(&arguments.old, &old, arguments.old_run.as_deref())?;
    let new = files::choose(&arguments.new, &new, arguments.new_run.as_deref())?;
    let changes = bench_results::compare::compare(old, new, arguments.threshold, arguments.force)
        .map_err(|why| why.to_string())?;
    print!("{changes}");
    let regressed = changes.is_regression() || (arguments.raw && changes.is_raw_regression());
    if changes.is_nothing() && !regressed {
        return Err("nothing to compare: no row was measured in both".into());
    }
    Ok(if regressed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
