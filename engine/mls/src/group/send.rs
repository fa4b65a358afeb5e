//! Sending proposals and application data.

use crypto_api::{HpkePrivateKey, Suite};

use super::{
    Group, Identity, OwnUpdate,
    proposals::{CachedProposal, Checked},
    psks::fresh_id,
};
use crate::{
    CallerError, Error, Result, codec_struct,
    framing::{
        Content, Data, EpochContext, Padding, Protected, Sender, SignedContent, WireFormat,
        protect_application, sign,
    },
    schedule::Consumed,
    tree::LeafDescription,
    types::{LeafIndex, LeafNodeContent, LeafNodeSource, Proposal, Psk},
};

/// A key that a message was encrypted with. [`super::Client::restore`] wants those that were used
/// since the group was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyUse {
    /// The epoch of the message.
    pub epoch: u64,
    /// The key of that epoch.
    pub consumed: Consumed,
}
codec_struct!(KeyUse { epoch, consumed });

impl KeyUse {
    /// How many of our own keys a record may use up that no record before it did. To use them up is to
    /// derive them, and a record that is damaged in storage should not take for ever.
    pub const MAX_RESERVED: u32 = 1 << 16;
}

/// A message to be sent.
#[derive(Debug, Clone)]
#[must_use = "the message is to be sent"]
pub struct Sent {
    /// The encoded MLSMessage.
    pub message: Vec<u8>,
    /// The key that it is encrypted with, if it is: store it before the message is sent.
    pub key_use: Option<KeyUse>,
}

/// What protecting gives, with the key that it took.
pub(super) struct ProtectedWith {
    pub(super) protected: Protected,
    pub(super) key_use: Option<KeyUse>,
}

impl Group {
    /// Application data as a message to all members. `authenticated_data` goes with it in the clear.
    ///
    /// # Errors
    ///
    /// [`CallerError::ProposalsPending`] if there are proposals that have to be committed or dropped
    /// first; [`CallerError`] if this client isn't a member any more.
    pub fn send(&mut self, data: &[u8], authenticated_data: &[u8]) -> Result<Sent> {
        self.check_active()?;
        if !self.proposals.is_empty() {
            return Err(CallerError::ProposalsPending.into());
        }
        let client = self.client.clone();
        let suite = client.suite(self.cipher_suite())?;
        let own_leaf = self.own_leaf();
        let padding = self.client.config().padding;
        let epoch = &mut self.epoch;
        let (message, consumed) = protect_application(
            &EpochContext {
                suite,
                group_id: &epoch.context.group_id,
                epoch: epoch.context.epoch,
                group_context: &epoch.encoded_context,
            },
            &self.signer,
            own_leaf,
            &Data { data, authenticated: authenticated_data, padding },
            &epoch.secrets.sender_data_secret,
            &mut epoch.secret_tree,
        )?;
        Ok(Sent { message, key_use: Some(KeyUse { epoch: epoch.context.epoch, consumed }) })
    }

    /// Proposes something to the group: any member may commit it. For an Update or a SelfRemove see
    /// [`Self::propose_update`] and [`Self::propose_self_remove`].
    ///
    /// # Errors
    ///
    /// [`CallerError::Invalid`] if the proposal isn't valid by itself.
    pub fn propose(&mut self, proposal: Proposal, authenticated_data: &[u8]) -> Result<Sent> {
        if let Proposal::Update(_) | Proposal::ExternalInit(_) = proposal {
            return Err(CallerError::Invalid("a proposal that is not made in this way").into());
        }
        let wire_format = match proposal {
            Proposal::SelfRemove => WireFormat::PublicMessage,
            _ => self.client.config().handshake_format.into(),
        };
        self.send_proposal(proposal, wire_format, authenticated_data)
    }

    /// Proposes a pre-shared key for the next epoch.
    ///
    /// # Errors
    ///
    /// As [`Self::propose`].
    pub fn propose_psk(&mut self, psk: Psk, authenticated_data: &[u8]) -> Result<Sent> {
        let id = fresh_id(self.suite()?, psk)?;
        self.propose(Proposal::PreSharedKey(id), authenticated_data)
    }

    /// Proposes fresh keys for our own leaf, and a new identity if one is given.
    ///
    /// # Errors
    ///
    /// [`CallerError`] if the identity is none for this group.
    pub fn propose_update(
        &mut self,
        identity: Option<&Identity>,
        authenticated_data: &[u8],
    ) -> Result<Sent> {
        self.check_active()?;
        let suite = self.suite()?;
        if identity.is_some_and(|new| new.cipher_suite != self.cipher_suite()) {
            return Err(CallerError::BadKey.into());
        }
        let leaf_key = suite.generate_key_pair()?;
        let signer = identity.map_or(&self.signer, |new| &new.signer).clone();
        let content = match identity {
            Some(new) => new.leaf_content(leaf_key.public(), LeafNodeSource::Update),
            None => self.updated_leaf(&leaf_key)?,
        };
        let leaf = content.sign(suite, &signer, self.group_id(), self.own_leaf())?;
        let wire_format = self.client.config().handshake_format.into();
        let sent = self.send_proposal(Proposal::Update(leaf), wire_format, authenticated_data)?;
        self.own_updates.push(OwnUpdate { leaf_key, signer });
        Ok(sent)
    }

    /// Proposes to leave (MLS extensions draft). Another member has to commit it, or one who joins
    /// from outside; it is always sent as a PublicMessage.
    ///
    /// # Errors
    ///
    /// [`CallerError::Invalid`] if a member doesn't support it, or if it has been proposed in this
    /// epoch.
    pub fn propose_self_remove(&mut self, authenticated_data: &[u8]) -> Result<Sent> {
        let own_leaf = self.own_leaf();
        let mut proposals = self.proposals.iter();
        if proposals.any(|p| matches!(p.checked(), Checked::SelfRemove(leaf) if *leaf == own_leaf))
        {
            return Err(CallerError::Invalid("a second SelfRemove in an epoch").into());
        }
        let self_remove = Proposal::SelfRemove.proposal_type();
        if !self.epoch.tree.all_have_proposal(self_remove) {
            return Err(CallerError::Invalid("a member doesn't support SelfRemove").into());
        }
        self.propose(Proposal::SelfRemove, authenticated_data)
    }

    fn updated_leaf(&self, leaf_key: &HpkePrivateKey) -> Result<LeafNodeContent> {
        let old = self.own_leaf_node()?;
        let LeafDescription { credential, capabilities, extensions } = LeafDescription::from(old);
        Ok(LeafNodeContent {
            encryption_key: leaf_key.public().to_vec().into(),
            signature_key: old.signature_key.clone(),
            credential,
            capabilities,
            leaf_node_source: LeafNodeSource::Update,
            extensions,
        })
    }

    fn send_proposal(
        &mut self,
        proposal: Proposal,
        wire_format: WireFormat,
        authenticated_data: &[u8],
    ) -> Result<Sent> {
        self.check_active()?;
        self.check_room().map_err(Error::into_callers)?;
        let client = self.client.clone();
        let suite = client.suite(self.cipher_suite())?;
        let sender = Sender::Member(self.own_leaf());
        let checked = self.view(suite).check_all(vec![(proposal.clone(), sender)]);
        let checked = checked.map_err(Error::into_callers)?.pop();
        let checked = checked.ok_or(Error::Internal("a proposal was lost"))?;
        let content = Content::Proposal(proposal);
        let signed = self.sign(suite, wire_format, authenticated_data.to_vec(), content)?;
        let sent = self.protect(suite, signed, wire_format)?;
        let cached = CachedProposal::new(suite, sent.protected.content, checked)?;
        self.proposals.insert(cached);
        Ok(Sent { message: sent.protected.message, key_use: sent.key_use })
    }

    fn sign(
        &self,
        suite: &dyn Suite,
        wire_format: WireFormat,
        authenticated_data: Vec<u8>,
        content: Content,
    ) -> Result<SignedContent> {
        let sender = Sender::Member(self.own_leaf());
        let frame = self.epoch.frame(suite);
        sign(&frame, &self.signer, wire_format, sender, authenticated_data, content)
    }

    /// Protects a content in the way that it was signed for. A key that this takes is used up.
    pub(super) fn protect(
        &mut self,
        suite: &dyn Suite,
        signed: SignedContent,
        wire_format: WireFormat,
    ) -> Result<ProtectedWith> {
        let padding: Padding = self.client.config().padding;
        let epoch = &mut self.epoch;
        let frame = EpochContext {
            suite,
            group_id: &epoch.context.group_id,
            epoch: epoch.context.epoch,
            group_context: &epoch.encoded_context,
        };
        if wire_format == WireFormat::PublicMessage {
            let protected = signed.into_public_message(&frame, &epoch.secrets.membership_key)?;
            return Ok(ProtectedWith { protected, key_use: None });
        }
        let (protected, consumed) = signed.into_private_message(
            &frame,
            &epoch.secrets.sender_data_secret,
            &mut epoch.secret_tree,
            padding,
        )?;
        Ok(ProtectedWith {
            protected,
            key_use: Some(KeyUse { epoch: epoch.context.epoch, consumed }),
        })
    }

    /// A record of our next `count` application messages as sent, to be stored once instead of each
    /// of their [`KeyUse`]s. After a restore the unused ones are passed over.
    ///
    /// # Errors
    ///
    /// [`CallerError::Invalid`] for more than [`KeyUse::MAX_RESERVED`] or none at all, or if there are
    /// not so many keys left.
    pub fn reserve(&self, count: u32) -> Result<KeyUse> {
        let own_leaf: LeafIndex = self.own_leaf();
        let next = self.epoch.secret_tree.next_generations(own_leaf).application;
        let last = (next + u64::from(count)).checked_sub(1);
        let generation = last
            .filter(|_| (1..=KeyUse::MAX_RESERVED).contains(&count))
            .and_then(|last| u32::try_from(last).ok());
        Ok(KeyUse {
            epoch: self.epoch(),
            consumed: Consumed {
                leaf: own_leaf,
                ratchet_type: crate::schedule::RatchetType::Application,
                generation: generation.ok_or(CallerError::Invalid("no such generations"))?,
            },
        })
    }
}
