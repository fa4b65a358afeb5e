//! Memory: what is live at most while an input is processed.

use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// What is live now; from here on the most is remembered anew.
#[must_use]
pub fn start() -> usize {
    ALLOCATOR.reset_peak_usage();
    ALLOCATOR.current_usage()
}

/// How much more than that was live at any time since then.
#[must_use]
pub fn most_since(before: usize) -> usize {
    ALLOCATOR.peak_usage().saturating_sub(before)
}
