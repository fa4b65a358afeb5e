//! The working group's `tree-math.json`, `tree-operations.json`, `tree-validation.json` and
//! `treekem.json`, every suite on every backend that has it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod vectors;

use burrow::{
    codec::{Decode, Encode},
    tree::{
        GroupRequirements, LeafDescription, MergedPath, NodeIndex, RatchetTree, TreePrivateKeys,
        TreeSize, UnverifiedRatchetTree, node_key,
    },
    types::{
        Extensions, GroupContext, LeafIndex, LeafNodeUse, Proposal, ProtocolVersion, UpdatePath,
        VerifiedLeafNode,
    },
};
use crypto_api::{CipherSuite, CryptoBackend, Secret, Suite};
use crypto_aws_lc::AwsLc;
use crypto_rustcrypto::RustCrypto;
use serde::Deserialize;
use vectors::Hex;

/// How much was really compared: a file that shrinks, or a loop that runs over nothing, shows.
#[derive(Default)]
struct Tally {
    cases: usize,
    comparisons: usize,
}

impl Tally {
    #[track_caller]
    fn same<A: PartialEq<B> + std::fmt::Debug, B: std::fmt::Debug>(&mut self, ours: A, theirs: B) {
        assert_eq!(ours, theirs);
        self.comparisons += 1;
    }

    #[track_caller]
    fn at_least(&self, cases: usize, comparisons: usize) {
        assert!(self.cases >= cases, "{} cases only", self.cases);
        let count = self.comparisons;
        assert!(count >= comparisons, "{count} comparisons only");
    }
}

/// Runs `check` on each case with each backend that has its suite, and returns the tallies.
fn on_backends<C>(
    cases: &[C],
    suite_of: impl Fn(&C) -> u16,
    check: impl Fn(&dyn Suite, &C, &mut Tally),
) -> [Tally; 2] {
    let backends: [&dyn CryptoBackend; 2] = [&RustCrypto::new(), &AwsLc::new()];
    backends.map(|backend| {
        let mut tally = Tally::default();
        for case in cases {
            if let Ok(suite) = backend.suite(CipherSuite(suite_of(case))) {
                check(suite, case, &mut tally);
                tally.cases += 1;
            }
        }
        tally
    })
}

#[derive(Deserialize)]
struct TreeMath {
    n_leaves: u32,
    n_nodes: u32,
    root: u32,
    left: Vec<Option<u32>>,
    right: Vec<Option<u32>>,
    parent: Vec<Option<u32>>,
    sibling: Vec<Option<u32>>,
}

#[test]
fn tree_math() {
    let Some(cases) = vectors::load::<Vec<TreeMath>>("tree-math.json") else {
        return;
    };
    let mut tally = Tally::default();
    for case in &cases {
        let size = TreeSize::for_leaves(case.n_leaves).unwrap();
        tally.same(size.leaf_count(), case.n_leaves);
        tally.same(size.node_count(), case.n_nodes);
        tally.same(size.root().0, case.root);
        for at in 0..case.n_nodes {
            let (node, place) = (NodeIndex(at), at as usize);
            let children = node.children();
            tally.same(children.map(|[left, _]| left.0), case.left[place]);
            tally.same(children.map(|[_, right]| right.0), case.right[place]);
            tally.same(size.parent(node).map(|n| n.0), case.parent[place]);
            tally.same(size.sibling(node).map(|n| n.0), case.sibling[place]);
        }
        tally.cases += 1;
    }
    tally.at_least(10, 8174);
}

#[derive(Deserialize)]
struct TreeOperations {
    cipher_suite: u16,
    tree_before: Hex,
    proposal: Hex,
    proposal_sender: u32,
    tree_hash_before: Hex,
    tree_after: Hex,
    tree_hash_after: Hex,
}

#[test]
fn tree_operations() {
    let Some(cases) = vectors::load::<Vec<TreeOperations>>("tree-operations.json") else {
        return;
    };
    let tallies = on_backends(
        &cases,
        |case| case.cipher_suite,
        |suite, case, tally| {
            let unverified = UnverifiedRatchetTree::decode_exact(&case.tree_before.0).unwrap();
            tally.same(unverified.to_bytes().unwrap(), &*case.tree_before.0);
            // The file doesn't say the group's id, which the leaves' signatures cover.
            let before = unverified.trust();
            let mut tree = before.clone();
            // Cached hashes have to be forgotten, and a clone must not notice.
            let hash_before = tree.tree_hash(suite).unwrap();
            tally.same(hash_before.as_slice(), &*case.tree_hash_before.0);
            apply(&mut tree, &case.proposal.0, LeafIndex(case.proposal_sender));
            tally.same(tree.to_bytes().unwrap(), &*case.tree_after.0);
            let hash_after = tree.tree_hash(suite).unwrap();
            tally.same(hash_after.as_slice(), &*case.tree_hash_after.0);
            tally.same(before.to_bytes().unwrap(), &*case.tree_before.0);
            tally.same(before.tree_hash(suite).unwrap(), hash_before);
        },
    );
    tallies.iter().for_each(|tally| tally.at_least(5, 30));
}

fn apply(tree: &mut RatchetTree, proposal: &[u8], sender: LeafIndex) {
    match Proposal::decode_exact(proposal).unwrap() {
        Proposal::Add(key_package) => {
            let leaf = VerifiedLeafNode::trusted(key_package.leaf_node.clone());
            tree.add_leaf(leaf).unwrap();
        }
        Proposal::Update(leaf) => tree
            .update_leaf(sender, VerifiedLeafNode::trusted(leaf))
            .unwrap(),
        Proposal::Remove(removed) => {
            tree.remove_leaf(removed).unwrap();
        }
        other => panic!("{other:?}"),
    }
}

#[derive(Deserialize)]
struct TreeValidation {
    cipher_suite: u16,
    tree: Hex,
    group_id: Hex,
    resolutions: Vec<Vec<u32>>,
    tree_hashes: Vec<Hex>,
}

#[test]
fn tree_validation() {
    let Some(cases) = vectors::load::<Vec<TreeValidation>>("tree-validation.json") else {
        return;
    };
    let [all, some] = on_backends(
        &cases,
        |case| case.cipher_suite,
        |suite, case, tally| {
            let tree = UnverifiedRatchetTree::decode_exact(&case.tree.0).unwrap();
            tally.same(tree.to_bytes().unwrap(), &*case.tree.0);
            tally.same(tree.node_count() as usize, case.resolutions.len());
            tally.same(tree.node_count() as usize, case.tree_hashes.len());
            for (node, resolution) in (0..).map(NodeIndex).zip(&case.resolutions) {
                let ours: Vec<_> = tree.resolution(node).iter().map(|n| n.0).collect();
                tally.same(&ours, resolution);
            }
            for (node, hash) in (0..).map(NodeIndex).zip(&case.tree_hashes) {
                let ours = tree.node_tree_hash(suite, node).unwrap();
                tally.same(ours.as_slice(), &*hash.0);
            }
            // Parent hashes and signatures, and all else that joining asks for.
            let root = tree.tree_hash(suite).unwrap();
            let other_group = tree.clone();
            let requirements = GroupRequirements::default();
            let tree = tree.verify(suite, &case.group_id.0, &requirements).unwrap();
            tally.same(tree.tree_hash(suite).unwrap(), root);
            tally.same(tree.to_bytes().unwrap(), &*case.tree.0);
            // Every one of these trees has a leaf whose signature covers the group's id.
            assert!(other_group.verify(suite, b"?", &requirements).is_err());
        },
    );
    all.at_least(98, 6846);
    some.at_least(70, 4890);
}

#[derive(Deserialize)]
struct TreeKem {
    cipher_suite: u16,
    group_id: Hex,
    epoch: u64,
    confirmed_transcript_hash: Hex,
    ratchet_tree: Hex,
    leaves_private: Vec<LeafPrivate>,
    update_paths: Vec<Path>,
}

#[derive(Deserialize)]
struct LeafPrivate {
    index: u32,
    encryption_priv: Hex,
    signature_priv: Hex,
    path_secrets: Vec<NodeSecret>,
}

#[derive(Deserialize)]
struct NodeSecret {
    node: u32,
    path_secret: Hex,
}

#[derive(Deserialize)]
struct Path {
    sender: u32,
    update_path: Hex,
    path_secrets: Vec<Option<Hex>>,
    commit_secret: Hex,
    tree_hash_after: Hex,
}

#[test]
fn treekem() {
    let Some(cases) = vectors::load::<Vec<TreeKem>>("treekem.json") else {
        return;
    };
    let [all, some] = on_backends(&cases, |case| case.cipher_suite, check_treekem);
    all.at_least(77, 20_671);
    some.at_least(55, 14_765);
}

fn check_treekem(suite: &dyn Suite, case: &TreeKem, tally: &mut Tally) {
    let tree = UnverifiedRatchetTree::decode_exact(&case.ratchet_tree.0).unwrap();
    let requirements = GroupRequirements::default();
    let tree = tree.verify(suite, &case.group_id.0, &requirements).unwrap();
    let members: Vec<_> = case
        .leaves_private
        .iter()
        .map(|leaf| private_keys(suite, &tree, leaf, tally))
        .collect();
    tally.same(members.len(), tree.member_count());
    for path in &case.update_paths {
        let theirs = UpdatePath::decode_exact(&path.update_path.0).unwrap();
        let (merged_tree, merged) = merge(suite, case, &tree, LeafIndex(path.sender), &theirs);
        let hash = merged_tree.tree_hash(suite).unwrap();
        tally.same(hash.as_slice(), &*path.tree_hash_after.0);
        let context = group_context(suite, case, &merged_tree);
        for keys in members.iter().filter(|keys| keys.leaf().0 != path.sender) {
            let nodes = &theirs.nodes;
            let (_, secret) = keys
                .open_path_secret(suite, &merged, nodes, &context)
                .unwrap();
            let expected = path.path_secrets[keys.leaf().as_usize()].as_ref();
            tally.same(secret.as_slice(), &*expected.unwrap().0);
            let received = keys
                .receive_path(suite, &merged_tree, &merged, nodes, &context)
                .unwrap();
            tally.same(received.commit_secret.as_slice(), &*path.commit_secret.0);
            check_keys(&received.private_keys, &merged_tree, tally);
        }
        check_own_path(suite, case, &tree, &members, LeafIndex(path.sender), tally);
    }
}

/// The private state that the file describes, compared with the tree.
fn private_keys(
    suite: &dyn Suite,
    tree: &RatchetTree,
    leaf: &LeafPrivate,
    tally: &mut Tally,
) -> TreePrivateKeys {
    let index = LeafIndex(leaf.index);
    let signer = suite.signing_key(&leaf.signature_priv.0).unwrap();
    let signature_key = &tree.leaf(index).unwrap().signature_key;
    tally.same(signer.public(), signature_key.as_slice());
    let leaf_key = suite.private_key(&leaf.encryption_priv.0).unwrap();
    let mut keys = TreePrivateKeys::new(index, leaf_key);
    for secret in &leaf.path_secrets {
        let path_secret = Secret::copy_from(&secret.path_secret.0);
        let key = node_key(suite, &path_secret).unwrap();
        keys.set(NodeIndex(secret.node), key).unwrap();
    }
    tally.same(keys.above().count(), leaf.path_secrets.len());
    check_keys(&keys, tree, tally);
    keys
}

/// Each private key is that of the public key in the tree.
fn check_keys(keys: &TreePrivateKeys, tree: &RatchetTree, tally: &mut Tally) {
    let leaf = tree.leaf(keys.leaf()).unwrap();
    tally.same(keys.leaf_key().public(), leaf.encryption_key.as_slice());
    for (node, key) in keys.above() {
        let public = &tree.parent(node).unwrap().encryption_key;
        tally.same(key.public(), public.as_slice());
    }
}

fn merge(
    suite: &dyn Suite,
    case: &TreeKem,
    tree: &RatchetTree,
    sender: LeafIndex,
    path: &UpdatePath,
) -> (RatchetTree, MergedPath) {
    let leaf = path.leaf_node.clone();
    let leaf = leaf
        .verify(suite, LeafNodeUse::Commit, &case.group_id.0, sender)
        .unwrap();
    let mut merged_tree = tree.clone();
    let merged = merged_tree
        .merge_path(suite, sender, leaf, &path.nodes, &[])
        .unwrap();
    let requirements = GroupRequirements::default();
    merged_tree.check_leaf(sender, &requirements).unwrap();
    merged_tree.check_credentials().unwrap();
    (merged_tree, merged)
}

fn group_context(suite: &dyn Suite, case: &TreeKem, tree: &RatchetTree) -> Vec<u8> {
    let context = GroupContext {
        version: ProtocolVersion::MLS10,
        cipher_suite: suite.cipher_suite(),
        group_id: case.group_id.0.clone(),
        epoch: case.epoch,
        tree_hash: tree.tree_hash(suite).unwrap().as_slice().to_vec(),
        confirmed_transcript_hash: case.confirmed_transcript_hash.0.clone(),
        extensions: Extensions::new(),
    };
    context.to_bytes().unwrap()
}

/// A path of our own from the same sender, which all others have to be able to open.
fn check_own_path(
    suite: &dyn Suite,
    case: &TreeKem,
    tree: &RatchetTree,
    members: &[TreePrivateKeys],
    sender: LeafIndex,
    tally: &mut Tally,
) {
    let mut private = case.leaves_private.iter();
    let private = private.find(|leaf| leaf.index == sender.0).unwrap();
    let signer = suite.signing_key(&private.signature_priv.0).unwrap();
    let mut own_tree = tree.clone();
    let description = LeafDescription::from(tree.leaf(sender).unwrap());
    let new_path = own_tree
        .rekey_path(suite, sender, description, &signer, &case.group_id.0)
        .unwrap();
    let context = group_context(suite, case, &own_tree);
    let path = new_path.seal(suite, &own_tree, &[], &context).unwrap();
    let (merged_tree, merged) = merge(suite, case, tree, sender, &path);
    tally.same(merged_tree.to_bytes(), own_tree.to_bytes());
    tally.same(group_context(suite, case, &merged_tree), &*context);
    for keys in members.iter().filter(|keys| keys.leaf() != sender) {
        let received = keys
            .receive_path(suite, &merged_tree, &merged, &path.nodes, &context)
            .unwrap();
        tally.same(&received.commit_secret, new_path.commit_secret());
    }
    check_keys(&new_path.into_private_keys(), &own_tree, tally);
}
