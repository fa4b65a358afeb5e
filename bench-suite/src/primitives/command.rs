//! `cgka-bench primitives`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use bench_results::tables::{self, Table, TablesFile};
use bench_results::units;
use clap::Args;

use super::{crossover, hardware, heap, objects, rows};
use crate::side_by_side::{Plan, Row, Writer, interval, measure, save, shown};

/// What the command is asked.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Only these rows: a name, or what it begins with.
    #[arg(long = "row", value_name = "NAME")]
    rows: Vec<String>,
    /// How often each library has its turn in a row.
    #[arg(long, default_value_t = Plan::default().rounds, value_parser = at_least_nine)]
    rounds: u32,
    /// About how long a turn is, in microseconds.
    #[arg(long, default_value_t = 100)]
    turn: u64,
    /// Only checks that the libraries agree, and lists the rows.
    #[arg(long)]
    list: bool,
    /// Only the fastest of each row.
    #[arg(long)]
    fastest: bool,
    /// Only prints how large keys, signatures and ciphertexts are, and how strong the algorithms.
    #[arg(long)]
    sizes: bool,
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

/// Too few rounds have no interval.
fn at_least_nine(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(rounds) if rounds >= 9 => Ok(rounds),
        _ => Err("a number of at least 9".into()),
    }
}

/// Runs it.
///
/// # Errors
///
/// If libraries disagree, or no row has such a name.
pub fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    if arguments.sizes {
        objects::print()?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut rows = rows()?;
    let named = |row: &Row| {
        arguments.rows.is_empty() || arguments.rows.iter().any(|name| row.name.starts_with(name))
    };
    rows.retain(named);
    if rows.is_empty() {
        return Err("no row of that name".into());
    }
    if arguments.list {
        rows.iter().for_each(list);
        return Ok(ExitCode::SUCCESS);
    }
    let plan = Plan { rounds: arguments.rounds, turn: Duration::from_micros(arguments.turn) };
    let file = recorded(&mut rows, plan)?;
    if let Some(path) = &arguments.out {
        save(path, &file, arguments.force)?;
    }
    if arguments.json {
        println!("{}", serde_json::to_string(&file).map_err(|why| why.to_string())?);
        return Ok(ExitCode::SUCCESS);
    }
    for about in file.tables.iter().flat_map(|table| &table.about) {
        println!("{about}");
    }
    for row in file.tables.iter().flat_map(|table| &table.rows) {
        if arguments.fastest { fastest(row) } else { shown(row) }
    }
    for sentence in file.tables.iter().flat_map(|table| &table.sentences) {
        println!("{sentence}");
    }
    println!("grade: {}", file.grade.name);
    for demerit in &file.grade.demerits {
        println!("  {}: {}", demerit.kind, demerit.seen);
    }
    Ok(ExitCode::SUCCESS)
}

fn recorded(rows: &mut [Row], plan: Plan) -> Result<TablesFile, String> {
    let writer = Writer::reference(plan);
    let heap = match heap::put_to(rows) {
        Ok(()) => {
            "Allocations are of one operation. Memory that C code takes for itself isn't seen: of \
                   aws-lc, oqs and sodium it is what Rust holds for them."
                .into()
        }
        Err(why) => format!("Allocations were not counted: {why}"),
    };
    let measured: Result<Vec<_>, _> = rows.iter_mut().map(|row| measure(row, &plan)).collect();
    let mut table = Table {
        name: "primitives".into(),
        title: "Crypto libraries, head to head".into(),
        about: vec![
            "The same operation on the same input. Before a row is timed, its libraries have agreed on \
             the result, or each has opened or verified what every other made."
                .into(),
            "A `from-seed` or `from-bytes` row includes what is done once for a key; an `expanded` or \
             `parsed` one does not."
                .into(),
            heap,
            hardware::sentence(),
        ],
        rows: measured?,
        sentences: Vec::new(),
    };
    tables::statistics::fill(std::slice::from_mut(&mut table));
    table.sentences = crossover::sentences(&table.rows);
    writer.finish(vec![table], Vec::new())
}

fn list(row: &Row) {
    let libraries: Vec<_> = row.entries.iter().map(|entry| entry.name.as_str()).collect();
    println!("{}: {}", row.name, libraries.join(", "));
    for absent in &row.absent {
        println!("    not {}: {}", absent.name, absent.reason);
    }
}

fn fastest(row: &tables::Row) {
    let Some(first) = row.entries.first() else { return };
    let rest: Vec<_> = row
        .entries
        .iter()
        .skip(1)
        .map(|entry| format!("{} {}", entry.name, interval(&entry.ratio)))
        .collect();
    let median = units::time(first.median_ns);
    println!("{}: {} {median}; {}", row.name, first.name, rest.join(", "));
}
