//! The clocks that a sample is taken with.
//!
//! Wall time is the innermost: it begins after the other two were read and ends before they are
//! read again, always in the same order.

use std::time::Instant;

/// What one sample took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) wall_ns: u64,
    pub(super) cpu_ns: u64,
    pub(super) switches: u32,
}

/// Takes the time of some work.
#[inline]
pub(super) fn timed(work: impl FnOnce()) -> Taken {
    let switches = involuntary_switches();
    let cpu = thread_cpu_ns();
    let start = Instant::now();
    work();
    let wall = start.elapsed();
    let cpu_ns = thread_cpu_ns().saturating_sub(cpu);
    let switches = involuntary_switches().saturating_sub(switches);
    Taken {
        wall_ns: nanoseconds(wall),
        cpu_ns,
        switches: u32::try_from(switches).unwrap_or(u32::MAX),
    }
}

/// Up to five hundred years.
pub(super) fn nanoseconds(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The smallest step that the clock makes, and what reading it costs.
pub(super) fn look() -> (u64, u64) {
    const READS: u32 = 20_000;
    let mut step = u64::MAX;
    let begin = Instant::now();
    let mut last = begin;
    for _ in 0..READS {
        let now = Instant::now();
        let passed = nanoseconds(now - last);
        if passed > 0 {
            step = step.min(passed);
        }
        last = now;
    }
    let cost = nanoseconds(begin.elapsed()) / u64::from(READS);
    (if step == u64::MAX { 0 } else { step }, cost)
}

#[cfg(unix)]
fn thread_cpu_ns() -> u64 {
    use nix::time::{ClockId, clock_gettime};
    let now = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(std::time::Duration::from);
    now.map_or(0, nanoseconds)
}

#[cfg(not(unix))]
fn thread_cpu_ns() -> u64 {
    0
}

#[cfg(target_os = "linux")]
fn involuntary_switches() -> u64 {
    use nix::sys::resource::{UsageWho, getrusage};
    let usage = getrusage(UsageWho::RUSAGE_THREAD);
    usage.map_or(0, |usage| u64::try_from(usage.involuntary_context_switches()).unwrap_or(0))
}

#[cfg(not(target_os = "linux"))]
fn involuntary_switches() -> u64 {
    0
}

/// Keeps this thread on one processor.
#[cfg(target_os = "linux")]
pub(super) fn pin(processor: usize) -> Result<(), String> {
    use nix::sched::{CpuSet, sched_setaffinity};
    use nix::unistd::Pid;
    let mut set = CpuSet::new();
    let pinned = set.set(processor).and_then(|()| sched_setaffinity(Pid::from_raw(0), &set));
    pinned.map_err(|why| format!("can't stay on processor {processor}: {why}"))
}

/// Keeps this thread on one processor.
#[cfg(not(target_os = "linux"))]
pub(super) fn pin(processor: usize) -> Result<(), String> {
    Err(format!("can't stay on processor {processor}: only Linux is asked to"))
}
