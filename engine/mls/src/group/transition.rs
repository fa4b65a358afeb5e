//! From one epoch to the next, as a value: staged, looked at, and merged or dropped.

use crypto_api::{Digest, SigningKey};

use super::{Group, Status, epoch::Epoch, proposal_list::Applied};
use crate::{
    CallerError, Result, codec_struct,
    framing::Sender,
    types::{CustomProposal, Extensions, LeafIndex, PreSharedKeyId, ReInit},
};

/// What a commit changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    /// The committer; its new leaf, if it joins by the commit.
    pub committer: LeafIndex,
    /// Whether the committer joins by the commit.
    pub joins: bool,
    /// The leaves of the members that it adds, in the order of the Adds.
    pub added: Vec<LeafIndex>,
    /// The leaves of the members whose Updates it commits.
    pub updated: Vec<LeafIndex>,
    /// The leaves of the members that it removes. An added member may be at one of them.
    pub removed: Vec<LeafIndex>,
    /// The GroupContext's new extensions, if they are replaced, or application data in them is
    /// updated.
    pub extensions: Option<Extensions>,
    /// The pre-shared keys that go into the new epoch.
    pub psks: Vec<PreSharedKeyId>,
    /// The group that takes over after this commit.
    pub reinit: Option<ReInit>,
    /// The proposals of the application's own types, in order.
    pub custom: Vec<SentCustomProposal>,
    /// Whether it has a path, and so fresh secrets of the committer's.
    pub has_path: bool,
}

/// A proposal of a type of the application's own, in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentCustomProposal {
    /// Who proposed it: the committer, if it is by value.
    pub sender: Sender,
    /// What it says.
    pub proposal: CustomProposal,
}
codec_struct!(SentCustomProposal { sender, proposal });

impl Changes {
    pub(super) fn new(applied: &Applied, committer: LeafIndex, has_path: bool) -> Self {
        let extensions = applied.are_extensions_new.then_some(&applied.extensions);
        Self {
            committer,
            joins: applied.external_init.is_some(),
            added: applied.added.iter().map(|(leaf, _)| *leaf).collect(),
            updated: applied.updated.clone(),
            removed: applied.removed.clone(),
            extensions: extensions.cloned(),
            psks: applied.psks.clone(),
            reinit: applied.reinit.clone(),
            custom: applied.custom.clone(),
            has_path,
        }
    }
}

/// The next epoch, and what it is next to.
#[derive(Debug)]
pub(super) struct Transition {
    /// The interim transcript hash of the epoch that the commit is of: it stands for all of the
    /// group's history.
    pub(super) base: Digest,
    /// None if the commit removes us.
    pub(super) next: Option<Epoch>,
    /// Our new signature key, if it changes.
    pub(super) signer: Option<SigningKey>,
    pub(super) changes: Changes,
}

impl Group {
    pub(super) fn check_base(&self, transition: &Transition) -> Result<()> {
        if transition.base == self.epoch.interim_transcript_hash {
            Ok(())
        } else {
            Err(CallerError::Outdated.into())
        }
    }

    /// Takes over a transition that was checked to be of this epoch.
    pub(super) fn enter(&mut self, transition: Transition) {
        self.proposals = Default::default();
        self.own_updates.clear();
        let Some(next) = transition.next else {
            self.status = Status::Removed;
            return;
        };
        if let Some(signer) = transition.signer {
            self.signer = signer;
        }
        if let Some(reinit) = transition.changes.reinit {
            self.status = Status::Reinitialized(reinit);
        }
        let old = std::mem::replace(&mut self.epoch, next);
        let config = self.client.config();
        let epoch = old.context.epoch;
        let (past, resumption_psk) = old.into_past();
        if config.resumption_epochs > 0 {
            self.resumption.push_back((epoch, resumption_psk));
        }
        while self.resumption.len() > config.resumption_epochs {
            self.resumption.pop_front();
        }
        if config.past_epochs > 0 {
            self.past.push_back(past);
        }
        while self.past.len() > config.past_epochs {
            self.past.pop_front();
        }
    }
}
