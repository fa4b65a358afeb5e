//! PrivateMessage: signed and encrypted (section 6.3).

use std::ops::Range;

use super::{
    AuthenticatedContent, ContentType, EpochContext, Sender, SenderData, SenderKeys,
    VerifiedContent, WireFormat,
    authenticated_content::{buffer, member_key},
    header::read_start,
};
use crate::{
    Error, PeerError, Result,
    codec::{Decode, DecodeError, Encode, EncodeError, Reader, encode_opaque, opaque_len},
    schedule::{Advance, KeyAndNonce, SecretTree, SenderDataSecret},
};

/// `PrivateMessage`, as received: nothing of it is verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateMessage {
    /// PrivateContentAAD as received: all that comes before the two ciphertexts.
    aad: Vec<u8>,
    group_id: Range<usize>,
    epoch: u64,
    content_type: ContentType,
    /// Where in `aad` the SenderDataAAD ends, right behind the content type.
    sender_data_aad_end: usize,
    authenticated_data: Range<usize>,
    encrypted_sender_data: Vec<u8>,
    ciphertext: Vec<u8>,
}

/// A PrivateMessage where it lies: in the bytes that were received.
#[derive(Debug, Clone, Copy)]
pub struct PrivateMessageRef<'a> {
    aad: &'a [u8],
    group_id: &'a [u8],
    epoch: u64,
    content_type: ContentType,
    sender_data_aad: &'a [u8],
    authenticated_data: &'a [u8],
    encrypted_sender_data: &'a [u8],
    ciphertext: &'a [u8],
}

impl<'a> PrivateMessageRef<'a> {
    /// That in an encoded MLSMessage; `None` if it holds something else.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] if it is a PrivateMessage that doesn't decode.
    pub fn in_message(message: &'a [u8]) -> Result<Option<Self>, DecodeError> {
        let mut reader = Reader::new(message);
        if read_start(&mut reader) != Ok(WireFormat::PrivateMessage) {
            return Ok(None);
        }
        let private = Self::read(&mut reader)?;
        reader.finish()?;
        Ok(Some(private))
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let mut ahead = reader.clone();
        let start = ahead.remaining();
        let group_id = ahead.opaque()?;
        let epoch = ahead.read()?;
        let content_type = ahead.read()?;
        let sender_data_aad_end = start - ahead.remaining();
        let authenticated_data = ahead.opaque()?;
        let aad = reader.bytes(start - ahead.remaining())?;
        Ok(Self {
            group_id,
            epoch,
            content_type,
            sender_data_aad: aad.get(..sender_data_aad_end).unwrap_or_default(),
            authenticated_data,
            aad,
            encrypted_sender_data: reader.opaque()?,
            ciphertext: reader.opaque()?,
        })
    }

    /// The group that it claims to be of.
    #[must_use]
    pub fn group_id(&self) -> &'a [u8] {
        self.group_id
    }

    /// The epoch that it claims to be of.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// What kind of content it claims to have.
    #[must_use]
    pub fn content_type(&self) -> ContentType {
        self.content_type
    }

    /// The application's data that isn't encrypted; unverified.
    #[must_use]
    pub fn authenticated_data(&self) -> &'a [u8] {
        self.authenticated_data
    }

    /// What is encrypted.
    pub(super) fn ciphertext(&self) -> &'a [u8] {
        self.ciphertext
    }

    /// PrivateContentAAD.
    pub(super) fn aad(&self) -> &'a [u8] {
        self.aad
    }

    /// Who it says to be from. Any member can have written this.
    ///
    /// # Errors
    ///
    /// [`PeerError::Invalid`] if it is of another epoch, [`PeerError::Undecryptable`] if no member
    /// has written it.
    pub fn sender_data(
        &self,
        epoch: &EpochContext<'_>,
        sender_data_secret: &SenderDataSecret,
    ) -> Result<SenderData> {
        epoch.check(self.group_id, self.epoch)?;
        SenderData::decrypt(
            epoch.suite,
            sender_data_secret,
            self.sender_data_aad,
            self.ciphertext,
            self.encrypted_sender_data,
        )
    }

    /// Decrypts the message and checks the rules for its sender and the signature.
    ///
    /// The tree stays as it is. Give it the [`Advance`] once the message has been accepted, and
    /// before it is acted on: it makes opening the message a second time impossible.
    ///
    /// # Errors
    ///
    /// [`PeerError::Invalid`] if it is of another epoch or breaks a rule,
    /// [`PeerError::Undecryptable`], [`PeerError::KeyUsedUp`], [`PeerError::KeyTooOld`],
    /// [`PeerError::TooFarAhead`], [`PeerError::Malformed`] or [`PeerError::BadSignature`].
    pub fn unprotect(
        &self,
        epoch: &EpochContext<'_>,
        sender_data_secret: &SenderDataSecret,
        secret_tree: &SecretTree,
        senders: &dyn SenderKeys,
    ) -> Result<(VerifiedContent, Advance)> {
        let suite = epoch.suite;
        let sender_data = self.sender_data(epoch, sender_data_secret)?;
        let leaf_index = sender_data.leaf_index;
        // Before any key is derived: a blank leaf has none.
        member_key(senders, leaf_index)?;
        if self.ciphertext.len() < suite.aead_nt() {
            return Err(PeerError::Undecryptable.into());
        }
        let open = |key: &mut KeyAndNonce| {
            key.guard(sender_data.reuse_guard);
            let content = self.open_content(epoch, Sender::Member(leaf_index), key)?;
            content.verify(epoch, senders)
        };
        let ratchet_type = self.content_type.ratchet_type();
        secret_tree.peek_with(suite, leaf_index, ratchet_type, sender_data.generation, open)
    }

    /// The AuthenticatedContent that the message stands for, decrypted where it is kept.
    fn open_content(
        &self,
        epoch: &EpochContext<'_>,
        sender: Sender,
        key: &KeyAndNonce,
    ) -> Result<AuthenticatedContent> {
        let (group_id_and_epoch, _) =
            self.sender_data_aad.split_at(self.sender_data_aad.len().saturating_sub(1));
        let authenticated_data = self.aad.get(self.sender_data_aad.len()..).unwrap_or_default();
        let length = self.aad.len() + sender.encoded_len() + self.ciphertext.len();
        let mut bytes = buffer(WireFormat::PrivateMessage, length, epoch.group_context);
        bytes.extend_from_slice(group_id_and_epoch);
        sender.encode(&mut bytes)?;
        bytes.extend_from_slice(authenticated_data);
        self.content_type.encode(&mut bytes)?;
        let start = bytes.len();
        bytes.extend_from_slice(self.ciphertext);
        let length = epoch
            .suite
            .aead_open_slice(key.key(), key.nonce(), self.aad, &mut bytes[start..])
            .map_err(Error::of_peer(PeerError::Undecryptable))?;
        bytes.truncate(start + length);
        AuthenticatedContent::from_padded(WireFormat::PrivateMessage, bytes)
    }
}

impl PrivateMessage {
    /// Where it lies.
    #[must_use]
    pub fn borrow_parts(&self) -> PrivateMessageRef<'_> {
        PrivateMessageRef {
            aad: &self.aad,
            group_id: self.group_id(),
            epoch: self.epoch,
            content_type: self.content_type,
            sender_data_aad: self.part_of_aad(0..self.sender_data_aad_end),
            authenticated_data: self.authenticated_data(),
            encrypted_sender_data: &self.encrypted_sender_data,
            ciphertext: &self.ciphertext,
        }
    }

    /// The group that it claims to be of.
    #[must_use]
    pub fn group_id(&self) -> &[u8] {
        self.part_of_aad(self.group_id.clone())
    }

    /// The epoch that it claims to be of.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// What kind of content it claims to have.
    #[must_use]
    pub fn content_type(&self) -> ContentType {
        self.content_type
    }

    /// The application's data that isn't encrypted; unverified.
    #[must_use]
    pub fn authenticated_data(&self) -> &[u8] {
        self.part_of_aad(self.authenticated_data.clone())
    }

    /// [`PrivateMessageRef::sender_data`].
    ///
    /// # Errors
    ///
    /// Those of it.
    pub fn sender_data(
        &self,
        epoch: &EpochContext<'_>,
        sender_data_secret: &SenderDataSecret,
    ) -> Result<SenderData> {
        self.borrow_parts().sender_data(epoch, sender_data_secret)
    }

    /// [`PrivateMessageRef::unprotect`].
    ///
    /// # Errors
    ///
    /// Those of it.
    pub fn unprotect(
        &self,
        epoch: &EpochContext<'_>,
        sender_data_secret: &SenderDataSecret,
        secret_tree: &SecretTree,
        senders: &dyn SenderKeys,
    ) -> Result<(VerifiedContent, Advance)> {
        self.borrow_parts().unprotect(epoch, sender_data_secret, secret_tree, senders)
    }

    fn part_of_aad(&self, range: Range<usize>) -> &[u8] {
        self.aad.get(range).unwrap_or_default()
    }
}

impl Encode for PrivateMessage {
    fn encoded_len(&self) -> usize {
        self.aad.len() + opaque_len(&self.encrypted_sender_data) + opaque_len(&self.ciphertext)
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        out.extend_from_slice(&self.aad);
        encode_opaque(&self.encrypted_sender_data, out)?;
        encode_opaque(&self.ciphertext, out)
    }
}

impl Decode for PrivateMessage {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let private = PrivateMessageRef::read(reader)?;
        let (aad, sender_data_aad_end) = (private.aad.len(), private.sender_data_aad.len());
        // In front of the epoch and of the content type.
        let group_id_end = sender_data_aad_end - 9;
        Ok(Self {
            group_id: group_id_end - private.group_id.len()..group_id_end,
            epoch: private.epoch,
            content_type: private.content_type,
            sender_data_aad_end,
            authenticated_data: aad - private.authenticated_data.len()..aad,
            aad: private.aad.to_vec(),
            encrypted_sender_data: private.encrypted_sender_data.to_vec(),
            ciphertext: private.ciphertext.to_vec(),
        })
    }
}
