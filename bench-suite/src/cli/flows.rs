//! `flows` and `sessions`: mixed groups of MLS engines.

#[cfg(feature = "burrow")]
use std::path::PathBuf;
use std::process::ExitCode;

use super::print;
use crate::flows::{self, Plan};

/// What `flows` is given.
#[derive(Debug, clap::Args)]
pub(super) struct Flows {
    /// Only these engines: a name, or what stands before its slash.
    #[arg(long = "engine", value_name = "NAME")]
    engines: Vec<String>,
    /// Only these flows.
    #[arg(long = "flow", value_name = "NAME")]
    flows: Vec<String>,
    /// No member restarts from a snapshot.
    #[arg(long)]
    no_restarts: bool,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

/// What `sessions` is given.
#[cfg(feature = "burrow")]
#[derive(Debug, clap::Args)]
pub(super) struct Sessions {
    /// The folder that the file is written to.
    #[arg(long, value_name = "DIR")]
    write: PathBuf,
}

pub(super) fn run(arguments: &Flows) -> Result<ExitCode, String> {
    let engines = flows::select(&flows::built_in(), &arguments.engines)?;
    let known = flows::names();
    if let Some(stranger) = arguments.flows.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("no flow is called {stranger}; there are {}", known.join(", ")));
    }
    let whole = arguments.engines.is_empty() && arguments.flows.is_empty();
    let whole = whole && !arguments.no_restarts;
    let plan = Plan { engines, flows: arguments.flows.clone(), restarts: !arguments.no_restarts };
    let report = flows::run(&plan, &mut |flow| eprintln!("walking {flow}"));
    if arguments.json {
        print::json(&report)?;
    } else {
        print!("{report}");
    }
    if whole && report.checks < flows::FLOOR {
        eprintln!("cgka-bench: fewer than {} checks", flows::FLOOR);
        return Ok(ExitCode::FAILURE);
    }
    Ok(if report.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(feature = "burrow")]
pub(super) fn record(arguments: &Sessions) -> Result<ExitCode, String> {
    let leads = flows::leads(&flows::built_in());
    let recording = flows::sessions::record(&leads).map_err(|why| why.to_string())?;
    let mut text = serde_json::to_string_pretty(&recording).map_err(|why| why.to_string())?;
    text.push('\n');
    let path = arguments.write.join("sessions-mixed.json");
    std::fs::write(&path, text).map_err(|why| format!("{}: {why}", path.display()))?;
    println!("{} sessions in {}", recording.sessions.len(), path.display());
    Ok(ExitCode::SUCCESS)
}
