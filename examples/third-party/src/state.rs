//! What a client keeps, and how it is written down.

use std::collections::{BTreeMap, VecDeque};

use ed25519_dalek::SigningKey;
use engine_api::{CommitBytes, EngineError, GroupId, Rejection, SnapshotBytes, Welcomes};
use zeroize::Zeroizing;

use crate::protocol::commit::Built;
use crate::protocol::crypto::{KeyPair, Secret, digest};
use crate::protocol::epoch::Epoch;
use crate::protocol::leaf::Leaf;
use crate::protocol::wire::{Kind, Reader, Writer, malformed};

/// How many epochs back messages can still be read.
pub(crate) const PAST_EPOCHS: usize = 5;

/// One client of the flat protocol: its keys and its groups, in memory.
#[derive(Clone)]
pub struct Flat {
    pub(crate) identity: Vec<u8>,
    pub(crate) signer: SigningKey,
    /// By reference; a pair leaves when a Welcome uses it.
    pub(crate) key_packages: BTreeMap<[u8; 32], KeyPair>,
    pub(crate) groups: BTreeMap<GroupId, Group>,
}

#[derive(Clone)]
pub(crate) struct Group {
    pub(crate) current: Epoch,
    /// The latest one first.
    pub(crate) past: VecDeque<Epoch>,
    pub(crate) own: u32,
    /// `None` once a commit has removed this client.
    pub(crate) membership: Option<Membership>,
}

#[derive(Clone)]
pub(crate) struct Membership {
    pub(crate) keys: KeyPair,
    pub(crate) pending: Option<Pending>,
}

/// A commit that was staged: the epoch that it leads to, and what was published to get there.
#[derive(Clone)]
pub(crate) struct Pending {
    pub(crate) stage: u64,
    pub(crate) commit: [u8; 32],
    next: Epoch,
    keys: KeyPair,
}

impl Pending {
    /// Keeps what stays here, and hands out what is published.
    pub(crate) fn new(stage: u64, built: Built) -> (Self, CommitBytes, Welcomes) {
        let Built { next, keys, commit, welcome } = built;
        let pending = Self { stage, commit: commit_digest(&commit), next, keys };
        let welcomes = welcome.map_or(Welcomes::None, |bytes| Welcomes::Shared(bytes.into()));
        (pending, CommitBytes::new(commit), welcomes)
    }

    fn encode(&self, writer: &mut Writer) {
        writer.u64(self.stage);
        writer.fixed(&self.commit);
        self.next.encode(writer);
        write_keys(writer, &self.keys);
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, Rejection> {
        Ok(Self {
            stage: reader.u64()?,
            commit: reader.array()?,
            next: Epoch::decode(reader)?,
            keys: read_keys(reader)?,
        })
    }
}

impl Group {
    pub(crate) fn new(current: Epoch, own: u32, keys: KeyPair) -> Self {
        let membership = Some(Membership { keys, pending: None });
        Self { current, past: VecDeque::new(), own, membership }
    }

    /// The membership, for what only members may do.
    pub(crate) fn active(&mut self) -> Result<&mut Membership, EngineError> {
        self.membership.as_mut().ok_or_else(|| EngineError::caller("no longer in this group"))
    }

    /// Takes the pending commit with this number out.
    pub(crate) fn take_pending(&mut self, stage: u64) -> Result<Pending, EngineError> {
        let pending = self
            .membership
            .as_mut()
            .and_then(|membership| membership.pending.take_if(|pending| pending.stage == stage));
        pending.ok_or_else(|| EngineError::caller("that commit isn't pending"))
    }

    /// Applies this client's own commit.
    pub(crate) fn merge(&mut self, pending: Pending) {
        self.membership = Some(Membership { keys: pending.keys, pending: None });
        self.leave_epoch(pending.next, pending.commit);
    }

    /// Applies somebody else's.
    pub(crate) fn follow(&mut self, next: Epoch, commit: [u8; 32]) {
        if let Some(membership) = &mut self.membership {
            membership.pending = None;
        }
        self.leave_epoch(next, commit);
    }

    /// Takes note of the commit that removes this client. What was sent before it stays readable.
    pub(crate) fn close(&mut self, commit: [u8; 32]) {
        self.membership = None;
        self.current.ended_by = Some(commit);
    }

    fn leave_epoch(&mut self, next: Epoch, commit: [u8; 32]) {
        let mut left = std::mem::replace(&mut self.current, next);
        left.ended_by = Some(commit);
        self.past.push_front(left);
        self.past.truncate(PAST_EPOCHS);
    }

    /// An epoch that messages can be read in.
    pub(crate) fn epoch_mut(&mut self, number: u64) -> Option<&mut Epoch> {
        let mut readable = self.past.iter_mut().chain([&mut self.current]);
        readable.find(|epoch| epoch.roster.epoch == number)
    }

    /// Whether this client has applied the commit, or has it pending.
    pub(crate) fn knows(&self, commit: &[u8; 32]) -> bool {
        let pending = self.membership.as_ref().and_then(|membership| membership.pending.as_ref());
        pending.is_some_and(|pending| pending.commit == *commit)
            || self.readable().any(|epoch| epoch.ended_by.as_ref() == Some(commit))
    }

    fn readable(&self) -> impl Iterator<Item = &Epoch> {
        self.past.iter().chain([&self.current])
    }

    pub(crate) fn encoded_len(&self) -> usize {
        let mut writer = Writer::headless();
        self.encode(&mut writer);
        writer.written().len()
    }

    fn encode(&self, writer: &mut Writer) {
        self.current.encode(writer);
        writer.count(self.past.len());
        self.past.iter().for_each(|epoch| epoch.encode(writer));
        writer.u32(self.own);
        writer.optional(self.membership.as_ref(), |writer, membership| {
            write_keys(writer, &membership.keys);
            writer.optional(membership.pending.as_ref(), |writer, pending| pending.encode(writer));
        });
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, Rejection> {
        let current = Epoch::decode(reader)?;
        let past = reader.list(Epoch::decode)?.into();
        let own = reader.u32()?;
        let membership = reader.optional(|reader| {
            let keys = read_keys(reader)?;
            Ok(Membership { keys, pending: reader.optional(Pending::decode)? })
        })?;
        Ok(Self { current, past, own, membership })
    }
}

impl Flat {
    /// The group, or the caller's fault.
    pub(crate) fn group(&self, id: &GroupId) -> Result<&Group, EngineError> {
        self.groups.get(id).ok_or_else(|| EngineError::caller("no such group"))
    }

    pub(crate) fn group_mut(&mut self, id: &GroupId) -> Result<&mut Group, EngineError> {
        self.groups.get_mut(id).ok_or_else(|| EngineError::caller("no such group"))
    }

    /// A leaf of this client's around a fresh key pair.
    pub(crate) fn fresh_leaf(&self) -> Result<(Leaf, KeyPair), EngineError> {
        let keys = KeyPair::generate()?;
        Ok((Leaf::new(&self.identity, &self.signer, *keys.public()), keys))
    }

    pub(crate) fn write_snapshot(&self) -> SnapshotBytes {
        let mut writer = Writer::new(Kind::Snapshot);
        writer.variable(&self.identity);
        writer.fixed(self.signer.as_bytes());
        writer.count(self.key_packages.len());
        for (reference, keys) in &self.key_packages {
            writer.fixed(reference);
            write_keys(&mut writer, keys);
        }
        writer.count(self.groups.len());
        self.groups.values().for_each(|group| group.encode(&mut writer));
        let checksum = digest(b"snapshot", &[writer.written()]);
        writer.fixed(&checksum);
        SnapshotBytes::new(writer.finish())
    }

    pub(crate) fn read_snapshot(snapshot: &[u8]) -> Result<Self, Rejection> {
        let mut reader = Reader::new(snapshot, Kind::Snapshot)?;
        let identity = reader.variable()?.to_vec();
        let signer = SigningKey::from_bytes(&Zeroizing::new(reader.array()?));
        let key_packages = reader.list(|r| Ok((r.array()?, read_keys(r)?)))?;
        let groups = reader.list(Group::decode)?;
        let written = reader.read();
        if reader.array()? != digest(b"snapshot", &[written]) {
            return Err(malformed("the checksum is another"));
        }
        reader.finish()?;
        let id = |group: &Group| GroupId::new(group.current.roster.group.to_vec());
        Ok(Self {
            identity,
            signer,
            key_packages: key_packages.into_iter().collect(),
            groups: groups.into_iter().map(|group| (id(&group), group)).collect(),
        })
    }
}

fn write_keys(writer: &mut Writer, keys: &KeyPair) {
    writer.fixed(keys.secret().as_bytes());
}

fn read_keys(reader: &mut Reader<'_>) -> Result<KeyPair, Rejection> {
    Ok(KeyPair::from_secret(&Secret::new(reader.array()?)))
}

/// By what a commit is known again.
pub(crate) fn commit_digest(bytes: &[u8]) -> [u8; 32] {
    digest(b"commit", &[bytes])
}
