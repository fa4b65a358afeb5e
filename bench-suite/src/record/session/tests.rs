//! What becomes of the samples of a worker that dies.

use std::error::Error;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use bench_results::format::{Block, Outcome, Row};

use super::*;
use crate::record::QUICK;
use crate::record::protocol::{MARK, Sampled};

const SIZES: [usize; 2] = [2, 9];
const NAMES: [&str; 2] = ["null", "null again"];

fn request() -> Request {
    Request {
        preset: QUICK,
        engines: Vec::new(),
        again: None,
        only: vec!["send".into()],
        sizes: SIZES.to_vec(),
        seed: 1,
        margin: 0.01,
        processes: None,
        pin: None,
        checks: false,
        out: None,
        force: false,
        slowed: None,
        rigged: None,
    }
}

/// The lines that tell of a group: it began, and a block of each arm was taken.
fn told(size: usize) -> Result<[String; 2], serde_json::Error> {
    let case = || "send".to_owned();
    let block = Block {
        process: 0,
        block: 0,
        operations: 1,
        wall_ns: vec![100],
        cpu_ns: vec![100],
        switches: vec![0],
    };
    let arm = |arm| Sampled { arm, first_ns: Some(100), blocks: vec![block.clone()], fault: None };
    let began = Event::Began { case: case(), size };
    let sampled = Event::Sampled { case: case(), size, arms: vec![arm(0), arm(1)] };
    Ok([serde_json::to_string(&began)?, serde_json::to_string(&sampled)?])
}

/// The rows, and how many workers it took, where each that is given the first group does `dying`
/// in the turn of the second arm.
fn rows_after(dying: impl Fn(&[String; 2]) -> String) -> Result<(Vec<Row>, usize), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let (program, started) = (folder.path().join("worker"), folder.path().join("started"));
    let (first, [began, sampled]) = (dying(&told(SIZES[0])?), told(SIZES[1])?);
    let script = format!(
        "#!/bin/sh
        read -r job
        echo one >>'{}'
        case \"$job\" in *'\"size\":{},'*)
            echo '{MARK}{}' >&2
            {first}
            kill -9 $$
        esac
        echo '{began}'
        echo '{sampled}'
        echo '\"Ended\"'\n",
        started.display(),
        SIZES[0],
        NAMES[1],
    );
    fs::write(&program, script)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;

    let entries = entries(&request(), &adapter_null::engines())?;
    let every: Vec<_> = (0..entries.len()).map(seat).collect();
    let group = |size| Group { case: "send".into(), size, blocks: 1, seats: every.clone() };
    let mut session = Session {
        program,
        interrupt: Interrupt::default(),
        progress: Progress::new(),
        board: Board::new(entries.len(), &request().only, &request().sizes),
        entries,
        began: Instant::now(),
        started: now(),
        before: Before::now(),
        plan: None,
        checks: Vec::new(),
        demerits: Vec::new(),
        request: request(),
    };
    session.work(Task::Sample, 0, SIZES.map(group).into(), &[])?;
    let rows = session.board.into_rows(&NAMES.map(String::from));
    Ok((rows, fs::read_to_string(started)?.lines().count()))
}

fn blocks(rows: &[Row]) -> Vec<usize> {
    rows.iter().map(|row| row.blocks.len()).collect()
}

#[test]
fn samples_that_were_told_are_not_taken_again() -> Result<(), Box<dyn Error>> {
    let (rows, workers) =
        rows_after(|[began, sampled]| format!("echo '{began}'; echo '{sampled}'"))?;
    // It is still the second arm that died.
    assert!(matches!(rows[1].outcome, Outcome::Wrong { .. }), "{:?}", rows[1].outcome);
    assert_eq!((blocks(&rows), workers), (vec![1, 0, 1, 1], 2));
    Ok(())
}

#[test]
fn samples_that_were_not_told_are() -> Result<(), Box<dyn Error>> {
    // Without the guilty arm, the group is begun again.
    let (rows, workers) = rows_after(|[began, _]| format!("echo '{began}'"))?;
    assert!(matches!(rows[1].outcome, Outcome::Wrong { .. }), "{:?}", rows[1].outcome);
    assert_eq!((blocks(&rows), workers), (vec![0, 0, 1, 1], 3));
    Ok(())
}
