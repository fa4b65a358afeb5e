//! The secret tree: where message keys come from (section 9).
//!
//! Only what is needed is derived: a new tree holds one secret, and the first message of a member
//! splits the path to that member's leaf. What a derivation uses up is wiped with it.
//!
//! A key is used up in two steps. [`SecretTree::peek`] gives the key without changing anything;
//! once the message has been decrypted *and* verified, [`SecretTree::advance`] makes it final. A
//! message that is forged or damaged has no second step, and so leaves no trace.

use std::{collections::BTreeMap, fmt};

use crypto_api::{Secret, Suite};

use super::{
    Consumed, EncryptionSecret, KeyAndNonce, MessageKey, RatchetLimits, RatchetType,
    ratchet::{Ratchet, Step},
};
use crate::{CallerError, Error, Result, crypto::expand_with_label, types::LeafIndex};

/// A node's number: the root is 1, the children of `n` are `2n` and `2n + 1`. With all leaves on
/// one level, the bits of a leaf's number below the first spell the way to it.
pub(super) type NodeNumber = u64;

/// The root's number.
pub(super) const ROOT: NodeNumber = 1;

/// The unused secrets of an epoch's secret tree.
///
/// Not [`Clone`]: of two copies that both send, one would reuse the other's keys.
pub struct SecretTree {
    /// How many levels the leaves are below the root.
    pub(super) depth: u8,
    pub(super) limits: RatchetLimits,
    /// The secrets of the nodes that cover the leaves which aren't in `leaves`.
    pub(super) nodes: BTreeMap<NodeNumber, Secret>,
    pub(super) leaves: BTreeMap<LeafIndex, LeafRatchets>,
    /// Counts changes, so that a [`PendingKey`] from before one isn't applied after it.
    version: u64,
}

#[derive(Debug)]
pub(super) struct LeafRatchets {
    pub(super) handshake: Ratchet,
    pub(super) application: Ratchet,
}

impl LeafRatchets {
    pub(super) fn ratchet(&self, ratchet_type: RatchetType) -> &Ratchet {
        match ratchet_type {
            RatchetType::Handshake => &self.handshake,
            RatchetType::Application => &self.application,
        }
    }

    pub(super) fn ratchet_mut(&mut self, ratchet_type: RatchetType) -> &mut Ratchet {
        match ratchet_type {
            RatchetType::Handshake => &mut self.handshake,
            RatchetType::Application => &mut self.application,
        }
    }
}

/// A key to try, and what will have changed when it is used up.
#[derive(Debug)]
pub struct PendingKey {
    key: MessageKey,
    advance: Advance,
}

impl PendingKey {
    /// The key.
    #[must_use]
    pub fn key(&self) -> &MessageKey {
        &self.key
    }

    /// Which generation it is of.
    #[must_use]
    pub fn generation(&self) -> u32 {
        self.advance.consumed.generation
    }

    /// What to give to [`SecretTree::advance`]. The key is wiped.
    pub fn into_advance(self) -> Advance {
        self.advance
    }
}

/// The second step of using a key up. Dropping it means that the key wasn't used.
#[derive(Debug)]
#[must_use = "unless the tree is advanced, the message's key can be used again"]
pub struct Advance {
    consumed: Consumed,
    version: u64,
    opened: Option<Opened>,
    step: Step,
}

impl Advance {
    /// Which key it uses up.
    #[must_use]
    pub fn consumed(&self) -> Consumed {
        self.consumed
    }
}

/// A leaf that is used for the first time.
#[derive(Debug)]
struct Opened {
    /// The node whose secret is used up by it.
    from: NodeNumber,
    /// The secrets beside the way from there to the leaf.
    copath: Vec<(NodeNumber, Secret)>,
    ratchets: LeafRatchets,
}

impl SecretTree {
    /// The secret tree of an epoch whose ratchet tree has so many leaves, blank ones included.
    #[must_use]
    pub fn new(
        encryption_secret: EncryptionSecret,
        leaf_count: u32,
        limits: RatchetLimits,
    ) -> Self {
        // A tree of another size is the full tree of the next one (section 4.1).
        let leaves = u64::from(leaf_count).next_power_of_two();
        Self {
            depth: leaves.trailing_zeros() as u8,
            limits,
            nodes: BTreeMap::from([(ROOT, encryption_secret.0)]),
            leaves: BTreeMap::new(),
            version: 0,
        }
    }

    pub(super) fn restore(
        depth: u8,
        nodes: BTreeMap<NodeNumber, Secret>,
        leaves: BTreeMap<LeafIndex, LeafRatchets>,
    ) -> Self {
        Self { depth, limits: RatchetLimits::default(), nodes, leaves, version: 0 }
    }

    /// The next generation of a ratchet; 2^32 if all are used up.
    #[must_use]
    pub fn next_generation(&self, leaf: LeafIndex, ratchet_type: RatchetType) -> u64 {
        self.leaves.get(&leaf).map_or(0, |ratchets| ratchets.ratchet(ratchet_type).next)
    }

    /// How many secrets the tree holds: of nodes, of ratchets, and message keys that were passed
    /// over, in this order.
    #[must_use]
    pub fn secrets_held(&self) -> [usize; 3] {
        let skipped = self
            .leaves
            .values()
            .map(|ratchets| ratchets.handshake.skipped.len() + ratchets.application.skipped.len());
        [self.nodes.len(), 2 * self.leaves.len(), skipped.sum()]
    }

    /// The key of this generation, for a message that was received.
    ///
    /// # Errors
    ///
    /// [`crate::PeerError::KeyUsedUp`] if it was used, [`crate::PeerError::KeyTooOld`] if it is too
    /// old to be kept, [`crate::PeerError::TooFarAhead`] if it is further ahead than the limits allow,
    /// [`crate::PeerError::Invalid`] if the tree has no such leaf.
    pub fn peek(
        &self,
        suite: &dyn Suite,
        leaf: LeafIndex,
        ratchet_type: RatchetType,
        generation: u32,
    ) -> Result<PendingKey> {
        let opened = self.open_if_new(suite, leaf)?;
        let ratchets = opened
            .as_ref()
            .map(|opened| &opened.ratchets)
            .or_else(|| self.leaves.get(&leaf))
            .ok_or(Error::Internal("a leaf without ratchets"))?;
        let ratchet = ratchets.ratchet(ratchet_type);
        let (key, step) = ratchet.peek(suite, self.limits, generation)?;
        let consumed = Consumed { leaf, ratchet_type, generation };
        let version = self.version;
        Ok(PendingKey { key, advance: Advance { consumed, version, opened, step } })
    }

    /// The next key of our own, for a message to be sent.
    ///
    /// # Errors
    ///
    /// [`CallerError::Invalid`] if all 2^32 are used up.
    pub fn peek_next(
        &self,
        suite: &dyn Suite,
        own_leaf: LeafIndex,
        ratchet_type: RatchetType,
    ) -> Result<PendingKey> {
        let generation = self.next_of_ours(own_leaf, ratchet_type)?;
        self.peek(suite, own_leaf, ratchet_type, generation)
    }

    /// Does some work with the key of a generation and uses it up, unless the work fails: then the
    /// tree is as it was.
    ///
    /// # Errors
    ///
    /// Those of [`Self::peek`] and of `work`.
    pub fn use_key<T>(
        &mut self,
        suite: &dyn Suite,
        leaf: LeafIndex,
        ratchet_type: RatchetType,
        generation: u32,
        work: impl FnOnce(&mut KeyAndNonce) -> Result<T>,
    ) -> Result<T> {
        let limits = self.limits;
        let ratchets = self.leaves.get_mut(&leaf);
        let ratchet = ratchets.map(|ratchets| ratchets.ratchet_mut(ratchet_type));
        if let Some(ratchet) = ratchet.filter(|ratchet| ratchet.next == u64::from(generation)) {
            let done = ratchet.use_next(suite, limits, generation, work)?;
            self.version = self.version.wrapping_add(1);
            return Ok(done);
        }
        let pending = self.peek(suite, leaf, ratchet_type, generation)?;
        let mut key = KeyAndNonce::zero(suite)?;
        key.copy(pending.key().key().as_slice(), pending.key().nonce().as_slice())?;
        let done = work(&mut key)?;
        self.advance(suite, pending.into_advance())?;
        Ok(done)
    }

    /// The generation of our own next message.
    ///
    /// # Errors
    ///
    /// [`CallerError::Invalid`] if all 2^32 are used up.
    pub fn next_of_ours(&self, own_leaf: LeafIndex, ratchet_type: RatchetType) -> Result<u32> {
        u32::try_from(self.next_generation(own_leaf, ratchet_type)).map_err(|_| {
            CallerError::Invalid("9.1: all generations of the epoch are used up").into()
        })
    }

    /// Uses a key up: nothing that it could be derived from is left.
    ///
    /// The tree may have changed since the key was peeked at; that of another message, if need be,
    /// is worked out anew.
    ///
    /// # Errors
    ///
    /// [`crate::PeerError::KeyUsedUp`] if the key was used up in between.
    pub fn advance(&mut self, suite: &dyn Suite, advance: Advance) -> Result<()> {
        let Consumed { leaf, ratchet_type, generation } = advance.consumed;
        let Advance { opened, step, .. } = if advance.version == self.version {
            advance
        } else {
            self.peek(suite, leaf, ratchet_type, generation)?.advance
        };
        self.version = self.version.wrapping_add(1);
        let limits = self.limits;
        self.place(leaf, opened)?.ratchet_mut(ratchet_type).apply(limits, generation, step);
        Ok(())
    }

    /// The ratchets of a leaf that are there or have just been opened.
    fn place(&mut self, leaf: LeafIndex, opened: Option<Opened>) -> Result<&mut LeafRatchets> {
        if let Some(opened) = opened {
            self.nodes.remove(&opened.from);
            self.nodes.extend(opened.copath);
            self.leaves.insert(leaf, opened.ratchets);
        }
        self.leaves.get_mut(&leaf).ok_or(Error::Internal("a leaf without ratchets"))
    }

    /// The ratchets of a leaf, whether it is used for the first time or not.
    pub(super) fn open_in_place(
        &mut self,
        suite: &dyn Suite,
        leaf: LeafIndex,
    ) -> Result<&mut LeafRatchets> {
        let opened = self.open_if_new(suite, leaf)?;
        self.place(leaf, opened)
    }

    fn open_if_new(&self, suite: &dyn Suite, leaf: LeafIndex) -> Result<Option<Opened>> {
        if self.leaves.contains_key(&leaf) {
            return Ok(None);
        }
        self.open(suite, leaf).map(Some)
    }

    /// Derives a leaf's ratchets from the nearest secret above it.
    fn open(&self, suite: &dyn Suite, leaf: LeafIndex) -> Result<Opened> {
        if u64::from(leaf.0) >> self.depth != 0 {
            return Err(Error::invalid("6.3.2: leaf_index is outside of the tree"));
        }
        let number = ROOT << self.depth | u64::from(leaf.0);
        let (height, from) = (0..=self.depth)
            .find_map(|height| Some((height, self.nodes.get(&(number >> height))?)))
            .ok_or(Error::Internal("a leaf without a secret above it"))?;
        let mut secret = from.clone();
        let mut copath = Vec::with_capacity(usize::from(height));
        for below in (0..height).rev() {
            let node = number >> below;
            let child = |node| {
                let side = if node & 1 == 0 { "left" } else { "right" };
                derive(suite, &secret, b"tree", side.as_bytes())
            };
            copath.push((node ^ 1, child(node ^ 1)?));
            secret = child(node)?;
        }
        Ok(Opened {
            from: number >> height,
            copath,
            ratchets: LeafRatchets {
                handshake: Ratchet::new(derive(suite, &secret, b"handshake", b"")?),
                application: Ratchet::new(derive(suite, &secret, b"application", b"")?),
            },
        })
    }
}

fn derive(suite: &dyn Suite, secret: &Secret, label: &[u8], context: &[u8]) -> Result<Secret> {
    expand_with_label(suite, secret, label, context, suite.kdf_nh())
}

impl fmt::Debug for SecretTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretTree")
            .field("depth", &self.depth)
            .field("secrets_held", &self.secrets_held())
            .finish_non_exhaustive()
    }
}
