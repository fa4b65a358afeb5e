//! A worker: a fresh process that does one job and tells what it saw.

mod allocations;
mod budget;
mod look;
mod operations;
mod sample;

use std::any::Any;
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bench_results::format::Allocations;
use engine_api::{EngineError, Registration};

use self::budget::Budget;
use self::operations::Prices;
use super::clock;
use super::protocol::{Event, Group, Job, MARK, Task};
use crate::case::{Case, Row};
use crate::cases::{self, Visitor};
use crate::engines;

/// Counts what a piece of work allocates.
pub(crate) type Counter = fn(&mut dyn FnMut()) -> Allocations;

/// Does the job that stands in the first line of standard input.
pub(crate) fn run(present: &[Registration], counter: Option<Counter>) -> ExitCode {
    match work(present, counter) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn work(present: &[Registration], counter: Option<Counter>) -> Result<(), String> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(|why| format!("no job: {why}"))?;
    let job: Job = serde_json::from_str(&line).map_err(|why| format!("no job: {why}"))?;
    let engines = entries(&job, present);
    let marks = job.arms.iter().map(|arm| format!("{MARK}{}\n", arm.name)).collect();
    let budget = match job.task {
        Task::Look => Budget::watched(),
        Task::Sample | Task::Allocations | Task::Operations => Budget::default(),
    };
    let worker = Worker { engines, marks, counter, stop: told_to_stop(), budget, job };
    if let Some(processor) = worker.job.pin {
        clock::pin(processor)?;
    }
    let (step_ns, cost_ns) = clock::look();
    tell(&Event::Clock { step_ns, cost_ns })?;
    let prices = match worker.job.task {
        Task::Operations => operations::prices(&worker.engines)?,
        Task::Look | Task::Sample | Task::Allocations => Prices::default(),
    };
    for group in &worker.job.groups {
        if worker.is_stopped() {
            break;
        }
        tell(&Event::Began { case: group.case.clone(), size: group.size })?;
        let mut turn = OneGroup { worker: &worker, group, prices: &prices, end: Ok(()) };
        cases::visit_all(&mut turn);
        turn.end?;
    }
    tell(&Event::Ended)
}

/// The engines of the job's arms, under the arms' names; `None` where this program has no such
/// engine.
fn entries(job: &Job, present: &[Registration]) -> Vec<Option<Registration>> {
    let all: Vec<_> = engines::everything(present).into_iter().chain(engines::broken()).collect();
    let entry = |arm: &super::protocol::Arm| {
        let engine = all.iter().find(|engine| engine.name() == arm.engine)?;
        let name: &'static str = Box::leak(arm.name.clone().into_boxed_str());
        Some(engine.renamed(name))
    };
    job.arms.iter().map(entry).collect()
}

/// Set when standard input ends: the recorder closes it to stop a worker, and the system does if
/// the recorder is gone.
fn told_to_stop() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&stop);
    std::thread::spawn(move || {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        set.store(true, Ordering::Relaxed);
    });
    stop
}

fn tell(event: &Event) -> Result<(), String> {
    let line = serde_json::to_string(event).map_err(|why| why.to_string())?;
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|why| why.to_string())
}

struct Worker {
    job: Job,
    engines: Vec<Option<Registration>>,
    marks: Vec<String>,
    counter: Option<Counter>,
    stop: Arc<AtomicBool>,
    budget: Budget,
}

impl Worker {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Names the engine that has its turn, in a single write to what should be a file: it wakes
    /// nobody up.
    fn mark(&self, arm: usize) {
        let _ = io::stderr().write_all(self.marks[arm].as_bytes());
    }
}

/// One group, with whichever case it is of.
struct OneGroup<'a> {
    worker: &'a Worker,
    group: &'a Group,
    prices: &'a Prices,
    end: Result<(), String>,
}

impl Visitor for OneGroup<'_> {
    fn visit<C: Case>(&mut self, case: C) {
        if case.id().to_string() == self.group.case {
            self.end = match self.worker.job.task {
                Task::Look => look::group(self.worker, case, self.group),
                Task::Sample => sample::group(self.worker, case, self.group),
                Task::Allocations => allocations::group(self.worker, case, self.group),
                Task::Operations => operations::group(self.worker, case, self.group, self.prices),
            };
        }
    }
}

/// Does something with an engine; a panic becomes the reason why it failed.
fn guarded<T>(work: impl FnOnce() -> Result<T, EngineError>) -> Result<T, EngineError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(&*panic)))
}

fn panicked(panic: &(dyn Any + Send)) -> EngineError {
    let words = panic
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| panic.downcast_ref::<String>().cloned());
    EngineError::internal(format_args!("it panicked: {}", words.unwrap_or_default()))
}

/// A row that is to be sampled.
fn row<C: Case>(worker: &Worker, case: C, arm: usize, size: usize) -> Result<Row<C>, EngineError> {
    worker.mark(arm);
    let Some(engine) = &worker.engines[arm] else {
        return Err(EngineError::unsupported("this program has no such engine"));
    };
    guarded(|| Row::new(case, engine, size))
}
