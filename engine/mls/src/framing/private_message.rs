//! PrivateMessage: signed and encrypted (section 6.3).

use std::ops::Range;

use zeroize::Zeroizing;

use super::{
    AuthenticatedContent, ContentType, EpochContext, Sender, SenderData, SenderKeys,
    VerifiedContent, WireFormat,
    authenticated_content::{member_key, write_start},
};
use crate::{
    Error, PeerError, Result,
    codec::{Decode, DecodeError, Encode, EncodeError, Reader, encode_opaque, opaque_len},
    schedule::{Advance, MessageKey, SecretTree, SenderDataSecret},
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

impl PrivateMessage {
    /// The group that it claims to be of.
    #[must_use]
    pub fn group_id(&self) -> &[u8] {
        self.aad.get(self.group_id.clone()).unwrap_or_default()
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
        let range = self.authenticated_data.clone();
        self.aad.get(range).unwrap_or_default()
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
        epoch.check(self.group_id(), self.epoch)?;
        SenderData::decrypt(
            epoch.suite,
            sender_data_secret,
            self.part_of_aad(0..self.sender_data_aad_end),
            &self.ciphertext,
            &self.encrypted_sender_data,
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
        let ratchet_type = self.content_type.ratchet_type();
        let pending = secret_tree.peek(suite, leaf_index, ratchet_type, sender_data.generation)?;
        let nonce = guarded_nonce(pending.key(), sender_data.reuse_guard);
        let mut plaintext = self.ciphertext.clone();
        suite
            .aead_open(pending.key().key().as_slice(), &nonce, &self.aad, &mut plaintext)
            .map_err(Error::of_peer(PeerError::Undecryptable))?;
        let content = self.authenticated_content(Sender::Member(leaf_index), &plaintext)?;
        Ok((content.verify(epoch, senders)?, pending.into_advance()))
    }

    /// The AuthenticatedContent that the message stands for, once the sender and the
    /// PrivateMessageContent are known.
    fn authenticated_content(
        &self,
        sender: Sender,
        plaintext: &[u8],
    ) -> Result<AuthenticatedContent> {
        let group_id_and_epoch = self.part_of_aad(0..self.sender_data_aad_end - 1);
        let authenticated_data = self.part_of_aad(self.sender_data_aad_end..self.aad.len());
        let mut bytes = Vec::with_capacity(16 + self.aad.len() + plaintext.len());
        write_start(WireFormat::PrivateMessage, &mut bytes);
        bytes.extend_from_slice(group_id_and_epoch);
        sender.encode(&mut bytes)?;
        bytes.extend_from_slice(authenticated_data);
        self.content_type.encode(&mut bytes)?;
        bytes.extend_from_slice(plaintext);
        let (content, padding) =
            AuthenticatedContent::from_bytes(WireFormat::PrivateMessage, bytes)?;
        if padding.iter().any(|byte| *byte != 0) {
            return Err(Error::invalid("6.3.1: padding that is not all zero"));
        }
        Ok(content)
    }

    fn part_of_aad(&self, range: Range<usize>) -> &[u8] {
        self.aad.get(range).unwrap_or_default()
    }
}

/// The nonce with the reuse guard in its first four bytes (section 6.3.1).
pub(super) fn guarded_nonce(key: &MessageKey, reuse_guard: [u8; 4]) -> Zeroizing<Vec<u8>> {
    let mut nonce = Zeroizing::new(key.nonce().as_slice().to_vec());
    for (byte, guard) in nonce.iter_mut().zip(reuse_guard) {
        *byte ^= guard;
    }
    nonce
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
        let mut ahead = reader.clone();
        let start = ahead.remaining();
        let group_id = ahead.opaque()?.len();
        let group_id_end = start - ahead.remaining();
        let epoch = ahead.read()?;
        let content_type = ahead.read()?;
        let sender_data_aad_end = start - ahead.remaining();
        let authenticated_data = ahead.opaque()?.len();
        let aad = reader.bytes(start - ahead.remaining())?.to_vec();
        Ok(Self {
            group_id: group_id_end - group_id..group_id_end,
            epoch,
            content_type,
            sender_data_aad_end,
            authenticated_data: aad.len() - authenticated_data..aad.len(),
            aad,
            encrypted_sender_data: reader.read()?,
            ciphertext: reader.read()?,
        })
    }
}
