//! The divan front end: what `bench_suite!` expands to.

mod listing;

use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use engine_api::{EngineError, Registration};

use crate::case::{Case, ChangeKind, Row, Watched};
use crate::checks::Ledger;
use crate::engines;

pub use crate::cases::{Commit, CreateGroup, IngestApp, IngestCommit, JoinWelcome, Send};
pub use crate::world::Tree;

/// The longest that one cell is sampled, setups included, in the timing pass.
pub const MAX_TIME: Duration = Duration::from_millis(1000);

/// How many samples a cell has at most in the timing pass.
pub const SAMPLES: u32 = 300;

static ENGINES: OnceLock<Vec<Registration>> = OnceLock::new();
static FAULTS: Mutex<Vec<String>> = Mutex::new(Vec::new());
static ABSENT: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// A row of one engine in a table: the argument of a divan benchmark.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    engine: Registration,
    size: usize,
    width: usize,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>width$} {}", self.size, self.engine.name(), width = self.width)
    }
}

/// The cells of one case: sizes, and the engines within each.
pub fn cells<C: Case>(case: C) -> Vec<Cell> {
    let sizes = sizes(&case);
    let width = sizes.iter().map(|size| size.to_string().len()).max().unwrap_or(1);
    let mut cells = Vec::new();
    for size in sizes {
        for engine in ENGINES.get().into_iter().flatten() {
            if case.absent(&engine.describe(), size).is_none() {
                cells.push(Cell { engine: *engine, size, width });
            }
        }
    }
    cells
}

/// The default sizes, or with `CGKA_LARGE` set the large ones.
fn sizes<C: Case>(case: &C) -> Vec<usize> {
    if std::env::var("CGKA_LARGE").is_ok_and(|large| !["", "0"].contains(&large.as_str())) {
        case.large_sizes().to_vec()
    } else {
        case.sizes().to_vec()
    }
}

/// Checks one cell to the end, then times it. A cell that fails its checks gets no numbers.
pub fn run<C: Case>(bencher: divan::Bencher<'_, '_>, case: C, cell: &Cell) {
    let row = match checked(case, cell) {
        Ok(row) => row,
        Err(NotTimed::Unsupported(why)) => {
            return keep(&ABSENT, format!("{}/{cell}: {why}", case.id()));
        }
        Err(NotTimed::Wrong(why)) => {
            return fault(format!("{}/{cell}: not timed: {why}", case.id()));
        }
    };
    let first_fault = RefCell::new(None);
    bencher
        .with_inputs(|| match row.sample() {
            Ok(sample) => Some(Watched { sample, fault: &first_fault }),
            Err(why) => {
                first_fault.borrow_mut().get_or_insert(why.to_string());
                None
            }
        })
        .bench_local_refs(|watched| {
            if let Some(watched) = watched {
                watched.sample.run();
            }
        });
    if let Some(why) = first_fault.into_inner() {
        fault(format!(
            "{}/{cell}: THE NUMBERS ABOVE ARE VOID: a sample was wrong: {why}",
            case.id()
        ));
    }
}

enum NotTimed {
    Unsupported(String),
    Wrong(String),
}

/// A row whose first sample has passed every check. A panic is a wrong result, not the end of the
/// table.
fn checked<C: Case>(case: C, cell: &Cell) -> Result<Row<C>, NotTimed> {
    let mut ledger = Ledger::default();
    let attempt = || {
        let row = Row::new(case, &cell.engine, cell.size)?;
        row.check(&mut ledger)?;
        Ok(row)
    };
    let row = match catch_unwind(AssertUnwindSafe(attempt)) {
        Ok(Ok(row)) => row,
        Ok(Err(EngineError::Unsupported(why))) => return Err(NotTimed::Unsupported(why)),
        Ok(Err(why)) => return Err(NotTimed::Wrong(why.to_string())),
        Err(_) => return Err(NotTimed::Wrong("it panicked".into())),
    };
    match ledger.first_failure() {
        Some(entry) => Err(NotTimed::Wrong(format!("{}: {:?}", entry.check, entry.verdict))),
        None => Ok(row),
    }
}

fn fault(what: String) {
    eprintln!("{what}");
    keep(&FAULTS, what);
}

fn keep(list: &Mutex<Vec<String>>, what: String) {
    list.lock().unwrap_or_else(PoisonError::into_inner).push(what);
}

/// Runs divan on the engines in this binary plus `guests`, or, if the first argument is one of
/// the command's, the command.
pub fn main(guests: Vec<Registration>) -> ExitCode {
    engines::hold_to_one_thread();
    let mut present = engines::built_in();
    present.extend(guests);
    if let Err(why) = engines::check_names(&present) {
        eprintln!("{why}");
        return ExitCode::FAILURE;
    }
    if crate::cli::is_asked_for(std::env::args().skip(1)) {
        return crate::cli::run(&present);
    }
    if let Err(why) = choose(present) {
        eprintln!("{why}");
        return ExitCode::FAILURE;
    }
    listing::before(ENGINES.get().map_or(&[], Vec::as_slice));
    divan::main();
    let absent = ABSENT.lock().unwrap_or_else(PoisonError::into_inner);
    listing::after(ENGINES.get().map_or(&[], Vec::as_slice), &absent);
    let faults = FAULTS.lock().unwrap_or_else(PoisonError::into_inner);
    for what in faults.iter() {
        eprintln!("FAULT {what}");
    }
    if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// `CGKA_ENGINES` (comma separated) chooses the engines; `CGKA_AGAIN` names the one that is
/// entered twice (`none` for no A/A pair). Left unset, it is mls-rs/aws-lc if that is among them,
/// and otherwise the first.
fn choose(present: Vec<Registration>) -> Result<(), String> {
    let wanted = std::env::var("CGKA_ENGINES").unwrap_or_default();
    let wanted: Vec<String> =
        wanted.split(',').filter(|name| !name.is_empty()).map(String::from).collect();
    let mut chosen = engines::select(&present, &wanted)?;
    let again = match std::env::var("CGKA_AGAIN") {
        Ok(none) if none == "none" => None,
        Ok(named) => match engines::select(&chosen, std::slice::from_ref(&named))?.first() {
            Some(engine) if chosen.iter().any(|one| one.name() == engine.name()) => Some(*engine),
            _ => return Err(format!("CGKA_AGAIN={named} is not among the chosen engines")),
        },
        Err(_) => chosen
            .iter()
            .find(|engine| engine.name() == "mls-rs/aws-lc")
            .or(chosen.first())
            .copied(),
    };
    if let Some(engine) = again {
        let name: &'static str = Box::leak(format!("{} again", engine.name()).into_boxed_str());
        chosen.push(engine.renamed(name));
    }
    let _ = ENGINES.set(chosen);
    Ok(())
}

/// The commit case of a change and a tree.
#[must_use]
pub const fn commit(change: ChangeKind, tree: Tree) -> Commit {
    Commit { change, tree }
}

/// The ingest case of a change and a tree.
#[must_use]
pub const fn ingest_commit(change: ChangeKind, tree: Tree) -> IngestCommit {
    IngestCommit { change, tree }
}

/// Declares the whole suite in a bench target with `harness = false`: one table per case, with the
/// engines of this repository and those named, and a `main`.
///
/// `allocations;` in front makes it the allocation pass: the target then installs
/// `divan::AllocProfiler` as its allocator, and a few samples per row are enough.
#[macro_export]
macro_rules! bench_suite {
    (allocations; $($engine:ty),* $(,)?) => {
        #[global_allocator]
        static ALLOCATOR: $crate::divan::AllocProfiler = $crate::divan::AllocProfiler::system();
        $crate::__rows! { 5, ::core::time::Duration::from_millis(100) }
        $crate::__main! { $($engine),* }
    };
    ($($engine:ty),* $(,)?) => {
        $crate::__rows! { $crate::front::SAMPLES, $crate::front::MAX_TIME }
        $crate::__main! { $($engine),* }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __main {
    ($($engine:ty),*) => {
        fn main() -> ::std::process::ExitCode {
            $crate::front::main(::std::vec![
                $($crate::engine_api::Registration::of::<$engine>()),*
            ])
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __rows {
    ($samples:expr, $time:expr) => {
        $crate::__row! { create_group, $crate::front::CreateGroup, $samples, $time }
        $crate::__row! { join_welcome, $crate::front::JoinWelcome, $samples, $time }
        $crate::__row! { send, $crate::front::Send, $samples, $time }
        $crate::__row! { ingest_app, $crate::front::IngestApp, $samples, $time }
        $crate::__commit_rows! { commit, $samples, $time }
        $crate::__commit_rows! { ingest_commit, $samples, $time }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __commit_rows {
    ($operation:ident, $samples:expr, $time:expr) => {
        mod $operation {
            $crate::__change_rows! { $operation, add, Add, $samples, $time }
            $crate::__change_rows! { $operation, remove, Remove, $samples, $time }
            $crate::__change_rows! { $operation, update, Update, $samples, $time }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __change_rows {
    ($operation:ident, $module:ident, $change:ident, $samples:expr, $time:expr) => {
        mod $module {
            const CHANGE: $crate::case::ChangeKind = $crate::case::ChangeKind::$change;
            $crate::__row! {
                cold, $crate::front::$operation(CHANGE, $crate::front::Tree::Cold), $samples, $time
            }
            $crate::__row! {
                warm, $crate::front::$operation(CHANGE, $crate::front::Tree::Warm), $samples, $time
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
#[rustfmt::skip] // each run of it indents the attribute further
macro_rules! __row {
    ($name:ident, $case:expr, $samples:expr, $time:expr) => {
        #[$crate::divan::bench(
            crate = $crate::divan,
            args = $crate::front::cells($case),
            sample_count = $samples,
            max_time = $time,
        )]
        fn $name(bencher: $crate::divan::Bencher, cell: &$crate::front::Cell) {
            $crate::front::run(bencher, $case, cell);
        }
    };
}
