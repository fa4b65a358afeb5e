//! `record` and `self-test` on the command line.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use engine_api::Registration;

use crate::cases;
use crate::record::self_test::{self, Settings, Test};
use crate::record::{self, DEFAULT, QUICK, Request, THOROUGH};

/// What `record` can be told.
#[derive(Debug, Args)]
pub(super) struct Record {
    /// Two minutes: fewer samples, fewer processes.
    #[arg(long, conflicts_with = "thorough")]
    quick: bool,
    /// Forty minutes.
    #[arg(long)]
    thorough: bool,
    /// Only these engines: names, or what stands before their slash.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    engines: Vec<String>,
    /// The engine that is entered twice, or `none`.
    #[arg(long, value_name = "ENGINE")]
    again: Option<String>,
    /// Only rows with this in their name (as `commit/update/warm/33`), from slash to slash:
    /// `update/warm`, `send/2`; may be given several times.
    #[arg(long, value_name = "PART")]
    only: Vec<String>,
    /// Only these sizes; `large` is all those beyond the default run's.
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = size)]
    sizes: Vec<Size>,
    /// Where random choices come from.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Ratios this near to 1 don't matter.
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, value_parser = share)]
    margin: f64,
    /// Fresh processes.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=100))]
    processes: Option<u32>,
    /// Keeps the samples on this processor.
    #[arg(long, value_name = "NUMBER")]
    pin: Option<usize>,
    /// Doesn't run `verify` before.
    #[arg(long)]
    no_checks: bool,
    /// The file to write; `results/<date>-<kind of host>.json` if none is named.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replaces a file of that name.
    #[arg(long)]
    force: bool,
    /// Enters each engine once more, slower by this many percent.
    #[arg(long, hide = true)]
    slowed: Option<f64>,
    /// Slows the second entry of the A/A pair by this many percent.
    #[arg(long, hide = true)]
    rig_again: Option<f64>,
}

/// A share between 0 and 1.
fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("must be a number between 0 and 1".into()),
    }
}

/// A size, or all the large ones.
#[derive(Clone, Copy, Debug)]
enum Size {
    This(usize),
    Large,
}

fn size(word: &str) -> Result<Size, String> {
    match word {
        "large" => Ok(Size::Large),
        _ => word.parse().map(Size::This).map_err(|why| format!("{why}; or `large`")),
    }
}

impl Size {
    fn all(self) -> Vec<usize> {
        match self {
            Self::This(size) => vec![size],
            Self::Large => cases::large_sizes(),
        }
    }
}

pub(super) fn run(arguments: Record, present: &[Registration]) -> Result<ExitCode, String> {
    let preset = match (arguments.quick, arguments.thorough) {
        (true, _) => QUICK,
        (_, true) => THOROUGH,
        _ => DEFAULT,
    };
    let request = Request {
        preset,
        engines: arguments.engines,
        again: arguments.again,
        only: arguments.only,
        sizes: arguments.sizes.into_iter().flat_map(Size::all).collect(),
        seed: arguments.seed,
        margin: arguments.margin,
        processes: arguments.processes,
        pin: arguments.pin,
        checks: !arguments.no_checks,
        out: arguments.out,
        force: arguments.force,
        slowed: arguments.slowed,
        rigged: arguments.rig_again,
    };
    record::run(request, present)
}

pub(super) fn worker(present: &[Registration]) -> ExitCode {
    record::worker::run(present, None)
}

/// What `self-test` can be told.
#[derive(Debug, Subcommand)]
pub(super) enum SelfTest {
    /// One engine under two names: nothing may be found.
    Null {
        #[command(flatten)]
        common: Common,
    },
    /// One engine and the same engine slowed: it must be found.
    Sensitivity {
        /// By how much it is slowed.
        #[arg(long, default_value_t = 2.0)]
        percent: f64,
        #[command(flatten)]
        common: Common,
    },
}

/// What both can be told.
#[derive(Debug, Args)]
pub(super) struct Common {
    /// How often.
    #[arg(long, default_value_t = 20)]
    runs: u32,
    /// Which engine.
    #[arg(long, default_value = "burrow/aws-lc")]
    engine: String,
    /// As for `record`.
    #[arg(long, default_values = ["commit/update/warm", "ingest_commit/update/warm", "ingest_app"])]
    only: Vec<String>,
    /// As for `record`.
    #[arg(long, value_delimiter = ',', default_values_t = [9])]
    sizes: Vec<usize>,
    /// As for `record`.
    #[arg(long, default_value_t = 0.01, value_parser = share)]
    margin: f64,
    /// As for `record`.
    #[arg(long)]
    pin: Option<usize>,
}

pub(super) fn self_test(test: SelfTest) -> Result<ExitCode, String> {
    let (test, common) = match test {
        SelfTest::Null { common } => (Test::Null, common),
        SelfTest::Sensitivity { percent, common } => (Test::Sensitivity(percent), common),
    };
    let Common { runs, engine, only, sizes, margin, pin } = common;
    self_test::run(test, &Settings { runs, engine, only, sizes, margin, pin })
}
