//! One epoch of a group as a member holds it: the roster, and what was derived from its secret.

use std::collections::BTreeMap;

use engine_api::{EngineError, Rejection};

use super::chain::Chain;
use super::crypto::Secret;
use super::roster::Roster;
use super::wire::{Reader, Writer};

/// An epoch. The epoch secret itself is gone once this exists.
#[derive(Clone)]
pub(crate) struct Epoch {
    pub(crate) roster: Roster,
    pub(crate) authenticator: Secret,
    /// One per member, made at once: a secret that they could be made from later would undo
    /// their forward secrecy.
    pub(crate) chains: BTreeMap<u32, Chain>,
    /// The digest of the commit that ended the epoch.
    pub(crate) ended_by: Option<[u8; 32]>,
}

impl Epoch {
    /// Derives an epoch from its secret, and the tag by which its author shows that it did so.
    pub(crate) fn enter(roster: Roster, secret: &Secret) -> Result<(Self, [u8; 32]), EngineError> {
        let root = secret.derive(b"epoch", &roster.context())?;
        let mut chains = BTreeMap::new();
        for index in roster.leaves.keys() {
            let key = root.derive(b"sender", &index.to_be_bytes())?;
            chains.insert(*index, Chain::new(key));
        }
        let authenticator = root.derive(b"authenticator", &[])?;
        let tag = *root.derive(b"confirmation", &[])?.as_bytes();
        Ok((Self { roster, authenticator, chains, ended_by: None }, tag))
    }

    pub(crate) fn encode(&self, writer: &mut Writer) {
        self.roster.encode(writer);
        writer.fixed(self.authenticator.as_bytes());
        writer.count(self.chains.len());
        for (index, chain) in &self.chains {
            writer.u32(*index);
            chain.encode(writer);
        }
        writer.optional(self.ended_by.as_ref(), |writer, digest| writer.fixed(digest));
    }

    pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Self, Rejection> {
        let roster = Roster::decode(reader)?;
        let authenticator = Secret::new(reader.array()?);
        let chains = reader.list(|reader| Ok((reader.u32()?, Chain::decode(reader)?)))?;
        let ended_by = reader.optional(Reader::array)?;
        Ok(Self { roster, authenticator, chains: chains.into_iter().collect(), ended_by })
    }
}
