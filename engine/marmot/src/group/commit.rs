//! Changing a group: a commit is made, published, and then merged (MIP-03).

use std::collections::BTreeSet;

use burrow::{
    framing::Sender,
    group::CommitBuilder,
    types::{LeafIndex, Proposal},
};

use super::{CommitEvent, CommitOrder, Entry, Group, OwnCommit, Written};
use crate::{
    CallerError, Error, Result,
    event::{Event, Rumor},
    group_data::GroupData,
    key_package::KeyPackageEvent,
    keys::PublicKey,
    policy,
};

/// What is to be sent of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a commit is to be published and merged, or discarded"]
pub struct Publication {
    /// For the members.
    pub event: Event,
    /// For the added ones, in order, once a relay has taken the event (MIP-02).
    pub welcomes: Vec<Rumor>,
}

type MlsCommit = burrow::group::StagedCommit;

impl Group {
    /// Adds the accounts of these key packages.
    ///
    /// # Errors
    ///
    /// [`CallerError::NotAdmin`] for others than admins; an MLS error if a key package is no good.
    pub fn add_members(&mut self, invitees: &[KeyPackageEvent]) -> Result<Publication> {
        self.check_admin()?;
        let key_packages = invitees.iter().map(|invitee| invitee.key_package.clone());
        let departures = self.departures(&[]);
        let mut staged = self
            .stage(departures, |builder| key_packages.fold(builder, CommitBuilder::add_member))?;
        let welcomes = match staged.messages.welcome.take() {
            Some(welcome) => {
                let relays = self.data.relays.iter().cloned();
                self.client.welcome_rumors(self.account, &welcome, invitees, relays)?
            }
            None => Vec::new(),
        };
        self.publish(staged, welcomes)
    }

    /// Removes all leaves of these accounts. Those of them who are admins are not any more.
    ///
    /// # Errors
    ///
    /// [`CallerError::NotAdmin`] for others than admins, [`CallerError::NoSuchMember`] if one of them
    /// isn't a member, [`CallerError::Invalid`] for this member itself.
    pub fn remove_members(&mut self, accounts: &[PublicKey]) -> Result<Publication> {
        let wanted: BTreeSet<_> = accounts.iter().copied().collect();
        let all: BTreeSet<_> = self.members().map(|(_, account)| account).collect();
        if wanted.is_empty() || !wanted.is_subset(&all) {
            return Err(CallerError::NoSuchMember.into());
        }
        let leaves = self.members().filter(|(_, account)| wanted.contains(account));
        let leaves: Vec<_> = leaves.map(|(leaf, _)| leaf).collect();
        self.remove_leaves(&leaves)
    }

    /// Removes these leaves. An account that has none left is no admin any more.
    ///
    /// # Errors
    ///
    /// As [`Self::remove_members`].
    pub fn remove_leaves(&mut self, leaves: &[LeafIndex]) -> Result<Publication> {
        self.check_admin()?;
        let is_member = |leaf: &LeafIndex| self.mls.tree().leaf(*leaf).is_some();
        if leaves.is_empty() || !leaves.iter().all(is_member) {
            return Err(CallerError::NoSuchMember.into());
        }
        if leaves.contains(&self.mls.own_leaf()) {
            return Err(CallerError::Invalid("a member can't remove itself").into());
        }
        let stay = self.members().filter(|(leaf, _)| !leaves.contains(leaf));
        let stay: BTreeSet<_> = stay.map(|(_, account)| account).collect();
        let gone = self.members().filter(|(_, account)| !stay.contains(account));
        let gone: BTreeSet<_> = gone.map(|(_, account)| account).collect();
        let mut data = self.data.clone();
        data.admins.retain(|admin| !gone.contains(admin));
        let extensions = if data == self.data { None } else { Some(self.extensions_with(&data)?) };
        let departures = self.departures(leaves);
        let staged = self.stage(departures, |builder| {
            let builder = leaves.iter().fold(builder, |b, leaf| b.remove_member(*leaf));
            match extensions {
                Some(extensions) => builder.group_context_extensions(extensions),
                None => builder,
            }
        })?;
        self.publish(staged, Vec::new())
    }

    /// Replaces what the group says of itself: its name, its admins and the rest.
    ///
    /// # Errors
    ///
    /// [`CallerError::NotAdmin`] for others than admins, [`CallerError::NoAdminLeft`] if no member
    /// would be one.
    pub fn set_data(&mut self, data: &GroupData) -> Result<Publication> {
        self.check_admin()?;
        if policy::accounts(self.mls.tree()).is_disjoint(&data.admins) {
            return Err(CallerError::NoAdminLeft.into());
        }
        let extensions = self.extensions_with(data)?;
        let departures = self.departures(&[]);
        let staged =
            self.stage(departures, |builder| builder.group_context_extensions(extensions))?;
        self.publish(staged, Vec::new())
    }

    /// Commits to a fresh encryption key and a fresh signature key of this member's: MIP-00 asks for
    /// one after joining, and now and then.
    ///
    /// # Errors
    ///
    /// [`CallerError::CommitPending`] if a commit is pending.
    pub fn self_update(&mut self) -> Result<Publication> {
        self.check_active()?;
        let own = self.mls.tree().leaf(self.mls.own_leaf());
        let own = own.ok_or(Error::Internal("our own leaf is blank"))?;
        let mut identity = self.client.identity(self.account)?;
        identity.description = burrow::tree::LeafDescription::from(own);
        // A commit of one who is no admin may have nothing else in it.
        let staged = self.stage(Vec::new(), |builder| builder.identity(identity))?;
        self.publish(staged, Vec::new())
    }

    /// Commits the SelfRemoves of those who want to leave. Any member may; who does it first wins, as
    /// with any commit, so wait for a random time before.
    ///
    /// # Errors
    ///
    /// [`CallerError::NoSuchMember`] if nobody wants to leave.
    pub fn commit_departures(&mut self) -> Result<Publication> {
        self.check_active()?;
        let departures = self.departures(&[]);
        if departures.is_empty() {
            return Err(CallerError::NoSuchMember.into());
        }
        let staged = self.stage(departures, |builder| builder)?;
        self.publish(staged, Vec::new())
    }

    /// Proposes to leave: the event to be published. Another member has to commit it.
    ///
    /// # Errors
    ///
    /// [`CallerError::AdminLeaves`] for an admin: it has to give that up before, by
    /// [`Self::set_data`].
    pub fn leave(&mut self) -> Result<Event> {
        self.check_active()?;
        if self.is_admin() {
            return Err(CallerError::AdminLeaves.into());
        }
        let sent = self.mls.propose_self_remove(b"")?;
        self.use_up(sent.key_use)?;
        // The proposal belongs to the state: somebody's commit will refer to it.
        self.rewrite(self.epoch())?;
        self.seal(&sent.message)
    }

    /// Enters the epoch that the pending commit starts, when a relay has taken its event.
    ///
    /// # Errors
    ///
    /// [`CallerError::NoCommitPending`] if there is none any more.
    pub fn merge_pending(&mut self) -> Result<u64> {
        let pending = self.kept.present().filter(|kept| kept.ended_by.is_none());
        let event = pending.and_then(|kept| kept.own.as_ref()).map(|own| own.event);
        let (Some(staged), Some(event)) = (self.staged.take(), event) else {
            return Err(CallerError::NoCommitPending.into());
        };
        let epoch = self.epoch();
        self.mls.merge(staged)?;
        // Its record stays: should it lose now, it may still win by an earlier event.
        self.change(Entry::Ended(epoch, event));
        self.enter()?;
        Ok(self.epoch())
    }

    /// Gives the pending commit up: it was not published, and never will be.
    ///
    /// # Errors
    ///
    /// [`CallerError::NoCommitPending`] if there is none any more.
    pub fn discard_pending(&mut self) -> Result<()> {
        if self.staged.take().is_none() {
            return Err(CallerError::NoCommitPending.into());
        }
        self.change(Entry::Own(self.epoch(), None));
        Ok(())
    }

    fn check_admin(&self) -> Result<()> {
        self.check_active()?;
        if self.is_admin() { Ok(()) } else { Err(CallerError::NotAdmin.into()) }
    }

    /// The references of the pending SelfRemoves, but for those of leaves that are removed anyway.
    /// Other members' Adds and Removes are not committed as they are: an admin who agrees makes a
    /// commit of its own.
    fn departures(&self, but: &[LeafIndex]) -> Vec<Vec<u8>> {
        let leaving = self.mls.pending_proposals().filter(|pending| {
            let Sender::Member(leaf) = pending.sender else {
                return false;
            };
            *pending.proposal == Proposal::SelfRemove
                && leaf != self.mls.own_leaf()
                && !but.contains(&leaf)
        });
        leaving.map(|pending| pending.reference.to_vec()).collect()
    }

    fn extensions_with(&self, data: &GroupData) -> Result<burrow::types::Extensions> {
        let mut extensions = self.mls.context().extensions.clone();
        extensions.put(data)?;
        Ok(extensions)
    }

    fn stage(
        &mut self,
        references: Vec<Vec<u8>>,
        change: impl FnOnce(CommitBuilder<'_>) -> CommitBuilder<'_>,
    ) -> Result<MlsCommit> {
        if self.staged.is_some() {
            return Err(CallerError::CommitPending.into());
        }
        let staged = change(self.mls.commit().only(references)).stage()?;
        self.use_up(staged.messages.key_use)?;
        Ok(staged)
    }

    fn publish(&mut self, mut staged: MlsCommit, welcomes: Vec<Rumor>) -> Result<Publication> {
        let message = std::mem::take(&mut staged.messages.message);
        let event = self.seal(&message)?;
        let own = OwnCommit {
            event: CommitEvent {
                order: CommitOrder { created_at: event.unsigned().created_at(), id: event.id() },
                content: self.client.hash(event.unsigned().content().as_bytes())?,
            },
            staged: Written::new(staged.write()?),
        };
        self.change(Entry::Own(self.epoch(), Some(own)));
        self.staged = Some(staged);
        Ok(Publication { event, welcomes })
    }
}
