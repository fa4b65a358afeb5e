//! Commits: how a group gets from one epoch to the next.

use ed25519_dalek::SigningKey;
use engine_api::{EngineError, Rejection};

use super::crypto::{KeyPair, Secret, WRAPPED_LEN, digest, invalid, sign, unauthenticated, verify};
use super::epoch::Epoch;
use super::leaf::Leaf;
use super::roster::{Changes, Roster};
use super::welcome::Welcome;
use super::wire::{Kind, Reader, Writer, malformed};

/// A commit as decoded. Everything up to `wraps` is what the transcript covers.
pub(crate) struct Commit<'a> {
    pub(crate) group: [u8; 32],
    pub(crate) epoch: u64,
    pub(crate) committer: u32,
    pub(crate) changes: Changes,
    fresh: Leaf,
    ephemeral: [u8; 32],
    wraps: Vec<[u8; WRAPPED_LEN]>,
    tag: [u8; 32],
    signature: [u8; 64],
    covered: &'a [u8],
    signed: &'a [u8],
}

/// What building a commit makes.
pub(crate) struct Built {
    pub(crate) next: Epoch,
    pub(crate) keys: KeyPair,
    pub(crate) commit: Vec<u8>,
    pub(crate) welcome: Option<Vec<u8>>,
}

/// Builds `committer`'s commit on `current`.
pub(crate) fn build(
    current: &Epoch,
    committer: u32,
    signer: &SigningKey,
    changes: &Changes,
) -> Result<Built, EngineError> {
    let roster = &current.roster;
    let author = roster.leaves.get(&committer);
    let author = author.ok_or_else(|| EngineError::internal("the committer has no leaf"))?;
    let keys = KeyPair::generate()?;
    let fresh = Leaf::new(&author.identity, signer, *keys.public());
    let mut next = roster.next(committer, &fresh, changes).map_err(EngineError::Peer)?;

    let secret = Secret::random()?;
    let mut writer = Writer::new(Kind::Commit);
    write_changes(&mut writer, roster, committer, changes, &fresh);
    write_wraps(&mut writer, roster, committer, &changes.removed, &secret)?;

    next.transcript = digest(b"transcript", &[&roster.transcript, writer.written()]);
    let (next, tag) = Epoch::enter(next, &secret)?;
    writer.fixed(&tag);
    let signature = sign(signer, b"commit", writer.written());
    writer.fixed(&signature);

    let welcome = match changes.added.as_slice() {
        [] => None,
        added => Some(Welcome::seal(&next.roster, committer, &tag, &secret, signer, added)?),
    };
    Ok(Built { next, keys, commit: writer.finish(), welcome })
}

fn write_changes(
    writer: &mut Writer,
    roster: &Roster,
    committer: u32,
    changes: &Changes,
    fresh: &Leaf,
) {
    writer.fixed(&roster.group);
    writer.u64(roster.epoch);
    writer.u32(committer);
    writer.count(changes.removed.len());
    changes.removed.iter().for_each(|index| writer.u32(*index));
    writer.count(changes.added.len());
    changes.added.iter().for_each(|leaf| leaf.encode(writer));
    fresh.encode(writer);
}

/// This is what a ratchet tree does better: one wrap for each member that stays.
fn write_wraps(
    writer: &mut Writer,
    roster: &Roster,
    committer: u32,
    removed: &[u32],
    secret: &Secret,
) -> Result<(), EngineError> {
    let ephemeral = KeyPair::generate()?;
    let recipients = roster.recipients(committer, removed);
    writer.fixed(ephemeral.public());
    writer.count(recipients.len());
    for (index, key) in recipients {
        let context = wrap_context(&roster.group, roster.epoch, committer, index);
        writer.fixed(&ephemeral.wrap(key, &context, secret)?);
    }
    Ok(())
}

fn wrap_context(group: &[u8; 32], epoch: u64, committer: u32, recipient: u32) -> Vec<u8> {
    let mut writer = Writer::headless();
    writer.fixed(b"commit");
    writer.fixed(group);
    writer.u64(epoch);
    writer.u32(committer);
    writer.u32(recipient);
    writer.finish()
}

impl<'a> Commit<'a> {
    pub(crate) fn decode(bytes: &'a [u8]) -> Result<Self, Rejection> {
        let mut reader = Reader::new(bytes, Kind::Commit)?;
        let group = reader.array()?;
        let epoch = reader.u64()?;
        let committer = reader.u32()?;
        let removed = reader.list(Reader::u32)?;
        if !removed.is_sorted_by(|left, right| left < right) {
            return Err(malformed("removals out of order"));
        }
        let added = reader.list(Leaf::decode)?;
        let fresh = Leaf::decode(&mut reader)?;
        let ephemeral = reader.array()?;
        let wraps = reader.list(Reader::array)?;
        let covered = reader.read();
        let tag = reader.array()?;
        let signed = reader.read();
        let signature = reader.array()?;
        reader.finish()?;
        let changes = Changes { removed, added };
        Ok(Self {
            group,
            epoch,
            committer,
            changes,
            fresh,
            ephemeral,
            wraps,
            tag,
            signature,
            covered,
            signed,
        })
    }

    /// Whether a member of `current` wrote it.
    pub(crate) fn authenticate(&self, current: &Epoch) -> Result<(), Rejection> {
        let author = current.roster.leaves.get(&self.committer);
        let author = author.ok_or_else(|| unauthenticated("nobody has the committer's leaf"))?;
        verify(&author.signature_key, b"commit", self.signed, &self.signature)
    }

    /// Whether it keeps the rules, as far as a member that it removes can tell.
    pub(crate) fn check(&self, current: &Epoch) -> Result<Roster, Rejection> {
        let roster = &current.roster;
        let mut next = roster.next(self.committer, &self.fresh, &self.changes)?;
        self.changes.added.iter().chain([&self.fresh]).try_for_each(Leaf::verify)?;
        let recipients = roster.recipients(self.committer, &self.changes.removed);
        if recipients.len() != self.wraps.len() {
            return Err(invalid("not one wrapped secret per member"));
        }
        next.transcript = digest(b"transcript", &[&roster.transcript, self.covered]);
        Ok(next)
    }

    /// The next epoch, as `own` finds it with `keys`.
    pub(crate) fn open(
        &self,
        current: &Epoch,
        own: u32,
        keys: &KeyPair,
    ) -> Result<Epoch, EngineError> {
        let next = self.check(current).map_err(EngineError::Peer)?;
        let roster = &current.roster;
        let recipients = roster.recipients(self.committer, &self.changes.removed);
        let mut wraps = recipients.iter().zip(&self.wraps);
        let Some((_, wrapped)) = wraps.find(|((index, _), _)| *index == own) else {
            return Err(EngineError::Peer(invalid("nothing in it is for this member")));
        };
        let context = wrap_context(&roster.group, roster.epoch, self.committer, own);
        let secret = keys.unwrap(&self.ephemeral, &context, wrapped)?;
        let (next, tag) = Epoch::enter(next, &secret)?;
        // Its author signed the tag, so there is nothing to be learned from the time this takes.
        if tag == self.tag {
            Ok(next)
        } else {
            Err(EngineError::Peer(invalid("the confirmation tag is of another epoch")))
        }
    }
}
