//! mls-rs as an application keeps it: `write_to_storage` at the end of each operation, into a store.
//!
//! Commits are staged inside of the group here (`CommitBuilder::build`), so that one write has the
//! commit with the group that it is for.
//!
//! When the store fails, the call does. The client in memory may then be ahead of its store.

use std::collections::BTreeMap;

use engine_api::{
    AppBytes, AppMessage, CgkaEngine, Change, CommitBytes, Description, EncodedSizes, EngineError,
    Epoch, EpochAuthenticator, Founded, GroupId, Identity, Ingested, KeyPackageBytes, LeafIndex,
    Member, PublishedCommit, SnapshotBytes, StagedCommit, WelcomeBytes,
};
use mls_rs::KeyPackageStorage as _;
use zeroize::Zeroizing;

use crate::client::{MlsRs, commit_by, encoded, welcomes};
use crate::describe::{Backend, describe_kept};
use crate::ingest::ours;
use crate::state::bytes::{Reader, Writer, digest, undamaged};
use crate::store::{Contents, Store};

/// A client of mls-rs with its store.
pub(crate) struct Keeping<B: Backend, S> {
    client: MlsRs<B>,
    /// The pending commit of each group that has one.
    pending: BTreeMap<GroupId, Pending>,
    store: S,
    /// Bytes of groups given to the store.
    written: u64,
}

#[derive(Clone)]
struct Pending {
    stage: u64,
    /// mls-rs would apply it when the network echoes it.
    commit: CommitBytes,
}

impl<B: Backend, S: Store> CgkaEngine for Keeping<B, S> {
    fn describe() -> Description {
        describe_kept::<B>(S::LAYER, S::STORAGE)
    }

    fn new_client(name: &str) -> Result<Self, EngineError> {
        Self::around(MlsRs::new_client(name)?, BTreeMap::new())
    }

    fn identity(&self) -> Identity {
        self.client.identity()
    }

    fn publish_key_package(&mut self) -> Result<KeyPackageBytes, EngineError> {
        let known = self.client.key_packages.references();
        let published = self.client.publish_key_package()?;
        let mut new = self.client.key_packages.references();
        new.retain(|reference| !known.contains(reference));
        keep_key_packages(&self.client, new, &mut self.store)?;
        Ok(published)
    }

    fn create_group(&mut self, invitees: &[KeyPackageBytes]) -> Result<Founded, EngineError> {
        let founded = self.client.create_group(invitees)?;
        self.keep_group(&founded.group)?;
        Ok(founded)
    }

    fn join_welcome(&mut self, welcome: &WelcomeBytes) -> Result<GroupId, EngineError> {
        let known = self.client.key_packages.references();
        let group = self.client.join_welcome(welcome)?;
        self.keep_group(&group)?;
        let left = self.client.key_packages.references();
        let mut used = known.iter().filter(|reference| !left.contains(reference));
        used.try_for_each(|reference| self.store.forget_key_package(reference))?;
        Ok(group)
    }

    fn send(&mut self, group: &GroupId, payload: &[u8]) -> Result<AppBytes, EngineError> {
        let message = self.client.send(group, payload)?;
        self.keep_group(group)?;
        Ok(message)
    }

    fn ingest_app(
        &mut self,
        group: &GroupId,
        message: &AppBytes,
    ) -> Result<Ingested<AppMessage>, EngineError> {
        let outcome = self.client.ingest_app(group, message)?;
        if matches!(outcome, Ingested::Applied(_)) {
            self.keep_group(group)?;
        }
        Ok(outcome)
    }

    fn ingest_commit(
        &mut self,
        group: &GroupId,
        commit: &CommitBytes,
    ) -> Result<Ingested<Epoch>, EngineError> {
        if self.pending.get(group).is_some_and(|pending| pending.commit == *commit) {
            return Ok(Ingested::Duplicate);
        }
        let outcome = self.client.ingest_commit(group, commit)?;
        match &outcome {
            Ingested::Applied(_) => {
                self.pending.remove(group);
                self.keep_group(group)?;
            }
            Ingested::Removed => {
                self.pending.remove(group);
                self.store.forget_group(group)?;
            }
            _ => {}
        }
        Ok(outcome)
    }

    fn stage_commit(
        &mut self,
        group: &GroupId,
        change: &Change<'_>,
    ) -> Result<StagedCommit, EngineError> {
        let stage = self.client.stages;
        let held = self.client.held_mut(group)?;
        if self.pending.contains_key(group) {
            return Err(EngineError::caller("a commit is staged already"));
        }
        let base = Epoch(held.group.current_epoch());
        let output = commit_by(&mut held.group, change, |builder| builder.build())?;
        let commit: CommitBytes = encoded(&output.commit_message)?;
        let welcomes = welcomes(&output)?;
        self.pending.insert(group.clone(), Pending { stage, commit: commit.clone() });
        self.client.stages = stage.wrapping_add(1);
        self.keep_group(group)?;
        Ok(StagedCommit::new(group.clone(), base, stage, commit, welcomes))
    }

    fn merge_staged(&mut self, commit: PublishedCommit) -> Result<Epoch, EngineError> {
        let group = commit.staged().group();
        self.take_pending(commit.staged())?;
        let held = self.client.held_mut(group)?;
        held.group.apply_pending_commit().map_err(ours)?;
        let epoch = Epoch(held.group.current_epoch());
        self.keep_group(group)?;
        Ok(epoch)
    }

    fn discard_staged(&mut self, commit: StagedCommit) -> Result<(), EngineError> {
        self.take_pending(&commit)?;
        self.client.held_mut(commit.group())?.group.clear_pending_commit();
        self.keep_group(commit.group())
    }

    fn epoch(&self, group: &GroupId) -> Result<Epoch, EngineError> {
        self.client.epoch(group)
    }

    fn members(&self, group: &GroupId) -> Result<Vec<Member>, EngineError> {
        self.client.members(group)
    }

    fn own_leaf(&self, group: &GroupId) -> Result<LeafIndex, EngineError> {
        self.client.own_leaf(group)
    }

    fn epoch_authenticator(&self, group: &GroupId) -> Result<EpochAuthenticator, EngineError> {
        self.client.epoch_authenticator(group)
    }

    fn encoded_sizes(&self, group: &GroupId) -> Result<EncodedSizes, EngineError> {
        self.client.encoded_sizes(group)
    }

    fn written_bytes(&self) -> Option<u64> {
        Some(self.written)
    }

    fn fork(&self) -> Result<Self, EngineError> {
        let (client, store) = (self.client.copied()?, self.store.copied()?);
        Ok(Self { client, pending: self.pending.clone(), store, written: self.written })
    }

    /// Of what the store has, not of the client in memory: a restored one shows what was kept.
    fn snapshot(&self) -> Result<SnapshotBytes, EngineError> {
        let mut out = Writer::default();
        out.number(S::LAYER as u64);
        out.number(self.pending.len() as u64);
        for (group, pending) in &self.pending {
            out.bytes(group.as_slice())?;
            out.number(pending.stage);
            out.bytes(pending.commit.as_slice())?;
        }
        out.bytes(reopened::<B>(self.store.contents()?)?.to_bytes()?.as_slice())?;
        let digest = digest::<B>(&out.0)?;
        out.put(&digest);
        Ok(SnapshotBytes::new(std::mem::take(&mut *out.0)))
    }

    fn restore(snapshot: &SnapshotBytes) -> Result<Self, EngineError> {
        let mut reader = Reader(undamaged::<B>(snapshot.as_slice())?);
        if reader.number()? != S::LAYER as u64 {
            return Err(EngineError::storage("not a client of this engine"));
        }
        let mut pending = BTreeMap::new();
        for _ in 0..reader.number()? {
            let group = GroupId::new(reader.bytes()?.to_vec());
            let stage = reader.number()?;
            let commit = CommitBytes::new(reader.bytes()?.to_vec());
            pending.insert(group, Pending { stage, commit });
        }
        let client = MlsRs::from_bytes(reader.bytes()?)?;
        reader.end()?;
        Self::around(client, pending)
    }
}

impl<B: Backend, S: Store> Keeping<B, S> {
    /// A client with all that it has in a new store.
    fn around(
        mut client: MlsRs<B>,
        pending: BTreeMap<GroupId, Pending>,
    ) -> Result<Self, EngineError> {
        let groups = std::mem::take(&mut client.groups);
        let key_packages = std::mem::take(&mut client.key_packages);
        // Without those, a client's bytes are its identity.
        let mut store = S::open(Zeroizing::new(client.to_bytes()?.as_slice().to_vec()))?;
        (client.groups, client.key_packages) = (groups, key_packages);
        keep_key_packages(&client, client.key_packages.references(), &mut store)?;
        for (id, held) in &client.groups {
            store.keep_group(id, held.borrow_mut().write_all(&client.outbox)?)?;
        }
        Ok(Self { client, pending, store, written: 0 })
    }

    fn keep_group(&mut self, id: &GroupId) -> Result<(), EngineError> {
        let outbox = self.client.outbox.clone();
        let written = self.client.held_mut(id)?.write(&outbox)?;
        let bytes = written.changed_len() as u64;
        self.store.keep_group(id, written)?;
        self.written = self.written.saturating_add(bytes);
        Ok(())
    }

    fn take_pending(&mut self, commit: &StagedCommit) -> Result<(), EngineError> {
        match self.pending.get(commit.group()) {
            Some(pending) if pending.stage == commit.stage() => {
                self.pending.remove(commit.group());
                Ok(())
            }
            _ => Err(EngineError::caller("not the group's staged commit")),
        }
    }
}

fn keep_key_packages<B: Backend, S: Store>(
    client: &MlsRs<B>,
    references: Vec<Vec<u8>>,
    store: &mut S,
) -> Result<(), EngineError> {
    for reference in references {
        let key_package = client.key_packages.get(&reference).map_err(EngineError::storage)?;
        if let Some(key_package) = key_package {
            store.keep_key_package(reference, key_package)?;
        }
    }
    Ok(())
}

/// The client that a store holds.
fn reopened<B: Backend>(contents: Contents) -> Result<MlsRs<B>, EngineError> {
    let mut opened = MlsRs::<B>::from_bytes(&contents.identity)?;
    for (reference, key_package) in contents.key_packages {
        opened.key_packages.insert(reference, key_package).map_err(EngineError::storage)?;
    }
    for (id, written) in contents.groups {
        opened.load(&id, written)?;
    }
    Ok(opened)
}

#[cfg(test)]
mod tests;
