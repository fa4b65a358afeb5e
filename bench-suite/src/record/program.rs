//! The program that is measured: how it was built, from what, and with which features.

use std::process::Command;

use bench_results::format::{Build, Engine, Package, Spans};
use engine_api::{Operation, Registration, Support};

/// Where the sources were when this was built. They may be gone.
const SOURCES: &str = env!("CARGO_MANIFEST_DIR");

pub(super) fn describe() -> Build {
    let status = git(&["status", "--porcelain"]);
    Build {
        rustc: env!("CGKA_RUSTC").into(),
        target: env!("CGKA_TARGET").into(),
        profile: env!("CGKA_PROFILE").into(),
        flags: env!("CGKA_FLAGS").into(),
        allocator: "the system's".into(),
        commit: git(&["rev-parse", "HEAD"]),
        dirty: status.map(|changes| !changes.is_empty()),
        lockfile: env!("CGKA_LOCKFILE").into(),
        features: suite_features(),
    }
}

fn suite_features() -> Vec<String> {
    let all = [
        ("burrow", cfg!(feature = "burrow")),
        ("burrow-marmot", cfg!(feature = "burrow-marmot")),
        ("mdk", cfg!(feature = "mdk")),
        ("mls-rs", cfg!(feature = "mls-rs")),
        ("openmls", cfg!(feature = "openmls")),
        ("oqs", cfg!(feature = "oqs")),
        ("primitives", cfg!(feature = "primitives")),
        ("sodium", cfg!(feature = "sodium")),
        ("sqlite", cfg!(feature = "sqlite")),
        ("threads", cfg!(feature = "threads")),
        ("tls", cfg!(feature = "tls")),
        ("tls-boringssl", cfg!(feature = "tls-boringssl")),
        ("tls-openssl", cfg!(feature = "tls-openssl")),
    ];
    all.iter().filter(|(_, on)| *on).map(|(name, _)| (*name).to_owned()).collect()
}

fn git(arguments: &[&str]) -> Option<String> {
    output(Command::new("git").arg("-C").arg(SOURCES).args(arguments))
}

fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Every package of this build with its features, as `cargo tree` resolves them; nothing where
/// Cargo or the sources are not at hand.
pub(super) fn resolved() -> Vec<(Package, Vec<String>)> {
    let tree = output(
        Command::new("cargo")
            .args(["tree", "--offline", "--locked", "--edges", "normal", "--prefix", "none"])
            .args(["--format", "{p}|{f}", "--no-default-features"])
            .args(["--features", &suite_features().join(","), "--manifest-path"])
            .arg(format!("{SOURCES}/Cargo.toml")),
    );
    let line = |line: &str| {
        let (package, features) = line.trim_end_matches(" (*)").split_once('|')?;
        let mut words = package.split(' ');
        let package = Package {
            name: words.next()?.to_owned(),
            version: words.next()?.strip_prefix('v')?.to_owned(),
        };
        let features = features.split(',').filter(|f| !f.is_empty()).map(String::from).collect();
        Some((package, features))
    };
    tree.unwrap_or_default().lines().filter_map(line).collect()
}

/// An entry of an engine, described for the file.
pub(super) fn engine(
    registration: &Registration,
    again: Option<String>,
    slowed: Option<f64>,
    resolved: &[(Package, Vec<String>)],
) -> Engine {
    let about = registration.describe();
    let packages: Vec<Package> = about.packages.iter().map(package).collect();
    let of_package = |package: &Package| {
        let found = resolved.iter().find(|(other, _)| other == package);
        let features = found.map(|(_, features)| features.clone()).unwrap_or_default();
        features.into_iter().map(|feature| format!("{}/{feature}", package.name)).collect()
    };
    let mut notes: Vec<String> = about.notes.iter().map(ToString::to_string).collect();
    if let Some(percent) = slowed {
        notes.push(format!("slowed on purpose by a busy loop of {percent} % of the row's median"));
    }
    let all = &about.capabilities;
    let missing = [
        ("fork", all.fork),
        ("snapshot", all.snapshot),
        ("rename", all.rename),
        ("any_member_commits", all.any_member_commits),
    ];
    let words = |operation| {
        let work = about.spans.of(operation).iter();
        let mut words: Vec<_> = work.map(|work| work.name().to_owned()).collect();
        words.sort_unstable();
        words
    };
    Engine {
        name: about.name.into(),
        again,
        features: packages.iter().flat_map::<Vec<String>, _>(of_package).collect(),
        packages,
        wire_profile: about.wire_profile.name().into(),
        cipher_suite: about.cipher_suites.first().map_or("none".into(), ToString::to_string),
        crypto: about.crypto.into(),
        storage: about.storage.into(),
        layer: about.layer.name().into(),
        threads: about.threads.name().into(),
        spans: Spans {
            create_group: words(Operation::CreateGroup),
            join_welcome: words(Operation::JoinWelcome),
            send: words(Operation::Send),
            ingest_app: words(Operation::IngestApp),
            commit: words(Operation::Commit),
            ingest_commit: words(Operation::IngestCommit),
        },
        missing: missing.iter().filter_map(|(name, support)| lacks(name, *support)).collect(),
        notes,
        deviations: about.deviations.iter().map(deviation).collect(),
    }
}

fn package(package: &engine_api::Package) -> Package {
    Package { name: package.name.into(), version: package.version.into() }
}

fn lacks(name: &str, support: Support) -> Option<String> {
    support.why_not().map(|why| format!("{name}: {why}"))
}

fn deviation(deviation: &engine_api::Deviation) -> bench_results::format::Deviation {
    bench_results::format::Deviation {
        scenario: deviation.scenario.into(),
        check: deviation.check.into(),
        why: deviation.why.into(),
    }
}
