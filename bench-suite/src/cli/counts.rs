//! `counts`: a table for each case and size.

use std::process::ExitCode;

use clap::Args;
use operation_counts::{Counts, Operation};
use serde_json::{Map, Value, json};

use super::print;
use crate::case::Case;
use crate::cases::{self, Visitor};
use crate::counts::{Attempt, Counted, Twin, Uncounted, count_all, post_quantum_twins, twins};
use crate::floor::{Arithmetic, COMPARED, least};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Only these engines: a name, or what stands before its slash.
    #[arg(long = "engine", value_name = "NAME")]
    engines: Vec<String>,
    /// Only these cases: a name, or what it begins with.
    #[arg(long = "case", value_name = "NAME")]
    cases: Vec<String>,
    /// Only these sizes, large ones included. By default those of the tables.
    #[arg(long = "size", value_name = "NUMBER")]
    sizes: Vec<usize>,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let twins = chosen(&arguments.engines)?;
    let mut rows = Rows { arguments, rows: Vec::new() };
    cases::visit_all(&mut rows);
    if rows.rows.is_empty() {
        return Err("no case of that name has such a size".into());
    }
    let rows = rows.rows;
    let attempts = count_all(&twins, &|case, size| rows.contains(&(case.to_string(), size)));
    if arguments.json {
        print::json(&attempts.iter().map(as_json).collect::<Vec<_>>())?;
    } else {
        print_tables(&attempts);
    }
    let clean = attempts.iter().all(|attempt| match &attempt.outcome {
        Ok(counted) => counted.least.undercut(&counted.counts).is_empty(),
        Err(Uncounted::Absent(_)) => true,
        Err(_) => false,
    });
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn chosen(wanted: &[String]) -> Result<Vec<Twin>, String> {
    let on_request = post_quantum_twins();
    let is_on_request = |twin: &Twin| on_request.iter().any(|other| other.name == twin.name);
    let all = [twins(), on_request.clone()].concat();
    // Those on post-quantum suites by their whole names only.
    let fits = |twin: &Twin, wanted: &str| {
        let rest = twin.name.strip_prefix(wanted);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/') && !is_on_request(twin))
    };
    if let Some(stranger) = wanted.iter().find(|name| !all.iter().any(|twin| fits(twin, name))) {
        let names: Vec<_> = all.iter().map(|twin| twin.name).collect();
        return Err(format!("{stranger} can't be counted; there are {}", names.join(", ")));
    }
    let is_wanted = |twin: &Twin| match wanted {
        [] => !is_on_request(twin),
        names => names.iter().any(|name| fits(twin, name)),
    };
    Ok(all.into_iter().filter(is_wanted).collect())
}

/// The cases and sizes that were asked for.
struct Rows<'a> {
    arguments: &'a Arguments,
    rows: Vec<(String, usize)>,
}

impl Visitor for Rows<'_> {
    fn visit<C: Case>(&mut self, case: C) {
        let name = case.id().to_string();
        let (cases, sizes) = (&self.arguments.cases, &self.arguments.sizes);
        if !cases.is_empty() && !cases.iter().any(|wanted| name.starts_with(wanted.as_str())) {
            return;
        }
        let all = case.sizes().iter().chain(case.large_sizes());
        let chosen = all.filter(|size| match sizes.is_empty() {
            true => case.sizes().contains(size),
            false => sizes.contains(size),
        });
        self.rows.extend(chosen.map(|size| (name.clone(), *size)));
    }
}

// ---- The tables ---------------------------------------------------------------------------------

fn print_tables(attempts: &[Attempt]) {
    println!("In brackets: above the least. `!`: below it, which is to be explained.");
    let same_row = |a: &Attempt, b: &Attempt| (a.case, a.size) == (b.case, b.size);
    for row in attempts.chunk_by(same_row) {
        print_row(row);
    }
}

fn print_row(row: &[Attempt]) {
    let Some(first) = row.first() else {
        return;
    };
    println!("\n{} {} ({})", first.case, first.size, first.case.size_means());
    let counted: Vec<_> = row.iter().filter_map(|one| one.outcome.as_ref().ok()).collect();
    for attempt in row {
        if let Err(why) = &attempt.outcome {
            println!("    {}: not counted: {why}", attempt.engine);
        }
    }
    let Some(least) = least(first.case, first.size).filter(|_| !counted.is_empty()) else {
        return;
    };
    print!("    {:<22} {:>9}", "", "least");
    counted.iter().for_each(|one| print!(" {:>20}", one.engine));
    println!();
    for (at, (name, _, least)) in least.compare(&Counts::NONE).into_iter().enumerate() {
        let compared: Vec<_> = counted.iter().map(|one| one.least.compare(&one.counts)).collect();
        let of_it: Vec<_> = compared.iter().filter_map(|one| one.get(at)).collect();
        if least == 0 && of_it.iter().all(|(_, is, _)| *is == 0) {
            continue;
        }
        print!("    {name:<22} {least:>9}");
        of_it.iter().for_each(|(_, is, least)| print!(" {:>20}", marked(*is, *least)));
        println!();
    }
    for operation in BYTES {
        print!("    {:<22} {:>9}", format!("{} bytes", operation.name()), "");
        counted.iter().for_each(|one| print!(" {:>20}", one.counts.of(*operation).bytes));
        println!();
    }
}

/// The operations whose cost grows with their input.
const BYTES: &[Operation] = &[Operation::AeadSeal, Operation::AeadOpen, Operation::Hash];

fn marked(is: u64, least: u64) -> String {
    match is.checked_sub(least) {
        Some(0) => is.to_string(),
        Some(more) => format!("{is} (+{more})"),
        None => format!("{is} (!-{})", least.saturating_sub(is)),
    }
}

// ---- JSON -----------------------------------------------------------------------------------------

fn as_json(attempt: &Attempt) -> Value {
    let mut row = json!({
        "engine": attempt.engine,
        "case": attempt.case.to_string(),
        "size": attempt.size,
    });
    let outcome = match &attempt.outcome {
        Ok(Counted { counts, least, .. }) => ("counted", compared(counts, least)),
        Err(Uncounted::Absent(why)) => ("absent", json!(why)),
        Err(why) => ("failed", json!(why.to_string())),
    };
    row[outcome.0] = outcome.1;
    row
}

fn compared(counts: &Counts, least: &Arithmetic) -> Value {
    let mut operations = Map::new();
    for operation in Operation::ALL {
        let tally = counts.of(*operation);
        let mut of_it = json!({ "calls": tally.calls, "bytes": tally.bytes });
        if COMPARED.contains(operation) {
            of_it["least"] = json!(least.calls(*operation));
        }
        operations.insert(operation.name().into(), of_it);
    }
    let key_pairs = json!({ "calls": counts.kem_key_pairs(), "least": least.kem_key_pairs() });
    operations.insert("kem_key_pairs".into(), key_pairs);
    Value::Object(operations)
}
