//! Groups: creating, joining, proposing, committing and receiving (sections 10 to 14).
//!
//! A [`Client`] makes key packages and gets into groups; a [`Group`] is one member's view of one
//! group. Nothing is sent: a call returns the bytes that are to be sent. Nothing is final before it
//! is merged: a commit, our own or another's, is staged as a value that can be looked at, and the
//! group stays as it was until [`Group::merge`] or [`Group::merge_remote`] takes the value over.
//!
//! | to | call |
//! |---|---|
//! | publish a key package | [`Client::generate_key_package`] |
//! | create a group | [`Client::create_group`] |
//! | join by a Welcome | [`Client::join`], [`Client::join_with`] |
//! | join by a GroupInfo | [`Client::join_externally`] |
//! | propose | [`Group::propose`], [`Group::propose_update`], [`Group::propose_self_remove`], [`Client::propose_own_add`], [`ExternalProposer`] |
//! | commit | [`Group::commit`], then [`CommitBuilder::stage`], then [`Group::merge`] |
//! | send application data | [`Group::send`] |
//! | receive whatever comes | [`Group::receive`], and [`Group::merge_remote`] for a commit |
//! | go on as another group | [`Group::branch`], [`Group::reinitialize`] |
//! | store | [`Group::write`], [`KeyUse`], [`Client::restore`]; [`StagedCommit::write`], [`Group::restore_staged`] |
//!
//! What the engine can't know, who is who, what time it is, what is allowed, is for the
//! [`Application`] to say.
//!
//! Proposals of types that this engine doesn't know don't decode, and so are rejected, but for types
//! for private use, whose content is then an `opaque<V>`. Such a [`Proposal::Custom`] can be committed
//! once all members have its type in their capabilities: put it into those of an [`Identity`].
//! Extensions and credentials of unknown types are kept and compared, GREASE values among them.
//!
//! The `app_data_dictionary` of the MLS extensions draft is changed by [`Proposal::AppDataUpdate`] and
//! by what [`Application::update_component`] makes of it. An application with components puts both
//! types into the capabilities of its identities, and the `app_components` that the draft asks for
//! into their extensions.

mod app_data;
mod application;
mod client;
mod commit;
mod config;
mod departures;
mod draft;
#[cfg(feature = "duplicate")]
mod duplicate;
mod epoch;
mod external;
mod join;
mod key_package;
mod past_epoch;
mod proposal_list;
mod proposals;
mod psks;
mod receive;
mod remote_commit;
mod rules;
mod selection;
mod send;
mod state;
mod stored_commit;
mod successor;
#[cfg(test)]
mod tests;
mod transition;
mod welcome;

pub use application::Application;
pub use client::{Client, Identity};
pub use commit::{CommitBuilder, CommitMessages, StagedCommit};
pub use config::{Config, HandshakeFormat};
pub use external::{ExternalJoin, ExternalJoinBuilder, ExternalProposer};
pub use join::JoinOptions;
pub use key_package::KeyPackageSecrets;
pub use receive::{ApplicationMessage, Ignored, Received, ReceivedProposal};
pub use remote_commit::StagedRemoteCommit;
pub use send::{KeyUse, Sent};
pub use successor::Successor;
pub use transition::{Changes, SentCustomProposal};

use std::collections::VecDeque;

use crypto_api::{CipherSuite, HpkePrivateKey, Secret, SigningKey, Suite};

use crate::{
    CallerError, Error, Result,
    crypto::SignaturePublicKey,
    framing::Sender,
    schedule::{EpochAuthenticator, ResumptionPsk},
    tree::RatchetTree,
    types::{Credential, GroupContext, LeafIndex, LeafNode, Proposal, ReInit},
};
use epoch::Epoch;
use past_epoch::PastEpoch;
use proposals::{ProposalCache, View};

/// One member's view of a group.
#[derive(Debug)]
pub struct Group {
    client: Client,
    signer: SigningKey,
    epoch: Epoch,
    /// Of the current epoch.
    proposals: ProposalCache,
    /// The keys of our own Updates of the current epoch.
    own_updates: Vec<OwnUpdate>,
    /// From the oldest to the newest.
    past: VecDeque<PastEpoch>,
    /// From the oldest to the newest.
    resumption: VecDeque<(u64, ResumptionPsk)>,
    status: Status,
}

/// What an Update of ours will be used with if somebody commits it.
#[derive(Debug)]
struct OwnUpdate {
    leaf_key: HpkePrivateKey,
    signer: SigningKey,
}

/// Whether a group goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// It does.
    Active,
    /// Not for us: we were removed. The state is that of the last epoch that we were a member in.
    Removed,
    /// It is to go on as another one (section 11.2).
    Reinitialized(ReInit),
}

/// Who is, or was, at a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member<'a> {
    /// The key that the member signs with.
    pub signature_key: &'a SignaturePublicKey,
    /// Who the member says to be.
    pub credential: &'a Credential,
}

impl<'a> From<&'a LeafNode> for Member<'a> {
    fn from(leaf: &'a LeafNode) -> Self {
        Self { signature_key: &leaf.signature_key, credential: &leaf.credential }
    }
}

/// A proposal that could be committed.
#[derive(Debug, Clone, Copy)]
pub struct PendingProposal<'a> {
    /// Its ProposalRef.
    pub reference: &'a [u8],
    /// Who sent it.
    pub sender: Sender,
    /// What it says.
    pub proposal: &'a Proposal,
}

impl Group {
    fn new(client: Client, signer: SigningKey, epoch: Epoch) -> Self {
        Self {
            client,
            signer,
            epoch,
            proposals: ProposalCache::default(),
            own_updates: Vec::new(),
            past: VecDeque::new(),
            resumption: VecDeque::new(),
            status: Status::Active,
        }
    }

    /// The group's id.
    #[must_use]
    pub fn group_id(&self) -> &[u8] {
        &self.epoch.context.group_id
    }

    /// The current epoch.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch.context.epoch
    }

    /// The cipher suite.
    #[must_use]
    pub fn cipher_suite(&self) -> CipherSuite {
        self.epoch.context.cipher_suite
    }

    /// The current GroupContext.
    #[must_use]
    pub fn context(&self) -> &GroupContext {
        &self.epoch.context
    }

    /// The current tree.
    #[must_use]
    pub fn tree(&self) -> &RatchetTree {
        &self.epoch.tree
    }

    /// The members, from left to right.
    pub fn members(&self) -> impl DoubleEndedIterator<Item = (LeafIndex, &LeafNode)> {
        self.epoch.tree.members()
    }

    /// One who is a member in this epoch, or was in a past one that is kept: the sender of a late
    /// message may have left, and its place have another owner.
    #[must_use]
    pub fn member_at(&self, epoch: u64, leaf: LeafIndex) -> Option<Member<'_>> {
        if epoch == self.epoch() {
            return self.epoch.tree.leaf(leaf).map(Member::from);
        }
        let past = self.past.iter().find(|past| past.epoch == epoch)?;
        past.members.get(leaf)
    }

    /// Our own leaf.
    #[must_use]
    pub fn own_leaf(&self) -> LeafIndex {
        self.epoch.own_leaf()
    }

    /// Whether the group goes on.
    #[must_use]
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// The client that it is a group of.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The key that we sign with.
    #[must_use]
    pub fn signer(&self) -> &SigningKey {
        &self.signer
    }

    /// The proposals of the current epoch, in the order they came in.
    pub fn pending_proposals(&self) -> impl Iterator<Item = PendingProposal<'_>> {
        self.proposals.iter().filter_map(|cached| {
            Some(PendingProposal {
                reference: cached.reference.as_slice(),
                sender: cached.content.sender(),
                proposal: cached.proposal()?,
            })
        })
    }

    /// Drops a proposal that is not to be committed; whether it was there. A commit of another
    /// member that refers to it can't be processed after this.
    pub fn drop_proposal(&mut self, reference: &[u8]) -> bool {
        self.proposals.remove(reference)
    }

    /// Tells whether members see the same group, in the same epoch (section 8.7).
    #[must_use]
    pub fn epoch_authenticator(&self) -> &EpochAuthenticator {
        &self.epoch.secrets.epoch_authenticator
    }

    /// A secret for the application (section 8.5). The label is given without "MLS 1.0 ".
    ///
    /// # Errors
    ///
    /// If more is asked for than the KDF can give.
    pub fn export_secret(&self, label: &[u8], context: &[u8], length: usize) -> Result<Secret> {
        let exporter_secret = &self.epoch.secrets.exporter_secret;
        exporter_secret.export(self.suite()?, label, context, length)
    }

    /// The resumption PSK of the current epoch or of one of the past epochs that are kept.
    #[must_use]
    pub fn resumption_psk(&self, epoch: u64) -> Option<&Secret> {
        if epoch == self.epoch() {
            return Some(self.epoch.secrets.resumption_psk.as_secret());
        }
        let mut kept = self.resumption.iter();
        let (_, psk) = kept.find(|(kept, _)| *kept == epoch)?;
        Some(psk.as_secret())
    }

    fn suite(&self) -> Result<&dyn Suite> {
        self.client.suite(self.cipher_suite())
    }

    fn view<'a>(&'a self, suite: &'a dyn Suite) -> View<'a> {
        View {
            suite,
            application: self.client.application(),
            context: &self.epoch.context,
            tree: &self.epoch.tree,
        }
    }

    fn own_leaf_node(&self) -> Result<&LeafNode> {
        let leaf = self.epoch.tree.leaf(self.own_leaf());
        leaf.ok_or(Error::Internal("our own leaf is blank"))
    }

    fn check_active(&self) -> Result<()> {
        match self.status {
            Status::Active => Ok(()),
            Status::Removed => Err(CallerError::Removed.into()),
            Status::Reinitialized(_) => Err(CallerError::Reinitialized.into()),
        }
    }
}
