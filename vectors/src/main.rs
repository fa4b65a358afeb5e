//! `cargo run -p vectors --release -- generate`: makes this crate's own vectors again.
#![forbid(unsafe_code)]

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use vectors::own;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if arguments != ["generate"] {
        eprintln!("usage: vectors generate");
        return ExitCode::from(2);
    }
    match write() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("vectors: {why}");
            ExitCode::FAILURE
        }
    }
}

fn write() -> Result<(), Box<dyn Error>> {
    // Cargo sets it for what it runs; without Cargo it is the folder that one is in.
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(PathBuf::new, PathBuf::from);
    let path = root.join("data").join("key-packages.json");
    let cases = own::generate()?;
    std::fs::write(&path, own::to_json(&cases)?)?;
    println!("{} cases in data/key-packages.json", cases.len());
    for kind in own::Kind::ALL {
        let scenes = own::generate_scenes(kind)?;
        let cases: usize = scenes.iter().map(|scene| scene.cases.len()).sum();
        std::fs::write(root.join("data").join(kind.file()), own::to_json(&scenes)?)?;
        println!("{cases} cases in data/{}", kind.file());
    }
    for (file, cases) in own::generate_post_quantum()? {
        std::fs::write(root.join("data").join("post-quantum").join(file), own::to_json(&cases)?)?;
        println!("{} cases in data/post-quantum/{file}", cases.len());
    }
    Ok(())
}
