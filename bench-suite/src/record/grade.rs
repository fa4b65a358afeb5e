//! What a run is worth. A bad condition is named; it stops nothing.

use bench_results::format::{Demerit, Grade, Run};
pub(super) use bench_results::grade::demerit;
use bench_results::grade::{demerits, name};

/// Judges a run by what it says of itself, and what else was seen.
pub(super) fn judge(run: &Run, seen: Vec<Demerit>) -> Grade {
    let mut all = seen;
    if cfg!(debug_assertions) {
        all.push(demerit("debug", "built with debug assertions"));
    }
    all.extend(demerits(run));
    Grade { name: name(run, &all).into(), demerits: all }
}
