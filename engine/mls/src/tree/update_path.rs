//! Paths of fresh keys: making one and merging one (sections 7.4 to 7.6).

use std::sync::Arc;

use arrayvec::ArrayVec;
use crypto_api::{HpkePrivateKey, SealTo, Secret, SigningKey, Suite};

use super::{
    math::{NodeIndex, PathStep, TreeSize},
    node::ParentNode,
    path_secret::{self, PathSecrets},
    private_keys::TreePrivateKeys,
    ratchet_tree::RatchetTree,
    validation::{ENCRYPTION_KEY_TWICE, check_public_key},
};
use crate::{
    Error, Result,
    crypto::{HpkePublicKey, ParentHash, encrypt_with_label_batch},
    types::{
        Capabilities, Credential, Extensions, HpkeCiphertexts, LeafIndex, LeafNode,
        LeafNodeContent, LeafNodeSource, LeafNodeUse, UpdatePath, UpdatePathNode, VerifiedLeafNode,
    },
};

/// What a committer's new leaf says about the committer. The keys come from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeafDescription {
    /// Who the committer says to be.
    pub credential: Credential,
    /// What the committer can do.
    pub capabilities: Capabilities,
    /// More about the committer.
    pub extensions: Extensions,
}

impl From<&LeafNode> for LeafDescription {
    /// The same as before.
    fn from(leaf: &LeafNode) -> Self {
        Self {
            credential: leaf.credential.clone(),
            capabilities: leaf.capabilities.clone(),
            extensions: leaf.extensions.clone(),
        }
    }
}

/// A path that the committer has put into its tree and not yet sealed to anybody.
#[derive(Debug)]
pub struct NewPath {
    committer: LeafIndex,
    leaf_node: LeafNode,
    /// The filtered direct path, with the path secret of each node.
    steps: Vec<(PathStep, Secret)>,
    private_keys: TreePrivateKeys,
    commit_secret: Secret,
}

/// A path that was merged into the tree and not yet opened.
#[derive(Debug, Clone)]
pub struct MergedPath {
    sender: LeafIndex,
    /// The filtered direct path, with the place in `recipients` where those that its path secret is
    /// sealed to end.
    steps: Steps,
    recipients: Vec<NodeIndex>,
}

type Steps = ArrayVec<(PathStep, usize), { TreeSize::MAX_DEPTH }>;

/// To whom the secrets of a path are sealed.
struct Recipients {
    /// The steps of the path, with the place in `nodes` where those that each is sealed to end.
    steps: Steps,
    nodes: Vec<NodeIndex>,
}

impl RatchetTree {
    /// Gives the committer's leaf and the nodes on its filtered direct path fresh keys (section 7.4)
    /// after its proposals are applied. An external committer's leaf is the one that
    /// [`Self::make_room`] gave.
    ///
    /// What is left is to compute the tree hash, which is in the provisional GroupContext, and to
    /// seal the path secrets with [`NewPath::seal`].
    ///
    /// # Errors
    ///
    /// [`crate::CallerError::Invalid`] if the leaf's description contradicts itself.
    pub fn rekey_path(
        &mut self,
        suite: &dyn Suite,
        committer: LeafIndex,
        description: LeafDescription,
        signer: &SigningKey,
        group_id: &[u8],
    ) -> Result<NewPath> {
        let path = self.nodes.filtered_direct_path(committer);
        let leaf_key = suite.generate_key_pair()?;
        let encryption_key = public_key(&leaf_key);
        let mut private_keys = TreePrivateKeys::new(committer, leaf_key);
        let first = Secret::try_from_fn(suite.kdf_nh(), |out| suite.random(out))?;
        let PathSecrets { secrets, commit_secret } = PathSecrets::derive(suite, first, path.len())?;
        let mut keys = ArrayVec::<_, { TreeSize::MAX_DEPTH }>::new();
        private_keys.make_room(self.size());
        for (step, key) in path.iter().zip(path_secret::node_keys(suite, &secrets)?) {
            keys.push(public_key(&key));
            private_keys.put(step.node, key);
        }
        let parent_hash = self.set_path(suite, committer, &path, keys.iter())?;
        let steps = path.into_iter().zip(secrets).collect();
        let leaf_node = LeafNodeContent {
            encryption_key,
            signature_key: signer.public().to_vec().into(),
            credential: description.credential,
            capabilities: description.capabilities,
            leaf_node_source: LeafNodeSource::Commit(parent_hash.as_slice().to_vec()),
            extensions: description.extensions,
        }
        .sign(suite, signer, group_id, committer)?;
        leaf_node.check(suite, LeafNodeUse::Commit).map_err(Error::into_callers)?;
        self.put_leaf(committer, leaf_node.clone());
        Ok(NewPath { committer, leaf_node, steps, private_keys, commit_secret })
    }

    /// Merges another's path (section 7.5) after the commit's proposals are applied: `leaf_node` and
    /// `nodes` are the UpdatePath's, `added` are the leaves that its Adds made, in ascending order.
    /// An external committer's leaf is the one that [`Self::make_room`] gave.
    ///
    /// # Errors
    ///
    /// [`crate::PeerError`] if the path isn't valid; the tree is then not to be used.
    pub fn merge_path(
        &mut self,
        suite: &dyn Suite,
        sender: LeafIndex,
        leaf_node: VerifiedLeafNode,
        nodes: &[UpdatePathNode],
        added: &[LeafIndex],
    ) -> Result<MergedPath> {
        let path = self.nodes.filtered_direct_path(sender);
        let Recipients { steps, nodes: recipients } = self.recipients(&path, nodes, added)?;
        self.check_path_keys(suite, &leaf_node, nodes)?;
        let keys = nodes.iter().map(|node| &node.encryption_key);
        let parent_hash = self.set_path(suite, sender, &path, keys)?;
        if leaf_node.parent_hash() != Some(parent_hash.as_slice()) {
            return Err(Error::invalid("7.5: the leaf's parent_hash is not that of its path"));
        }
        self.put_leaf(sender, leaf_node.into_leaf_node());
        Ok(MergedPath { sender, steps, recipients })
    }

    /// Section 12.4.2: no public key of the path is in the tree, the sender's old leaf and path
    /// included; nor is one twice in the path.
    fn check_path_keys(
        &self,
        suite: &dyn Suite,
        leaf_node: &LeafNode,
        nodes: &[UpdatePathNode],
    ) -> Result<()> {
        let of_nodes = nodes.iter().map(|node| &node.encryption_key);
        let keys = std::iter::once(&leaf_node.encryption_key).chain(of_nodes.clone());
        for (at, key) in keys.clone().enumerate() {
            if self.has_encryption_key(key, None) || keys.clone().take(at).any(|k| k == key) {
                return Err(ENCRYPTION_KEY_TWICE);
            }
        }
        // The leaf's was checked when the leaf was verified.
        let mut of_nodes = of_nodes;
        of_nodes.try_for_each(|key| check_public_key(suite, key))
    }

    /// To whom the secrets of a path are sealed; there have to be as many nodes and as many
    /// ciphertexts at each.
    fn recipients(
        &self,
        path: &[PathStep],
        nodes: &[UpdatePathNode],
        added: &[LeafIndex],
    ) -> Result<Recipients> {
        if nodes.len() != path.len() {
            return Err(Error::invalid(
                "7.5: a path has not one node for each of the filtered direct path",
            ));
        }
        let mut steps = Steps::new();
        let mut recipients = Vec::with_capacity(path.len());
        for (step, node) in path.iter().zip(nodes) {
            let before = recipients.len();
            self.resolve_without(step.copath, added, &mut recipients);
            if recipients.len() - before != node.encrypted_path_secret.len() {
                return Err(Error::invalid(
                    "7.6: a path has not one ciphertext for each node of a resolution",
                ));
            }
            steps.push((*step, recipients.len()));
        }
        Ok(Recipients { steps, nodes: recipients })
    }

    /// Adds the resolution of a copath node without the leaves that the commit adds (section 7.6).
    fn resolve_without(
        &self,
        node: NodeIndex,
        added: &[LeafIndex],
        resolutions: &mut Vec<NodeIndex>,
    ) {
        let before = resolutions.len();
        self.nodes.resolve(node, resolutions);
        if added.is_empty() {
            return;
        }
        let mut kept = before;
        for at in before..resolutions.len() {
            let leaf = resolutions[at].as_leaf();
            if leaf.is_none_or(|leaf| added.binary_search(&leaf).is_err()) {
                resolutions[kept] = resolutions[at];
                kept += 1;
            }
        }
        resolutions.truncate(kept);
    }

    /// Blanks the direct path, sets the nodes of the filtered one, and returns the parent hash that
    /// the leaf has to have.
    fn set_path<'a>(
        &mut self,
        suite: &dyn Suite,
        leaf: LeafIndex,
        path: &[PathStep],
        keys: impl DoubleEndedIterator<Item = &'a HpkePublicKey> + ExactSizeIterator + Clone,
    ) -> Result<ParentHash> {
        for PathStep { node, .. } in self.size().direct_path(leaf) {
            // The others are replaced below.
            if self.parent(node).is_some() && !path.iter().any(|step| step.node == node) {
                self.put_parent(node, None);
            }
        }
        let mut hashes = self.nodes.path_parent_hashes(suite, path, keys.clone())?;
        let leaf_parent_hash = hashes.pop();
        for ((step, key), parent_hash) in path.iter().zip(keys).zip(hashes.into_iter().rev()) {
            let encryption_key = key.clone();
            let node = ParentNode { encryption_key, parent_hash, unmerged_leaves: Vec::new() };
            self.put_parent(step.node, Some(Arc::new(node)));
        }
        leaf_parent_hash.ok_or(Error::Internal("a path without parent hashes"))
    }
}

impl NewPath {
    /// Seals the path secrets to those who are to have them (section 7.6), all in one batch. `tree`
    /// is the one that has the path, `added` are the leaves that the commit's Adds made, in
    /// ascending order, and `group_context` is the provisional GroupContext, encoded.
    ///
    /// # Errors
    ///
    /// [`crate::PeerError::BadKey`] if a member's key is no good.
    pub fn seal(
        &self,
        suite: &dyn Suite,
        tree: &RatchetTree,
        added: &[LeafIndex],
        group_context: &[u8],
    ) -> Result<UpdatePath> {
        let mut resolutions = Vec::new();
        let mut ends = Vec::with_capacity(self.steps.len());
        for (step, _) in &self.steps {
            tree.resolve_without(step.copath, added, &mut resolutions);
            ends.push(resolutions.len());
        }
        let mut recipients = Vec::with_capacity(resolutions.len());
        let mut start = 0;
        for ((_, path_secret), end) in self.steps.iter().zip(&ends) {
            let resolution = &resolutions[start..*end];
            start = *end;
            for node in resolution {
                let public = tree.nodes.encryption_key(*node);
                recipients.push(SealTo {
                    public: public.ok_or(BLANK_IN_RESOLUTION)?.as_slice(),
                    plaintext: path_secret.as_slice(),
                });
            }
        }
        let sealed =
            encrypt_with_label_batch(suite, &recipients, path_secret::LABEL, group_context)?;
        let mut nodes = Vec::with_capacity(self.steps.len());
        let mut start = 0;
        for ((step, _), end) in self.steps.iter().zip(&ends) {
            let key = tree.nodes.encryption_key(step.node);
            nodes.push(UpdatePathNode {
                encryption_key: key.ok_or(BLANK_IN_RESOLUTION)?.clone(),
                encrypted_path_secret: HpkeCiphertexts::new(
                    sealed.get(start..*end).ok_or(NOT_SEALED)?,
                )?,
            });
            start = *end;
        }
        Ok(UpdatePath { leaf_node: self.leaf_node.clone(), nodes })
    }

    /// The path secret for a member that the commit adds (section 12.4.3.1): that of the lowest node
    /// above both it and the committer.
    #[must_use]
    pub fn path_secret_for(&self, new_member: LeafIndex) -> Option<&Secret> {
        let mut steps = self.steps.iter();
        let (_, path_secret) = steps.find(|(step, _)| step.copath.is_above(new_member))?;
        Some(path_secret)
    }

    /// Who made it.
    #[must_use]
    pub fn committer(&self) -> LeafIndex {
        self.committer
    }

    /// The committer's new leaf.
    #[must_use]
    pub fn leaf_node(&self) -> &LeafNode {
        &self.leaf_node
    }

    /// The commit secret.
    #[must_use]
    pub fn commit_secret(&self) -> &Secret {
        &self.commit_secret
    }

    /// The committer's private keys in the new epoch. The path secrets are gone after this.
    #[must_use]
    pub fn into_private_keys(self) -> TreePrivateKeys {
        self.private_keys
    }
}

impl MergedPath {
    /// Whose path it is.
    #[must_use]
    pub fn sender(&self) -> LeafIndex {
        self.sender
    }

    /// The nodes of the filtered direct path, from the leaf up.
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeIndex> + Clone + '_ {
        self.steps.iter().map(|(step, _)| step.node)
    }

    /// The place on the filtered direct path of the node whose copath child is above a leaf.
    pub(super) fn step_above(&self, leaf: LeafIndex) -> Option<usize> {
        let mut steps = self.steps.iter();
        steps.position(|(step, _)| step.copath.is_above(leaf))
    }

    /// The nodes that a path secret is sealed to, in order.
    pub(super) fn recipients(&self, position: usize) -> &[NodeIndex] {
        let end = |position: usize| self.steps.get(position).map(|(_, end)| *end);
        let start = position.checked_sub(1).map_or(Some(0), end);
        let range =
            start.zip(end(position)).and_then(|(start, end)| self.recipients.get(start..end));
        range.unwrap_or_default()
    }
}

const NOT_SEALED: Error = Error::Internal("fewer seals than recipients");
const BLANK_IN_RESOLUTION: Error = Error::Internal("a node of a resolution is blank");

fn public_key(key: &HpkePrivateKey) -> HpkePublicKey {
    key.public().into()
}
