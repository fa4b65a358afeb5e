//! Runs that nobody measured: times out of a seeded generator, everything else as the recorder
//! writes it.

#![allow(dead_code, reason = "each test target uses a part")]
#![expect(clippy::unwrap_used, reason = "helper functions of tests")]

mod conditions;

use std::collections::BTreeMap;

use bench_results::digest::run_id;
use bench_results::format::{
    Allocations, Block, Counts, Engine, Floor, FloorTerm, Outcome, Primitive, ResultFile, Row, Run,
    SCHEMA, Storage, Wire,
};
use bench_results::statistics::{Random, derive};

use conditions::engines;

/// What a synthetic run is like.
#[derive(Clone)]
pub(crate) struct Recipe {
    pub(crate) seed: u64,
    /// What the whole machine's times are multiplied with.
    pub(crate) machine: f64,
    /// What one engine's times are multiplied with.
    pub(crate) slow: Option<(&'static str, f64)>,
    /// The second entry of the A/A pair, against the first.
    pub(crate) again: f64,
    pub(crate) kind: &'static str,
    pub(crate) interrupted: bool,
    /// Whether the machine gives no reason for a demerit.
    pub(crate) quiet: bool,
    pub(crate) small: bool,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            seed: 1,
            machine: 1.0,
            slow: None,
            again: 1.0,
            kind: "linux-x86_64-vm-2",
            interrupted: false,
            quiet: false,
            small: false,
        }
    }
}

/// Case, operation, what the size counts, sizes, the time at size 0, per member, per log2(members).
type Shape = (&'static str, &'static str, &'static str, &'static [usize], f64, f64, f64);

const SHAPES: &[Shape] = &[
    ("create_group", "create_group", "invitees", &[0, 1, 8, 32], 60e3, 110e3, 0.0),
    ("join_welcome", "join_welcome", "members, the joiner included", &[2, 8, 33], 150e3, 37e3, 0.0),
    ("send", "send", "members", &[1, 2, 9, 33, 100, 1000], 12e3, 0.0, 20.0),
    ("commit/add/cold", "commit", "members before the commit", &[2, 9, 33], 90e3, 38e3, 0.0),
    ("commit/update/warm", "commit", "members before the commit", &[2, 9, 33], 80e3, 0.0, 45e3),
    (
        "ingest_commit/remove/warm",
        "ingest_commit",
        "members before the commit",
        &[2, 9, 33],
        90e3,
        0.0,
        9e3,
    ),
];

pub(crate) fn file(recipes: &[Recipe]) -> ResultFile {
    let mut runs: Vec<_> = recipes.iter().map(run).collect();
    runs.sort_by(|one, other| one.id.cmp(&other.id));
    ResultFile { schema: SCHEMA, runs }
}

pub(crate) fn run(recipe: &Recipe) -> Run {
    let engines = engines();
    let mut rows = Vec::new();
    for (shape, case) in SHAPES.iter().enumerate() {
        if recipe.small && !["send", "commit/update/warm"].contains(&case.0) {
            continue;
        }
        let sizes = if recipe.small { &case.3[..2] } else { case.3 };
        for (at, size) in sizes.iter().enumerate() {
            let last = shape + 1 == SHAPES.len() && at + 1 == sizes.len();
            for engine in &engines {
                rows.push(row(recipe, case, *size, engine, recipe.interrupted && last));
            }
        }
    }
    let mut run = conditions::run(recipe, engines, rows);
    run.primitives = primitives();
    finish(&mut run, recipe);
    run
}

/// Fills in what follows from the rest.
pub(crate) fn finish(run: &mut Run, recipe: &Recipe) {
    let derived = derive(run);
    for (row, mut statistics) in run.rows.iter_mut().zip(derived.statistics) {
        if let Some(statistics) = &mut statistics {
            let first = row.blocks.iter().filter(|block| block.block == 0);
            statistics.first_ns = first.map(|block| block.wall_ns[0] * 3).collect();
        }
        row.statistics = statistics;
    }
    run.comparisons = derived.comparisons;
    run.controls = derived.controls;
    run.grade = conditions::grade(recipe, &run.controls);
    sign(run);
}

/// Gives the run the identity that fits what it says.
pub(crate) fn sign(run: &mut Run) {
    run.id = run_id(run).unwrap();
}

fn row(recipe: &Recipe, shape: &Shape, size: usize, engine: &Engine, cut: bool) -> Row {
    let (case, operation, size_means, _, base, each, log) = *shape;
    let outcome = outcome(case, size, &engine.name, cut);
    let measured = outcome == Outcome::Measured;
    let members = size as f64;
    let ns = (base + each * members + log * (members + 1.0).log2()) * factor(recipe, engine);
    let cryptography = measured && engine.crypto != "none";
    Row {
        case: case.into(),
        operation: operation.into(),
        size,
        size_means: size_means.into(),
        engine: engine.name.clone(),
        blocks: if measured { blocks(recipe, case, size, engine, ns) } else { Vec::new() },
        statistics: None,
        allocations: measured.then(|| Allocations {
            count: 12 + size as u64 * 7,
            bytes: (ns / 3.0) as u64,
            peak_bytes: (ns / 9.0) as u64,
            left_bytes: Some(size as i64 * 500 - 1000),
        }),
        wire: measured.then(|| wire(operation, size)),
        storage: cryptography.then(|| Storage {
            group_bytes: Some(900 + size as u64 * 400),
            tree_bytes: Some(60 + size as u64 * 300),
            written_bytes: (engine.layer != "core").then_some(1000 + size as u64 * 400),
        }),
        counts: (cryptography && engine.name != "mdk").then(|| counts(operation, size, engine)),
        floor: cryptography.then(|| floor(operation, size)),
        outcome,
    }
}

fn outcome(case: &str, size: usize, engine: &str, cut: bool) -> Outcome {
    if cut {
        return Outcome::NotReached;
    }
    match (case, size, engine) {
        ("ingest_commit/remove/warm", 2, _) => {
            Outcome::Absent { reason: "its only receiver would be the one removed".into() }
        }
        ("join_welcome", 8, "mdk") => Outcome::Wrong {
            reason: "epoch: Epoch(2) instead of Epoch(1) <b>& \"more\"</b>".into(),
        },
        ("send", 1000, "mdk") => Outcome::Absent { reason: "its fixture takes an hour".into() },
        _ => Outcome::Measured,
    }
}

fn factor(recipe: &Recipe, engine: &Engine) -> f64 {
    let own = match engine.name.as_str() {
        "null" => 0.004,
        "mdk" => 2.9,
        "openmls/libcrux" => 2.6,
        "openmls/rustcrypto" => 1.9,
        "mls-rs/rustcrypto" => 1.45,
        "mls-rs/aws-lc" => 1.15,
        "mls-rs/aws-lc again" => 1.15 * recipe.again,
        "burrow/rustcrypto" => 1.2,
        _ => 1.0,
    };
    let slowed = recipe.slow.filter(|(name, _)| *name == engine.name).map_or(1.0, |slow| slow.1);
    own * slowed * recipe.machine
}

fn blocks(recipe: &Recipe, case: &str, size: usize, engine: &Engine, ns: f64) -> Vec<Block> {
    let mut random = Random::new(recipe.seed, &format!("{case}/{size}/{}", engine.name));
    // What a stretch of time does to all engines alike.
    let mut weather = Random::new(recipe.seed, &format!("{case}/{size}"));
    let mut blocks = Vec::new();
    for process in 0..3 {
        for block in 0..5 {
            let drift = 1.0 + weather.below(1000) as f64 / 1e5;
            let mut wall = Vec::new();
            let mut switches = Vec::new();
            for _ in 0..7 {
                let hit = random.below(40) == 0;
                let noise = 1.0 + random.below(1000) as f64 / 1e5 + if hit { 0.4 } else { 0.0 };
                wall.push((ns * drift * noise).round() as u64);
                switches.push(u32::from(hit));
            }
            let cpu = wall.iter().map(|ns| ns - ns / 200).collect();
            blocks.push(Block {
                process,
                block,
                operations: 1,
                wall_ns: wall,
                cpu_ns: cpu,
                switches,
            });
        }
    }
    blocks
}

fn wire(operation: &str, size: usize) -> Wire {
    let bytes = |name: &str, bytes: usize| BTreeMap::from([(name.to_owned(), bytes as u64)]);
    match operation {
        "create_group" => Wire {
            received: bytes("key package", 312 * size),
            sent: bytes("welcome", 420 + 260 * size),
        },
        "join_welcome" => Wire { received: bytes("welcome", 420 + 260 * size), ..Wire::default() },
        "send" => Wire { sent: bytes("application", 241), ..Wire::default() },
        "commit" => Wire { sent: bytes("commit", 500 + 48 * size), ..Wire::default() },
        _ => Wire { received: bytes("commit", 500 + 48 * size), ..Wire::default() },
    }
}

fn needed(operation: &str, size: usize) -> Vec<(&'static str, u64)> {
    let members = size as u64;
    match operation {
        "create_group" => vec![("sign", 2), ("verify", 2 * members), ("kem_encap", members)],
        "join_welcome" => vec![("verify", members), ("kem_decap", 1)],
        "send" => vec![("sign", 1)],
        "commit" => vec![("sign", 2), ("kem_encap", members.max(1).ilog2().into())],
        _ => vec![("verify", 2), ("kem_decap", 1)],
    }
}

fn counts(operation: &str, size: usize, engine: &Engine) -> Counts {
    let mut calls: BTreeMap<String, u64> =
        needed(operation, size).into_iter().map(|(name, n)| (name.to_owned(), n)).collect();
    if engine.name.starts_with("openmls") && operation == "commit" {
        *calls.entry("sign".into()).or_default() += 1;
    }
    calls.insert("kdf_expand".into(), 14 + size as u64);
    Counts { calls, bytes: BTreeMap::from([("aead_seal".into(), 200), ("hash".into(), 4000)]) }
}

fn price(name: &str) -> f64 {
    match name {
        "sign" => 9_800.0,
        "verify" => 25_400.0,
        "kem_encap" => 38_200.0,
        _ => 29_600.0,
    }
}

const PER_BYTE_NS: f64 = 0.5;

fn floor(operation: &str, size: usize) -> Floor {
    let term = |(name, count): (&str, u64)| FloorTerm {
        primitive: format!("{name}, 100 bytes"),
        bytes: 300,
        count,
        each_ns: price(name) + 200.0 * PER_BYTE_NS,
        backend: "aws-lc".into(),
    };
    let terms: Vec<_> = needed(operation, size).into_iter().map(term).collect();
    Floor {
        total_ns: terms.iter().map(|term| term.count as f64 * term.each_ns).sum(),
        terms,
        left_out: vec!["hashing of the tree".into(), "copying".into()],
    }
}

fn primitives() -> Vec<Primitive> {
    let of = |(backend, factor): (&str, f64)| {
        ["sign", "verify", "kem_encap", "kem_decap"].map(|name| Primitive {
            name: format!("{name}, 100 bytes"),
            backend: backend.into(),
            bytes: 100,
            per_byte_ns: PER_BYTE_NS,
            median_ns: price(name) * factor,
            samples: 200,
        })
    };
    [("aws-lc", 1.0), ("rustcrypto", 1.6)].into_iter().flat_map(of).collect()
}
