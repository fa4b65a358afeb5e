//! Conformance, as a command: the working group's vectors on burrow, and our own on every engine.

use std::process::ExitCode;

use engine_api::Registration;
use serde::Serialize;
use vectors::own::{EngineRow, engine_rows};
use vectors::{FILES, Library, Report, run_file, run_post_quantum};

use super::print;
use crate::flows;

/// What is printed as JSON: the report on the working group's files, and beside it our own.
#[derive(Serialize)]
struct Conformance {
    #[serde(flatten)]
    working_group: Report,
    post_quantum: Report,
    own: Vec<EngineRow>,
}

/// An error, and with it the exit code 2, if nothing says where the working group's vectors are.
pub(super) fn run(json: bool, present: &[Registration]) -> Result<ExitCode, String> {
    let library = Library::from_env().map_err(|why| why.to_string())?;
    let files = FILES.iter().map(|file| {
        eprintln!("running {}", file.name);
        run_file(&library, file)
    });
    let working_group = Report::new(files.collect());
    eprintln!("running the post-quantum suites' files");
    let post_quantum = run_post_quantum();
    let mut own = Vec::new();
    for engine in flows::built_in() {
        let Some(plain) = present.iter().find(|plain| plain.name() == engine.name()) else {
            continue;
        };
        eprintln!("running our own vectors on {}", engine.name());
        own.extend(engine_rows(&engine, plain).map_err(|why| why.to_string())?);
    }
    let clean = working_group.clean && post_quantum.clean && own.iter().all(|row| row.failed == 0);
    if json {
        print::json(&Conformance { working_group, post_quantum, own })?;
    } else {
        print!("{working_group}");
        println!("\nour own of the post-quantum suites, in the working group's formats");
        print!("{post_quantum}");
        table(&own);
    }
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn table(own: &[EngineRow]) {
    println!("\nour own vectors, on every MLS engine (deviating: see docs/peer-findings.md)");
    println!(
        "{:<20} {:<20} {:>8} {:>6} {:>9} {:>6} {:>11}",
        "engine", "file", "executed", "passed", "deviating", "failed", "unsupported"
    );
    for row in own {
        println!(
            "{:<20} {:<20} {:>8} {:>6} {:>9} {:>6} {:>11}",
            row.engine,
            row.file,
            row.executed,
            row.passed,
            row.deviating,
            row.failed,
            row.unsupported
        );
        row.reasons.iter().for_each(|why| println!("    not given: {why}"));
        row.failures.iter().for_each(|why| println!("    FAILED {why}"));
    }
}
