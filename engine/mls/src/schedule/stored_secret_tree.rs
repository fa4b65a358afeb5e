//! Storing a secret tree, and coming back from storage without reusing a key.
//!
//! Storing the whole tree for each message would be wasteful, and isn't needed: a tree stored
//! earlier plus the numbers of the keys used since then say the same. For a message sent this is
//! one generation; it has to be stored *before* the message leaves. It may be stored ahead: with
//! "up to 64" on disk, 64 messages can be sent without touching the disk again, and after a crash
//! the unused ones of them are passed over.
//!
//! What was used up since a tree was stored can still be derived from the stored tree. Store the
//! tree anew, over the old one, as often as forward secrecy at rest is wanted.

use std::collections::BTreeMap;

use crypto_api::Suite;

use super::{
    RatchetLimits, RatchetType, SecretTree,
    ratchet::{MessageKey, Ratchet},
    secret_store::SecretStore,
    secret_tree::{LeafRatchets, ROOT},
};
use crate::{
    CallerError, Error, PeerError, Result,
    codec::{
        Decode, DecodeError, Encode, EncodeError, LengthHeader, Reader, encode_opaque, length_len,
        opaque_len,
    },
    codec_struct,
    types::LeafIndex,
};

/// Which key was used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Consumed {
    /// The sender's leaf.
    pub leaf: LeafIndex,
    /// Which of its ratchets.
    pub ratchet_type: RatchetType,
    /// Which generation of it.
    pub generation: u32,
}

codec_struct!(Consumed { leaf, ratchet_type, generation });

/// The generations that our own next messages will have; 2^32 if there are none left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct NextGenerations {
    /// Of proposals and commits.
    pub handshake: u64,
    /// Of application messages.
    pub application: u64,
}

codec_struct!(NextGenerations { handshake, application });

/// A secret tree as it was stored. It gives no keys before [`Self::resume`] has been told which of
/// them were used since.
#[derive(Debug)]
pub struct StoredSecretTree(SecretTree);

impl StoredSecretTree {
    /// How many generations of our own may have been used since the tree was stored: all of them
    /// have to be derived, and a damaged number should not take for ever.
    pub const MAX_SENT: u64 = 1 << 24;

    /// The generations that our own next messages would have had when the tree was stored.
    #[must_use]
    pub fn next_generations(&self, own_leaf: LeafIndex) -> NextGenerations {
        self.0.next_generations(own_leaf)
    }

    /// The tree, with all keys used up that were used since it was stored: those of our own below
    /// `next`, and those of the messages `received`, in the order they came in. Too high a `next`
    /// does no harm; keys that were used before the tree was stored may be among `received`.
    ///
    /// # Errors
    ///
    /// [`CallerError::Invalid`] if `next` is out of reach, or if `received` has a message that the
    /// limits wouldn't have let in.
    pub fn resume(
        self,
        suite: &dyn Suite,
        limits: RatchetLimits,
        own_leaf: LeafIndex,
        next: NextGenerations,
        received: &[Consumed],
    ) -> Result<SecretTree> {
        let mut tree = self.0;
        if tree.secrets.length() != suite.kdf_nh() {
            return Err(CallerError::Invalid("a stored secret tree of another KDF").into());
        }
        tree.limits = limits;
        for ratchets in tree.leaves.values_mut() {
            ratchets.handshake.drop_old(limits);
            ratchets.application.drop_old(limits);
        }
        tree.skip_to(suite, own_leaf, RatchetType::Handshake, next.handshake)?;
        tree.skip_to(suite, own_leaf, RatchetType::Application, next.application)?;
        for consumed in received {
            tree.consume(suite, *consumed)?;
        }
        Ok(tree)
    }
}

impl SecretTree {
    /// The generations that our own next messages will have.
    #[must_use]
    pub fn next_generations(&self, own_leaf: LeafIndex) -> NextGenerations {
        NextGenerations {
            handshake: self.next_generation(own_leaf, RatchetType::Handshake),
            application: self.next_generation(own_leaf, RatchetType::Application),
        }
    }

    fn skip_to(
        &mut self,
        suite: &dyn Suite,
        own_leaf: LeafIndex,
        ratchet_type: RatchetType,
        next: u64,
    ) -> Result<()> {
        let stored = self.next_generation(own_leaf, ratchet_type);
        if next <= stored {
            return Ok(());
        }
        if next > 1 << 32 || next - stored > StoredSecretTree::MAX_SENT {
            return Err(CallerError::Invalid("a stored generation is out of reach").into());
        }
        self.open_in_place(suite, own_leaf)?;
        let ratchets = self.leaves.get_mut(&own_leaf);
        let ratchets = ratchets.ok_or(Error::Internal("a leaf without ratchets"))?;
        ratchets.ratchet_mut(ratchet_type).skip_to(&mut self.secrets, suite, next)
    }

    fn consume(&mut self, suite: &dyn Suite, consumed: Consumed) -> Result<()> {
        let Consumed { leaf, ratchet_type, generation } = consumed;
        match self.peek(suite, leaf, ratchet_type, generation) {
            Ok(pending) => self.advance(suite, pending.into_advance()),
            Err(Error::Peer(PeerError::KeyUsedUp | PeerError::KeyTooOld)) => Ok(()),
            Err(Error::Peer(_)) => {
                Err(CallerError::Invalid("a stored message is outside of the limits").into())
            }
            Err(other) => Err(other),
        }
    }
}

/// Not the RFC's: `struct { uint8 depth; Node nodes<V>; Leaf leaves<V>; }`. The buffer holds
/// secrets: wipe it.
impl Encode for SecretTree {
    fn encoded_len(&self) -> usize {
        let vector_len = |inside| length_len(inside) + inside;
        1 + vector_len(self.nodes_len()) + vector_len(self.leaves_len())
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.depth.encode(out)?;
        out.extend_from_slice(LengthHeader::new(self.nodes_len())?.as_slice());
        for (node, slot) in &self.nodes {
            node.encode(out)?;
            encode_opaque(self.secrets.get(*slot), out)?;
        }
        out.extend_from_slice(LengthHeader::new(self.leaves_len())?.as_slice());
        for (leaf, ratchets) in &self.leaves {
            leaf.encode(out)?;
            for ratchet in [&ratchets.handshake, &ratchets.application] {
                encode_opaque(ratchet.secret(&self.secrets), out)?;
                ratchet.next.encode(out)?;
                encode_map(&ratchet.skipped, out)?;
            }
        }
        Ok(())
    }
}

impl SecretTree {
    fn nodes_len(&self) -> usize {
        self.nodes.values().map(|slot| 8 + opaque_len(self.secrets.get(*slot))).sum()
    }

    fn leaves_len(&self) -> usize {
        let ratchet_len = |ratchet: &Ratchet| {
            opaque_len(ratchet.secret(&self.secrets)) + 8 + map_len(&ratchet.skipped)
        };
        let leaves = self.leaves.values();
        leaves.map(|leaf| 4 + ratchet_len(&leaf.handshake) + ratchet_len(&leaf.application)).sum()
    }
}

impl Decode for StoredSecretTree {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let depth = reader.read::<u8>()?;
        let [stored_nodes, stored_leaves] = [reader.opaque()?, reader.opaque()?];
        let length = length_of_secrets(stored_nodes, stored_leaves)?;
        // Each takes its own length, a header of at least one byte, and more.
        let most = (stored_nodes.len() + stored_leaves.len()) / (length + 1);
        let mut secrets = SecretStore::with_room_for(most, length);
        let nodes = decode_map(Reader::new(stored_nodes), |reader| {
            secrets.put(reader.opaque()?).ok_or(ANOTHER_LENGTH)
        })?;
        let leaves = decode_map(Reader::new(stored_leaves), |reader| {
            let mut ratchet = || read_ratchet(reader, &mut secrets);
            Ok(LeafRatchets { handshake: ratchet()?, application: ratchet()? })
        })?;
        // With 2^32 leaves the last of them has the greatest number there can be.
        let end = ROOT.checked_shl(u32::from(depth) + 1);
        let in_range = depth <= 32
            && nodes.keys().all(|node| *node >= ROOT && Some(*node) < end)
            && leaves.keys().all(|leaf: &LeafIndex| u64::from(leaf.0) >> depth == 0);
        if !in_range {
            return Err(DecodeError::InvalidValue("stored secret tree"));
        }
        Ok(Self(SecretTree::restore(depth, secrets, nodes, leaves)))
    }
}

/// How long the first secret is: behind a node's number or a leaf's index.
fn length_of_secrets(nodes: &[u8], leaves: &[u8]) -> Result<usize, DecodeError> {
    let (mut first, number) =
        if nodes.is_empty() { (Reader::new(leaves), 4) } else { (Reader::new(nodes), 8) };
    first.bytes(number)?;
    first.opaque().map(<[u8]>::len)
}

const ANOTHER_LENGTH: DecodeError = DecodeError::InvalidValue("stored secret of this length");

fn read_ratchet(
    reader: &mut Reader<'_>,
    secrets: &mut SecretStore,
) -> Result<Ratchet, DecodeError> {
    let secret = secrets.put(reader.opaque()?).ok_or(ANOTHER_LENGTH)?;
    let next = reader.read()?;
    if next > 1 << 32 {
        return Err(DecodeError::InvalidValue("stored generation"));
    }
    let skipped = decode_map(reader.vector()?, MessageKey::decode)?;
    Ok(Ratchet::restore(secret, next, skipped))
}

impl Encode for RatchetType {
    fn encoded_len(&self) -> usize {
        1
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        (*self as u8).encode(out)
    }
}

impl Decode for RatchetType {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.read::<u8>()? {
            0 => Ok(Self::Handshake),
            1 => Ok(Self::Application),
            _ => Err(DecodeError::InvalidValue("ratchet type")),
        }
    }
}

/// `struct { K key; V value; } map<V>`, the keys ascending.
fn encode_map<K: Encode, V: Encode>(
    map: &BTreeMap<K, V>,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    out.extend_from_slice(LengthHeader::new(inside_len(map))?.as_slice());
    map.iter().try_for_each(|(key, value)| {
        key.encode(out)?;
        value.encode(out)
    })
}

fn map_len<K: Encode, V: Encode>(map: &BTreeMap<K, V>) -> usize {
    length_len(inside_len(map)) + inside_len(map)
}

fn inside_len<K: Encode, V: Encode>(map: &BTreeMap<K, V>) -> usize {
    map.iter().map(|(key, value)| key.encoded_len() + value.encoded_len()).sum()
}

fn decode_map<K: Decode + Ord, V>(
    mut inside: Reader<'_>,
    mut read: impl FnMut(&mut Reader<'_>) -> Result<V, DecodeError>,
) -> Result<BTreeMap<K, V>, DecodeError> {
    let mut map = BTreeMap::new();
    while !inside.is_empty() {
        let (key, value) = (inside.read()?, read(&mut inside)?);
        if map.last_key_value().is_some_and(|(last, _)| *last >= key) {
            return Err(DecodeError::InvalidValue("ascending key"));
        }
        map.insert(key, value);
    }
    Ok(map)
}
