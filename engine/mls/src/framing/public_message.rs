//! PublicMessage: signed, not encrypted (section 6.2).

use super::{
    AuthenticatedContent, ContentType, EpochContext, Sender, SenderKeys, VerifiedContent,
    WireFormat,
};
use crate::{
    Result,
    codec::{Decode, DecodeError, Encode, EncodeError, Reader},
    schedule::MembershipKey,
};

/// `PublicMessage`, as received: nothing of it is verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicMessage {
    content: AuthenticatedContent,
    /// Of members only.
    membership_tag: Option<Vec<u8>>,
}

impl PublicMessage {
    /// The group that it claims to be of.
    #[must_use]
    pub fn group_id(&self) -> &[u8] {
        self.content.group_id()
    }

    /// The epoch that it claims to be of.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.content.epoch()
    }

    /// What kind of content it has.
    #[must_use]
    pub fn content_type(&self) -> ContentType {
        self.content.content().content_type()
    }

    /// Who it claims to be from.
    #[must_use]
    pub fn sender(&self) -> Sender {
        self.content.sender()
    }

    /// What it says, unverified: for a Delivery Service, which can't do better.
    #[must_use]
    pub fn unverified_content(&self) -> &AuthenticatedContent {
        &self.content
    }

    /// Checks the message as a member of its epoch: the rules for its sender, the membership tag
    /// and the signature.
    ///
    /// # Errors
    ///
    /// [`crate::PeerError::Invalid`] if it is of another epoch or breaks a rule,
    /// [`crate::PeerError::BadMac`] or [`crate::PeerError::BadSignature`].
    pub fn unprotect(
        self,
        epoch: &EpochContext<'_>,
        membership_key: &MembershipKey,
        senders: &dyn SenderKeys,
    ) -> Result<VerifiedContent> {
        epoch.check(self.group_id(), self.epoch())?;
        if let Some(membership_tag) = &self.membership_tag {
            let content_tbm = self.content.content_tbm(epoch.group_context);
            membership_key.verify(epoch.suite, &content_tbm, membership_tag)?;
        }
        self.content.verify(epoch, senders)
    }

    /// Checks the message as one who isn't a member, and so can't check the membership tag: a
    /// Delivery Service, or a joiner who was handed a SelfRemove proposal.
    ///
    /// # Errors
    ///
    /// As [`Self::unprotect`], but for the tag.
    pub fn unprotect_as_outsider(
        self,
        epoch: &EpochContext<'_>,
        senders: &dyn SenderKeys,
    ) -> Result<VerifiedContent> {
        epoch.check(self.group_id(), self.epoch())?;
        self.content.verify(epoch, senders)
    }
}

impl Encode for PublicMessage {
    fn encoded_len(&self) -> usize {
        let membership_tag = self.membership_tag.as_ref();
        self.content.content_and_auth().len() + membership_tag.map_or(0, Encode::encoded_len)
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        out.extend_from_slice(self.content.content_and_auth());
        match &self.membership_tag {
            Some(membership_tag) => membership_tag.encode(out),
            None => Ok(()),
        }
    }
}

impl Decode for PublicMessage {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let content = AuthenticatedContent::read(reader, WireFormat::PublicMessage)?;
        let membership_tag = match content.sender() {
            Sender::Member(_) => Some(reader.read()?),
            _ => None,
        };
        Ok(Self { content, membership_tag })
    }
}
