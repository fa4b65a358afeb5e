//! A second state of the same member, for measuring (feature `duplicate`).
//!
//! What is measured has to start from the same state again and again. Writing and restoring gives
//! that, too, but not the state of a client that has been running: nothing of what such a one has
//! computed is there, and in a big group its memory is out of the processor's reach.

use crypto_api::Suite;
use zeroize::Zeroizing;

use super::{
    Client, Group, OwnUpdate, StagedCommit, epoch::Epoch, past_epoch::PastEpoch,
    transition::Transition,
};
use crate::{
    Result,
    codec::{Decode, Encode},
    schedule::{NextGenerations, RatchetLimits, SecretTree, StoredSecretTree},
    types::LeafIndex,
};

impl Group {
    /// An independent copy; the trees are shared until one of the two changes.
    ///
    /// **Of the two no more than one may send or commit.** The other one would use the same keys and
    /// nonces for something else, which gives both messages away. An application has no use for
    /// this: see [`Self::write`].
    ///
    /// # Errors
    ///
    /// If something is too long to encode.
    pub fn duplicate(&self) -> Result<Self> {
        let copying = Copying::of(self)?;
        let past = self.past.iter().map(|past| copying.past(past));
        let own_updates = self.own_updates.iter().map(|update| OwnUpdate {
            leaf_key: update.leaf_key.clone(),
            signer: update.signer.clone(),
        });
        Ok(Self {
            client: self.client.clone(),
            signer: self.signer.clone(),
            epoch: copying.epoch(&self.epoch)?,
            proposals: self.proposals.clone(),
            own_updates: own_updates.collect(),
            past: past.collect::<Result<_>>()?,
            resumption: self.resumption.clone(),
            status: self.status.clone(),
        })
    }

    /// The same for another client: its application is asked, and its configuration holds.
    ///
    /// # Errors
    ///
    /// If something is too long to encode.
    pub fn duplicate_for(&self, client: &Client) -> Result<Self> {
        let mut copy = self.duplicate()?;
        copy.client = client.clone();
        Ok(copy)
    }

    /// The same as [`Self::duplicate`] for a commit that this group has staged.
    ///
    /// # Errors
    ///
    /// If something is too long to encode.
    pub fn duplicate_staged(&self, staged: &StagedCommit) -> Result<StagedCommit> {
        let Transition { base, next, signer, changes } = &staged.transition;
        let copying = Copying::of(self)?;
        let next = next.as_ref().map(|next| copying.epoch(next)).transpose()?;
        Ok(StagedCommit {
            messages: staged.messages.clone(),
            transition: Transition {
                base: *base,
                next,
                signer: signer.clone(),
                changes: changes.clone(),
            },
        })
    }
}

struct Copying<'a> {
    suite: &'a dyn Suite,
    limits: RatchetLimits,
}

impl<'a> Copying<'a> {
    fn of(group: &'a Group) -> Result<Self> {
        let limits = group.client.config().ratchet_limits;
        Ok(Self { suite: group.suite()?, limits })
    }

    fn epoch(&self, epoch: &Epoch) -> Result<Epoch> {
        Ok(Epoch {
            context: epoch.context.clone(),
            encoded_context: epoch.encoded_context.clone(),
            tree: epoch.tree.clone(),
            keys: epoch.keys.clone(),
            secrets: epoch.secrets.clone(),
            secret_tree: self.secret_tree(&epoch.secret_tree, epoch.own_leaf())?,
            confirmation_tag: epoch.confirmation_tag.clone(),
            interim_transcript_hash: epoch.interim_transcript_hash,
        })
    }

    fn past(&self, past: &PastEpoch) -> Result<PastEpoch> {
        Ok(PastEpoch {
            epoch: past.epoch,
            encoded_context: past.encoded_context.clone(),
            own_leaf: past.own_leaf,
            members: past.members.clone(),
            sender_data_secret: past.sender_data_secret.clone(),
            secret_tree: self.secret_tree(&past.secret_tree, past.own_leaf)?,
        })
    }

    /// By way of its encoding: a secret tree can't be cloned, and nothing here is to change that.
    fn secret_tree(&self, tree: &SecretTree, own_leaf: LeafIndex) -> Result<SecretTree> {
        let written = Zeroizing::new(tree.to_bytes()?);
        let stored = StoredSecretTree::decode_exact(&written)?;
        stored.resume(self.suite, self.limits, own_leaf, NextGenerations::default(), &[])
    }
}
