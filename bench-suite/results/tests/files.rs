//! Writing, reading, and what is refused.

#![expect(clippy::unwrap_used, reason = "helper functions of tests")]

mod synthetic;

use bench_results::digest::run_id;
use bench_results::format::{Outcome, ResultFile, Run};
use bench_results::read::{ReadError, load, parse};
use bench_results::write::{Existing, WriteError, save, to_text};

use synthetic::{Recipe, file, finish, sign};

fn small(seed: u64) -> Recipe {
    Recipe { seed, small: true, ..Recipe::default() }
}

/// What the reader says of a file whose only run was changed, and given the identity that fits.
fn said_of(change: impl FnOnce(&mut Run)) -> String {
    let mut file = file(&[small(1)]);
    change(&mut file.runs[0]);
    sign(&mut file.runs[0]);
    parse("r.json", &to_text(&file).unwrap()).unwrap_err().to_string()
}

/// Four engines at one case.
fn tiny() -> ResultFile {
    let engines = ["mdk", "mls-rs/aws-lc", "mls-rs/aws-lc again", "burrow/aws-lc"];
    let mut file = file(&[small(1)]);
    let run = &mut file.runs[0];
    run.engines.retain(|engine| engines.contains(&engine.name.as_str()));
    run.rows.retain(|row| engines.contains(&row.engine.as_str()) && row.case == "send");
    finish(run, &small(1));
    file
}

/// The first measured row of burrow.
fn burrow(run: &mut Run) -> &mut bench_results::format::Row {
    run.rows.iter_mut().find(|row| row.engine == "burrow/aws-lc").unwrap()
}

#[test]
fn what_is_written_is_read_and_is_written_the_same() {
    let file = file(&[Recipe::default(), small(2)]);
    let text = to_text(&file).unwrap();
    let read = parse("r.json", &text).unwrap();
    assert_eq!(read, file);
    assert_eq!(to_text(&read).unwrap(), text);
}

/// Without its line ends a file is compact JSON, and each row has a line of its own.
#[test]
fn rows_stand_on_lines_of_their_own() {
    let file = file(&[small(1)]);
    let text = to_text(&file).unwrap();
    assert_eq!(text.replace('\n', ""), serde_json::to_string(&file).unwrap());
    for row in &file.runs[0].rows {
        let line = serde_json::to_string(row).unwrap();
        assert!(text.lines().any(|l| l.trim_end_matches(',') == line), "{line}");
    }
}

/// The recipe of docs/result-file.md.
#[test]
fn a_digest_can_be_computed_with_a_shell() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.json");
    let file = file(&[small(1)]);
    save(&path, &file, Existing::Keep).unwrap();
    let manual = include_str!("../../../docs/result-file.md");
    let recipe = manual.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let output =
        std::process::Command::new("sh").args(["-c", recipe]).env("FILE", &path).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed.split_whitespace().next(), Some(file.runs[0].id.as_str()), "{recipe}");
}

/// The fixture was written by the first version's code and stays as it is.
#[test]
fn version_1_stays_readable() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/v1.json");
    let file = load(path.as_ref()).unwrap();
    assert_eq!(file.schema, 1);
    assert_eq!(file.runs.len(), 1);
    let run = &file.runs[0];
    assert_eq!(run.engines.len(), 4);
    assert_eq!(run.rows.len(), 2 * run.engines.len());
    assert_eq!(run_id(run).unwrap(), run.id);
    assert_eq!(run.grade.name, "demoted");
    let absent = |row: &&bench_results::format::Row| row.outcome != Outcome::Measured;
    assert_eq!(run.rows.iter().filter(absent).count(), 0);
    // Its intervals are what they were; a field of the second version makes it a liar.
    let text = std::fs::read_to_string(path).unwrap();
    let newer = r#""sizes":[],"intervals":"over-blocks-and-processes"}"#;
    let said = parse("v1.json", &text.replacen(r#""sizes":[]}"#, newer, 1)).unwrap_err();
    assert!(said.to_string().contains("version 1 has no field `plan.intervals`"), "{said}");
    // Beside a run of today it stays readable.
    let both = bench_results::merge::merge([file, tiny()]).unwrap();
    assert_eq!(parse("both.json", &to_text(&both).unwrap()).unwrap(), both);
}

#[test]
fn what_stands_there_is_not_overwritten_unless_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.json");
    let (one, other) = (file(&[small(1)]), file(&[small(2)]));
    save(&path, &one, Existing::Keep).unwrap();
    let refused = save(&path, &other, Existing::Keep).unwrap_err();
    assert!(matches!(refused, WriteError::Exists(_)), "{refused}");
    assert_eq!(load(&path).unwrap(), one);
    save(&path, &other, Existing::Replace).unwrap();
    assert_eq!(load(&path).unwrap(), other);
    // Nothing else is left in the folder.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn an_invalid_run_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.json");
    let mut file = file(&[small(1)]);
    burrow(&mut file.runs[0]).statistics.as_mut().unwrap().median_ns = f64::NAN;
    let refused = save(&path, &file, Existing::Keep).unwrap_err().to_string();
    assert!(refused.contains("could not be read again"), "{refused}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_folder_that_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nowhere/r.json");
    let refused = save(&path, &file(&[small(1)]), Existing::Keep).unwrap_err().to_string();
    assert!(refused.contains("nowhere/r.json"), "{refused}");
    let refused = load(&path).unwrap_err().to_string();
    assert!(refused.starts_with("can't read") && refused.contains("nowhere/r.json"), "{refused}");
}

/// Cut anywhere, and a file is refused as cut off, with the place.
#[test]
fn a_truncated_file_is_refused_at_every_length() {
    let text = to_text(&file(&[small(1)])).unwrap();
    let whole = text.trim_end().len();
    for length in (0..whole).step_by(977).chain([whole - 1]) {
        let refused = parse("r.json", &text[..length]).unwrap_err();
        let ReadError::Truncated { line, .. } = refused else {
            panic!("{length}: {refused}");
        };
        let lines = text[..length].lines().count();
        assert!(line == lines || line == lines + 1, "{length}: line {line} of {lines}");
    }
}

/// A byte changed anywhere is noticed.
#[test]
fn a_corrupt_file_is_refused_wherever_it_is_hit() {
    let text = to_text(&file(&[small(1)])).unwrap();
    let whole = text.trim_end().len();
    for at in (0..whole).step_by(1801) {
        for damage in [b'7', b'z', b'"', 0xff] {
            let mut bytes = text.clone().into_bytes();
            if bytes[at] == damage || bytes[at] == b'\n' {
                continue;
            }
            bytes[at] = damage;
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("r.json");
            std::fs::write(&path, bytes).unwrap();
            let refused = load(&path).unwrap_err().to_string();
            assert!(refused.contains("r.json"), "{refused}");
        }
    }
}

#[test]
fn other_files_are_told_from_results() {
    let said = |text: &str| parse("r.json", text).unwrap_err().to_string();
    assert!(said("hello").starts_with("r.json is not JSON: "), "{}", said("hello"));
    assert!(said("[]").contains("no field `schema`"));
    assert!(said(r#"{"schema":"cgka-bench/verify/1"}"#).contains("`schema` is no number"));
    assert!(said(r#"{"schema":0,"runs":[]}"#).contains("never was a version 0"));
    assert!(said(r#"{"schema":1}"#).contains("missing field `runs`"));
}

#[test]
fn a_newer_version_is_named_as_that() {
    let text = to_text(&file(&[small(1)])).unwrap().replace("{\"schema\":2", "{\"schema\":7");
    assert_eq!(
        parse("r.json", &text).unwrap_err().to_string(),
        "r.json was made by a newer cgka-bench: version 7, this one reads up to 2"
    );
}

#[test]
fn a_number_changed_by_hand_is_noticed_twice() {
    let file = file(&[small(1)]);
    let median = file.runs[0].rows[1].statistics.as_ref().unwrap().median_ns;
    let text = to_text(&file).unwrap();
    let edited = text.replacen(
        &format!("\"median_ns\":{median:?}"),
        &format!("\"median_ns\":{:?}", median + 0.5),
        1,
    );
    assert_ne!(edited, text);
    let refused = parse("r.json", &edited).unwrap_err().to_string();
    assert!(refused.contains("it was changed after it was recorded"), "{refused}");
    assert!(refused.contains("row send/1 of mdk: median_ns is"), "{refused}");
}

#[test]
fn unknown_and_missing_fields_are_named_with_their_place() {
    let text = to_text(&file(&[small(1)])).unwrap();
    let said = |from: &str, to: &str| {
        let edited = text.replacen(from, to, 1);
        assert_ne!(edited, text);
        parse("r.json", &edited).unwrap_err().to_string()
    };
    let known = said("\"size_means\"", "\"size_counts\"");
    assert!(known.contains("runs[0].rows[0]") && known.contains("`size_counts`"), "{known}");
    // Where serde looks away.
    let variant = said("{\"status\":\"measured\"}", "{\"status\":\"measured\",\"by\":1}");
    assert!(variant.contains("at runs[0].rows[0].outcome.by: "), "{variant}");
    let null = said("\"margin\":0.03", "\"margin\":null");
    assert!(null.contains("runs[0].plan.margin"), "{null}");
    let huge = said("\"margin\":0.03", "\"margin\":1e999");
    assert!(huge.contains("out of range"), "{huge}");
    let negative = said("\"process\":0", "\"process\":-1");
    assert!(negative.contains("runs[0].rows[0].blocks[0].process"), "{negative}");
}

/// One change each, and a part of what must be said. The identity fits in all of them.
#[test]
fn what_cannot_be_is_named() {
    let row = "row send/1 of burrow/aws-lc";
    let block = "row send/1 of burrow/aws-lc, block 0 of process 0: ";
    let pair = "comparison send/1 of mdk with openmls/libcrux: ";
    let again = "control send/1 of mls-rs/aws-lc: ";
    type Change = Box<dyn FnOnce(&mut Run)>;
    let cases: Vec<(Change, String)> = vec![
        (Box::new(|r| burrow(r).blocks[0].cpu_ns.truncate(3)), format!("{block}its lists are not")),
        (Box::new(|r| burrow(r).blocks[0].wall_ns[2] = 0), format!("{block}a sample took no time")),
        (Box::new(|r| burrow(r).blocks[0].operations = 0), format!("{block}its samples are of no")),
        (Box::new(|r| burrow(r).blocks[0].process = 9), "the run has 3 processes".into()),
        (Box::new(|r| burrow(r).blocks[1].block = 0), format!("{block}stands in the run twice")),
        (Box::new(|r| burrow(r).blocks[0].wall_ns[2] += 9_000_000), format!("{row}: ")),
        (Box::new(|r| burrow(r).blocks.clear()), format!("{row}: it was measured, and has no sam")),
        (
            Box::new(|r| burrow(r).statistics = None),
            format!("{row}: it was measured, and has no s"),
        ),
        (
            Box::new(|r| burrow(r).outcome = Outcome::NotReached),
            format!("{row}: it is not reached, and has samples"),
        ),
        (
            Box::new(|r| burrow(r).statistics.as_mut().unwrap().low_ns = 1e9),
            format!("{row}: its interval's low end, 1000000000, is above"),
        ),
        (
            Box::new(|r| burrow(r).statistics.as_mut().unwrap().samples = 3),
            format!("{row}: samples is 3; from the samples follows 105"),
        ),
        (
            Box::new(|r| burrow(r).statistics.as_mut().unwrap().high_ns += 1.0),
            format!("{row}: high_ns is "),
        ),
        (
            Box::new(|r| burrow(r).floor.as_mut().unwrap().total_ns += 500.0),
            format!("{row}: its floor is "),
        ),
        (
            Box::new(|r| burrow(r).floor.as_mut().unwrap().terms[0].bytes += 10),
            "from the run's primitives follows ".into(),
        ),
        (
            Box::new(|r| burrow(r).floor.as_mut().unwrap().terms[0].backend = "none".into()),
            format!("{row}: its floor is of "),
        ),
        (
            Box::new(|r| burrow(r).engine = "burow".into()),
            "rows send/1: none is of burrow/aws".into(),
        ),
        (Box::new(|r| burrow(r).size_means = "leaves".into()), format!("{row}: another row of")),
        (Box::new(|r| drop(r.rows.remove(0))), "rows send/1: none is of null".into()),
        (Box::new(|r| r.rows.insert(0, r.rows[0].clone())), "row send/1 of null: stands in".into()),
        (Box::new(|r| named(r).ratio = 5.0), format!("{pair}its ratio, 5, is not in its interval")),
        (Box::new(|r| named(r).ratio += 0.001), format!("{pair}ratio is ")),
        (Box::new(|r| named(r).low = -1.0), format!("{pair}a ratio is no number above 0")),
        (Box::new(|r| named(r).same_crypto = true), format!("{pair}same_crypto is true")),
        (Box::new(|r| named(r).only_engine.clear()), format!("{pair}only_engine is []")),
        (Box::new(|r| named(r).size = 77), "there is no such row of openmls/libcrux".into()),
        (Box::new(|r| drop(r.comparisons.pop())), "it is missing".into()),
        (
            Box::new(|r| r.comparisons.push(r.comparisons[0].clone())),
            "comparison send/1 of mdk and null: stands in the run twice".into(),
        ),
        (Box::new(|r| r.controls[0].differs = true), format!("{again}differs is true")),
        (Box::new(|r| r.controls[0].engine = "mdk".into()), "was entered only once".into()),
        (Box::new(|r| r.engines[1].name = "null".into()), "engine null: stands in the".into()),
        (Box::new(|r| r.engines[8].again = Some("x".into())), "it is x again, which is no".into()),
        (
            Box::new(|r| r.grade.name = "reference".into()),
            "grade: it is `reference`; with 2".into(),
        ),
        (Box::new(|r| r.started = "yesterday".into()), "`yesterday` is no RFC 3339 time".into()),
        (Box::new(|r| r.finished = "2020-01-01T00:00:00Z".into()), "is before the start".into()),
        (Box::new(|r| r.plan.confidence = 1.5), "its confidence is 1.5, not between".into()),
        (Box::new(|r| r.plan.resamples = u32::MAX), "4294967295 resamples are more".into()),
        (Box::new(|r| r.plan.resamples = 0), "plan: 0 resamples are too few".into()),
        (Box::new(|r| r.plan.blocks = 4), "4 of process 0: a process of the run has 4 b".into()),
        (Box::new(|r| drop(burrow(r).blocks.pop())), format!("{row}: it lacks 1 blocks that")),
        (
            Box::new(|r| r.plan.again = None),
            "engine mls-rs/aws-lc again: it is mls-rs/aws-lc again, which the plan doesn't".into(),
        ),
        (
            Box::new(|r| r.engines[8].again = Some(r.engines[8].name.clone())),
            "which is a second entry itself".into(),
        ),
        (
            Box::new(|r| {
                r.grade.name = "reference".into();
                r.grade.demerits.clear();
            }),
            "grade: it is `reference`, and this is against it: load: 0.52 before the run".into(),
        ),
        (Box::new(|r| r.host.steal = Some(2.0)), "steal is 2, not a share of 1".into()),
        (
            Box::new(|r| r.primitives.last_mut().unwrap().median_ns = 0.0),
            "primitive kem_decap, 100 bytes of rustcrypto: it costs 0".into(),
        ),
    ];
    for (change, part) in cases {
        let said = said_of(change);
        assert!(said.contains(&part), "expected `{part}` in: {said}");
        assert!(said.starts_with("r.json contradicts itself: \n  run "), "{said}");
        assert!(!said.contains("changed after it was recorded"), "{said}");
    }
}

fn named(run: &mut Run) -> &mut bench_results::format::Comparison {
    run.comparisons
        .iter_mut()
        .find(|c| c.engine == "mdk" && c.against == "openmls/libcrux")
        .unwrap()
}

#[test]
fn runs_stand_in_order_and_once() {
    let ordered = file(&[small(1), small(2)]);
    let said = |runs: Vec<Run>| {
        let text = to_text(&ResultFile { schema: 2, runs }).unwrap();
        parse("r.json", &text).unwrap_err().to_string()
    };
    let [one, other] = [&ordered.runs[0], &ordered.runs[1]];
    assert!(said(vec![other.clone(), one.clone()]).contains("not in order"));
    assert!(said(vec![one.clone(), one.clone()]).contains("stands in it twice"));
}

/// A file may be packed with gzip; a damaged one is refused.
#[test]
fn packed_files_are_read() {
    use std::io::Write;
    let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/v1.json"));
    let plain = std::fs::read(path).unwrap();
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(&plain).unwrap();
    let packed = packer.finish().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("v1.json.gz");
    std::fs::write(&file, &packed).unwrap();
    assert_eq!(load(&file).unwrap(), load(path).unwrap());
    std::fs::write(&file, &packed[..packed.len() / 2]).unwrap();
    assert!(load(&file).is_err());
    let mut damaged = packed;
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0x55;
    std::fs::write(&file, &damaged).unwrap();
    assert!(load(&file).is_err());
}
