//! Rival commits: of those for one epoch the one with the earliest event wins, then the one with the
//! smallest id (MIP-03), in whichever order they come.
//!
//! A commit that comes when its epoch has ended is compared with the one that ended it. If it is
//! better, it is tried on the epoch's state as it was kept, and only if it is valid there does the
//! group go back. mdk-core 0.8.0 goes back first.

use super::{
    CommitEvent, Entry, Group, Opened, Received,
    kept::KeptEpoch,
    receive::{Committed, Ignored, staged},
};
use crate::{Error, Result, group_data::GroupData, policy};

/// What comes of a better commit, tried on a state that is kept.
struct Outcome {
    /// The group that has merged it; none if it removes this member.
    mls: Option<burrow::group::Group>,
    changes: burrow::group::Changes,
}

impl Group {
    pub(super) fn receive_rival(&mut self, opened: Opened) -> Result<Received> {
        let epoch = opened.epoch;
        let commit = opened.commit;
        let kept = self.kept.at(epoch).ok_or(Error::Internal("an epoch that isn't kept"))?;
        let Some(winner) = kept.ended_by else {
            return Err(Error::Internal("an epoch that nothing ended"));
        };
        if let Some(ignored) = compare(&winner, &commit) {
            // The same commit in an earlier event: that is how others may know it.
            if ignored == Ignored::Duplicate && commit.order < winner.order {
                self.change(Entry::Ended(epoch, commit));
            }
            return Ok(Received::Ignored(ignored));
        }
        let is_own = kept.own.as_ref().is_some_and(|own| own.event.content == commit.content);
        let outcome = match &kept.own {
            Some(own) if is_own => self.try_own(kept, own.staged.as_slice())?,
            _ => match self.try_rival(kept, opened)? {
                Ok(outcome) => outcome,
                Err(ignored) => return Ok(Received::Ignored(ignored)),
            },
        };
        self.go_back(epoch, commit, outcome)
    }

    /// A commit of ours that had lost, or so it seemed.
    fn try_own(&self, kept: &KeptEpoch, written: &[u8]) -> Result<Outcome> {
        let mut mls = self.client.mls_group(kept)?;
        let staged = mls.restore_staged(written)?;
        let changes = staged.changes().clone();
        mls.merge(staged)?;
        Ok(Outcome { mls: Some(mls), changes })
    }

    fn try_rival(&self, kept: &KeptEpoch, opened: Opened) -> Result<Result<Outcome, Ignored>> {
        let mut mls = self.client.mls_group(kept)?;
        let staged = match staged(&mut mls, opened.message)? {
            Ok(staged) => staged,
            Err(ignored) => return Ok(Err(ignored)),
        };
        let data = GroupData::of(&mls.context().extensions)?;
        policy::check(&data, mls.tree(), &staged)?;
        let changes = staged.changes().clone();
        let removes_us = staged.removes_us();
        if removes_us {
            return Ok(Ok(Outcome { mls: None, changes }));
        }
        mls.merge_remote(*staged)?;
        Ok(Ok(Outcome { mls: Some(mls), changes }))
    }

    fn go_back(&mut self, epoch: u64, commit: CommitEvent, outcome: Outcome) -> Result<Received> {
        let invalid = self.kept.messages_after(epoch);
        let kept = self.kept.at(epoch).ok_or(Error::Internal("an epoch that isn't kept"))?;
        let Some(mls) = outcome.mls else {
            // This member's last state is that of the epoch that it is removed in.
            self.mls = self.client.mls_group(kept)?;
            self.data = GroupData::of(&self.mls.context().extensions)?;
            self.staged = None;
            self.change(Entry::RolledBack(epoch));
            self.change(Entry::Ended(epoch, commit));
            return Ok(Received::Removed);
        };
        self.mls = mls;
        self.change(Entry::RolledBack(epoch));
        self.change(Entry::Ended(epoch, commit));
        self.enter()?;
        let committed =
            Committed { epoch: self.epoch(), changes: outcome.changes, rolled_back: Some(invalid) };
        Ok(Received::Commit(Box::new(committed)))
    }
}

/// Whether there is nothing to do about a commit when another one has ended its epoch.
fn compare(winner: &CommitEvent, rival: &CommitEvent) -> Option<Ignored> {
    if winner.order.id == rival.order.id || winner.content == rival.content {
        Some(Ignored::Duplicate)
    } else if winner.order < rival.order {
        Some(Ignored::Lost)
    } else {
        None
    }
}
