//! The judge is judged: targets that are burrow but for one fault.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::{hint::black_box, time::Duration};

use burrow::{CallerError, Error};
use burrow_hostile::{
    Failure,
    input::{Input, Stage},
    judge::{Judge, MAX_MEMORY, MAX_TIME},
    report::Report,
    samples::Kind,
    target::{Burrow, Outcome, Target},
};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    None,
    Panic,
    /// Too long, each time.
    Hang,
    /// Too long, once.
    Hiccup,
    Hog,
    /// One byte of the state changes when an input is refused.
    State,
    /// The same, but it goes back by itself before anybody looks: only what is right shows it.
    Deaf,
    Forgery,
    WrongBlame,
    PanicOnMerge,
}

struct Broken<'a> {
    burrow: Burrow<'a>,
    fault: Fault,
    runs: u64,
    changed: u8,
}

/// Takes too long, in the processor's time.
fn spin() {
    let start = cpu_time::ThreadTime::now();
    while start.elapsed() < MAX_TIME * 5 / 4 {}
}

/// How often the fault shows.
const EVERY: u64 = 40;

impl Target for Broken<'_> {
    fn run(&mut self, input: &Input) -> Outcome {
        let outcome = self.burrow.run(input);
        self.runs += 1;
        let is_rejected = matches!(outcome, Outcome::Rejected(_));
        match self.fault {
            Fault::Hang if input.kind == Kind::Welcome => spin(),
            Fault::Hiccup if self.runs == EVERY => spin(),
            _ if !self.runs.is_multiple_of(EVERY) => {}
            Fault::Panic => panic!("planted"),
            Fault::Hog => drop(black_box(vec![1_u8; MAX_MEMORY + 4096])),
            Fault::State if is_rejected => self.changed = 1,
            Fault::WrongBlame if is_rejected => {
                return Outcome::Rejected(CallerError::Removed.into());
            }
            _ => {}
        }
        match self.fault {
            Fault::Forgery if is_rejected && input.kind == Kind::PublicProposal => {
                Outcome::Accepted("everything")
            }
            _ => outcome,
        }
    }

    fn finish(&mut self, input: &Input) -> Result<(), Failure> {
        assert_ne!(self.fault, Fault::PanicOnMerge, "planted");
        self.burrow.finish(input)
    }

    fn state(&self, world: usize) -> Result<Vec<u8>, Failure> {
        let mut state = self.burrow.state(world)?;
        let last = state.len() - 1;
        state[last] ^= self.changed;
        Ok(state)
    }

    fn reset(&mut self, world: usize) -> Result<(), Failure> {
        self.changed = 0;
        self.burrow.reset(world)
    }

    fn check_genuine(&self, world: usize) -> Result<(), Failure> {
        if self.fault == Fault::Deaf {
            return Err(Error::Internal("planted").into());
        }
        self.burrow.check_genuine(world)
    }

    fn is_forgery(&self, input: &Input) -> bool {
        self.burrow.is_forgery(input)
    }
}

fn report(stage: &Stage, fault: Fault) -> Report {
    let burrow = Burrow::new(stage).unwrap();
    let broken = Broken { burrow, fault, runs: 0, changed: 0 };
    let mut judge = Judge::new(broken, stage.worlds.len(), 50).unwrap();
    for index in 0..400 {
        let input = stage.input(5, index).unwrap();
        judge.judge(&format!("--replay 5 {index}"), &input).unwrap();
    }
    judge.report
}

#[test]
fn every_planted_fault_is_seen_and_none_else() {
    std::panic::set_hook(Box::new(|_| {}));
    let stage = Stage::new().unwrap();
    let mut wrong = Vec::new();
    for (fault, text) in [
        (Fault::Panic, "a panic: planted"),
        (Fault::Hang, "it took 1"),
        (Fault::Hog, "bytes of memory"),
        (Fault::State, "the state is not what it was"),
        (Fault::Deaf, "internal: planted"),
        (Fault::Forgery, "a forgery was accepted"),
        (Fault::WrongBlame, "an error that is not a peer's: Caller(Removed)"),
        (Fault::PanicOnMerge, "after it was merged: a panic"),
    ] {
        let report = report(&stage, fault);
        let all_say_so = report.failures.iter().all(|failure| failure.contains(text));
        // An input can be made again by what the report says.
        let replayable = report.failures.iter().all(|failure| failure.contains("--replay 5 "));
        if report.failed == 0 || !all_say_so || !replayable {
            wrong.push((fault, report.failed, report.failures));
        }
    }
    for fault in [Fault::None, Fault::Hiccup] {
        let report = report(&stage, fault);
        if report.failed > 0 {
            wrong.push((fault, report.failed, report.failures));
        }
    }
    let _ = std::panic::take_hook();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_hang_is_what_takes_more_than_a_tenth_of_a_second() {
    assert_eq!(MAX_TIME, Duration::from_millis(100));
    assert_eq!(MAX_MEMORY, 64 * 1024 * 1024);
}
