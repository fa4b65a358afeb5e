//! Counting what was compared.

use std::fmt::{Debug, Display, Write as _};

/// How many failures are kept in words; all are counted.
const KEPT: usize = 10;

/// The assertions of a case, or of many.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    executed: usize,
    failed: usize,
    place: String,
    failures: Vec<String>,
}

/// The case can't go on: a step failed, which is counted and named already.
#[derive(Clone, Copy, Debug)]
pub struct Stop;

impl Tally {
    /// How many assertions were executed.
    #[must_use]
    pub fn executed(&self) -> usize {
        self.executed
    }

    /// How many of them failed.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.failed
    }

    /// The first failures, in words.
    #[must_use]
    pub fn failures(&self) -> &[String] {
        &self.failures
    }

    /// Where in the case the next assertions are.
    pub(crate) fn place(&mut self, place: impl Display) {
        self.place.clear();
        // Writing to a string doesn't fail.
        let _ = write!(self.place, "{place}");
    }

    /// Two byte strings are the same.
    pub(crate) fn equal(&mut self, what: &str, ours: impl AsRef<[u8]>, expected: impl AsRef<[u8]>) {
        let (ours, expected) = (ours.as_ref(), expected.as_ref());
        self.count(what, ours == expected, || {
            format!("{}, not {}", abridged(ours), abridged(expected))
        });
    }

    /// Two values are the same.
    pub(crate) fn same<A: PartialEq<B> + Debug, B: Debug>(
        &mut self,
        what: &str,
        ours: A,
        expected: B,
    ) {
        self.count(what, ours == expected, || format!("{ours:?}, not {expected:?}"));
    }

    /// A condition.
    pub(crate) fn holds(&mut self, what: &str, condition: bool) {
        self.count(what, condition, || "doesn't hold".into());
    }

    /// Something that has to be refused is.
    pub(crate) fn refused<T, E>(&mut self, what: &str, result: Result<T, E>) {
        self.count(what, result.is_err(), || "accepted".into());
    }

    /// Something that the vector says works, and what it gives.
    pub(crate) fn must<T, E: Display>(
        &mut self,
        what: &str,
        result: Result<T, E>,
    ) -> Result<T, Stop> {
        if result.is_ok() {
            self.executed += 1;
        }
        self.step(what, result)
    }

    /// A step on the way, which counts if it fails only.
    pub(crate) fn step<T, E: Display>(
        &mut self,
        what: &str,
        result: Result<T, E>,
    ) -> Result<T, Stop> {
        result.map_err(|error| {
            self.count(what, false, || error.to_string());
            Stop
        })
    }

    /// The same, for something that may not be there.
    pub(crate) fn some<T>(&mut self, what: &str, value: Option<T>) -> Result<T, Stop> {
        self.step(what, value.ok_or("there is none"))
    }

    /// Takes over what was counted in a case.
    pub(crate) fn add(&mut self, case: impl Display, other: &Self) {
        self.executed += other.executed;
        self.failed += other.failed;
        let room = KEPT.saturating_sub(self.failures.len());
        let failures = other.failures.iter().take(room);
        self.failures.extend(failures.map(|failure| format!("{case}: {failure}")));
    }

    fn count(&mut self, what: &str, good: bool, why: impl FnOnce() -> String) {
        self.executed += 1;
        if good {
            return;
        }
        self.failed += 1;
        if self.failures.len() < KEPT {
            let place = if self.place.is_empty() { "" } else { ", " };
            self.failures.push(format!("{}{place}{what}: {}", self.place, why()));
        }
    }
}

/// The first bytes, which is enough to find them in the file.
fn abridged(bytes: &[u8]) -> String {
    const SHOWN: usize = 16;
    let mut text = String::with_capacity(2 * SHOWN + 20);
    for byte in bytes.iter().take(SHOWN) {
        let _ = write!(text, "{byte:02x}");
    }
    if bytes.len() > SHOWN {
        let _ = write!(text, "..({} bytes)", bytes.len());
    }
    text
}
