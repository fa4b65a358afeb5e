//! The same operation by several, timed in turns: what primitives and handshakes are compared by.
//!
//! A [`Row`] has its contenders with what each does, and those that are missing with the reason. What
//! a row's results are worth is proved before it is made; here it is only timed ([`measure`]) and
//! written down ([`Writer`]).

mod file;
mod measure;
mod shown;

use std::time::Instant;

pub use bench_results::tables::{Absent, Figure};
pub use file::{WRONG, Writer, save, wrong};
pub use measure::{Plan, measure, measured_or_why};
pub use shown::{interval, shown, told};

/// One operation, by everyone who does it.
pub struct Row {
    /// What is done.
    pub name: String,
    /// How many bytes of message that is, if the row is about throughput.
    pub bytes: Option<usize>,
    /// How many operations are the least to be averaged: more than one where their time is chance.
    pub at_least: u32,
    /// Whether it stands in the short table of a README.
    pub headline: bool,
    /// Whether all entries do the same work: if their times differ, the run is void.
    pub equal: bool,
    /// Those who do it.
    pub entries: Vec<Entry>,
    /// Those who don't.
    pub absent: Vec<Absent>,
}

/// One contender in a row.
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Does the operation.
    pub work: Box<dyn Work>,
    /// What else is known of it: bytes, allocations, counts.
    pub figures: Vec<Figure>,
}

/// Something that can be timed.
pub trait Work {
    /// Does the operation so many times, one after the other, and takes the time of that and nothing
    /// else: what an operation needs is made before, and dropped afterwards.
    ///
    /// # Errors
    ///
    /// If an operation failed, or its result was another than it should be: the row has no numbers.
    fn turn(&mut self, repeats: u32) -> Result<Times, String>;

    /// Does it once, under somebody else's clock.
    ///
    /// # Errors
    ///
    /// As [`Self::turn`].
    fn once(&mut self) -> Result<(), String> {
        self.turn(1).map(drop)
    }
}

/// What one operation of a turn took, on average.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// All of it, in nanoseconds.
    pub whole_ns: f64,
    /// What it is made of, by name, in the same order in every turn.
    pub parts_ns: Vec<(&'static str, f64)>,
}

/// An operation that needs nothing made anew for it, and ends with its result in a black box.
pub struct Repeated<F>(pub F);

impl<F: FnMut()> Work for Repeated<F> {
    fn turn(&mut self, repeats: u32) -> Result<Times, String> {
        let start = Instant::now();
        for _ in 0..repeats {
            (self.0)();
        }
        let whole = start.elapsed();
        let whole_ns = whole.as_nanos() as f64 / f64::from(repeats.max(1));
        Ok(Times { whole_ns, parts_ns: Vec::new() })
    }

    fn once(&mut self) -> Result<(), String> {
        (self.0)();
        Ok(())
    }
}
