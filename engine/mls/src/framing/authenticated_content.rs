//! AuthenticatedContent: a content with its signature, as one encoding (section 6.1).

use std::ops::{Deref, Range};

use crypto_api::{Suite, VerifyingKey};

use super::{
    Content, ContentType, EpochContext, FramedContent, Sender, SenderKeys, WireFormat, rules,
};
use crate::{
    Error, Result,
    codec::{Decode, DecodeError, Encode, EncodeError, Reader},
    crypto::{HashReference, Signature, make_proposal_ref, verify_with_label},
    types::{LeafIndex, Proposal, ProtocolVersion},
};

pub(super) const LABEL: &[u8] = b"FramedContentTBS";

/// How many bytes the version and the wire format take, in front of a FramedContent.
pub(super) const START: usize = 4;

/// `AuthenticatedContent`, not verified.
///
/// It is kept as bytes, with the version in front: `version || wire_format || content || auth`. Up
/// to the end of the content this is a FramedContentTBS, but for the GroupContext; up to the end of
/// the signature, and without the version, a ConfirmedTranscriptHashInput.
#[derive(Debug, Clone)]
pub struct AuthenticatedContent {
    pub(super) framed: FramedContent,
    pub(super) signature: Signature,
    pub(super) confirmation_tag: Option<Vec<u8>>,
    pub(super) wire_format: WireFormat,
    pub(super) bytes: Vec<u8>,
    pub(super) content_end: usize,
    pub(super) signature_end: usize,
}

/// The two parts of the encoding behind the wire format, and where they end.
struct Parts {
    framed: FramedContent,
    signature: Signature,
    confirmation_tag: Option<Vec<u8>>,
    content_end: usize,
    signature_end: usize,
    end: usize,
}

impl Parts {
    /// Reads them from the start of `bytes`; the ends are offsets from there.
    fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let framed: FramedContent = reader.read()?;
        let content_end = bytes.len() - reader.remaining();
        let signature = reader.read()?;
        let signature_end = bytes.len() - reader.remaining();
        let confirmation_tag = match framed.content.content_type() {
            ContentType::Commit => Some(reader.read()?),
            ContentType::Application | ContentType::Proposal => None,
        };
        let end = bytes.len() - reader.remaining();
        Ok(Self { framed, signature, confirmation_tag, content_end, signature_end, end })
    }

    fn with_bytes(self, wire_format: WireFormat, bytes: Vec<u8>) -> AuthenticatedContent {
        AuthenticatedContent {
            framed: self.framed,
            signature: self.signature,
            confirmation_tag: self.confirmation_tag,
            wire_format,
            bytes,
            content_end: START + self.content_end,
            signature_end: START + self.signature_end,
        }
    }
}

/// Writes what an [`AuthenticatedContent`] starts with.
pub(super) fn write_start(wire_format: WireFormat, out: &mut Vec<u8>) {
    out.extend_from_slice(&ProtocolVersion::MLS10.0.to_be_bytes());
    out.extend_from_slice(&(wire_format as u16).to_be_bytes());
}

impl AuthenticatedContent {
    /// Reads the FramedContent and the FramedContentAuthData behind a wire format.
    pub(super) fn read(
        reader: &mut Reader<'_>,
        wire_format: WireFormat,
    ) -> Result<Self, DecodeError> {
        let ahead = reader.clone().take_rest();
        let parts = Parts::read(ahead)?;
        let mut bytes = Vec::with_capacity(START + parts.end);
        write_start(wire_format, &mut bytes);
        bytes.extend_from_slice(reader.bytes(parts.end)?);
        Ok(parts.with_bytes(wire_format, bytes))
    }

    /// Takes over an encoding that starts with the version, and says what follows behind it.
    pub(super) fn from_bytes(
        wire_format: WireFormat,
        mut bytes: Vec<u8>,
    ) -> Result<(Self, Vec<u8>), DecodeError> {
        let inside = bytes.get(START..).ok_or(DecodeError::EndOfInput)?;
        let parts = Parts::read(inside)?;
        let rest = bytes.split_off(START + parts.end);
        Ok((parts.with_bytes(wire_format, bytes), rest))
    }

    /// How it is sent, which the signature covers.
    #[must_use]
    pub fn wire_format(&self) -> WireFormat {
        self.wire_format
    }

    /// The group.
    #[must_use]
    pub fn group_id(&self) -> &[u8] {
        &self.framed.group_id
    }

    /// The epoch that it is sent in.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.framed.epoch
    }

    /// Who sends it.
    #[must_use]
    pub fn sender(&self) -> Sender {
        self.framed.sender
    }

    /// The application's data that isn't encrypted.
    #[must_use]
    pub fn authenticated_data(&self) -> &[u8] {
        &self.framed.authenticated_data
    }

    /// What it says.
    #[must_use]
    pub fn content(&self) -> &Content {
        &self.framed.content
    }

    /// The signature.
    #[must_use]
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// The confirmation tag of a commit. The signature doesn't cover it: check it against the
    /// epoch that the commit starts.
    #[must_use]
    pub fn confirmation_tag(&self) -> Option<&[u8]> {
        self.confirmation_tag.as_deref()
    }

    /// The encoded AuthenticatedContent.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.part(2..self.bytes.len())
    }

    /// The encoded ConfirmedTranscriptHashInput, if it is a commit's (section 8.2).
    #[must_use]
    pub fn confirmed_transcript_hash_input(&self) -> &[u8] {
        self.part(2..self.signature_end)
    }

    /// The ProposalRef, if it is a proposal's (section 5.2).
    ///
    /// # Errors
    ///
    /// If it is too long to encode.
    pub fn proposal_ref(&self, suite: &dyn Suite) -> Result<HashReference> {
        make_proposal_ref(suite, self.as_bytes())
    }

    /// FramedContent and FramedContentAuthData: a PublicMessage but for its membership tag.
    pub(super) fn content_and_auth(&self) -> &[u8] {
        self.part(START..self.bytes.len())
    }

    /// PrivateMessageContent with as much padding as makes it `padded` long, and with room for
    /// `more` bytes.
    pub(super) fn private_message_content(
        &self,
        padded: impl Fn(usize) -> usize,
        more: usize,
    ) -> Vec<u8> {
        let framed = &self.framed;
        let before = START
            + framed.group_id.encoded_len()
            + framed.epoch.encoded_len()
            + framed.sender.encoded_len()
            + framed.authenticated_data.encoded_len()
            + framed.content.content_type().encoded_len();
        let content = self.part(before..self.bytes.len());
        let length = padded(content.len());
        let mut buffer = Vec::with_capacity(length + more);
        buffer.extend_from_slice(content);
        buffer.resize(length, 0);
        buffer
    }

    /// AuthenticatedContentTBM.
    pub(super) fn content_tbm<'a>(&'a self, group_context: &'a [u8]) -> [&'a [u8]; 3] {
        let [content, context] =
            content_tbs(self.part(0..self.content_end), self.framed.sender, group_context);
        let auth = self.part(self.content_end..self.bytes.len());
        [content, context, auth]
    }

    /// Checks the rules for senders and the signature.
    pub(super) fn verify(
        self,
        epoch: &EpochContext<'_>,
        senders: &dyn SenderKeys,
    ) -> Result<VerifiedContent> {
        rules::check(self.wire_format, &self.framed).map_err(Error::invalid)?;
        let key = self.sender_key(epoch.suite, senders)?;
        let content = self.part(0..self.content_end);
        let content_tbs = content_tbs(content, self.framed.sender, epoch.group_context);
        verify_with_label(epoch.suite, &key, LABEL, &content_tbs, &self.signature)?;
        Ok(VerifiedContent(self))
    }

    /// The key that the sender has to sign with (section 6.1).
    fn sender_key(&self, suite: &dyn Suite, senders: &dyn SenderKeys) -> Result<VerifyingKey> {
        match (self.framed.sender, &self.framed.content) {
            (Sender::Member(leaf_index), _) => member_key(senders, leaf_index),
            (Sender::External(sender_index), _) => senders
                .external(sender_index)?
                .ok_or(Error::invalid("6.1: there is no such external sender")),
            (Sender::NewMemberProposal, Content::Proposal(Proposal::Add(key_package))) => {
                Ok(key_package.leaf_node.verifying_key(suite)?.clone())
            }
            (Sender::NewMemberCommit, Content::Commit(commit)) => match &commit.path {
                Some(path) => Ok(path.leaf_node.verifying_key(suite)?.clone()),
                None => Err(Error::Internal("a rule for senders wasn't checked")),
            },
            _ => Err(Error::Internal("a rule for senders wasn't checked")),
        }
    }

    fn part(&self, range: Range<usize>) -> &[u8] {
        self.bytes.get(range).unwrap_or_default()
    }
}

/// The key of a member, who has to exist.
pub(super) fn member_key(senders: &dyn SenderKeys, leaf_index: LeafIndex) -> Result<VerifyingKey> {
    senders.member(leaf_index)?.ok_or(Error::invalid("6.1: the sender's leaf is blank"))
}

/// FramedContentTBS: `content` is the encoding up to the end of the FramedContent.
pub(super) fn content_tbs<'a>(
    content: &'a [u8],
    sender: Sender,
    group_context: &'a [u8],
) -> [&'a [u8]; 2] {
    if sender.knows_group_context() { [content, group_context] } else { [content, b""] }
}

impl PartialEq for AuthenticatedContent {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for AuthenticatedContent {}

impl Encode for AuthenticatedContent {
    fn encoded_len(&self) -> usize {
        self.as_bytes().len()
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        out.extend_from_slice(self.as_bytes());
        Ok(())
    }
}

impl Decode for AuthenticatedContent {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.read()? {
            wire_format @ (WireFormat::PublicMessage | WireFormat::PrivateMessage) => {
                Self::read(reader, wire_format)
            }
            _ => Err(DecodeError::InvalidValue("WireFormat of a FramedContent")),
        }
    }
}

/// An [`AuthenticatedContent`] whose signature was verified, or made, here.
///
/// Of a commit, the confirmation tag is still to be checked, and of a new member its leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedContent(AuthenticatedContent);

impl VerifiedContent {
    /// Takes a content on trust: one that was verified before it was stored.
    #[must_use]
    pub fn trusted(content: AuthenticatedContent) -> Self {
        Self(content)
    }

    /// The content, to be kept without its encoding.
    #[must_use]
    pub fn into_framed_content(self) -> FramedContent {
        self.0.framed
    }
}

impl Deref for VerifiedContent {
    type Target = AuthenticatedContent;

    fn deref(&self) -> &AuthenticatedContent {
        &self.0
    }
}
