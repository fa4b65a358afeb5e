//! Runs hostile inputs and prints what came of them.
#![forbid(unsafe_code)]

use std::{fs, path::PathBuf, process::ExitCode, time::Instant};

use burrow_hostile::{
    Failure,
    input::{Input, Stage},
    judge::Judge,
    target::Burrow,
};
use clap::Parser;

/// Hostile input for burrow: exits with 1 if anything that has to hold doesn't.
#[derive(Debug, Parser)]
struct Options {
    /// How many inputs.
    #[arg(long, default_value_t = 100_000)]
    inputs: u64,
    /// The number of the first, so that a long run can be split.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// What they are made from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// After how many inputs what is right has to be accepted.
    #[arg(long, default_value_t = 500)]
    check_every: u64,
    /// Runs one input again, by its seed and its number.
    #[arg(long, num_args = 2, value_names = ["SEED", "INDEX"])]
    replay: Option<Vec<u64>>,
    /// Writes what the fuzz targets start from into this folder, and runs nothing.
    #[arg(long)]
    corpus: Option<PathBuf>,
}

fn main() -> Result<ExitCode, Failure> {
    let options = Options::parse();
    // A panic is caught and reported with its input: not on each occasion.
    std::panic::set_hook(Box::new(|_| {}));
    let stage = Stage::new()?;
    if let Some(folder) = &options.corpus {
        return write_corpus(&stage, folder).map(|()| ExitCode::SUCCESS);
    }
    let mut judge = Judge::new(Burrow::new(&stage)?, stage.worlds.len(), options.check_every)?;
    let start = Instant::now();
    match options.replay.as_deref() {
        Some([seed, index]) => {
            let input = stage.input(*seed, *index)?;
            show(&input);
            judge.judge(&format!("--replay {seed} {index}"), &input)?;
        }
        _ => {
            for index in options.first..options.first + options.inputs {
                let input = stage.input(options.seed, index)?;
                judge.judge(&format!("--replay {} {index}", options.seed), &input)?;
                if index % 250_000 == 249_999 {
                    eprintln!("up to {index} after {:.0?}", start.elapsed());
                }
            }
        }
    }
    println!("{}", judge.report);
    println!("{:.1?}", start.elapsed());
    Ok(if judge.report.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn show(input: &Input) {
    let Input { world, kind, seal, mutations, bytes } = input;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    println!("world {world}, {kind:?} sealed as {seal:?}, {mutations:?}\n{hex}\n");
}

/// One folder for each target, one file for each sample.
fn write_corpus(stage: &Stage, folder: &std::path::Path) -> Result<(), Failure> {
    for (at, sample) in burrow_hostile::fuzz::seeds(stage).into_iter().enumerate() {
        let folder = folder.join(sample.target);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(format!("sample-{at:04}")), &sample.bytes)?;
    }
    Ok(())
}
