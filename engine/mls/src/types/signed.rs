//! A struct that ends in a signature over what comes before it, kept as the bytes that were signed.

use std::ops::Deref;

use crate::{
    codec::{Decode, DecodeError, Encode, EncodeError, Reader},
    crypto::Signature,
};

/// `T`, then a signature. It can't be altered, so that the bytes stay what the fields say.
#[derive(Debug, Clone)]
pub(super) struct SignedStruct<T> {
    content: T,
    signature: Signature,
    encoded: Box<[u8]>,
    signed_len: usize,
}

impl<T: Encode> SignedStruct<T> {
    /// Encodes `content` and puts behind it what `sign` makes of the encoding.
    pub(super) fn sign(
        content: T,
        sign: impl FnOnce(&[u8]) -> crate::Result<Signature>,
    ) -> crate::Result<Self> {
        let mut encoded = content.to_bytes()?;
        let signed_len = encoded.len();
        let signature = sign(&encoded)?;
        signature.encode(&mut encoded)?;
        Ok(Self { content, signature, encoded: encoded.into(), signed_len })
    }
}

impl<T> SignedStruct<T> {
    pub(super) fn signature(&self) -> &Signature {
        &self.signature
    }

    /// All of it.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.encoded
    }

    /// All but the signature.
    pub(super) fn signed_bytes(&self) -> &[u8] {
        &self.encoded[..self.signed_len]
    }
}

impl<T> Deref for SignedStruct<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.content
    }
}

impl<T> PartialEq for SignedStruct<T> {
    fn eq(&self, other: &Self) -> bool {
        self.encoded == other.encoded
    }
}

impl<T> Eq for SignedStruct<T> {}

impl<T> Encode for SignedStruct<T> {
    fn encoded_len(&self) -> usize {
        self.encoded.len()
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        out.extend_from_slice(&self.encoded);
        Ok(())
    }
}

impl<T: Decode> Decode for SignedStruct<T> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut ahead = reader.clone();
        let (content, signed) = ahead.read_with_bytes()?;
        let signature = ahead.read()?;
        let encoded = reader.bytes(reader.remaining() - ahead.remaining())?;
        Ok(Self { content, signature, encoded: encoded.into(), signed_len: signed.len() })
    }
}
