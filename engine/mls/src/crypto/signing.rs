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
        let label_header = LengthHeader::new(PREFIX.len() + label.len())?;
        let content_header = LengthHeader::new(content_len)?;
        let mut bytes = Vec::with_capacity(8 + PREFIX.len() + label.len() + content_len);
        bytes.extend_from_slice(label_header.as_slice());
        bytes.extend_from_slice(PREFIX);
        bytes.extend_from_slice(label);
        bytes.extend_from_slice(content_header.as_slice());
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
        suite.sign(key, &self.0).map_err(|why| match why {
            crypto_api::CryptoError::Rejected => CallerError::BadKey.into(),
            other => other.into(),
        })
    }

    /// Checks a signature.
    ///
    /// # Errors
    ///
    /// [`PeerError::BadSignature`] if it doesn't verify.
    pub fn verify(&self, suite: &dyn Suite, key: &VerifyingKey, signature: &[u8]) -> Result<()> {
        let verified = suite.verify(key, &self.0, signature);
        verified.map_err(Error::of_peer(PeerError::BadSignature))
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
