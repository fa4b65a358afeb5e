//! Joining result files.

use std::collections::BTreeMap;

use crate::digest::short;
use crate::format::{ResultFile, Run, SCHEMA};

/// Two runs of one name that are not the same: no accident can do that.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("two different runs are called {}", short(.0))]
pub struct Clash(String);

/// All runs of all files, ordered by their identity, each once: the same whatever the order of the
/// files, and whether they were merged before.
///
/// # Errors
/// [`Clash`], which files that were read by this crate can't cause.
pub fn merge(files: impl IntoIterator<Item = ResultFile>) -> Result<ResultFile, Clash> {
    let mut runs: BTreeMap<String, Run> = BTreeMap::new();
    for run in files.into_iter().flat_map(|file| file.runs) {
        match runs.get(&run.id) {
            Some(known) if *known != run => return Err(Clash(run.id)),
            Some(_) => {}
            None => {
                runs.insert(run.id.clone(), run);
            }
        }
    }
    Ok(ResultFile { schema: SCHEMA, runs: runs.into_values().collect() })
}
