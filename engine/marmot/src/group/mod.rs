//! Groups: one member's view of one group.
//!
//! | to | call |
//! |---|---|
//! | create one | [`Client::create_group`] |
//! | join one | [`Client::read_welcome`], then [`Client::join`] |
//! | send | [`Group::send`] |
//! | receive whatever comes | [`Group::receive`]; or [`Group::open`], then [`Group::receive_opened`] |
//! | change it | [`Group::add_members`], [`Group::remove_members`], [`Group::set_data`], [`Group::self_update`], [`Group::commit_departures`]; publish, then [`Group::merge_pending`] |
//! | leave | [`Group::leave`] |
//! | send a file | [`Group::encrypt_media`], then a rumor with [`crate::Media::tag`]; [`Group::decrypt_media`] |
//! | store | [`Group::take_changes`] and [`Kept`], [`Client::restore`] |

mod commit;
mod create;
mod kept;
mod media;
mod receive;
mod rival;

pub use commit::Publication;
pub use create::NewGroup;
pub use kept::{CommitEvent, CommitOrder, Entry, EpochState, Kept, OwnCommit, Written};
pub use receive::{Committed, Ignored, Message, Opened, Received};

use burrow::{group::KeyUse, types::LeafIndex};
use crypto_api::Secret;

use crate::{
    CallerError, Error, Result,
    client::Client,
    envelope,
    event::{Event, EventId, Rumor},
    group_data::GroupData,
    keys::PublicKey,
};

/// After this many keys were used in an epoch its state is written anew, so that the list of them
/// doesn't grow without end.
const MAX_USES: usize = 1024;

/// One member's view of a group.
#[derive(Debug)]
pub struct Group {
    client: Client,
    account: PublicKey,
    mls: burrow::group::Group,
    data: GroupData,
    kept: Kept,
    /// The commit of ours that is pending, as its record in `kept` has it.
    staged: Option<burrow::group::StagedCommit>,
    changes: Vec<Entry>,
}

impl Group {
    /// A group that was just created or joined.
    pub(crate) fn around(client: &Client, mls: burrow::group::Group) -> Result<Self> {
        let kept = Kept::new(client.config().past_epochs);
        let mut group = Self::of(client, mls, kept)?;
        group.enter()?;
        Ok(group)
    }

    fn of(client: &Client, mls: burrow::group::Group, kept: Kept) -> Result<Self> {
        let own = mls.tree().leaf(mls.own_leaf());
        let account = own.and_then(|leaf| PublicKey::of_credential(&leaf.credential));
        Ok(Self {
            client: client.clone(),
            account: account.ok_or(Error::Internal("our own leaf is nobody's"))?,
            data: GroupData::of(&mls.context().extensions)?,
            mls,
            kept,
            staged: None,
            changes: Vec::new(),
        })
    }

    /// The MLS group's id. It is never published.
    #[must_use]
    pub fn id(&self) -> &[u8] {
        self.mls.group_id()
    }

    /// The present epoch; of a member who was removed, its last one.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.mls.epoch()
    }

    /// What the group says of itself.
    #[must_use]
    pub fn data(&self) -> &GroupData {
        &self.data
    }

    /// Whose view this is.
    #[must_use]
    pub fn account(&self) -> PublicKey {
        self.account
    }

    /// Whether this member is an admin.
    #[must_use]
    pub fn is_admin(&self) -> bool {
        self.data.is_admin(&self.account)
    }

    /// Whether this member was removed. A better commit for its last epoch may still bring it back.
    #[must_use]
    pub fn is_removed(&self) -> bool {
        self.kept.present().is_none_or(|present| present.ended_by.is_some())
    }

    /// The members' accounts by leaf, from left to right. An account may have several leaves.
    pub fn members(&self) -> impl Iterator<Item = (LeafIndex, PublicKey)> + '_ {
        let members = self.mls.members();
        members.filter_map(|(leaf, node)| Some((leaf, PublicKey::of_credential(&node.credential)?)))
    }

    /// The MLS group.
    #[must_use]
    pub fn mls(&self) -> &burrow::group::Group {
        &self.mls
    }

    /// The secret that the keys of encrypted media come from (MIP-04), of the present epoch.
    ///
    /// # Errors
    ///
    /// If the crypto library fails.
    pub fn media_secret(&self) -> Result<Secret> {
        media::secret_of(&self.mls)
    }

    /// The event of the commit that is pending.
    #[must_use]
    pub fn pending_commit(&self) -> Option<EventId> {
        self.kept.pending_commit()
    }

    /// Sends a rumor of this account's to the group: the event to be published. Store the changes
    /// first.
    ///
    /// # Errors
    ///
    /// [`CallerError::NotOurRumor`] for another author's, [`CallerError::Removed`] after a removal;
    /// [`burrow::CallerError::ProposalsPending`] if somebody wants to leave: commit that first
    /// (RFC 9420, section 12.4).
    pub fn send(&mut self, rumor: &Rumor) -> Result<Event> {
        self.check_active()?;
        if rumor.author() != self.account {
            return Err(CallerError::NotOurRumor.into());
        }
        let sent = self.mls.send(&rumor.to_json(), b"")?;
        self.use_up(sent.key_use)?;
        let event = self.seal(&sent.message)?;
        self.change(Entry::Message(self.epoch(), event.id()));
        Ok(event)
    }

    /// What has changed since this was last asked: to be stored, all of it or nothing, before
    /// anything is published.
    pub fn take_changes(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.changes)
    }

    /// All that is kept, for a store that starts now.
    #[must_use]
    pub fn kept(&self) -> &Kept {
        &self.kept
    }

    fn check_active(&self) -> Result<()> {
        if self.is_removed() { Err(CallerError::Removed.into()) } else { Ok(()) }
    }

    fn change(&mut self, entry: Entry) {
        self.kept.apply(entry.clone());
        self.changes.push(entry);
    }

    fn use_up(&mut self, key_use: Option<KeyUse>) -> Result<()> {
        if let Some(key_use) = key_use {
            self.change(Entry::KeyUse(key_use));
        }
        let grown = self.kept.newest_first().filter(|kept| kept.uses.len() > MAX_USES);
        let grown: Vec<u64> = grown.map(|kept| kept.state.epoch).collect();
        for epoch in grown {
            self.rewrite(epoch)?;
        }
        Ok(())
    }

    /// Writes an epoch's state anew.
    fn rewrite(&mut self, epoch: u64) -> Result<()> {
        let written = match self.kept.at(epoch) {
            _ if epoch == self.epoch() => self.mls.write()?,
            Some(kept) => self.client.mls_group(kept)?.write()?,
            None => return Ok(()),
        };
        self.change(Entry::Rewritten(epoch, Written::new(written)));
        Ok(())
    }

    /// After the MLS group has entered an epoch.
    fn enter(&mut self) -> Result<()> {
        let data = GroupData::of(&self.mls.context().extensions)?;
        let state = EpochState {
            epoch: self.mls.epoch(),
            nostr_group_id: data.nostr_group_id,
            outer_key: envelope::outer_key(&self.mls)?,
            group: Written::new(self.mls.write()?),
        };
        self.data = data;
        self.staged = None;
        self.change(Entry::Epoch(state));
        Ok(())
    }

    fn seal(&self, message: &[u8]) -> Result<Event> {
        let present = self.kept.present().ok_or(Error::Internal("no epoch is kept"))?;
        let EpochState { outer_key, nostr_group_id, .. } = &present.state;
        envelope::seal(&self.client, outer_key, nostr_group_id, message)
    }

    /// An independent copy, for another client of the same account.
    ///
    /// **Of the two no more than one may send or commit**: see `burrow::group::Group::duplicate`.
    ///
    /// # Errors
    ///
    /// If something is too long to encode.
    #[cfg(feature = "duplicate")]
    pub fn duplicate_for(&self, client: &Client) -> Result<Self> {
        let staged = self.staged.as_ref().map(|staged| self.mls.duplicate_staged(staged));
        Ok(Self {
            client: client.clone(),
            account: self.account,
            mls: self.mls.duplicate_for(&client.mls)?,
            data: self.data.clone(),
            kept: self.kept.clone(),
            staged: staged.transpose()?,
            changes: self.changes.clone(),
        })
    }
}

impl Client {
    /// A group as it was kept.
    ///
    /// # Errors
    ///
    /// [`CallerError::Stored`] or an MLS error if it is damaged.
    pub fn restore(&self, kept: Kept) -> Result<Group> {
        let present = kept.present().ok_or(CallerError::Stored("a group without an epoch"))?;
        let mls = self.mls_group(present)?;
        let own = present.own.as_ref().filter(|_| present.ended_by.is_none());
        let staged = own.map(|own| mls.restore_staged(own.staged.as_slice())).transpose()?;
        Ok(Group { staged, ..Group::of(self, mls, kept)? })
    }

    /// The MLS group of an epoch that is kept.
    fn mls_group(&self, kept: &kept::KeptEpoch) -> Result<burrow::group::Group> {
        let mls = self.mls.restore(kept.state.group.as_slice(), &kept.uses)?;
        if mls.epoch() == kept.state.epoch {
            Ok(mls)
        } else {
            Err(CallerError::Stored("a group of another epoch").into())
        }
    }
}
