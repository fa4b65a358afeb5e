//! Sending: sign, then protect.

use std::num::NonZeroU16;

use crypto_api::{Digest, SigningKey};

use super::{
    AuthenticatedContent, Content, EpochContext, FramedContent, Sender, VerifiedContent,
    WireFormat,
    authenticated_content::{FRONT, buffer, with_sign_content},
    rules,
    unsealed::{Clear, Unsealed},
};
use crate::{
    CallerError, Error, Result,
    codec::Encode,
    crypto::{Signature, sign_encoded},
    schedule::{Consumed, KeyAndNonce, MembershipKey, SecretTree, SenderDataSecret},
};

/// Signs a content for the epoch that it is to be sent in (section 6.1). The wire format is the one
/// that it will be protected as: the signature covers it.
///
/// # Errors
///
/// [`CallerError::Invalid`] if `sender` may not send this, [`CallerError::BadKey`] for a key of
/// another suite.
pub fn sign(
    epoch: &EpochContext<'_>,
    signer: &SigningKey,
    wire_format: WireFormat,
    sender: Sender,
    authenticated_data: Vec<u8>,
    content: Content,
) -> Result<SignedContent> {
    let framed = FramedContent {
        group_id: epoch.group_id.to_vec(),
        epoch: epoch.epoch,
        sender,
        authenticated_data,
        content,
    };
    rules::check(wire_format, &framed).map_err(CallerError::Invalid)?;
    // With room for a signature and two tags, so that nothing has to move later.
    let mut bytes = buffer(wire_format, framed.encoded_len() + 280, epoch.group_context);
    framed.encode(&mut bytes)?;
    let content_end = bytes.len() - FRONT;
    let context = epoch.group_context;
    let signature = with_sign_content(&mut bytes, content_end, sender, context, |content| {
        sign_encoded(epoch.suite, signer, content)
    })??;
    let signature = Signature::from(signature);
    signature.encode(&mut bytes)?;
    Ok(SignedContent(AuthenticatedContent {
        framed,
        signature,
        confirmation_tag: None,
        wire_format,
        content_end,
        signature_end: bytes.len() - FRONT,
        bytes,
    }))
}

/// Our own content, signed. A commit is complete when it has its confirmation tag; everything else
/// is so from the start.
#[derive(Debug, Clone)]
pub struct SignedContent(AuthenticatedContent);

/// A message to be sent.
#[derive(Debug)]
pub struct Protected {
    /// The encoded MLSMessage.
    pub message: Vec<u8>,
    /// What it says, to be kept as others will keep it when they have received it.
    pub content: VerifiedContent,
}

/// How much a PrivateMessage is padded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Padding {
    /// Not at all.
    #[default]
    None,
    /// Until the PrivateMessageContent is a multiple of so many bytes long.
    ToMultipleOf(NonZeroU16),
}

impl Padding {
    /// The length of a plaintext with its padding.
    pub(super) fn padded(self, length: usize) -> usize {
        match self {
            Self::None => length,
            Self::ToMultipleOf(step) => length.next_multiple_of(usize::from(step.get())),
        }
    }
}

impl SignedContent {
    /// The encoded ConfirmedTranscriptHashInput of a commit: what the confirmation tag will be
    /// made from.
    #[must_use]
    pub fn confirmed_transcript_hash_input(&self) -> &[u8] {
        self.0.confirmed_transcript_hash_input()
    }

    /// Completes a commit.
    ///
    /// # Errors
    ///
    /// [`CallerError::Invalid`] if it isn't a commit, or has its tag.
    pub fn confirm(mut self, confirmation_tag: &Digest) -> Result<Self> {
        let content = &mut self.0;
        if !is_commit(content) || content.confirmation_tag.is_some() {
            return Err(CallerError::Invalid("a confirmation tag that is not needed").into());
        }
        confirmation_tag.encode(&mut content.bytes)?;
        content.confirmation_tag = Some(confirmation_tag.as_slice().to_vec());
        Ok(self)
    }

    /// A PublicMessage of ours as a member.
    ///
    /// # Errors
    ///
    /// [`CallerError::Invalid`] if it was signed for something else, or is a commit without its
    /// tag.
    pub fn into_public_message(
        self,
        epoch: &EpochContext<'_>,
        membership_key: &MembershipKey,
    ) -> Result<Protected> {
        let content = self.complete(epoch, WireFormat::PublicMessage)?;
        let Sender::Member(_) = content.sender() else {
            return Err(CallerError::Invalid("a membership tag of one who is no member").into());
        };
        let content_tbm = content.content_tbm(epoch.group_context);
        let membership_tag = membership_key.membership_tag(epoch.suite, &content_tbm);
        let encoded = content.encoded();
        let mut message = Vec::with_capacity(encoded.len() + membership_tag.encoded_len());
        message.extend_from_slice(encoded);
        membership_tag.encode(&mut message)?;
        Ok(Protected { message, content: VerifiedContent::trusted(content) })
    }

    /// A PublicMessage of ours as an external sender or a new member.
    ///
    /// # Errors
    ///
    /// [`CallerError::Invalid`] if it was signed for something else, or is a commit without its
    /// tag.
    pub fn into_public_message_from_outside(self, epoch: &EpochContext<'_>) -> Result<Protected> {
        let content = self.complete(epoch, WireFormat::PublicMessage)?;
        if let Sender::Member(_) = content.sender() {
            return Err(CallerError::Invalid("a member without a membership tag").into());
        }
        let message = content.encoded().to_vec();
        Ok(Protected { message, content: VerifiedContent::trusted(content) })
    }

    /// A PrivateMessage of ours. The tree is advanced: store the [`Consumed`] key before the
    /// message is sent.
    ///
    /// # Errors
    ///
    /// [`CallerError::Invalid`] if it was signed for something else, or is a commit without its
    /// tag; then, and if the library failed, the tree is as it was.
    pub fn into_private_message(
        self,
        epoch: &EpochContext<'_>,
        sender_data_secret: &SenderDataSecret,
        secret_tree: &mut SecretTree,
        padding: Padding,
    ) -> Result<(Protected, Consumed)> {
        let content = self.complete(epoch, WireFormat::PrivateMessage)?;
        let Sender::Member(leaf_index) = content.sender() else {
            return Err(Error::Internal("a rule for senders wasn't checked"));
        };
        let content_type = content.framed.content.content_type();
        let ratchet_type = content_type.ratchet_type();
        let generation = secret_tree.next_of_ours(leaf_index, ratchet_type)?;
        let authenticated_data = content.authenticated_data();
        let clear = Clear { content_type, authenticated_data, padding };
        let plaintext = content.private_message_content();
        let seal = |key: &mut KeyAndNonce| {
            Unsealed::write(epoch, &clear, plaintext.len(), |out| {
                out.extend_from_slice(plaintext);
                Ok(())
            })?
            .seal(epoch.suite, key, (leaf_index, generation), sender_data_secret)
        };
        let message =
            secret_tree.use_key(epoch.suite, leaf_index, ratchet_type, generation, seal)?;
        let content = VerifiedContent::trusted(content);
        let consumed = Consumed { leaf: leaf_index, ratchet_type, generation };
        Ok((Protected { message, content }, consumed))
    }

    /// Checks that it can be sent in this way.
    fn complete(
        self,
        epoch: &EpochContext<'_>,
        wire_format: WireFormat,
    ) -> Result<AuthenticatedContent> {
        let content = self.0;
        if content.wire_format != wire_format {
            return Err(CallerError::Invalid("signed for the other wire format").into());
        }
        if content.group_id() != epoch.group_id || content.epoch() != epoch.epoch {
            return Err(CallerError::Invalid("signed for another epoch").into());
        }
        if is_commit(&content) && content.confirmation_tag.is_none() {
            return Err(CallerError::Invalid("a commit without its confirmation tag").into());
        }
        Ok(content)
    }
}

fn is_commit(content: &AuthenticatedContent) -> bool {
    matches!(content.content(), Content::Commit(_))
}
