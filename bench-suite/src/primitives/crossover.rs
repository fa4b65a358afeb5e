//! Where along a ladder of sizes one library overtakes another.

use bench_results::tables::{Entry, Row};

/// A row's place on its ladder: what is done, and to how many bytes.
fn ladder(row: &Row) -> Option<(&str, u64)> {
    let (operation, size) = row.name.rsplit_once('/')?;
    let bytes = row.bytes?;
    size.starts_with(|first: char| first.is_ascii_digit()).then_some((operation, bytes))
}

/// One sentence for each crossing between the fastest of two neighbouring parts of a ladder.
///
/// A crossing lies between the last size at which the one is surely faster and the first at which the
/// other surely is: where both intervals, of ratios round by round, leave 1 on the same side as the
/// medians do. Sizes between them are undecided.
pub(super) fn sentences(rows: &[Row]) -> Vec<String> {
    let mut operations: Vec<&str> = Vec::new();
    for (operation, _) in rows.iter().filter_map(ladder) {
        if !operations.contains(&operation) {
            operations.push(operation);
        }
    }
    operations.iter().flat_map(|operation| crossings(operation, rows)).collect()
}

fn crossings(operation: &str, rows: &[Row]) -> Vec<String> {
    let of_ladder = rows.iter().filter_map(|row| match ladder(row)? {
        (name, bytes) if name == operation => Some((bytes, row)),
        _ => None,
    });
    let mut steps: Vec<(u64, &Row)> = of_ladder.collect();
    steps.sort_by_key(|(bytes, _)| *bytes);
    let mut sentences = Vec::new();
    let mut leader: Option<&str> = None;
    for (at, (bytes, row)) in steps.iter().enumerate() {
        let Some(first) = row.entries.first() else { continue };
        match leader {
            Some(name) if name == first.name => {}
            Some(name) if leads_surely(row, name) => {
                if let Some(since) = sure(&steps[..at], name, &first.name) {
                    sentences.push(format!(
                        "{operation}: {name} is faster than {} at {since} bytes, and slower at \
                         {bytes}.",
                        first.name
                    ));
                }
                leader = Some(&first.name);
            }
            // Not behind for sure: the crossing is not reached yet.
            Some(_) => {}
            None if is_alone(row) => leader = Some(&first.name),
            None => {}
        }
    }
    sentences
}

/// The last of these sizes at which `name` is the fastest, and surely faster than `other`.
fn sure(steps: &[(u64, &Row)], name: &str, other: &str) -> Option<u64> {
    let leads = |row: &Row| row.entries.first().is_some_and(|first| first.name == name);
    let mut steps = steps.iter().rev();
    steps.find(|(_, row)| leads(row) && leads_surely(row, other)).map(|(bytes, _)| *bytes)
}

/// Whether the first of a row is surely ahead of `other`, and `other` is there.
fn leads_surely(row: &Row, other: &str) -> bool {
    row.entries.iter().find(|entry| entry.name == other).is_some_and(|entry| entry.ratio.low > 1.0)
}

/// Whether the first of a row is surely ahead of all others.
fn is_alone(row: &Row) -> bool {
    row.entries.iter().skip(1).all(|entry: &Entry| entry.ratio.low > 1.0)
}

#[cfg(test)]
mod tests {
    use bench_results::tables::Ratio;

    use super::*;

    /// The entries with their ratio to the fastest, and how far its interval reaches.
    fn row(bytes: u64, entries: &[(&str, f64, f64)]) -> Row {
        let entry = |(name, ratio, reach): &(&str, f64, f64)| Entry {
            name: (*name).into(),
            median_ns: 100.0 * ratio,
            low_ns: 0.0,
            high_ns: 0.0,
            ratio: Ratio { median: *ratio, low: ratio - reach, high: ratio + reach },
            rounds_ns: Vec::new(),
            parts: Vec::new(),
            figures: Vec::new(),
        };
        Row {
            name: format!("aead/seal/{bytes}"),
            bytes: Some(bytes),
            headline: false,
            equal: false,
            entries: entries.iter().map(entry).collect(),
            control: None,
            absent: Vec::new(),
        }
    }

    #[test]
    fn a_crossing_lies_between_two_sure_sizes() {
        let rows = [
            row(4096, &[("b", 1.0, 0.0), ("a", 1.2, 0.1)]),
            row(64, &[("a", 1.0, 0.0), ("b", 1.5, 0.1)]),
            row(256, &[("a", 1.0, 0.0), ("b", 1.2, 0.1)]),
            row(1024, &[("b", 1.0, 0.0), ("a", 1.02, 0.1)]),
        ];
        assert_eq!(
            sentences(&rows),
            ["aead/seal: a is faster than b at 256 bytes, and slower at 4096."]
        );
    }

    #[test]
    fn a_lead_that_is_undecided_is_not_said() {
        let rows = [
            row(64, &[("a", 1.0, 0.0), ("b", 1.5, 0.1)]),
            row(256, &[("a", 1.0, 0.0), ("b", 1.01, 0.1)]),
            row(1024, &[("b", 1.0, 0.0), ("a", 1.2, 0.1)]),
        ];
        assert_eq!(
            sentences(&rows),
            ["aead/seal: a is faster than b at 64 bytes, and slower at 1024."]
        );
    }

    #[test]
    fn an_undecided_ladder_has_no_crossing() {
        let rows = [
            row(64, &[("a", 1.0, 0.0), ("b", 1.01, 0.1)]),
            row(256, &[("b", 1.0, 0.0), ("a", 1.01, 0.1)]),
        ];
        assert!(sentences(&rows).is_empty());
    }
}
