//! What the commands on result files have in common.

use std::path::{Path, PathBuf};

use bench_results::format::{ResultFile, Run};
use bench_results::merge::merge;
use bench_results::read::load;
use bench_results::tables::TablesFile;
use bench_results::tables::read::{is_tables, load as load_tables};
use bench_results::write::Existing;

/// One file.
pub(super) fn read(path: &Path) -> Result<ResultFile, String> {
    load(path).map_err(|why| why.to_string())
}

/// The result files among these, and what the tables files among them hold.
pub(super) fn divide(paths: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<TablesFile>), String> {
    let (mut results, mut tables) = (Vec::new(), Vec::new());
    for path in paths {
        if is_tables(path) {
            tables.push(load_tables(path).map_err(|why| why.to_string())?);
        } else {
            results.push(path.clone());
        }
    }
    Ok((results, tables))
}

/// All runs of all files.
pub(super) fn read_all(paths: &[PathBuf]) -> Result<ResultFile, String> {
    let files: Result<Vec<_>, _> = paths.iter().map(|path| read(path)).collect();
    merge(files?).map_err(|why| why.to_string())
}

/// The run that begins with `id`, or the only one.
pub(super) fn choose<'a>(
    path: &Path,
    file: &'a ResultFile,
    id: Option<&str>,
) -> Result<&'a Run, String> {
    let name = path.display().to_string();
    bench_results::compare::choose(&name, file, id).map_err(|why| why.to_string())
}

/// What `--force` means.
pub(super) fn existing(force: bool) -> Existing {
    if force { Existing::Replace } else { Existing::Keep }
}
