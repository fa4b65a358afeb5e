//! The tables file: what is measured beside the engines' cases, a row a primitive or a handshake, and
//! what may be said of it in words.
//!
//! It is a document of its own kind beside the result file ([`crate::format`]), with the same
//! conditions and grades. Each entry keeps the time of every round, so that medians, intervals and
//! ratios can be computed again by anybody; a reader does ([`read`]).

pub mod markdown;
mod page;
pub mod read;
pub mod statistics;

use serde::{Deserialize, Serialize};

pub use page::chapter;
pub use statistics::Ratio;

use crate::format::{Build, Grade, Host};

/// What the field `kind` says of measurements under reference conditions.
pub const KIND: &str = "cgka-bench tables";

/// What the field `kind` says of measurements in which the machine was pressed on purpose: the
/// processors shared, the roles unequal. Such a file has the grade `stress`, or `invalid`.
pub const STRESS: &str = "cgka-bench stress tables";

/// The version that this code writes.
pub const VERSION: u32 = 1;

/// A run's tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TablesFile {
    /// [`KIND`] or [`STRESS`].
    pub kind: String,
    /// [`VERSION`].
    pub version: u32,
    /// SHA-256 over the compact JSON with this field empty, in hex.
    pub id: String,
    /// Version of `cgka-bench`.
    pub tool: String,
    /// The command as it was typed, without the path of the program.
    pub command: Vec<String>,
    /// When it began, RFC 3339 in UTC.
    pub started: String,
    /// When it ended.
    pub finished: String,
    /// How rows were timed.
    pub plan: Plan,
    /// The machine.
    pub host: Host,
    /// The program.
    pub build: Build,
    /// The tables.
    pub tables: Vec<Table>,
    /// What the run is worth.
    pub grade: Grade,
}

/// How rows were timed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// How often each entry of a row has its turn; fewer in rows of slow operations, but never fewer
    /// than [`statistics::FEWEST_ROUNDS`], if so many are planned.
    pub rounds: u32,
    /// About how long a turn is. An operation that takes longer is a turn.
    pub turn_ns: u64,
    /// The order within rounds, in a few words.
    pub order: String,
}

/// Rows that belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// `primitives`, `tls`, ...
    pub name: String,
    /// Its heading.
    pub title: String,
    /// What a reader has to know, a paragraph each: what is in a time, what is compared.
    pub about: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
    /// What follows from the rows, in sentences that can be quoted.
    pub sentences: Vec<String>,
}

/// One operation, by everyone who does it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// What is done.
    pub name: String,
    /// Bytes of message, where throughput means something.
    pub bytes: Option<u64>,
    /// Whether it stands in the short table of a README.
    pub headline: bool,
    /// Whether all entries do the same work: if their times differ, something else was measured, and
    /// the run is void.
    pub equal: bool,
    /// Those who do it, the fastest first.
    pub entries: Vec<Entry>,
    /// The fastest timed as if it were two.
    pub control: Option<Control>,
    /// Those who don't.
    pub absent: Vec<Absent>,
}

/// One of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// The median over the rounds, in nanoseconds per operation.
    pub median_ns: f64,
    /// What holds the median with 95 % confidence, from.
    pub low_ns: f64,
    /// To.
    pub high_ns: f64,
    /// Its time over the fastest's, round by round.
    pub ratio: Ratio,
    /// Its time in each round, in nanoseconds per operation.
    pub rounds_ns: Vec<f64>,
    /// Medians of what the whole is made of, where that is timed too.
    pub parts: Vec<Figure>,
    /// What else is known of the operation: bytes, allocations, counts.
    pub figures: Vec<Figure>,
}

/// A number with its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// What it is.
    pub name: String,
    /// How much.
    pub value: f64,
    /// `ns`, `B` or `` for a count.
    pub unit: String,
}

/// The second turns of a row's fastest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// Whose.
    pub name: String,
    /// Its time in each round, in nanoseconds per operation.
    pub rounds_ns: Vec<f64>,
    /// Over its first turns: 1, if the row can be read.
    pub ratio: Ratio,
    /// Whether it is further from 1 than [`crate::statistics::CONTROL_MARGIN`] and the chance of all
    /// controls of the file together explain.
    pub differs: bool,
}

/// One who is missing in a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Absent {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}

impl TablesFile {
    /// Its identity, see [`TablesFile::id`].
    ///
    /// # Errors
    /// If it can't be written as JSON.
    pub fn digest(&self) -> Result<String, serde_json::Error> {
        let bare = Self { id: String::new(), ..self.clone() };
        Ok(crate::digest::sha256_hex(&serde_json::to_vec(&bare)?))
    }

    /// Computes all that follows from the rounds, the grade with it, and the identity.
    ///
    /// # Errors
    /// If it can't be written as JSON.
    pub fn seal(mut self) -> Result<Self, serde_json::Error> {
        statistics::fill(&mut self.tables);
        let seen = std::mem::take(&mut self.grade.demerits);
        self.grade = self.judged(seen);
        self.id = self.digest()?;
        Ok(self)
    }

    /// The grade that conditions, controls and what was `seen` beside them lead to.
    fn judged(&self, seen: Vec<crate::format::Demerit>) -> Grade {
        let mut demerits = seen;
        for demerit in crate::grade::of_conditions(&self.host, &self.build) {
            if !demerits.contains(&demerit) {
                demerits.push(demerit);
            }
        }
        let controls: Vec<_> = self.controls().collect();
        let differs: Vec<_> = controls.iter().filter(|(_, control)| control.differs).collect();
        let unequal: Vec<_> = self.unequal().collect();
        if !unequal.is_empty() {
            let seen = format!("equal work took other times: {}", unequal.join(", "));
            demerits.push(crate::grade::demerit("control", seen));
        }
        if !differs.is_empty() {
            let names: Vec<_> =
                differs.iter().map(|(row, c)| format!("{row} {}", c.name)).collect();
            let seen = format!("an entry differs from itself: {}", names.join(", "));
            demerits.push(crate::grade::demerit("a/a", seen));
        }
        let name = match () {
            () if self.kind == STRESS && unequal.is_empty() => "stress",
            () if !differs.is_empty() || !unequal.is_empty() => "invalid",
            () if demerits.is_empty() => "reference",
            () => "demoted",
        };
        Grade { name: name.into(), demerits }
    }

    /// Rows of equal work in which an entry is surely slower than another by more than the margin.
    fn unequal(&self) -> impl Iterator<Item = &str> {
        let rows = self.tables.iter().flat_map(|table| &table.rows).filter(|row| row.equal);
        let differs = |row: &&Row| {
            row.entries
                .iter()
                .any(|entry| !entry.ratio.is_one_within(crate::statistics::CONTROL_MARGIN))
        };
        rows.filter(differs).map(|row| row.name.as_str())
    }

    /// All controls, with the names of their rows.
    pub fn controls(&self) -> impl Iterator<Item = (&str, &Control)> {
        let rows = self.tables.iter().flat_map(|table| &table.rows);
        rows.filter_map(|row| Some((row.name.as_str(), row.control.as_ref()?)))
    }
}
