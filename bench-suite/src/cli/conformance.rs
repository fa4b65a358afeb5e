//! The working group's vectors, as a command.

use std::process::ExitCode;

use vectors::{FILES, Library, Report, run_file};

use super::print;

/// An error, and with it the exit code 2, if nothing says where the vectors are.
pub(super) fn run(json: bool) -> Result<ExitCode, String> {
    let library = Library::from_env().map_err(|why| why.to_string())?;
    let files = FILES.iter().map(|file| {
        eprintln!("running {}", file.name);
        run_file(&library, file)
    });
    let report = Report::new(files.collect());
    if json {
        print::json(&report)?;
    } else {
        print!("{report}");
    }
    Ok(if report.clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
