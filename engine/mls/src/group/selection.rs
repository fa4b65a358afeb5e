//! Which of the proposals of an epoch a commit takes (section 12.2).

use std::collections::{BTreeMap, HashSet};

use super::{
    Group,
    proposals::{CachedProposal, Checked},
    rules,
};
use crate::{
    Result,
    types::{LeafIndex, Proposal},
};

/// How many tries [`best_of`] has for lists of more than one.
const TRIES: usize = 64;

/// What `attempt` makes of as many of the candidates as can go together. If they can't all, each is
/// tried alone; then those that can be committed alone are put together, by halves, and then the
/// others, which may need one of those. That takes at most [`TRIES`] tries: what is undecided by
/// then is left out, to be proposed again or to be committed by name.
pub(super) fn best_of<T>(
    candidates: Vec<Vec<u8>>,
    mut attempt: impl FnMut(&[Vec<u8>]) -> Result<T>,
) -> Result<T> {
    let first = attempt(&candidates);
    if first.is_ok() || candidates.is_empty() {
        return first;
    }
    let mut best = attempt(&[])?;
    let (alone, others): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|one| attempt(std::slice::from_ref(one)).is_ok());
    let mut chosen = Vec::new();
    let mut blocks = vec![others.as_slice(), alone.as_slice()];
    for _ in 0..TRIES {
        let Some(block) = blocks.pop() else { break };
        let kept = chosen.len();
        chosen.extend_from_slice(block);
        match attempt(&chosen) {
            Ok(better) => best = better,
            Err(_) => {
                chosen.truncate(kept);
                if block.len() > 1 {
                    let (first, second) = block.split_at(block.len() / 2);
                    blocks.extend([second, first]);
                }
            }
        }
    }
    Ok(best)
}

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
            Checked::Psk(_)
            | Checked::ReInit(_)
            | Checked::AppDataUpdate(_)
            | Checked::Custom(..) => true,
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

#[cfg(test)]
mod tests {
    use super::{TRIES, best_of};
    use crate::CallerError;

    /// Of 1000, every other one bad: all good ones are found, and the tries are bounded.
    #[test]
    fn good_and_bad_in_turn() {
        let candidates: Vec<_> = (0..1000_u16).map(|at| at.to_be_bytes().to_vec()).collect();
        let is_good = |one: &Vec<u8>| one[1].is_multiple_of(2);
        let mut tries = 0;
        let best = best_of(candidates.clone(), |list| {
            tries += 1;
            let is_valid = list.iter().all(is_good);
            if is_valid { Ok(list.to_vec()) } else { Err(CallerError::Invalid("bad").into()) }
        });
        let good: Vec<_> = candidates.iter().filter(|one| is_good(one)).cloned().collect();
        assert_eq!(best.unwrap(), good);
        assert!(tries <= candidates.len() + TRIES + 2, "{tries}");
    }

    /// One that can't be committed alone is committed with the one that it needs.
    #[test]
    fn one_that_needs_another() {
        let candidates = vec![vec![0], vec![1], vec![2]];
        let best = best_of(candidates, |list| {
            let has = |one: u8| list.contains(&vec![one]);
            let is_valid = !has(1) && (!has(0) || has(2));
            if is_valid { Ok(list.to_vec()) } else { Err(CallerError::Invalid("bad").into()) }
        });
        assert_eq!(best.unwrap(), [vec![2], vec![0]]);
    }
}
