//! `check` on the command line.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::files;

/// What `check` can be told.
#[derive(Debug, Args)]
pub(super) struct Check {
    /// Result files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Looks at all of them, whatever is wrong with some.
pub(super) fn run(arguments: &Check) -> ExitCode {
    let mut clean = true;
    for path in &arguments.files {
        match files::read(path) {
            Ok(file) => {
                let rows: usize = file.runs.iter().map(|run| run.rows.len()).sum();
                println!("{}: {} runs, {rows} rows", path.display(), file.runs.len());
            }
            Err(why) => {
                eprintln!("{why}");
                clean = false;
            }
        }
    }
    if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
