//! Trees that nobody would make, to be refused.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "no test file uses all of it")]

use burrow::{
    Error, PeerError,
    codec::{Decode, DecodeError, Encode, EncodeError, Reader},
    tree::{GroupRequirements, ParentNode, RatchetTree, UnverifiedRatchetTree},
    types::{LeafIndex, LeafNode, LeafNodeContent},
};
use crypto_api::{CipherSuite, CryptoBackend, Suite};
use crypto_rustcrypto::RustCrypto;

use crate::group_model::{Changes, GROUP_ID, Model, SeededRandom, above};

pub(crate) fn with_suite(test: impl FnOnce(&dyn Suite)) {
    let backend = RustCrypto::with_random(SeededRandom::new(1));
    test(backend.suite(CipherSuite(1)).unwrap());
}

/// A node as the ratchet_tree extension has it, to be forged.
#[derive(Clone)]
pub(crate) enum WireNode {
    Leaf(LeafNode),
    Parent(ParentNode),
}

impl Encode for WireNode {
    fn encoded_len(&self) -> usize {
        1 + match self {
            Self::Leaf(leaf) => leaf.encoded_len(),
            Self::Parent(parent) => parent.encoded_len(),
        }
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self {
            Self::Leaf(leaf) => {
                out.push(1);
                leaf.encode(out)
            }
            Self::Parent(parent) => {
                out.push(2);
                parent.encode(out)
            }
        }
    }
}

impl Decode for WireNode {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.read::<u8>()? {
            1 => reader.read().map(Self::Leaf),
            _ => reader.read().map(Self::Parent),
        }
    }
}

/// A tree's bytes, to be forged.
pub(crate) struct Forged(pub(crate) Vec<Option<WireNode>>);

impl Forged {
    pub(crate) fn new(tree: &RatchetTree) -> Self {
        Self(Vec::decode_exact(&tree.to_bytes().unwrap()).unwrap())
    }

    pub(crate) fn parent(&mut self, leaf: u32, level: u32) -> &mut ParentNode {
        match &mut self.0[above(leaf, level).0 as usize] {
            Some(WireNode::Parent(parent)) => parent,
            _ => panic!("no parent there"),
        }
    }

    /// Lets a member sign another leaf than its own.
    pub(crate) fn resign(
        &mut self,
        model: &Model<'_>,
        leaf: u32,
        change: impl FnOnce(&mut LeafNodeContent),
    ) {
        let member = &model.members[&LeafIndex(leaf)];
        let place = &mut self.0[2 * leaf as usize];
        let Some(WireNode::Leaf(old)) = place else { panic!("no leaf there") };
        let mut content = LeafNodeContent::clone(old);
        change(&mut content);
        let signed = content.sign(model.suite, &member.signer, GROUP_ID, LeafIndex(leaf));
        *old = signed.unwrap();
    }

    pub(crate) fn verify(&self, suite: &dyn Suite) -> burrow::Result<RatchetTree> {
        self.verify_with(suite, &GroupRequirements::default())
    }

    pub(crate) fn verify_with(
        &self,
        suite: &dyn Suite,
        asked: &GroupRequirements,
    ) -> burrow::Result<RatchetTree> {
        let tree = UnverifiedRatchetTree::decode_exact(&self.0.to_bytes().unwrap())?;
        tree.verify(suite, GROUP_ID, asked)
    }

    #[track_caller]
    pub(crate) fn is_refused(&self, suite: &dyn Suite, rule: &str) {
        refused(self.verify(suite), rule);
    }
}

/// Refused, as a peer's fault, by the rule of this section.
#[track_caller]
pub(crate) fn refused<T>(result: burrow::Result<T>, rule: &str) {
    match result.map(|_| ()) {
        Err(Error::Peer(PeerError::Invalid(text))) if text.starts_with(rule) => {}
        other => panic!("{other:?} instead of {rule}"),
    }
}

/// Eight members, all nodes set, then leaf 3 replaced by a newcomer: it is unmerged at the nodes that
/// the committer on the other side didn't reset.
pub(crate) fn unmerged(suite: &dyn Suite) -> Model<'_> {
    let mut model = Model::warm(suite, 8);
    let removes = vec![LeafIndex(3)];
    model.commit(LeafIndex(0), &Changes { removes, ..Changes::default() });
    model.commit(LeafIndex(2), &Changes::default());
    model.commit(LeafIndex(1), &Changes::default());
    let changes = Changes { adds: 1, without_path: true, ..Changes::default() };
    model.commit(LeafIndex(7), &changes);
    for level in 2..=3 {
        let parent = model.tree.parent(above(3, level)).unwrap();
        assert_eq!(parent.unmerged_leaves, [LeafIndex(3)]);
    }
    assert!(Forged::new(&model.tree).verify(suite).is_ok());
    model
}
