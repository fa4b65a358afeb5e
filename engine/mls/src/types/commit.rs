//! Commits and the paths in them (sections 7.6 and 12.4).

use std::fmt;

use crypto_api::HpkeCiphertext;

use super::{LeafNode, ProposalOrRef};
use crate::{
    codec::{Decode, DecodeError, Encode, EncodeError, Reader, encode_opaque, opaque_len},
    codec_struct,
    crypto::HpkePublicKey,
};

/// `Commit`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The proposals that it covers, in the order that they count in.
    pub proposals: Vec<ProposalOrRef>,
    /// Fresh keys on the committer's path.
    pub path: Option<UpdatePath>,
}
codec_struct!(Commit { proposals, path });

/// `UpdatePath`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdatePath {
    /// The committer's new leaf.
    pub leaf_node: LeafNode,
    /// The nodes of its filtered direct path, from the leaf up.
    pub nodes: Vec<UpdatePathNode>,
}
codec_struct!(UpdatePath { leaf_node, nodes });

/// `UpdatePathNode`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdatePathNode {
    /// The node's new key.
    pub encryption_key: HpkePublicKey,
    /// The node's path secret, sealed to each node in the resolution of its copath child.
    pub encrypted_path_secret: HpkeCiphertexts,
}

impl Encode for UpdatePathNode {
    fn encoded_len(&self) -> usize {
        self.encryption_key.encoded_len() + self.encrypted_path_secret.encoded_len()
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.encryption_key.encode(out)?;
        self.encrypted_path_secret.encode(out)
    }
}

impl Decode for UpdatePathNode {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { encryption_key: reader.read()?, encrypted_path_secret: reader.read()? })
    }

    fn decode_all(mut reader: Reader<'_>) -> Result<Vec<Self>, DecodeError> {
        // Both are an `opaque<V>` from the outside: counted first, so that nothing has to grow.
        let mut ahead = reader.clone();
        let mut count = 0;
        while !ahead.is_empty() && ahead.opaque().and_then(|_| ahead.opaque()).is_ok() {
            count += 1;
        }
        let mut nodes = Vec::with_capacity(count);
        while !reader.is_empty() {
            nodes.push(reader.read()?);
        }
        Ok(nodes)
    }
}

/// `HPKECiphertext x<V>`, kept as it is encoded: of what may be thousands, a receiver opens one.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct HpkeCiphertexts {
    /// The inside of the vector.
    encoded: Vec<u8>,
    count: usize,
}

impl HpkeCiphertexts {
    /// These.
    ///
    /// # Errors
    ///
    /// [`EncodeError`] if one is too long.
    pub fn new(ciphertexts: &[HpkeCiphertext]) -> Result<Self, EncodeError> {
        let mut encoded = Vec::with_capacity(HpkeCiphertext::encoded_len_all(ciphertexts));
        HpkeCiphertext::encode_all(ciphertexts, &mut encoded)?;
        Ok(Self { encoded, count: ciphertexts.len() })
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<HpkeCiphertext> {
        let mut reader = Reader::new(&self.encoded);
        for _ in 0..at {
            skip(&mut reader).ok()?;
        }
        reader.read().ok()
    }
}

/// Reads an HPKECiphertext and keeps nothing of it.
fn skip(reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    let _kem_output = reader.opaque()?;
    let _ciphertext = reader.opaque()?;
    Ok(())
}

impl Encode for HpkeCiphertexts {
    fn encoded_len(&self) -> usize {
        opaque_len(&self.encoded)
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        encode_opaque(&self.encoded, out)
    }
}

impl Decode for HpkeCiphertexts {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let encoded = reader.opaque()?;
        let mut inside = Reader::new(encoded);
        let mut count = 0;
        while !inside.is_empty() {
            skip(&mut inside)?;
            count += 1;
        }
        Ok(Self { encoded: encoded.to_vec(), count })
    }
}

impl fmt::Debug for HpkeCiphertexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HpkeCiphertexts({} in {} bytes)", self.count, self.encoded.len())
    }
}
