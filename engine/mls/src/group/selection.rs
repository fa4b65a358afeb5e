//! Which of the proposals of an epoch a commit takes (section 12.2).

use std::collections::{BTreeMap, HashSet};

use super::{
    Group,
    proposals::{CachedProposal, Checked},
    rules,
};
use crate::types::{LeafIndex, Proposal};

/// Of the proposals of the epoch, those that can be committed together, by this member and with
/// `by_value`: section 12.2 says which to prefer. A ReInit comes last, as the only one.
pub(super) fn select(group: &Group, by_value: &[Proposal]) -> Vec<Vec<u8>> {
    let mut selection = Selection::new(group, by_value);
    let mut selected: Vec<_> = group
        .proposals
        .iter()
        .enumerate()
        .filter(|(place, cached)| selection.takes(*place, cached))
        .map(|(_, cached)| cached)
        .collect();
    let is_reinit = |cached: &&CachedProposal| matches!(cached.checked(), Checked::ReInit(_));
    if selected.len() > 1 || !by_value.is_empty() {
        let first = selected.first().copied().filter(is_reinit);
        selected.retain(|cached| !is_reinit(cached));
        if selected.is_empty() && by_value.is_empty() {
            selected.extend(first);
        }
    }
    let references = selected.into_iter();
    references.map(|cached| cached.reference.as_slice().to_vec()).collect()
}

struct Selection<'a> {
    group: &'a Group,
    /// For each leaf, the proposal that is to count.
    by_leaf: BTreeMap<LeafIndex, Choice>,
    signature_keys: HashSet<Vec<u8>>,
    has_extensions: bool,
}

/// What happens to a leaf, the stronger the greater; of two Updates the later one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Choice {
    Update(usize),
    /// Negated, so that the first one counts.
    Remove(i64),
    SelfRemove(i64),
    ByValue,
}

impl<'a> Selection<'a> {
    fn new(group: &'a Group, by_value: &[Proposal]) -> Self {
        let mut by_leaf = BTreeMap::new();
        let mut signature_keys = HashSet::new();
        let mut has_extensions = false;
        for proposal in by_value {
            match proposal {
                Proposal::Remove(leaf) => {
                    by_leaf.insert(*leaf, Choice::ByValue);
                }
                Proposal::Add(key_package) => {
                    let key = key_package.leaf_node.signature_key.as_slice();
                    signature_keys.insert(key.to_vec());
                }
                Proposal::GroupContextExtensions(_) => has_extensions = true,
                _ => {}
            }
        }
        for (place, cached) in group.proposals.iter().enumerate() {
            if let Some((leaf, choice)) = choice(place, cached.checked()) {
                let best = by_leaf.entry(leaf).or_insert(choice);
                *best = choice.max(*best);
            }
        }
        Self { group, by_leaf, signature_keys, has_extensions }
    }

    fn takes(&mut self, place: usize, cached: &CachedProposal) -> bool {
        match cached.checked() {
            Checked::Update(..) | Checked::Remove(_) | Checked::SelfRemove(_) => {
                choice(place, cached.checked()).is_some_and(|(leaf, choice)| {
                    leaf != self.group.own_leaf() && self.by_leaf.get(&leaf) == Some(&choice)
                })
            }
            Checked::Add(key_package) => {
                let key = &key_package.leaf_node.signature_key;
                let member = self.group.epoch.tree.member_with_signature_key(key);
                let is_free = member.is_none_or(|leaf| self.is_removed(leaf));
                let application = self.group.client.application();
                let is_valid =
                    rules::check_leaf_lifetime(application, &key_package.leaf_node).is_ok();
                is_free && is_valid && self.signature_keys.insert(key.as_slice().to_vec())
            }
            Checked::Extensions(_) => !std::mem::replace(&mut self.has_extensions, true),
            Checked::Psk(_) | Checked::ReInit(_) => true,
            Checked::ExternalInit(_) => false,
        }
    }

    fn is_removed(&self, leaf: LeafIndex) -> bool {
        let choice = self.by_leaf.get(&leaf);
        leaf != self.group.own_leaf() && choice.is_some_and(|c| !matches!(c, Choice::Update(_)))
    }
}

fn choice(place: usize, checked: &Checked) -> Option<(LeafIndex, Choice)> {
    let first = -(place as i64);
    match checked {
        Checked::Update(leaf, _) => Some((*leaf, Choice::Update(place))),
        Checked::Remove(leaf) => Some((*leaf, Choice::Remove(first))),
        Checked::SelfRemove(leaf) => Some((*leaf, Choice::SelfRemove(first))),
        _ => None,
    }
}
