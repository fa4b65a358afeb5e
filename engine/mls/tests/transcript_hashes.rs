//! The working group's `transcript-hashes.json`, and epoch 0.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod backends;
mod conformance;
mod vectors;

use backends::backends;
use burrow::{
    codec::{Decode, Encode},
    framing::{AuthenticatedContent, Content},
    schedule::{ConfirmationKey, confirmed_transcript_hash, interim_transcript_hash},
};
use conformance::{Floor, Tally};
use crypto_api::{CipherSuite, Secret, Suite};
use serde::Deserialize;
use vectors::Hex;

#[derive(Deserialize)]
struct Case {
    cipher_suite: u16,
    confirmation_key: Hex,
    authenticated_content: Hex,
    interim_transcript_hash_before: Hex,
    confirmed_transcript_hash_after: Hex,
    interim_transcript_hash_after: Hex,
}

#[test]
fn transcript_hashes() {
    let floor = Floor {
        cases: 12,
        checks: 12 * 6,
    };
    conformance::run(
        "transcript-hashes.json",
        &floor,
        |case: &Case| case.cipher_suite,
        check,
    );
}

fn check(suite: &dyn Suite, case: &Case, tally: &mut Tally) {
    let content = AuthenticatedContent::decode_exact(&case.authenticated_content.0).unwrap();
    tally.equal(
        "encoding",
        content.to_bytes().unwrap(),
        &case.authenticated_content.0,
    );
    tally.holds(
        "content type",
        matches!(content.content(), Content::Commit(_)),
    );

    let input = content.confirmed_transcript_hash_input();
    let confirmed = confirmed_transcript_hash(suite, &case.interim_transcript_hash_before.0, input);
    tally.equal(
        "confirmed",
        confirmed,
        &case.confirmed_transcript_hash_after.0,
    );

    let key = ConfirmationKey::from(Secret::copy_from(&case.confirmation_key.0));
    let tag = content.confirmation_tag().unwrap();
    let verified = key.verify(suite, confirmed.as_slice(), tag);
    tally.holds("confirmation_tag", verified.is_ok());
    let ours = key.confirmation_tag(suite, confirmed.as_slice());
    tally.equal("our confirmation_tag", ours, tag);

    let interim = interim_transcript_hash(suite, confirmed.as_slice(), tag).unwrap();
    tally.equal("interim", interim, &case.interim_transcript_hash_after.0);
}

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
