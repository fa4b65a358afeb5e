//! A group as one member holds it, and what commits do to it.

use std::collections::VecDeque;

use engine_api::{Epoch, GroupId, Identity, RejectReason, Rejection};

use crate::fresh;
use crate::roster::Roster;
use crate::wire::{self, Commit, Header, Id, Welcome};

/// From how many past epochs application messages are still delivered.
pub(crate) const WINDOW: usize = 5;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) id: Id,
    pub(crate) name: String,
    pub(crate) epoch: u64,
    /// A chain over all commits: equal for two clients if they applied the same ones.
    pub(crate) authenticator: u64,
    /// The authenticators of the past epochs in which this client was a member, latest first.
    pub(crate) past: VecDeque<u64>,
    pub(crate) roster: Roster,
    pub(crate) own_leaf: u32,
    /// The sequence number of the next message. It goes on through all epochs.
    pub(crate) next_sequence: u32,
    pub(crate) staged: Option<Staged>,
    /// Whether this client has been removed. Then all the rest is what it was before.
    pub(crate) removed: bool,
}

/// What a commit changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Delta {
    /// These take the leftmost vacancies, in order.
    Add(Vec<Identity>),
    /// These leaves, ascending.
    Remove(Vec<u32>),
    Update,
    Rename(String),
}

/// This client's own commit while it isn't merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Staged {
    pub(crate) stage: u64,
    pub(crate) delta: Delta,
    pub(crate) authenticator: u64,
}

impl Group {
    /// A group of one, in epoch 0.
    pub(crate) fn found(founder: Identity) -> Self {
        let group = fresh::id();
        let welcome = Welcome {
            group,
            epoch: 0,
            authenticator: wire::checksum(&group),
            name: String::new(),
            seats: vec![Some(founder)],
            invitees: Vec::new(),
        };
        Self::join(welcome, 0)
    }

    /// The group that a Welcome opens to the member on `own_leaf`.
    pub(crate) fn join(welcome: Welcome, own_leaf: u32) -> Self {
        Self {
            id: welcome.group,
            name: welcome.name,
            epoch: welcome.epoch,
            authenticator: welcome.authenticator,
            past: VecDeque::new(),
            roster: Roster::new(welcome.seats, welcome.epoch),
            own_leaf,
            next_sequence: 0,
            staged: None,
            removed: false,
        }
    }

    pub(crate) fn group_id(&self) -> GroupId {
        GroupId::new(self.id.to_vec())
    }

    /// The header of what this client sends now.
    pub(crate) fn header(&self) -> Header {
        Header {
            group: self.id,
            epoch: self.epoch,
            base: self.authenticator,
            sender: self.own_leaf,
        }
    }

    /// The authenticator of the present epoch or of a past one that is remembered.
    pub(crate) fn authenticator_of(&self, epoch: u64) -> Option<u64> {
        match self.epoch.checked_sub(epoch)? {
            0 => Some(self.authenticator),
            ago => self.past.get(usize::try_from(ago - 1).ok()?).copied(),
        }
    }

    /// Whether the member on leaf `author` may change this group so, by the protocol's rules.
    pub(crate) fn check(&self, delta: &Delta, author: u32) -> Result<(), Rejection> {
        if self.epoch == u64::MAX {
            return Err(invalid("there is no next epoch"));
        }
        match delta {
            Delta::Add(added) => self.check_added(added),
            Delta::Remove(leaves) => self.check_removed(leaves, author),
            Delta::Update | Delta::Rename(_) => Ok(()),
        }
    }

    fn check_added(&self, added: &[Identity]) -> Result<(), Rejection> {
        if added.is_empty() {
            return Err(invalid("nobody is added"));
        }
        let mut names: Vec<&Identity> = added.iter().collect();
        names.sort_unstable();
        if names.is_sorted_by(|a, b| a < b) && !self.seats_any_of(&names) {
            return Ok(());
        }
        Err(invalid("an identity would be in the group twice"))
    }

    fn seats_any_of(&self, sorted: &[&Identity]) -> bool {
        let mut seated = self.roster.seats.iter().flatten();
        seated.any(|seat| sorted.binary_search(&&seat.identity).is_ok())
    }

    fn check_removed(&self, leaves: &[u32], author: u32) -> Result<(), Rejection> {
        let occupied = |leaf: &u32| self.roster.occupant(*leaf).is_some();
        if leaves.is_empty() || !leaves.is_sorted_by(|a, b| a < b) {
            return Err(invalid("the removed leaves are not a list in order"));
        }
        if !leaves.iter().all(occupied) {
            return Err(invalid("a blank leaf is removed"));
        }
        if leaves.contains(&author) {
            return Err(invalid("a commit removes its author"));
        }
        Ok(())
    }

    /// Makes this client's commit for a change: its bytes, and the authenticator of the epoch it
    /// leads to.
    pub(crate) fn draft(&self, delta: &Delta) -> (Vec<u8>, u64) {
        let (commit, digest) = Commit::encode(&self.header(), delta);
        (commit, wire::chain(self.authenticator, digest))
    }

    /// Enters the next epoch. Whatever was staged is gone.
    pub(crate) fn apply(&mut self, delta: Delta, authenticator: u64) -> Epoch {
        self.past.push_front(self.authenticator);
        self.past.truncate(WINDOW);
        self.epoch += 1;
        self.authenticator = authenticator;
        self.staged = None;
        match delta {
            Delta::Add(added) => self.roster.add(added, self.epoch),
            Delta::Remove(leaves) => self.roster.remove(&leaves, self.epoch),
            Delta::Update => {}
            Delta::Rename(name) => self.name = name,
        }
        self.roster.forget(self.epoch.saturating_sub(WINDOW as u64));
        Epoch(self.epoch)
    }
}

pub(crate) fn invalid(detail: &str) -> Rejection {
    Rejection::new(RejectReason::Invalid, detail)
}
