//! What others have got wrong about a tree that one is given, shown with its bytes. The numbers in
//! the names are those of the list of known pitfalls.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod forged_tree;
mod group_model;

use burrow::{
    Error, PeerError,
    codec::{Decode, DecodeError, Encode},
    tree::{GroupRequirements, TreePrivateKeys, UnverifiedRatchetTree},
    types::{LeafIndex, LeafNode, LeafNodeSource},
};
use forged_tree::{Forged, WireNode, refused, unmerged, with_suite};
use group_model::{Changes, GROUP_ID, Model, above, new_client};

#[test]
fn pitfall_1_unmerged_leaves_ascend() {
    with_suite(|suite| {
        let model = unmerged(suite);
        for list in [[3, 3], [5, 3]] {
            let mut forged = Forged::new(&model.tree);
            forged.parent(3, 3).unmerged_leaves = list.map(LeafIndex).to_vec();
            let malformed = PeerError::Malformed(DecodeError::InvalidValue(
                "unmerged_leaves in descending order",
            ));
            assert_eq!(forged.verify(suite).err(), Some(Error::Peer(malformed)));
        }
    });
}

#[test]
fn pitfall_1_unmerged_leaves_are_members_below_and_in_every_node_between() {
    with_suite(|suite| {
        let model = unmerged(suite);
        // Not below the node; beyond the tree; a number that would wrap around as a node's.
        for foreign in [5, 8, 1 << 31 | 3] {
            let mut forged = Forged::new(&model.tree);
            forged.parent(3, 2).unmerged_leaves.push(LeafIndex(foreign));
            forged.is_refused(suite, "12.4.3.1: an unmerged leaf is blank or not below");
        }
        let mut forged = Forged::new(&model.tree);
        forged.parent(3, 2).unmerged_leaves.clear();
        forged.is_refused(suite, "12.4.3.1: an unmerged leaf is missing");
        // A blank leaf.
        let mut forged = Forged::new(&model.tree);
        forged.0[2 * 3] = None;
        forged.is_refused(suite, "12.4.3.1: an unmerged leaf is blank");
    });
}

#[test]
fn pitfall_2_the_original_sibling_tree_hash_is_without_the_unmerged_leaves() {
    with_suite(|suite| {
        // The left half of 16 is set; newcomers on both sides of it; then the other side commits,
        // and a newcomer has to find the old links valid.
        let mut model = Model::warm(suite, 12);
        let removes = vec![LeafIndex(1), LeafIndex(5)];
        model.commit(LeafIndex(2), &Changes { removes, ..Changes::default() });
        model.commit(LeafIndex(6), &Changes::default());
        model.commit(LeafIndex(3), &Changes::default());
        let changes = Changes { adds: 5, without_path: true, ..Changes::default() };
        model.commit(LeafIndex(0), &changes);
        let root = model.tree.size().root();
        assert_eq!(model.tree.parent(root).unwrap().unmerged_leaves.len(), 5);
        model.commit(LeafIndex(9), &Changes::default());
        model.commit(LeafIndex(11), &Changes { adds: 1, ..Changes::default() });
        assert!(!model.tree.parent(above(0, 3)).unwrap().unmerged_leaves.is_empty());
        assert!(Forged::new(&model.tree).verify(suite).is_ok());
    });
}

#[test]
fn pitfall_3_every_parent_has_a_parent_hash_chain() {
    with_suite(|suite| {
        let model = Model::warm(suite, 8);
        let rule = "7.9.2";
        // The leaf that all chains start at now, and one that they cover as a sibling.
        for leaf in [7, 0] {
            let mut forged = Forged::new(&model.tree);
            forged.resign(&model, leaf, |content| {
                let LeafNodeSource::Commit(parent_hash) = &mut content.leaf_node_source else {
                    panic!("not from a commit")
                };
                parent_hash[0] ^= 1;
            });
            forged.is_refused(suite, rule);
        }
        for level in 1..3 {
            let mut forged = Forged::new(&model.tree);
            let parent = forged.parent(7, level);
            let mut other = parent.parent_hash.as_slice().to_vec();
            other[31] ^= 0x80;
            parent.parent_hash = other.into();
            forged.is_refused(suite, rule);
            let mut forged = Forged::new(&model.tree);
            forged.parent(7, level).parent_hash = Vec::new().into();
            forged.is_refused(suite, rule);
            let mut forged = Forged::new(&model.tree);
            forged.0[above(7, level).0 as usize] = None;
            forged.is_refused(suite, rule);
        }
        // A leaf that says it is from a key package links nothing, either.
        let mut forged = Forged::new(&model.tree);
        forged.resign(&model, 7, |content| content.leaf_node_source = LeafNodeSource::Update);
        forged.is_refused(suite, rule);
    });
}

#[test]
fn pitfall_4_the_resolution_is_one_node_and_the_unmerged_leaves() {
    with_suite(|suite| {
        let model = unmerged(suite);
        // Leaf 3 is below the child with the link and unmerged: without it in the list the
        // resolution is too long.
        let mut forged = Forged::new(&model.tree);
        forged.parent(3, 3).unmerged_leaves.clear();
        forged.is_refused(suite, "7.9.2");
        // With one too many in the lists it doesn't cover what it should.
        let mut forged = Forged::new(&model.tree);
        for level in 1..=3 {
            let parent = forged.0[above(0, level).0 as usize].clone();
            if let Some(WireNode::Parent(_)) = parent {
                forged.parent(0, level).unmerged_leaves.insert(0, LeafIndex(0));
            }
        }
        forged.is_refused(suite, "7.9.2");
    });
}

#[test]
fn pitfall_5_the_tree_hash_covers_blank_padding_by_leaf_index() {
    with_suite(|suite| {
        let mut model = Model::new(suite);
        let changes = Changes { adds: 2, without_path: true, ..Changes::default() };
        model.commit(LeafIndex(0), &changes);
        // By hand, for three members and one blank leaf.
        let leaf = |index: u32| {
            let leaf = model.tree.leaf(LeafIndex(index));
            let present = [u8::from(leaf.is_some())];
            let bytes = leaf.map_or(&[][..], LeafNode::as_bytes);
            suite.hash(&[&[1], &index.to_be_bytes(), &present, bytes])
        };
        let parent = |left: crypto_api::Digest, right: crypto_api::Digest| {
            suite.hash(&[&[2, 0, 32], left.as_slice(), &[32], right.as_slice()])
        };
        let root = parent(parent(leaf(0), leaf(1)), parent(leaf(2), leaf(3)));
        assert_eq!(model.tree.tree_hash(suite).unwrap(), root);
    });
}

#[test]
fn pitfall_6_the_last_node_is_not_blank() {
    with_suite(|suite| {
        let tree = Model::of(suite, 3).tree;
        let refused = |bytes: &[u8]| {
            let error = UnverifiedRatchetTree::decode_exact(bytes).err();
            assert!(matches!(error, Some(DecodeError::InvalidValue(_))), "{error:?}");
        };
        refused(&[0]);
        refused(&[1, 0]);
        refused(&[3, 0, 0, 0]);
        let mut forged = Forged::new(&tree);
        assert_eq!(forged.0.len(), 5);
        for _ in 0..2 {
            forged.0.push(None);
            refused(&forged.0.to_bytes().unwrap());
        }
        // Nodes in the others' places.
        let mut forged = Forged::new(&tree);
        forged.0[1] = forged.0[0].clone();
        refused(&forged.0.to_bytes().unwrap());
        let mut forged = Forged::new(&tree);
        forged.0[2] = forged.0[3].clone();
        refused(&forged.0.to_bytes().unwrap());
    });
}

#[test]
fn pitfall_21_keys_are_unique_when_joining() {
    with_suite(|suite| {
        let model = Model::of(suite, 4);
        let other = model.tree.leaf(LeafIndex(1)).unwrap().clone();
        let mut forged = Forged::new(&model.tree);
        let key = other.encryption_key.clone();
        forged.resign(&model, 2, |content| content.encryption_key = key.clone());
        forged.is_refused(suite, "7.3: an encryption key");
        let mut forged = Forged::new(&model.tree);
        forged.parent(0, 1).encryption_key = key;
        forged.is_refused(suite, "7.3: an encryption key");
        let mut forged = Forged::new(&model.tree);
        let key = other.signature_key.clone();
        forged.resign(&model, 2, |content| content.signature_key = key);
        forged.is_refused(suite, "7.3: two members");
    });
}

#[test]
fn pitfall_31_a_joiner_derives_from_the_common_ancestor_and_compares() {
    with_suite(|suite| {
        let mut model = Model::warm(suite, 6);
        let mut staged = model.stage(&Changes { adds: 1, ..Changes::default() });
        let path = model.rekey(&mut staged.tree, LeafIndex(0));
        let joiner = staged.added[0];
        let tree = &staged.tree;
        let secret = path.path_secret_for(joiner);
        let join = |leaf_key: &crypto_api::HpkePrivateKey, signer: u32, secret| {
            let signer = LeafIndex(signer);
            TreePrivateKeys::join(suite, tree, joiner, leaf_key.clone(), signer, secret)
        };
        let (_, leaf_key, package) = new_client(suite, "joiner");
        assert!(join(&leaf_key, 0, secret).is_err());
        let mut with_joiner = tree.clone();
        with_joiner.remove_leaf(joiner).unwrap();
        // Put it in the place again, under a path.
        assert_eq!(with_joiner.add_leaf(package.leaf()).ok(), Some(joiner));
        let path = model.rekey(&mut with_joiner, LeafIndex(0));
        let tree = &with_joiner;
        let join = |signer: u32, secret| {
            let signer = LeafIndex(signer);
            TreePrivateKeys::join(suite, tree, joiner, leaf_key.clone(), signer, secret)
        };
        let right = path.path_secret_for(joiner);
        let keys = join(0, right).unwrap();
        let root = tree.size().root();
        let public = tree.parent(root).unwrap().encryption_key.as_slice();
        assert_eq!(keys.get(root).unwrap().public(), public);
        assert_eq!(join(0, None).unwrap().above().count(), 0);
        refused(join(0, path.path_secret_for(LeafIndex(1))), "7.5: a path secret");
        // The ancestor in common with another signer is another node, and not this secret's.
        refused(join(5, right), "12.4.3.1: a path secret for a node that is blank");
        refused(join(joiner.0, right), "12.4.3.1: the signer");
        refused(join(7, right), "12.4.3.1: the signer");
    });
}

#[test]
fn every_leaf_is_signed_and_every_key_is_good() {
    with_suite(|suite| {
        let model = Model::cold(suite, 5);
        for leaf in 0..5_usize {
            let mut bytes = Forged::new(&model.tree);
            let Some(WireNode::Leaf(node)) = &bytes.0[2 * leaf] else { panic!("no leaf there") };
            let mut encoded = node.to_bytes().unwrap();
            *encoded.last_mut().unwrap() ^= 1;
            bytes.0[2 * leaf] = Some(WireNode::Leaf(LeafNode::decode_exact(&encoded).unwrap()));
            let error = Error::Peer(PeerError::BadSignature);
            assert_eq!(bytes.verify(suite).err(), Some(error));
        }
        let mut forged = Forged::new(&model.tree);
        forged.resign(&model, 3, |content| content.encryption_key = vec![0; 32].into());
        assert_eq!(forged.verify(suite).err(), Some(Error::Peer(PeerError::BadKey)));
    });
}

/// Not one byte of a tree is without meaning, and none that is wrong, missing or too many does harm.
#[test]
fn an_altered_tree_is_refused() {
    with_suite(|suite| {
        let model = unmerged(suite);
        let bytes = model.tree.to_bytes().unwrap();
        let verify = |bytes: &[u8]| {
            let tree = UnverifiedRatchetTree::decode_exact(bytes)?;
            let verified = tree.verify(suite, GROUP_ID, &GroupRequirements::default());
            verified.map(|_| ())
        };
        assert_eq!(verify(&bytes), Ok(()));
        let mut decoded = 0;
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1 << (at % 8);
            assert!(verify(&other).is_err(), "byte {at}");
            decoded += usize::from(UnverifiedRatchetTree::decode_exact(&other).is_ok());
            assert!(verify(&bytes[..at]).is_err(), "cut at {at}");
        }
        assert!(decoded > bytes.len() / 2, "{decoded}");
        assert!(verify(&[&bytes[..], &[0]].concat()).is_err());
    });
}
