//! A group that is nothing but its tree: no key schedule, no framing. Every member holds its own
//! private keys and follows every commit by itself.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "no test file uses all of it")]

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use burrow::{
    codec::{Decode, Encode},
    crypto::HpkePublicKey,
    tree::{
        GroupRequirements, LeafDescription, MergedPath, NewPath, NodeIndex, RatchetTree,
        TreePrivateKeys, UnverifiedRatchetTree,
    },
    types::{
        Capabilities, Credential, CredentialType, Extensions, KeyPackageContent, LeafIndex,
        LeafNodeContent, LeafNodeSource, LeafNodeUse, Lifetime, ProtocolVersion, UpdatePath,
        VerifiedKeyPackage, VerifiedLeafNode,
    },
};
use crypto_api::{CryptoError, HpkePrivateKey, Random, Secret, SigningKey, Suite};

pub(crate) const GROUP_ID: &[u8] = b"a group";

/// xorshift64*: the same run for the same seed.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() >> 33) as usize % end
    }

    /// Takes some of `items` out, at random.
    pub(crate) fn draw<T>(&mut self, items: &mut Vec<T>, count: usize) -> Vec<T> {
        let count = count.min(items.len());
        (0..count).map(|_| items.swap_remove(self.below(items.len()))).collect()
    }
}

/// The same, as a backend's source of randomness.
pub(crate) struct SeededRandom(Mutex<Rng>);

impl SeededRandom {
    pub(crate) fn new(seed: u64) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Rng::new(seed))))
    }
}

impl Random for SeededRandom {
    fn fill(&self, out: &mut [u8]) -> Result<(), CryptoError> {
        let mut rng = self.0.lock().unwrap();
        out.fill_with(|| (rng.next() >> 56) as u8);
        Ok(())
    }
}

/// A member's secrets.
pub(crate) struct Member {
    pub(crate) signer: SigningKey,
    pub(crate) keys: TreePrivateKeys,
}

/// What a commit covers; all leaves are as before the commit.
#[derive(Default)]
pub(crate) struct Changes {
    pub(crate) updates: Vec<LeafIndex>,
    pub(crate) removes: Vec<LeafIndex>,
    pub(crate) adds: usize,
    pub(crate) without_path: bool,
}

pub(crate) struct Model<'a> {
    pub(crate) suite: &'a dyn Suite,
    pub(crate) tree: RatchetTree,
    pub(crate) members: BTreeMap<LeafIndex, Member>,
    named: usize,
}

/// What a commit's proposals lead to, before its path.
pub(crate) struct Staged {
    pub(crate) tree: RatchetTree,
    pub(crate) added: Vec<LeafIndex>,
    joiners: Vec<(SigningKey, HpkePrivateKey)>,
    new_leaf_keys: BTreeMap<LeafIndex, HpkePrivateKey>,
}

impl<'a> Model<'a> {
    pub(crate) fn new(suite: &'a dyn Suite) -> Self {
        let (signer, leaf_key, package) = new_client(suite, "creator");
        let leaf = LeafIndex(0);
        let keys = TreePrivateKeys::new(leaf, leaf_key);
        Self {
            suite,
            tree: RatchetTree::new(package.leaf()),
            members: BTreeMap::from([(leaf, Member { signer, keys })]),
            named: 0,
        }
    }

    /// A group of `count`, all added by the creator in one commit and nobody else having spoken.
    pub(crate) fn of(suite: &'a dyn Suite, count: usize) -> Self {
        let mut model = Self::new(suite);
        let adds = count - 1;
        model.commit(LeafIndex(0), &Changes { adds, ..Changes::default() });
        model
    }

    /// The same without any path: all parents are blank.
    pub(crate) fn cold(suite: &'a dyn Suite, count: usize) -> Self {
        let mut model = Self::new(suite);
        let changes = Changes { adds: count - 1, without_path: true, ..Changes::default() };
        model.commit(LeafIndex(0), &changes);
        model
    }

    /// A group of `count`, after everybody has sent an empty commit: no node is blank or has unmerged leaves.
    pub(crate) fn warm(suite: &'a dyn Suite, count: usize) -> Self {
        let mut model = Self::of(suite, count);
        for leaf in (0..count as u32).map(LeafIndex) {
            model.commit(leaf, &Changes::default());
        }
        model
    }

    /// A commit, which everybody else follows.
    pub(crate) fn commit(&mut self, committer: LeafIndex, changes: &Changes) {
        let mut staged = self.stage(changes);
        if changes.without_path {
            self.follow(staged, None, committer);
            return;
        }
        let before_path = staged.tree.clone();
        let path = self.rekey(&mut staged.tree, committer);
        let context = staged.tree.tree_hash(self.suite).unwrap();
        let sealed = path.seal(self.suite, &staged.tree, &staged.added, context.as_slice());
        let sealed = sealed.unwrap();
        let merged = self.merge(&before_path, &staged, committer, &sealed);
        self.follow(staged, Some((path, sealed, merged)), committer);
    }

    /// Applies the proposals to a clone.
    pub(crate) fn stage(&mut self, changes: &Changes) -> Staged {
        let mut tree = self.tree.clone();
        let mut new_leaf_keys = BTreeMap::new();
        for leaf in &changes.updates {
            let leaf_key = self.suite.generate_key_pair().unwrap();
            tree.update_leaf(*leaf, self.updated_leaf(*leaf, &leaf_key)).unwrap();
            new_leaf_keys.insert(*leaf, leaf_key);
        }
        for leaf in &changes.removes {
            tree.remove_leaf(*leaf).unwrap();
        }
        let (mut added, mut joiners) = (Vec::new(), Vec::new());
        for _ in 0..changes.adds {
            self.named += 1;
            let name = format!("member {}", self.named);
            let (signer, leaf_key, package) = new_client(self.suite, &name);
            added.push(tree.add_leaf(package.leaf()).unwrap());
            joiners.push((signer, leaf_key));
        }
        Staged { tree, added, joiners, new_leaf_keys }
    }

    fn updated_leaf(&self, leaf: LeafIndex, leaf_key: &HpkePrivateKey) -> VerifiedLeafNode {
        let member = &self.members[&leaf];
        let content = LeafNodeContent {
            encryption_key: public_key(leaf_key),
            leaf_node_source: LeafNodeSource::Update,
            ..LeafNodeContent::clone(self.tree.leaf(leaf).unwrap())
        };
        content
            .sign(self.suite, &member.signer, GROUP_ID, leaf)
            .unwrap()
            .verify(self.suite, LeafNodeUse::Update, GROUP_ID, leaf)
            .unwrap()
    }

    pub(crate) fn rekey(&self, tree: &mut RatchetTree, committer: LeafIndex) -> NewPath {
        let description = LeafDescription::from(self.tree.leaf(committer).unwrap());
        let signer = &self.members[&committer].signer;
        tree.rekey_path(self.suite, committer, description, signer, GROUP_ID).unwrap()
    }

    /// What the others make of the path has to be what the committer made.
    fn merge(
        &self,
        before_path: &RatchetTree,
        staged: &Staged,
        committer: LeafIndex,
        path: &UpdatePath,
    ) -> MergedPath {
        // Over the wire.
        let path = UpdatePath::decode_exact(&path.to_bytes().unwrap()).unwrap();
        let leaf = path.leaf_node.clone();
        let leaf = leaf.verify(self.suite, LeafNodeUse::Commit, GROUP_ID, committer).unwrap();
        let mut tree = before_path.clone();
        let merged =
            tree.merge_path(self.suite, committer, leaf, &path.nodes, &staged.added).unwrap();
        assert_eq!(tree.to_bytes(), staged.tree.to_bytes());
        assert_eq!(tree.tree_hash(self.suite), staged.tree.tree_hash(self.suite));
        merged
    }

    /// Everybody goes to the new epoch.
    fn follow(
        &mut self,
        staged: Staged,
        path: Option<(NewPath, UpdatePath, MergedPath)>,
        committer: LeafIndex,
    ) {
        let Staged { tree, added, joiners, new_leaf_keys } = staged;
        let context = tree.tree_hash(self.suite).unwrap();
        self.members.retain(|leaf, _| tree.leaf(*leaf).is_some() && !added.contains(leaf));
        for (leaf, member) in &mut self.members {
            if let Some(leaf_key) = new_leaf_keys.get(leaf) {
                member.keys.set_leaf_key(leaf_key.clone());
            }
            member.keys.retain(&tree);
            let Some((new_path, sealed, merged)) = &path else {
                continue;
            };
            if *leaf != committer {
                let keys = &member.keys;
                let nodes = &sealed.nodes;
                let received =
                    keys.receive_path(self.suite, &tree, merged, nodes, context.as_slice());
                let received = received.unwrap();
                assert_eq!(&received.commit_secret, new_path.commit_secret());
                member.keys = received.private_keys;
            }
        }
        let rejoined = UnverifiedRatchetTree::decode_exact(&tree.to_bytes().unwrap()).unwrap();
        let rejoined = rejoined.verify(self.suite, GROUP_ID, &GroupRequirements::default());
        let rejoined = rejoined.unwrap();
        for (leaf, (signer, leaf_key)) in added.iter().zip(joiners) {
            let path_secret = path.as_ref().map(|(p, ..)| p.path_secret_for(*leaf).unwrap());
            let keys = join(self.suite, &rejoined, *leaf, leaf_key, committer, path_secret);
            self.members.insert(*leaf, Member { signer, keys });
        }
        if let Some((new_path, ..)) = path {
            let member = self.members.get_mut(&committer).unwrap();
            member.keys = new_path.into_private_keys();
        }
        self.tree = tree;
        self.check();
    }

    /// The invariants: the members' keys are those of the tree, each has the keys of all non-blank
    /// nodes above it but those that it is unmerged at, and the tree is what a newcomer would take
    /// it for.
    pub(crate) fn check(&self) {
        let bytes = self.tree.to_bytes().unwrap();
        let fresh = UnverifiedRatchetTree::decode_exact(&bytes).unwrap();
        let hash = self.tree.tree_hash(self.suite).unwrap();
        assert_eq!(fresh.tree_hash(self.suite).unwrap(), hash);
        assert_eq!(self.tree.member_count(), self.members.len());
        let places = self.tree.members().map(|(leaf, _)| leaf);
        assert!(places.eq(self.members.keys().copied()));
        self.tree.check_credentials().unwrap();
        for (leaf, member) in &self.members {
            self.tree.check_leaf(*leaf, &GroupRequirements::default()).unwrap();
            self.check_member(*leaf, member);
        }
    }

    fn check_member(&self, leaf: LeafIndex, member: &Member) {
        let content = self.tree.leaf(leaf).unwrap();
        let found = self.tree.member_with_encryption_key(&content.encryption_key);
        assert_eq!(found, Some(leaf));
        let found = self.tree.member_with_signature_key(&content.signature_key);
        assert_eq!(found, Some(leaf));
        assert_eq!(member.keys.leaf(), leaf);
        let public = member.keys.leaf_key().public();
        assert_eq!(public, content.encryption_key.as_slice());
        for step in self.tree.size().direct_path(leaf) {
            let parent = self.tree.parent(step.node);
            let known = parent.filter(|parent| !parent.unmerged_leaves.contains(&leaf));
            let public = known.map(|parent| parent.encryption_key.as_slice());
            assert_eq!(member.keys.get(step.node).map(HpkePrivateKey::public), public);
        }
    }
}

/// A joiner, who has the tree and the path secret from its Welcome.
fn join(
    suite: &dyn Suite,
    tree: &RatchetTree,
    leaf: LeafIndex,
    leaf_key: HpkePrivateKey,
    signer: LeafIndex,
    path_secret: Option<&Secret>,
) -> TreePrivateKeys {
    assert_eq!(tree.member_with_encryption_key(&public_key(&leaf_key)), Some(leaf));
    TreePrivateKeys::join(suite, tree, leaf, leaf_key, signer, path_secret).unwrap()
}

pub(crate) fn new_client(
    suite: &dyn Suite,
    name: &str,
) -> (SigningKey, HpkePrivateKey, VerifiedKeyPackage) {
    let signer = suite.generate_signing_key().unwrap();
    let leaf_key = suite.generate_key_pair().unwrap();
    let init_key = suite.generate_key_pair().unwrap();
    let content = leaf_content(suite, &signer, &leaf_key, name);
    let init_key = public_key(&init_key);
    let package = KeyPackageContent::sign(suite, &signer, init_key, content, Extensions::new());
    (signer, leaf_key, package.unwrap())
}

pub(crate) fn leaf_content(
    suite: &dyn Suite,
    signer: &SigningKey,
    leaf_key: &HpkePrivateKey,
    name: &str,
) -> LeafNodeContent {
    LeafNodeContent {
        encryption_key: public_key(leaf_key),
        signature_key: signer.public().to_vec().into(),
        credential: Credential::Basic(name.as_bytes().to_vec()),
        capabilities: Capabilities {
            versions: vec![ProtocolVersion::MLS10],
            cipher_suites: vec![suite.cipher_suite()],
            credentials: vec![CredentialType::BASIC],
            ..Capabilities::default()
        },
        leaf_node_source: LeafNodeSource::KeyPackage(Lifetime {
            not_before: 0,
            not_after: u64::MAX,
        }),
        extensions: Extensions::new(),
    }
}

pub(crate) fn public_key(key: &HpkePrivateKey) -> HpkePublicKey {
    key.public().to_vec().into()
}

/// A parent's place by the leaves below it.
pub(crate) fn above(leaf: u32, level: u32) -> NodeIndex {
    NodeIndex::above(LeafIndex(leaf), level)
}
