//! `cgka-bench asymmetry`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use bench_results::tables::TablesFile;
use clap::Args;
use engine_api::Registration;

use super::{alone, pairs, stress};
use crate::engines;
use crate::side_by_side::{Plan, WRONG, Writer, save, told};

/// What the command is asked.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Only these engines: a name, or what stands before its slash.
    #[arg(long = "engine", value_name = "NAME", default_values = ["burrow/aws-lc", "mls-rs/aws-lc",
        "openmls/rustcrypto", "mdk"])]
    engines: Vec<String>,
    /// Only pairs with this in their names.
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// Members of the groups.
    #[arg(long, default_value_t = 33, value_parser = clap::value_parser!(u16).range(2..=101))]
    size: u16,
    /// How often each role has its turn.
    #[arg(long, default_value_t = 31, value_parser = clap::value_parser!(u32).range(9..))]
    rounds: u32,
    /// Writes the tables file of the roles alone.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Presses the machine as well, and writes that into a file of its own kind.
    #[arg(long, value_name = "FILE")]
    stress: Option<PathBuf>,
    /// Replaces files of these names.
    #[arg(long)]
    force: bool,
}

/// Runs it. The code is 1 if something is wrong or the controls void the run.
///
/// # Errors
///
/// If there is no such engine or pair, or a file can't be written.
pub fn run(arguments: &Arguments, present: &[Registration]) -> Result<ExitCode, String> {
    let chosen = engines::select(present, &arguments.engines)?;
    let mut pairs = pairs(&chosen, usize::from(arguments.size));
    // A control stays: without one nothing is worth much.
    pairs.retain(|pair| {
        arguments.only.is_empty()
            || pair.equal
            || arguments.only.iter().any(|text| pair.name.contains(text))
    });
    if pairs.iter().all(|pair| pair.equal) {
        return Err("no pair has such a name".into());
    }
    let plan = Plan { rounds: arguments.rounds, turn: Duration::from_micros(200) };
    let writer = Writer::reference(plan);
    let (table, seen) = alone::table(&pairs, &plan)?;
    let file = writer.finish(vec![table], seen)?;
    told(&file, |_| {});
    let mut good = is_good(&file);
    if let Some(path) = &arguments.out {
        save(path, &file, arguments.force)?;
    }
    if let Some(path) = &arguments.stress {
        let writer = Writer::stress(plan);
        let (table, seen) = stress::table(&pairs, &plan)?;
        let file = writer.finish(vec![table], seen)?;
        told(&file, |_| {});
        good &= is_good(&file);
        save(path, &file, arguments.force)?;
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn is_good(file: &TablesFile) -> bool {
    let wrong = file.grade.demerits.iter().any(|demerit| demerit.kind == WRONG);
    !wrong && file.grade.name != "invalid"
}
