//! What a group is made of, seen from outside.

use std::fmt;

use crate::{CommitBytes, GroupId, Identity, WelcomeBytes};

/// The number of commits applied since the group was founded (RFC 9420 section 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(pub u64);

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A leaf's place in the ratchet tree, counted over leaves only, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeafIndex(pub u32);

impl fmt::Display for LeafIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One member, with both things that an engine may want to know it by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Where it sits.
    pub leaf: LeafIndex,
    /// Who it says it is.
    pub identity: Identity,
}

/// What [`create_group`](crate::CgkaEngine::create_group) made.
#[derive(Clone, Debug)]
pub struct Founded {
    /// The new group.
    pub group: GroupId,
    /// What the invitees get.
    pub welcomes: Welcomes,
    /// Commits that the engine wants published for the founding, in order. Usually none: until
    /// the invitees join nobody else is there to read them.
    pub published_commits: Vec<CommitBytes>,
}

/// The Welcomes that go with a commit.
#[derive(Clone, Debug)]
pub enum Welcomes {
    /// Nobody was added.
    None,
    /// One message, which every invitee gets.
    Shared(WelcomeBytes),
    /// One message per invitee, in the order of the key packages.
    PerInvitee(Vec<WelcomeBytes>),
}

impl Welcomes {
    /// The message for the invitee whose key package was `index`-th. A shared one is everybody's:
    /// there is no telling here how many were invited.
    #[must_use]
    pub fn for_invitee(&self, index: usize) -> Option<&WelcomeBytes> {
        match self {
            Self::None => None,
            Self::Shared(welcome) => Some(welcome),
            Self::PerInvitee(welcomes) => welcomes.get(index),
        }
    }

    /// Bytes that the committer uploads: a shared Welcome counts once.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Shared(welcome) => welcome.len(),
            Self::PerInvitee(welcomes) => welcomes.iter().map(WelcomeBytes::len).sum(),
        }
    }
}

/// Sizes of a group's public state, in bytes as sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EncodedSizes {
    /// The ratchet tree as sent to a joiner; `None` in a protocol that has none.
    pub ratchet_tree: Option<usize>,
    /// What the client would write to persist this group now; `None` where the engine can't say.
    pub stored_state: Option<usize>,
}
