//! The `cgka-bench` command: `engines`, `list`, `verify`, `sizes`, `epoch-probe`, `conformance`.

#[cfg(feature = "burrow")]
mod conformance;
mod print;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use engine_api::{Registration, WireProfile};

use crate::engines;
use crate::soak;
use crate::verify;

/// Runs CGKA engines through the same cases, and checks what they do.
#[derive(Debug, Parser)]
#[command(name = "cgka-bench", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Lists the engines in this binary and what their operations include.
    Engines {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Lists the cases with their sizes, and the checks.
    List {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Runs every case once with every check, the scenarios, and every pair of engines.
    ///
    /// Exits with 0 only if nothing failed.
    Verify {
        /// Only these engines: a name, or what stands before its slash. `broken` are those that
        /// must fail.
        #[arg(long = "engine", value_name = "NAME")]
        engines: Vec<String>,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Walks mixed groups of all engines of the `mls` profile through random epochs, and compares
    /// every member at each.
    Soak {
        /// Only these engines.
        #[arg(long = "engine", value_name = "NAME")]
        engines: Vec<String>,
        /// Where the choices come from; may be given several times.
        #[arg(long = "seed", value_name = "NUMBER", default_values_t = [1, 2, 3])]
        seeds: Vec<u64>,
        /// Commits per seed.
        #[arg(long, default_value_t = 500)]
        epochs: usize,
        /// Members at most.
        #[arg(long, default_value_t = 64)]
        members: usize,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Shows what goes over the wire: sizes of messages, commits, Welcomes and trees.
    Sizes {
        /// Only these engines.
        #[arg(long = "engine", value_name = "NAME")]
        engines: Vec<String>,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Shows what founding a group really did: epochs, published commits, Welcomes.
    EpochProbe {
        /// Only these engines.
        #[arg(long = "engine", value_name = "NAME")]
        engines: Vec<String>,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Runs the MLS working group's vectors on burrow, over each crypto backend.
    ///
    /// `CGKA_VECTORS` names their folder. Exits with 0 only if nothing failed and none is missing.
    #[cfg(feature = "burrow")]
    Conformance {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
}

/// Whether a bench target's arguments ask for the command instead of the table.
pub(crate) fn is_asked_for(mut arguments: impl Iterator<Item = String>) -> bool {
    const COMMANDS: [&str; 8] =
        ["engines", "list", "verify", "soak", "sizes", "epoch-probe", "conformance", "help"];
    arguments.next().is_some_and(|first| COMMANDS.contains(&first.as_str()))
}

/// Runs the command given on the command line over these engines.
#[must_use]
pub fn run(present: &[Registration]) -> ExitCode {
    // Cargo adds `--bench` behind the arguments of a bench target.
    let arguments = std::env::args().filter(|argument| argument != "--bench");
    let arguments = Arguments::parse_from(arguments);
    match execute(arguments.command, present) {
        Ok(code) => code,
        Err(why) => {
            eprintln!("cgka-bench: {why}");
            ExitCode::from(2)
        }
    }
}

fn execute(command: Command, present: &[Registration]) -> Result<ExitCode, String> {
    engines::check_names(present)?;
    match command {
        Command::Engines { json } => print::engines(present, json),
        Command::List { json } => print::list(json),
        Command::Verify { engines, json } => {
            let chosen = engines::select(present, &engines)?;
            let report = verify::run(&chosen, &mut |subject| eprintln!("verifying {subject}"));
            if json {
                print::json(&report)?;
            } else {
                print!("{report}");
            }
            let clean = report.is_clean();
            return Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Command::Soak { engines, seeds, epochs, members, json } => {
            let mixed: Vec<_> = engines::select(present, &engines)?
                .into_iter()
                .filter(|engine| engine.describe().wire_profile == WireProfile::Mls)
                .collect();
            if mixed.is_empty() {
                return Err("none of these engines speaks mls".into());
            }
            for seed in seeds {
                let soaked = soak::run(&mixed, soak::Plan { seed, epochs, members });
                if !print::soaked(soaked, json)? {
                    return Ok(ExitCode::FAILURE);
                }
            }
            Ok(())
        }
        Command::Sizes { engines, json } => {
            print::sizes(&engines::select(present, &engines)?, json)
        }
        Command::EpochProbe { engines, json } => {
            print::epoch_probe(&engines::select(present, &engines)?, json)
        }
        #[cfg(feature = "burrow")]
        Command::Conformance { json } => return conformance::run(json),
    }?;
    Ok(ExitCode::SUCCESS)
}
