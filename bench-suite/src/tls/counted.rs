//! Allocations of a handshake, counted in the program whose allocator counts.

use std::process::ExitCode;

use bench_results::format::Allocations;
use bench_results::tables::Figure;
use serde::{Deserialize, Serialize};
use tls_api::{Cell, Chains, Prepared, Wire};

use super::in_process;
use crate::counter::{self, Counter};

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
        counter::ask(&[COUNT]).map_or_else(Self::Missing, Self::Seen)
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
        let count = counts.iter().find(|count| count.stack == stack && count.cell == cell);
        count.map_or_else(Vec::new, |count| counter::figures(&count.allocations))
    }
}

/// Counts a handshake of each cell of each stack in this process, and prints a line for each.
///
/// Memory that C code takes for itself is not seen.
#[must_use]
pub fn count_allocations(counter: Counter) -> ExitCode {
    match count_all(counter) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn count_all(counter: Counter) -> Result<(), String> {
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

fn count(prepared: &mut dyn Prepared, counter: Counter) -> Result<Allocations, String> {
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
