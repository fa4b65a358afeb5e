//! A row for people.

use bench_results::{tables, units};

/// Prints a file: its rows, each with what `further` prints below it, what they say, and the grade.
pub fn told(file: &tables::TablesFile, further: impl Fn(&tables::Row)) {
    for table in &file.tables {
        println!("{}", table.title);
        for row in &table.rows {
            shown(row);
            further(row);
        }
        table.sentences.iter().for_each(|sentence| println!("{sentence}"));
    }
    println!("grade: {}", file.grade.name);
    for demerit in &file.grade.demerits {
        println!("  {}: {}", demerit.kind, demerit.seen);
    }
}

/// Prints a row with its entries, and who is missing.
pub fn shown(row: &tables::Row) {
    let control = row.control.as_ref().map_or(String::new(), |control| {
        // Below one in a hundred it makes no difference to a reader.
        let steady = if control.ratio.is_one_within(0.01) { "" } else { ", unsteady" };
        format!(" (against itself {}{steady})", interval(&control.ratio))
    });
    println!("{}{control}", row.name);
    let names = row.entries.iter().map(|entry| entry.name.len());
    let names = names.chain(row.absent.iter().map(|absent| absent.name.len()));
    let width = names.max().unwrap_or_default();
    for entry in &row.entries {
        let speed = row.bytes.map_or(String::new(), |bytes| {
            format!("  {:6.2} GB/s", bytes as f64 / entry.median_ns)
        });
        let median = units::time(entry.median_ns);
        println!("    {:<width$} {median:>10}  {}{speed}", entry.name, interval(&entry.ratio));
    }
    for absent in &row.absent {
        println!("    {:<width$} {:>10}  {}", absent.name, "-", absent.reason);
    }
}

/// A ratio with its interval.
#[must_use]
pub fn interval(ratio: &tables::Ratio) -> String {
    format!("{:.2} [{:.2}, {:.2}]", ratio.median, ratio.low, ratio.high)
}
