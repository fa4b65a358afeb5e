//! How much heap the operations take, by whoever can count it.

use std::process::ExitCode;

use bench_results::format::Allocations;

use super::rows;

/// The argument that asks the program with the counting allocator for it.
pub const ARGUMENT: &str = "primitives";

/// Counts what a piece of work allocates.
pub type Counter = fn(&mut dyn FnMut()) -> Allocations;

/// Prints a line of each operation: the row, the library, how often it allocated, how many bytes, and
/// how many of them at once.
///
/// Memory that C code takes for itself is not in it: of AWS-LC, liboqs and libsodium it is what Rust
/// holds for them.
///
/// Fails if libraries disagree, or an operation fails.
#[must_use]
pub fn run(counter: Counter) -> ExitCode {
    match print(counter) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn print(counter: Counter) -> Result<(), String> {
    println!("row\tlibrary\tallocations\tbytes\tpeak bytes");
    for row in &mut rows()? {
        for entry in &mut row.entries {
            entry.work.once()?; // what is only allocated once isn't counted
            let mut failed = None;
            let seen = counter(&mut || failed = entry.work.once().err());
            if let Some(why) = failed {
                return Err(format!("{}, {}: {why}", row.name, entry.name));
            }
            let (name, library) = (&row.name, &entry.name);
            let Allocations { count, bytes, peak_bytes, .. } = seen;
            println!("{name}\t{library}\t{count}\t{bytes}\t{peak_bytes}");
        }
    }
    Ok(())
}
