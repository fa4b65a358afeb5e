//! What the engines' counted twins do, and the floor: in a process of its own, which times nothing
//! but the primitives.

use bench_results::format::{Counts, Floor, FloorTerm, Primitive};
use engine_api::WireProfile;
use operation_counts::Operation;

use super::{Worker, guarded, tell};
use crate::case::Case;
use crate::counts::{count, twins};
use crate::floor::{Primitives, floor};
use crate::record::protocol::{Event, Group};

/// Operations are counted in groups up to this size: in larger ones preparing the counted twins
/// takes minutes, and the floor, which is arithmetic, is there all the same.
const COUNTED_UP_TO: usize = 1001;

/// What no floor has a price for.
const LEFT_OUT: &[&str] = &[
    "encoding and decoding",
    "comparing, allocating and copying",
    "storing",
    "random bytes",
    "bytes beyond the least size of what is hashed, signed and sealed",
];

/// Measures the primitives once, and tells their prices.
pub(super) fn prices() -> Result<Primitives, String> {
    let primitives = Primitives::measure().map_err(|why| format!("no primitives: {why:?}"))?;
    let each = |measure: &crate::floor::Measure| Primitive {
        name: measure.name(),
        backend: measure.backend.into(),
        bytes: measure.bytes,
        per_byte_ns: primitives.per_byte_ns(measure.primitive, measure.backend),
        median_ns: measure.median_ns,
        samples: u32::try_from(measure.n).unwrap_or(u32::MAX),
    };
    tell(&Event::Primitives(primitives.measures.iter().map(each).collect()))?;
    Ok(primitives)
}

pub(super) fn group<C: Case>(
    worker: &Worker,
    case: C,
    group: &Group,
    prices: &Primitives,
) -> Result<(), String> {
    let twins = twins();
    let least = floor(case.id(), group.size, prices).map(of_file);
    for seat in &group.seats {
        let arm = &worker.job.arms[seat.arm];
        worker.mark(seat.arm);
        let is_counted =
            |twin: &&crate::counts::Twin| group.size <= COUNTED_UP_TO && twin.name == arm.engine;
        let counts = twins.iter().find(is_counted).and_then(|twin| {
            let counted = guarded(|| Ok(count(case, twin, group.size).ok()));
            counted.ok().flatten().map(|counted| by_name(&counted.counts))
        });
        // The floor is of RFC 9420: an engine of another protocol has none.
        let profile = worker.engines[seat.arm].map(|engine| engine.describe().wire_profile);
        let floor = match profile {
            Some(WireProfile::Mls | WireProfile::Marmot) => least.clone(),
            _ => None,
        };
        let (case, size) = (group.case.clone(), group.size);
        tell(&Event::Counted { case, size, arm: seat.arm, counts, floor })?;
    }
    Ok(())
}

fn by_name(counted: &operation_counts::Counts) -> Counts {
    let mut counts = Counts::default();
    for operation in Operation::ALL {
        let tally = counted.of(*operation);
        if tally.calls > 0 {
            counts.calls.insert(operation.name().into(), tally.calls);
        }
        if tally.bytes > 0 {
            counts.bytes.insert(operation.name().into(), tally.bytes);
        }
    }
    counts
}

fn of_file(floor: crate::floor::Floor) -> Floor {
    let term = |priced: &crate::floor::Priced| FloorTerm {
        primitive: priced.measure.clone(),
        bytes: priced.term.bytes,
        count: priced.term.calls,
        each_ns: priced.each_ns,
        backend: priced.backend.into(),
    };
    Floor {
        total_ns: floor.total_ns,
        terms: floor.terms.iter().map(term).collect(),
        left_out: LEFT_OUT.iter().map(ToString::to_string).collect(),
    }
}
