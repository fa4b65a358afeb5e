//! Transcript hashes (section 8.2).

use crypto_api::{Digest, Suite};

use crate::{Result, codec::LengthHeader};

/// The `confirmed_transcript_hash` after a commit: `input` is its encoded
/// ConfirmedTranscriptHashInput.
#[must_use]
pub fn confirmed_transcript_hash(
    suite: &dyn Suite,
    interim_transcript_hash_before: &[u8],
    input: &[u8],
) -> Digest {
    suite.hash(&[interim_transcript_hash_before, input])
}

/// The `interim_transcript_hash` after a commit with this tag, or after joining by a GroupInfo with
/// it.
///
/// In epoch 0 it is made in the same way, from the empty confirmed transcript hash and the
/// creator's own tag: section 11 says so, and who joins from a GroupInfo of epoch 0 can make no
/// other. The empty hash of section 8.2 would split the two.
///
/// # Errors
///
/// If the tag is too long to encode.
pub fn interim_transcript_hash(
    suite: &dyn Suite,
    confirmed_transcript_hash: &[u8],
    confirmation_tag: &[u8],
) -> Result<Digest> {
    let header = LengthHeader::new(confirmation_tag.len())?;
    Ok(suite.hash(&[confirmed_transcript_hash, header.as_slice(), confirmation_tag]))
}
