//! Tree hashes (section 7.8), computed when they are asked for and kept until something below
//! changes.

use crypto_api::{Digest, Suite};

use super::{
    math::NodeIndex,
    node::{LEAF, PARENT, ParentNode},
    nodes::Nodes,
};
use crate::{
    codec::{Encode, EncodeError, LengthHeader},
    types::{LeafIndex, LeafNode},
};

impl Nodes {
    /// The tree hash of the root.
    pub(super) fn root_tree_hash(&self, suite: &dyn Suite) -> Result<Digest, EncodeError> {
        self.tree_hash(suite, self.size().root())
    }

    /// The tree hash of a node.
    pub(super) fn tree_hash(
        &self,
        suite: &dyn Suite,
        node: NodeIndex,
    ) -> Result<Digest, EncodeError> {
        Hasher::new(suite, self).tree_hash(node)
    }

    /// The tree hash of a node with some leaves, in ascending order, blanked and taken out of all
    /// `unmerged_leaves`: `original_sibling_tree_hash` (section 7.9).
    pub(super) fn tree_hash_without(
        &self,
        suite: &dyn Suite,
        node: NodeIndex,
        removed: &[LeafIndex],
    ) -> Result<Digest, EncodeError> {
        Hasher::new(suite, self).tree_hash_without(node, removed)
    }
}

struct Hasher<'a> {
    suite: &'a dyn Suite,
    nodes: &'a Nodes,
    /// Unmerged leaves, encoded; kept for its capacity.
    unmerged: Vec<u8>,
}

impl<'a> Hasher<'a> {
    fn new(suite: &'a dyn Suite, nodes: &'a Nodes) -> Self {
        Self { suite, nodes, unmerged: Vec::new() }
    }

    /// Calls itself as deep as the tree is: 30 at the most.
    fn tree_hash(&mut self, node: NodeIndex) -> Result<Digest, EncodeError> {
        let Some(children) = node.children() else {
            return Ok(self.leaf_hash(node, true));
        };
        let slot = self.nodes.parent_slot(node);
        if let Some(known) = slot.and_then(|slot| slot.tree_hash.get()) {
            return Ok(*known);
        }
        let [left, right] = children;
        let hashes = [self.tree_hash(left)?, self.tree_hash(right)?];
        let hash = self.node_hash(self.nodes.parent(node), &hashes)?;
        if let Some(slot) = slot {
            // Another thread that was faster has found the same.
            let _ = slot.tree_hash.set(hash);
        }
        Ok(hash)
    }

    /// Calls itself as deep as the tree is: 30 at the most.
    fn tree_hash_without(
        &mut self,
        node: NodeIndex,
        removed: &[LeafIndex],
    ) -> Result<Digest, EncodeError> {
        let removed = below(node, removed);
        if removed.is_empty() {
            return self.tree_hash(node);
        }
        let Some([left, right]) = node.children() else {
            return Ok(self.leaf_hash(node, false));
        };
        let hashes =
            [self.tree_hash_without(left, removed)?, self.tree_hash_without(right, removed)?];
        let Some(parent) = self.nodes.parent(node) else {
            return self.node_hash(None, &hashes);
        };
        let mut parent = parent.clone();
        let unmerged = &mut parent.unmerged_leaves;
        unmerged.retain(|leaf| removed.binary_search(leaf).is_err());
        self.node_hash(Some(&parent), &hashes)
    }

    /// The hash of a TreeHashInput with a LeafNodeHashInput.
    fn leaf_hash(&self, node: NodeIndex, is_kept: bool) -> Digest {
        let leaf_index = LeafIndex(node.0 >> 1);
        let leaf = self.nodes.leaf(leaf_index).filter(|_| is_kept);
        self.suite.hash(&[
            &[LEAF],
            &leaf_index.0.to_be_bytes(),
            &[u8::from(leaf.is_some())],
            leaf.map_or(b"", LeafNode::as_bytes),
        ])
    }

    /// The hash of a TreeHashInput with a ParentNodeHashInput.
    fn node_hash(
        &mut self,
        parent: Option<&ParentNode>,
        [left, right]: &[Digest; 2],
    ) -> Result<Digest, EncodeError> {
        let [left_header, right_header] =
            [LengthHeader::new(left.as_slice().len())?, LengthHeader::new(right.as_slice().len())?];
        let [left_header, right_header] = [left_header.as_slice(), right_header.as_slice()];
        let [left, right] = [left.as_slice(), right.as_slice()];
        let Some(parent) = parent else {
            let blank = [PARENT, 0];
            return Ok(self.suite.hash(&[&blank, left_header, left, right_header, right]));
        };
        let key = parent.encryption_key.as_slice();
        let parent_hash = parent.parent_hash.as_slice();
        Ok(self.suite.hash(&[
            &[PARENT, 1],
            LengthHeader::new(key.len())?.as_slice(),
            key,
            LengthHeader::new(parent_hash.len())?.as_slice(),
            parent_hash,
            unmerged_leaves(parent, &mut self.unmerged)?,
            left_header,
            left,
            right_header,
            right,
        ]))
    }
}

/// A node's unmerged leaves, encoded: in most trees there are none.
fn unmerged_leaves<'a>(
    parent: &ParentNode,
    buffer: &'a mut Vec<u8>,
) -> Result<&'a [u8], EncodeError> {
    if parent.unmerged_leaves.is_empty() {
        return Ok(&[0]);
    }
    buffer.clear();
    parent.unmerged_leaves.encode(buffer)?;
    Ok(buffer)
}

/// Those of `leaves`, which ascend, that are below a node.
pub(super) fn below(node: NodeIndex, leaves: &[LeafIndex]) -> &[LeafIndex] {
    let range = node.leaves();
    let start = leaves.partition_point(|leaf| leaf.0 < range.start);
    let rest = leaves.get(start..).unwrap_or_default();
    let end = rest.partition_point(|leaf| leaf.0 < range.end);
    rest.get(..end).unwrap_or_default()
}
