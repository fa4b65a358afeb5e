//! The transcript hashes of epoch 0, which no vector has.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod backends;

use backends::backends;
use burrow::{
    codec::Encode,
    schedule::{ConfirmationKey, interim_transcript_hash},
};
use crypto_api::{CipherSuite, Secret};

/// Section 11, and not the empty string of section 8.2: what a joiner from a GroupInfo of epoch 0
/// computes.
#[test]
fn pitfall_35_the_interim_hash_of_epoch_0_covers_the_tag() {
    for (backend, suites) in backends() {
        for number in suites {
            let suite = backend.suite(CipherSuite(*number)).unwrap();
            let key = ConfirmationKey::from(Secret::copy_from(&vec![7; suite.kdf_nh()]));
            let tag = key.confirmation_tag(suite, b"");
            let interim = interim_transcript_hash(suite, b"", tag.as_slice()).unwrap();
            let encoded = tag.to_bytes().unwrap();
            assert_eq!(interim, suite.hash(&[&encoded]));
        }
    }
}
