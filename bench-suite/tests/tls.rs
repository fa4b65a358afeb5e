//! `cgka-bench tls`, as a program.

#![cfg(feature = "tls")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::process::{Command, Output};

use serde_json::Value;

fn tls(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_cgka-bench");
    Command::new(program).arg("tls").args(arguments).output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The first row of a quick run.
fn row(cell: &str) -> Value {
    let output = tls(&["--quick", "--only", cell, "--json"]);
    let file: Value = serde_json::from_slice(&output.stdout).unwrap();
    file["tables"][0]["rows"][0].clone()
}

fn figure(entry: &Value, list: &str, name: &str) -> Option<f64> {
    let figures = entry[list].as_array()?.iter();
    figures.clone().find(|figure| figure["name"] == name)?["value"].as_f64()
}

#[test]
fn every_cell_has_its_stacks_or_their_reasons() {
    let text = text(&tls(&["--list"]));
    let rows = text.lines().filter(|line| !line.starts_with(' '));
    assert_eq!(rows.count(), 30);
    assert_eq!(text.lines().filter(|line| *line == "    rustls/aws-lc").count(), 30);
    assert!(text.contains("    not rustls/ring: its provider has no group MLKEM768"), "{text}");
    assert!(text.contains("    not rustls/ring: its provider verifies no ML-DSA-44"), "{text}");
}

#[test]
fn a_row_has_times_bytes_and_the_sum_of_its_parts() {
    let row = row("x25519/Ed25519");
    assert_eq!(row["name"], "x25519/Ed25519");
    let entries = row["entries"].as_array().unwrap();
    assert!(entries.len() >= 2, "{row}");
    for entry in entries {
        let part = |name| figure(entry, "parts", name).unwrap();
        let count = |name| figure(entry, "figures", name).unwrap();
        let whole = entry["median_ns"].as_f64().unwrap();
        // Medians don't add up, least on a busy machine.
        assert!(part("client") > 0.0 && part("server") > 0.0);
        let names = ["key-share", "respond", "complete", "sign", "2 x verify"];
        let sum: f64 = names.into_iter().map(part).sum();
        assert!((sum - part("its primitives")).abs() < 1.0);
        assert!((whole - sum - part("the rest")).abs() < 1.0);
        assert_eq!(count("handshakes").total_cmp(&count("succeeded")), std::cmp::Ordering::Equal);
        assert!(count("handshakes") >= 9.0 * 2.0 * 8.0);
        assert!((count("ClientHello in one packet") - 1.0).abs() < f64::EPSILON);
    }
}

/// By the same program, in another run: with other keys.
#[test]
fn bytes_reproduce_from_run_to_run() {
    let bytes = || {
        let row = row("X25519MLKEM768/ML-DSA-44");
        let entries = row["entries"].as_array().unwrap().iter();
        let mut bytes: Vec<_> = entries
            .map(|entry| {
                let figures = ["client sends", "server sends", "ClientHello"];
                let figures = figures.map(|name| figure(entry, "figures", name).unwrap() as u64);
                (entry["name"].as_str().unwrap().to_owned(), figures)
            })
            .collect();
        bytes.sort();
        bytes
    };
    let first = bytes();
    assert!(!first.is_empty());
    assert_eq!(first, bytes());
}

#[test]
fn a_name_that_nothing_has_is_refused() {
    assert_eq!(tls(&["--only", "x448"]).status.code(), Some(2));
    assert_eq!(tls(&["--stack", "nss"]).status.code(), Some(2));
}
