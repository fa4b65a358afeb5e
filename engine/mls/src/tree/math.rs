//! Where nodes are (section 4.1 and appendix C).
//!
//! A tree is always full: 2^d leaves and 2^d - 1 parents, in one array, a node between its left and
//! its right subtree. A node's index says its level and which leaves are below it, whatever the
//! size of the tree; only the root depends on the size.

use std::{fmt, ops::Range};

use arrayvec::ArrayVec;

use crate::types::LeafIndex;

/// The index of a node among all nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeIndex(pub u32);

impl NodeIndex {
    /// The node of a leaf of some tree.
    #[must_use]
    pub const fn of_leaf(LeafIndex(leaf): LeafIndex) -> Self {
        Self(leaf << 1)
    }

    /// The node `level` levels above a leaf.
    #[must_use]
    pub fn above(LeafIndex(leaf): LeafIndex, level: u32) -> Self {
        let subtree = leaf.checked_shr(level).unwrap_or(0);
        let first = subtree.checked_shl(level + 1).unwrap_or(0);
        Self(first | low_bits(level))
    }

    /// How far above the leaves it is.
    #[must_use]
    pub const fn level(self) -> u32 {
        self.0.trailing_ones()
    }

    /// Whether it is a leaf.
    #[must_use]
    pub const fn is_leaf(self) -> bool {
        self.0 & 1 == 0
    }

    /// As a leaf, if it is one.
    #[must_use]
    pub const fn as_leaf(self) -> Option<LeafIndex> {
        if self.is_leaf() { Some(LeafIndex(self.0 >> 1)) } else { None }
    }

    /// The left and the right child of a parent.
    #[must_use]
    pub const fn children(self) -> Option<[Self; 2]> {
        let Some(below) = self.level().checked_sub(1) else {
            return None;
        };
        let half = 1 << below;
        Some([Self(self.0.wrapping_sub(half)), Self(self.0.wrapping_add(half))])
    }

    /// The leaves below it, or it itself.
    #[must_use]
    pub fn leaves(self) -> Range<u32> {
        let first = (self.0 - low_bits(self.level())) >> 1;
        first..first.saturating_add(1 << self.level().min(31))
    }

    /// Whether `leaf` is below it, or it itself.
    #[must_use]
    pub fn is_above(self, leaf: LeafIndex) -> bool {
        self.leaves().contains(&leaf.0)
    }

    /// Its place among the parents, if it is one.
    pub(super) const fn parent_position(self) -> Option<usize> {
        if self.is_leaf() { None } else { Some((self.0 >> 1) as usize) }
    }
}

impl fmt::Debug for NodeIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}", self.0)
    }
}

fn low_bits(count: u32) -> u32 {
    1_u32.checked_shl(count).map_or(u32::MAX, |bit| bit - 1)
}

/// The level of the lowest node that is above both of two leaves; 0 if they are the same.
#[must_use]
pub const fn common_ancestor_level(LeafIndex(a): LeafIndex, LeafIndex(b): LeafIndex) -> u32 {
    u32::BITS - (a ^ b).leading_zeros()
}

/// The lowest node that is above both of two leaves, or the leaf if they are the same.
#[must_use]
pub fn common_ancestor(a: LeafIndex, b: LeafIndex) -> NodeIndex {
    NodeIndex::above(a, common_ancestor_level(a, b))
}

/// A node of a leaf's direct path and its child that is not on the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathStep {
    /// The node.
    pub node: NodeIndex,
    /// Its child on the copath.
    pub copath: NodeIndex,
}

/// Steps of a direct path, from the leaf up.
pub(super) type Path = ArrayVec<PathStep, { TreeSize::MAX_DEPTH }>;

/// How big a tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TreeSize {
    depth: u32,
}

impl TreeSize {
    /// One leaf.
    pub const ONE: Self = Self { depth: 0 };

    /// So that a node index and a leaf index fit into what the RFC gives them. No vector that can
    /// be encoded holds a tree as big as that.
    pub(super) const MAX_DEPTH: usize = 30;

    /// The smallest tree with at least this many leaves; `None` if that is too big.
    #[must_use]
    pub fn for_leaves(leaves: u32) -> Option<Self> {
        let depth = leaves.checked_next_power_of_two()?.trailing_zeros();
        (depth as usize <= Self::MAX_DEPTH).then_some(Self { depth })
    }

    /// How many levels are above the leaves.
    #[must_use]
    pub const fn depth(self) -> u32 {
        self.depth
    }

    /// How many leaves it has, blank ones included.
    #[must_use]
    pub const fn leaf_count(self) -> u32 {
        1 << self.depth
    }

    /// How many nodes it has, blank ones included.
    #[must_use]
    pub const fn node_count(self) -> u32 {
        (2 << self.depth) - 1
    }

    /// The root.
    #[must_use]
    pub const fn root(self) -> NodeIndex {
        NodeIndex((1 << self.depth) - 1)
    }

    /// Whether it has this leaf, blank or not.
    #[must_use]
    pub const fn has_leaf(self, leaf: LeafIndex) -> bool {
        leaf.0 < self.leaf_count()
    }

    /// Whether it has this node, blank or not.
    #[must_use]
    pub const fn has_node(self, node: NodeIndex) -> bool {
        node.0 < self.node_count()
    }

    /// The parent of a node of the tree but the root.
    #[must_use]
    pub fn parent(self, node: NodeIndex) -> Option<NodeIndex> {
        if !self.has_node(node) || node == self.root() {
            return None;
        }
        let bit = 1 << node.level();
        Some(NodeIndex((node.0 | bit) & !(bit << 1)))
    }

    /// The other child of a node's parent.
    #[must_use]
    pub fn sibling(self, node: NodeIndex) -> Option<NodeIndex> {
        let [left, right] = self.parent(node)?.children()?;
        Some(if node == left { right } else { left })
    }

    /// The direct path of a leaf, from the leaf up, with the copath; nothing if the tree doesn't
    /// have the leaf.
    pub fn direct_path(self, leaf: LeafIndex) -> impl DoubleEndedIterator<Item = PathStep> {
        let top = if self.has_leaf(leaf) { self.depth } else { 0 };
        (1..=top).map(move |level| PathStep {
            node: NodeIndex::above(leaf, level),
            copath: NodeIndex::above(LeafIndex(leaf.0 ^ 1 << (level - 1)), level - 1),
        })
    }
}
