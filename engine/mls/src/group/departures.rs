//! Who, of those that a commit removes, leaves of its own accord (MLS extensions draft, SelfRemove).

use super::{
    StagedRemoteCommit,
    proposals::{Checked, Listed},
};
use crate::types::LeafIndex;

impl StagedRemoteCommit {
    /// Of the leaves in [`super::Changes::removed`], those whose own SelfRemove the commit has in it.
    /// An application that lets some members commit nothing but that asks this.
    #[must_use]
    pub fn self_removed(&self) -> &[LeafIndex] {
        &self.self_removed
    }
}

pub(super) fn self_removed(list: &[Listed]) -> Vec<LeafIndex> {
    let leaving = list.iter().filter_map(|listed| match listed.checked {
        Checked::SelfRemove(leaf) => Some(leaf),
        _ => None,
    });
    leaving.collect()
}
