//! ECDSA signatures in every encoding but the one that is right.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod both;

use both::{Both, NIST, key_bytes, refused, taken, unhex};
use crypto_api::Suite;

#[test]
fn ecdsa_encodings() {
    for curve in &NIST {
        let both = Both::new();
        let (_, maker) = both.of(curve.suite)[0];
        let key = maker.signing_key(&key_bytes(curve.suite)).unwrap();
        let [r, s] = integers(&maker.sign(&key, b"message").unwrap());
        let order = unhex(curve.order);
        let other_s = minus(&order, &s);
        let check = |signature: Vec<u8>| {
            move |suite: &dyn Suite| {
                let key = suite.signing_key(&key_bytes(curve.suite))?;
                let public = suite.verifying_key(key.public())?;
                suite.verify(&public, b"message", &signature)
            }
        };
        // Both forms of `s` are good: there is no rule that prefers the low one.
        taken(curve.suite, "s", check(der(&integer(&r), &integer(&s))));
        taken(curve.suite, "-s", check(der(&integer(&r), &integer(&other_s))));
        let negative = |bytes: &[u8]| [&[2, bytes.len() as u8], bytes].concat();
        let mut padded = vec![0, 0];
        padded.extend_from_slice(&s);
        for (what, signature) in [
            ("r is zero", der(&integer(&[]), &integer(&s))),
            ("s is zero", der(&integer(&r), &integer(&[]))),
            ("s is the order", der(&integer(&r), &integer(&order))),
            ("s is missing", der(&integer(&r), &[])),
            ("s is padded", der(&integer(&r), &negative(&padded))),
            ("an empty integer", der(&integer(&r), &[2, 0])),
            ("a third integer", der(&integer(&r), &[integer(&s), integer(&s)].concat())),
            ("a negative r", der(&negative(&[0x80]), &integer(&s))),
            ("a set", with_tag(0x31, der(&integer(&r), &integer(&s)))),
            ("fixed length", [&r[..], &s].concat()),
            ("length in long form", long_form(&der(&integer(&r), &integer(&s)))),
            ("indefinite length", indefinite(&der(&integer(&r), &integer(&s)))),
        ] {
            refused(curve.suite, what, check(signature));
        }
    }
}

/// The two integers of a DER signature, without leading zeros.
fn integers(signature: &[u8]) -> [Vec<u8>; 2] {
    let body = if signature[1] & 0x80 == 0 { &signature[2..] } else { &signature[3..] };
    let (first, second) = body.split_at(2 + usize::from(body[1]));
    [first, second].map(|integer| trimmed(&integer[2..]))
}

fn trimmed(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().skip_while(|byte| *byte == 0).collect()
}

fn minus(a: &[u8], b: &[u8]) -> Vec<u8> {
    let mut padded = vec![0; a.len() - b.len()];
    padded.extend_from_slice(b);
    let mut borrow = 0;
    let mut difference: Vec<u8> = a
        .iter()
        .zip(&padded)
        .rev()
        .map(|(a, b)| {
            let difference = i16::from(*a) - i16::from(*b) - borrow;
            borrow = i16::from(difference < 0);
            difference as u8
        })
        .collect();
    difference.reverse();
    trimmed(&difference)
}

/// An INTEGER of these bytes, big-endian and unsigned.
fn integer(bytes: &[u8]) -> Vec<u8> {
    let mut content = trimmed(bytes);
    if content.first().is_none_or(|first| first & 0x80 != 0) {
        content.insert(0, 0);
    }
    [&[2, content.len() as u8], &content[..]].concat()
}

/// A SEQUENCE of two encoded values, length in its shortest form.
fn der(first: &[u8], second: &[u8]) -> Vec<u8> {
    let length = (first.len() + second.len()) as u8;
    let header: &[u8] = if length < 0x80 { &[0x30, length] } else { &[0x30, 0x81, length] };
    [header, first, second].concat()
}

fn with_tag(tag: u8, mut signature: Vec<u8>) -> Vec<u8> {
    signature[0] = tag;
    signature
}

/// The sequence's length with one byte more than it needs.
fn long_form(signature: &[u8]) -> Vec<u8> {
    let (length, body) = if signature[1] & 0x80 == 0 {
        (vec![0x81, signature[1]], &signature[2..])
    } else {
        (vec![0x82, 0, signature[2]], &signature[3..])
    };
    [&[0x30], &length[..], body].concat()
}

fn indefinite(signature: &[u8]) -> Vec<u8> {
    let body = if signature[1] & 0x80 == 0 { &signature[2..] } else { &signature[3..] };
    [&[0x30, 0x80], body, &[0, 0]].concat()
}
