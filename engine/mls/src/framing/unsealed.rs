//! A PrivateMessage being written (section 6.3): all of it in the buffer that is sent.

use crypto_api::Suite;

use super::{
    ContentType, EpochContext, Padding, SenderData, WireFormat,
    authenticated_content::{START, write_start},
};
use crate::{
    Result,
    codec::{Encode, EncodeError, LengthHeader, encode_opaque, length_len, opaque_len},
    schedule::{KeyAndNonce, SenderDataSecret},
    types::LeafIndex,
};

/// What a PrivateMessage says in the clear, and how long it is made.
pub(super) struct Clear<'a> {
    pub(super) content_type: ContentType,
    pub(super) authenticated_data: &'a [u8],
    pub(super) padding: Padding,
}

/// An encoded MLSMessage with a PrivateMessage whose two ciphertexts are not encrypted yet.
pub(super) struct Unsealed {
    bytes: Vec<u8>,
    sender_data_aad_end: usize,
    aad_end: usize,
    sender_data: usize,
    sender_data_end: usize,
    content: usize,
}

impl Unsealed {
    /// One whose PrivateMessageContent, of `length` bytes before it is padded, `write` appends.
    pub(super) fn write(
        epoch: &EpochContext<'_>,
        clear: &Clear<'_>,
        length: usize,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), EncodeError>,
    ) -> Result<Self, EncodeError> {
        let ciphertext = clear.padding.padded(length) + epoch.suite.aead_nt();
        let sender_data_len = SenderData::encrypted_len(epoch.suite);
        let message_len = START
            + opaque_len(epoch.group_id)
            + epoch.epoch.encoded_len()
            + clear.content_type.encoded_len()
            + opaque_len(clear.authenticated_data)
            + length_len(sender_data_len)
            + sender_data_len
            + length_len(ciphertext)
            + ciphertext;
        let mut bytes = Vec::with_capacity(message_len);
        write_start(WireFormat::PrivateMessage, &mut bytes);
        encode_opaque(epoch.group_id, &mut bytes)?;
        epoch.epoch.encode(&mut bytes)?;
        clear.content_type.encode(&mut bytes)?;
        let sender_data_aad_end = bytes.len();
        encode_opaque(clear.authenticated_data, &mut bytes)?;
        let aad_end = bytes.len();
        bytes.extend_from_slice(LengthHeader::new(sender_data_len)?.as_slice());
        let sender_data = bytes.len();
        let sender_data_end = sender_data + sender_data_len;
        bytes.resize(sender_data_end, 0);
        bytes.extend_from_slice(LengthHeader::new(ciphertext)?.as_slice());
        let content = bytes.len();
        write(&mut bytes)?;
        debug_assert_eq!(bytes.len() - content, length);
        bytes.resize(content + ciphertext, 0);
        Ok(Self { bytes, sender_data_aad_end, aad_end, sender_data, sender_data_end, content })
    }

    /// Encrypts the content with `key`, which is the one of the sender's `generation`, and then the
    /// sender data: the encoded MLSMessage.
    pub(super) fn seal(
        mut self,
        suite: &dyn Suite,
        key: &mut KeyAndNonce,
        (leaf_index, generation): (LeafIndex, u32),
        sender_data_secret: &SenderDataSecret,
    ) -> Result<Vec<u8>> {
        let mut reuse_guard = [0; 4];
        suite.random(&mut reuse_guard)?;
        key.guard(reuse_guard);
        let (aad, ciphertext) = self.content();
        suite.aead_seal_slice(key.key(), key.nonce(), aad, ciphertext)?;
        let (aad, sender_data, ciphertext) = self.sender_data();
        SenderData { leaf_index, generation, reuse_guard }.encrypt(
            suite,
            sender_data_secret,
            aad,
            ciphertext,
            sender_data,
        )?;
        Ok(self.bytes)
    }

    /// PrivateContentAAD, and the PrivateMessageContent with room for its tag.
    fn content(&mut self) -> (&[u8], &mut [u8]) {
        let (before, content) = self.bytes.split_at_mut(self.content);
        (&before[START..self.aad_end], content)
    }

    /// SenderDataAAD, the room for the sender data, and the ciphertext.
    fn sender_data(&mut self) -> (&[u8], &mut [u8], &[u8]) {
        let (before, content) = self.bytes.split_at_mut(self.content);
        let (aad, sender_data) = before.split_at_mut(self.sender_data);
        let sender_data = &mut sender_data[..self.sender_data_end - self.sender_data];
        (&aad[START..self.sender_data_aad_end], sender_data, content)
    }
}
