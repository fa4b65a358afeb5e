//! The second pass of `cargo bench -p bench-suite`: bytes and allocations per operation. Counting
//! costs time, so the times in this table are not the ones to read.

bench_suite::bench_suite!(allocations;);
