//! The whole matrix, in this process: what BoringSSL has passes, what it doesn't is told.

#![cfg(feature = "vendored")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use tls_api::check::{Failure, check};
use tls_api::{Cell, Chains, Part};
use tls_boringssl::Boringssl;

#[test]
fn cells_pass_or_tell_why_they_are_absent() {
    let chains = Chains::make().unwrap();
    let (mut passed, mut absent, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for cell in Cell::all() {
        let (chain, other) = chains.of(cell.certificate).unwrap();
        match check(&Boringssl, cell, chain, other) {
            Ok(mut checked) => {
                for part in Part::ALL {
                    let time = checked.prepared.time_part(part, 2);
                    assert!(
                        time.as_ref().is_ok_and(|time| *time > 0.0),
                        "{cell} {part:?} {time:?}"
                    );
                }
                passed.push(cell.to_string());
            }
            Err(Failure::Absent(why)) => absent.push(format!("{cell}: {why}")),
            Err(Failure::Wrong(why)) => wrong.push(format!("{cell}: {why}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(passed.len(), 20, "{passed:?}\n{absent:#?}");
}
