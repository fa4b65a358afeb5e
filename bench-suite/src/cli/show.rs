//! `show` on the command line.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::files;

/// Where `record` puts its files.
const FOLDER: &str = "results";

/// What `show` can be told.
#[derive(Debug, Args)]
pub(super) struct Show {
    /// The row, as `case/size`.
    row: String,
    /// The result file; the newest in `results` if none is named.
    file: Option<PathBuf>,
    /// The run, by the beginning of its id, if the file has several.
    #[arg(long, value_name = "ID")]
    run: Option<String>,
}

pub(super) fn run(arguments: &Show) -> Result<ExitCode, String> {
    let path = match &arguments.file {
        Some(path) => path.clone(),
        None => newest(FOLDER.as_ref())?,
    };
    let file = files::read(&path)?;
    let run = files::choose(&path, &file, arguments.run.as_deref())?;
    print!("{}", bench_results::show::row(run, &arguments.row)?);
    Ok(ExitCode::SUCCESS)
}

fn newest(folder: &Path) -> Result<PathBuf, String> {
    let name = folder.display();
    let entries =
        std::fs::read_dir(folder).map_err(|why| format!("no file is named, and {name}: {why}"))?;
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .max_by_key(|path| path.metadata().and_then(|data| data.modified()).ok())
        .ok_or_else(|| format!("no file is named, and there is none in {name}"))
}
