//! What one operation allocates: in a program whose allocator counts.

use bench_results::format::Allocations;
use engine_api::{EngineError, Threads};

use super::{Worker, guarded, row, tell};
use crate::case::Case;
use crate::record::protocol::{Event, Group};

/// Samples of a row.
const SAMPLES: usize = 5;

/// Rows that can't be sampled are passed over: they have been reported by those who time them.
pub(super) fn group<C: Case>(worker: &Worker, case: C, group: &Group) -> Result<(), String> {
    for seat in &group.seats {
        if worker.is_stopped() {
            return Ok(());
        }
        let (name, size, arm) = (group.case.clone(), group.size, seat.arm);
        if let Ok(allocations) = count(worker, case, arm, size) {
            tell(&Event::Allocated { case: name, size, arm, allocations })?;
        }
    }
    Ok(())
}

fn count<C: Case>(
    worker: &Worker,
    case: C,
    arm: usize,
    size: usize,
) -> Result<Allocations, EngineError> {
    let Some(counter) = worker.counter else {
        return Err(EngineError::unsupported("this program's allocator doesn't count"));
    };
    let engine = worker.engines[arm].map(|engine| engine.describe());
    if engine.is_some_and(|engine| engine.threads == Threads::All) {
        return Err(EngineError::unsupported("allocations of one thread are counted"));
    }
    let row = row(worker, case, arm, size)?;
    let mut seen: Vec<Allocations> = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        let allocations = guarded(|| {
            let mut sample = row.sample()?;
            let allocations = counter(&mut || sample.run());
            sample.spot_check().map_err(EngineError::internal)?;
            Ok(allocations)
        })?;
        seen.push(allocations);
    }
    let median = |what: fn(&Allocations) -> u64| {
        let mut values: Vec<_> = seen.iter().map(what).collect();
        values.sort_unstable();
        values[values.len() / 2]
    };
    let mut left: Vec<_> = seen.iter().filter_map(|allocations| allocations.left_bytes).collect();
    left.sort_unstable();
    Ok(Allocations {
        left_bytes: left.get(left.len() / 2).copied(),
        count: median(|allocations| allocations.count),
        bytes: median(|allocations| allocations.bytes),
        peak_bytes: median(|allocations| allocations.peak_bytes),
    })
}
