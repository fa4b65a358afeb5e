//! The tables of a README: who is the fastest in a row, and by how much.

use std::fmt::Write;

use super::{Row, Table, TablesFile};
use crate::digest::short;
use crate::markdown::NoPlace;
use crate::statistics::CONTROL_MARGIN;
use crate::units::{ratio, time};

/// `document` with `text` between the markers of this name.
///
/// # Errors
/// [`NoPlace`].
pub fn place(document: &str, name: &str, text: &str) -> Result<String, NoPlace> {
    let (begin, end) = markers(name);
    crate::markdown::place_between(document, &begin, &end, text)
}

/// The lines that a table of this name stands between.
#[must_use]
pub fn markers(name: &str) -> (String, String) {
    (format!("<!-- {name}:begin -->"), format!("<!-- {name}:end -->"))
}

/// One table in short: its headline rows and its sentences.
#[must_use]
pub fn table(file: &TablesFile, table: &Table) -> String {
    let mut out = String::new();
    let demerits: Vec<_> = file.grade.demerits.iter().map(|d| d.kind.as_str()).collect();
    let (day, commit) = (file.started.get(..10), file.build.commit.as_deref());
    // Writing to a `String` can't fail.
    let _ = writeln!(
        out,
        "Run `{}` of {}, {}, {}, commit {}; `{}`. Grade: {}{}.\n",
        short(&file.id),
        day.unwrap_or_default(),
        file.host.kind,
        file.host.cpu,
        commit.map_or("unknown", |commit| commit.get(..12).unwrap_or(commit)),
        file.command.join(" "),
        file.grade.name,
        if demerits.is_empty() { String::new() } else { format!(" ({})", demerits.join(", ")) },
    );
    let _ = writeln!(out, "| row | fastest | median | the others, as factors of it |");
    let _ = writeln!(out, "|---|---|--:|---|");
    for row in table.rows.iter().filter(|row| row.headline) {
        let _ = writeln!(out, "{}", line(row));
    }
    out.push('\n');
    for sentence in &table.sentences {
        let _ = writeln!(out, "- {sentence}");
    }
    out
}

fn line(row: &Row) -> String {
    let Some(first) = row.entries.first() else {
        let reasons: Vec<_> =
            row.absent.iter().map(|absent| format!("{}: {}", absent.name, absent.reason)).collect();
        return format!("| `{}` | nobody | | {} |", row.name, reasons.join("; "));
    };
    let (even, behind): (Vec<_>, Vec<_>) =
        row.entries.iter().skip(1).partition(|entry| entry.ratio.is_one_within(CONTROL_MARGIN));
    let mut names = vec![first.name.as_str()];
    names.extend(even.iter().map(|entry| entry.name.as_str()));
    let behind: Vec<_> = behind
        .iter()
        .map(|entry| {
            let [median, low, high] =
                [entry.ratio.median, entry.ratio.low, entry.ratio.high].map(ratio);
            format!("{} {median} [{low}, {high}]", entry.name)
        })
        .collect();
    let median = time(first.median_ns);
    format!("| `{}` | {} | {median} | {} |", row.name, names.join(", "), behind.join("; "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::super::read::tests::file;
    use super::*;

    #[test]
    fn a_row_names_its_fastest() {
        let file = file();
        let text = table(&file, &file.tables[0]);
        assert!(
            text.contains("| `work/whole` | fast | 104 ns | slow 2.92 [2.87, 2.98] |"),
            "{text}"
        );
        assert!(text.ends_with("- fast is fast.\n"), "{text}");
    }

    #[test]
    fn a_table_goes_between_its_own_markers() {
        let document = "a\n<!-- work:begin -->\nold\n<!-- work:end -->\nb\n";
        let placed = place(document, "work", "new\n").unwrap();
        assert_eq!(placed, "a\n<!-- work:begin -->\nnew\n<!-- work:end -->\nb\n");
        assert!(place(document, "tls", "new\n").is_err());
    }
}
