//! How a run's time is divided: fixed after a first look at how long each row takes, and before the
//! first sample that counts.

use std::time::Duration;

use bench_results::statistics::FEWEST_BLOCKS;

use super::order;
use super::protocol::{Fit, Group, Seat};

/// How long a run may take, and how thorough it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name in the file.
    pub name: &'static str,
    /// The whole command, for all engines, cases and sizes.
    pub total: Duration,
    /// Fresh processes.
    pub processes: u32,
    /// Samples of a row, as soon as there is time for them.
    pub samples: u32,
    /// How long the checks may take.
    pub checks: Duration,
}

/// Two minutes. With three processes Student's interval of their medians would be two and a half times
/// as wide, and a difference of 2 % often missed.
pub const QUICK: Preset = Preset {
    name: "quick",
    total: Duration::from_secs(110),
    processes: 6,
    samples: 4000,
    checks: Duration::from_secs(20),
};

/// Ten minutes.
pub const DEFAULT: Preset = Preset {
    name: "default",
    total: Duration::from_secs(9 * 60),
    processes: 5,
    samples: 4000,
    checks: Duration::from_secs(90),
};

/// Forty minutes.
pub const THOROUGH: Preset = Preset {
    name: "thorough",
    total: Duration::from_secs(40 * 60),
    processes: 8,
    samples: 8000,
    checks: Duration::from_secs(180),
};

/// A timed sample lasts about this long at least; faster operations are run several times in it.
const SAMPLE_NS: u64 = 50_000;
/// And this many steps of the clock.
const STEPS: u64 = 100;
/// But no more than this often, as every operation has an input of its own.
const MOST_OPERATIONS: u64 = 64;
/// An engine's turn lasts about this long.
const TURN_NS: u64 = 3_000_000;
/// Samples of a turn, at most. All arms of a group take as many: the first samples of a turn come
/// after another arm's and are slower than those that follow, so arms with more would look faster.
const MOST_SAMPLES: u64 = 4;
/// What another engine leaves in the caches and the branch predictors costs the next operation up to
/// 0.1 ms, so that a figure would depend on who else is in the table: each turn begins with an
/// operation that isn't timed, in groups with an arm faster than this.
const LEAD_IN_BELOW_NS: u64 = 10_000_000;
/// Of the time that processes have, the share that may go into preparing their rows.
const MOST_PREPARING: f64 = 0.4;

/// A row of a group, as it was seen.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) arm: usize,
    /// The arm whose engine this is too: both are given the same number of operations.
    pub(super) like: usize,
    /// A busy loop behind each operation, in percent.
    pub(super) slowed: Option<f64>,
    pub(super) fit: Fit,
}

/// A group whose rows were looked at.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) case: String,
    pub(super) size: usize,
    pub(super) rows: Vec<Seen>,
}

/// The number of processes for which there is time, and what each of them does.
#[derive(Clone, Debug)]
pub(super) struct Divided {
    pub(super) processes: u32,
    pub(super) groups: Vec<Group>,
    /// What each group will take in each process.
    pub(super) expected_ns: Vec<u64>,
}

/// Divides `time` over the groups: each gets the same, but no more than it needs for
/// `samples` samples of each row, and no less than it needs for an interval.
pub(super) fn divide(
    candidates: &[Candidate],
    time: Duration,
    processes: u32,
    samples: u32,
    step_ns: u64,
) -> Divided {
    let preparing: f64 = candidates.iter().map(Candidate::preparing_ns).sum();
    let time = time.as_secs_f64() * 1e9;
    let mut processes = processes.max(1);
    while processes > 2 && preparing * f64::from(processes) > time * MOST_PREPARING {
        processes -= 1;
    }
    let left = (time / f64::from(processes) - preparing).max(0.0);
    let wants: Vec<_> = candidates
        .iter()
        .map(|candidate| Want::new(candidate, processes, samples, step_ns))
        .collect();
    let level = level(&wants, left);
    let groups = candidates.iter().zip(&wants).map(|(candidate, want)| Group {
        case: candidate.case.clone(),
        size: candidate.size,
        blocks: want.blocks(level),
        seats: want.seats.clone(),
    });
    let groups: Vec<_> = groups.collect();
    let expected = |(group, (want, candidate)): (&Group, (&Want, &Candidate))| {
        whole(f64::from(group.blocks) * want.block_ns + candidate.preparing_ns())
    };
    let expected_ns = groups.iter().zip(wants.iter().zip(candidates)).map(expected).collect();
    Divided { processes, groups, expected_ns }
}

/// What a group needs.
struct Want {
    seats: Vec<Seat>,
    block_ns: f64,
    fewest: u32,
    most: u32,
}

impl Want {
    fn new(candidate: &Candidate, processes: u32, samples: u32, step_ns: u64) -> Self {
        let mut seats: Vec<_> =
            candidate.rows.iter().map(|row| candidate.seat(row, step_ns)).collect();
        let turn = seats.iter().map(|seat| seat.turn).min().unwrap_or(1);
        let fastest = candidate.rows.iter().map(|row| row.fit.operation_ns).min().unwrap_or(0);
        let lead_in = fastest < LEAD_IN_BELOW_NS;
        for seat in &mut seats {
            seat.turn = turn;
            seat.lead_in = lead_in;
        }
        let block_ns = candidate.rows.iter().zip(&seats).map(|(row, seat)| {
            let each = real(row.fit.setup_ns + row.fit.operation_ns);
            let timed = f64::from(seat.turn) * f64::from(seat.operations);
            each * (timed + f64::from(u8::from(lead_in)))
        });
        let needed = u32::try_from(FEWEST_BLOCKS).unwrap_or(u32::MAX);
        let fewest = needed.div_ceil(processes).max(if processes < 3 { 4 } else { 3 });
        Self {
            block_ns: block_ns.sum::<f64>().max(1.0),
            fewest,
            most: samples.div_ceil(turn).div_ceil(processes).max(fewest),
            seats,
        }
    }

    /// The blocks for which `time_ns` is enough; whole cycles of the order, if there are any.
    fn blocks(&self, time_ns: f64) -> u32 {
        let possible = u32::try_from(whole(time_ns / self.block_ns)).unwrap_or(u32::MAX);
        let blocks = possible.clamp(self.fewest, self.most);
        let cycle = u32::try_from(order::cycle(self.seats.len())).unwrap_or(1).max(1);
        if blocks < cycle {
            blocks
        } else if blocks == self.most {
            blocks.div_ceil(cycle) * cycle
        } else {
            blocks / cycle * cycle
        }
    }
}

impl Candidate {
    /// Warm-ups are counted as three samples.
    fn preparing_ns(&self) -> f64 {
        let rows = self.rows.iter().map(|row| {
            real(row.fit.fixture_ns) + 3.0 * real(row.fit.setup_ns + row.fit.operation_ns)
        });
        rows.sum()
    }

    /// Two entries of one engine sit alike. The turn is the longest that the arm alone would get.
    fn seat(&self, row: &Seen, step_ns: u64) -> Seat {
        let like = self.rows.iter().find(|other| other.arm == row.like).unwrap_or(row);
        let operation = like.fit.operation_ns.max(1);
        let least = SAMPLE_NS.max(STEPS * step_ns);
        let operations = least.div_ceil(operation).clamp(1, MOST_OPERATIONS);
        let sample = operations * operation;
        let turn = (TURN_NS / sample).clamp(1, MOST_SAMPLES);
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        Seat {
            arm: row.arm,
            turn: small(turn),
            operations: small(operations),
            lead_in: false,
            rounds: row
                .slowed
                .map_or(0, |percent| whole(real(row.fit.rounds * operations) * percent / 100.0)),
        }
    }
}

/// The time per group at which the sum is what there is.
fn level(wants: &[Want], time_ns: f64) -> f64 {
    let takes = |level: f64| -> f64 {
        wants.iter().map(|want| f64::from(want.blocks(level)) * want.block_ns).sum()
    };
    let (mut low, mut high) = (0.0, time_ns.max(1.0));
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if takes(middle) > time_ns {
            high = middle;
        } else {
            low = middle;
        }
    }
    low
}

#[expect(clippy::cast_precision_loss, reason = "exact up to a hundred days")]
fn real(ns: u64) -> f64 {
    ns as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
fn whole(ns: f64) -> u64 {
    ns.max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use bench_results::format::Wire;

    use super::*;

    fn candidate(case: &str, operation_ns: &[u64]) -> Candidate {
        let rows = operation_ns.iter().enumerate().map(|(arm, ns)| Seen {
            arm,
            like: arm,
            slowed: None,
            fit: Fit {
                fixture_ns: 1_000_000,
                setup_ns: ns / 2,
                operation_ns: *ns,
                rounds: 0,
                wire: Wire::default(),
                storage: None,
            },
        });
        Candidate { case: case.into(), size: 2, rows: rows.collect() }
    }

    fn taken(divided: &Divided) -> f64 {
        divided.expected_ns.iter().map(|ns| real(*ns)).sum::<f64>() * f64::from(divided.processes)
            / 1e9
    }

    #[test]
    fn a_slow_row_does_not_starve_the_others() {
        let groups = [
            candidate("slow", &[200_000_000, 100_000_000]),
            candidate("fast", &[100_000, 200_000]),
            candidate("middle", &[2_000_000, 3_000_000]),
        ];
        let divided = divide(&groups, Duration::from_secs(60), 3, 600, 30);
        let samples = |group: usize, seat: usize| {
            let group = &divided.groups[group];
            group.blocks * group.seats[seat].turn * divided.processes
        };
        assert!(samples(0, 0) >= 6, "{}", samples(0, 0));
        assert!(samples(1, 0) >= 600 && samples(1, 1) >= 600);
        assert!(samples(2, 0) >= 600 && samples(2, 1) >= 600);
        assert!(taken(&divided) < 61.0, "{}", taken(&divided));
    }

    #[test]
    fn few_rows_end_sooner_than_they_may() {
        let divided =
            divide(&[candidate("one", &[500_000, 500_000])], Duration::from_secs(100), 3, 600, 30);
        assert!(taken(&divided) < 5.0, "{}", taken(&divided));
    }

    #[test]
    fn fast_operations_are_run_several_times_in_a_sample() {
        let mut group = candidate("fast", &[1_000, 30_000, 900_000]);
        group.rows[1].like = 0;
        let divided = divide(&[group], Duration::from_secs(1), 2, 600, 30);
        let seats = &divided.groups[0].seats;
        assert_eq!(seats[0].operations, 50);
        assert_eq!(seats[1].operations, 50);
        assert_eq!(seats[2].operations, 1);
    }

    #[test]
    fn all_arms_of_a_group_take_equally_many_samples_in_a_turn() {
        let turns = |operation_ns: &[u64]| {
            let group = candidate("mixed", operation_ns);
            let divided = divide(&[group], Duration::from_secs(100), 3, 600, 30);
            let group = &divided.groups[0];
            assert!(
                group
                    .seats
                    .iter()
                    .all(|seat| { group.blocks * seat.turn * divided.processes >= 600 })
            );
            group.seats.iter().map(|seat| seat.turn).collect::<Vec<_>>()
        };
        assert_eq!(turns(&[1_000, 30_000]), [4, 4]);
        assert_eq!(turns(&[1_000, 900_000]), [3, 3]);
        assert_eq!(turns(&[1_000, 900_000, 9_000_000]), [1, 1, 1]);
    }

    #[test]
    fn without_time_there_are_the_fewest_blocks_for_an_interval() {
        let slow = candidate("slow", &[1_000_000_000]);
        let divided = divide(&[slow], Duration::from_secs(1), 5, 600, 30);
        assert!(divided.processes == 2 || divided.groups[0].blocks >= 3);
        assert!(divided.groups[0].blocks * divided.processes >= 6);
    }
}
