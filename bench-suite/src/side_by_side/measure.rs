//! Timing a row: its entries in turn, round by round, so that what the machine does meets all of
//! them.

use std::time::Duration;

use bench_results::format::Demerit;
use bench_results::tables::{self, Figure, Ratio};

use super::{Absent, Entry, Row, Times, wrong};

/// How long a row is timed.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How often each entry has its turn.
    pub rounds: u32,
    /// About how long a turn is.
    pub turn: Duration,
}

impl Default for Plan {
    fn default() -> Self {
        Self { rounds: 61, turn: Duration::from_micros(100) }
    }
}

/// How turns follow each other, in words.
pub(super) const ORDER: &str =
    "each entry twice in a round, every other round backwards, another one first every two rounds";

/// A row of slow operations is given about that much time.
const LONGEST: Duration = Duration::from_secs(3);

/// An operation is not repeated more often than that in a turn.
const MOST_REPEATS: f64 = 1e6;

/// Times a row: all its entries in each round, beginning with another one every two rounds. Every other
/// round goes backwards, so that nobody always comes after the same one: what that one leaves in the
/// caches would be in its time, and in its twin's.
///
/// Which is the fastest is only known afterwards. Each entry has two turns in a round, so that each has
/// its twin; which of the two is the entry and which the twin changes from round to round.
///
/// # Errors
///
/// Who failed at what.
pub fn measure(row: &mut Row, plan: &Plan) -> Result<tables::Row, String> {
    let name = row.name.clone();
    let failed = |entry: &Entry, why: String| format!("{name}, {}: {why}", entry.name);
    let mut repeats = Vec::new();
    for entry in &mut row.entries {
        let fits = fitting(entry, plan.turn).map_err(|why| failed(entry, why))?;
        repeats.push(fits.max(row.at_least));
    }
    let rounds =
        affordable(row, &repeats, plan).map_err(|(at, why)| failed(&row.entries[at], why))?;
    let count = row.entries.len();
    let mut taken: Vec<[Vec<Times>; 2]> = vec![[const { Vec::new() }; 2]; count];
    for round in 0..rounds as usize {
        for step in 0..2 * count {
            let start = round / 2;
            let onwards = if round % 2 == 0 { step } else { 2 * count - step };
            let which = (start + onwards) % count;
            let twin = (round + step / count) % 2;
            let entry = &mut row.entries[which];
            let times = entry.work.turn(repeats[which]).map_err(|why| failed(entry, why))?;
            taken[which][twin].push(times);
        }
    }
    Ok(written(row, &taken))
}

/// [`measure`]; if that fails, the row without numbers, and the demerit.
pub fn measured_or_why(row: &mut Row, plan: &Plan) -> (tables::Row, Option<Demerit>) {
    match measure(row, plan) {
        Ok(measured) => (measured, None),
        Err(why) => {
            let seen = wrong(&row.name, "its timing", &why);
            (untimed(row, &why), Some(seen))
        }
    }
}

/// A row whose timing failed has no numbers.
fn untimed(row: &Row, why: &str) -> tables::Row {
    let failed = |entry: &Entry| Absent { name: entry.name.clone(), reason: why.into() };
    tables::Row {
        name: row.name.clone(),
        bytes: None,
        headline: row.headline,
        equal: false,
        absent: row.absent.iter().cloned().chain(row.entries.iter().map(failed)).collect(),
        entries: Vec::new(),
        control: None,
    }
}

/// As many rounds as are planned, but for slow operations: a row takes about [`LONGEST`], and has
/// the fewest rounds that an interval can be made of in any case.
fn affordable(row: &mut Row, repeats: &[u32], plan: &Plan) -> Result<u32, (usize, String)> {
    let mut round_ns = 0.0;
    for (at, (entry, repeats)) in row.entries.iter_mut().zip(repeats).enumerate() {
        let once = entry.work.turn(1).map_err(|why| (at, why))?.whole_ns;
        round_ns += 2.0 * once * f64::from(*repeats);
    }
    let fitting = LONGEST.as_nanos() as f64 / f64::max(round_ns, 1.0);
    let fewest = tables::statistics::FEWEST_ROUNDS as u32;
    Ok((fitting.min(f64::from(plan.rounds)) as u32).max(fewest).min(plan.rounds))
}

/// How many operations fill a turn.
fn fitting(entry: &mut Entry, target: Duration) -> Result<u32, String> {
    entry.work.turn(3)?; // warms up
    let once = entry.work.turn(3)?.whole_ns.max(1.0);
    Ok((target.as_nanos() as f64 / once).clamp(1.0, MOST_REPEATS) as u32)
}

fn written(row: &Row, taken: &[[Vec<Times>; 2]]) -> tables::Row {
    let entries: Vec<_> = row
        .entries
        .iter()
        .zip(taken)
        .map(|(entry, [times, _])| tables::Entry {
            name: entry.name.clone(),
            median_ns: 0.0,
            low_ns: 0.0,
            high_ns: 0.0,
            ratio: UNKNOWN,
            rounds_ns: wholes(times),
            parts: parts(times),
            figures: entry.figures.clone(),
        })
        .collect();
    let median = |entry: &tables::Entry| tables::statistics::interval(&entry.rounds_ns).0;
    let fastest = (0..entries.len())
        .min_by(|one, other| median(&entries[*one]).total_cmp(&median(&entries[*other])));
    let control = fastest.map(|at| tables::Control {
        name: entries[at].name.clone(),
        rounds_ns: wholes(&taken[at][1]),
        ratio: UNKNOWN,
        differs: false,
    });
    tables::Row {
        name: row.name.clone(),
        bytes: row.bytes.map(|bytes| bytes as u64),
        headline: row.headline,
        equal: row.equal,
        entries,
        control,
        absent: row.absent.clone(),
    }
}

/// Before it is computed.
const UNKNOWN: Ratio = Ratio { median: 0.0, low: 0.0, high: 0.0 };

/// A hundredth of a nanosecond is below all that a turn can tell.
fn wholes(times: &[Times]) -> Vec<f64> {
    times.iter().map(|times| (times.whole_ns * 100.0).round().max(1.0) / 100.0).collect()
}

/// Medians of the parts.
fn parts(times: &[Times]) -> Vec<Figure> {
    let Some(first) = times.first() else { return Vec::new() };
    let part = |at: usize, name: &str| {
        let values: Vec<_> =
            times.iter().filter_map(|times| Some(times.parts_ns.get(at)?.1)).collect();
        let value = tables::statistics::interval(&values).0;
        Figure { name: name.into(), value: (value * 100.0).round() / 100.0, unit: "ns".into() }
    };
    first.parts_ns.iter().enumerate().map(|(at, (name, _))| part(at, name)).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::time::Instant;

    use super::*;
    use crate::side_by_side::{Repeated, Work};

    fn wait(name: &str, micros: u64) -> Entry {
        let work = Repeated(move || {
            let start = Instant::now();
            while start.elapsed() < Duration::from_micros(micros) {}
        });
        Entry { name: name.into(), work: Box::new(work), figures: Vec::new() }
    }

    fn row(entries: Vec<Entry>) -> Row {
        let absent = vec![Absent { name: "none".into(), reason: "no clock".into() }];
        Row {
            name: "wait".into(),
            bytes: None,
            at_least: 1,
            headline: true,
            equal: false,
            entries,
            absent,
        }
    }

    fn filled(row: tables::Row) -> tables::Row {
        let table = |row| tables::Table {
            name: "t".into(),
            title: "T".into(),
            about: Vec::new(),
            rows: vec![row],
            sentences: Vec::new(),
        };
        let mut all = [table(row)];
        tables::statistics::fill(&mut all);
        let [table] = all;
        table.rows.into_iter().next().unwrap()
    }

    #[test]
    fn the_faster_comes_first_and_the_ratio_is_right() {
        let mut row = row(vec![wait("slow", 30), wait("fast", 10)]);
        let measured = filled(measure(&mut row, &Plan::default()).unwrap());
        assert_eq!(measured.entries[0].name, "fast");
        let ratio = measured.entries[1].ratio;
        assert!((2.5..3.5).contains(&ratio.median), "{ratio:?}");
        let control = measured.control.unwrap();
        assert_eq!(control.name, "fast");
        assert!((0.9..1.1).contains(&control.ratio.median));
        assert_eq!(measured.absent[0].reason, "no clock");
    }

    #[test]
    fn a_row_of_nobody_has_no_times() {
        let measured = measure(&mut row(Vec::new()), &Plan::default()).unwrap();
        assert!(measured.entries.is_empty() && measured.control.is_none());
    }

    struct Parted(u32);

    impl Work for Parted {
        fn turn(&mut self, _: u32) -> Result<Times, String> {
            self.0 += 1;
            let parts_ns = vec![("client", f64::from(self.0)), ("server", 5.0)];
            Ok(Times { whole_ns: 10.0, parts_ns })
        }
    }

    struct Failing;

    impl Work for Failing {
        fn turn(&mut self, _: u32) -> Result<Times, String> {
            Err("it wouldn't".into())
        }
    }

    #[test]
    fn parts_have_medians_and_a_failure_has_a_name() {
        let entry = |work: Box<dyn Work>| Entry { name: "one".into(), work, figures: Vec::new() };
        let plan = Plan { rounds: 9, turn: Duration::from_nanos(1) };
        let measured = measure(&mut row(vec![entry(Box::new(Parted(0)))]), &plan).unwrap();
        let parts: Vec<_> =
            measured.entries[0].parts.iter().map(|part| (part.name.as_str(), part.value)).collect();
        // Three turns before; in odd rounds the first turn is the twin's.
        assert_eq!(parts, [("client", 12.0), ("server", 5.0)]);
        let why = measure(&mut row(vec![entry(Box::new(Failing))]), &plan).unwrap_err();
        assert_eq!(why, "wait, one: it wouldn't");
    }
}
