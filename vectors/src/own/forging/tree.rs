//! Ratchet trees (sections 4 and 7) in the array representation of appendix C, changed at will.

use burrow::Result;
use crypto_api::Suite;

use super::bytes::{opaque, optional, struct_of, vector};
use crate::own::forge::Leaf;

/// A leaf as it was signed.
#[derive(Clone)]
pub(in super::super) struct PlacedLeaf {
    pub(in super::super) draft: Leaf,
    pub(in super::super) encoded: Vec<u8>,
}

impl PlacedLeaf {
    pub(in super::super) fn new(draft: Leaf, suite: &dyn Suite) -> Result<Self> {
        Ok(Self { encoded: draft.encoded(suite)?, draft })
    }
}

/// `ParentNode`.
#[derive(Clone)]
pub(in super::super) struct Parent {
    pub(in super::super) encryption_key: Vec<u8>,
    pub(in super::super) parent_hash: Vec<u8>,
    pub(in super::super) unmerged_leaves: Vec<u32>,
}

impl Parent {
    fn encoded(&self, without: &[u32]) -> Result<Vec<u8>> {
        let unmerged = self.unmerged_leaves.iter().filter(|leaf| !without.contains(leaf));
        let unmerged: Vec<_> = unmerged.map(|leaf| leaf.to_be_bytes().to_vec()).collect();
        Ok([opaque(&self.encryption_key)?, opaque(&self.parent_hash)?, vector(&unmerged)?].concat())
    }
}

/// A node that isn't blank.
#[derive(Clone)]
pub(in super::super) enum Node {
    Leaf(Box<PlacedLeaf>),
    Parent(Parent),
}

/// A tree with all of its blanks.
#[derive(Clone)]
pub(in super::super) struct Tree {
    pub(in super::super) nodes: Vec<Option<Node>>,
}

/// A node above a leaf, and its child beside the way there.
pub(in super::super) struct Step {
    pub(in super::super) node: usize,
    pub(in super::super) copath: usize,
}

impl Tree {
    pub(in super::super) fn leaf_count(&self) -> u32 {
        u32::try_from(self.nodes.len().div_ceil(2)).unwrap_or(u32::MAX)
    }

    pub(in super::super) fn leaf(&self, leaf: u32) -> Option<&PlacedLeaf> {
        match self.nodes.get(2 * leaf as usize)? {
            Some(Node::Leaf(placed)) => Some(placed),
            _ => None,
        }
    }

    pub(in super::super) fn parent_mut(&mut self, node: usize) -> Option<&mut Parent> {
        match self.nodes.get_mut(node)? {
            Some(Node::Parent(parent)) => Some(parent),
            _ => None,
        }
    }

    fn parent(&self, node: usize) -> Option<&Parent> {
        match self.nodes.get(node)? {
            Some(Node::Parent(parent)) => Some(parent),
            _ => None,
        }
    }

    /// Puts a leaf where it is to be, whatever is there.
    pub(in super::super) fn put(&mut self, leaf: u32, placed: PlacedLeaf) {
        if let Some(node) = self.nodes.get_mut(2 * leaf as usize) {
            *node = Some(Node::Leaf(Box::new(placed)));
        }
    }

    /// From the leaf's parent to the root.
    pub(in super::super) fn direct_path(&self, leaf: u32) -> Vec<Step> {
        let mut path = Vec::new();
        let mut below = 2 * leaf as usize;
        while below != self.nodes.len() / 2 {
            let height = below.trailing_ones();
            let node = (below | 1 << height) & !(1 << (height + 1));
            let [left, right] = children(node);
            path.push(Step { node, copath: if below == left { right } else { left } });
            below = node;
        }
        path
    }

    /// The direct path without the nodes that have nobody on the other side.
    pub(in super::super) fn filtered_direct_path(&self, leaf: u32) -> Vec<Step> {
        let mut path = self.direct_path(leaf);
        path.retain(|step| !self.resolution(step.copath).is_empty());
        path
    }

    pub(in super::super) fn resolution(&self, node: usize) -> Vec<usize> {
        match self.nodes.get(node) {
            Some(Some(Node::Leaf(_))) => vec![node],
            Some(Some(Node::Parent(parent))) => {
                let unmerged = parent.unmerged_leaves.iter().map(|leaf| 2 * *leaf as usize);
                std::iter::once(node).chain(unmerged).collect()
            }
            Some(None) if node % 2 == 1 => {
                children(node).into_iter().flat_map(|child| self.resolution(child)).collect()
            }
            _ => Vec::new(),
        }
    }

    pub(in super::super) fn encryption_key(&self, node: usize) -> &[u8] {
        match self.nodes.get(node) {
            Some(Some(Node::Leaf(leaf))) => &leaf.draft.encryption_key,
            Some(Some(Node::Parent(parent))) => &parent.encryption_key,
            _ => &[],
        }
    }

    /// Section 12.1.1: into the leftmost blank leaf, or twice as large a tree.
    pub(in super::super) fn add(&mut self, placed: PlacedLeaf) -> u32 {
        let leaf = self.make_room();
        for step in self.direct_path(leaf) {
            if let Some(parent) = self.parent_mut(step.node) {
                parent.unmerged_leaves.push(leaf);
                parent.unmerged_leaves.sort_unstable();
            }
        }
        self.put(leaf, placed);
        leaf
    }

    /// The leftmost blank leaf.
    pub(in super::super) fn make_room(&mut self) -> u32 {
        let count = self.leaf_count();
        match (0..count).find(|leaf| self.leaf(*leaf).is_none()) {
            Some(leaf) => leaf,
            None => {
                self.nodes.resize(2 * self.nodes.len() + 1, None);
                count
            }
        }
    }

    pub(in super::super) fn update(&mut self, leaf: u32, placed: PlacedLeaf) {
        self.blank_path(leaf);
        self.put(leaf, placed);
    }

    /// Sections 7.7 and 12.1.3.
    pub(in super::super) fn remove(&mut self, leaf: u32) {
        self.blank_path(leaf);
        if let Some(node) = self.nodes.get_mut(2 * leaf as usize) {
            *node = None;
        }
        while self.nodes.len() > 1 {
            let root = self.nodes.len() / 2;
            if self.nodes[root + 1..].iter().any(Option::is_some) {
                return;
            }
            self.nodes.truncate(root);
        }
    }

    pub(in super::super) fn blank_path(&mut self, leaf: u32) {
        for step in self.direct_path(leaf) {
            self.nodes[step.node] = None;
        }
    }

    /// Section 7.9: fills in the parent hashes of a path from the top, and returns the leaf's.
    pub(in super::super) fn set_parent_hashes(
        &mut self,
        suite: &dyn Suite,
        leaf: u32,
    ) -> Result<Vec<u8>> {
        let mut hash = Vec::new();
        for step in self.filtered_direct_path(leaf).into_iter().rev() {
            let Some(parent) = self.parent_mut(step.node) else { continue };
            parent.parent_hash = hash;
            hash = self.parent_hash_below(suite, step.node, step.copath)?;
        }
        Ok(hash)
    }

    /// `ParentHashInput` of a node, for what is on the other side of `sibling`.
    pub(in super::super) fn parent_hash_below(
        &self,
        suite: &dyn Suite,
        node: usize,
        sibling: usize,
    ) -> Result<Vec<u8>> {
        let Some(parent) = self.parent(node) else { return Ok(Vec::new()) };
        let original = self.hash_without(suite, sibling, &parent.unmerged_leaves)?;
        let input =
            [opaque(&parent.encryption_key)?, opaque(&parent.parent_hash)?, opaque(&original)?];
        Ok(suite.hash(&[&input.concat()]).as_slice().to_vec())
    }

    pub(in super::super) fn tree_hash(&self, suite: &dyn Suite) -> Result<Vec<u8>> {
        self.hash_without(suite, self.nodes.len() / 2, &[])
    }

    /// The tree hash of a node (section 7.8).
    pub(in super::super) fn node_hash(&self, suite: &dyn Suite, node: usize) -> Result<Vec<u8>> {
        self.hash_without(suite, node, &[])
    }

    /// Section 7.8, with some leaves left out.
    fn hash_without(&self, suite: &dyn Suite, node: usize, without: &[u32]) -> Result<Vec<u8>> {
        let input = if node.is_multiple_of(2) {
            let leaf = u32::try_from(node / 2).unwrap_or(u32::MAX);
            let placed = self.leaf(leaf).filter(|_| !without.contains(&leaf));
            let encoded = optional(placed.map(|placed| placed.encoded.clone()));
            struct_of(&[&[1], &leaf.to_be_bytes(), &encoded])
        } else {
            let [left, right] = children(node);
            let parent = self.parent(node).map(|parent| parent.encoded(without)).transpose()?;
            let [left, right] = [
                opaque(&self.hash_without(suite, left, without)?)?,
                opaque(&self.hash_without(suite, right, without)?)?,
            ];
            struct_of(&[&[2], &optional(parent), &left, &right])
        };
        Ok(suite.hash(&[&input]).as_slice().to_vec())
    }

    /// The `ratchet_tree` extension, with so many nodes more than it should have.
    pub(in super::super) fn encoded(&self, blanks: usize) -> Result<Vec<u8>> {
        let end = self.nodes.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let mut nodes = Vec::new();
        for node in self.nodes.iter().take(end) {
            nodes.push(optional(match node {
                Some(Node::Leaf(placed)) => Some([vec![1], placed.encoded.clone()].concat()),
                Some(Node::Parent(parent)) => Some([vec![2], parent.encoded(&[])?].concat()),
                None => None,
            }));
        }
        nodes.resize(end + blanks, vec![0]);
        vector(&nodes)
    }
}

fn children(node: usize) -> [usize; 2] {
    let below = 1 << (node.trailing_ones() - 1);
    [node ^ below, node ^ (3 * below)]
}
