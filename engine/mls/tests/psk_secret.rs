//! What section 8.4 says of pre-shared keys beyond their vectors.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod backends;

use backends::backends;
use burrow::{
    Error,
    schedule::PskSecret,
    types::{PreSharedKeyId, Psk, ResumptionPskUsage},
};
use crypto_api::{CipherSuite, Secret, Suite};

fn suite_1(check: impl Fn(&dyn Suite)) {
    for (backend, _) in backends() {
        check(backend.suite(CipherSuite(1)).unwrap());
    }
}

fn external(id: &[u8], nonce: u8, nonce_len: usize) -> PreSharedKeyId {
    PreSharedKeyId { psk: Psk::External { psk_id: id.to_vec() }, psk_nonce: vec![nonce; nonce_len] }
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
        assert_ne!(derive(&in_order), derive(&[in_order[0], (&renewed, &two.1)]));
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
                psk: Psk::Resumption { usage, psk_group_id: b"group".to_vec(), psk_epoch },
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
        assert_eq!(PskSecret::derive(suite, &psks).unwrap_err().fault(), "caller");
    });
}
