//! Random groups, seeded: whatever the order of changes, everybody has the same tree and the keys
//! that belong to it, and a newcomer finds the tree valid.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod group_model;

use burrow::{
    codec::{Decode, Encode},
    tree::{GroupRequirements, RatchetTree, UnverifiedRatchetTree},
    types::LeafIndex,
};
use crypto_api::{CipherSuite, CryptoBackend};
use crypto_rustcrypto::RustCrypto;
use group_model::{Changes, Model, Rng, SeededRandom, new_client};

/// A run of random commits from a group of `start` members, which may have `limit`. Returns how many
/// times a member has gone to a new epoch.
fn run(suite: u16, seed: u64, commits: usize, start: usize, limit: usize) -> usize {
    let backend = RustCrypto::with_random(SeededRandom::new(seed));
    let suite = backend.suite(CipherSuite(suite)).unwrap();
    let mut rng = Rng::new(seed);
    let mut model = Model::of(suite, start);
    let mut followed = 0;
    for _ in 0..commits {
        let mut leaves: Vec<LeafIndex> = model.members.keys().copied().collect();
        let committer = rng.draw(&mut leaves, 1)[0];
        let room = limit - leaves.len() - 1;
        let mut changes = Changes::default();
        match rng.below(4) {
            // Half of the commits only add, so that leaves stay unmerged.
            0 | 1 => changes.adds = (1 + rng.below(4)).min(room),
            2 => {
                let count = rng.below(2 + leaves.len() / 4);
                changes.removes = rng.draw(&mut leaves, count);
            }
            _ => {
                let count = rng.below(3);
                changes.removes = rng.draw(&mut leaves, count);
                let count = rng.below(3);
                changes.updates = rng.draw(&mut leaves, count);
                changes.adds = rng.below(3).min(room);
            }
        }
        let adds_only =
            changes.adds > 0 && changes.removes.is_empty() && changes.updates.is_empty();
        changes.without_path = adds_only && rng.below(2) == 0;
        model.commit(committer, &changes);
        followed += model.members.len();
    }
    followed
}

#[test]
fn random_groups_of_suite_1() {
    let followed: usize = (1..=12).map(|seed| run(1, seed, 60, 1, 20)).sum();
    assert!(followed > 4000, "{followed}");
}

#[test]
fn random_groups_of_other_suites() {
    for suite in [2, 3, 4, 5, 7] {
        let followed = run(suite, u64::from(suite), 20, 2, 8);
        assert!(followed > 40, "suite {suite}: {followed}");
    }
}

/// An off-by-one in the choice of the ciphertext shows in big trees only.
#[test]
fn pitfall_11_the_receiver_picks_by_the_index_in_the_filtered_resolution() {
    let followed = run(1, 77, 40, 100, 120);
    assert!(followed > 40 * 50, "{followed}");
}

/// Adds and removes without any path, so that nothing but the tree is there: many, in big trees.
#[test]
fn the_incremental_tree_is_the_tree_from_scratch() {
    let backend = RustCrypto::with_random(SeededRandom::new(5));
    let suite = backend.suite(CipherSuite(1)).unwrap();
    let clients: Vec<_> = (0..80).map(|n| new_client(suite, &n.to_string())).collect();
    for seed in 1..=20 {
        let mut rng = Rng::new(seed);
        let mut outside: Vec<_> = clients.iter().map(|(.., package)| package.leaf()).collect();
        let mut tree = RatchetTree::new(rng.draw(&mut outside, 1)[0].clone());
        for _ in 0..150 {
            let mut inside: Vec<LeafIndex> = tree.members().map(|(leaf, _)| leaf).collect();
            if !outside.is_empty() && (inside.len() < 2 || rng.below(5) < 3) {
                let blank = (0..).map(LeafIndex).find(|leaf| !inside.contains(leaf));
                let leaf = rng.draw(&mut outside, 1).remove(0);
                assert_eq!(tree.add_leaf(leaf).ok(), blank);
            } else {
                let leaf = rng.draw(&mut inside, 1)[0];
                let removed = tree.remove_leaf(leaf).unwrap();
                let mut known = clients.iter().map(|(.., package)| package.leaf());
                outside.push(known.find(|leaf| **leaf == removed).unwrap());
            }
            compare_with_scratch(suite, &tree);
        }
    }
}

fn compare_with_scratch(suite: &dyn crypto_api::Suite, tree: &RatchetTree) {
    let bytes = tree.to_bytes().unwrap();
    let scratch = UnverifiedRatchetTree::decode_exact(&bytes).unwrap();
    assert_eq!(scratch.node_count(), tree.size().node_count());
    let hash = scratch.tree_hash(suite).unwrap();
    assert_eq!(tree.tree_hash(suite).unwrap(), hash);
    let scratch = scratch.trust();
    assert_eq!(scratch.member_count(), tree.member_count());
    assert_eq!(scratch.to_bytes().unwrap(), bytes);
}

/// A failed or dropped attempt leaves the tree that it was staged on alone.
#[test]
fn a_clone_is_another_tree() {
    let backend = RustCrypto::with_random(SeededRandom::new(9));
    let suite = backend.suite(CipherSuite(1)).unwrap();
    let mut model = Model::warm(suite, 9);
    let bytes = model.tree.to_bytes().unwrap();
    let hash = model.tree.tree_hash(suite).unwrap();
    let changes = Changes {
        updates: vec![LeafIndex(2)],
        removes: vec![LeafIndex(8), LeafIndex(3)],
        adds: 4,
        without_path: false,
    };
    let mut staged = model.stage(&changes);
    let path = model.rekey(&mut staged.tree, LeafIndex(0));
    assert_ne!(staged.tree.tree_hash(suite).unwrap(), hash);
    drop(path);
    assert_eq!(model.tree.to_bytes().unwrap(), bytes);
    assert_eq!(model.tree.tree_hash(suite).unwrap(), hash);
    model.check();
    let scratch = UnverifiedRatchetTree::decode_exact(&bytes).unwrap();
    let requirements = GroupRequirements::default();
    scratch.verify(suite, group_model::GROUP_ID, &requirements).unwrap();
}
