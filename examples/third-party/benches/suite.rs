//! `cargo bench -p third-party-engine`: flat beside the engines of this repository.

bench_suite::bench_suite!(third_party_engine::Flat);
