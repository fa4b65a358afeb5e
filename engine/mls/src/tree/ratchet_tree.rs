//! The tree of a group and what proposals do to it (sections 7.7 and 12.1).

use std::sync::Arc;

use crypto_api::{Digest, Suite};

use super::{
    credentials::CredentialsInUse,
    key_index::KeyIndex,
    math::{NodeIndex, PathStep, TreeSize},
    node::ParentNode,
    nodes::Nodes,
};
use crate::{
    CallerError, Error, Result,
    codec::{Encode, EncodeError},
    crypto::{HpkePublicKey, SignaturePublicKey},
    types::{Extension, ExtensionType, LeafIndex, LeafNode, ProposalType, VerifiedLeafNode},
};

/// A ratchet tree whose leaves were verified.
///
/// A clone costs nothing, and changing a clone copies little more than what changes: stage a commit
/// on one and keep it if all goes well. The tree hash is computed when it is asked for, and only
/// where something changed.
#[derive(Debug, Clone)]
pub struct RatchetTree {
    pub(super) nodes: Nodes,
    /// The keys of leaves and parents.
    pub(super) encryption_keys: KeyIndex,
    /// The keys of leaves.
    pub(super) signature_keys: KeyIndex,
    pub(super) credentials: CredentialsInUse,
    member_count: usize,
    /// No leaf before it is blank.
    free_from: u32,
}

impl RatchetTree {
    /// The tree of a group of one (section 11).
    #[must_use]
    pub fn new(creator: VerifiedLeafNode) -> Self {
        let mut tree = Self::index(Nodes::new());
        tree.put_leaf(LeafIndex(0), creator.into_leaf_node());
        tree
    }

    /// Makes the indices of nodes that are all right.
    pub(super) fn index(nodes: Nodes) -> Self {
        let mut tree = Self {
            encryption_keys: KeyIndex::new(),
            signature_keys: KeyIndex::new(),
            credentials: CredentialsInUse::of(nodes.members().map(|(_, leaf)| leaf)),
            member_count: 0,
            free_from: 0,
            nodes: nodes.clone(),
        };
        for (leaf, content) in nodes.members() {
            tree.index_leaf(leaf, content);
        }
        for (node, parent) in nodes.parents() {
            let key = parent.encryption_key.as_slice();
            tree.encryption_keys.insert(key, node);
        }
        tree
    }

    /// Its size.
    #[must_use]
    pub fn size(&self) -> TreeSize {
        self.nodes.size()
    }

    /// How many members there are.
    #[must_use]
    pub fn member_count(&self) -> usize {
        self.member_count
    }

    /// A member's leaf; `None` if it is blank or the tree doesn't have it.
    #[must_use]
    pub fn leaf(&self, leaf: LeafIndex) -> Option<&LeafNode> {
        self.nodes.leaf(leaf)
    }

    /// A parent; `None` if it is blank, a leaf, or the tree doesn't have it.
    #[must_use]
    pub fn parent(&self, node: NodeIndex) -> Option<&ParentNode> {
        self.nodes.parent(node)
    }

    /// The members with their places, from left to right.
    pub fn members(&self) -> impl DoubleEndedIterator<Item = (LeafIndex, &LeafNode)> {
        self.nodes.members()
    }

    /// The member with this encryption key.
    #[must_use]
    pub fn member_with_encryption_key(&self, key: &HpkePublicKey) -> Option<LeafIndex> {
        let candidates = self.encryption_keys.candidates(key.as_slice());
        let mut leaves = candidates.filter_map(NodeIndex::as_leaf);
        leaves.find(|leaf| self.leaf(*leaf).is_some_and(|l| l.encryption_key == *key))
    }

    /// The member with this signature key.
    #[must_use]
    pub fn member_with_signature_key(&self, key: &SignaturePublicKey) -> Option<LeafIndex> {
        let candidates = self.signature_keys.candidates(key.as_slice());
        let mut leaves = candidates.filter_map(NodeIndex::as_leaf);
        leaves.find(|leaf| self.leaf(*leaf).is_some_and(|l| l.signature_key == *key))
    }

    /// Whether all members have a proposal type, by default or by their capabilities. It looks at
    /// every leaf unless the type is a default one.
    #[must_use]
    pub fn all_have_proposal(&self, proposal_type: ProposalType) -> bool {
        proposal_type.is_default()
            || self.members().all(|(_, leaf)| leaf.capabilities.has_proposal(proposal_type))
    }

    /// The tree hash of the root (section 7.8).
    ///
    /// # Errors
    ///
    /// If a node is too long to encode.
    pub fn tree_hash(&self, suite: &dyn Suite) -> Result<Digest> {
        Ok(self.nodes.root_tree_hash(suite)?)
    }

    /// The resolution of a node (section 4.1.1).
    #[must_use]
    pub fn resolution(&self, node: NodeIndex) -> Vec<NodeIndex> {
        let mut resolution = Vec::new();
        self.nodes.resolve(node, &mut resolution);
        resolution
    }

    /// The filtered direct path of a leaf (section 4.1.2), from the leaf up.
    #[must_use]
    pub fn filtered_direct_path(&self, leaf: LeafIndex) -> Vec<PathStep> {
        self.nodes.filtered_direct_path(leaf).to_vec()
    }

    /// The ratchet_tree extension.
    ///
    /// # Errors
    ///
    /// [`EncodeError`] if it is too long.
    pub fn to_extension(&self) -> Result<Extension, EncodeError> {
        Ok(Extension {
            extension_type: ExtensionType::RATCHET_TREE,
            extension_data: self.to_bytes()?,
        })
    }

    /// Applies an Add (section 12.1.1): the leaf goes to the leftmost blank place.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the tree can't grow any more.
    pub fn add_leaf(&mut self, leaf_node: VerifiedLeafNode) -> Result<LeafIndex> {
        let leaf = self.make_room()?;
        self.nodes.add_unmerged(leaf);
        self.put_leaf(leaf, leaf_node.into_leaf_node());
        Ok(leaf)
    }

    /// The leftmost blank leaf, for which the tree is extended if there is none: the place of an
    /// external committer (section 12.4.2), who fills it with a path.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the tree can't grow any more.
    pub fn make_room(&mut self) -> Result<LeafIndex> {
        let leaf_count = self.size().leaf_count();
        let mut places = (self.free_from..leaf_count).map(LeafIndex);
        let leaf = places.find(|leaf| self.leaf(*leaf).is_none()).unwrap_or(LeafIndex(leaf_count));
        if leaf.0 == leaf_count {
            let size = TreeSize::for_leaves(leaf_count + 1);
            let size = size.ok_or(Error::Unsupported("a tree of more than 2^30 leaves"))?;
            self.nodes.resize(size);
        }
        self.free_from = leaf.0;
        Ok(leaf)
    }

    /// Applies an Update (section 12.1.2): a new leaf for a member, and its direct path blank.
    ///
    /// # Errors
    ///
    /// [`CallerError::Invalid`] if there is no such member.
    pub fn update_leaf(&mut self, leaf: LeafIndex, leaf_node: VerifiedLeafNode) -> Result<()> {
        if self.leaf(leaf).is_none() {
            return Err(CallerError::Invalid("an update of a leaf that is blank").into());
        }
        self.blank_direct_path(leaf);
        self.put_leaf(leaf, leaf_node.into_leaf_node());
        Ok(())
    }

    /// Applies a Remove (section 12.1.3): the leaf and its direct path blank, and the right half cut
    /// off for as long as nobody is there. Returns the leaf.
    ///
    /// The last member may go, too: an external committer who is to take the place is the one case
    /// where that makes sense.
    ///
    /// # Errors
    ///
    /// [`crate::PeerError::Invalid`] if there is no such member.
    pub fn remove_leaf(&mut self, leaf: LeafIndex) -> Result<LeafNode> {
        if self.leaf(leaf).is_none() {
            return Err(Error::invalid("12.1.3: removed is not a non-blank leaf"));
        }
        self.blank_direct_path(leaf);
        let removed = self.take_leaf(leaf);
        self.free_from = self.free_from.min(leaf.0);
        self.truncate();
        removed.ok_or(Error::Internal("a leaf was there and is not"))
    }

    fn truncate(&mut self) {
        if let Some(size) = TreeSize::for_leaves(self.nodes.end().max(1))
            && size < self.size()
        {
            self.forget_parents_beyond(size);
            self.nodes.resize(size);
        }
    }

    /// Takes the keys of the nodes that are cut off out of the index. They are all blank, since a
    /// parent over nothing but blank leaves is in no valid tree; one that was stored must not be in
    /// the way all the same.
    fn forget_parents_beyond(&mut self, size: TreeSize) {
        let first = size.node_count();
        let nodes = (first..self.size().node_count()).map(NodeIndex);
        for node in nodes {
            if let Some(parent) = self.nodes.parent(node) {
                let key = parent.encryption_key.as_slice();
                self.encryption_keys.remove(key, node);
            }
        }
    }

    /// Blanks the direct path of a leaf.
    pub(super) fn blank_direct_path(&mut self, leaf: LeafIndex) {
        for step in self.size().direct_path(leaf) {
            if self.nodes.parent(step.node).is_some() {
                self.put_parent(step.node, None);
            }
        }
    }

    /// Puts a parent, or none, into a place, and keeps the index.
    pub(super) fn put_parent(&mut self, node: NodeIndex, content: Option<Arc<ParentNode>>) {
        if let Some(parent) = &content {
            let key = parent.encryption_key.as_slice();
            self.encryption_keys.insert(key, node);
        }
        if let Some(old) = self.nodes.set_parent(node, content) {
            let key = old.encryption_key.as_slice();
            self.encryption_keys.remove(key, node);
        }
    }

    /// Puts a leaf into a place, in stead of the one that is there or of none. What the two have in
    /// common stays as it is in the indices.
    pub(super) fn put_leaf(&mut self, leaf: LeafIndex, content: LeafNode) {
        let Some(old) = self.nodes.set_leaf(leaf, Some(content.clone())) else {
            self.index_leaf(leaf, &content);
            let members = self.nodes.members().map(|(_, leaf)| leaf);
            self.credentials.add(&content, members);
            return;
        };
        let node = NodeIndex::of_leaf(leaf);
        self.encryption_keys.insert(content.encryption_key.as_slice(), node);
        self.encryption_keys.remove(old.encryption_key.as_slice(), node);
        if old.signature_key != content.signature_key {
            self.signature_keys.insert(content.signature_key.as_slice(), node);
            self.signature_keys.remove(old.signature_key.as_slice(), node);
        }
        let credential_type = content.credential.credential_type();
        if old.credential.credential_type() != credential_type
            || old.capabilities != content.capabilities
        {
            self.credentials.remove(&old);
            let members = self.nodes.members().map(|(_, leaf)| leaf);
            self.credentials.add(&content, members);
        }
    }

    fn take_leaf(&mut self, leaf: LeafIndex) -> Option<LeafNode> {
        self.nodes.leaf(leaf)?;
        let old = self.nodes.set_leaf(leaf, None)?;
        let node = NodeIndex::of_leaf(leaf);
        self.encryption_keys.remove(old.encryption_key.as_slice(), node);
        self.signature_keys.remove(old.signature_key.as_slice(), node);
        self.credentials.remove(&old);
        self.member_count -= 1;
        Some(old)
    }

    fn index_leaf(&mut self, leaf: LeafIndex, content: &LeafNode) {
        let node = NodeIndex::of_leaf(leaf);
        self.encryption_keys.insert(content.encryption_key.as_slice(), node);
        self.signature_keys.insert(content.signature_key.as_slice(), node);
        self.member_count += 1;
    }
}

/// As the ratchet_tree extension's content.
impl Encode for RatchetTree {
    fn encoded_len(&self) -> usize {
        self.nodes.encoded_len()
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.nodes.encode(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        tree::LeafDescription,
        types::{
            Capabilities, Credential, CredentialType, Extensions, LeafNodeContent, LeafNodeSource,
            Lifetime,
        },
    };
    use crypto_api::{CipherSuite, CryptoBackend, SigningKey};
    use crypto_rustcrypto::RustCrypto;

    fn leaf(suite: &dyn Suite, signer: &SigningKey) -> VerifiedLeafNode {
        let content = LeafNodeContent {
            encryption_key: suite.generate_key_pair().unwrap().public().to_vec().into(),
            signature_key: signer.public().to_vec().into(),
            credential: Credential::Basic(vec![]),
            capabilities: Capabilities {
                credentials: vec![CredentialType::BASIC],
                ..Capabilities::default()
            },
            leaf_node_source: LeafNodeSource::KeyPackage(Lifetime { not_before: 0, not_after: 1 }),
            extensions: Extensions::new(),
        };
        let leaf = content.sign(suite, signer, b"", LeafIndex(0)).unwrap();
        VerifiedLeafNode::trusted(leaf)
    }

    #[track_caller]
    fn check_indices(tree: &RatchetTree) {
        let parents = tree.nodes.parents().count();
        assert_eq!(tree.encryption_keys.len(), tree.member_count() + parents);
        assert_eq!(tree.signature_keys.len(), tree.member_count());
        assert_eq!(tree.members().count(), tree.member_count());
    }

    /// A key that stays in an index after its node is gone would be found by nobody, and fill it up.
    #[test]
    fn the_indices_hold_what_is_in_the_tree_and_no_more() {
        let backend = RustCrypto::new();
        let suite = backend.suite(CipherSuite(1)).unwrap();
        let signers = [(); 9].map(|()| suite.generate_signing_key().unwrap());
        let mut tree = RatchetTree::new(leaf(suite, &signers[0]));
        for signer in &signers[1..] {
            tree.add_leaf(leaf(suite, signer)).unwrap();
            check_indices(&tree);
        }
        for (at, signer) in (0..).map(LeafIndex).zip(&signers) {
            let description = LeafDescription::from(tree.leaf(at).unwrap());
            tree.rekey_path(suite, at, description, signer, b"").unwrap();
            check_indices(&tree);
        }
        assert_eq!(tree.nodes.parents().count(), 8);
        tree.update_leaf(LeafIndex(1), leaf(suite, &signers[1])).unwrap();
        check_indices(&tree);
        for at in [2, 8, 5, 4, 6, 7, 0] {
            tree.remove_leaf(LeafIndex(at)).unwrap();
            check_indices(&tree);
        }
        assert_eq!(tree.size().leaf_count(), 4);
        let restored = RatchetTree::index(tree.nodes.clone());
        check_indices(&restored);
    }
}
