//! The `cgka-bench` command.

use std::process::ExitCode;

use bench_suite::{cli, engines};

fn main() -> ExitCode {
    engines::hold_to_one_thread();
    cli::run(&engines::built_in())
}
