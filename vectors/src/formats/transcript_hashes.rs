//! `transcript-hashes.json`.

use burrow::codec::{Decode, Encode};
use burrow::framing::{AuthenticatedContent, Content};
use burrow::schedule::{ConfirmationKey, confirmed_transcript_hash, interim_transcript_hash};
use crypto_api::Secret;
use serde::Deserialize;
use serde_json::Value;

use crate::files::Unnoticed;
use crate::hex::Hex;
use crate::run::Bench;
use crate::{Stop, Tally};

pub(crate) const UNNOTICED: &[Unnoticed] =
    &[Unnoticed { field: "cipher_suite", why: "suites 2 and 3, and 4 and 5, have the same hash" }];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    #[serde(rename = "cipher_suite")]
    _cipher_suite: u16,
    confirmation_key: Hex,
    authenticated_content: Hex,
    interim_transcript_hash_before: Hex,
    confirmed_transcript_hash_after: Hex,
    interim_transcript_hash_after: Hex,
}

pub(crate) fn check(bench: &Bench<'_>, case: &Value, tally: &mut Tally) -> Result<(), Stop> {
    let (suite, case): (_, Case) = (bench.suite, super::read(case, tally)?);
    let content = AuthenticatedContent::decode_exact(&case.authenticated_content.0);
    let content = tally.step("authenticated_content", content)?;
    let encoded = tally.step("authenticated_content", content.to_bytes())?;
    tally.equal("authenticated_content", encoded, &case.authenticated_content.0);
    tally.holds("a commit", matches!(content.content(), Content::Commit(_)));

    let before = &case.interim_transcript_hash_before.0;
    let input = content.confirmed_transcript_hash_input();
    let confirmed = confirmed_transcript_hash(suite, before, input);
    tally.equal(
        "confirmed_transcript_hash_after",
        confirmed,
        &case.confirmed_transcript_hash_after.0,
    );

    let key = ConfirmationKey::from(Secret::copy_from(&case.confirmation_key.0));
    let tag = tally.some("confirmation_tag", content.confirmation_tag())?;
    tally.must("confirmation_tag", key.verify(suite, confirmed.as_slice(), tag))?;
    let ours = key.confirmation_tag(suite, confirmed.as_slice());
    tally.equal("our confirmation_tag", ours, tag);

    let interim = interim_transcript_hash(suite, confirmed.as_slice(), tag);
    let interim = tally.step("interim_transcript_hash_after", interim)?;
    tally.equal("interim_transcript_hash_after", interim, &case.interim_transcript_hash_after.0);
    Ok(())
}
