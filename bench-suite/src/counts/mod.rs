//! What an engine does in a case, counted: one sample of each case over a provider that counts.
//!
//! The samples are those of the timed rows: what [`Case::fixture`] and [`Case::setup`] prepare is not
//! counted, [`Sample::run`](crate::case::Sample::run) is, and the result is then checked to the end. The engines are the
//! counted twins that the adapters make; nothing timed has a counter in it.

use std::fmt;

use engine_api::{EngineError, Registration};
use operation_counts::{Counts, take};

use crate::case::{Case, CaseId, Row};
use crate::cases::{self, Visitor};
use crate::checks::Ledger;
use crate::floor::{Arithmetic, least};

/// What the counted twin of an engine adds to its name.
const SUFFIX: &str = "/counted";

/// A configuration whose calls can be counted.
#[derive(Clone, Copy, Debug)]
pub struct Twin {
    /// The configuration's name in every table.
    pub name: &'static str,
    /// The same engine over a provider that counts.
    pub counted: Registration,
}

/// The engines in this binary that can be counted. MDK is not among them: it brings its provider
/// with it.
#[must_use]
pub fn twins() -> Vec<Twin> {
    let mut counted = Vec::<Registration>::new();
    #[cfg(feature = "burrow")]
    counted.extend(adapter_burrow::counted());
    #[cfg(feature = "openmls")]
    counted.extend(adapter_openmls::counted());
    #[cfg(feature = "mls-rs")]
    counted.extend(adapter_mls_rs::counted());
    counted.into_iter().map(twin).collect()
}

/// Those on post-quantum cipher suites, which are counted only if they are named.
#[must_use]
pub fn post_quantum_twins() -> Vec<Twin> {
    let mut counted = Vec::<Registration>::new();
    #[cfg(feature = "burrow")]
    counted.extend(adapter_burrow::counted_post_quantum());
    #[cfg(feature = "openmls")]
    counted.extend(adapter_openmls::counted_on_request());
    #[cfg(feature = "mls-rs")]
    counted.extend(adapter_mls_rs::counted_on_request());
    counted.into_iter().map(twin).collect()
}

fn twin(counted: Registration) -> Twin {
    let name = counted.name();
    Twin { name: name.strip_suffix(SUFFIX).unwrap_or(name), counted }
}

/// One engine, one case, one size.
#[derive(Clone, Debug)]
pub struct Counted {
    /// The configuration.
    pub engine: &'static str,
    /// The case.
    pub case: CaseId,
    /// The size.
    pub size: usize,
    /// What was counted.
    pub counts: Counts,
    /// The least that RFC 9420 asks for.
    pub least: Arithmetic,
}

/// Why there is no count.
#[derive(Debug)]
pub enum Uncounted {
    /// There is no such row, for this reason.
    Absent(String),
    /// The engine failed.
    Failed(EngineError),
    /// The result was wrong, so that the count is of something else.
    Wrong(String),
    /// The engine's work may be spread over threads, of which one is counted.
    SeveralThreads,
}

impl fmt::Display for Uncounted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent(why) => f.write_str(why),
            Self::Failed(why) => write!(f, "{why}"),
            Self::Wrong(why) => write!(f, "the result is wrong: {why}"),
            Self::SeveralThreads => f.write_str("rayon has several threads here"),
        }
    }
}

impl std::error::Error for Uncounted {}

impl From<EngineError> for Uncounted {
    fn from(why: EngineError) -> Self {
        Self::Failed(why)
    }
}

/// Counts one sample of a case.
///
/// # Errors
/// [`Uncounted`].
pub fn count<C: Case>(case: C, twin: &Twin, size: usize) -> Result<Counted, Uncounted> {
    let engine = &twin.counted;
    if let Some(why) = case.absent(&engine.describe(), size) {
        return Err(Uncounted::Absent(why));
    }
    let Some(least) = least(case.id(), size) else {
        return Err(Uncounted::Absent("no arithmetic for this case".into()));
    };
    hold_rayon_to_this_thread()?;
    let mut sample = Row::new(case, engine, size)?.sample()?;
    take();
    sample.run();
    let counts = take();
    sample.spot_check().map_err(Uncounted::Wrong)?;
    let mut ledger = Ledger::default();
    ledger.open(twin.name, format_args!("{} {size}", case.id()));
    sample.check(&mut ledger)?;
    match ledger.first_failure() {
        Some(failure) => Err(Uncounted::Wrong(format!("{failure:?}"))),
        None => Ok(Counted { engine: twin.name, case: case.id(), size, counts, least }),
    }
}

/// One attempt to count.
#[derive(Debug)]
pub struct Attempt {
    /// The configuration.
    pub engine: &'static str,
    /// The case.
    pub case: CaseId,
    /// The size.
    pub size: usize,
    /// What came of it.
    pub outcome: Result<Counted, Uncounted>,
}

/// Counts each case that `wanted` names, at each of its sizes, on each engine.
#[must_use]
pub fn count_all(twins: &[Twin], wanted: &dyn Fn(CaseId, usize) -> bool) -> Vec<Attempt> {
    struct All<'a> {
        twins: &'a [Twin],
        wanted: &'a dyn Fn(CaseId, usize) -> bool,
        attempts: Vec<Attempt>,
    }
    impl Visitor for All<'_> {
        fn visit<C: Case>(&mut self, case: C) {
            let sizes = case.sizes().iter().chain(case.large_sizes());
            for size in sizes.copied().filter(|size| (self.wanted)(case.id(), *size)) {
                self.attempts.extend(self.twins.iter().map(|twin| Attempt {
                    engine: twin.name,
                    case: case.id(),
                    size,
                    outcome: count(case, twin, size),
                }));
            }
        }
    }
    let mut all = All { twins, wanted, attempts: Vec::new() };
    cases::visit_all(&mut all);
    all.attempts
}

/// Counters are per thread, and OpenMLS and mls-rs hand work to rayon. A thread that is in no pool
/// gets one of its own with itself as the only worker; one that is must be alone in it.
fn hold_rayon_to_this_thread() -> Result<(), Uncounted> {
    if rayon::current_thread_index().is_none() {
        let own = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
        std::mem::forget(own); // the thread stays in it
    }
    match rayon::current_thread_index() {
        Some(_) if rayon::current_num_threads() == 1 => Ok(()),
        _ => Err(Uncounted::SeveralThreads),
    }
}
