//! The `cgka-bench` command: `engines`, `list`, `verify`, `sizes`, `epoch-probe`, `counts`,
//! `conformance`.

mod check;
mod compare;
#[cfg(feature = "burrow")]
mod conformance;
mod counts;
mod files;
mod flows;
mod merge;
mod print;
mod record;
mod report;
mod show;

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
    /// Walks mixed groups of MLS engines through what the general contract can't express.
    ///
    /// Exits with 0 only if nothing failed.
    Flows(flows::Flows),
    /// Records sessions of mixed groups, for every engine to replay.
    #[cfg(feature = "burrow")]
    Sessions(flows::Sessions),
    /// Walks the scenarios of `vectors` on every engine, and on mixed casts.
    ///
    /// Exits with 1 if one of ours differs from what they say, or may be the one that does.
    #[cfg(feature = "burrow")]
    Scenarios(crate::scenarios::command::Arguments),
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
    /// Counts each case's cryptographic operations, beside the least that RFC 9420 asks for.
    ///
    /// Exits with 1 if something could not be counted, or an engine did less than that.
    Counts(counts::Arguments),
    /// Records a run: engines in pairs, with intervals, A/A pair, conditions and grade, in one file.
    Record(Box<record::Record>),
    /// Does one job of a recorder's.
    #[command(hide = true)]
    RecordWorker,
    /// Tests the recorder itself, by runs of which the outcome is known.
    #[command(subcommand)]
    SelfTest(record::SelfTest),
    /// Makes one HTML page of result files, or a table in Markdown.
    Report(report::Report),
    /// Records what post-quantum cipher suites cost a group, or reports on such records.
    Migration(crate::migration::Arguments),
    /// Shows all that a result file says of one row.
    Show(show::Show),
    /// Says what changed from one result file to another; exits with 1 on a regression.
    Compare(compare::Compare),
    /// Joins result files.
    Merge(merge::Merge),
    /// Checks result files; exits with 1 if one can't be used.
    Check(check::Check),
    /// Times crypto libraries head to head, once they have agreed on the results.
    #[cfg(feature = "primitives")]
    Primitives(crate::primitives::command::Arguments),
    /// Who pays for a message, sender or receiver, and what refusing a bad one costs.
    #[cfg(feature = "primitives")]
    Asymmetry(crate::asymmetry::command::Arguments),
    /// Times full TLS 1.3 handshakes: stack x key exchange x certificate, and phases of a migration.
    #[cfg(feature = "tls")]
    Tls(crate::tls::command::Arguments),
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
    const COMMANDS: &[&str] = &[
        "engines",
        "list",
        "verify",
        "soak",
        "flows",
        "sessions",
        "scenarios",
        "sizes",
        "epoch-probe",
        "counts",
        "conformance",
        "primitives",
        "asymmetry",
        "record",
        "record-worker",
        "tls",
        "self-test",
        "report",
        "migration",
        "show",
        "compare",
        "merge",
        "check",
        "help",
    ];
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
        Command::Engines { json } => print::engines(&engines::everything(present), json),
        Command::List { json } => print::list(json),
        Command::Verify { engines, json } => {
            let chosen = engines::select(&engines::with_layers(present), &engines)?;
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
        Command::Flows(arguments) => return flows::run(&arguments),
        #[cfg(feature = "burrow")]
        Command::Sessions(arguments) => return flows::record(&arguments),
        #[cfg(feature = "burrow")]
        Command::Scenarios(arguments) => {
            return crate::scenarios::command::run(&arguments, present);
        }
        Command::Sizes { engines, json } => {
            print::sizes(&engines::select(present, &engines)?, json)
        }
        Command::EpochProbe { engines, json } => {
            print::epoch_probe(&engines::select(present, &engines)?, json)
        }
        Command::Counts(arguments) => return counts::run(&arguments),
        #[cfg(feature = "primitives")]
        Command::Primitives(arguments) => return crate::primitives::command::run(&arguments),
        #[cfg(feature = "primitives")]
        Command::Asymmetry(arguments) => {
            return crate::asymmetry::command::run(&arguments, present);
        }
        #[cfg(feature = "tls")]
        Command::Tls(arguments) => return crate::tls::command::run(&arguments),
        Command::Record(arguments) => return record::run(*arguments, present),
        Command::RecordWorker => return Ok(record::worker(present)),
        Command::SelfTest(test) => return record::self_test(test),
        Command::Migration(arguments) => return crate::migration::run(&arguments, present),
        Command::Report(arguments) => return report::run(&arguments),
        Command::Show(arguments) => return show::run(&arguments),
        Command::Compare(arguments) => return compare::run(&arguments),
        Command::Merge(arguments) => return merge::run(&arguments),
        Command::Check(arguments) => return Ok(check::run(&arguments)),
        #[cfg(feature = "burrow")]
        Command::Conformance { json } => return conformance::run(json, present),
    }?;
    Ok(ExitCode::SUCCESS)
}
