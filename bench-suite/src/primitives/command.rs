//! `cgka-bench primitives`.

use std::process::ExitCode;
use std::time::Duration;

use bench_results::units;
use clap::Args;

use super::{Measured, Plan, Row, measure, rows};

/// What the command is asked.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Only these rows: a name, or what it begins with.
    #[arg(long = "row", value_name = "NAME")]
    rows: Vec<String>,
    /// How often each library has its turn in a row.
    #[arg(long, default_value_t = Plan::default().rounds, value_parser = at_least_nine)]
    rounds: usize,
    /// About how long a turn is, in microseconds.
    #[arg(long, default_value_t = 100)]
    turn: u64,
    /// Only checks that the libraries agree, and lists the rows.
    #[arg(long)]
    list: bool,
    /// Only the fastest of each row.
    #[arg(long)]
    fastest: bool,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

/// Too few rounds have no interval.
fn at_least_nine(text: &str) -> Result<usize, String> {
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
    let measured: Vec<Measured> = rows.iter_mut().filter_map(|row| measure(row, &plan)).collect();
    if arguments.json {
        let text = serde_json::to_string_pretty(&measured).map_err(|why| why.to_string())?;
        println!("{text}");
    } else {
        println!("processor features: {}", features().join(" "));
        measured.iter().for_each(if arguments.fastest { fastest } else { table });
    }
    Ok(ExitCode::SUCCESS)
}

fn list(row: &Row) {
    let libraries: Vec<_> = row.entries.iter().map(|entry| entry.library).collect();
    println!("{}: {}", row.name, libraries.join(", "));
    for absent in &row.absent {
        println!("    not {}: {}", absent.library, absent.reason);
    }
}

fn table(measured: &Measured) {
    // Below one in a hundred it makes no difference to a reader.
    let steady = if measured.against_itself.is_one_within(0.01) { "" } else { ", unsteady" };
    println!("{} (against itself {}{steady})", measured.row, shown(&measured.against_itself));
    for time in &measured.times {
        let speed = measured
            .bytes
            .map_or(String::new(), |bytes| format!("  {:6.2} GB/s", bytes as f64 / time.median_ns));
        let (library, median) = (time.library, units::time(time.median_ns));
        println!("    {library:<11} {median:>10}  {}{speed}", shown(&time.ratio));
    }
    for (library, reason) in &measured.absent {
        println!("    {library:<11} {:>10}  {reason}", "-");
    }
}

fn fastest(measured: &Measured) {
    let Some(first) = measured.times.first() else { return };
    let rest: Vec<_> = measured
        .times
        .iter()
        .skip(1)
        .map(|time| format!("{} {}", time.library, shown(&time.ratio)))
        .collect();
    let median = units::time(first.median_ns);
    println!("{}: {} {median}; {}", measured.row, first.library, rest.join(", "));
}

fn shown(ratio: &super::Ratio) -> String {
    format!("{:.2} [{:.2}, {:.2}]", ratio.median, ratio.low, ratio.high)
}

/// What this processor has of what the libraries look for.
fn features() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        let looked_for = [
            (is_x86_feature_detected!("adx"), "adx"),
            (is_x86_feature_detected!("aes"), "aes"),
            (is_x86_feature_detected!("avx2"), "avx2"),
            (is_x86_feature_detected!("avx512f"), "avx512f"),
            (is_x86_feature_detected!("avx512ifma"), "avx512ifma"),
            (is_x86_feature_detected!("bmi2"), "bmi2"),
            (is_x86_feature_detected!("pclmulqdq"), "pclmulqdq"),
            (is_x86_feature_detected!("sha"), "sha"),
            (is_x86_feature_detected!("vaes"), "vaes"),
            (is_x86_feature_detected!("vpclmulqdq"), "vpclmulqdq"),
        ];
        looked_for.into_iter().filter_map(|(present, name)| present.then_some(name)).collect()
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        vec!["not looked for on this architecture"]
    }
}
