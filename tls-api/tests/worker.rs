//! Stacks in workers: what a worker answers, and what becomes of one that doesn't.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::path::Path;
use std::time::Duration;

use tls_api::worker::{Remote, serve};
use tls_api::{
    Cell, Chain, Description, Handshake, Negotiated, Part, Prepared, TlsError, TlsStack, Wire,
};

/// A stack that sends fixed bytes, of one group only.
struct Fixed;

impl TlsStack for Fixed {
    fn describe(&self) -> Description {
        Description {
            name: "fixed".into(),
            tls: "none".into(),
            crypto: "none".into(),
            uncounted: None,
        }
    }

    fn prepare(&self, cell: Cell, _: &Chain) -> Result<Box<dyn Prepared>, TlsError> {
        match cell.group {
            tls_api::Group::X25519 => Ok(Box::new(FixedCell)),
            _ => Err(TlsError::Unsupported("one group only".into())),
        }
    }
}

struct FixedCell;

impl Prepared for FixedCell {
    fn handshake(&mut self, wire: &mut Wire) -> Result<Handshake, TlsError> {
        let flights = wire.begin();
        for (length, flight) in flights.iter_mut().enumerate() {
            flight.resize(length, 7);
        }
        let negotiated = Negotiated { group: 1, scheme: 2, verified: true, resumed: false };
        Ok(Handshake { times: [Duration::from_nanos(5); 4], bytes: wire.lengths(), negotiated })
    }

    fn time_part(&mut self, part: Part, count: u32) -> Result<f64, TlsError> {
        match part {
            Part::Sign => Ok(f64::from(count) + 0.5),
            _ => Err(TlsError::Unsupported("not alone".into())),
        }
    }
}

/// What a worker answers to these lines, without the quotes.
fn answers(requests: &str) -> Vec<String> {
    let mut answers = Vec::new();
    serve(&Fixed, requests.as_bytes(), &mut answers).unwrap();
    let text = String::from_utf8(answers).unwrap();
    text.lines().map(|line| line.replace('"', "")).collect()
}

const PREPARE: &str = r#"{"Prepare":{"cell":{"group":"X25519","certificate":"Ed25519"},"chain":{"issuer":[],"name":"n","end_entity":[],"public_key":[],"private_key":[]}}}"#;

#[test]
fn a_worker_answers_line_by_line() {
    let other = PREPARE.replace("X25519", "MlKem768");
    let requests = [
        r#""Describe""#,
        PREPARE,
        &other,
        r#"{"Handshake":{"prepared":0}}"#,
        r#"{"Handshakes":{"prepared":0,"count":2}}"#,
        r#"{"TimePart":{"prepared":0,"part":"Sign","count":3}}"#,
        r#"{"TimePart":{"prepared":0,"part":"Verify","count":3}}"#,
        r#"{"Release":{"prepared":0}}"#,
        r#"{"Handshake":{"prepared":0}}"#,
    ];
    let answers = answers(&requests.join("\n"));
    let done = "handshake:{times:[{secs:0,nanos:5},{secs:0,nanos:5},{secs:0,nanos:5},\
                {secs:0,nanos:5}],bytes:[0,1,2,3],negotiated:{group:1,scheme:2,verified:true,\
                resumed:false}}";
    let one = done.trim_start_matches("handshake:");
    assert_eq!(
        answers,
        [
            "{Ok:{Described:{name:fixed,tls:none,crypto:none,uncounted:null}}}".to_owned(),
            "{Ok:{Prepared:0}}".to_owned(),
            "{Err:{Unsupported:one group only}}".to_owned(),
            format!("{{Ok:{{Done:{{{done},wire:[[],[7],[7,7],[7,7,7]]}}}}}}"),
            format!("{{Ok:{{AllDone:[{one},{one}]}}}}"),
            "{Ok:{Timed:3.5}}".to_owned(),
            "{Err:{Unsupported:not alone}}".to_owned(),
            "{Ok:Released}".to_owned(),
            "{Err:{Worker:no cell 0}}".to_owned(),
        ]
    );
}

#[test]
fn a_worker_tells_what_it_does_not_understand() {
    for line in ["", "{", "[]", "\"Prepare\"", "{\"Handshake\":{\"prepared\":-1}}"] {
        let answers = answers(&format!("{line}\n"));
        assert_eq!(answers.len(), 1);
        assert!(answers[0].starts_with("{Err:{Worker:not understood: "), "{answers:?}");
    }
}

#[cfg(unix)]
#[test]
fn programs_that_are_no_worker_are_found_out() {
    let failure = |program: &str| match Remote::start(Path::new(program)) {
        Err(TlsError::Worker(why)) => why,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("{program} is a worker"),
    };
    assert_eq!(failure("/bin/true"), "it has ended");
    assert!(failure("/nonexistent").starts_with("/nonexistent: "));
    let echo = failure("/bin/cat");
    assert!(echo.contains("unknown variant") || echo.contains("expected"), "{echo}");
}
