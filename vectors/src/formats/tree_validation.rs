//! `tree-validation.json`: resolutions, tree hashes, parent hashes and signatures.

use burrow::codec::{Decode, Encode};
use burrow::tree::{GroupRequirements, NodeIndex, UnverifiedRatchetTree};
use serde::Deserialize;
use serde_json::Value;

use crate::hex::Hex;
use crate::run::Bench;
use crate::{Stop, Tally};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    #[serde(rename = "cipher_suite")]
    _cipher_suite: u16,
    tree: Hex,
    group_id: Hex,
    resolutions: Vec<Vec<u32>>,
    tree_hashes: Vec<Hex>,
}

pub(crate) fn check(bench: &Bench<'_>, case: &Value, tally: &mut Tally) -> Result<(), Stop> {
    let (suite, case): (_, Case) = (bench.suite, super::read(case, tally)?);
    let tree = tally.step("tree", UnverifiedRatchetTree::decode_exact(&case.tree.0))?;
    let encoded = tally.step("tree", tree.to_bytes())?;
    tally.equal("tree", encoded, &case.tree.0);
    tally.same("resolutions", tree.node_count() as usize, case.resolutions.len());
    tally.same("tree_hashes", tree.node_count() as usize, case.tree_hashes.len());
    for (node, resolution) in (0..).map(NodeIndex).zip(&case.resolutions) {
        tally.place(format_args!("node {}", node.0));
        let ours: Vec<_> = tree.resolution(node).iter().map(|node| node.0).collect();
        tally.same("resolution", &ours, resolution);
    }
    for (node, hash) in (0..).map(NodeIndex).zip(&case.tree_hashes) {
        tally.place(format_args!("node {}", node.0));
        let ours = tally.step("tree_hash", tree.node_tree_hash(suite, node))?;
        tally.equal("tree_hash", ours, &hash.0);
    }

    // Parent hashes and signatures, and all else that joining asks for.
    tally.place("the whole tree");
    let root = tally.step("tree_hash", tree.tree_hash(suite))?;
    let requirements = GroupRequirements::default();
    // Every one of these trees has a leaf whose signature covers the group's id.
    let other_group = tree.clone().verify(suite, b"another group", &requirements);
    tally.refused("the tree in another group", other_group);
    let verified = tree.verify(suite, &case.group_id.0, &requirements);
    let tree = tally.must("validation", verified)?;
    let hash = tally.step("tree_hash", tree.tree_hash(suite))?;
    tally.equal("tree_hash", hash, root);
    let encoded = tally.step("tree", tree.to_bytes())?;
    tally.equal("tree", encoded, &case.tree.0);
    Ok(())
}
