//! `merge` on the command line.

use std::path::PathBuf;
use std::process::ExitCode;

use bench_results::write::save;
use clap::Args;

use super::files;

/// What `merge` can be told.
#[derive(Debug, Args)]
pub(super) struct Merge {
    /// Result files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The file to write.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Replaces a file of that name.
    #[arg(long)]
    force: bool,
}

pub(super) fn run(arguments: &Merge) -> Result<ExitCode, String> {
    let merged = files::read_all(&arguments.files)?;
    save(&arguments.out, &merged, files::existing(arguments.force))
        .map_err(|why| why.to_string())?;
    println!("{}: {} runs", arguments.out.display(), merged.runs.len());
    Ok(ExitCode::SUCCESS)
}
