//! Timing a row: its libraries in turn, batch by batch, so that what the machine does meets all of
//! them.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::{Operation, Row};

/// How long a row is timed.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How often each library has its turn.
    pub rounds: usize,
    /// About how long a turn is.
    pub turn: Duration,
}

impl Default for Plan {
    fn default() -> Self {
        Self { rounds: 61, turn: Duration::from_micros(100) }
    }
}

/// A row's times.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// The row.
    pub row: String,
    /// Bytes of message, if the row is about throughput.
    pub bytes: Option<usize>,
    /// The libraries, the fastest first.
    pub times: Vec<Timed>,
    /// The fastest against itself, timed as if it were two: 1 if the row can be read.
    pub against_itself: Ratio,
    /// Who is missing, and why.
    pub absent: Vec<(&'static str, &'static str)>,
}

/// One library's time.
#[derive(Clone, Debug, Serialize)]
pub struct Timed {
    /// Its name.
    pub library: &'static str,
    /// The median over the rounds, in nanoseconds per operation.
    pub median_ns: f64,
    /// Its time over the fastest's.
    pub ratio: Ratio,
}

/// The median of a ratio over the rounds, and what holds it with 95 % confidence.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Ratio {
    /// The median.
    pub median: f64,
    /// The interval's lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Ratio {
    /// Whether the two could be equally fast.
    #[must_use]
    pub fn holds_one(&self) -> bool {
        self.is_one_within(0.0)
    }

    /// Whether the interval is no further from 1 than that.
    #[must_use]
    pub fn is_one_within(&self, share: f64) -> bool {
        self.low <= 1.0 + share && 1.0 - share <= self.high
    }
}

/// Times a row: all its libraries once in each round, beginning with another one each time.
///
/// The fastest is only known afterwards. Each library has two turns in a round, so that each has its
/// twin.
#[must_use]
pub fn measure(row: &mut Row, plan: &Plan) -> Option<Measured> {
    let repeats: Vec<u32> =
        row.entries.iter_mut().map(|entry| repeats(&mut entry.operation, plan.turn)).collect();
    let repeats: Vec<u32> = repeats.into_iter().map(|count| count.max(row.at_least)).collect();
    let count = row.entries.len();
    // By library and twin, over the rounds.
    let mut times = vec![[const { Vec::new() }; 2]; count];
    for round in 0..plan.rounds {
        for step in 0..2 * count {
            let which = (round + step) % count;
            let twin = step / count;
            let operation = &mut row.entries[which].operation;
            times[which][(round + twin) % 2].push(turn(operation, repeats[which]));
        }
    }
    let (fastest, _) = times
        .iter()
        .map(|[time, _]| median(time))
        .enumerate()
        .min_by(|(_, one), (_, other)| one.total_cmp(other))?;
    let mut timed: Vec<Timed> = row
        .entries
        .iter()
        .zip(&times)
        .map(|(entry, [time, _])| Timed {
            library: entry.library,
            median_ns: median(time),
            ratio: ratio(time, &times[fastest][0]),
        })
        .collect();
    timed.sort_by(|one, other| one.median_ns.total_cmp(&other.median_ns));
    Some(Measured {
        row: row.name.clone(),
        bytes: row.bytes,
        times: timed,
        against_itself: ratio(&times[fastest][1], &times[fastest][0]),
        absent: row.absent.iter().map(|absent| (absent.library, absent.reason)).collect(),
    })
}

/// How many operations fill a turn.
fn repeats(operation: &mut Operation, target: Duration) -> u32 {
    turn(operation, 3); // warms up
    let once = turn(operation, 3).max(1.0);
    (target.as_nanos() as f64 / once).clamp(1.0, 1e6) as u32
}

/// Nanoseconds per operation.
fn turn(operation: &mut Operation, repeats: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..repeats {
        operation();
    }
    start.elapsed().as_nanos() as f64 / f64::from(repeats)
}

fn median(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The ratio round by round. The interval is between order statistics: of n independent values, as many
/// as n/2 + sqrt(n) lie on one side of the median in one case of forty.
fn ratio(times: &[f64], base: &[f64]) -> Ratio {
    let mut ratios: Vec<f64> = times.iter().zip(base).map(|(time, base)| time / base).collect();
    ratios.sort_by(f64::total_cmp);
    let count = ratios.len();
    let reach = 0.98 * (count as f64).sqrt();
    let low = (count as f64 / 2.0 - reach).max(0.0) as usize;
    let at = |index: usize| ratios.get(index).copied().unwrap_or(f64::NAN);
    Ratio { median: at(count / 2), low: at(low), high: at((count - 1).saturating_sub(low)) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::primitives::{Absent, Entry};

    fn wait(micros: u64) -> Operation {
        Box::new(move || {
            let start = Instant::now();
            while start.elapsed() < Duration::from_micros(micros) {}
        })
    }

    #[test]
    fn the_faster_comes_first_and_the_ratio_is_right() {
        let entry = |library, micros| Entry { library, operation: wait(micros) };
        let mut row = Row {
            name: "wait".into(),
            bytes: None,
            at_least: 1,
            entries: vec![entry("slow", 30), entry("fast", 10)],
            absent: vec![Absent { library: "none", reason: "no clock" }],
        };
        let measured = measure(&mut row, &Plan::default()).unwrap();
        assert_eq!(measured.times[0].library, "fast");
        let ratio = measured.times[1].ratio;
        assert!((2.5..3.5).contains(&ratio.median), "{ratio:?}");
        assert!(!ratio.holds_one() && measured.times[0].ratio.holds_one());
        assert!((0.9..1.1).contains(&measured.against_itself.median));
        assert_eq!(measured.absent, [("none", "no clock")]);
    }

    #[test]
    fn a_row_of_nobody_has_no_times() {
        let mut row =
            Row { name: "none".into(), bytes: None, at_least: 1, entries: vec![], absent: vec![] };
        assert!(measure(&mut row, &Plan::default()).is_none());
    }

    #[test]
    fn the_interval_is_between_order_statistics() {
        let times: Vec<f64> = (1..=61).map(f64::from).collect();
        let ratio = ratio(&times, &[1.0; 61]);
        assert_eq!((ratio.median, ratio.low, ratio.high), (31.0, 23.0, 39.0));
    }
}
