//! Welcomes: one message for all invitees of a commit.

use ed25519_dalek::SigningKey;
use engine_api::{EngineError, RejectReason, Rejection};

use super::crypto::{KeyPair, Secret, WRAPPED_LEN, invalid, sign, verify};
use super::epoch::Epoch;
use super::leaf::Leaf;
use super::roster::Roster;
use super::wire::{Kind, Reader, Writer};

/// A Welcome as decoded.
pub(crate) struct Welcome<'a> {
    ephemeral: [u8; 32],
    wraps: Vec<([u8; 32], [u8; WRAPPED_LEN])>,
    sealed: &'a [u8],
    /// All that comes before `sealed`, which authenticates it.
    clear: &'a [u8],
}

impl<'a> Welcome<'a> {
    /// Wraps the epoch secret to each invitee, and the roster under a key derived from it.
    pub(crate) fn seal(
        roster: &Roster,
        committer: u32,
        tag: &[u8; 32],
        secret: &Secret,
        signer: &SigningKey,
        invitees: &[Leaf],
    ) -> Result<Vec<u8>, EngineError> {
        let mut inside = Writer::headless();
        roster.encode(&mut inside);
        inside.u32(committer);
        inside.fixed(tag);
        let signature = sign(signer, b"welcome", inside.written());
        inside.fixed(&signature);

        let ephemeral = KeyPair::generate()?;
        let mut writer = Writer::new(Kind::Welcome);
        writer.fixed(ephemeral.public());
        writer.count(invitees.len());
        for leaf in invitees {
            let reference = leaf.reference();
            let wrapped =
                ephemeral.wrap(&leaf.encryption_key, &wrap_context(&reference), secret)?;
            writer.fixed(&reference);
            writer.fixed(&wrapped);
        }
        let key = secret.derive(b"welcome", ephemeral.public())?;
        let sealed = key.seal(writer.written(), inside.written())?;
        writer.variable(&sealed);
        Ok(writer.finish())
    }

    pub(crate) fn decode(bytes: &'a [u8]) -> Result<Self, Rejection> {
        let mut reader = Reader::new(bytes, Kind::Welcome)?;
        let ephemeral = reader.array()?;
        let wraps = reader.list(|reader| Ok((reader.array()?, reader.array()?)))?;
        let clear = reader.read();
        let sealed = reader.variable()?;
        reader.finish()?;
        Ok(Self { ephemeral, wraps, sealed, clear })
    }

    /// The key packages that it is for.
    pub(crate) fn references(&self) -> impl Iterator<Item = &[u8; 32]> {
        self.wraps.iter().map(|(reference, _)| reference)
    }

    /// The epoch and the joiner's leaf in it, as `keys` of key package `reference` open them.
    pub(crate) fn open(
        &self,
        reference: &[u8; 32],
        keys: &KeyPair,
    ) -> Result<(Epoch, u32), EngineError> {
        let wrap = self.wraps.iter().find(|(other, _)| other == reference);
        let Some((_, wrapped)) = wrap else {
            let why = "for none of this client's key packages";
            return Err(EngineError::peer(RejectReason::Misdirected, why));
        };
        let secret = keys.unwrap(&self.ephemeral, &wrap_context(reference), wrapped)?;
        let key = secret.derive(b"welcome", &self.ephemeral)?;
        let inside = key.open(self.clear, self.sealed).map_err(EngineError::Peer)?;
        let (roster, shown) = read_roster(&inside).map_err(EngineError::Peer)?;
        let own = roster.leaves.iter().find(|(_, leaf)| leaf.encryption_key == *keys.public());
        let own = own.map(|(index, _)| *index);
        let own =
            own.ok_or_else(|| EngineError::Peer(invalid("lists everybody but the joiner")))?;
        let (epoch, tag) = Epoch::enter(roster, &secret)?;
        if tag == shown {
            Ok((epoch, own))
        } else {
            Err(EngineError::Peer(invalid("the confirmation tag is of another epoch")))
        }
    }
}

/// The verified roster, and the confirmation tag that the committer shows for it.
fn read_roster(inside: &[u8]) -> Result<(Roster, [u8; 32]), Rejection> {
    let mut reader = Reader::headless(inside);
    let roster = Roster::decode(&mut reader)?;
    let committer = reader.u32()?;
    let tag = reader.array()?;
    let signed = reader.read();
    let signature = reader.array()?;
    reader.finish()?;
    let committer = roster.leaves.get(&committer);
    let committer = committer.ok_or_else(|| invalid("its author isn't a member"))?;
    verify(&committer.signature_key, b"welcome", signed, &signature)?;
    roster.verify()?;
    Ok((roster, tag))
}

fn wrap_context(reference: &[u8; 32]) -> Vec<u8> {
    [b"welcome", reference.as_slice()].concat()
}
