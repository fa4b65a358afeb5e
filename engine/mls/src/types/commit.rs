//! Commits and the paths in them (sections 7.6 and 12.4).

use crypto_api::HpkeCiphertext;

use super::{LeafNode, ProposalOrRef};
use crate::{codec_struct, crypto::HpkePublicKey};

/// `Commit`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The proposals that it covers, in the order that they count in.
    pub proposals: Vec<ProposalOrRef>,
    /// Fresh keys on the committer's path.
    pub path: Option<UpdatePath>,
}
codec_struct!(Commit { proposals, path });

/// `UpdatePath`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdatePath {
    /// The committer's new leaf.
    pub leaf_node: LeafNode,
    /// The nodes of its filtered direct path, from the leaf up.
    pub nodes: Vec<UpdatePathNode>,
}
codec_struct!(UpdatePath { leaf_node, nodes });

/// `UpdatePathNode`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdatePathNode {
    /// The node's new key.
    pub encryption_key: HpkePublicKey,
    /// The node's path secret, sealed to each node in the resolution of its copath child.
    pub encrypted_path_secret: Vec<HpkeCiphertext>,
}
codec_struct!(UpdatePathNode { encryption_key, encrypted_path_secret });
