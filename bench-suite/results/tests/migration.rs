//! A run of one engine on several cipher suites: factors, sentences, and what is left unsaid.

#![expect(clippy::unwrap_used, reason = "helper functions of tests")]

mod synthetic;

use bench_results::format::{Block, Engine, Primitive, ResultFile, Row, Run, SCHEMA, Verdict};
use bench_results::migration::sentences::{Sentences, sentences};
use bench_results::migration::suites::Phase;
use bench_results::migration::{Line, Migration, Price, text};
use bench_results::report::page;
use bench_results::statistics::derive;
use bench_results::units::ratio;
use bench_results::validate;

use synthetic::{Recipe, finish};

const BASE: &str = "burrow/aws-lc";
const HYBRID: &str = "burrow/aws-lc/0xF001";
const SIGNED: &str = "burrow/aws-lc/0xF009";

/// Times and bytes of a suite over those of 0x0001.
#[derive(Clone, Copy)]
struct Cost {
    time: u64,
    bytes: u64,
}

/// The run of two engines of which one is on three suites.
fn run(hybrid: Cost, signed: Cost) -> Run {
    let recipe = Recipe { quiet: true, ..Recipe::default() };
    let mut run = synthetic::run(&recipe);
    run.engines
        .retain(|engine| [BASE, "mls-rs/aws-lc", "mls-rs/aws-lc again"].contains(&&*engine.name));
    let kept: Vec<String> = run.engines.iter().map(|engine| engine.name.clone()).collect();
    run.rows.retain(|row| kept.contains(&row.engine));
    for (name, suite, cost) in [(HYBRID, "0xf001", hybrid), (SIGNED, "0xf009", signed)] {
        let base = run.engines.iter().find(|engine| engine.name == BASE).unwrap().clone();
        run.engines.push(Engine { name: name.into(), cipher_suite: suite.into(), ..base });
        let rows: Vec<Row> = run
            .rows
            .iter()
            .filter(|row| row.engine == BASE)
            .map(|row| dearer(row, name, cost))
            .collect();
        run.rows.extend(rows);
        let prices: Vec<Primitive> = run
            .primitives
            .iter()
            .filter(|price| price.backend == "aws-lc")
            .map(|price| Primitive {
                backend: format!("aws-lc, {suite}"),
                median_ns: price.median_ns * 3.0,
                per_byte_ns: price.per_byte_ns * 3.0,
                ..price.clone()
            })
            .collect();
        run.primitives.extend(prices);
    }
    for row in &mut run.rows {
        if let Some(suite) =
            ["0xF001", "0xF009"].into_iter().find(|suite| row.engine.ends_with(suite))
        {
            priced_at(row, &format!("aws-lc, {}", suite.to_lowercase()));
        }
    }
    run.rows.sort_by_key(|row| (row.case.clone(), row.size));
    finish(&mut run, &recipe);
    run
}

fn dearer(row: &Row, name: &str, cost: Cost) -> Row {
    let slower = |block: &Block| Block {
        wall_ns: block.wall_ns.iter().map(|ns| ns * cost.time).collect(),
        cpu_ns: block.cpu_ns.iter().map(|ns| ns * cost.time).collect(),
        ..block.clone()
    };
    let mut row =
        Row { engine: name.into(), blocks: row.blocks.iter().map(slower).collect(), ..row.clone() };
    let wire = row.wire.iter_mut().flat_map(|w| w.sent.values_mut().chain(w.received.values_mut()));
    wire.for_each(|bytes| *bytes *= cost.bytes);
    if let Some(storage) = &mut row.storage {
        storage.group_bytes = storage.group_bytes.map(|bytes| bytes * cost.bytes);
    }
    row
}

fn priced_at(row: &mut Row, backend: &str) {
    let Some(floor) = &mut row.floor else { return };
    for term in &mut floor.terms {
        term.backend = backend.into();
        term.each_ns *= 3.0;
    }
    floor.total_ns *= 3.0;
}

const DOUBLE: Cost = Cost { time: 2, bytes: 4 };
const SEVENFOLD: Cost = Cost { time: 7, bytes: 30 };

fn line<'a>(migration: &'a Migration, engine: &str, case: &str, size: usize) -> &'a Line {
    let one = migration.moves.iter().find(|one| one.engine == engine).unwrap();
    one.lines.iter().find(|line| line.case == case && line.size == size).unwrap()
}

fn said(run: &Run) -> Sentences {
    sentences(run, &Migration::of(run))
}

fn about<'a>(sentences: &'a [String], engine: &str, doing: &str) -> &'a str {
    let of = |said: &&String| said.contains(&format!(" by {engine}")) && said.contains(doing);
    sentences.iter().find(of).unwrap()
}

#[test]
fn factors_are_over_the_same_engine_with_the_runs_own_intervals() {
    let run = run(DOUBLE, SEVENFOLD);
    let problems = validate::check(&ResultFile { schema: SCHEMA, runs: vec![run.clone()] });
    assert_eq!(problems, []);
    let migration = Migration::of(&run);
    let phases: Vec<_> =
        migration.moves.iter().map(|one| (&*one.engine, &*one.baseline, one.suite.phase)).collect();
    assert_eq!(phases, [(HYBRID, BASE, Phase::Phase0), (SIGNED, BASE, Phase::Phase2)]);
    assert_eq!(migration.without_baseline, []);
    for (engine, times, bytes) in [(HYBRID, 2.0, 4.0), (SIGNED, 7.0, 30.0)] {
        let line = line(&migration, engine, "commit/update/warm", 33);
        let time = line.time.unwrap();
        assert!(
            (time.factor - times).abs() < 1e-4
                && time.low <= time.factor
                && time.factor <= time.high
        );
        assert_eq!(time.verdict, Verdict::Slower);
        // The interval is that of the comparison, turned round as it was recorded with the baseline first.
        let recorded = run.comparisons.iter().find(|c| {
            (c.case.as_str(), c.size) == ("commit/update/warm", 33)
                && (c.engine.as_str(), c.against.as_str()) == (BASE, engine)
        });
        let recorded = recorded.unwrap();
        assert!((time.low - 1.0 / recorded.high).abs() < 1e-12);
        assert!((time.high - 1.0 / recorded.low).abs() < 1e-12);
        assert_eq!(line.wire_bytes.unwrap().factor, Some(bytes));
        assert_eq!(line.state_bytes.unwrap().factor, Some(bytes));
        assert_eq!(line.allocations.unwrap().factor, Some(1.0));
        let Price::Known { alone_ns, baseline_ns, factor } = line.primitives else {
            panic!("{:?}", line.primitives);
        };
        assert!((factor - 3.0).abs() < 1e-3 && alone_ns > baseline_ns, "{factor}");
    }
    // What both lack has no numbers and a reason.
    let absent = line(&migration, HYBRID, "ingest_commit/remove/warm", 2);
    assert!(
        absent.missing.as_ref().unwrap().contains("its only receiver") && absent.time.is_none()
    );
}

/// Engines on different suites are no same-crypto pair, whatever their library.
#[test]
fn suites_are_kept_apart() {
    let run = run(DOUBLE, SEVENFOLD);
    let pair = |one: &str, other: &str| {
        let is = |c: &&bench_results::format::Comparison| {
            [(one, other), (other, one)].contains(&(c.engine.as_str(), c.against.as_str()))
        };
        run.comparisons.iter().filter(is).map(|c| c.same_crypto).collect::<Vec<_>>()
    };
    assert!(pair(BASE, "mls-rs/aws-lc").into_iter().all(|same| same));
    for (one, other) in [(BASE, HYBRID), (HYBRID, SIGNED), ("mls-rs/aws-lc", HYBRID)] {
        assert!(!pair(one, other).is_empty() && !pair(one, other).contains(&true), "{one} {other}");
    }
}

#[test]
fn sentences_follow_the_numbers() {
    let run = run(DOUBLE, SEVENFOLD);
    let first = said(&run);
    let update = about(&first.said, HYBRID, "a commit (update, warm tree)");
    assert!(
        update.starts_with(
            "At 33 members a commit (update, warm tree) on X-Wing with Ed25519 (0xf001)"
        )
    );
    assert!(update.contains("costs 2.00x [2.00, 2.00] the time and 4.00x ("), "{update}");
    assert!(update.ends_with("the bytes of burrow/aws-lc."), "{update}");
    let signed = about(&first.said, SIGNED, "sending a message");
    assert!(signed.contains("7.00x [") && signed.contains("30.0x ("), "{signed}");
    let state = about(&first.said, HYBRID, "a member's state");
    assert!(state.contains("4.00x ("), "{state}");
    assert_eq!(first.unsaid, [] as [String; 0]);

    let other = said(&self::run(Cost { time: 3, bytes: 5 }, SEVENFOLD));
    let changed = about(&other.said, HYBRID, "a commit (update, warm tree)");
    assert!(changed.contains("3.00x [3.00, 3.00] the time and 5.00x ("), "{changed}");
    let same = about(&other.said, SIGNED, "a commit (update, warm tree)");
    assert_eq!(same, about(&first.said, SIGNED, "a commit (update, warm tree)"));
}

#[test]
fn the_same_time_is_said_to_be_the_same() {
    let same = said(&run(Cost { time: 1, bytes: 2 }, SEVENFOLD));
    let send = about(&same.said, HYBRID, "sending a message");
    assert!(send.contains("costs the time, to within 3 %, and 2.00x ("), "{send}");
}

/// What an interval, or an engine entered twice, doesn't carry is not said of a time. Bytes are counted.
#[test]
fn what_is_not_carried_is_not_said() {
    let doing = "a commit (update, warm tree)";
    let here = |case: &str, size: usize| (case, size) == ("commit/update/warm", 33);

    let mut wide = run(DOUBLE, SEVENFOLD);
    for c in wide.comparisons.iter_mut().filter(|c| here(&c.case, c.size) && c.against == HYBRID) {
        (c.low, c.high, c.verdict) = (0.4, 1.2, Verdict::Inconclusive);
    }
    let mut apart = run(DOUBLE, SEVENFOLD);
    apart.controls.iter_mut().filter(|c| here(&c.case, c.size)).for_each(|c| c.high = 2.1);
    let mut differs = run(DOUBLE, SEVENFOLD);
    differs.controls.iter_mut().filter(|c| here(&c.case, c.size)).for_each(|c| c.differs = true);
    let mut once = run(DOUBLE, SEVENFOLD);
    once.controls.clear();
    let mut invalid = run(DOUBLE, SEVENFOLD);
    invalid.grade.name = "invalid".into();
    for (run, why) in [
        (wide, "its interval reaches into the margin"),
        (apart, "an engine entered twice is ["),
        (differs, "differs from itself there"),
        (once, "no engine was entered twice"),
        (invalid, "the run is invalid"),
    ] {
        let Sentences { said, unsaid } = said(&run);
        let left = about(&said, HYBRID, doing);
        assert!(left.contains("costs 4.00x (") && !left.contains("the time"), "{left}");
        let reason = about(&unsaid, HYBRID, doing);
        assert!(reason.contains(why) && reason.contains("nothing is said of its time"), "{reason}");
    }
}

#[test]
fn a_run_without_its_baseline_says_so() {
    let mut run = run(DOUBLE, SEVENFOLD);
    run.engines.retain(|engine| engine.name != BASE);
    run.rows.retain(|row| row.engine != BASE);
    let derived = derive(&run);
    (run.comparisons, run.controls) = (derived.comparisons, derived.controls);
    let migration = Migration::of(&run);
    assert!(migration.moves.is_empty());
    assert_eq!(migration.without_baseline.len(), 2);
    let text = text(&run);
    assert!(
        text.contains("this run has no burrow on aws-lc at layer core with suite 0x0001"),
        "{text}"
    );
    assert!(!text.contains("To quote"), "{text}");

    // Another library, or another layer, is none either.
    for change in [
        (|engine: &mut Engine| engine.crypto = "rustcrypto".into()) as fn(&mut Engine),
        |engine| engine.layer = "sqlite".into(),
        |engine| engine.cipher_suite = "0x0002".into(),
    ] {
        let mut other = self::run(DOUBLE, SEVENFOLD);
        change(other.engines.iter_mut().find(|engine| engine.name == BASE).unwrap());
        assert!(Migration::of(&other).moves.is_empty());
    }
}

#[test]
fn prices_that_are_missing_are_named() {
    let mut run = run(DOUBLE, SEVENFOLD);
    run.primitives.retain(|price| price.backend != "aws-lc, 0xf001");
    let migration = Migration::of(&run);
    let Price::Unknown { why } = &line(&migration, HYBRID, "send", 33).primitives else {
        panic!("there are no prices");
    };
    assert_eq!(why, "this run has no prices of aws-lc, 0xf001");
    assert!(matches!(line(&migration, SIGNED, "send", 33).primitives, Price::Known { .. }));
    assert!(text(&run).contains("where there is a dash: this run has no prices of aws-lc, 0xf001"));
}

#[test]
fn text_and_page_show_it_and_other_runs_have_no_such_chapter() {
    let run = run(DOUBLE, SEVENFOLD);
    let text = text(&run);
    for part in [
        "burrow/aws-lc/0xF001 over burrow/aws-lc: phase 0, X-Wing with Ed25519 (0xf001)",
        "burrow/aws-lc/0xF009 over burrow/aws-lc: phase 2, X-Wing with ML-DSA-44 (0xf009)",
        "To quote\n  ",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let factor = ratio(line(&Migration::of(&run), SIGNED, "send", 33).time.unwrap().factor);
    let html = page(&ResultFile { schema: SCHEMA, runs: vec![run.clone()] }, None);
    let chapter = html.split("-migration\"><h2>Migration</h2>").nth(1).unwrap();
    let chapter = chapter.split("-pairs\"><h2>").next().unwrap();
    for sentence in said(&run).said {
        assert!(chapter.contains(&sentence), "{sentence}");
    }
    assert!(chapter.contains(&format!("{factor}×")) && chapter.contains("phase 2: a post-quantum"));

    let classical = synthetic::run(&Recipe::default());
    assert!(Migration::of(&classical).is_empty());
    assert!(
        !page(&ResultFile { schema: SCHEMA, runs: vec![classical] }, None).contains("-migration")
    );
}
