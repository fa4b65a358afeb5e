//! Allocations of a handshake, counted in the program whose allocator counts.

use std::process::{Command, ExitCode};

use bench_results::format::Allocations;
use bench_results::tables::Figure;
use serde::{Deserialize, Serialize};
use tls_api::{Cell, Chains, Prepared, Wire};

use super::in_process;

/// The program, beside this one.
const COUNTER: &str = "cgka-bench-allocations";

/// Its argument that says that handshakes are to be counted.
pub const COUNT: &str = "tls";

/// Handshakes that are counted; their median is taken.
const COUNTED: usize = 5;

/// One cell of one stack.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Count {
    stack: String,
    cell: Cell,
    allocations: Allocations,
}

/// All that was counted.
pub(super) enum Counts {
    Seen(Vec<Count>),
    Missing(String),
}

impl Counts {
    /// Has the other program count.
    pub(super) fn take() -> Self {
        Self::ask().map_or_else(Self::Missing, Self::Seen)
    }

    fn ask() -> Result<Vec<Count>, String> {
        let own = std::env::current_exe().map_err(|why| why.to_string())?;
        let program = own.with_file_name(COUNTER);
        let output = Command::new(&program).arg(COUNT).output();
        let output = output.map_err(|why| format!("{COUNTER} beside this program: {why}"))?;
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(format!("{COUNTER}: {why}"));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let lines = text.lines().map(serde_json::from_str);
        lines.collect::<Result<_, _>>().map_err(|why| format!("{COUNTER}: {why}"))
    }

    pub(super) fn missing(&self) -> Option<&str> {
        match self {
            Self::Seen(_) => None,
            Self::Missing(why) => Some(why),
        }
    }

    /// What a stack's cell allocates.
    pub(super) fn of(&self, stack: &str, cell: Cell) -> Vec<Figure> {
        let Self::Seen(counts) = self else { return Vec::new() };
        let Some(count) = counts.iter().find(|count| count.stack == stack && count.cell == cell)
        else {
            return Vec::new();
        };
        let figure = |name: &str, value: u64, unit: &str| Figure {
            name: name.into(),
            value: value as f64,
            unit: unit.into(),
        };
        vec![
            figure("allocations", count.allocations.count, ""),
            figure("allocated", count.allocations.bytes, "B"),
            figure("at once", count.allocations.peak_bytes, "B"),
        ]
    }
}

/// Counts a handshake of each cell of each stack in this process, and prints a line for each.
///
/// Memory that C code takes for itself is not seen.
#[must_use]
pub fn count_allocations(counter: fn(&mut dyn FnMut()) -> Allocations) -> ExitCode {
    match count_all(counter) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn count_all(counter: fn(&mut dyn FnMut()) -> Allocations) -> Result<(), String> {
    let chains = Chains::make().map_err(|why| why.to_string())?;
    let mut stacks = in_process();
    if let Ok(stack) = tls_rustls_graviola::stack() {
        stacks.push(Box::new(stack));
    }
    for stack in &stacks {
        for cell in Cell::all() {
            // What is absent or wrong is told by the other program.
            let Ok(mut ready) = super::ready(stack.as_ref(), cell, &chains) else { continue };
            let allocations = count(ready.checked.prepared.as_mut(), counter)?;
            let line = Count { stack: ready.stack, cell, allocations };
            println!("{}", serde_json::to_string(&line).map_err(|why| why.to_string())?);
        }
    }
    Ok(())
}

fn count(
    prepared: &mut dyn Prepared,
    counter: fn(&mut dyn FnMut()) -> Allocations,
) -> Result<Allocations, String> {
    let mut wire = Wire::default();
    prepared.handshake(&mut wire).map_err(|why| why.to_string())?;
    let mut counted = Vec::new();
    for _ in 0..COUNTED {
        let mut result = Ok(());
        let allocations = counter(&mut || result = prepared.handshake(&mut wire).map(drop));
        result.map_err(|why| why.to_string())?;
        counted.push(allocations);
    }
    counted.sort_by_key(|allocations| (allocations.count, allocations.bytes));
    counted.get(COUNTED / 2).cloned().ok_or_else(|| "nothing was counted".into())
}
