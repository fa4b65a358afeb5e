//! How much heap the operations take, counted in the program whose allocator counts.

use std::process::ExitCode;

use bench_results::format::Allocations;
use serde::{Deserialize, Serialize};

use super::rows;
use crate::counter::{self, Counter};
use crate::side_by_side::Row;

/// The argument that asks the program with the counting allocator for it, before the rows' names.
pub const ARGUMENT: &str = "primitives";

/// What one operation of one library took.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Count {
    row: String,
    library: String,
    allocations: Allocations,
}

/// Has the other program count, and puts it to the entries.
///
/// # Errors
///
/// Why nothing was counted.
pub(super) fn put_to(rows: &mut [Row]) -> Result<(), String> {
    let mut arguments = vec![ARGUMENT];
    arguments.extend(rows.iter().map(|row| row.name.as_str()));
    let counts: Vec<Count> = counter::ask(&arguments)?;
    for row in rows {
        for entry in &mut row.entries {
            let is_its = |count: &&Count| count.row == row.name && count.library == entry.name;
            if let Some(count) = counts.iter().find(is_its) {
                entry.figures.extend(counter::figures(&count.allocations));
            }
        }
    }
    Ok(())
}

/// Prints a line for each operation of each library, in the rows of these names: all if none is given.
///
/// Memory that C code takes for itself is not in it: of AWS-LC, liboqs and libsodium it is what Rust
/// holds for them.
///
/// Fails if libraries disagree, or an operation fails.
#[must_use]
pub fn run(names: &[String], counter: Counter) -> ExitCode {
    match print(names, counter) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn print(names: &[String], counter: Counter) -> Result<(), String> {
    let mut rows = rows()?;
    rows.retain(|row| names.is_empty() || names.contains(&row.name));
    for row in &mut rows {
        for entry in &mut row.entries {
            entry.work.once()?; // what is only allocated once isn't counted
            let mut failed = None;
            let allocations = counter(&mut || failed = entry.work.once().err());
            if let Some(why) = failed {
                return Err(format!("{}, {}: {why}", row.name, entry.name));
            }
            let count = Count { row: row.name.clone(), library: entry.name.clone(), allocations };
            println!("{}", serde_json::to_string(&count).map_err(|why| why.to_string())?);
        }
    }
    Ok(())
}
