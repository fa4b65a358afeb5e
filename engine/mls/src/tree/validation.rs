//! Whether a tree is valid (sections 7.3 and 12.4.3.1): all of it on joining, and what changed in a
//! commit.

use std::collections::HashSet;

use crypto_api::{Digest, Suite};

use super::{math::NodeIndex, nodes::Nodes, ratchet_tree::RatchetTree};
use crate::{
    Error, PeerError, Result,
    codec::{Decode, DecodeError, Encode, EncodeError, Reader},
    crypto::HpkePublicKey,
    parallel,
    types::{
        Capabilities, CredentialType, ExtensionType, Extensions, KnownExtension, LeafIndex,
        LeafNode, LeafNodeUse, RequiredCapabilities,
    },
};

/// What the extensions of a GroupContext ask of every member.
#[derive(Debug, Clone, Default)]
pub struct GroupRequirements {
    required: RequiredCapabilities,
    extension_types: Vec<ExtensionType>,
}

impl GroupRequirements {
    /// Those of a GroupContext with these extensions.
    ///
    /// # Errors
    ///
    /// [`PeerError::Malformed`] if the required_capabilities extension doesn't decode.
    pub fn new(group_context_extensions: &Extensions) -> Result<Self> {
        let required: Option<RequiredCapabilities> = group_context_extensions.find()?;
        Ok(Self {
            required: required.unwrap_or_default(),
            extension_types: group_context_extensions.types().collect(),
        })
    }

    /// Checks that a member with `capabilities` has what is required (section 7.3) and every
    /// extension of the GroupContext (section 13.4).
    ///
    /// # Errors
    ///
    /// [`PeerError::Invalid`] if not.
    pub fn check(&self, capabilities: &Capabilities) -> Result<()> {
        if !self.required.are_met_by(capabilities) {
            return Err(Error::invalid("7.3: a member lacks one of the required capabilities"));
        }
        let mut types = self.extension_types.iter();
        if !types.all(|t| capabilities.has_extension(*t)) {
            return Err(Error::invalid("13.4: a member lacks an extension of the group context"));
        }
        Ok(())
    }
}

/// A ratchet tree as received: nothing in it is checked but its syntax.
#[derive(Debug, Clone)]
pub struct UnverifiedRatchetTree(Nodes);

impl UnverifiedRatchetTree {
    /// A leaf: that of the signer of the GroupInfo, say.
    #[must_use]
    pub fn leaf(&self, leaf: LeafIndex) -> Option<&LeafNode> {
        self.0.leaf(leaf)
    }

    /// The leaves that aren't blank, with their places.
    pub fn members(&self) -> impl DoubleEndedIterator<Item = (LeafIndex, &LeafNode)> {
        self.0.members()
    }

    /// How many nodes it has, blank ones included.
    #[must_use]
    pub fn node_count(&self) -> u32 {
        self.0.size().node_count()
    }

    /// The tree hash of the root (section 7.8).
    ///
    /// # Errors
    ///
    /// If a node is too long to encode.
    pub fn tree_hash(&self, suite: &dyn Suite) -> Result<Digest> {
        Ok(self.0.root_tree_hash(suite)?)
    }

    /// The tree hash of any node.
    ///
    /// # Errors
    ///
    /// If a node is too long to encode.
    pub fn node_tree_hash(&self, suite: &dyn Suite, node: NodeIndex) -> Result<Digest> {
        Ok(self.0.tree_hash(suite, node)?)
    }

    /// The resolution of a node (section 4.1.1).
    #[must_use]
    pub fn resolution(&self, node: NodeIndex) -> Vec<NodeIndex> {
        let mut resolution = Vec::new();
        self.0.resolve(node, &mut resolution);
        resolution
    }

    /// Takes the tree on trust: one that this client has verified before it stored it.
    #[must_use]
    pub fn trust(self) -> RatchetTree {
        RatchetTree::index(self.0)
    }

    /// Checks all that section 12.4.3.1 asks of the tree of a group that one joins but these: its
    /// tree hash, the credentials, which are the application's to check, and the lifetimes, for
    /// which one needs a clock.
    ///
    /// # Errors
    ///
    /// [`PeerError`] if it isn't valid.
    pub fn verify(
        self,
        suite: &dyn Suite,
        group_id: &[u8],
        requirements: &GroupRequirements,
    ) -> Result<RatchetTree> {
        let nodes = &self.0;
        nodes.check_unmerged_leaves()?;
        nodes.check_unique_keys()?;
        nodes.check_capabilities(requirements)?;
        nodes.check_parent_hashes(suite)?;
        nodes.check_keys(suite)?;
        nodes.check_signatures(suite, group_id)?;
        Ok(RatchetTree::index(self.0))
    }
}

impl Nodes {
    /// Sections 7.3 and 12.4.3.1: no encryption key at two nodes, no signature key at two leaves.
    fn check_unique_keys(&self) -> Result<()> {
        let mut encryption_keys = HashSet::new();
        let mut signature_keys = HashSet::new();
        for (_, leaf) in self.members() {
            if !encryption_keys.insert(leaf.encryption_key.as_slice()) {
                return Err(ENCRYPTION_KEY_TWICE);
            }
            if !signature_keys.insert(leaf.signature_key.as_slice()) {
                return Err(SIGNATURE_KEY_TWICE);
            }
        }
        for (_, parent) in self.parents() {
            if !encryption_keys.insert(parent.encryption_key.as_slice()) {
                return Err(ENCRYPTION_KEY_TWICE);
            }
        }
        Ok(())
    }

    fn check_capabilities(&self, requirements: &GroupRequirements) -> Result<()> {
        let types: HashSet<CredentialType> =
            self.members().map(|(_, leaf)| leaf.credential.credential_type()).collect();
        // Most members are the same application, with the same list as the one before.
        let mut before: Option<&Capabilities> = None;
        for (_, leaf) in self.members() {
            let capabilities = &leaf.capabilities;
            if before == Some(capabilities) {
                continue;
            }
            requirements.check(capabilities)?;
            if !types.iter().all(|t| capabilities.has_credential(*t)) {
                return Err(CREDENTIAL_NOT_SUPPORTED);
            }
            before = Some(capabilities);
        }
        Ok(())
    }

    /// The leaves by themselves, and the keys of the parents.
    fn check_keys(&self, suite: &dyn Suite) -> Result<()> {
        parallel::check_all(self.members(), |(_, leaf)| leaf.check(suite, LeafNodeUse::Tree))?;
        parallel::check_all(self.parents(), |(_, parent)| {
            check_public_key(suite, &parent.encryption_key)
        })
    }

    /// The signatures of all leaves, in one batch.
    fn check_signatures(&self, suite: &dyn Suite, group_id: &[u8]) -> Result<()> {
        let contents = self
            .members()
            .map(|(place, leaf)| leaf.sign_content(group_id, place))
            .collect::<Result<Vec<_>>>()?;
        let signed = self
            .members()
            .zip(&contents)
            .map(|((_, leaf), content)| leaf.signed(suite, content))
            .collect::<Result<Vec<_>>>()?;
        parallel::verify_batch(suite, &signed).map_err(Error::of_peer(PeerError::BadSignature))
    }
}

impl RatchetTree {
    /// Checks that a leaf fits into the tree (section 7.3): that it has what the group requires, and
    /// that no other member has its keys. For leaves that a commit brings in, once all of its
    /// proposals are applied; with [`Self::check_credentials`] after the last of them. A new
    /// requirement has to be checked against all [`Self::members`].
    ///
    /// # Errors
    ///
    /// [`PeerError::Invalid`] if it doesn't fit.
    pub fn check_leaf(&self, leaf: LeafIndex, requirements: &GroupRequirements) -> Result<()> {
        let content = self.leaf(leaf);
        let content = content.ok_or(Error::Internal("a leaf to be checked is blank"))?;
        requirements.check(&content.capabilities)?;
        let node = NodeIndex::of_leaf(leaf);
        if self.has_encryption_key(&content.encryption_key, Some(node)) {
            return Err(ENCRYPTION_KEY_TWICE);
        }
        let key = &content.signature_key;
        let candidates = self.signature_keys.candidates(key.as_slice());
        let mut others = candidates.filter_map(NodeIndex::as_leaf);
        if others
            .any(|other| other != leaf && self.leaf(other).is_some_and(|l| l.signature_key == *key))
        {
            return Err(SIGNATURE_KEY_TWICE);
        }
        Ok(())
    }

    /// Checks that every member has every credential type in use (section 7.3).
    ///
    /// # Errors
    ///
    /// [`PeerError::Invalid`] if not.
    pub fn check_credentials(&self) -> Result<()> {
        if self.credentials.are_supported_by(self.member_count()) {
            Ok(())
        } else {
            Err(CREDENTIAL_NOT_SUPPORTED)
        }
    }

    /// Whether a node other than `but` has this key.
    pub(super) fn has_encryption_key(&self, key: &HpkePublicKey, but: Option<NodeIndex>) -> bool {
        let mut candidates = self.encryption_keys.candidates(key.as_slice());
        candidates.any(|node| Some(node) != but && self.nodes.encryption_key(node) == Some(key))
    }
}

pub(super) fn check_public_key(suite: &dyn Suite, key: &HpkePublicKey) -> Result<()> {
    suite.check_public_key(key.as_slice()).map_err(Error::of_peer(PeerError::BadKey))
}

pub(super) const ENCRYPTION_KEY_TWICE: Error =
    Error::Peer(PeerError::Invalid("7.3: an encryption key is in the tree already"));
const SIGNATURE_KEY_TWICE: Error =
    Error::Peer(PeerError::Invalid("7.3: two members have one signature key"));
const CREDENTIAL_NOT_SUPPORTED: Error =
    Error::Peer(PeerError::Invalid("7.3: a member lacks a credential type in use"));

impl Encode for UnverifiedRatchetTree {
    fn encoded_len(&self) -> usize {
        self.0.encoded_len()
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.0.encode(out)
    }
}

impl Decode for UnverifiedRatchetTree {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.read().map(Self)
    }
}

impl KnownExtension for UnverifiedRatchetTree {
    const TYPE: ExtensionType = ExtensionType::RATCHET_TREE;
}
