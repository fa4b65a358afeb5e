//! Under what conditions something is measured, for those who write other files than the recorder.

use bench_results::format::{Build, Host};

use super::host::{self, Before};
use super::{clock, program, session};

/// A measurement under way.
pub(crate) struct Conditions {
    before: Before,
    started: String,
    clock: (u64, u64),
}

/// What there is to be said of it at its end.
pub(crate) struct Ended {
    /// When it began, RFC 3339.
    pub(crate) started: String,
    /// When it ended.
    pub(crate) finished: String,
    /// The machine.
    pub(crate) host: Host,
    /// The program.
    pub(crate) build: Build,
}

impl Conditions {
    /// Looks at the machine before anything is timed.
    pub(crate) fn begin() -> Self {
        Self { before: Before::now(), started: session::now(), clock: clock::look() }
    }

    /// Looks again.
    pub(crate) fn end(self) -> Ended {
        Ended {
            // The system's clock may be set back meanwhile.
            finished: session::now().max(self.started.clone()),
            started: self.started,
            host: host::describe(self.before, None, self.clock),
            build: program::describe(),
        }
    }
}

/// The command as it was typed, without folders.
pub(crate) fn command_line() -> Vec<String> {
    session::command()
}
