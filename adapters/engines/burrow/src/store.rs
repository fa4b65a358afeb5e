//! Where a client's state goes at the layers that keep it.
//!
//! burrow writes to no store; it hands out what an application has to keep and says when. These are
//! the stores of such an application: what an operation changed is one list of [`Entry`]s, kept as
//! a whole or not at all.

mod memory;
#[cfg(feature = "sqlite")]
mod sqlite;

pub(crate) use memory::Memory;
#[cfg(feature = "sqlite")]
pub(crate) use sqlite::Sqlite;

use burrow::group::KeyUse;
use engine_api::{EngineError, GroupId, Layer};
use zeroize::Zeroizing;

pub(crate) type Secrets = Zeroizing<Vec<u8>>;

/// One client's store.
pub(crate) trait Store: Sized + 'static {
    const LAYER: Layer;
    /// As [`Description::storage`](engine_api::Description::storage) says it.
    const STORAGE: &'static str;

    /// An empty store.
    fn open() -> Result<Self, EngineError>;

    /// An independent copy.
    fn copied(&self) -> Result<Self, EngineError>;

    /// Keeps all of these, or none.
    fn keep(&mut self, entries: &[Entry]) -> Result<(), EngineError>;

    /// All that was kept.
    fn contents(&self) -> Result<Contents, EngineError>;
}

/// Something that an operation changed.
pub(crate) enum Entry {
    /// The client's credential and signature key.
    Identity(Secrets),
    /// A key package by reference, with its private keys.
    KeyPackage(Vec<u8>, Secrets),
    /// A key package that was used.
    KeyPackageUsed(Vec<u8>),
    /// All of a group, which takes the place of what was kept of it: the group, the keys used since,
    /// and the staged commit.
    Group(GroupId, Secrets),
    /// A key that a message of the group's took. No secret.
    KeyUse(GroupId, Vec<u8>),
    /// The group's staged commit and its number.
    Staged(GroupId, u64, Secrets),
    /// A staged commit that was discarded.
    Unstaged(GroupId),
    /// A group that the client isn't in any more.
    Left(GroupId),
}

impl Entry {
    /// How many bytes of a group it has.
    pub(crate) fn group_bytes(&self) -> usize {
        match self {
            Self::Group(_, value) | Self::Staged(_, _, value) => value.len(),
            Self::KeyUse(_, record) => record.len(),
            Self::Identity(_)
            | Self::KeyPackage(..)
            | Self::KeyPackageUsed(_)
            | Self::Unstaged(_)
            | Self::Left(_) => 0,
        }
    }
}

/// What a client is made of again.
#[derive(Default)]
pub(crate) struct Contents {
    pub(crate) identity: Secrets,
    pub(crate) key_packages: Vec<(Vec<u8>, Secrets)>,
    pub(crate) groups: Vec<Kept>,
}

/// A group as kept.
pub(crate) struct Kept {
    pub(crate) id: GroupId,
    pub(crate) group: Secrets,
    /// The keys used since the group was written, in order.
    pub(crate) uses: Vec<KeyUse>,
    pub(crate) staged: Option<(u64, Secrets)>,
}
