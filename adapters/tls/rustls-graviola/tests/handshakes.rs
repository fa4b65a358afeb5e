//! The whole matrix: what graviola has passes, what it doesn't is told.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use tls_api::check::{Failure, check};
use tls_api::{Cell, Chains, Part, TlsError};

#[test]
fn cells_pass_or_tell_why_they_are_absent() {
    let stack = match tls_rustls_graviola::stack() {
        Ok(stack) => stack,
        Err(TlsError::Unsupported(why)) => return eprintln!("not tested: {why}"),
        Err(why) => panic!("{why}"),
    };
    let chains = Chains::make().unwrap();
    let mut passed = Vec::new();
    for cell in Cell::all() {
        let (chain, other) = chains.of(cell.certificate).unwrap();
        match check(&stack, cell, chain, other) {
            Ok(mut checked) => {
                for part in Part::ALL {
                    assert!(checked.prepared.time_part(part, 2).unwrap() > 0.0);
                }
                passed.push(cell.to_string());
            }
            Err(Failure::Absent(why)) => assert!(why.starts_with("its provider"), "{why}"),
            Err(Failure::Wrong(why)) => panic!("{cell}: {why}"),
        }
    }
    let expected = [
        "x25519/Ed25519",
        "secp256r1/Ed25519",
        "X25519MLKEM768/Ed25519",
        "x25519/ECDSA-P256",
        "secp256r1/ECDSA-P256",
        "X25519MLKEM768/ECDSA-P256",
    ];
    assert_eq!(passed, expected);
}
