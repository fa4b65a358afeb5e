//! One run of the recorder, step by step.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use bench_results::format::{Checks, Demerit, Grade, Intervals, Plan, Run};
use bench_results::write::try_place;
use engine_api::Registration;

use super::board::Board;
use super::grade::demerit;
use super::host::{self, Before};
use super::interrupt::Interrupt;
use super::plan::{Candidate, Divided, Seen, divide};
use super::process::{self, End};
use super::progress::Progress;
use super::protocol::{Arm, Event, Group, Job, Seat, Task};
use super::{Request, WORKER, checks, order, program};
use crate::counter::COUNTER;
use crate::engines;

/// How sure an interval is.
const CONFIDENCE: f64 = 0.95;
/// Draws for an interval.
const RESAMPLES: u32 = 2000;
/// Samples of an engine before the first block of a row.
const WARM_UP: u32 = 3;

/// A run under way.
pub(super) struct Session {
    request: Request,
    program: PathBuf,
    interrupt: Interrupt,
    progress: Progress,
    entries: Vec<Entry>,
    board: Board,
    began: Instant,
    started: String,
    before: Before,
    plan: Option<Divided>,
    checks: Vec<Checks>,
    demerits: Vec<Demerit>,
}

/// An entry of an engine.
struct Entry {
    arm: Arm,
    engine: Registration,
    /// The entry of the same engine that came first, or this one.
    like: usize,
    again: Option<String>,
}

/// How a worker died.
struct Death {
    /// The name of the arm whose turn it was.
    turn: Option<String>,
    why: String,
    at: Option<At>,
}

/// How far a worker got in its list of groups.
#[derive(Clone, Copy)]
enum At {
    /// It was about to do this one.
    Began(usize),
    /// It had told this one's samples.
    Sampled(usize),
}

impl Session {
    pub(super) fn new(request: Request, present: &[Registration]) -> Result<Self, String> {
        let entries = entries(&request, present)?;
        let board = Board::new(entries.len(), &request.only, &request.sizes);
        if board.groups.is_empty() {
            return Err("no row has such a name and size; see `list`".into());
        }
        Ok(Self {
            program: std::env::current_exe().map_err(|why| format!("where am I? {why}"))?,
            interrupt: Interrupt::listen()?,
            progress: Progress::new(),
            entries,
            board,
            began: Instant::now(),
            started: now(),
            before: Before::now(),
            plan: None,
            checks: Vec::new(),
            demerits: Vec::new(),
            request,
        })
    }

    /// Where the file goes. Whether it may is asked before the work, and again after it.
    pub(super) fn out(&self) -> Result<PathBuf, String> {
        let out = self.request.out.clone().unwrap_or_else(|| {
            let kind = host::describe(self.before, None, (0, 0)).kind;
            let date = self.started.get(..10).unwrap_or_default();
            Path::new("results").join(format!("{date}-{kind}.json"))
        });
        if out.exists() && !self.request.force {
            return Err(format!(
                "{} exists; --force replaces it, --out names another",
                out.display()
            ));
        }
        if let Some(folder) = out.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            let why = |why| format!("can't make {}: {why}", folder.display());
            std::fs::create_dir_all(folder).map_err(why)?;
        }
        try_place(&out).map_err(|why| why.to_string())?;
        Ok(out)
    }

    pub(super) fn say(&mut self, what: &str) {
        self.progress.phase(what);
    }

    /// Proves that the engines are right.
    pub(super) fn check(&mut self) {
        if !self.request.checks {
            self.demerits.push(demerit("checks", "left out: each row's own were made"));
            return;
        }
        self.say("checking the engines");
        let firsts = self.entries.iter().filter(|entry| entry.is_first());
        let names: Vec<_> = firsts.map(|entry| entry.arm.engine.clone()).collect();
        let limit = self.request.preset.checks;
        match checks::run(&self.program, &names, limit, &self.interrupt) {
            Ok(checks) => {
                let failing = checks.iter().filter(|line| line.failed > 0);
                let failing: Vec<_> = failing.map(|line| line.subject.clone()).collect();
                if !failing.is_empty() {
                    let seen = format!("some fail on {}", failing.join(", "));
                    self.demerits.push(demerit("checks", seen));
                }
                self.checks = checks;
            }
            Err(why) => self.demerits.push(demerit("checks", why)),
        }
    }

    /// Checks every row and looks at how long its parts take, then divides the time that is left.
    pub(super) fn look(&mut self) -> Result<(), String> {
        self.say("looking at every row");
        let every: Vec<_> = (0..self.entries.len()).map(seat).collect();
        let groups = self.board.groups.iter().map(|group| Group {
            case: group.case.clone(),
            size: group.size,
            blocks: 0,
            seats: every.clone(),
        });
        let groups = groups.collect();
        let begin = Instant::now();
        self.work(Task::Look, 0, groups, &[])?;
        let looked = begin.elapsed();
        let candidates: Vec<_> = self.candidates();
        // The passes afterwards build every row once more, without the trials.
        let left = self.request.preset.total.saturating_sub(self.began.elapsed() + looked);
        let processes = self.request.processes.unwrap_or(self.request.preset.processes);
        let samples = self.request.preset.samples;
        self.plan = Some(divide(&candidates, left, processes, samples, self.board.clock.0));
        Ok(())
    }

    fn candidates(&self) -> Vec<Candidate> {
        let candidate = |group: &super::board::Rows| {
            let fit = group.rows.iter().enumerate().filter(|(_, state)| state.is_fit());
            let rows = fit.filter_map(|(arm, state)| {
                let Entry { like, arm: Arm { slowed, .. }, .. } = &self.entries[arm];
                Some(Seen { arm, like: *like, slowed: *slowed, fit: state.fit.clone()? })
            });
            Candidate { case: group.case.clone(), size: group.size, rows: rows.collect() }
        };
        let all = self.board.groups.iter().map(candidate);
        all.filter(|candidate| !candidate.rows.is_empty()).collect()
    }

    /// Takes the samples, process after process.
    pub(super) fn sample(&mut self) -> Result<(), String> {
        let Some(plan) = self.plan.clone() else {
            return Ok(());
        };
        let total: u64 = plan.expected_ns.iter().sum::<u64>() * u64::from(plan.processes);
        self.progress.expect(Duration::from_nanos(total));
        for process in 0..plan.processes {
            if self.interrupt.is_asked() {
                break;
            }
            let mut groups = plan.groups.clone();
            for group in &mut groups {
                let Group { case, size, seats, .. } = group;
                seats.retain(|seat| self.board.is_fit(case, *size, seat.arm));
            }
            self.work(Task::Sample, process, groups, &plan.expected_ns)?;
        }
        Ok(())
    }

    /// Everything that is not timed. Where a pass fails, the samples are still what they are.
    pub(super) fn passes(&mut self) {
        let counter = self.program.with_file_name(COUNTER);
        if counter.is_file() {
            self.pass(Task::Allocations, "counting allocations", &counter);
        } else {
            let words = format!("not counted: there is no {COUNTER} beside this program");
            eprintln!("allocations: {words}");
            self.demerits.push(demerit("allocations", words));
        }
        let program = self.program.clone();
        self.pass(Task::Operations, "counting operations", &program);
    }

    fn pass(&mut self, task: Task, what: &str, program: &Path) {
        if self.interrupt.is_asked() {
            return;
        }
        self.say(what);
        let groups = self.fit_groups();
        let timed = std::mem::replace(&mut self.program, program.to_owned());
        if let Err(why) = self.work(task, 0, groups, &[]) {
            eprintln!("{what}: {why}");
            self.demerits.push(demerit("pass", format!("{what}: {why}")));
        }
        self.program = timed;
    }

    /// The rows that were measured, without second entries.
    fn fit_groups(&self) -> Vec<Group> {
        let candidates = self.candidates().into_iter();
        let group = |candidate: Candidate| Group {
            seats: candidate
                .rows
                .iter()
                .filter(|row| self.entries[row.arm].is_first())
                .map(|row| seat(row.arm))
                .collect(),
            case: candidate.case,
            size: candidate.size,
            blocks: 0,
        };
        candidates.map(group).collect()
    }

    /// Has workers do a task. Where one dies, the row in whose turn it did is wrong, and another
    /// goes on with the rest.
    fn work(
        &mut self,
        task: Task,
        process: u32,
        groups: Vec<Group>,
        expected_ns: &[u64],
    ) -> Result<(), String> {
        let mut left: Vec<(Group, u64)> = groups
            .into_iter()
            .zip(expected_ns.iter().copied().chain(std::iter::repeat(0)))
            .collect();
        left.retain(|(group, _)| !group.seats.is_empty());
        while !left.is_empty() && !self.interrupt.is_asked() {
            let Some(Death { turn, why, at }) = self.one_worker(task, process, &left)? else {
                return Ok(());
            };
            if self.interrupt.is_asked() {
                return Ok(());
            }
            match at {
                None => return Err(format!("a worker did not get to its first row: {why}")),
                Some(At::Began(reached)) => {
                    left.drain(..reached);
                    self.blame(&mut left, turn.as_deref(), &why, task);
                }
                // Taken again, its blocks would be there twice.
                Some(At::Sampled(reached)) => {
                    let mut done: Vec<_> = left.drain(..=reached).skip(reached).collect();
                    self.blame(&mut done, turn.as_deref(), &why, task);
                }
            }
            self.board.spare(&mut left);
        }
        Ok(())
    }

    /// Takes the guilty out of the first group. If nobody is, or if it was a pass that proves
    /// nothing about the samples, the group is passed over.
    fn blame(&mut self, left: &mut Vec<(Group, u64)>, turn: Option<&str>, why: &str, task: Task) {
        let Some((group, _)) = left.first_mut() else {
            return;
        };
        let arm = self.entries.iter().position(|entry| Some(entry.arm.name.as_str()) == turn);
        let guilty: Vec<_> = group
            .seats
            .iter()
            .map(|seat| seat.arm)
            .filter(|a| arm.is_none_or(|arm| arm == *a))
            .collect();
        if task == Task::Look || task == Task::Sample {
            for arm in &guilty {
                self.board.died(group, *arm, why);
            }
        } else {
            eprintln!("{}/{}: {why}", group.case, group.size);
        }
        group.seats.retain(|seat| !guilty.contains(&seat.arm));
        if group.seats.is_empty() || guilty.is_empty() {
            left.remove(0);
        }
    }

    /// Runs one worker; how it died, if it did.
    fn one_worker(
        &mut self,
        task: Task,
        process: u32,
        left: &[(Group, u64)],
    ) -> Result<Option<Death>, String> {
        let job = Job {
            process,
            seed: self.request.seed,
            pin: self.request.pin,
            warm_up: WARM_UP,
            arms: self.entries.iter().map(|entry| entry.arm.clone()).collect(),
            task,
            groups: left.iter().map(|(group, _)| group.clone()).collect(),
        };
        let Self { board, progress, .. } = self;
        let mut at = None;
        let end = process::run(&self.program, WORKER, &job, &self.interrupt, |event| {
            if let Event::Began { case, size } = &event {
                let same = |(group, _): &(Group, u64)| group.case == *case && group.size == *size;
                at = left.iter().position(same).map(At::Began);
            }
            if let (Event::Sampled { case, size, .. }, Some(At::Began(reached))) = (&event, at) {
                let what = format!("process {}, {case}/{size}", process + 1);
                progress.advance(Duration::from_nanos(left[reached].1), &what);
                at = Some(At::Sampled(reached));
            }
            board.enter(event);
        })?;
        Ok(match end {
            End::Well => None,
            End::Died { turn, why } => Some(Death { turn, why, at }),
        })
    }

    /// The run, without what is computed from it. Its grade has what was seen on the way.
    pub(super) fn finish(mut self) -> (Run, bool, Interrupt) {
        self.progress.end();
        let primitives = std::mem::take(&mut self.board.primitives);
        let resolved = program::resolved();
        let mut demerits = self.demerits;
        if resolved.is_empty() {
            demerits.push(demerit("features", "it is not known with which the engines were built"));
        }
        if self.entries.iter().any(|entry| entry.arm.slowed.is_some()) {
            demerits.push(demerit("slowed", "an entry was slowed on purpose"));
        }
        let engine = |entry: &Entry| {
            let Entry { engine, again, arm, .. } = entry;
            program::engine(engine, again.clone(), arm.slowed, &resolved)
        };
        let names: Vec<_> = self.entries.iter().map(|entry| entry.arm.name.clone()).collect();
        let plan = plan(&self.request, &self.entries, self.plan.as_ref());
        let run = Run {
            id: String::new(),
            tool: env!("CARGO_PKG_VERSION").into(),
            command: command(),
            // The system's clock may be set back meanwhile.
            finished: now().max(self.started.clone()),
            started: self.started,
            interrupted: self.interrupt.is_asked(),
            plan,
            host: host::describe(self.before, self.request.pin, self.board.clock),
            build: program::describe(),
            engines: self.entries.iter().map(engine).collect(),
            rows: self.board.into_rows(&names),
            comparisons: Vec::new(),
            controls: Vec::new(),
            primitives,
            checks: self.checks,
            grade: Grade { name: String::new(), demerits },
        };
        (run, self.request.force, self.interrupt)
    }
}

impl Entry {
    fn is_first(&self) -> bool {
        self.again.is_none() && self.arm.slowed.is_none()
    }
}

/// A place in a group before anything is known about it.
fn seat(arm: usize) -> Seat {
    Seat { arm, turn: 0, operations: 0, rounds: 0, lead_in: false }
}

/// The chosen engines, the one that is entered again, and the slowed ones.
fn entries(request: &Request, present: &[Registration]) -> Result<Vec<Entry>, String> {
    let chosen = engines::select(present, &request.engines)?;
    let entry = |engine: &Registration, name: String, like, again, slowed| Entry {
        arm: Arm { engine: engine.name().to_owned(), slowed, name: name.clone() },
        engine: engine.renamed(Box::leak(name.into_boxed_str())),
        like,
        again,
    };
    let mut entries: Vec<Entry> = Vec::new();
    for (index, engine) in chosen.iter().enumerate() {
        entries.push(entry(engine, engine.name().to_owned(), index, None, None));
    }
    if let Some(percent) = request.slowed {
        for (index, engine) in chosen.iter().enumerate() {
            let name = format!("slowed/{}", engine.name());
            entries.push(entry(engine, name, index, None, Some(percent)));
        }
    }
    if let Some(index) = again(request, &chosen)? {
        let (engine, first) = (&chosen[index], chosen[index].name().to_owned());
        let name = format!("{first} again");
        entries.push(entry(engine, name, index, Some(first), request.rigged));
    }
    Ok(entries)
}

fn again(request: &Request, chosen: &[Registration]) -> Result<Option<usize>, String> {
    let named = |name: &str| chosen.iter().position(|engine| engine.name() == name);
    match request.again.as_deref() {
        Some("none") => Ok(None),
        Some(name) => match named(name) {
            Some(index) => Ok(Some(index)),
            None => Err(format!("--again {name}: it is not among the chosen engines")),
        },
        None => Ok(named("mls-rs/aws-lc").or((!chosen.is_empty()).then_some(0))),
    }
}

fn plan(request: &Request, entries: &[Entry], divided: Option<&Divided>) -> Plan {
    let groups = divided.map(|divided| divided.groups.as_slice()).unwrap_or_default();
    Plan {
        preset: request.preset.name.into(),
        processes: divided.map_or(1, |divided| divided.processes),
        blocks: groups.iter().map(|group| group.blocks).max().unwrap_or(1).max(1),
        order: order::WORDS.into(),
        seed: request.seed,
        margin: request.margin,
        confidence: CONFIDENCE,
        resamples: RESAMPLES,
        warm_up: WARM_UP,
        again: entries.iter().find_map(|entry| entry.again.clone()),
        only: request.only.clone(),
        sizes: request.sizes.clone(),
        intervals: Intervals::OverBlocksAndProcesses,
    }
}

/// As typed, but for folders, which are nobody's business.
pub(super) fn command() -> Vec<String> {
    let arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let short = |argument: String| {
        let name = Path::new(&argument).file_name().map(|name| name.to_string_lossy().into_owned());
        match (Path::new(&argument).is_absolute(), argument.split_once('=')) {
            (true, _) => name.unwrap_or(argument),
            (false, Some((option, value))) if Path::new(value).is_absolute() => {
                format!("{option}={}", name.unwrap_or_default())
            }
            (false, _) => argument,
        }
    };
    arguments.map(short).collect()
}

pub(super) fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

#[cfg(all(test, unix))]
mod tests;
