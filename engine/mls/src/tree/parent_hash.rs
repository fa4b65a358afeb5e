//! Parent hashes (section 7.9).

use arrayvec::ArrayVec;
use crypto_api::{Digest, Suite};

use super::{
    math::{NodeIndex, PathStep, TreeSize},
    node::ParentNode,
    nodes::Nodes,
    tree_hash::below,
};
use crate::{
    Error, Result,
    codec::{EncodeError, LengthHeader},
    crypto::{HpkePublicKey, ParentHash},
    types::LeafIndex,
};

/// Those of the nodes of a path, and of the leaf.
pub(super) type ParentHashes = ArrayVec<ParentHash, { TreeSize::MAX_DEPTH + 1 }>;

impl Nodes {
    /// Checks that every non-blank parent is parent-hash valid (section 7.9.2): that it has exactly
    /// one node below it that was set in the same path, and that the same holds of that node.
    pub(super) fn check_parent_hashes(&self, suite: &dyn Suite) -> Result<()> {
        let mut scratch = Vec::new();
        for (node, parent) in self.parents() {
            let [left, right] = node.children().unwrap_or([node; 2]);
            let links = usize::from(self.is_linked(suite, parent, left, right, &mut scratch)?)
                + usize::from(self.is_linked(suite, parent, right, left, &mut scratch)?);
            if links != 1 {
                return Err(Error::invalid("7.9.2: a parent node's parent hash is not valid"));
            }
        }
        Ok(())
    }

    /// Whether there is a node D at or below `child` whose parent hash is valid with respect to
    /// `parent`, which has these two children.
    ///
    /// The resolution of `child` has to be D and the unmerged leaves of `parent` below `child`,
    /// nothing else, so that there is at most one such D.
    fn is_linked(
        &self,
        suite: &dyn Suite,
        parent: &ParentNode,
        child: NodeIndex,
        sibling: NodeIndex,
        resolution: &mut Vec<NodeIndex>,
    ) -> Result<bool> {
        resolution.clear();
        self.resolve(child, resolution);
        let unmerged = below(child, &parent.unmerged_leaves);
        let is_unmerged = |node: NodeIndex| {
            let leaf = node.as_leaf();
            leaf.is_some_and(|leaf| unmerged.binary_search(&leaf).is_ok())
        };
        let mut others = resolution.iter().filter(|node| !is_unmerged(**node));
        let (Some(linked), None) = (others.next(), others.next()) else {
            return Ok(false);
        };
        if resolution.len() != unmerged.len() + 1 {
            return Ok(false);
        }
        let stored = match linked.as_leaf() {
            Some(leaf) => self.leaf(leaf).and_then(|leaf| leaf.parent_hash()),
            None => self.parent(*linked).map(|node| node.parent_hash.as_slice()),
        };
        // Most that don't fit say so here, without any hashing.
        let Some(stored) = stored.filter(|stored| !stored.is_empty()) else {
            return Ok(false);
        };
        let original = self.tree_hash_without(suite, sibling, &parent.unmerged_leaves)?;
        Ok(parent_hash(suite, parent, &original)?.matches(stored))
    }

    /// The parent hashes along a filtered direct path whose nodes have these keys and no unmerged
    /// leaves, from the root down: for each node what its own `parent_hash` is, and then that of the
    /// leaf.
    pub(super) fn path_parent_hashes<'a>(
        &self,
        suite: &dyn Suite,
        path: &[PathStep],
        keys: impl DoubleEndedIterator<Item = &'a HpkePublicKey> + ExactSizeIterator,
    ) -> Result<ParentHashes, EncodeError> {
        // The root has none.
        let mut above = ParentHash::from(&[][..]);
        let mut hashes = ParentHashes::new();
        for (step, key) in path.iter().zip(keys).rev() {
            let sibling = self.tree_hash(suite, step.copath)?;
            let hash = hash_input(suite, key.as_slice(), above.as_slice(), &sibling)?;
            hashes.push(std::mem::replace(&mut above, ParentHash::from(hash.as_slice())));
        }
        hashes.push(above);
        Ok(hashes)
    }

    /// Checks the lists of unmerged leaves (section 12.4.3.1): each entry is a member below the
    /// node, and an entry of every non-blank node in between, too. Their order is checked when they
    /// are decoded.
    pub(super) fn check_unmerged_leaves(&self) -> Result<()> {
        for (node, parent) in self.parents() {
            for leaf in &parent.unmerged_leaves {
                if !node.is_above(*leaf) || self.leaf(*leaf).is_none() {
                    return Err(Error::invalid(
                        "12.4.3.1: an unmerged leaf is blank or not below its node",
                    ));
                }
                if !self.is_unmerged_between(*leaf, node) {
                    return Err(Error::invalid(
                        "12.4.3.1: an unmerged leaf is missing from a node in between",
                    ));
                }
            }
        }
        Ok(())
    }

    /// Whether the next non-blank node between a leaf and a node above has the leaf as unmerged. The
    /// nodes below that one are looked at when it is its own turn.
    fn is_unmerged_between(&self, leaf: LeafIndex, node: NodeIndex) -> bool {
        let mut levels = (1..node.level()).rev();
        let next = levels.find_map(|level| self.parent(NodeIndex::above(leaf, level)));
        next.is_none_or(|parent| parent.unmerged_leaves.binary_search(&leaf).is_ok())
    }
}

/// "Parent hash of P with copath child S", given the original tree hash of S.
fn parent_hash(
    suite: &dyn Suite,
    parent: &ParentNode,
    original_sibling_tree_hash: &Digest,
) -> Result<Digest, EncodeError> {
    hash_input(
        suite,
        parent.encryption_key.as_slice(),
        parent.parent_hash.as_slice(),
        original_sibling_tree_hash,
    )
}

/// The hash of a ParentHashInput.
fn hash_input(
    suite: &dyn Suite,
    encryption_key: &[u8],
    parent_hash: &[u8],
    original_sibling_tree_hash: &Digest,
) -> Result<Digest, EncodeError> {
    let sibling = original_sibling_tree_hash.as_slice();
    Ok(suite.hash(&[
        LengthHeader::new(encryption_key.len())?.as_slice(),
        encryption_key,
        LengthHeader::new(parent_hash.len())?.as_slice(),
        parent_hash,
        LengthHeader::new(sibling.len())?.as_slice(),
        sibling,
    ]))
}
