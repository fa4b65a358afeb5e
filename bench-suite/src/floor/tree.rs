//! A ratchet tree without keys (RFC 9420 sections 4 and 7): which nodes are blank, which leaves are
//! unmerged, and what a commit does to them. It is written from the RFC alone, so that it can be
//! held against an engine.

use std::collections::{BTreeMap, BTreeSet};

use crate::world::Tree;

/// A node, by its level (leaves are at 0) and its place among the nodes of that level.
pub(super) type Node = (u32, usize);

/// The tree. Its width is a power of two; blank leaves fill it up (section 7.7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Whether a leaf has a member.
    leaves: Vec<bool>,
    /// The parent nodes that are not blank, with their unmerged leaves.
    parents: BTreeMap<Node, Vec<usize>>,
}

/// What a path of fresh keys takes (section 7.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    /// The filtered direct path, from the leaf up.
    pub(super) nodes: Vec<Node>,
    /// To how many public keys path secrets are encrypted.
    pub(super) ciphertexts: usize,
}

impl Shape {
    /// A group of one.
    pub(super) fn single() -> Self {
        Self { leaves: vec![true], parents: BTreeMap::new() }
    }

    /// The tree of [`World`](crate::world::World): `members` of them, the founder at leaf 0.
    pub(super) fn of(members: usize, tree: Tree) -> Self {
        let mut shape = Self::single();
        match tree {
            Tree::Cold => {
                let added: Vec<_> = (1..members).map(|_| shape.add()).collect();
                if !added.is_empty() {
                    shape.commit_path(0, &added);
                }
            }
            Tree::Warm => {
                for _ in 1..members {
                    let joiner = shape.add();
                    shape.commit_path(0, &[joiner]);
                    shape.commit_path(joiner, &[]);
                }
                if members > 1 {
                    shape.commit_path(0, &[]);
                }
            }
        }
        shape
    }

    /// The members.
    pub(super) fn members(&self) -> usize {
        self.leaves.iter().filter(|present| **present).count()
    }

    /// The leaf of the member who comes at this place in the list of members.
    pub(super) fn leaf_of_member(&self, place: usize) -> Option<usize> {
        self.leaves.iter().enumerate().filter(|(_, present)| **present).nth(place).map(|(at, _)| at)
    }

    /// How many levels there are above the leaves. The secret tree has the same (section 9).
    pub(super) fn depth(&self) -> u32 {
        self.leaves.len().trailing_zeros()
    }

    /// Adds a member at the leftmost blank leaf (section 12.1.1), and says where that is.
    pub(super) fn add(&mut self) -> usize {
        let leaf = match self.leaves.iter().position(|present| !present) {
            Some(leaf) => leaf,
            None => {
                let width = self.leaves.len();
                self.leaves.resize(2 * width, false);
                width
            }
        };
        self.leaves[leaf] = true;
        for node in self.direct_path(leaf) {
            if let Some(unmerged) = self.parents.get_mut(&node) {
                unmerged.push(leaf);
            }
        }
        leaf
    }

    /// Removes the member at a leaf (section 12.1.3): its direct path is blanked, and the tree
    /// shrinks while its right half is empty.
    pub(super) fn remove(&mut self, leaf: usize) {
        self.leaves[leaf] = false;
        self.blank_direct_path(leaf);
        while self.leaves.len() > 1
            && self.leaves[self.leaves.len() / 2..].iter().all(|present| !present)
        {
            self.parents.remove(&(self.depth(), 0));
            self.leaves.truncate(self.leaves.len() / 2);
        }
    }

    /// A path from a leaf (section 7.5), in a commit that adds the members at `added`: they are told
    /// by the Welcome.
    pub(super) fn commit_path(&mut self, leaf: usize, added: &[usize]) -> Path {
        let nodes = self.filtered_direct_path(leaf);
        let ciphertexts = nodes.iter().map(|(level, _)| {
            let recipients = self.resolution(copath(leaf, *level));
            recipients.iter().filter(|(level, at)| *level > 0 || !added.contains(at)).count()
        });
        let ciphertexts = ciphertexts.sum();
        self.blank_direct_path(leaf);
        self.parents.extend(nodes.iter().map(|node| (*node, Vec::new())));
        Path { nodes, ciphertexts }
    }

    /// The nodes that have no blank and no empty subtree beside them on the way up (section 4.1.2).
    pub(super) fn filtered_direct_path(&self, leaf: usize) -> Vec<Node> {
        let path = self.direct_path(leaf).into_iter();
        path.filter(|(level, _)| !self.resolution(copath(leaf, *level)).is_empty()).collect()
    }

    /// The nodes whose hash is another one after a change at these leaves and above, but for empty
    /// subtrees, whose hashes are known in advance (section 7.8).
    pub(super) fn rehashed(&self, leaves: &[usize]) -> usize {
        let mut nodes = BTreeSet::new();
        for leaf in leaves.iter().filter(|leaf| **leaf < self.leaves.len()) {
            nodes.insert((0, *leaf));
            nodes.extend(self.direct_path(*leaf));
        }
        nodes.into_iter().filter(|node| !self.is_empty(*node)).count()
    }

    /// All nodes but the empty subtrees: what there is to hash in a tree that comes from outside.
    pub(super) fn hashed(&self) -> usize {
        let levels = 0..=self.depth();
        let nodes =
            levels.flat_map(|level| (0..self.leaves.len() >> level).map(move |at| (level, at)));
        nodes.filter(|node| !self.is_empty(*node)).count()
    }

    /// The parent nodes that are not blank.
    pub(super) fn filled_parents(&self) -> usize {
        self.parents.len()
    }

    fn is_empty(&self, (level, at): Node) -> bool {
        !self.leaves[at << level..(at + 1) << level].contains(&true)
    }

    fn direct_path(&self, leaf: usize) -> Vec<Node> {
        (1..=self.depth()).map(|level| (level, leaf >> level)).collect()
    }

    fn blank_direct_path(&mut self, leaf: usize) {
        for node in self.direct_path(leaf) {
            self.parents.remove(&node);
        }
    }

    /// The nodes that together reach every member below a node (section 4.1.1).
    fn resolution(&self, node: Node) -> Vec<Node> {
        let (level, at) = node;
        if let Some(unmerged) = self.parents.get(&node) {
            let unmerged = unmerged.iter().map(|leaf| (0, *leaf));
            return std::iter::once(node).chain(unmerged).collect();
        }
        match level.checked_sub(1) {
            None if self.leaves[at] => vec![node],
            None => Vec::new(),
            Some(below) => {
                let mut nodes = self.resolution((below, 2 * at));
                nodes.extend(self.resolution((below, 2 * at + 1)));
                nodes
            }
        }
    }
}

/// The child, off the way to a leaf, of the node at this level above it.
fn copath(leaf: usize, level: u32) -> Node {
    (level - 1, (leaf >> (level - 1)) ^ 1)
}

/// The level of the lowest node above both of two leaves.
pub(super) fn common_ancestor(one: usize, other: usize) -> u32 {
    usize::BITS - (one ^ other).leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reaches_every_other_member_once() {
        for members in 1..70 {
            for tree in [Tree::Cold, Tree::Warm] {
                let shape = Shape::of(members, tree);
                assert_eq!(shape.members(), members);
                for leaf in (0..shape.leaves.len()).filter(|leaf| shape.leaves[*leaf]) {
                    let mut reached = BTreeSet::from([leaf]);
                    let path = shape.filtered_direct_path(leaf);
                    for (level, _) in &path {
                        for (height, at) in shape.resolution(copath(leaf, *level)) {
                            let below = (at << height)..((at + 1) << height);
                            let unmerged =
                                shape.parents.get(&(height, at)).cloned().unwrap_or_default();
                            let told = below.filter(|l| shape.leaves[*l] && !unmerged.contains(l));
                            for told in told {
                                assert!(reached.insert(told), "{members} {leaf} {told} twice");
                            }
                        }
                    }
                    assert_eq!(reached.len(), members, "{members} {tree:?} {leaf}");
                }
            }
        }
    }

    #[test]
    fn cold_trees_cost_a_ciphertext_for_almost_every_leaf_and_warm_ones_a_logarithm() {
        for (members, cold, warm) in [(2, 1, 1), (9, 8, 4), (33, 32, 6), (100, 99, 7)] {
            let ciphertexts = |tree| Shape::of(members, tree).commit_path(0, &[]).ciphertexts;
            assert_eq!(
                (ciphertexts(Tree::Cold), ciphertexts(Tree::Warm)),
                (cold, warm),
                "{members}"
            );
        }
    }

    #[test]
    fn a_removal_blanks_and_shrinks() {
        let mut shape = Shape::of(9, Tree::Warm);
        assert_eq!(shape.depth(), 4);
        shape.remove(4);
        // Leaf 8 keeps the width; 5, and the parent of 6 and 7, are told one by one.
        assert_eq!((shape.depth(), shape.members()), (4, 8));
        assert_eq!(shape.clone().commit_path(0, &[]).ciphertexts, 1 + 1 + 2 + 1);
        shape.remove(8);
        assert_eq!((shape.depth(), shape.members()), (3, 7));
        assert_eq!(shape.add(), 4);
    }

    #[test]
    fn common_ancestors() {
        let found = [(0, 1), (0, 2), (2, 3), (0, 8), (5, 7)].map(|(a, b)| common_ancestor(a, b));
        assert_eq!(found, [1, 2, 1, 4, 2]);
    }
}
