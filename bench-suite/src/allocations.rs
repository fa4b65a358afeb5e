//! Counts what operations allocate: `cgka-bench record` starts it for that one pass, `cgka-bench tls`
//! and `cgka-bench primitives` with an argument. Its allocator counts, on the calling thread; memory that
//! C code takes for itself isn't seen.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use bench_results::format::Allocations;
use bench_suite::{engines, record};

fn main() -> ExitCode {
    engines::hold_to_one_thread();
    #[cfg(feature = "tls")]
    if std::env::args().nth(1).as_deref() == Some(bench_suite::tls::COUNT) {
        return bench_suite::tls::count_allocations(counted);
    }
    #[cfg(feature = "primitives")]
    if std::env::args().nth(1).as_deref() == Some(bench_suite::primitives::heap::ARGUMENT) {
        let names: Vec<_> = std::env::args().skip(2).collect();
        return bench_suite::primitives::heap::run(&names, counted);
    }
    record::count_allocations(&engines::built_in(), counted)
}

fn counted(work: &mut dyn FnMut()) -> Allocations {
    let seen = allocation_counter::measure(work);
    Allocations {
        count: seen.count_total,
        bytes: seen.bytes_total,
        peak_bytes: seen.bytes_max,
        left_bytes: Some(seen.bytes_current),
    }
}
