//! The nodes of a tree, and what can be seen from them alone.

use std::sync::{Arc, OnceLock};

use crypto_api::Digest;

use super::{
    cow_vec::CowVec,
    math::{NodeIndex, Path, TreeSize},
    node::{LEAF, Node, PARENT, ParentNode},
};
use crate::{
    codec::{Decode, DecodeError, Encode, EncodeError, LengthHeader, Reader, length_len},
    types::{LeafIndex, LeafNode},
};

/// All nodes of a tree, blank ones included. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Nodes {
    size: TreeSize,
    leaves: CowVec<Option<LeafNode>>,
    parents: CowVec<ParentSlot>,
    /// One past the last member: all leaves from here on are blank.
    end: u32,
}

/// Where a parent is or isn't.
#[derive(Debug, Clone, Default)]
pub(super) struct ParentSlot {
    node: Option<Arc<ParentNode>>,
    /// The node's tree hash; if it is there, so are those of the parents below.
    pub(super) tree_hash: OnceLock<Digest>,
}

impl Nodes {
    /// One blank leaf.
    pub(super) fn new() -> Self {
        let mut leaves = CowVec::new();
        leaves.push(None);
        Self { size: TreeSize::ONE, leaves, parents: CowVec::new(), end: 0 }
    }

    /// One past the last member.
    pub(super) fn end(&self) -> u32 {
        self.end
    }

    pub(super) fn size(&self) -> TreeSize {
        self.size
    }

    /// Cuts the tree to its left subtree of this size, or makes it the left subtree of one with
    /// all else blank.
    pub(super) fn resize(&mut self, size: TreeSize) {
        self.size = size;
        let leaf_count = size.leaf_count() as usize;
        self.leaves.resize_with(leaf_count, || None);
        self.parents.resize_with(leaf_count - 1, ParentSlot::default);
    }

    pub(super) fn leaf(&self, leaf: LeafIndex) -> Option<&LeafNode> {
        self.leaves.get(leaf.as_usize())?.as_ref()
    }

    pub(super) fn parent_slot(&self, node: NodeIndex) -> Option<&ParentSlot> {
        self.parents.get(node.parent_position()?)
    }

    pub(super) fn parent(&self, node: NodeIndex) -> Option<&ParentNode> {
        self.parent_slot(node)?.node.as_deref()
    }

    /// Puts a leaf, or none, where the tree has a place for it, and returns what was there.
    pub(super) fn set_leaf(
        &mut self,
        leaf: LeafIndex,
        content: Option<LeafNode>,
    ) -> Option<LeafNode> {
        self.forget_tree_hashes(leaf, 0);
        let is_member = content.is_some();
        let slot = self.leaves.get_mut(leaf.as_usize())?;
        let old = std::mem::replace(slot, content);
        if is_member {
            self.end = self.end.max(leaf.0 + 1);
        } else if self.end == leaf.0 + 1 {
            self.find_end();
        }
        old
    }

    /// Moves the end down to the last member.
    fn find_end(&mut self) {
        let last = self.members().next_back();
        self.end = last.map_or(0, |(leaf, _)| leaf.0 + 1);
    }

    /// Puts a parent, or none, where the tree has a place for it, and returns what was there.
    pub(super) fn set_parent(
        &mut self,
        node: NodeIndex,
        content: Option<Arc<ParentNode>>,
    ) -> Option<Arc<ParentNode>> {
        self.forget_tree_hashes(LeafIndex(node.leaves().start), node.level());
        let slot = self.parents.get_mut(node.parent_position()?)?;
        std::mem::replace(&mut slot.node, content)
    }

    /// Adds a leaf to the `unmerged_leaves` of all non-blank nodes above it.
    pub(super) fn add_unmerged(&mut self, leaf: LeafIndex) {
        for step in self.size.direct_path(leaf) {
            if self.parent(step.node).is_none() {
                continue;
            }
            self.forget_tree_hashes(leaf, step.node.level());
            let position = step.node.parent_position();
            let Some(slot) = position.and_then(|at| self.parents.get_mut(at)) else {
                continue;
            };
            if let Some(node) = &mut slot.node {
                let unmerged = &mut Arc::make_mut(node).unmerged_leaves;
                if let Err(at) = unmerged.binary_search(&leaf) {
                    unmerged.insert(at, leaf);
                }
            }
        }
    }

    /// Forgets the tree hashes from `level` up, above or at a node that changes.
    fn forget_tree_hashes(&mut self, leaf: LeafIndex, level: u32) {
        for level in level.max(1)..=self.size.depth() {
            let node = NodeIndex::above(leaf, level);
            match self.parent_slot(node) {
                // Then it isn't known above, either.
                None => return,
                Some(slot) if slot.tree_hash.get().is_none() => return,
                Some(_) => {}
            }
            if let Some(slot) = node.parent_position().and_then(|at| self.parents.get_mut(at)) {
                slot.tree_hash = OnceLock::new();
            }
        }
    }

    /// The members with their places, from left to right.
    pub(super) fn members(
        &self,
    ) -> impl DoubleEndedIterator<Item = (LeafIndex, &LeafNode)> + Clone {
        let leaves = (0..self.end).map(LeafIndex);
        leaves.filter_map(|leaf| Some((leaf, self.leaf(leaf)?)))
    }

    /// The non-blank parents with their places, from left to right.
    pub(super) fn parents(&self) -> impl Iterator<Item = (NodeIndex, &ParentNode)> {
        let slots = self.parents.iter().enumerate();
        slots.filter_map(|(at, slot)| {
            let node = NodeIndex(2 * at as u32 + 1);
            Some((node, slot.node.as_deref()?))
        })
    }

    /// The key of a node, if it isn't blank.
    pub(super) fn encryption_key(&self, node: NodeIndex) -> Option<&crate::crypto::HpkePublicKey> {
        match node.as_leaf() {
            Some(leaf) => Some(&self.leaf(leaf)?.encryption_key),
            None => Some(&self.parent(node)?.encryption_key),
        }
    }

    /// The resolution of a node (section 4.1.1), in order, added to `found`.
    ///
    /// It doesn't look beyond the last member, where a tree may have as many blank nodes as it has
    /// members. (A parent that is there all the same makes the tree invalid.)
    ///
    /// It calls itself as deep as the tree is: 30 at the most.
    pub(super) fn resolve(&self, node: NodeIndex, found: &mut Vec<NodeIndex>) {
        if node.leaves().start >= self.end {
            return;
        }
        if let Some(leaf) = node.as_leaf() {
            found.extend(self.leaf(leaf).map(|_| node));
        } else if let Some(parent) = self.parent(node) {
            found.push(node);
            let unmerged = parent.unmerged_leaves.iter();
            found.extend(unmerged.map(|leaf| NodeIndex::of_leaf(*leaf)));
        } else {
            node.children().into_iter().flatten().for_each(|child| self.resolve(child, found));
        }
    }

    /// Whether the resolution of a node is empty. It calls itself as deep as the tree is: 30 at the
    /// most.
    pub(super) fn is_empty_below(&self, node: NodeIndex) -> bool {
        if node.leaves().start >= self.end {
            return true;
        }
        let is_blank = match node.as_leaf() {
            Some(leaf) => self.leaf(leaf).is_none(),
            None => self.parent(node).is_none(),
        };
        is_blank && node.children().into_iter().flatten().all(|child| self.is_empty_below(child))
    }

    /// The filtered direct path of a leaf (section 4.1.2), from the leaf up.
    pub(super) fn filtered_direct_path(&self, leaf: LeafIndex) -> Path {
        let steps = self.size.direct_path(leaf);
        steps.filter(|step| !self.is_empty_below(step.copath)).collect()
    }

    /// How many nodes the ratchet_tree extension lists: all up to the last non-blank one.
    fn listed_count(&self) -> u32 {
        let leaves = (2 * self.end).saturating_sub(1);
        // A parent comes last only in a tree that isn't valid, which has to be encoded all the same
        // to be what it was decoded from.
        let parents = self.parents().last().map_or(0, |(node, _)| node.0 + 1);
        leaves.max(parents)
    }

    fn listed_len(&self) -> usize {
        let listed = (0..self.listed_count()).map(NodeIndex);
        listed.map(|node| 1 + self.content(node).map_or(0, |c| 1 + c.encoded_len())).sum()
    }

    fn content(&self, node: NodeIndex) -> Option<Content<'_>> {
        match node.as_leaf() {
            Some(leaf) => self.leaf(leaf).map(Content::Leaf),
            None => self.parent(node).map(Content::Parent),
        }
    }
}

/// What is at a node, borrowed.
enum Content<'a> {
    Leaf(&'a LeafNode),
    Parent(&'a ParentNode),
}

impl Content<'_> {
    fn encoded_len(&self) -> usize {
        match self {
            Self::Leaf(leaf) => leaf.encoded_len(),
            Self::Parent(parent) => parent.encoded_len(),
        }
    }
}

/// `optional<Node> ratchet_tree<V>` (section 12.4.3.3).
impl Encode for Nodes {
    fn encoded_len(&self) -> usize {
        let inside = self.listed_len();
        length_len(inside) + inside
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        out.extend_from_slice(LengthHeader::new(self.listed_len())?.as_slice());
        for node in (0..self.listed_count()).map(NodeIndex) {
            match self.content(node) {
                None => out.push(0),
                Some(Content::Leaf(leaf)) => {
                    out.extend_from_slice(&[1, LEAF]);
                    leaf.encode(out)?;
                }
                Some(Content::Parent(parent)) => {
                    out.extend_from_slice(&[1, PARENT]);
                    parent.encode(out)?;
                }
            }
        }
        Ok(())
    }
}

impl Decode for Nodes {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut list = reader.vector()?;
        let mut nodes = Self::new();
        nodes.leaves.resize_with(0, || None);
        let mut ends_blank = true;
        while !list.is_empty() {
            let place = NodeIndex((nodes.leaves.len() + nodes.parents.len()) as u32);
            let node: Option<Node> = list.read()?;
            ends_blank = node.is_none();
            match (place.is_leaf(), node) {
                (true, None) => nodes.leaves.push(None),
                (true, Some(Node::Leaf(leaf))) => nodes.leaves.push(Some(leaf)),
                (false, None) => nodes.parents.push(ParentSlot::default()),
                (false, Some(Node::Parent(parent))) => nodes
                    .parents
                    .push(ParentSlot { node: Some(Arc::new(parent)), tree_hash: OnceLock::new() }),
                _ => return Err(DecodeError::InvalidValue("NodeType at this place")),
            }
        }
        // The last node has to be non-blank, which an empty list doesn't have.
        if ends_blank {
            return Err(DecodeError::InvalidValue("last node of a ratchet_tree"));
        }
        let leaves = nodes.leaves.len().max(nodes.parents.len() + 1);
        let size = u32::try_from(leaves)
            .ok()
            .and_then(TreeSize::for_leaves)
            .ok_or(DecodeError::InvalidValue("tree of this size"))?;
        nodes.resize(size);
        nodes.end = size.leaf_count();
        nodes.find_end();
        Ok(nodes)
    }
}
