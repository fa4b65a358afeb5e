//! AuthenticatedContent: a content with its signature, as one encoding (section 6.1).

use std::ops::{Deref, Range};

use crypto_api::{Suite, VerifyingKey};

use super::{
    Content, ContentType, EpochContext, FramedContent, Sender, SenderKeys, WireFormat, rules,
};
use crate::{
    Error, Result,
    codec::{Decode, DecodeError, Encode, EncodeError, Reader},
    crypto::{
        HashReference, MAX_HEAD, Signature, make_proposal_ref, sign_content_head, verify_encoded,
    },
    types::{LeafIndex, Proposal, ProtocolVersion},
};

pub(super) const LABEL: &[u8] = b"FramedContentTBS";

/// Room in front of an encoding for the start of its SignContent, so that it is signed and verified
/// where it lies.
pub(super) const FRONT: usize = MAX_HEAD;

/// How many bytes the version and the wire format take, in front of a FramedContent.
pub(super) const START: usize = 4;

/// `AuthenticatedContent`, not verified.
///
/// It is kept as bytes, with the version in front: `version || wire_format || content || auth`, and
/// before that room that means nothing. Up to the end of the content this is a FramedContentTBS, but
/// for the GroupContext; up to the end of the signature, and without the version, a
/// ConfirmedTranscriptHashInput.
#[derive(Debug, Clone)]
pub struct AuthenticatedContent {
    pub(super) framed: FramedContent,
    pub(super) signature: Signature,
    pub(super) confirmation_tag: Option<Vec<u8>>,
    pub(super) wire_format: WireFormat,
    pub(super) bytes: Vec<u8>,
    /// From the version on.
    pub(super) content_end: usize,
    /// From the version on.
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

/// A buffer for an [`AuthenticatedContent`] with as many bytes after the wire format, which are to be
/// appended, and for the GroupContext that is signed with it.
pub(super) fn buffer(wire_format: WireFormat, length: usize, group_context: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(FRONT + START + length + group_context.len());
    bytes.resize(FRONT, 0);
    write_start(wire_format, &mut bytes);
    bytes
}

/// Does some work with the SignContent of a FramedContentTBS (section 6.1). `bytes` are those of an
/// [`AuthenticatedContent`], where the content ends at `content_end`; the GroupContext stands behind
/// it for as long as the work takes.
pub(super) fn with_sign_content<T>(
    bytes: &mut Vec<u8>,
    content_end: usize,
    sender: Sender,
    group_context: &[u8],
    work: impl FnOnce(&[u8]) -> T,
) -> Result<T> {
    let group_context = if sender.knows_group_context() { group_context } else { b"" };
    let (length, content_end) = (bytes.len(), FRONT + content_end);
    let end = content_end + group_context.len();
    let head = sign_content_head(LABEL, end - FRONT)?;
    let start = FRONT - head.len();
    bytes.extend_from_slice(group_context);
    let (content, rest) = bytes.split_at_mut(content_end);
    rest.rotate_right(group_context.len());
    content[start..FRONT].copy_from_slice(&head);
    let done = work(&bytes[start..end]);
    bytes[content_end..].rotate_left(group_context.len());
    bytes.truncate(length);
    Ok(done)
}

/// Writes what an MLSMessage starts with.
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
        let mut bytes = buffer(wire_format, parts.end, b"");
        bytes.extend_from_slice(reader.bytes(parts.end)?);
        Ok(parts.with_bytes(wire_format, bytes))
    }

    /// Takes over what was begun as a [`buffer`], and the padding that follows.
    pub(super) fn from_padded(wire_format: WireFormat, mut bytes: Vec<u8>) -> Result<Self> {
        let (_, inside) = bytes.split_at(FRONT + START);
        let parts = Parts::read(inside)?;
        if inside[parts.end..].iter().any(|byte| *byte != 0) {
            return Err(Error::invalid("6.3.1: padding that is not all zero"));
        }
        bytes.truncate(FRONT + START + parts.end);
        Ok(parts.with_bytes(wire_format, bytes))
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
        &self.encoded()[2..]
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
        &self.encoded()[START..]
    }

    /// PrivateMessageContent without padding.
    pub(super) fn private_message_content(&self) -> &[u8] {
        let framed = &self.framed;
        let before = START
            + framed.group_id.encoded_len()
            + framed.epoch.encoded_len()
            + framed.sender.encoded_len()
            + framed.authenticated_data.encoded_len()
            + framed.content.content_type().encoded_len();
        self.part(before..self.encoded().len())
    }

    /// AuthenticatedContentTBM.
    pub(super) fn content_tbm<'a>(&'a self, group_context: &'a [u8]) -> [&'a [u8]; 3] {
        let (content, auth) = self.encoded().split_at(self.content_end);
        let context = if self.framed.sender.knows_group_context() { group_context } else { b"" };
        [content, context, auth]
    }

    /// Checks the rules for senders and the signature.
    pub(super) fn verify(
        mut self,
        epoch: &EpochContext<'_>,
        senders: &dyn SenderKeys,
    ) -> Result<VerifiedContent> {
        rules::check(self.wire_format, &self.framed).map_err(Error::invalid)?;
        let key = self.sender_key(epoch.suite, senders)?;
        let (end, sender, signature) = (self.content_end, self.framed.sender, &self.signature);
        with_sign_content(&mut self.bytes, end, sender, epoch.group_context, |content| {
            verify_encoded(epoch.suite, &key, content, signature.as_slice())
        })??;
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

    /// From the version on.
    pub(super) fn encoded(&self) -> &[u8] {
        &self.bytes[FRONT..]
    }

    fn part(&self, range: Range<usize>) -> &[u8] {
        self.encoded().get(range).unwrap_or_default()
    }
}

/// The key of a member, who has to exist.
pub(super) fn member_key(senders: &dyn SenderKeys, leaf_index: LeafIndex) -> Result<VerifyingKey> {
    senders.member(leaf_index)?.ok_or(Error::invalid("6.1: the sender's leaf is blank"))
}

impl PartialEq for AuthenticatedContent {
    fn eq(&self, other: &Self) -> bool {
        self.encoded() == other.encoded()
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

    /// The same with the confirmation tag of a commit.
    pub(crate) fn into_content_and_tag(self) -> (FramedContent, Option<Vec<u8>>) {
        (self.0.framed, self.0.confirmation_tag)
    }
}

impl Deref for VerifiedContent {
    type Target = AuthenticatedContent;

    fn deref(&self) -> &AuthenticatedContent {
        &self.0
    }
}
