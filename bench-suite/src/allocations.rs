//! Counts what operations allocate: `cgka-bench record` starts it for that one pass. Its allocator
//! counts, on the calling thread; memory that C code takes for itself isn't seen.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use bench_results::format::Allocations;
use bench_suite::{engines, record};

fn main() -> ExitCode {
    engines::hold_to_one_thread();
    record::count_allocations(&engines::built_in(), |work| {
        let seen = allocation_counter::measure(work);
        Allocations {
            count: seen.count_total,
            bytes: seen.bytes_total,
            peak_bytes: seen.bytes_max,
            left_bytes: Some(seen.bytes_current),
        }
    })
}
