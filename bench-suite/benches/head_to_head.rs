//! `cargo bench -p bench-suite`: engines x sizes in one table per case.

bench_suite::bench_suite!();
