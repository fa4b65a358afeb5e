//! The working group's `psk_secret.json`, and what section 8.4 says beyond it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod backends;
mod conformance;
mod vectors;

use backends::backends;
use burrow::{
    Error,
    schedule::PskSecret,
    types::{PreSharedKeyId, Psk, ResumptionPskUsage},
};
use conformance::{Floor, Tally};
use crypto_api::{CipherSuite, Secret, Suite};
use serde::Deserialize;
use vectors::Hex;

#[derive(Deserialize)]
struct Case {
    cipher_suite: u16,
    psks: Vec<PreSharedKey>,
    psk_secret: Hex,
}

#[derive(Deserialize)]
struct PreSharedKey {
    psk_id: Hex,
    psk: Hex,
    psk_nonce: Hex,
}

#[test]
fn psk_secret() {
    let floor = Floor {
        cases: 12 * 11,
        checks: 12 * 11,
    };
    conformance::run(
        "psk_secret.json",
        &floor,
        |case: &Case| case.cipher_suite,
        check,
    );
}

fn check(suite: &dyn Suite, case: &Case, tally: &mut Tally) {
    let psks: Vec<_> = case
        .psks
        .iter()
        .map(|psk| {
            let id = PreSharedKeyId {
                psk: Psk::External {
                    psk_id: psk.psk_id.0.clone(),
                },
                psk_nonce: psk.psk_nonce.0.clone(),
            };
            (id, Secret::copy_from(&psk.psk.0))
        })
        .collect();
    let secret = PskSecret::derive(suite, &borrowed(&psks)).unwrap();
    tally.equal("psk_secret", secret.as_secret(), &case.psk_secret.0);
}

fn borrowed(psks: &[(PreSharedKeyId, Secret)]) -> Vec<(&PreSharedKeyId, &Secret)> {
    psks.iter().map(|(id, psk)| (id, psk)).collect()
}

fn suite_1(check: impl Fn(&dyn Suite)) {
    for (backend, _) in backends() {
        check(backend.suite(CipherSuite(1)).unwrap());
    }
}

fn external(id: &[u8], nonce: u8, nonce_len: usize) -> PreSharedKeyId {
    PreSharedKeyId {
        psk: Psk::External {
            psk_id: id.to_vec(),
        },
        psk_nonce: vec![nonce; nonce_len],
    }
}

#[test]
fn pitfall_34_the_order_of_psks_counts() {
    suite_1(|suite| {
        let one = (external(b"one", 1, 32), Secret::copy_from(b"first"));
        let two = (external(b"two", 2, 32), Secret::copy_from(b"second"));
        let in_order = [(&one.0, &one.1), (&two.0, &two.1)];
        let swapped = [in_order[1], in_order[0]];
        let derive = |psks| PskSecret::derive(suite, psks).unwrap();
        assert_ne!(derive(&in_order), derive(&swapped));
        let renewed = external(b"two", 3, 32);
        assert_ne!(
            derive(&in_order),
            derive(&[in_order[0], (&renewed, &two.1)])
        );
    });
}

#[test]
fn pitfall_36_a_nonce_of_another_length_is_rejected() {
    suite_1(|suite| {
        let psk = Secret::copy_from(b"psk");
        for length in [0, 1, 31, 33, 64] {
            let id = external(b"id", 1, length);
            let result = PskSecret::derive(suite, &[(&id, &psk)]);
            let expected = Error::invalid("8.4: a psk_nonce is not KDF.Nh bytes long");
            assert_eq!(result.unwrap_err(), expected);
        }
        let id = external(b"id", 1, 32);
        assert!(PskSecret::derive(suite, &[(&id, &psk)]).is_ok());
        let none = PskSecret::derive(suite, &[]).unwrap();
        assert_eq!(none, PskSecret::none(suite));
        assert_eq!(none.as_secret(), &Secret::zero(32));
    });
}

#[test]
fn pitfall_37_the_usage_of_a_resumption_psk_counts() {
    suite_1(|suite| {
        let psk = Secret::copy_from(b"resumption_psk");
        let derive = |usage, psk_epoch| {
            let id = PreSharedKeyId {
                psk: Psk::Resumption {
                    usage,
                    psk_group_id: b"group".to_vec(),
                    psk_epoch,
                },
                psk_nonce: vec![7; 32],
            };
            PskSecret::derive(suite, &[(&id, &psk)]).unwrap()
        };
        let application = derive(ResumptionPskUsage::Application, 5);
        assert_ne!(application, derive(ResumptionPskUsage::Reinit, 5));
        assert_ne!(application, derive(ResumptionPskUsage::Branch, 5));
        assert_ne!(application, derive(ResumptionPskUsage::Application, 6));
    });
}

#[test]
fn more_psks_than_can_be_counted_are_refused() {
    suite_1(|suite| {
        let (id, psk) = (external(b"id", 1, 32), Secret::copy_from(b"psk"));
        let psks = vec![(&id, &psk); 1 << 16];
        assert_eq!(
            PskSecret::derive(suite, &psks).unwrap_err().fault(),
            "caller"
        );
    });
}
