//! `SignWithLabel` and `VerifyWithLabel` (section 5.1.2).

use crypto_api::{SigningKey, Suite, VerifyingKey};

use super::{PREFIX, Signature};
use crate::{
    CallerError, Error, PeerError, Result,
    codec::{EncodeError, LengthHeader},
};

/// An encoded `SignContent`: what is really signed. Kept apart from signing for batches, which
/// need all of them at once.
pub struct SignContent(Vec<u8>);

impl SignContent {
    /// The encoding for this label and for the content that `content` concatenates to.
    ///
    /// # Errors
    ///
    /// [`EncodeError::VectorTooLong`].
    pub fn new(label: &[u8], content: &[&[u8]]) -> Result<Self, EncodeError> {
        let content_len = content.iter().map(|part| part.len()).sum();
        let label_header = LengthHeader::new(PREFIX.len() + label.len())?;
        let content_header = LengthHeader::new(content_len)?;
        let mut bytes = Vec::with_capacity(8 + PREFIX.len() + label.len() + content_len);
        bytes.extend_from_slice(label_header.as_slice());
        bytes.extend_from_slice(PREFIX);
        bytes.extend_from_slice(label);
        bytes.extend_from_slice(content_header.as_slice());
        for part in content {
            bytes.extend_from_slice(part);
        }
        Ok(Self(bytes))
    }

    /// The encoding.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

/// `SignWithLabel(SignatureKey, Label, Content)`.
///
/// # Errors
///
/// If the content is too long to encode, or the key is of another suite.
pub fn sign_with_label(
    suite: &dyn Suite,
    key: &SigningKey,
    label: &[u8],
    content: &[&[u8]],
) -> Result<Signature> {
    let content = SignContent::new(label, content)?;
    match suite.sign(key, content.as_slice()) {
        Ok(signature) => Ok(signature.into()),
        Err(crypto_api::CryptoError::Rejected) => Err(CallerError::BadKey.into()),
        Err(other) => Err(other.into()),
    }
}

/// `VerifyWithLabel(VerificationKey, Label, Content, SignatureValue)`.
///
/// # Errors
///
/// [`PeerError::BadSignature`] if it doesn't verify.
pub fn verify_with_label(
    suite: &dyn Suite,
    key: &VerifyingKey,
    label: &[u8],
    content: &[&[u8]],
    signature: &Signature,
) -> Result<()> {
    let content = SignContent::new(label, content)?;
    suite
        .verify(key, content.as_slice(), signature.as_slice())
        .map_err(Error::of_peer(PeerError::BadSignature))
}
