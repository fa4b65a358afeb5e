//! `treekem.json`: paths received and made.

use burrow::codec::{Decode, Encode};
use burrow::tree::{
    GroupRequirements, LeafDescription, MergedPath, NodeIndex, RatchetTree, TreePrivateKeys,
    UnverifiedRatchetTree, node_key,
};
use burrow::types::{
    Extensions, GroupContext, LeafIndex, LeafNodeUse, ProtocolVersion, UpdatePath,
};
use crypto_api::{Secret, Suite};
use serde::Deserialize;
use serde_json::Value;

use crate::files::Unnoticed;
use crate::hex::Hex;
use crate::run::Bench;
use crate::{Stop, Tally};

pub(crate) const UNNOTICED: &[Unnoticed] = &[
    Unnoticed { field: "update_paths[-1]", why: "the file then has a path less to follow" },
    Unnoticed {
        field: "leaves_private[].path_secrets[-1]",
        why: "the last is the root's, to which nothing is encrypted",
    },
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    cipher_suite: u16,
    group_id: Hex,
    epoch: u64,
    confirmed_transcript_hash: Hex,
    ratchet_tree: Hex,
    leaves_private: Vec<LeafPrivate>,
    update_paths: Vec<Path>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LeafPrivate {
    index: u32,
    encryption_priv: Hex,
    signature_priv: Hex,
    path_secrets: Vec<NodeSecret>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NodeSecret {
    node: u32,
    path_secret: Hex,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Path {
    sender: u32,
    update_path: Hex,
    path_secrets: Vec<Option<Hex>>,
    commit_secret: Hex,
    tree_hash_after: Hex,
}

/// The group before any of the paths.
struct Group<'a> {
    suite: &'a dyn Suite,
    case: &'a Case,
    tree: RatchetTree,
    members: Vec<TreePrivateKeys>,
}

pub(crate) fn check(bench: &Bench<'_>, case: &Value, tally: &mut Tally) -> Result<(), Stop> {
    let case: Case = super::read(case, tally)?;
    let group = Group::new(bench.suite, &case, tally)?;
    for path in &case.update_paths {
        tally.place(format_args!("the path of {}", path.sender));
        group.check_their_path(path, tally)?;
        group.check_our_path(LeafIndex(path.sender), tally)?;
    }
    Ok(())
}

impl<'a> Group<'a> {
    fn new(suite: &'a dyn Suite, case: &'a Case, tally: &mut Tally) -> Result<Self, Stop> {
        let tree = UnverifiedRatchetTree::decode_exact(&case.ratchet_tree.0);
        let tree = tally.step("ratchet_tree", tree)?;
        let verified = tree.verify(suite, &case.group_id.0, &GroupRequirements::default());
        let tree = tally.must("ratchet_tree", verified)?;
        let mut members = Vec::new();
        for leaf in &case.leaves_private {
            tally.place(format_args!("leaf {}", leaf.index));
            members.push(private_keys(suite, case, &tree, leaf, tally)?);
        }
        tally.same("leaves_private", members.len(), tree.member_count());
        Ok(Self { suite, case, tree, members })
    }

    fn check_their_path(&self, path: &Path, tally: &mut Tally) -> Result<(), Stop> {
        let sender = LeafIndex(path.sender);
        let theirs = UpdatePath::decode_exact(&path.update_path.0);
        let theirs = tally.step("update_path", theirs)?;
        let (tree, merged) = self.merge(sender, &theirs, tally)?;
        let hash = tally.step("tree_hash_after", tree.tree_hash(self.suite))?;
        tally.equal("tree_hash_after", hash, &path.tree_hash_after.0);
        let context = self.group_context(&tree, tally)?;
        for keys in self.members_but(sender) {
            let opened = keys.open_path_secret(self.suite, &merged, &theirs.nodes, &context);
            let (_, secret) = tally.step("path secret", opened)?;
            let expected = path.path_secrets.get(keys.leaf().as_usize());
            let expected = tally.some("path_secrets", expected.and_then(Option::as_ref))?;
            tally.equal("path_secrets", secret, &expected.0);
            let received = keys.receive_path(self.suite, &tree, &merged, &theirs.nodes, &context);
            let received = tally.step("commit secret", received)?;
            tally.equal("commit_secret", received.commit_secret, &path.commit_secret.0);
            check_keys(&received.private_keys, &tree, tally)?;
        }
        // No secret for the sender, for blank leaves, or beyond the tree.
        let secrets = path.path_secrets.iter().filter(|secret| secret.is_some()).count();
        tally.same("path_secrets", secrets, self.members_but(sender).count());
        Ok(())
    }

    /// A path of our own from the same sender, which all others have to be able to open.
    fn check_our_path(&self, sender: LeafIndex, tally: &mut Tally) -> Result<(), Stop> {
        let suite = self.suite;
        let private = self.case.leaves_private.iter().find(|leaf| leaf.index == sender.0);
        let private = tally.some("the sender's private keys", private)?;
        let signer = super::private_key(self.case.cipher_suite, &private.signature_priv.0);
        let signer = tally.step("signature_priv", suite.signing_key(&signer))?;
        let leaf = tally.some("the sender's leaf", self.tree.leaf(sender))?;
        let mut tree = self.tree.clone();
        let group_id = &self.case.group_id.0;
        let path = tree.rekey_path(suite, sender, LeafDescription::from(leaf), &signer, group_id);
        let new_path = tally.step("our path", path)?;
        let context = self.group_context(&tree, tally)?;
        let path = tally.step("our path", new_path.seal(suite, &tree, &[], &context))?;
        let (merged_tree, merged) = self.merge(sender, &path, tally)?;
        tally.same("our tree", merged_tree.to_bytes(), tree.to_bytes());
        let merged_context = self.group_context(&merged_tree, tally)?;
        tally.equal("our GroupContext", merged_context, &context);
        for keys in self.members_but(sender) {
            let received = keys.receive_path(suite, &merged_tree, &merged, &path.nodes, &context);
            let received = tally.step("our commit secret", received)?;
            tally.equal("our commit secret", received.commit_secret, new_path.commit_secret());
        }
        check_keys(&new_path.into_private_keys(), &tree, tally)
    }

    fn members_but(&self, sender: LeafIndex) -> impl Iterator<Item = &TreePrivateKeys> {
        self.members.iter().filter(move |keys| keys.leaf() != sender)
    }

    fn merge(
        &self,
        sender: LeafIndex,
        path: &UpdatePath,
        tally: &mut Tally,
    ) -> Result<(RatchetTree, MergedPath), Stop> {
        let leaf = path.leaf_node.clone();
        let leaf = leaf.verify(self.suite, LeafNodeUse::Commit, &self.case.group_id.0, sender);
        let leaf = tally.must("leaf node of the path", leaf)?;
        let mut tree = self.tree.clone();
        let merged = tree.merge_path(self.suite, sender, leaf, &path.nodes, &[]);
        let merged = tally.must("parent hashes of the path", merged)?;
        tally.step("the new leaf", tree.check_leaf(sender, &GroupRequirements::default()))?;
        tally.step("the credentials", tree.check_credentials())?;
        Ok((tree, merged))
    }

    fn group_context(&self, tree: &RatchetTree, tally: &mut Tally) -> Result<Vec<u8>, Stop> {
        let tree_hash = tally.step("tree hash", tree.tree_hash(self.suite))?;
        let context = GroupContext {
            version: ProtocolVersion::MLS10,
            cipher_suite: self.suite.cipher_suite(),
            group_id: self.case.group_id.0.clone(),
            epoch: self.case.epoch,
            tree_hash: tree_hash.as_slice().to_vec(),
            confirmed_transcript_hash: self.case.confirmed_transcript_hash.0.clone(),
            extensions: Extensions::new(),
        };
        tally.step("GroupContext", context.to_bytes())
    }
}

/// The private state that the file describes, compared with the tree.
fn private_keys(
    suite: &dyn Suite,
    case: &Case,
    tree: &RatchetTree,
    leaf: &LeafPrivate,
    tally: &mut Tally,
) -> Result<TreePrivateKeys, Stop> {
    let index = LeafIndex(leaf.index);
    let signer = super::private_key(case.cipher_suite, &leaf.signature_priv.0);
    let signer = tally.step("signature_priv", suite.signing_key(&signer))?;
    let leaf_node = tally.some("the leaf", tree.leaf(index))?;
    tally.equal("signature_priv", signer.public(), leaf_node.signature_key.as_slice());
    let leaf_key = super::private_key(case.cipher_suite, &leaf.encryption_priv.0);
    let leaf_key = tally.step("encryption_priv", suite.private_key(&leaf_key))?;
    let mut keys = TreePrivateKeys::new(index, leaf_key);
    for secret in &leaf.path_secrets {
        let path_secret = Secret::copy_from(&secret.path_secret.0);
        let key = tally.step("path_secret", node_key(suite, &path_secret))?;
        tally.step("path_secret", keys.set(NodeIndex(secret.node), key))?;
    }
    tally.same("path_secrets", keys.above().count(), leaf.path_secrets.len());
    check_keys(&keys, tree, tally)?;
    Ok(keys)
}

/// Each private key is that of the public key in the tree.
fn check_keys(keys: &TreePrivateKeys, tree: &RatchetTree, tally: &mut Tally) -> Result<(), Stop> {
    let leaf = tally.some("the leaf", tree.leaf(keys.leaf()))?;
    tally.equal("the leaf's key", keys.leaf_key().public(), leaf.encryption_key.as_slice());
    for (node, key) in keys.above() {
        let parent = tally.some("the parent", tree.parent(node))?;
        tally.equal("a parent's key", key.public(), parent.encryption_key.as_slice());
    }
    Ok(())
}
