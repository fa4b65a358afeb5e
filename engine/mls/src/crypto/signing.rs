//! `SignWithLabel` and `VerifyWithLabel` (section 5.1.2).

use arrayvec::ArrayVec;
use crypto_api::{CryptoError, SigningKey, Suite, VerifyingKey};

use super::{PREFIX, Signature};
use crate::{
    CallerError, Error, PeerError, Result,
    codec::{EncodeError, LengthHeader},
};

/// An encoded `SignContent`: what is really signed. Kept apart from signing for batches, which
/// need all of them at once.
pub struct SignContent(Vec<u8>);

impl SignContent {
    /// The encoding for this label and for a content of so many bytes, which `write` appends.
    ///
    /// # Errors
    ///
    /// [`EncodeError::VectorTooLong`], and those of `write`.
    pub(crate) fn write(
        label: &[u8],
        content_len: usize,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), EncodeError>,
    ) -> Result<Self, EncodeError> {
        let head = sign_content_head(label, content_len)?;
        let mut bytes = Vec::with_capacity(head.len() + content_len);
        bytes.extend_from_slice(&head);
        let start = bytes.len();
        write(&mut bytes)?;
        debug_assert_eq!(bytes.len() - start, content_len);
        Ok(Self(bytes))
    }

    /// The encoding for this label and for the content that `content` concatenates to.
    ///
    /// # Errors
    ///
    /// [`EncodeError::VectorTooLong`].
    pub fn new(label: &[u8], content: &[&[u8]]) -> Result<Self, EncodeError> {
        let content_len = content.iter().map(|part| part.len()).sum();
        Self::write(label, content_len, |bytes| {
            content.iter().for_each(|part| bytes.extend_from_slice(part));
            Ok(())
        })
    }

    /// The signature.
    ///
    /// # Errors
    ///
    /// [`CallerError::BadKey`] if the key is of another suite.
    pub fn sign(&self, suite: &dyn Suite, key: &SigningKey) -> Result<Vec<u8>> {
        sign_encoded(suite, key, &self.0)
    }

    /// Checks a signature.
    ///
    /// # Errors
    ///
    /// [`PeerError::BadSignature`] if it doesn't verify.
    pub fn verify(&self, suite: &dyn Suite, key: &VerifyingKey, signature: &[u8]) -> Result<()> {
        verify_encoded(suite, key, &self.0, signature)
    }

    /// The encoding.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

/// The most that stands in front of the content in a SignContent, with the labels there are.
pub(crate) const MAX_HEAD: usize = 32;

/// What stands in front of a content of so many bytes in a SignContent: for contents that lie where
/// they are signed.
pub(crate) fn sign_content_head(
    label: &[u8],
    content_len: usize,
) -> Result<ArrayVec<u8, MAX_HEAD>, EncodeError> {
    let label_header = LengthHeader::new(PREFIX.len() + label.len())?;
    let content_header = LengthHeader::new(content_len)?;
    let mut head = ArrayVec::new();
    for part in [label_header.as_slice(), PREFIX, label, content_header.as_slice()] {
        head.try_extend_from_slice(part).map_err(|_| EncodeError::VectorTooLong)?;
    }
    Ok(head)
}

/// `SignWithLabel` of an encoded SignContent.
pub(crate) fn sign_encoded(
    suite: &dyn Suite,
    key: &SigningKey,
    sign_content: &[u8],
) -> Result<Vec<u8>> {
    suite.sign(key, sign_content).map_err(|why| match why {
        CryptoError::Rejected => CallerError::BadKey.into(),
        other => other.into(),
    })
}

/// `VerifyWithLabel` of an encoded SignContent.
pub(crate) fn verify_encoded(
    suite: &dyn Suite,
    key: &VerifyingKey,
    sign_content: &[u8],
    signature: &[u8],
) -> Result<()> {
    let verified = suite.verify(key, sign_content, signature);
    verified.map_err(Error::of_peer(PeerError::BadSignature))
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
    content.sign(suite, key).map(Signature::from)
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
    SignContent::new(label, content)?.verify(suite, key, signature.as_slice())
}
