//! Who may commit what (MIP-03).

use std::collections::BTreeSet;

use burrow::{
    group::{Changes, StagedRemoteCommit},
    tree::RatchetTree,
};

use crate::{PeerError, Result, group_data::GroupData, keys::PublicKey};

/// Whether another's commit is one that its author may make.
///
/// An admin may make any that leaves an admin among the members. Everybody may commit fresh keys for
/// their own leaf and nothing else, or the SelfRemoves of others and nothing else. mdk-core 0.8.0 has
/// the same rules: what one member accepts, all have to.
pub(crate) fn check(
    data: &GroupData,
    tree: &RatchetTree,
    staged: &StagedRemoteCommit,
) -> Result<()> {
    let changes = staged.changes();
    if changes.joins {
        return Err(PeerError::ExternalCommit.into());
    }
    let committer = tree.leaf(changes.committer);
    let committer = committer.and_then(|leaf| PublicKey::of_credential(&leaf.credential));
    let is_admin = committer.is_some_and(|committer| data.is_admin(&committer));
    if !is_admin && is_self_update(changes) {
        return Ok(());
    }
    if !is_admin && !is_departures_only(changes, staged) {
        return Err(PeerError::NotAdmin.into());
    }
    let new_data = changes.extensions.as_ref().map(GroupData::of).transpose()?;
    let admins = &new_data.as_ref().unwrap_or(data).admins;
    let is_there_an_admin = match staged.tree() {
        Some(new_tree) => !accounts(new_tree).is_disjoint(admins),
        // It removes us, so that we don't see whom it adds; those who stay are known.
        None => {
            let stay = tree.members().filter(|(leaf, _)| !changes.removed.contains(leaf));
            let mut stay = stay.filter_map(|(_, node)| PublicKey::of_credential(&node.credential));
            !changes.added.is_empty() || stay.any(|account| admins.contains(&account))
        }
    };
    if is_there_an_admin { Ok(()) } else { Err(PeerError::NoAdminLeft.into()) }
}

/// The accounts of a tree's members: one may have several leaves.
pub(crate) fn accounts(tree: &RatchetTree) -> BTreeSet<PublicKey> {
    let leaves = tree.members();
    leaves.filter_map(|(_, leaf)| PublicKey::of_credential(&leaf.credential)).collect()
}

fn is_self_update(changes: &Changes) -> bool {
    changes.has_path && changes.removed.is_empty() && changes_nothing_else(changes)
}

fn is_departures_only(changes: &Changes, staged: &StagedRemoteCommit) -> bool {
    !changes.removed.is_empty()
        && changes.removed.iter().all(|leaf| staged.self_removed().contains(leaf))
        && changes_nothing_else(changes)
}

fn changes_nothing_else(changes: &Changes) -> bool {
    changes.added.is_empty()
        && changes.updated.is_empty()
        && changes.extensions.is_none()
        && changes.psks.is_empty()
        && changes.reinit.is_none()
        && changes.custom.is_empty()
}
