//! What others have got wrong about changing a tree. The numbers in the names are those of the list
//! of known pitfalls.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod forged_tree;
mod group_model;

use burrow::{
    Error, PeerError,
    codec::Encode,
    crypto::derive_secret,
    tree::{GroupRequirements, MergedPath, RatchetTree, TreePrivateKeys},
    types::{
        HpkeCiphertexts, LeafIndex, LeafNodeContent, LeafNodeUse, UpdatePath, VerifiedLeafNode,
    },
};
use forged_tree::{Forged, refused, unmerged, with_suite};
use group_model::{Changes, GROUP_ID, Model, above, leaf_content, new_client, public_key};

#[test]
fn pitfall_7_removing_truncates_repeatedly() {
    with_suite(|suite| {
        let mut model = Model::warm(suite, 9);
        assert_eq!(model.tree.size().leaf_count(), 16);
        let removes = (4..9).rev().map(LeafIndex).collect();
        model.commit(LeafIndex(0), &Changes { removes, ..Changes::default() });
        assert_eq!(model.tree.size().leaf_count(), 4);
        let removes = (1..4).map(LeafIndex).collect();
        model.commit(LeafIndex(0), &Changes { removes, ..Changes::default() });
        assert_eq!(model.tree.size().leaf_count(), 1);
        // And up again.
        model.commit(LeafIndex(0), &Changes { adds: 8, ..Changes::default() });
        assert_eq!(model.tree.size().leaf_count(), 16);
    });
}

#[test]
fn pitfall_8_adding_takes_the_leftmost_blank_leaf() {
    with_suite(|suite| {
        let mut model = Model::warm(suite, 8);
        let removes = vec![LeafIndex(5), LeafIndex(2)];
        model.commit(LeafIndex(0), &Changes { removes, ..Changes::default() });
        let changes = Changes { adds: 3, without_path: true, ..Changes::default() };
        let staged = model.stage(&changes);
        assert_eq!(staged.added, [2, 5, 8].map(LeafIndex));
        let root_before = staged.tree.parent(above(0, 3)).unwrap();
        assert_eq!(root_before.unmerged_leaves, [2, 5].map(LeafIndex));
        assert!(staged.tree.parent(staged.tree.size().root()).is_none());
    });
}

/// A path that a member made for this tree, and the tree before it.
fn path_of(model: &Model<'_>, committer: u32) -> (RatchetTree, UpdatePath) {
    let mut tree = model.tree.clone();
    let path = model.rekey(&mut tree, LeafIndex(committer));
    let sealed = path.seal(model.suite, &tree, &[], b"context").unwrap();
    (model.tree.clone(), sealed)
}

fn merge(
    model: &Model<'_>,
    tree: &mut RatchetTree,
    sender: u32,
    path: &UpdatePath,
) -> burrow::Result<MergedPath> {
    let (suite, sender) = (model.suite, LeafIndex(sender));
    let leaf = path.leaf_node.clone();
    let leaf = leaf.verify(suite, LeafNodeUse::Commit, GROUP_ID, sender)?;
    tree.merge_path(suite, sender, leaf, &path.nodes, &[])
}

#[test]
fn pitfall_9_a_path_is_as_long_as_the_filtered_direct_path() {
    with_suite(|suite| {
        let mut model = Model::warm(suite, 8);
        let removes = [1, 2, 3].map(LeafIndex).to_vec();
        model.commit(LeafIndex(4), &Changes { removes, ..Changes::default() });
        let (tree, path) = path_of(&model, 0);
        // Of its three ancestors the lower two have nobody else below.
        assert_eq!(path.nodes.len(), 1);
        assert!(merge(&model, &mut tree.clone(), 0, &path).is_ok());
        let mut longer = path.clone();
        longer.nodes.push(path.nodes[0].clone());
        refused(merge(&model, &mut tree.clone(), 0, &longer), "7.5: a path has not one");
        let mut shorter = path.clone();
        shorter.nodes.clear();
        refused(merge(&model, &mut tree.clone(), 0, &shorter), "7.5: a path has not one");
        for count in [0, 2] {
            let mut other = path.clone();
            let sealed = other.nodes[0].encrypted_path_secret.get(0).unwrap();
            other.nodes[0].encrypted_path_secret =
                HpkeCiphertexts::new(&vec![sealed; count]).unwrap();
            refused(merge(&model, &mut tree.clone(), 0, &other), "7.6: a path has not one");
        }
    });
}

#[test]
fn pitfall_10_added_leaves_get_no_ciphertext() {
    with_suite(|suite| {
        let mut model = Model::warm(suite, 6);
        let mut staged = model.stage(&Changes { adds: 2, ..Changes::default() });
        let path = model.rekey(&mut staged.tree, LeafIndex(0));
        let counts = |added: &[LeafIndex]| {
            let sealed = path.seal(suite, &staged.tree, added, b"").unwrap();
            let nodes = sealed.nodes.iter();
            nodes.map(|node| node.encrypted_path_secret.len()).collect::<Vec<_>>()
        };
        assert_eq!(counts(&staged.added), [1, 1, 1]);
        assert_eq!(counts(&[]), [1, 1, 3]);
        // Theirs come in the Welcome, of the node that they have in common with the committer.
        assert!(path.path_secret_for(LeafIndex(6)) == path.path_secret_for(LeafIndex(4)));
        assert!(path.path_secret_for(LeafIndex(6)) != path.path_secret_for(LeafIndex(1)));
        assert!(path.path_secret_for(LeafIndex(0)).is_none());
    });
}

/// The commit secret comes after the path secret of the root, and is not that one: derived here by
/// hand from the secret that another member opens.
#[test]
fn pitfall_12_the_commit_secret_is_one_step_past_the_root() {
    with_suite(|suite| {
        let model = Model::warm(suite, 8);
        let mut tree = model.tree.clone();
        let path = model.rekey(&mut tree, LeafIndex(0));
        let sealed = path.seal(suite, &tree, &[], b"context").unwrap();
        let mut merged_tree = model.tree.clone();
        let merged = merge(&model, &mut merged_tree, 0, &sealed).unwrap();
        // In the right half, one knows the root's secret only; the sibling all of them.
        for (member, steps) in [(4, 1), (2, 2), (1, 3)] {
            let keys = &model.members[&LeafIndex(member)].keys;
            let (at, mut secret) =
                keys.open_path_secret(suite, &merged, &sealed.nodes, b"context").unwrap();
            assert_eq!(sealed.nodes.len() - at, steps);
            for _ in 1..steps {
                secret = derive_secret(suite, &secret, b"path").unwrap();
            }
            assert_ne!(secret, *path.commit_secret(), "that of the root");
            let commit_secret = derive_secret(suite, &secret, b"path").unwrap();
            assert_eq!(commit_secret, *path.commit_secret());
            let nodes = &sealed.nodes;
            let received = keys.receive_path(suite, &merged_tree, &merged, nodes, b"context");
            assert_eq!(received.unwrap().commit_secret, commit_secret);
        }
    });
}

#[test]
fn pitfall_13_a_path_blanks_all_and_resets_the_filtered_nodes() {
    with_suite(|suite| {
        let mut model = unmerged(suite);
        model.commit(LeafIndex(0), &Changes::default());
        let root = model.tree.parent(model.tree.size().root()).unwrap();
        assert!(root.unmerged_leaves.is_empty() && root.parent_hash.as_slice().is_empty());
        // Alone in the left half: the nodes that are filtered out become blank, not outdated.
        let removes = [1, 2].map(LeafIndex).to_vec();
        model.commit(LeafIndex(0), &Changes { removes, ..Changes::default() });
        model.commit(LeafIndex(3), &Changes::default());
        assert!(model.tree.parent(above(3, 2)).is_some());
        let removes = vec![LeafIndex(3)];
        model.commit(LeafIndex(5), &Changes { removes, ..Changes::default() });
        model.commit(LeafIndex(0), &Changes::default());
        assert!(model.tree.parent(above(0, 1)).is_none());
        assert!(model.tree.parent(above(0, 2)).is_none());
    });
}

#[test]
fn pitfall_21_keys_are_unique_in_a_commit_and_a_removed_one_is_free() {
    with_suite(|suite| {
        let model = Model::of(suite, 4);
        let requirements = GroupRequirements::default();
        let again = VerifiedLeafNode::trusted(model.tree.leaf(LeafIndex(2)).unwrap().clone());
        let mut tree = model.tree.clone();
        let leaf = tree.add_leaf(again.clone()).unwrap();
        refused(tree.check_leaf(leaf, &requirements), "7.3: an encryption key");
        refused(tree.check_leaf(LeafIndex(2), &requirements), "7.3: an encryption key");
        tree.remove_leaf(LeafIndex(2)).unwrap();
        assert_eq!(tree.check_leaf(leaf, &requirements), Ok(()));
        // One client with fresh encryption keys but the same signature key.
        let (signer, ..) = new_client(suite, "twin");
        let mut tree = model.tree.clone();
        let twins = [(); 2].map(|()| {
            let leaf_key = suite.generate_key_pair().unwrap();
            let content = leaf_content(suite, &signer, &leaf_key, "twin");
            let leaf = content.sign(suite, &signer, GROUP_ID, LeafIndex(0)).unwrap();
            tree.add_leaf(VerifiedLeafNode::trusted(leaf)).unwrap()
        });
        for leaf in twins {
            refused(tree.check_leaf(leaf, &requirements), "7.3: two members");
        }
    });
}

#[test]
fn pitfall_22_no_key_of_a_path_is_in_the_tree() {
    with_suite(|suite| {
        let model = Model::warm(suite, 4);
        let (tree, path) = path_of(&model, 0);
        assert!(merge(&model, &mut tree.clone(), 0, &path).is_ok());
        let rule = "7.3: an encryption key";
        let old_root = model.tree.parent(above(0, 2)).unwrap();
        let old_leaf = model.tree.leaf(LeafIndex(3)).unwrap();
        let keys = [
            old_root.encryption_key.clone(),
            old_leaf.encryption_key.clone(),
            path.nodes[1].encryption_key.clone(),
            path.leaf_node.encryption_key.clone(),
        ];
        for key in keys {
            let mut forged = path.clone();
            forged.nodes[0].encryption_key = key;
            refused(merge(&model, &mut tree.clone(), 0, &forged), rule);
        }
        // The leaf keeps its old key.
        let mut forged = path.clone();
        let content = LeafNodeContent {
            encryption_key: model.tree.leaf(LeafIndex(0)).unwrap().encryption_key.clone(),
            ..LeafNodeContent::clone(&path.leaf_node)
        };
        let signer = &model.members[&LeafIndex(0)].signer;
        forged.leaf_node = content.sign(suite, signer, GROUP_ID, LeafIndex(0)).unwrap();
        refused(merge(&model, &mut tree.clone(), 0, &forged), rule);
        // A key that nobody can encrypt to.
        let mut forged = path;
        forged.nodes[1].encryption_key = vec![0; 32].into();
        let merged = merge(&model, &mut tree.clone(), 0, &forged);
        assert_eq!(merged.err(), Some(Error::Peer(PeerError::BadKey)));
    });
}

#[test]
fn a_path_whose_parent_hash_or_secrets_do_not_fit_is_refused() {
    with_suite(|suite| {
        let model = Model::warm(suite, 4);
        let (tree, path) = path_of(&model, 0);
        // A key that the leaf's parent hash doesn't cover.
        let mut forged = path.clone();
        forged.nodes[1].encryption_key = public_key(&suite.generate_key_pair().unwrap());
        refused(merge(&model, &mut tree.clone(), 0, &forged), "7.5: the leaf's parent_hash");
        // Secrets in each other's places, sealed to the right members: the keys don't follow.
        let mut merged_tree = tree.clone();
        let merged = merge(&model, &mut merged_tree, 0, &path).unwrap();
        let receive = |member: u32, path: &UpdatePath, context: &[u8]| {
            let keys: &TreePrivateKeys = &model.members[&LeafIndex(member)].keys;
            keys.receive_path(suite, &merged_tree, &merged, &path.nodes, context)
        };
        assert!(receive(1, &path, b"context").is_ok());
        let undecryptable = Some(Error::Peer(PeerError::Undecryptable));
        assert_eq!(receive(1, &path, b"another").err(), undecryptable);
        let mut forged = path.clone();
        let mut sealed = forged.nodes[0].encrypted_path_secret.get(0).unwrap();
        sealed.ciphertext[3] ^= 1;
        forged.nodes[0].encrypted_path_secret = HpkeCiphertexts::new(&[sealed]).unwrap();
        assert_eq!(receive(1, &forged, b"context").err(), undecryptable);
        assert!(receive(2, &forged, b"context").is_ok());
        let (_, other) = path_of(&model, 0);
        refused(receive(1, &other, b"context"), "7.5: a path secret doesn't give");
        // The sender has nothing to open.
        assert_eq!(receive(0, &path, b"context").err(), undecryptable);
    });
}

/// An external committer takes a place that it makes, and its path replaces what was there.
#[test]
fn an_external_committer_joins_by_a_path() {
    with_suite(|suite| {
        let mut model = Model::warm(suite, 4);
        for removed in [None, Some(LeafIndex(2))] {
            let (signer, ..) = new_client(suite, "external");
            let before = {
                let mut tree = model.tree.clone();
                removed.map(|leaf| tree.remove_leaf(leaf).unwrap());
                tree
            };
            let description = model.tree.leaf(LeafIndex(0)).unwrap().into();
            let mut tree = before.clone();
            let leaf = tree.make_room().unwrap();
            assert_eq!(leaf, removed.unwrap_or(LeafIndex(4)));
            let path = tree.rekey_path(suite, leaf, description, &signer, GROUP_ID).unwrap();
            let sealed = path.seal(suite, &tree, &[], b"external").unwrap();
            let mut merged_tree = before;
            assert_eq!(merged_tree.make_room().unwrap(), leaf);
            let merged = merge(&model, &mut merged_tree, leaf.0, &sealed).unwrap();
            assert_eq!(merged_tree.to_bytes(), tree.to_bytes());
            assert!(Forged::new(&tree).verify(suite).is_ok());
            let mut followed = 0;
            for (place, member) in &mut model.members {
                if tree.leaf(*place).is_none() || *place == leaf {
                    continue;
                }
                member.keys.retain(&merged_tree);
                let nodes = &sealed.nodes;
                let received =
                    member.keys.receive_path(suite, &merged_tree, &merged, nodes, b"external");
                assert_eq!(&received.unwrap().commit_secret, path.commit_secret());
                followed += 1;
            }
            assert_eq!(followed, if removed.is_some() { 3 } else { 4 });
        }
    });
}
