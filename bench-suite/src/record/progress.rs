//! How far a run is: a bar on a terminal, a line now and then elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Between two lines where there is no terminal.
const SPARSE: Duration = Duration::from_secs(10);

/// A run's progress, in milliseconds of what it was expected to take.
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    start: Instant,
    told: Option<Instant>,
    total: u64,
    done: u64,
}

impl Progress {
    pub(super) fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(4));
            let style = ProgressStyle::with_template("{elapsed:>4} [{bar:30}] {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        Self { bar, start: Instant::now(), told: None, total: 0, done: 0 }
    }

    /// What is being done, before anything is known about how long.
    pub(super) fn phase(&mut self, what: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(what.to_owned()),
            None => eprintln!("{what}"),
        }
        self.told = Some(Instant::now());
    }

    /// From here on it takes about so long.
    pub(super) fn expect(&mut self, total: Duration) {
        self.start = Instant::now();
        self.total = milliseconds(total);
        self.done = 0;
        if let Some(bar) = &self.bar {
            bar.set_length(self.total);
        }
    }

    /// So much of it is done.
    pub(super) fn advance(&mut self, by: Duration, what: &str) {
        self.done += milliseconds(by);
        let left = self.left().as_secs();
        let words = format!("{what}, {}:{:02} left", left / 60, left % 60);
        match &self.bar {
            Some(bar) => {
                bar.set_position(self.done.min(self.total));
                bar.set_message(words);
            }
            None if self.told.is_none_or(|told| told.elapsed() >= SPARSE) => {
                eprintln!("{words}");
                self.told = Some(Instant::now());
            }
            None => {}
        }
    }

    /// By how fast it went until now.
    fn left(&self) -> Duration {
        let remaining = self.total.saturating_sub(self.done);
        let passed = self.start.elapsed();
        match u32::try_from(remaining * 1000 / self.done.max(1)) {
            Ok(thousandths) if self.done > self.total / 50 => passed * thousandths / 1000,
            _ => Duration::from_millis(remaining),
        }
    }

    pub(super) fn end(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
