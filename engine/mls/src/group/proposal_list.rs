//! Lists of proposals: whether they are valid (section 12.2) and what they do (section 12.3).

use std::collections::{BTreeSet, HashSet};

use smallvec::SmallVec;

use super::{
    app_data,
    proposals::{Checked, Listed, View},
    rules,
    transition::SentCustomProposal,
};
use crate::{
    Error, Result,
    tree::{GroupRequirements, RatchetTree},
    types::{
        Extensions, LeafIndex, LeafNode, PreSharedKeyId, Psk, ReInit, RequiredCapabilities,
        ResumptionPskUsage, VerifiedKeyPackage,
    },
};

/// Who commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Committer {
    Member(LeafIndex),
    /// One who joins by it.
    New,
}

/// What a list has done to the tree, and what is left to be done.
#[derive(Debug)]
pub(super) struct Applied {
    pub(super) tree: RatchetTree,
    pub(super) extensions: Extensions,
    pub(super) are_extensions_new: bool,
    requirements: GroupRequirements,
    pub(super) added: Vec<(LeafIndex, VerifiedKeyPackage)>,
    pub(super) updated: Vec<LeafIndex>,
    pub(super) removed: Vec<LeafIndex>,
    /// The leaf that an external committer replaces.
    pub(super) replaced: Option<LeafNode>,
    pub(super) psks: Vec<PreSharedKeyId>,
    pub(super) external_init: Option<Vec<u8>>,
    pub(super) reinit: Option<ReInit>,
    pub(super) custom: Vec<SentCustomProposal>,
    pub(super) is_path_required: bool,
}

impl Applied {
    /// The leaves that Adds made, in ascending order.
    pub(super) fn added_leaves(&self) -> Vec<LeafIndex> {
        let mut added: Vec<_> = self.added.iter().map(|(leaf, _)| *leaf).collect();
        added.sort_unstable();
        added
    }
}

/// Checks a list and applies it to a copy of the tree. `successor` is the usage of the resumption PSK
/// that the first commit of a branch or of a reinitialised group has.
pub(super) fn apply(
    view: &View<'_>,
    list: &[Listed],
    committer: Committer,
    successor: Option<ResumptionPskUsage>,
) -> Result<Applied> {
    match committer {
        Committer::Member(leaf) => check_regular(list, leaf)?,
        Committer::New => check_external(list)?,
    }
    check_psks(list, successor)?;
    check_types(view, list)?;
    app_data::check_list(view, list)?;
    apply_unchecked(view, list, committer)
}

/// Applies a list in the order of section 12.3, whatever it asks for.
pub(super) fn apply_unchecked(
    view: &View<'_>,
    list: &[Listed],
    committer: Committer,
) -> Result<Applied> {
    let new_extensions = list.iter().find_map(|listed| match &listed.checked {
        Checked::Extensions(extensions) => Some(extensions.clone()),
        _ => None,
    });
    let mut are_extensions_new = new_extensions.is_some();
    let mut extensions = new_extensions.unwrap_or_else(|| view.context.extensions.clone());
    // They come last, and change nothing that the others look at.
    are_extensions_new |= app_data::apply(view, list, &mut extensions)?;
    let mut applied = Applied {
        tree: view.tree.clone(),
        requirements: GroupRequirements::new(&extensions)?,
        extensions,
        are_extensions_new,
        added: Vec::new(),
        updated: Vec::new(),
        removed: Vec::new(),
        replaced: None,
        psks: Vec::new(),
        external_init: None,
        reinit: None,
        custom: Vec::new(),
        is_path_required: list.is_empty() || list.iter().any(|listed| listed.is_path_required),
    };
    applied.apply_updates(list)?;
    applied.apply_removes(list, committer)?;
    applied.apply_others(list)?;
    Ok(applied)
}

impl Applied {
    fn apply_updates(&mut self, list: &[Listed]) -> Result<()> {
        for listed in list {
            if let Checked::Update(leaf, leaf_node) = &listed.checked {
                self.tree.update_leaf(*leaf, leaf_node.clone())?;
                self.updated.push(*leaf);
            }
        }
        Ok(())
    }

    /// SelfRemoves come before Removes; since no leaf is in both, that makes no difference.
    fn apply_removes(&mut self, list: &[Listed], committer: Committer) -> Result<()> {
        for listed in list {
            match &listed.checked {
                Checked::SelfRemove(leaf) => {
                    self.tree.remove_leaf(*leaf)?;
                    self.removed.push(*leaf);
                }
                Checked::Remove(leaf) => {
                    let removed = self.tree.remove_leaf(*leaf)?;
                    self.removed.push(*leaf);
                    if committer == Committer::New {
                        self.replaced = Some(removed);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn apply_others(&mut self, list: &[Listed]) -> Result<()> {
        for listed in list {
            match &listed.checked {
                Checked::Add(key_package) => {
                    let leaf = self.tree.add_leaf(key_package.leaf())?;
                    self.added.push((leaf, key_package.clone()));
                }
                Checked::Psk(psk) => self.psks.push(psk.clone()),
                Checked::ExternalInit(kem_output) => {
                    self.external_init = Some(kem_output.clone());
                }
                Checked::ReInit(reinit) => self.reinit = Some(reinit.clone()),
                Checked::Custom(sender, custom) => {
                    let (sender, proposal) = (*sender, custom.clone());
                    self.custom.push(SentCustomProposal { sender, proposal });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Checks what section 12.2 asks of the tree that comes out, its path included: `path_leaf` is
    /// the leaf of the committer, if there is a path. What didn't change was valid before.
    pub(super) fn check_tree(&self, view: &View<'_>, path_leaf: Option<LeafIndex>) -> Result<()> {
        let added = self.added.iter().map(|(leaf, _)| *leaf);
        let changed: SmallVec<[_; 4]> =
            added.chain(self.updated.iter().copied()).chain(path_leaf).collect();
        for leaf in &changed {
            self.tree.check_leaf(*leaf, &self.requirements)?;
        }
        if !changed.is_empty() {
            self.tree.check_credentials()?;
        }
        if self.are_extensions_new && self.asks_for_more(view)? {
            for (_, leaf) in self.tree.members() {
                self.requirements.check(&leaf.capabilities)?;
            }
        }
        self.check_clients(view, path_leaf)
    }

    /// Checks the new leaf of a member who commits, and what it may say for the first time, after
    /// [`Self::check_tree`].
    pub(super) fn check_committer(&self, view: &View<'_>, leaf: LeafIndex) -> Result<()> {
        self.tree.check_leaf(leaf, &self.requirements)?;
        self.tree.check_credentials()?;
        let (old, new) = (view.tree.leaf(leaf), self.tree.leaf(leaf));
        match (old, new) {
            (Some(old), Some(new)) => rules::check_replacement(view.application, old, new),
            _ => Err(Error::Internal("our own leaf is blank")),
        }
    }

    /// Whether the new extensions ask something of the members that the old ones didn't.
    fn asks_for_more(&self, view: &View<'_>) -> Result<bool> {
        let old = &view.context.extensions;
        let is_new_type = self.extensions.types().any(|t| old.data(t).is_none());
        let required: Option<RequiredCapabilities> = self.extensions.find()?;
        Ok(is_new_type || required != old.find()?)
    }

    /// Section 12.2: no client that comes in is there already, nor twice, by the application's own
    /// names. By signature keys [`RatchetTree::check_leaf`] has seen to it.
    fn check_clients(&self, view: &View<'_>, path_leaf: Option<LeafIndex>) -> Result<()> {
        let joins = path_leaf.filter(|_| self.external_init.is_some());
        let new: BTreeSet<_> = self.added.iter().map(|(leaf, _)| *leaf).chain(joins).collect();
        let name = |leaf: &LeafNode| view.application.client_name(leaf);
        let mut names = HashSet::new();
        for leaf in new.iter().filter_map(|leaf| self.tree.leaf(*leaf)) {
            if let Some(name) = name(leaf)
                && !names.insert(name)
            {
                return Err(CLIENT_TWICE);
            }
        }
        if names.is_empty() {
            return Ok(());
        }
        let mut old = self.tree.members().filter(|(leaf, _)| !new.contains(leaf));
        if old.any(|(_, leaf)| name(leaf).is_some_and(|name| names.contains(&name))) {
            return Err(CLIENT_TWICE);
        }
        Ok(())
    }
}

const CLIENT_TWICE: Error =
    Error::Peer(crate::PeerError::Invalid("12.2: a client is in the group twice"));

/// A list of a member's (section 12.2).
fn check_regular(list: &[Listed], committer: LeafIndex) -> Result<()> {
    let mut touched = BTreeSet::new();
    let mut has_extensions = false;
    for listed in list {
        match &listed.checked {
            Checked::Update(leaf, _) if *leaf == committer => {
                return Err(Error::invalid("12.2: an Update of the committer's"));
            }
            Checked::Remove(leaf) | Checked::SelfRemove(leaf) if *leaf == committer => {
                return Err(Error::invalid("12.2: the committer is removed"));
            }
            Checked::Update(leaf, _) | Checked::Remove(leaf) | Checked::SelfRemove(leaf) => {
                if !touched.insert(*leaf) {
                    return Err(Error::invalid("12.2: more than one Update or Remove for a leaf"));
                }
            }
            Checked::Extensions(_) => {
                if std::mem::replace(&mut has_extensions, true) {
                    return Err(Error::invalid("12.2: more than one GroupContextExtensions"));
                }
            }
            Checked::ReInit(_) if list.len() > 1 => {
                return Err(Error::invalid("12.2: a ReInit with other proposals"));
            }
            Checked::ExternalInit(_) => {
                return Err(Error::invalid("12.2: an ExternalInit in a commit of a member"));
            }
            Checked::Add(_)
            | Checked::Psk(_)
            | Checked::ReInit(_)
            | Checked::AppDataUpdate(_)
            | Checked::Custom(..) => {}
        }
    }
    Ok(())
}

/// A list of an external committer's (section 12.2 and, of SelfRemove, the extensions draft).
fn check_external(list: &[Listed]) -> Result<()> {
    let mut init_count = 0;
    let mut remove_count = 0;
    let mut touched = BTreeSet::new();
    for listed in list {
        match (&listed.checked, listed.by_reference) {
            (Checked::SelfRemove(leaf), true) => {
                if !touched.insert(*leaf) {
                    return Err(Error::invalid("12.2: more than one Remove for a leaf"));
                }
            }
            (_, true) => {
                return Err(Error::invalid(
                    "12.4.3.2: a proposal by reference in an external commit",
                ));
            }
            (Checked::ExternalInit(_), _) => init_count += 1,
            (Checked::Remove(leaf), _) => {
                remove_count += 1;
                if !touched.insert(*leaf) {
                    return Err(Error::invalid("12.2: more than one Remove for a leaf"));
                }
            }
            (Checked::Psk(_) | Checked::AppDataUpdate(_), _) => {}
            _ => {
                return Err(Error::invalid(
                    "12.2: a proposal that an external commit may not have",
                ));
            }
        }
    }
    if init_count != 1 || remove_count > 1 {
        return Err(Error::invalid(
            "12.2: an external commit has one ExternalInit and at most one Remove",
        ));
    }
    Ok(())
}

/// Sections 12.1.4 and 12.2. The lengths of nonces were checked before.
fn check_psks(list: &[Listed], successor: Option<ResumptionPskUsage>) -> Result<()> {
    let mut seen = HashSet::new();
    for listed in list {
        let Checked::Psk(id) = &listed.checked else {
            continue;
        };
        let is_usage_allowed = match &id.psk {
            Psk::External { .. } => true,
            Psk::Resumption { usage, .. } => {
                *usage == ResumptionPskUsage::Application || Some(*usage) == successor
            }
        };
        if !is_usage_allowed {
            return Err(Error::invalid(
                "12.1.4: a resumption PSK for a branch or a reinitialisation that is none",
            ));
        }
        if !seen.insert(id) {
            return Err(Error::invalid("12.2: a PreSharedKeyID twice"));
        }
    }
    Ok(())
}

/// Section 12.2: who processes a proposal has to support its type.
fn check_types(view: &View<'_>, list: &[Listed]) -> Result<()> {
    let special = list.iter().filter_map(|listed| listed.checked.special_type());
    let special: BTreeSet<_> = special.collect();
    if special.iter().all(|special| view.tree.all_have_proposal(*special)) {
        return Ok(());
    }
    let removed: BTreeSet<_> = list
        .iter()
        .filter_map(|listed| match &listed.checked {
            Checked::SelfRemove(leaf) | Checked::Remove(leaf) => Some(*leaf),
            _ => None,
        })
        .collect();
    let mut members = view.tree.members().filter(|(leaf, _)| !removed.contains(leaf));
    if members.all(|(_, leaf)| special.iter().all(|t| leaf.capabilities.has_proposal(*t))) {
        Ok(())
    } else {
        Err(Error::invalid("12.2: a proposal of a type that a member doesn't support"))
    }
}
