//! `cgka-bench migration`: what post-quantum cipher suites cost a group.
//!
//! A run of it is a `record` of engines on several suites, each beside itself on 0x0001, and the report
//! is made from the record. `docs/migration.md` says what the phases are and what doesn't compare.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bench_results::format::{ResultFile, Run};
use bench_results::merge::merge;
use bench_results::migration::sentences::sentences;
use bench_results::migration::suites::{BASELINE, Phase, named};
use bench_results::migration::{Migration, text};
use bench_results::read::load;
use clap::Args;
use engine_api::{Description, Registration};
use serde_json::json;

use crate::engines;
use crate::record::{self, DEFAULT, QUICK, Request, THOROUGH};

/// The engines of a run that names none: of each phase one that others can be compared with, and those
/// of the peers.
const CHOSEN: &[&str] = &[
    "burrow/aws-lc/0xF001",
    "burrow/aws-lc/0xF009",
    "burrow/aws-lc/0xF00A",
    "burrow/aws-lc/0xF00B",
    "openmls/libcrux/0x004D",
    "mls-rs/aws-lc/0xFDEA",
    "mls-rs/aws-lc/0xFE4C",
];

/// What the command is asked.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Result files to report on. Without one, a run is recorded.
    #[arg(value_name = "FILE", conflicts_with_all = ["quick", "thorough", "engines", "out", "force"])]
    files: Vec<PathBuf>,
    /// As for `record`: two minutes.
    #[arg(long, conflicts_with = "thorough")]
    quick: bool,
    /// As for `record`: forty minutes.
    #[arg(long)]
    thorough: bool,
    /// Only these engines on post-quantum suites, by their names or their suites' (`0x004D`); `all` is
    /// every one. The engines that they are held against come with them.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    engines: Vec<String>,
    /// Only groups of these sizes.
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_values_t = [2, 9, 33, 101])]
    sizes: Vec<usize>,
    /// As for `record`: only rows with this in their name.
    #[arg(long, value_name = "PART")]
    only: Vec<String>,
    /// As for `record`.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// As for `record`.
    #[arg(long, value_name = "NUMBER")]
    processes: Option<u32>,
    /// As for `record`.
    #[arg(long, value_name = "NUMBER")]
    pin: Option<usize>,
    /// As for `record`.
    #[arg(long)]
    no_checks: bool,
    /// The result file to write.
    #[arg(long, value_name = "FILE", default_value = "results/migration.json")]
    out: PathBuf,
    /// Replaces a file of that name.
    #[arg(long)]
    force: bool,
    /// Prints the report as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs it. The code is that of the recording, or 1 if no run has anything to report.
///
/// # Errors
///
/// If there is no such engine or file, or the run can't be recorded.
pub fn run(arguments: &Arguments, present: &[Registration]) -> Result<ExitCode, String> {
    if !arguments.files.is_empty() {
        let files: Result<Vec<_>, _> = arguments.files.iter().map(|path| read(path)).collect();
        let file = merge(files?).map_err(|why| why.to_string())?;
        let any = show(&file, arguments.json)?;
        return Ok(if any { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    let code = record::run(request(arguments, present)?, present)?;
    show(&read(&arguments.out)?, arguments.json)?;
    Ok(code)
}

fn read(path: &Path) -> Result<ResultFile, String> {
    load(path).map_err(|why| why.to_string())
}

/// Whether there was anything.
fn show(file: &ResultFile, as_json: bool) -> Result<bool, String> {
    if as_json {
        let runs: Vec<_> = file.runs.iter().map(as_value).collect();
        let text = serde_json::to_string_pretty(&runs).map_err(|why| why.to_string())?;
        println!("{text}");
    } else {
        for run in &file.runs {
            println!("{}", text(run));
        }
    }
    Ok(file.runs.iter().any(|run| !Migration::of(run).is_empty()))
}

fn as_value(run: &Run) -> serde_json::Value {
    let migration = Migration::of(run);
    let sentences = sentences(run, &migration);
    json!({"migration": migration, "sentences": sentences})
}

fn request(arguments: &Arguments, present: &[Registration]) -> Result<Request, String> {
    let engines = chosen(&arguments.engines, present)?;
    let (sizes, only) = rows(&arguments.sizes, &arguments.only);
    let preset = match (arguments.quick, arguments.thorough) {
        (true, _) => QUICK,
        (_, true) => THOROUGH,
        _ => DEFAULT,
    };
    Ok(Request {
        preset,
        again: engines.first().cloned(),
        engines,
        only,
        sizes,
        seed: arguments.seed,
        margin: 0.01,
        processes: arguments.processes,
        pin: arguments.pin,
        checks: !arguments.no_checks,
        out: Some(arguments.out.clone()),
        force: arguments.force,
        slowed: None,
        rigged: None,
    })
}

/// The sizes of all rows of groups of so many members, and which rows those are, if not only some are
/// wanted. A founder invites one less than the group will have.
fn rows(members: &[usize], only: &[String]) -> (Vec<usize>, Vec<String>) {
    let invitees = members.iter().map(|members| members.saturating_sub(1));
    let founding = || invitees.clone().map(|invitees| format!("create_group/{invitees}"));
    if only.is_empty() {
        let sizes = members.iter().copied().chain(invitees.clone()).collect();
        return (sizes, members.iter().map(ToString::to_string).chain(founding()).collect());
    }
    let founds = only.iter().any(|part| part.starts_with("create_group"));
    let sizes = members.iter().copied().chain(invitees.filter(|_| founds));
    (sizes.collect(), only.to_vec())
}

/// The wanted engines on post-quantum suites, each behind the one that it is held against; the first
/// of all is one of those.
fn chosen(wanted: &[String], present: &[Registration]) -> Result<Vec<String>, String> {
    let everything = engines::everything(present);
    let moved: Vec<_> = everything.iter().filter(|engine| is_moved(&engine.describe())).collect();
    let names = |engine: &Registration, wanted: &str| {
        let suite = engine.describe().cipher_suites.first().map(ToString::to_string);
        engine.name() == wanted || suite.is_some_and(|suite| suite.eq_ignore_ascii_case(wanted))
    };
    let is_wanted = |engine: &Registration| match wanted {
        [] => CHOSEN.contains(&engine.name()),
        [all] if all == "all" => true,
        wanted => wanted.iter().any(|name| names(engine, name)),
    };
    if let Some(stranger) =
        wanted.iter().find(|name| *name != "all" && !moved.iter().any(|engine| names(engine, name)))
    {
        let names: Vec<_> = moved.iter().map(|engine| engine.name()).collect();
        return Err(format!(
            "no engine on a post-quantum suite is called {stranger}; there are {}",
            names.join(", ")
        ));
    }
    let mut chosen: Vec<String> = Vec::new();
    for engine in moved.into_iter().filter(|engine| is_wanted(engine)) {
        let base = baseline(&everything, &engine.describe());
        for name in base.iter().map(|base| base.name()).chain([engine.name()]) {
            if !chosen.iter().any(|known| known == name) {
                chosen.push(name.to_owned());
            }
        }
    }
    if chosen.is_empty() {
        return Err("this program has no engine on a post-quantum suite".into());
    }
    Ok(chosen)
}

fn is_moved(about: &Description) -> bool {
    let suite = about.cipher_suites.first().and_then(|suite| named(&suite.to_string()));
    suite.is_some_and(|suite| suite.phase != Phase::Baseline)
}

/// As the report will find it: see [`bench_results::migration`].
fn baseline(engines: &[Registration], of: &Description) -> Option<Registration> {
    let family = |name: &str| name.split('/').next().unwrap_or_default().to_owned();
    let is_it = |engine: &&Registration| {
        let about = engine.describe();
        about.cipher_suites.first().is_some_and(|suite| suite.0 == BASELINE)
            && family(about.name) == family(of.name)
            && (about.crypto, about.layer, about.threads) == (of.crypto, of.layer, of.threads)
            && about.wire_profile == of.wire_profile
    };
    engines.iter().find(is_it).copied()
}

#[cfg(test)]
mod tests;
