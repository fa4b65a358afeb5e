//! Tells the recorder how it was built: the compiler, its flags, and which lockfile.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use sha2::{Digest, Sha256};

fn main() {
    let rustc = variable("RUSTC");
    let version = Command::new(rustc).arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    tell("CGKA_RUSTC", &version.unwrap_or_default());
    tell("CGKA_TARGET", &variable("TARGET"));
    let (profile, level) = (variable("PROFILE"), variable("OPT_LEVEL"));
    let profile = format!("{profile}, opt-level {level}, debug {}", variable("DEBUG"));
    tell("CGKA_PROFILE", &profile);
    tell("CGKA_FLAGS", &flags());
    tell("CGKA_LOCKFILE", &lockfile().unwrap_or_default());
}

/// Flags that name a path are left out: they say where the machine keeps something.
fn flags() -> String {
    println!("cargo:rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    let flags = variable("CARGO_ENCODED_RUSTFLAGS");
    let shown: Vec<_> = flags.split('\u{1f}').filter(|flag| !flag.contains(['/', '\\'])).collect();
    shown.join(" ")
}

/// The lockfile of the build: the nearest one above its output, and else above this crate.
fn lockfile() -> Option<String> {
    let starts = [variable("OUT_DIR"), variable("CARGO_MANIFEST_DIR")];
    let folders = starts.iter().flat_map(|start| Path::new(start).ancestors());
    let path: PathBuf =
        folders.map(|folder| folder.join("Cargo.lock")).find(|path| path.is_file())?;
    println!("cargo:rerun-if-changed={}", path.display());
    let digest = Sha256::digest(fs::read(path).ok()?);
    Some(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn tell(name: &str, value: &str) {
    println!("cargo:rustc-env={name}={value}");
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}
