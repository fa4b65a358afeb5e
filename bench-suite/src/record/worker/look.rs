//! The first look at a row: is it right, and how long do its parts take.

use std::time::{Duration, Instant};

use bench_results::format::{Storage, Wire};
use engine_api::{EncodedSizes, EngineError};

use super::{Worker, guarded, row, tell};
use crate::case::{Case, Sample};
use crate::checks::Ledger;
use crate::record::clock::nanoseconds;
use crate::record::protocol::{Event, Fit, Group, Seen, by_kind};
use crate::record::spin;

/// How long a row is tried, setups included.
const TRIAL: Duration = Duration::from_millis(25);
/// The same for a row that will be slowed by a share of its median.
const LONG_TRIAL: Duration = Duration::from_millis(400);
/// A row of which one operation takes longer is left out.
const LONGEST: Duration = Duration::from_secs(10);
/// Tries that a median needs at least.
const FEWEST: usize = 3;

pub(super) fn group<C: Case>(worker: &Worker, case: C, group: &Group) -> Result<(), String> {
    for seat in &group.seats {
        if worker.is_stopped() {
            return Ok(());
        }
        let seen = worker
            .budget
            .over(&group.case, group.size, seat.arm, || look(worker, case, seat.arm, group.size));
        let (case, size) = (group.case.clone(), group.size);
        tell(&Event::Looked { case, size, arm: seat.arm, seen })?;
    }
    Ok(())
}

fn look<C: Case>(worker: &Worker, case: C, arm: usize, size: usize) -> Seen {
    let absent = worker.engines[arm].and_then(|engine| case.absent(&engine.describe(), size));
    if let Some(why) = absent {
        return Seen::Absent(why);
    }
    let mut ledger = Ledger::default();
    let fit = checked(worker, case, arm, size, &mut ledger);
    if let Some(entry) = ledger.first_failure() {
        return Seen::Wrong(format!("{}: {:?}", entry.check, entry.verdict));
    }
    match fit {
        Ok(fit) => Seen::Fit(fit),
        Err(EngineError::Unsupported(why)) => Seen::Absent(why),
        Err(why) => Seen::Wrong(why.to_string()),
    }
}

fn checked<C: Case>(
    worker: &Worker,
    case: C,
    arm: usize,
    size: usize,
    ledger: &mut Ledger,
) -> Result<Fit, EngineError> {
    let start = Instant::now();
    let row = row(worker, case, arm, size)?;
    let fixture_ns = nanoseconds(start.elapsed());
    guarded(|| row.check(ledger))?;
    let slowed = worker.job.arms[arm].slowed.is_some();
    let trial = if slowed { LONG_TRIAL } else { TRIAL };
    let begin = Instant::now();
    let (mut setups, mut operations) = (Vec::new(), Vec::new());
    let (mut wire, mut storage) = (Wire::default(), None);
    while operations.len() < FEWEST || begin.elapsed() < trial {
        let whole = Instant::now();
        let operation = guarded(|| {
            let mut sample = row.sample()?;
            let written = sample.written_bytes();
            let start = Instant::now();
            sample.run();
            let took = nanoseconds(start.elapsed());
            if let Some(bytes) = sample.wire() {
                wire = Wire { sent: by_kind(&bytes.sent), received: by_kind(&bytes.received) };
            }
            sample.spot_check().map_err(EngineError::internal)?;
            if operations.is_empty() {
                storage = stored(&sample, written);
            }
            Ok(took)
        })?;
        if u128::from(operation) > LONGEST.as_nanos() {
            let took = Duration::from_nanos(operation).as_secs();
            return Err(EngineError::unsupported(format_args!(
                "one operation took {took} s; a record has none of more than {} s",
                LONGEST.as_secs()
            )));
        }
        operations.push(operation);
        setups.push(nanoseconds(whole.elapsed()).saturating_sub(operation));
    }
    let operation_ns = middle(operations);
    let rate = if slowed { spin::rounds_per_millisecond() } else { 0 };
    Ok(Fit {
        fixture_ns,
        setup_ns: middle(setups),
        operation_ns,
        rounds: rate * operation_ns / 1_000_000,
        wire,
        storage,
    })
}

/// What a sample's client stores after the operation, and wrote in it.
fn stored<C: Case>(sample: &Sample<C>, before: Option<u64>) -> Option<Storage> {
    let EncodedSizes { ratchet_tree, stored_state } = sample.sizes().unwrap_or_default();
    let bytes = |size: usize| u64::try_from(size).unwrap_or(u64::MAX);
    let storage = Storage {
        group_bytes: stored_state.map(bytes),
        tree_bytes: ratchet_tree.map(bytes),
        written_bytes: sample.written_bytes().zip(before).map(|(is, was)| is.saturating_sub(was)),
    };
    (storage != Storage::default()).then_some(storage)
}

fn middle(mut times: Vec<u64>) -> u64 {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
