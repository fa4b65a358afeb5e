//! Ratchet trees and paths (section 7).

use std::cell::RefCell;
use std::rc::Rc;

use burrow::Result;
use burrow::crypto::derive_secret;
use crypto_api::{HpkePrivateKey, Secret, Suite};
use serde_json::{Value, json};

use super::{Joiner, group_of, secret_hex};
use crate::own::forge::Source;
use crate::own::forging::{Change, Group, Made, Path, PlacedLeaf, is_above};
use crate::own::generate::hex;

/// An Add, an Update and a Remove take turns from suite to suite: a tree has the same shape on all.
pub(super) fn operations(suite: &dyn Suite, number: usize) -> Result<Value> {
    const SENDER: u32 = 1;
    let (group, members) = group_of(suite, 3)?;
    let before = group.commit(0)?.make()?.group.tree;
    let mut after = before.clone();
    let change = match number % 3 {
        0 => {
            let draft = Joiner::new(suite, b"new")?.draft;
            after.add(PlacedLeaf::new(draft.leaf.clone(), suite)?);
            Change::Add(draft)
        }
        1 => {
            let mut leaf = members[SENDER as usize].draft.leaf.clone();
            leaf.encryption_key = suite.generate_key_pair()?.public().to_vec();
            leaf.source = Source::Update;
            leaf.place = (group.group_id.clone(), SENDER);
            after.update(SENDER, PlacedLeaf::new(leaf.clone(), suite)?);
            Change::Update(SENDER, leaf)
        }
        _ => {
            after.remove(2);
            Change::Remove(2)
        }
    };
    Ok(json!({
        "cipher_suite": suite.cipher_suite().0,
        "tree_before": hex(&before.encoded(0)?),
        "proposal": hex(&change.encoded(suite)?),
        "proposal_sender": SENDER,
        "tree_hash_before": hex(&before.tree_hash(suite)?),
        "tree_after": hex(&after.encoded(0)?),
        "tree_hash_after": hex(&after.tree_hash(suite)?),
    }))
}

pub(super) fn validation(suite: &dyn Suite, _: usize) -> Result<Value> {
    let (group, _) = group_of(suite, 3)?;
    let new = Joiner::new(suite, b"new")?.draft;
    // A leaf that isn't merged into the root.
    let made = group.commit(2)?.make()?.group.commit(0)?.with(Change::Add(new)).make()?;
    let tree = &made.group.tree;
    let nodes = 0..tree.nodes.len();
    let resolutions: Vec<_> = nodes.clone().map(|node| tree.resolution(node)).collect();
    let hashes = nodes.map(|node| Ok(hex(&tree.node_hash(suite, node)?)));
    Ok(json!({
        "cipher_suite": suite.cipher_suite().0,
        "tree": hex(&tree.encoded(0)?),
        "group_id": hex(&made.group.group_id),
        "resolutions": resolutions,
        "tree_hashes": hashes.collect::<Result<Vec<_>>>()?,
    }))
}

pub(super) fn treekem(suite: &dyn Suite, _: usize) -> Result<Value> {
    const FOUNDER: u32 = 0;
    let (group, mut members) = group_of(suite, 4)?;
    let fresh = suite.generate_key_pair()?;
    let public = fresh.public().to_vec();
    let start = group.commit(FOUNDER)?.leaf(move |leaf| leaf.encryption_key = public).make()?;
    members[FOUNDER as usize].leaf_key = fresh;
    let leaves = (0..).zip(&members);
    let leaves: Vec<_> = leaves.map(|(leaf, member)| private(leaf, member, &start.path)).collect();
    let group = start.group;
    let paths = [FOUNDER, 2].map(|sender| path(suite, &group, sender, members.len()));
    Ok(json!({
        "cipher_suite": suite.cipher_suite().0,
        "group_id": hex(&group.group_id),
        // Paths are encrypted under the epoch that they lead to.
        "epoch": group.epoch + 1,
        "confirmed_transcript_hash": hex(&group.confirmed_transcript_hash),
        "ratchet_tree": hex(&group.tree.encoded(0)?),
        "leaves_private": leaves,
        "update_paths": paths.into_iter().collect::<Result<Vec<_>>>()?,
    }))
}

/// What a member has after the founder's path.
fn private(leaf: u32, member: &Joiner, path: &[Path]) -> Value {
    let known = path.iter().filter(|path| is_above(path.node, leaf));
    let known: Vec<_> = known
        .map(|path| json!({ "node": path.node, "path_secret": secret_hex(&path.path_secret) }))
        .collect();
    let key: &HpkePrivateKey = &member.leaf_key;
    json!({
        "index": leaf,
        "encryption_priv": secret_hex(key.private()),
        "signature_priv": secret_hex(member.draft.signer.private()),
        "path_secrets": known,
    })
}

fn path(suite: &dyn Suite, group: &Group<'_>, sender: u32, count: usize) -> Result<Value> {
    let content = Rc::new(RefCell::new(Vec::new()));
    let seen = Rc::clone(&content);
    let commit = group.commit(sender)?.content(move |commit| seen.borrow_mut().clone_from(commit));
    let Made { group, path, .. } = commit.make()?;
    // An empty list of proposals, and an optional<UpdatePath> that is there.
    let update_path = content.borrow().get(2..).map(hex).unwrap_or_default();
    let secrets = (0..count as u32).map(|leaf| {
        let known = path.iter().find(|path| leaf != sender && is_above(path.node, leaf));
        known.map(|path| secret_hex(&path.path_secret))
    });
    let last = path.last().map(|last| derive_secret(suite, &last.path_secret, b"path"));
    let commit_secret = last.transpose()?.unwrap_or_else(|| Secret::zero(suite.kdf_nh()));
    Ok(json!({
        "sender": sender,
        "update_path": update_path,
        "path_secrets": secrets.collect::<Vec<_>>(),
        "commit_secret": secret_hex(&commit_secret),
        "tree_hash_after": hex(&group.tree.tree_hash(suite)?),
    }))
}
