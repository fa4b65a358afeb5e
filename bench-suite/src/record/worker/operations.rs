//! What the engines' counted twins do, and the floor: in a process of its own, which times nothing
//! but the primitives.

use std::collections::BTreeMap;
use std::sync::Arc;

use bench_results::format::{Counts, Floor, FloorTerm, Primitive};
use bench_results::migration::suites::BASELINE;
use bench_results::price::priced_as;
use crypto_api::{CipherSuite, CryptoBackend, CryptoError};
use engine_api::{Registration, WireProfile};
use operation_counts::Operation;

use super::{Worker, guarded, tell};
use crate::case::{Case, CaseId};
use crate::counts::{count, post_quantum_twins, twins};
use crate::floor::{Lengths, Primitives, backends, floor_with, post_quantum_backends};
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

/// What the primitives cost on each cipher suite of a run, by its number.
#[derive(Default)]
pub(super) struct Prices(BTreeMap<u16, OnSuite>);

/// What they cost on one.
struct OnSuite {
    suite: String,
    lengths: Lengths,
    primitives: Primitives,
}

/// Measures the primitives once, and tells their prices.
pub(super) fn prices(engines: &[Option<Registration>]) -> Result<Prices, String> {
    let mut prices = Prices::default();
    for (number, backends) in backends_by_suite(engines) {
        let known = OnSuite::measure(number, &backends);
        prices.0.insert(number.0, known.map_err(|why| format!("no primitives: {why:?}"))?);
    }
    tell(&Event::Primitives(prices.0.values().flat_map(OnSuite::of_file).collect()))?;
    Ok(prices)
}

type Backends = Vec<Arc<dyn CryptoBackend>>;

/// Of 0x0001 those that are always priced. Of other suites, and as soon as there is one of 0x0001 too,
/// those of the engines on it.
fn backends_by_suite(engines: &[Option<Registration>]) -> Vec<(CipherSuite, Backends)> {
    let mut on: BTreeMap<u16, Vec<&'static str>> = BTreeMap::from([(BASELINE, Vec::new())]);
    for about in engines.iter().flatten().map(Registration::describe) {
        let suite = about.cipher_suites.first().map_or(BASELINE, |suite| suite.0);
        on.entry(suite).or_default().push(about.crypto);
    }
    let beyond = on.len() > 1;
    let all = post_quantum_backends();
    let of = |(number, cryptos): (u16, Vec<&'static str>)| {
        let mut backends = if number == BASELINE { backends() } else { Vec::new() };
        let known: Vec<_> = backends.iter().map(|backend| backend.name()).collect();
        let suite = CipherSuite(number);
        let is_wanted = |backend: &&Arc<dyn CryptoBackend>| {
            let name = backend.name();
            let used = cryptos.iter().any(|crypto| priced_as(crypto, FIRST) == name);
            beyond && used && !known.contains(&name) && backend.suite(suite).is_ok()
        };
        backends.extend(all.iter().filter(is_wanted).cloned());
        (suite, backends)
    };
    on.into_iter().map(of).filter(|(_, backends)| !backends.is_empty()).collect()
}

/// The suite without which a price's backend has its name alone.
const FIRST: &str = "0x0001";

impl OnSuite {
    fn measure(number: CipherSuite, backends: &Backends) -> Result<Self, CryptoError> {
        let lengths = match backends.first() {
            Some(backend) => Lengths::of(backend.suite(number)?)?,
            None => Lengths::default(),
        };
        let primitives = Primitives::measure_suite(number, backends)?;
        Ok(Self { suite: engine_api::CipherSuite(number.0).to_string(), lengths, primitives })
    }

    fn of_file(&self) -> impl Iterator<Item = Primitive> {
        self.primitives.measures.iter().map(|measure| Primitive {
            name: measure.name(),
            backend: priced_as(measure.backend, &self.suite),
            bytes: measure.bytes,
            per_byte_ns: self.primitives.per_byte_ns(measure.primitive, measure.backend),
            median_ns: measure.median_ns,
            samples: u32::try_from(measure.n).unwrap_or(u32::MAX),
        })
    }

    fn floor(&self, case: CaseId, size: usize) -> Option<Floor> {
        let floor = floor_with(case, size, self.lengths, &self.primitives)?;
        let term = |priced: &crate::floor::Priced| FloorTerm {
            primitive: priced.measure.clone(),
            bytes: priced.term.bytes,
            count: priced.term.calls,
            each_ns: priced.each_ns,
            backend: priced_as(priced.backend, &self.suite),
        };
        Some(Floor {
            total_ns: floor.total_ns,
            terms: floor.terms.iter().map(term).collect(),
            left_out: LEFT_OUT.iter().map(ToString::to_string).collect(),
        })
    }
}

pub(super) fn group<C: Case>(
    worker: &Worker,
    case: C,
    group: &Group,
    prices: &Prices,
) -> Result<(), String> {
    let twins = [twins(), post_quantum_twins()].concat();
    for seat in &group.seats {
        let arm = &worker.job.arms[seat.arm];
        worker.mark(seat.arm);
        let is_counted =
            |twin: &&crate::counts::Twin| group.size <= COUNTED_UP_TO && twin.name == arm.engine;
        let counts = twins.iter().find(is_counted).and_then(|twin| {
            let counted = guarded(|| Ok(count(case, twin, group.size).ok()));
            counted.ok().flatten().map(|counted| by_name(&counted.counts))
        });
        let floor = worker.engines[seat.arm].and_then(|engine| {
            let about = engine.describe();
            // The floor is of RFC 9420: an engine of another protocol has none.
            let is_mls = matches!(about.wire_profile, WireProfile::Mls | WireProfile::Marmot);
            let suite = about.cipher_suites.first().filter(|_| is_mls)?;
            prices.0.get(&suite.0)?.floor(case.id(), group.size)
        });
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
