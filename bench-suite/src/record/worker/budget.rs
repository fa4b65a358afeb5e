//! What a look at a row may take: a row that takes more is left out, with the figure, and the run
//! goes on.
//!
//! An engine can't be told to stop, so that its process has to end: a thread watches the clock and the
//! memory, and the recorder starts another worker for the rest.

use std::fs;
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::tell;
use crate::record::protocol::{Event, Seen};

/// Preparing a row, checking it and trying it.
const LONGEST: Duration = Duration::from_secs(120);
/// What the process may grow by meanwhile.
const MOST_BYTES: u64 = 4 << 30;
/// Between two glances.
const GLANCE: Duration = Duration::from_millis(100);

/// A row that is being looked at.
struct Turn {
    case: String,
    size: usize,
    arm: usize,
    began: Instant,
    resident: u64,
}

/// The thread that watches, and what it watches. It ends with the process.
#[derive(Clone, Default)]
pub(super) struct Budget(Arc<Mutex<Option<Turn>>>);

impl Budget {
    /// Begins to watch.
    pub(super) fn watched() -> Self {
        let budget = Self::default();
        let watched = budget.clone();
        thread::spawn(move || {
            loop {
                thread::sleep(GLANCE);
                watched.glance();
            }
        });
        budget
    }

    /// Watches over `look`, which is at this row.
    pub(super) fn over<T>(
        &self,
        case: &str,
        size: usize,
        arm: usize,
        look: impl FnOnce() -> T,
    ) -> T {
        let resident = resident_bytes().unwrap_or_default();
        let turn = Turn { case: case.into(), size, arm, began: Instant::now(), resident };
        *self.turn() = Some(turn);
        let seen = look();
        *self.turn() = None;
        seen
    }

    /// Ends the process if the row is over its budget. The lock is held meanwhile, so that the row
    /// can't end as well.
    fn glance(&self) {
        let turn = self.turn();
        let Some(Turn { case, size, arm, began, resident }) = &*turn else {
            return;
        };
        let grown = resident_bytes().unwrap_or_default().saturating_sub(*resident);
        if let Some(why) = excess(began.elapsed(), grown) {
            let (case, seen) = (case.clone(), Seen::Over(why));
            // Who doesn't hear of it sees the process end.
            let _ = tell(&Event::Looked { case, size: *size, arm: *arm, seen });
            process::exit(1);
        }
    }

    fn turn(&self) -> MutexGuard<'_, Option<Turn>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was too much, if anything was.
fn excess(took: Duration, grown: u64) -> Option<String> {
    if grown > MOST_BYTES {
        let (grown, most) = (grown >> 20, MOST_BYTES >> 20);
        Some(format!("preparing and checking it took {grown} MiB of memory; {most} are allowed"))
    } else if took > LONGEST {
        let (took, longest) = (took.as_secs(), LONGEST.as_secs());
        Some(format!("preparing and checking it took more than {took} s; {longest} are allowed"))
    } else {
        None
    }
}

/// What the process has in memory, where the system tells.
fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_within_the_budget_is_no_excess_and_what_is_beyond_has_its_figure() {
        assert_eq!(excess(LONGEST, MOST_BYTES), None);
        let slow = excess(LONGEST + Duration::from_secs(3), 0).unwrap_or_default();
        assert!(slow.contains("123 s"), "{slow}");
        let large = excess(Duration::ZERO, MOST_BYTES + (1 << 20)).unwrap_or_default();
        assert!(large.contains("4097 MiB"), "{large}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_that_is_used_is_seen() {
        // Other tests come and go in this process: only what is held for sure is compared.
        let held = vec![1_u8; 256 << 20];
        let seen = resident_bytes().unwrap_or_default();
        assert!(seen > held.iter().map(|byte| u64::from(*byte)).sum(), "{seen}");
    }
}
