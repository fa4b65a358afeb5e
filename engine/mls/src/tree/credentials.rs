//! Which credential types are in use, and who has them (section 7.3), counted instead of looked up
//! leaf by leaf.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use crate::types::{CredentialType, LeafNode};

/// The credential types in use. There are few: usually one.
#[derive(Debug, Clone, Default)]
pub(super) struct CredentialsInUse(SmallVec<[InUse; 2]>);

#[derive(Debug, Clone)]
struct InUse {
    credential_type: CredentialType,
    /// How many members present one.
    users: usize,
    /// How many members have it in their capabilities.
    supporters: usize,
}

impl CredentialsInUse {
    /// Those of these members.
    pub(super) fn of<'a>(members: impl Iterator<Item = &'a LeafNode> + Clone) -> Self {
        let mut users = BTreeMap::new();
        for leaf in members.clone() {
            *users.entry(leaf.credential.credential_type()).or_insert(0) += 1;
        }
        let supporters = |credential_type| {
            let members = members.clone();
            members.filter(|leaf| leaf.capabilities.has_credential(credential_type)).count()
        };
        let in_use = users.into_iter().map(|(credential_type, users)| InUse {
            credential_type,
            users,
            supporters: supporters(credential_type),
        });
        Self(in_use.collect())
    }

    /// Counts a leaf that has come in. `members` are all, the leaf included.
    pub(super) fn add<'a>(&mut self, leaf: &LeafNode, members: impl Iterator<Item = &'a LeafNode>) {
        self.count_support(leaf, |n| n + 1);
        let credential_type = leaf.credential.credential_type();
        let mut in_use = self.0.iter_mut();
        match in_use.find(|t| t.credential_type == credential_type) {
            Some(known) => known.users += 1,
            None => self.0.push(InUse {
                credential_type,
                users: 1,
                supporters: members
                    .filter(|leaf| leaf.capabilities.has_credential(credential_type))
                    .count(),
            }),
        }
    }

    /// Counts a leaf that is gone.
    pub(super) fn remove(&mut self, leaf: &LeafNode) {
        self.count_support(leaf, |n| n.saturating_sub(1));
        let credential_type = leaf.credential.credential_type();
        let mut in_use = self.0.iter_mut();
        if let Some(known) = in_use.find(|t| t.credential_type == credential_type) {
            known.users = known.users.saturating_sub(1);
        }
        self.0.retain(|t| t.users > 0);
    }

    /// Whether all of `member_count` members have all types in use.
    pub(super) fn are_supported_by(&self, member_count: usize) -> bool {
        self.0.iter().all(|t| t.supporters == member_count)
    }

    fn count_support(&mut self, leaf: &LeafNode, step: impl Fn(usize) -> usize) {
        for known in &mut self.0 {
            if leaf.capabilities.has_credential(known.credential_type) {
                known.supporters = step(known.supporters);
            }
        }
    }
}
