//! `cargo bench -p bench-suite --bench primitives`: crypto libraries head to head, in divan's tables.
//! `cgka-bench primitives` times them in turns, which is what a noisy machine asks for.

use std::cell::RefCell;
use std::process::ExitCode;
use std::time::Duration;

use bench_suite::primitives::rows;
use bench_suite::side_by_side::Work;
use divan::Bencher;

thread_local! {
    /// By row and library. Filled before anything is timed, once the libraries have agreed.
    static OPERATIONS: RefCell<Vec<(String, Box<dyn Work>)>> = const { RefCell::new(Vec::new()) };
}

fn main() -> ExitCode {
    let rows = match rows() {
        Ok(rows) => rows,
        Err(why) => {
            eprintln!("nothing is timed: {why}");
            return ExitCode::FAILURE;
        }
    };
    let named = rows.into_iter().flat_map(|row| {
        let name = row.name;
        row.entries.into_iter().map(move |entry| (format!("{name} {}", entry.name), entry.work))
    });
    OPERATIONS.set(named.collect());
    divan::Divan::from_args().sample_count(50).max_time(Duration::from_millis(200)).main();
    ExitCode::SUCCESS
}

fn names() -> Vec<String> {
    OPERATIONS.with_borrow(|operations| operations.iter().map(|(name, _)| name.clone()).collect())
}

#[divan::bench(args = names())]
fn primitives(bencher: Bencher<'_, '_>, wanted: &String) {
    OPERATIONS.with_borrow_mut(|operations| {
        if let Some((_, work)) = operations.iter_mut().find(|(name, _)| name == wanted) {
            bencher.bench_local(|| work.once());
        }
    });
}
