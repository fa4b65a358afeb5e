//! `tree-math.json`: the shape of trees.

use burrow::tree::{NodeIndex, TreeSize};
use serde::Deserialize;
use serde_json::Value;

use crate::{Stop, Tally};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    n_leaves: u32,
    n_nodes: u32,
    root: u32,
    left: Vec<Option<u32>>,
    right: Vec<Option<u32>>,
    parent: Vec<Option<u32>>,
    sibling: Vec<Option<u32>>,
}

pub(crate) fn check(case: &Value, tally: &mut Tally) -> Result<(), Stop> {
    let case: Case = super::read(case, tally)?;
    let size = tally.some("a tree of so many leaves", TreeSize::for_leaves(case.n_leaves))?;
    tally.same("n_leaves", size.leaf_count(), case.n_leaves);
    tally.same("n_nodes", size.node_count(), case.n_nodes);
    tally.same("root", size.root().0, case.root);
    let number = |node: Option<NodeIndex>| node.map(|node| node.0);
    let nodes = || (0..size.node_count()).map(NodeIndex);
    let left = nodes().map(|node| number(node.children().map(|[left, _]| left)));
    let right = nodes().map(|node| number(node.children().map(|[_, right]| right)));
    each("left", left, &case.left, tally);
    each("right", right, &case.right, tally);
    each("parent", nodes().map(|node| number(size.parent(node))), &case.parent, tally);
    each("sibling", nodes().map(|node| number(size.sibling(node))), &case.sibling, tally);
    Ok(())
}

fn each(
    what: &str,
    ours: impl Iterator<Item = Option<u32>>,
    expected: &[Option<u32>],
    tally: &mut Tally,
) {
    let mut count = 0;
    for (node, ours) in ours.enumerate() {
        // A node that the file doesn't have differs from one that has no left child, say.
        tally.same(what, Some(&ours), expected.get(node));
        count += 1;
    }
    tally.same(what, count, expected.len());
}
