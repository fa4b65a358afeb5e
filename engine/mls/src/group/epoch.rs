//! An epoch of a group: everything that a commit replaces.

use crypto_api::{Digest, Secret, Suite, VerifyingKey};

use super::past_epoch::{PastEpoch, PastMembers};
use crate::{
    Error, PeerError, Result,
    codec::Encode,
    framing::{EpochContext, SenderKeys},
    schedule::{
        EncryptionSecret, EpochSecret, EpochSecrets, InitSecret, JoinerSecret, PskSecret,
        RatchetLimits, ResumptionPsk, SecretTree, interim_transcript_hash,
    },
    tree::{RatchetTree, TreePrivateKeys},
    types::{Extensions, ExternalSenders, GroupContext, LeafIndex},
};

/// A member's view of the current epoch.
#[derive(Debug)]
pub(super) struct Epoch {
    pub(super) context: GroupContext,
    /// `context`, encoded: every message needs it.
    pub(super) encoded_context: Vec<u8>,
    pub(super) tree: RatchetTree,
    pub(super) keys: TreePrivateKeys,
    pub(super) secrets: EpochSecrets,
    pub(super) secret_tree: SecretTree,
    pub(super) confirmation_tag: Vec<u8>,
    pub(super) interim_transcript_hash: Digest,
}

impl Epoch {
    pub(super) fn own_leaf(&self) -> LeafIndex {
        self.keys.leaf()
    }

    pub(super) fn frame<'a>(&'a self, suite: &'a dyn Suite) -> EpochContext<'a> {
        EpochContext {
            suite,
            group_id: &self.context.group_id,
            epoch: self.context.epoch,
            group_context: &self.encoded_context,
        }
    }

    pub(super) fn senders<'a>(&'a self, suite: &'a dyn Suite) -> Senders<'a> {
        Senders { suite, tree: &self.tree, extensions: Some(&self.context.extensions) }
    }

    /// What may outlive it; the rest is wiped.
    pub(super) fn into_past(self) -> (PastEpoch, ResumptionPsk) {
        let past = PastEpoch {
            epoch: self.context.epoch,
            encoded_context: self.encoded_context,
            own_leaf: self.keys.leaf(),
            members: PastMembers::of(self.tree),
            sender_data_secret: self.secrets.sender_data_secret,
            secret_tree: self.secret_tree,
        };
        (past, self.secrets.resumption_psk)
    }
}

/// Who may send in the current epoch.
pub(super) struct Senders<'a> {
    pub(super) suite: &'a dyn Suite,
    pub(super) tree: &'a RatchetTree,
    pub(super) extensions: Option<&'a Extensions>,
}

impl SenderKeys for Senders<'_> {
    fn member(&self, leaf_index: LeafIndex) -> Result<Option<VerifyingKey>> {
        let leaf = self.tree.leaf(leaf_index);
        leaf.map(|leaf| leaf.verifying_key(self.suite).cloned()).transpose()
    }

    fn external(&self, sender_index: u32) -> Result<Option<VerifyingKey>> {
        let senders = self.extensions.map(Extensions::find::<ExternalSenders>);
        let senders = senders.transpose()?.flatten().unwrap_or_default();
        let sender = senders.0.get(sender_index as usize);
        sender
            .map(|sender| self.suite.verifying_key(sender.signature_key.as_slice()))
            .transpose()
            .map_err(Error::of_peer(PeerError::BadKey))
    }
}

/// The key schedule of a new epoch, all of it.
pub(super) struct Scheduled {
    pub(super) context: GroupContext,
    encoded_context: Vec<u8>,
    /// None in the first epoch, which nobody joins.
    pub(super) joiner_secret: Option<JoinerSecret>,
    secrets: EpochSecrets,
    encryption_secret: EncryptionSecret,
    pub(super) confirmation_tag: Digest,
}

/// What goes into the key schedule of a commit.
pub(super) struct ScheduleInputs<'a> {
    pub(super) init_secret: &'a InitSecret,
    pub(super) commit_secret: Option<&'a Secret>,
    pub(super) psk_secret: &'a PskSecret,
}

impl Scheduled {
    /// That of epoch 0.
    pub(super) fn first(
        suite: &dyn Suite,
        context: GroupContext,
        epoch_secret: EpochSecret,
    ) -> Result<Self> {
        let encoded_context = context.to_bytes()?;
        Self::new(suite, context, encoded_context, None, epoch_secret)
    }

    /// That of the epoch that a commit starts; the GroupContext comes with its encoding.
    pub(super) fn next(
        suite: &dyn Suite,
        (context, encoded_context): (GroupContext, Vec<u8>),
        inputs: &ScheduleInputs<'_>,
    ) -> Result<Self> {
        let joiner_secret = JoinerSecret::derive(
            suite,
            inputs.init_secret,
            inputs.commit_secret,
            &encoded_context,
        )?;
        let epoch_secret =
            joiner_secret.epoch_secret(suite, inputs.psk_secret, &encoded_context)?;
        let joiner_secret = Some(joiner_secret);
        Self::new(suite, context, encoded_context, joiner_secret, epoch_secret)
    }

    /// That of the epoch that a Welcome leads to.
    pub(super) fn joined(
        suite: &dyn Suite,
        context: GroupContext,
        joiner_secret: &JoinerSecret,
        psk_secret: &PskSecret,
    ) -> Result<Self> {
        let encoded_context = context.to_bytes()?;
        let epoch_secret = joiner_secret.epoch_secret(suite, psk_secret, &encoded_context)?;
        Self::new(suite, context, encoded_context, None, epoch_secret)
    }

    fn new(
        suite: &dyn Suite,
        context: GroupContext,
        encoded_context: Vec<u8>,
        joiner_secret: Option<JoinerSecret>,
        epoch_secret: EpochSecret,
    ) -> Result<Self> {
        let (secrets, encryption_secret) = epoch_secret.schedule(suite)?;
        let transcript = &context.confirmed_transcript_hash;
        let confirmation_tag = secrets.confirmation_key.confirmation_tag(suite, transcript);
        Ok(Self {
            context,
            encoded_context,
            joiner_secret,
            secrets,
            encryption_secret,
            confirmation_tag,
        })
    }

    /// Checks a received confirmation tag.
    pub(super) fn check_tag(&self, received: &[u8]) -> Result<()> {
        if self.confirmation_tag.matches(received) { Ok(()) } else { Err(PeerError::BadMac.into()) }
    }

    /// The external key pair's public key.
    pub(super) fn external_pub(&self, suite: &dyn Suite) -> Result<Vec<u8>> {
        let key_pair = self.secrets.external_secret.key_pair(suite)?;
        Ok(key_pair.public().to_vec())
    }

    pub(super) fn into_epoch(
        self,
        suite: &dyn Suite,
        tree: RatchetTree,
        keys: TreePrivateKeys,
        limits: RatchetLimits,
    ) -> Result<Epoch> {
        let transcript = &self.context.confirmed_transcript_hash;
        let tag = self.confirmation_tag.as_slice();
        let interim_transcript_hash = interim_transcript_hash(suite, transcript, tag)?;
        let leaf_count = tree.size().leaf_count();
        Ok(Epoch {
            context: self.context,
            encoded_context: self.encoded_context,
            tree,
            keys,
            secrets: self.secrets,
            secret_tree: SecretTree::new(self.encryption_secret, leaf_count, limits),
            confirmation_tag: self.confirmation_tag.as_slice().to_vec(),
            interim_transcript_hash,
        })
    }
}
