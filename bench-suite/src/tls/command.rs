//! `cgka-bench tls`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use bench_results::tables::{Entry, TablesFile};
use bench_results::units;
use clap::Args;
use tls_api::check::Failure;
use tls_api::{Cell, Chains};

use super::counted::Counts;
use super::{Stacks, matrix, phases, ready};
use crate::side_by_side::{Plan, WRONG, Writer, save, told};

/// What the command is asked.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Only cells with this in their names, `group/certificate`; no phases then.
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// Only these stacks.
    #[arg(long = "stack", value_name = "NAME")]
    stacks: Vec<String>,
    /// The fewest rounds, of the shortest turns.
    #[arg(long)]
    quick: bool,
    /// Only checks every cell, and says who has it.
    #[arg(long)]
    list: bool,
    /// As JSON: the tables file.
    #[arg(long)]
    json: bool,
    /// Writes the tables file, for `report`.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replaces a file of that name.
    #[arg(long)]
    force: bool,
}

impl Arguments {
    fn plan(&self) -> Plan {
        if self.quick {
            Plan { rounds: 9, turn: Duration::from_millis(1) }
        } else {
            Plan { rounds: 31, turn: Duration::from_millis(5) }
        }
    }

    fn cells(&self) -> Result<Vec<Cell>, String> {
        let wanted = |cell: &Cell| {
            let name = cell.to_string().to_lowercase();
            self.only.is_empty() || self.only.iter().any(|text| name.contains(&text.to_lowercase()))
        };
        let named = |text: &&String| {
            Cell::all().any(|cell| cell.to_string().to_lowercase().contains(&text.to_lowercase()))
        };
        match self.only.iter().find(|text| !named(text)) {
            Some(stranger) => Err(format!("no cell has {stranger} in its name")),
            None => Ok(Cell::all().filter(wanted).collect()),
        }
    }
}

/// Runs it. The code is 1 if a cell is wrong or the controls void the run.
///
/// # Errors
///
/// If there is no such cell or stack, or the file can't be written.
pub fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let cells = arguments.cells()?;
    let stacks = Stacks::find(&arguments.stacks)?;
    if stacks.present.is_empty() {
        let missing = stacks.missing.iter();
        let why: Vec<_> = missing.map(|(name, why)| format!("{name}, {why}")).collect();
        return Err(format!("no such stack here: {}", why.join("; ")));
    }
    let chains = Chains::make().map_err(|why| why.to_string())?;
    if arguments.list {
        return Ok(list(&stacks, &cells, &chains));
    }
    let file = recorded(arguments, &stacks, &cells, &chains)?;
    if let Some(path) = &arguments.out {
        save(path, &file, arguments.force)?;
    }
    if arguments.json {
        println!("{}", serde_json::to_string(&file).map_err(|why| why.to_string())?);
    } else {
        told(&file, |row| row.entries.iter().for_each(further));
    }
    let wrong = file.grade.demerits.iter().any(|demerit| demerit.kind == WRONG);
    let void = file.grade.name == "invalid";
    Ok(if wrong || void { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn recorded(
    arguments: &Arguments,
    stacks: &Stacks,
    cells: &[Cell],
    chains: &Chains,
) -> Result<TablesFile, String> {
    let plan = arguments.plan();
    let counts = Counts::take();
    let writer = Writer::reference(plan);
    let (table, mut seen) = matrix::table(stacks, cells, chains, &plan, &counts);
    let mut tables = vec![table];
    if arguments.only.is_empty() {
        let (table, more) = phases::table(&stacks.present, chains, &plan, &counts);
        tables.push(table);
        seen.extend(more);
    }
    writer.finish(tables, seen)
}

/// What else is known of an entry, in one line.
fn further(entry: &Entry) {
    let figures = entry.parts.iter().chain(&entry.figures).map(|figure| {
        let value = match figure.unit.as_str() {
            "ns" => units::time(figure.value),
            "B" => format!("{} B", units::count(figure.value as u64)),
            _ => units::count(figure.value as u64),
        };
        format!("{} {value}", figure.name)
    });
    println!("      {}: {}", entry.name, figures.collect::<Vec<_>>().join(", "));
}

/// Checks every cell and says who has it. The code is 1 if one is wrong.
fn list(stacks: &Stacks, cells: &[Cell], chains: &Chains) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for (name, why) in &stacks.missing {
        println!("    not here: {name}, {why}");
    }
    for demerit in &stacks.broken {
        code = ExitCode::FAILURE;
        println!("WRONG {}", demerit.seen);
    }
    for cell in cells {
        println!("{cell}");
        for stack in &stacks.present {
            let name = stack.describe().name;
            match ready(stack.as_ref(), *cell, chains) {
                Ok(_) => println!("    {name}"),
                Err(Failure::Absent(why)) => println!("    not {name}: {why}"),
                Err(Failure::Wrong(why)) => {
                    code = ExitCode::FAILURE;
                    println!("    WRONG {name}: {why}");
                }
            }
        }
    }
    code
}
