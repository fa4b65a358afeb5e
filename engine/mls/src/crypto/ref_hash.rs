//! Hash-based identifiers (section 5.2).

use crypto_api::{Digest, Suite};

use crate::{Result, codec::LengthHeader};

/// `HashReference`, as computed. A received one is a `Vec<u8>`; compare with [`Digest::matches`].
pub type HashReference = Digest;

/// `MakeKeyPackageRef(value)`, `value` being the encoded KeyPackage.
///
/// # Errors
///
/// If `value` is too long to encode.
pub fn make_key_package_ref(suite: &dyn Suite, value: &[u8]) -> Result<HashReference> {
    ref_hash(suite, b"MLS 1.0 KeyPackage Reference", value)
}

/// `MakeProposalRef(value)`, `value` being the encoded AuthenticatedContent with the proposal.
///
/// # Errors
///
/// If `value` is too long to encode.
pub fn make_proposal_ref(suite: &dyn Suite, value: &[u8]) -> Result<HashReference> {
    ref_hash(suite, b"MLS 1.0 Proposal Reference", value)
}

/// `RefHash(label, value)`. The label is the whole one, "MLS 1.0 " included.
///
/// # Errors
///
/// If an input is too long to encode.
pub fn ref_hash(suite: &dyn Suite, label: &[u8], value: &[u8]) -> Result<HashReference> {
    let label_header = LengthHeader::new(label.len())?;
    let value_header = LengthHeader::new(value.len())?;
    Ok(suite.hash(&[label_header.as_slice(), label, value_header.as_slice(), value]))
}
