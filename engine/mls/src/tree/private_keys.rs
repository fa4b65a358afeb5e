//! What a member knows of the tree that others don't (sections 4.2 and 7.5).

use std::sync::Arc;

use crypto_api::{HpkePrivateKey, Secret, Suite};

use super::{
    math::{NodeIndex, TreeSize, common_ancestor_level},
    path_secret,
    ratchet_tree::RatchetTree,
    update_path::MergedPath,
};
use crate::{
    CallerError, Error, PeerError, Result,
    crypto::decrypt_with_label,
    types::{LeafIndex, UpdatePathNode},
};

/// A member's private keys: its leaf's, and those of the nodes above that it was told. Cheap to
/// clone.
#[derive(Debug, Clone)]
pub struct TreePrivateKeys {
    leaf: LeafIndex,
    leaf_key: Arc<HpkePrivateKey>,
    /// By level, from the leaf's parent up.
    above: Vec<Option<Arc<HpkePrivateKey>>>,
}

/// What a member gets out of a path.
#[derive(Debug)]
pub struct ReceivedPath {
    /// Its private keys in the new epoch.
    pub private_keys: TreePrivateKeys,
    /// The commit secret.
    pub commit_secret: Secret,
}

impl TreePrivateKeys {
    /// Those of a member that knows no key but that of its leaf.
    #[must_use]
    pub fn new(leaf: LeafIndex, leaf_key: HpkePrivateKey) -> Self {
        Self { leaf, leaf_key: Arc::new(leaf_key), above: Vec::new() }
    }

    /// Those of a member that joins by a Welcome (section 12.4.3.1): `path_secret` is the one in it,
    /// `signer` the signer of its GroupInfo.
    ///
    /// # Errors
    ///
    /// [`PeerError::Invalid`] if the secret doesn't give the keys that are in the tree;
    /// [`CallerError::BadKey`] if `leaf_key` isn't that of the leaf.
    pub fn join(
        suite: &dyn Suite,
        tree: &RatchetTree,
        leaf: LeafIndex,
        leaf_key: HpkePrivateKey,
        signer: LeafIndex,
        path_secret: Option<&Secret>,
    ) -> Result<Self> {
        let public = tree.leaf(leaf).map(|leaf| leaf.encryption_key.as_slice());
        if public != Some(leaf_key.public()) {
            return Err(CallerError::BadKey.into());
        }
        let mut keys = Self::new(leaf, leaf_key);
        let Some(path_secret) = path_secret else {
            return Ok(keys);
        };
        if leaf == signer || tree.leaf(signer).is_none() {
            return Err(Error::invalid("12.4.3.1: the signer of the GroupInfo is no other member"));
        }
        let lowest = common_ancestor_level(leaf, signer);
        let path = (lowest..=tree.size().depth()).map(|level| NodeIndex::above(leaf, level));
        if tree.parent(NodeIndex::above(leaf, lowest)).is_none() {
            return Err(Error::invalid("12.4.3.1: a path secret for a node that is blank"));
        }
        // A blank node was not on the filtered path, and took no step.
        let filtered = path.filter(|node| tree.parent(*node).is_some());
        keys.climb(suite, tree, filtered, path_secret.clone())?;
        Ok(keys)
    }

    /// Whose they are.
    #[must_use]
    pub fn leaf(&self) -> LeafIndex {
        self.leaf
    }

    /// The private key of the member's leaf.
    #[must_use]
    pub fn leaf_key(&self) -> &HpkePrivateKey {
        &self.leaf_key
    }

    /// Replaces the private key of the leaf: when an Update of this member's is committed.
    pub fn set_leaf_key(&mut self, leaf_key: HpkePrivateKey) {
        self.leaf_key = Arc::new(leaf_key);
    }

    /// The private key of a node, if the member has it.
    #[must_use]
    pub fn get(&self, node: NodeIndex) -> Option<&HpkePrivateKey> {
        let level = node.level();
        if NodeIndex::above(self.leaf, level) != node {
            return None;
        }
        match level.checked_sub(1) {
            None => Some(&self.leaf_key),
            Some(at) => self.above.get(at as usize)?.as_deref(),
        }
    }

    /// Sets the private key of a node above the leaf: for a state that was stored.
    ///
    /// # Errors
    ///
    /// [`CallerError::Invalid`] if the node isn't above the leaf.
    pub fn set(&mut self, node: NodeIndex, key: HpkePrivateKey) -> Result<()> {
        if node.is_leaf() || NodeIndex::above(self.leaf, node.level()) != node {
            return Err(CallerError::Invalid("a key of a node that is not above the leaf").into());
        }
        self.put(node, key);
        Ok(())
    }

    /// The keys above the leaf, to be stored.
    pub fn above(&self) -> impl Iterator<Item = (NodeIndex, &HpkePrivateKey)> {
        (1..)
            .zip(&self.above)
            .filter_map(|(level, key)| Some((NodeIndex::above(self.leaf, level), key.as_deref()?)))
    }

    /// Deletes the keys of nodes that `tree` doesn't have any more: those that a proposal blanked.
    pub fn retain(&mut self, tree: &RatchetTree) {
        for (level, key) in (1..).zip(&mut self.above) {
            let node = tree.parent(NodeIndex::above(self.leaf, level));
            let public = node.map(|node| node.encryption_key.as_slice());
            if key.as_ref().map(|key| key.public()) != public {
                *key = None;
            }
        }
        self.above.truncate(tree.size().depth() as usize);
    }

    /// Opens the path secret that is for this member and derives from it what is above (section
    /// 7.5). `tree` is the one that `path` was merged into, with these keys [retained](Self::retain)
    /// after its proposals; `nodes` are those of the UpdatePath; `group_context` is the provisional
    /// GroupContext, encoded.
    ///
    /// # Errors
    ///
    /// [`PeerError::Undecryptable`] if there is nothing that opens,
    /// [`PeerError::Invalid`] if the secret doesn't give the keys that are in the path.
    pub fn receive_path(
        &self,
        suite: &dyn Suite,
        tree: &RatchetTree,
        path: &MergedPath,
        nodes: &[UpdatePathNode],
        group_context: &[u8],
    ) -> Result<ReceivedPath> {
        self.clone().into_received(suite, tree, path, nodes, group_context)
    }

    /// The same for who has no more use for these.
    pub(crate) fn into_received(
        mut self,
        suite: &dyn Suite,
        tree: &RatchetTree,
        path: &MergedPath,
        nodes: &[UpdatePathNode],
        group_context: &[u8],
    ) -> Result<ReceivedPath> {
        let (position, path_secret) = self.open_path_secret(suite, path, nodes, group_context)?;
        // What was above is outdated, blank nodes included.
        let lowest = common_ancestor_level(self.leaf, path.sender());
        self.above.truncate(lowest.saturating_sub(1) as usize);
        let filtered = path.nodes().skip(position);
        let commit_secret = self.climb(suite, tree, filtered, path_secret)?;
        Ok(ReceivedPath { private_keys: self, commit_secret })
    }

    /// Opens the path secret that is for this member; with it, the place of its node on the filtered
    /// direct path. [`Self::receive_path`] does this and the rest.
    ///
    /// # Errors
    ///
    /// [`PeerError::Undecryptable`] if there is nothing that opens.
    pub fn open_path_secret(
        &self,
        suite: &dyn Suite,
        path: &MergedPath,
        nodes: &[UpdatePathNode],
        group_context: &[u8],
    ) -> Result<(usize, Secret)> {
        let nothing = Error::Peer(PeerError::Undecryptable);
        let position = path.step_above(self.leaf).ok_or(nothing.clone())?;
        // One ciphertext for each node of the resolution, in its order.
        let mut recipients = path.recipients(position).iter().enumerate();
        let (key, ciphertext) = recipients
            .find_map(|(at, node)| Some((self.get(*node)?, at)))
            .and_then(|(key, at)| {
                let node = nodes.get(position)?;
                Some((key, node.encrypted_path_secret.get(at)?))
            })
            .ok_or(nothing)?;
        let secret =
            decrypt_with_label(suite, key, path_secret::LABEL, group_context, &ciphertext)?;
        Ok((position, secret))
    }

    /// Derives the keys of `filtered`, from the node that `path_secret` is of upwards, and returns
    /// the secret after the last of them.
    fn climb(
        &mut self,
        suite: &dyn Suite,
        tree: &RatchetTree,
        filtered: impl Iterator<Item = NodeIndex> + Clone,
        mut path_secret: Secret,
    ) -> Result<Secret> {
        let count = filtered.clone().count();
        let keys = path_secret::climb(suite, &mut path_secret, count)?;
        self.make_room(tree.size());
        for (node, key) in filtered.zip(keys) {
            let public = tree.parent(node).map(|node| node.encryption_key.as_slice());
            if public != Some(key.public()) {
                return Err(Error::invalid(
                    "7.5: a path secret doesn't give the public key in the tree",
                ));
            }
            self.put(node, key);
        }
        Ok(path_secret)
    }

    /// For the keys of a whole path in a tree of this size, so that nothing grows step by step.
    pub(super) fn make_room(&mut self, size: TreeSize) {
        let depth = size.depth() as usize;
        self.above.reserve_exact(depth.saturating_sub(self.above.len()));
    }

    pub(super) fn put(&mut self, node: NodeIndex, key: HpkePrivateKey) {
        let level = node.level() as usize;
        if self.above.len() < level {
            self.above.resize(level, None);
        }
        if let Some(slot) = level.checked_sub(1).and_then(|at| self.above.get_mut(at)) {
            *slot = Some(Arc::new(key));
        }
    }
}
