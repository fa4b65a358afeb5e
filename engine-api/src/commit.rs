//! Commits before they take effect: publish-before-apply, in the types.
//!
//! ```text
//! stage_commit ──> StagedCommit ──published()──> PublishedCommit ──merge_staged──> new epoch
//!                       │    ^                        │
//!        discard_staged │    └──────refused()─────────┘
//!                       v
//!                   old epoch
//! ```

use std::sync::Arc;

use crate::{CommitBytes, Epoch, GroupId, KeyPackageBytes, Member, Welcomes};

/// What a commit is to change.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Change<'a> {
    /// Add the clients that published these key packages.
    Add(&'a [KeyPackageBytes]),
    /// Remove these members, as [`members`](crate::CgkaEngine::members) listed them.
    Remove(&'a [Member]),
    /// Nothing but fresh keys for the committer (an empty commit with a path, or an Update).
    Update,
    /// Give the group another name, where the engine has one to give
    /// ([`Capabilities::rename`](crate::Capabilities::rename)).
    Rename(&'a str),
}

/// A commit that its author has built and nobody has seen.
///
/// It isn't `Clone`, and [`merge_staged`](crate::CgkaEngine::merge_staged) doesn't take it: the
/// way there is to publish its bytes and to say so with [`published`](Self::published).
#[derive(Debug)]
#[must_use = "a staged commit is to be published and merged, or discarded"]
pub struct StagedCommit {
    group: GroupId,
    base: Epoch,
    stage: u64,
    publication: Arc<Publication>,
}

/// What a commit's author sends out.
#[derive(Debug)]
pub struct Publication {
    /// For the group's members.
    pub commit: CommitBytes,
    /// For the added clients, once the commit is out.
    pub welcomes: Welcomes,
}

impl StagedCommit {
    /// For implementers: `stage` is any number by which the client knows this commit again.
    pub fn new(
        group: GroupId,
        base: Epoch,
        stage: u64,
        commit: CommitBytes,
        welcomes: Welcomes,
    ) -> Self {
        Self { group, base, stage, publication: Arc::new(Publication { commit, welcomes }) }
    }

    /// The group that it belongs to.
    #[must_use]
    pub fn group(&self) -> &GroupId {
        &self.group
    }

    /// The epoch that it was built on; merging it enters the next one.
    #[must_use]
    pub fn base(&self) -> Epoch {
        self.base
    }

    /// The implementer's number.
    #[must_use]
    pub fn stage(&self) -> u64 {
        self.stage
    }

    /// What to publish to the group.
    #[must_use]
    pub fn commit(&self) -> &CommitBytes {
        &self.publication.commit
    }

    /// What to send to the added clients, once the commit is published.
    #[must_use]
    pub fn welcomes(&self) -> &Welcomes {
        &self.publication.welcomes
    }

    /// Both, as a handle that outlives the merge.
    #[must_use]
    pub fn publication(&self) -> Arc<Publication> {
        Arc::clone(&self.publication)
    }

    /// Says that the commit is out: the delivery service took it.
    pub fn published(self) -> PublishedCommit {
        PublishedCommit(self)
    }
}

/// A commit that its author has published and may now merge.
#[derive(Debug)]
#[must_use = "a published commit is to be merged, or handed back as refused"]
pub struct PublishedCommit(StagedCommit);

impl PublishedCommit {
    /// The commit.
    pub fn staged(&self) -> &StagedCommit {
        &self.0
    }

    /// Says that the delivery service took it back, or another commit won the epoch.
    pub fn refused(self) -> StagedCommit {
        self.0
    }
}
