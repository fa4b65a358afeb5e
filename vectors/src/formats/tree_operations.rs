//! `tree-operations.json`: one proposal applied to a tree.

use burrow::codec::{Decode, Encode};
use burrow::tree::{RatchetTree, UnverifiedRatchetTree};
use burrow::types::{LeafIndex, Proposal, VerifiedLeafNode};
use serde::Deserialize;
use serde_json::Value;

use crate::files::Unnoticed;
use crate::hex::Hex;
use crate::run::Bench;
use crate::{Stop, Tally};

pub(crate) const UNNOTICED: &[Unnoticed] = &[Unnoticed {
    field: "proposal_sender",
    why: "who sends an Add or a Remove makes no difference to the tree",
}];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    #[serde(rename = "cipher_suite")]
    _cipher_suite: u16,
    tree_before: Hex,
    proposal: Hex,
    proposal_sender: u32,
    tree_hash_before: Hex,
    tree_after: Hex,
    tree_hash_after: Hex,
}

pub(crate) fn check(bench: &Bench<'_>, case: &Value, tally: &mut Tally) -> Result<(), Stop> {
    let (suite, case): (_, Case) = (bench.suite, super::read(case, tally)?);
    let unverified = UnverifiedRatchetTree::decode_exact(&case.tree_before.0);
    let unverified = tally.step("tree_before", unverified)?;
    // The file doesn't say the group's id, which the leaves' signatures cover.
    let before = unverified.trust();
    compare("before", bench, &before, (&case.tree_before, &case.tree_hash_before), tally)?;
    // Cached hashes have to be forgotten, and a clone must not notice.
    let mut tree = before.clone();
    tally.step("tree_hash_before", tree.tree_hash(suite))?;
    apply(&mut tree, &case.proposal.0, LeafIndex(case.proposal_sender), tally)?;
    compare("after", bench, &tree, (&case.tree_after, &case.tree_hash_after), tally)?;
    compare("still before", bench, &before, (&case.tree_before, &case.tree_hash_before), tally)
}

fn compare(
    when: &str,
    bench: &Bench<'_>,
    tree: &RatchetTree,
    (encoded, hash): (&Hex, &Hex),
    tally: &mut Tally,
) -> Result<(), Stop> {
    tally.place(when);
    let bytes = tally.step("tree", tree.to_bytes())?;
    tally.equal("tree", bytes, &encoded.0);
    let ours = tally.step("tree_hash", tree.tree_hash(bench.suite))?;
    tally.equal("tree_hash", ours, &hash.0);
    Ok(())
}

fn apply(
    tree: &mut RatchetTree,
    proposal: &[u8],
    sender: LeafIndex,
    tally: &mut Tally,
) -> Result<(), Stop> {
    match tally.step("proposal", Proposal::decode_exact(proposal))? {
        Proposal::Add(key_package) => {
            let leaf = VerifiedLeafNode::trusted(key_package.leaf_node.clone());
            tally.step("Add", tree.add_leaf(leaf)).map(drop)
        }
        Proposal::Update(leaf) => {
            let updated = tree.update_leaf(sender, VerifiedLeafNode::trusted(leaf));
            tally.step("Update", updated).map(drop)
        }
        Proposal::Remove(removed) => tally.step("Remove", tree.remove_leaf(removed)).map(drop),
        _ => tally.some("an Add, Update or Remove", None),
    }
}
