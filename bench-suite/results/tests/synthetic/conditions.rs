//! The engines and the machine of a synthetic run.

use bench_results::format::{
    Build, Checks, Control, Demerit, Deviation, Engine, Grade, Host, Load, Package, Plan, Row, Run,
    Spans,
};

use super::Recipe;

pub(super) fn engines() -> Vec<Engine> {
    vec![
        engine("null", "none", &["no cryptography"]),
        engine("mdk", "RustCrypto; events: libsecp256k1", &["storage write", "transport envelope"]),
        engine("openmls/libcrux", "libcrux", &["storage write"]),
        engine("openmls/rustcrypto", "rustcrypto", &["storage write"]),
        engine("mls-rs/rustcrypto", "rustcrypto", &[]),
        engine("mls-rs/aws-lc", "aws-lc", &[]),
        engine("burrow/rustcrypto", "rustcrypto", &[]),
        engine("burrow/aws-lc", "aws-lc", &[]),
        Engine {
            again: Some("mls-rs/aws-lc".into()),
            ..engine("mls-rs/aws-lc again", "aws-lc", &[])
        },
    ]
}

fn engine(name: &str, crypto: &str, extra: &[&str]) -> Engine {
    let family = name.split('/').next().unwrap_or(name);
    let extra: Vec<String> = extra.iter().map(ToString::to_string).collect();
    let deviation = || Deviation {
        scenario: "early".into(),
        check: "early-message".into(),
        why: "it files an event of a later epoch as failed".into(),
    };
    Engine {
        name: name.into(),
        again: None,
        packages: vec![Package { name: format!("{family}-core"), version: "0.8.0".into() }],
        features: vec![format!("{family}-core/std")],
        wire_profile: if name == "mdk" { "marmot" } else { "mls" }.into(),
        cipher_suite: "0x0001".into(),
        crypto: crypto.into(),
        storage: if extra.is_empty() { "none" } else { "memory" }.into(),
        layer: "core".into(),
        threads: "1".into(),
        spans: Spans {
            create_group: extra.clone(),
            join_welcome: extra.clone(),
            send: extra.clone(),
            ingest_app: extra.clone(),
            commit: extra.clone(),
            ingest_commit: extra,
        },
        missing: vec!["rename: no group name of its own".into()],
        notes: vec![
            "Commits always carry an update path; <script>alert(1)</script> is text.".into(),
        ],
        deviations: if name == "mdk" { vec![deviation()] } else { Vec::new() },
    }
}

pub(super) fn run(recipe: &Recipe, engines: Vec<Engine>, rows: Vec<Row>) -> Run {
    let checks = checks(&engines);
    Run {
        id: String::new(),
        tool: "0.1.0".into(),
        command: ["cgka-bench", "record", "--quick", "-o", "results.json"].map(String::from).into(),
        started: format!("2026-11-30T10:0{}:00Z", recipe.seed % 10),
        finished: format!("2026-11-30T10:1{}:07Z", recipe.seed % 10),
        interrupted: recipe.interrupted,
        plan: plan(recipe),
        host: host(recipe),
        build: build(),
        engines,
        rows,
        comparisons: Vec::new(),
        controls: Vec::new(),
        primitives: Vec::new(),
        checks,
        grade: Grade { name: String::new(), demerits: Vec::new() },
    }
}

fn plan(recipe: &Recipe) -> Plan {
    Plan {
        preset: "quick".into(),
        processes: 3,
        blocks: 5,
        order: "Williams squares, rows drawn at random".into(),
        seed: recipe.seed,
        margin: 0.03,
        confidence: 0.95,
        resamples: 400,
        warm_up: 1,
        again: Some("mls-rs/aws-lc".into()),
        only: Vec::new(),
        intervals: bench_results::format::Intervals::OverBlocksAndProcesses,
        sizes: Vec::new(),
    }
}

fn host(recipe: &Recipe) -> Host {
    Host {
        kind: recipe.kind.into(),
        cpu: format!("Synthetic processor of {}", recipe.kind),
        cpu_features: ["aes", "avx2", "sha_ni"].map(String::from).into(),
        processors: 2,
        memory_bytes: 8_589_934_592,
        system: "Linux 6.1".into(),
        hypervisor: (!recipe.quiet).then(|| "KVM".into()),
        governors: vec![Some("performance".into()), recipe.quiet.then(|| "performance".into())],
        turbo: recipe.quiet.then_some(false),
        pinned: Some(1),
        throttled: Some(0),
        clock_source: Some("kvm-clock".into()),
        timer_step_ns: 10,
        timer_cost_ns: 32,
        before: Load { average: Some([if recipe.quiet { 0.12 } else { 0.52 }, 0.58, 0.59]) },
        after: Load { average: None },
        steal: Some(0.0012),
    }
}

fn build() -> Build {
    Build {
        rustc: "rustc 1.95.0".into(),
        target: "x86_64-unknown-linux-gnu".into(),
        profile: "release, no LTO".into(),
        flags: String::new(),
        allocator: "system".into(),
        commit: Some("e0ef317".into()),
        dirty: Some(false),
        lockfile: "ab".repeat(32),
        features: vec!["burrow".into(), "mdk".into()],
    }
}

fn checks(engines: &[Engine]) -> Vec<Checks> {
    let of = |kind: &str, subject: &str, item: &str, passed, deviating, unsupported| Checks {
        kind: kind.into(),
        subject: subject.into(),
        item: item.into(),
        passed,
        failed: 0,
        deviating,
        unsupported,
        reason: (unsupported > 0).then(|| "not asked of this engine".into()),
    };
    let mls: Vec<_> = engines
        .iter()
        .filter(|engine| engine.again.is_none() && engine.wire_profile == "mls")
        .collect();
    let mut checks = Vec::new();
    for engine in engines.iter().filter(|engine| engine.again.is_none()) {
        checks.push(of("verify", &engine.name, "early", 9, engine.deviations.len() as u64, 0));
        checks.push(of("verify", &engine.name, "damaged message", 480, 0, 0));
        let snapshot = u64::from(engine.name == "mdk");
        checks.push(of("verify", &engine.name, "snapshot", 12, 0, snapshot));
    }
    for founder in &mls {
        for joiner in &mls {
            if founder.name != joiner.name {
                let pair = format!("{} x {}", founder.name, joiner.name);
                checks.push(of("pair", &pair, "members 2, 9", 88, 0, 0));
            }
        }
    }
    checks.push(of("conformance", "aws-lc", "treekem.json", 77, 0, 3));
    checks.push(of("conformance", "rustcrypto", "treekem.json", 80, 0, 0));
    checks.push(of("flow", "burrow/aws-lc x openmls/rustcrypto", "external join", 14, 0, 0));
    checks
}

pub(super) fn grade(recipe: &Recipe, controls: &[Control]) -> Grade {
    let mut demerits = Vec::new();
    let differing = controls.iter().filter(|control| control.differs).count();
    if differing > 0 {
        demerits.push(Demerit { kind: "a/a".into(), seen: format!("{differing} pairs differ") });
    }
    if !recipe.quiet {
        demerits.push(Demerit { kind: "hypervisor".into(), seen: "KVM".into() });
        demerits.push(Demerit { kind: "load".into(), seen: "0.52 before the first sample".into() });
    }
    let name = match (differing, demerits.is_empty()) {
        (0, true) => "reference",
        (0, false) => "demoted",
        _ => "invalid",
    };
    Grade { name: name.into(), demerits }
}
