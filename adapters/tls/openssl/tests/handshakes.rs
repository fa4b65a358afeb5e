//! The whole matrix, in this process: nothing else with a libcrypto is in it but AWS-LC, whose symbols
//! have a prefix.

#![cfg(feature = "vendored")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use tls_api::check::{Failure, check};
use tls_api::{Cell, Chains, Part};
use tls_openssl::Openssl;

#[test]
fn every_cell_passes_its_checks() {
    let chains = Chains::make().unwrap();
    for cell in Cell::all() {
        let (chain, other) = chains.of(cell.certificate).unwrap();
        let mut checked = match check(&Openssl, cell, chain, other) {
            Ok(checked) => checked,
            Err(Failure::Absent(why) | Failure::Wrong(why)) => panic!("{cell}: {why}"),
        };
        for part in Part::ALL {
            let time = checked.prepared.time_part(part, 2);
            assert!(time.is_ok_and(|time| time > 0.0), "{cell}: {part:?}");
        }
    }
}
