//! `cgka-bench scenarios`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use engine_api::Registration;
use vectors::scenarios::{Engine, Scenario, scenarios};

use super::Report;
use crate::engines;

/// What `scenarios` is given.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Only these engines: a name, or what stands before its slash.
    #[arg(long = "engine", value_name = "NAME")]
    engines: Vec<String>,
    /// Only these scenarios.
    #[arg(long = "scenario", value_name = "NAME")]
    scenarios: Vec<String>,
    /// Only these casts: one engine's name, or two with a plus between, for parts A and B.
    #[arg(long = "cast", value_name = "A+B")]
    casts: Vec<String>,
    /// The scenario in this file instead: one of your own, or a replay out of a report.
    #[arg(long, value_name = "FILE", conflicts_with = "scenarios")]
    replay: Option<PathBuf>,
    /// Writes a replay of every row that didn't pass into this folder: the scenario up to where it
    /// failed, with nothing left to choose, without what it fails without as well.
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// The first walk of each scenario only: one order of delivery, and no restarts.
    #[arg(long)]
    once: bool,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, present: &[Registration]) -> Result<ExitCode, String> {
    let chosen = super::engines(&engines::select(present, &arguments.engines)?);
    let casts = match arguments.casts.as_slice() {
        [] => super::casts(&chosen),
        casts => casts.iter().map(|cast| named(cast, &chosen)).collect::<Result<_, _>>()?,
    };
    let mut progress = |name: &str| eprintln!("walking {name}");
    let report = super::walk(&selected(arguments)?, &casts, arguments.once, &mut progress);
    if let Some(folder) = &arguments.save {
        save(&report, folder)?;
    }
    if arguments.json {
        let text = serde_json::to_string_pretty(&report).map_err(|why| why.to_string())?;
        println!("{text}");
    } else {
        print!("{report}");
    }
    Ok(if report.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn save(report: &Report, folder: &Path) -> Result<(), String> {
    for (name, scenario) in report.replays() {
        let path = folder.join(name);
        let text = serde_json::to_string_pretty(scenario).map_err(|why| why.to_string())?;
        std::fs::write(&path, text).map_err(|why| format!("{}: {why}", path.display()))?;
    }
    Ok(())
}

fn selected(arguments: &Arguments) -> Result<Vec<Scenario>, String> {
    if let Some(path) = &arguments.replay {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|why| format!("{}: {why}", path.display()))?;
        let scenario: Scenario = serde_json::from_str(&text).map_err(|why| why.to_string())?;
        scenario.check()?;
        return Ok(vec![scenario]);
    }
    let mut all = scenarios()?;
    let wanted = &arguments.scenarios;
    let known = |name: &&String| all.iter().any(|scenario| scenario.name == **name);
    if let Some(stranger) = wanted.iter().find(|name| !known(name)) {
        let names: Vec<_> = all.iter().map(|scenario| scenario.name.as_str()).collect();
        return Err(format!("no scenario is called {stranger}; there are {}", names.join(", ")));
    }
    if !wanted.is_empty() {
        all.retain(|scenario| wanted.contains(&scenario.name));
    }
    Ok(all)
}

fn named(cast: &str, engines: &[Engine]) -> Result<Vec<Engine>, String> {
    let parts = cast.split('+').map(|name| {
        let engine = engines.iter().find(|engine| engine.name() == name);
        engine.copied().ok_or_else(|| format!("no engine is called {name}"))
    });
    let parts: Vec<_> = parts.collect::<Result<_, _>>()?;
    match parts.as_slice() {
        [_] => Ok(parts),
        [one, other] if one.speaks_with(other) => Ok(parts),
        _ => Err(format!("{cast} is not a cast: one engine, or two of one wire profile")),
    }
}
