//! Section 9 word for word, all of it derived beforehand and nothing deleted.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use burrow::{
    Error, PeerError,
    crypto::{derive_tree_secret, expand_with_label},
    schedule::{Consumed, RatchetLimits, RatchetType},
    types::LeafIndex,
};
use crypto_api::{Secret, Suite};

type RatchetId = (LeafIndex, RatchetType);

/// Every key there is, and which of them were used.
pub(crate) struct Model {
    limits: RatchetLimits,
    /// The node secrets from the root to each leaf.
    paths: Vec<Vec<Secret>>,
    ratchet_secrets: BTreeMap<RatchetId, Vec<Secret>>,
    keys: BTreeMap<RatchetId, Vec<(Secret, Secret)>>,
    used: BTreeMap<RatchetId, BTreeSet<u32>>,
}

impl Model {
    pub(crate) fn new(
        suite: &dyn Suite,
        root: &Secret,
        leaf_count: u32,
        generations: u32,
        limits: RatchetLimits,
    ) -> Self {
        let mut paths = Vec::new();
        let leaves = leaf_count.next_power_of_two();
        split(suite, std::slice::from_ref(root), leaves, &mut paths);
        let mut model = Self {
            limits,
            paths,
            ratchet_secrets: BTreeMap::new(),
            keys: BTreeMap::new(),
            used: BTreeMap::new(),
        };
        for leaf in (0..leaf_count).map(LeafIndex) {
            model.derive_ratchet(suite, leaf, RatchetType::Handshake, b"handshake", generations);
            let application = RatchetType::Application;
            model.derive_ratchet(suite, leaf, application, b"application", generations);
        }
        model
    }

    fn derive_ratchet(
        &mut self,
        suite: &dyn Suite,
        leaf: LeafIndex,
        ratchet_type: RatchetType,
        label: &[u8],
        generations: u32,
    ) {
        let leaf_secret = self.paths[leaf.as_usize()].last().unwrap();
        let nh = suite.kdf_nh();
        let mut secrets = vec![expand_with_label(suite, leaf_secret, label, b"", nh).unwrap()];
        let mut keys = Vec::new();
        for generation in 0..generations {
            let secret = secrets.last().unwrap().clone();
            let derive = |label: &[u8], length| {
                derive_tree_secret(suite, &secret, label, generation, length).unwrap()
            };
            keys.push((derive(b"key", suite.aead_nk()), derive(b"nonce", suite.aead_nn())));
            secrets.push(derive(b"secret", nh));
        }
        self.ratchet_secrets.insert((leaf, ratchet_type), secrets);
        self.keys.insert((leaf, ratchet_type), keys);
    }

    /// What the tree has to say to this.
    pub(crate) fn expect(&self, consumed: Consumed) -> Result<(&Secret, &Secret), Error> {
        let generation = consumed.generation;
        let used = self.used.get(&(consumed.leaf, consumed.ratchet_type));
        let next = used.and_then(BTreeSet::last).map_or(0, |last| last + 1);
        if generation > next + self.limits.forward() {
            return Err(PeerError::TooFarAhead.into());
        }
        if generation + self.limits.out_of_order() < next {
            return Err(PeerError::KeyTooOld.into());
        }
        if used.is_some_and(|used| used.contains(&generation)) {
            return Err(PeerError::KeyUsedUp.into());
        }
        let (key, nonce) = self.key_of(consumed);
        Ok((key, nonce))
    }

    pub(crate) fn key_of(&self, consumed: Consumed) -> &(Secret, Secret) {
        let keys = &self.keys[&(consumed.leaf, consumed.ratchet_type)];
        &keys[consumed.generation as usize]
    }

    pub(crate) fn consume(&mut self, consumed: Consumed) {
        let ratchet = (consumed.leaf, consumed.ratchet_type);
        self.used.entry(ratchet).or_default().insert(consumed.generation);
    }

    /// The node secrets from the root to the leaf.
    pub(crate) fn path_to(&self, leaf: LeafIndex) -> &[Secret] {
        &self.paths[leaf.as_usize()]
    }

    pub(crate) fn ratchet_secrets(&self, leaf: LeafIndex, ratchet: RatchetType) -> &[Secret] {
        &self.ratchet_secrets[&(leaf, ratchet)]
    }
}

/// Appends the paths to all leaves below the node at the end of `path`, left to right.
fn split(suite: &dyn Suite, path: &[Secret], leaves: u32, paths: &mut Vec<Vec<Secret>>) {
    if leaves == 1 {
        paths.push(path.to_vec());
        return;
    }
    for side in [b"left".as_slice(), b"right"] {
        let parent = path.last().unwrap();
        let child = expand_with_label(suite, parent, b"tree", side, suite.kdf_nh()).unwrap();
        split(suite, &[path, &[child]].concat(), leaves / 2, paths);
    }
}

/// Numbers that are the same in each run (splitmix64).
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % u64::from(end)) as u32
    }
}
