//! A group's public state at one epoch: the list of members that takes the place of a tree.

use std::collections::{BTreeMap, BTreeSet};

use engine_api::Rejection;

use super::crypto::{digest, invalid};
use super::leaf::Leaf;
use super::wire::{Reader, Writer, malformed};

/// Who is in a group at an epoch, and how it came there.
#[derive(Clone)]
pub(crate) struct Roster {
    pub(crate) group: [u8; 32],
    pub(crate) epoch: u64,
    /// A hash over all commits so far.
    pub(crate) transcript: [u8; 32],
    pub(crate) leaves: BTreeMap<u32, Leaf>,
}

/// What a commit does to the list of members, apart from its author's fresh key.
#[derive(Default)]
pub(crate) struct Changes {
    pub(crate) removed: Vec<u32>,
    pub(crate) added: Vec<Leaf>,
}

impl Roster {
    pub(crate) fn founded(group: [u8; 32], founder: Leaf) -> Self {
        Self { group, epoch: 0, transcript: [0; 32], leaves: BTreeMap::from([(0, founder)]) }
    }

    /// The next epoch's roster, or the rule that the commit breaks. Its transcript is still this
    /// one's (the commit's bytes aren't known here), and the new leaves' signatures are the
    /// caller's to check: a committer has seen to that before.
    pub(crate) fn next(
        &self,
        committer: u32,
        fresh: &Leaf,
        changes: &Changes,
    ) -> Result<Self, Rejection> {
        let mut next = self.clone();
        next.epoch = self.epoch.checked_add(1).ok_or_else(|| invalid("no epoch is left"))?;
        for index in &changes.removed {
            if *index == committer {
                return Err(invalid("a member can't remove itself"));
            }
            next.leaves.remove(index).ok_or_else(|| invalid("removes who isn't a member"))?;
        }
        next.refresh(committer, fresh)?;
        let mut free = 0;
        for leaf in &changes.added {
            while next.leaves.contains_key(&free) {
                free += 1;
            }
            next.leaves.insert(free, leaf.clone());
        }
        next.all_different()?;
        Ok(next)
    }

    fn refresh(&mut self, committer: u32, fresh: &Leaf) -> Result<(), Rejection> {
        let leaf =
            self.leaves.get_mut(&committer).ok_or_else(|| invalid("its author isn't a member"))?;
        if fresh.identity != leaf.identity || fresh.signature_key != leaf.signature_key {
            return Err(invalid("its author changes who it is"));
        }
        if fresh.encryption_key == leaf.encryption_key {
            return Err(invalid("its author's key isn't fresh"));
        }
        *leaf = fresh.clone();
        Ok(())
    }

    /// No two members share an identity or a key.
    fn all_different(&self) -> Result<(), Rejection> {
        let leaves = || self.leaves.values();
        let identities: BTreeSet<_> = leaves().map(|leaf| &leaf.identity).collect();
        let signers: BTreeSet<_> = leaves().map(|leaf| leaf.signature_key.as_bytes()).collect();
        let keys: BTreeSet<_> = leaves().map(|leaf| &leaf.encryption_key).collect();
        if [identities.len(), signers.len(), keys.len()] == [self.leaves.len(); 3] {
            Ok(())
        } else {
            Err(invalid("two members with one identity or one key"))
        }
    }

    /// Checks what a joiner is shown: every leaf, and the list as a whole.
    pub(crate) fn verify(&self) -> Result<(), Rejection> {
        self.leaves.values().try_for_each(Leaf::verify)?;
        self.all_different()
    }

    /// To whom a commit wraps the next secret, in this order.
    pub(crate) fn recipients(&self, committer: u32, removed: &[u32]) -> Vec<(u32, &[u8; 32])> {
        let stays = |index: &u32| *index != committer && removed.binary_search(index).is_err();
        let leaves = self.leaves.iter().filter(|(index, _)| stays(index));
        leaves.map(|(index, leaf)| (*index, &leaf.encryption_key)).collect()
    }

    /// What every secret of the epoch is bound to.
    pub(crate) fn context(&self) -> [u8; 32] {
        let mut writer = Writer::headless();
        self.encode(&mut writer);
        digest(b"roster", &[writer.written()])
    }

    pub(crate) fn encode(&self, writer: &mut Writer) {
        writer.fixed(&self.group);
        writer.u64(self.epoch);
        writer.fixed(&self.transcript);
        writer.count(self.leaves.len());
        for (index, leaf) in &self.leaves {
            writer.u32(*index);
            leaf.encode(writer);
        }
    }

    pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Self, Rejection> {
        let group = reader.array()?;
        let epoch = reader.u64()?;
        let transcript = reader.array()?;
        let leaves = reader.list(|reader| Ok((reader.u32()?, Leaf::decode(reader)?)))?;
        if !leaves.is_sorted_by(|left, right| left.0 < right.0) {
            return Err(malformed("leaves out of order"));
        }
        Ok(Self { group, epoch, transcript, leaves: leaves.into_iter().collect() })
    }
}
