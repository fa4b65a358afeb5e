//! What is in a tree (sections 7.1 and 12.4.3.3).

use crate::{
    codec::{Decode, DecodeError, Encode, EncodeError, Reader},
    crypto::{HpkePublicKey, ParentHash},
    types::{LeafIndex, LeafNode},
};

/// `ParentNode`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParentNode {
    /// The key that the members below have the private key of, but for the unmerged ones.
    pub encryption_key: HpkePublicKey,
    /// The parent hash of the next node above that was set in the same path; empty for the topmost.
    pub parent_hash: ParentHash,
    /// The leaves below that don't have the private key, in ascending order.
    pub unmerged_leaves: Vec<LeafIndex>,
}

impl Encode for ParentNode {
    fn encoded_len(&self) -> usize {
        self.encryption_key.encoded_len()
            + self.parent_hash.encoded_len()
            + self.unmerged_leaves.encoded_len()
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.encryption_key.encode(out)?;
        self.parent_hash.encode(out)?;
        self.unmerged_leaves.encode(out)
    }
}

impl Decode for ParentNode {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let node = Self {
            encryption_key: reader.read()?,
            parent_hash: reader.read()?,
            unmerged_leaves: reader.read()?,
        };
        // Section 7.1: in increasing order, so that no leaf is there twice, either.
        if node.unmerged_leaves.is_sorted_by(|a, b| a < b) {
            Ok(node)
        } else {
            Err(DecodeError::InvalidValue("unmerged_leaves in descending order"))
        }
    }
}

/// `NodeType`.
pub(super) const LEAF: u8 = 1;
/// `NodeType`.
pub(super) const PARENT: u8 = 2;

/// `Node`, as the ratchet_tree extension has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    Leaf(LeafNode),
    Parent(ParentNode),
}

impl Decode for Node {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.read::<u8>()? {
            LEAF => reader.read().map(Self::Leaf),
            PARENT => reader.read().map(Self::Parent),
            _ => Err(DecodeError::InvalidValue("NodeType")),
        }
    }
}
