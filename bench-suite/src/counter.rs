//! The program beside this one whose allocator counts: asked with arguments, it answers in lines of
//! JSON. One that counts is slower, so what is timed is never linked with it.

use std::process::Command;

use bench_results::format::Allocations;
use bench_results::tables::Figure;
use serde::de::DeserializeOwned;

/// Its name.
pub(crate) const COUNTER: &str = "cgka-bench-allocations";

/// Counts what a piece of work allocates. Memory that C code takes for itself is not seen.
pub type Counter = fn(&mut dyn FnMut()) -> Allocations;

/// All that it says to these arguments.
///
/// # Errors
///
/// If it isn't there, fails or says something else.
pub(crate) fn ask<T: DeserializeOwned>(arguments: &[&str]) -> Result<Vec<T>, String> {
    let own = std::env::current_exe().map_err(|why| why.to_string())?;
    let output = Command::new(own.with_file_name(COUNTER)).args(arguments).output();
    let output = output.map_err(|why| format!("{COUNTER} beside this program: {why}"))?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(format!("{COUNTER}: {why}"));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().map_err(|why| format!("{COUNTER}: {why}"))
}

/// What an operation allocates, for a table.
pub(crate) fn figures(seen: &Allocations) -> Vec<Figure> {
    let figure = |name: &str, value: u64, unit: &str| Figure {
        name: name.into(),
        value: value as f64,
        unit: unit.into(),
    };
    vec![
        figure("allocations", seen.count, ""),
        figure("allocated", seen.bytes, "B"),
        figure("at once", seen.peak_bytes, "B"),
    ]
}
