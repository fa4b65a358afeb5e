//! The secret tree: where message keys come from (section 9).
//!
//! Only what is needed is derived: a new tree holds one secret, and the first message of a member
//! splits the path to that member's leaf. What a derivation uses up is wiped with it.
//!
//! A key is used up in two steps. [`SecretTree::peek`] gives the key without changing anything;
//! once the message has been decrypted *and* verified, [`SecretTree::advance`] makes it final. A
//! message that is forged or damaged has no second step, and so leaves no trace.

use std::{collections::BTreeMap, fmt};

use crypto_api::{Digest, Secret, Suite};
use zeroize::Zeroizing;

use super::{
    Consumed, EncryptionSecret, KeyAndNonce, MessageKey, RatchetLimits, RatchetType,
    ratchet::{Position, Ratchet, Step},
    secret_store::{SecretStore, Slot},
};
use crate::{CallerError, Error, Result, crypto::expand_with_label_into, types::LeafIndex};

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
    /// All secrets but those of keys that were passed over.
    pub(super) secrets: SecretStore,
    /// The nodes that cover the leaves which aren't in `leaves`.
    pub(super) nodes: BTreeMap<NodeNumber, Slot>,
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
    /// How far above the leaf the node is whose secret is used up by it.
    height: u8,
    /// The secrets beside the way from there to the leaf, then those of the leaf's two ratchets.
    secrets: Secret,
}

impl Opened {
    fn ratchet_secret(&self, ratchet_type: RatchetType) -> Option<&[u8]> {
        let mut secrets = self.chunks();
        let application = secrets.next_back();
        match ratchet_type {
            RatchetType::Handshake => secrets.next_back(),
            RatchetType::Application => application,
        }
    }

    fn chunks(&self) -> std::slice::ChunksExact<'_, u8> {
        let count = usize::from(self.height) + 2;
        self.secrets.as_slice().chunks_exact((self.secrets.len() / count).max(1))
    }
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
        let depth = leaves.trailing_zeros() as u8;
        let secret = encryption_secret.0.as_slice();
        // The root's, and those that the first leaf leaves.
        let mut secrets = SecretStore::with_room_for(usize::from(depth) + 3, secret.len());
        let nodes = secrets.put(secret).map(|root| (ROOT, root));
        Self {
            depth,
            limits,
            secrets,
            nodes: nodes.into_iter().collect(),
            leaves: BTreeMap::new(),
            version: 0,
        }
    }

    pub(super) fn restore(
        depth: u8,
        secrets: SecretStore,
        nodes: BTreeMap<NodeNumber, Slot>,
        leaves: BTreeMap<LeafIndex, LeafRatchets>,
    ) -> Self {
        Self { depth, limits: RatchetLimits::default(), secrets, nodes, leaves, version: 0 }
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
        let mut key = KeyAndNonce::zero(suite)?;
        let advance = self.peek_into(suite, leaf, ratchet_type, generation, &mut key)?;
        Ok(PendingKey { key: MessageKey::of(&key), advance })
    }

    /// Does some work with the key of a generation; the tree stays as it is.
    ///
    /// # Errors
    ///
    /// Those of [`Self::peek`] and of `work`.
    pub(crate) fn peek_with<T>(
        &self,
        suite: &dyn Suite,
        leaf: LeafIndex,
        ratchet_type: RatchetType,
        generation: u32,
        work: impl FnOnce(&mut KeyAndNonce) -> Result<T>,
    ) -> Result<(T, Advance)> {
        let mut key = KeyAndNonce::zero(suite)?;
        let advance = self.peek_into(suite, leaf, ratchet_type, generation, &mut key)?;
        Ok((work(&mut key)?, advance))
    }

    fn peek_into(
        &self,
        suite: &dyn Suite,
        leaf: LeafIndex,
        ratchet_type: RatchetType,
        generation: u32,
        key: &mut KeyAndNonce,
    ) -> Result<Advance> {
        let opened = self.open_if_new(suite, leaf)?;
        let position = match &opened {
            Some(opened) => opened.ratchet_secret(ratchet_type).map(Position::first),
            None => self
                .leaves
                .get(&leaf)
                .map(|ratchets| ratchets.ratchet(ratchet_type).position(&self.secrets)),
        };
        let position = position.ok_or(NO_RATCHETS)?;
        let step = position.peek(suite, self.limits, generation, key)?;
        let consumed = Consumed { leaf, ratchet_type, generation };
        Ok(Advance { consumed, version: self.version, opened, step })
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
            let done = ratchet.use_next(&mut self.secrets, suite, limits, generation, work)?;
            self.version = self.version.wrapping_add(1);
            return Ok(done);
        }
        let (done, advance) = self.peek_with(suite, leaf, ratchet_type, generation, work)?;
        self.advance(suite, advance)?;
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
        self.place(leaf, opened)?;
        self.version = self.version.wrapping_add(1);
        let limits = self.limits;
        let ratchets = self.leaves.get_mut(&leaf).ok_or(NO_RATCHETS)?;
        let ratchet = ratchets.ratchet_mut(ratchet_type);
        ratchet.apply(&mut self.secrets, limits, generation, step);
        Ok(())
    }

    /// Takes over the secrets of a leaf that has just been opened.
    fn place(&mut self, leaf: LeafIndex, opened: Option<Opened>) -> Result<()> {
        let Some(opened) = opened else {
            return Ok(());
        };
        let number = self.number(leaf)?;
        let mut secrets = opened.chunks();
        if !secrets.clone().all(|secret| secret.len() == self.secrets.length()) {
            return Err(Error::Internal("secrets of another length"));
        }
        if let Some(used_up) = self.nodes.remove(&(number >> opened.height)) {
            self.secrets.remove(used_up);
        }
        let mut next = || secrets.next().and_then(|secret| self.secrets.put(secret));
        for below in (0..opened.height).rev() {
            let slot = next().ok_or(NO_RATCHETS)?;
            self.nodes.insert((number >> below) ^ 1, slot);
        }
        let [handshake, application] = [next(), next()];
        let ratchets = LeafRatchets {
            handshake: Ratchet::new(handshake.ok_or(NO_RATCHETS)?),
            application: Ratchet::new(application.ok_or(NO_RATCHETS)?),
        };
        self.leaves.insert(leaf, ratchets);
        Ok(())
    }

    /// Gives a leaf its ratchets if it doesn't have them.
    pub(super) fn open_in_place(&mut self, suite: &dyn Suite, leaf: LeafIndex) -> Result<()> {
        let opened = self.open_if_new(suite, leaf)?;
        self.place(leaf, opened)
    }

    fn open_if_new(&self, suite: &dyn Suite, leaf: LeafIndex) -> Result<Option<Opened>> {
        if self.leaves.contains_key(&leaf) {
            return Ok(None);
        }
        self.open(suite, leaf).map(Some)
    }

    fn number(&self, leaf: LeafIndex) -> Result<NodeNumber> {
        if u64::from(leaf.0) >> self.depth == 0 {
            Ok(ROOT << self.depth | u64::from(leaf.0))
        } else {
            Err(Error::invalid("6.3.2: leaf_index is outside of the tree"))
        }
    }

    /// Derives a leaf's ratchets from the nearest secret above it. The secrets on the way there are
    /// on the stack, all others in one piece.
    fn open(&self, suite: &dyn Suite, leaf: LeafIndex) -> Result<Opened> {
        let number = self.number(leaf)?;
        let (height, from) = (0..=self.depth)
            .find_map(|height| Some((height, self.nodes.get(&(number >> height))?)))
            .ok_or(Error::Internal("a leaf without a secret above it"))?;
        let length = suite.kdf_nh();
        let mut on_stack = Zeroizing::new([[0; Digest::MAX_LENGTH]; 2]);
        let [secret, next] = &mut *on_stack;
        let (secret, next) = secret.get_mut(..length).zip(next.get_mut(..length)).ok_or(LENGTH)?;
        if self.secrets.length() != length {
            return Err(LENGTH);
        }
        secret.copy_from_slice(self.secrets.get(*from));
        let count = usize::from(height) + 2;
        let secrets = Secret::try_from_fn(count * length, |out| -> Result<()> {
            let mut places = out.chunks_exact_mut(length);
            for (node, place) in (0..height).rev().map(|below| number >> below).zip(&mut places) {
                let expand = |node: NodeNumber, secret: &[u8], out: &mut [u8]| {
                    let side = if node & 1 == 0 { "left" } else { "right" };
                    expand_with_label_into(suite, secret, b"tree", side.as_bytes(), out)
                };
                expand(node ^ 1, secret, place)?;
                expand(node, secret, next)?;
                secret.copy_from_slice(next);
            }
            for (label, place) in [b"handshake".as_slice(), b"application"].into_iter().zip(places)
            {
                expand_with_label_into(suite, secret, label, b"", place)?;
            }
            Ok(())
        })?;
        Ok(Opened { height, secrets })
    }
}

const NO_RATCHETS: Error = Error::Internal("a leaf without ratchets");
const LENGTH: Error = Error::Internal("a secret tree of another KDF");

impl fmt::Debug for SecretTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretTree")
            .field("depth", &self.depth)
            .field("secrets_held", &self.secrets_held())
            .finish_non_exhaustive()
    }
}
