//! burrow as an application keeps it: each operation's outcome is in a store before it returns.
//!
//! What is written is what burrow asks for. After a change of epoch that is the whole group
//! (`Group::write`). A message, sent or received, costs a record of its key (`KeyUse`); a staged
//! commit costs itself and such a record.
//!
//! When the store fails, the call does: a message is not handed out before its key is on record.
//! The client in memory may then be ahead of its store and is to be reopened.

use burrow::codec::Encode as _;
use burrow::group::{KeyPackageSecrets, KeyUse};
use engine_api::{
    AppBytes, AppMessage, CgkaEngine, Change, CommitBytes, Description, EncodedSizes, EngineError,
    Epoch, EpochAuthenticator, Founded, GroupId, Identity, Ingested, KeyPackageBytes, LeafIndex,
    Member, PublishedCommit, SnapshotBytes, StagedCommit, WelcomeBytes,
};

use crate::client::{Burrow, Held};
use crate::describe::{Backend, describe_kept};
use crate::ingest::ours;
use crate::state::warm_up;
use crate::store::{Contents, Entry, Kept, Store};

/// A client of burrow with its store.
pub(crate) struct Keeping<B, S> {
    client: Burrow<B>,
    store: S,
    /// Bytes of groups given to the store.
    written: u64,
}

impl<B: Backend, S: Store> CgkaEngine for Keeping<B, S> {
    fn describe() -> Description {
        describe_kept::<B>(S::LAYER, S::STORAGE)
    }

    fn new_client(name: &str) -> Result<Self, EngineError> {
        Self::around(Burrow::new_client(name)?)
    }

    fn identity(&self) -> Identity {
        self.client.identity()
    }

    fn publish_key_package(&mut self) -> Result<KeyPackageBytes, EngineError> {
        let known = self.references();
        let published = self.client.publish_key_package()?;
        let new = self.client.key_packages.iter().filter(|(id, _)| !known.contains(id));
        let entries = new.map(key_package).collect::<Result<Vec<_>, _>>()?;
        self.keep(&entries)?;
        Ok(published)
    }

    fn create_group(&mut self, invitees: &[KeyPackageBytes]) -> Result<Founded, EngineError> {
        let founded = self.client.create_group(invitees)?;
        self.keep_group(&founded.group, Vec::new())?;
        Ok(founded)
    }

    fn join_welcome(&mut self, message: &WelcomeBytes) -> Result<GroupId, EngineError> {
        let mut used = self.references();
        let group = self.client.join_welcome(message)?;
        used.retain(|reference| !self.client.key_packages.contains_key(reference));
        self.keep_group(&group, used.into_iter().map(Entry::KeyPackageUsed).collect())?;
        Ok(group)
    }

    fn send(&mut self, group: &GroupId, payload: &[u8]) -> Result<AppBytes, EngineError> {
        let (message, key_use) = self.client.send_with_use(group, payload)?;
        self.keep_use(group, key_use)?;
        Ok(message)
    }

    fn ingest_app(
        &mut self,
        group: &GroupId,
        message: &AppBytes,
    ) -> Result<Ingested<AppMessage>, EngineError> {
        let (outcome, key_use) = self.client.ingest_with_use(group, message)?;
        self.keep_use(group, key_use)?;
        Ok(outcome)
    }

    fn ingest_commit(
        &mut self,
        group: &GroupId,
        commit: &CommitBytes,
    ) -> Result<Ingested<Epoch>, EngineError> {
        let outcome = self.client.ingest_commit(group, commit)?;
        match &outcome {
            Ingested::Applied(_) => self.keep_group(group, Vec::new())?,
            Ingested::Removed => self.keep(&[Entry::Left(group.clone())])?,
            _ => {}
        }
        Ok(outcome)
    }

    fn stage_commit(
        &mut self,
        group: &GroupId,
        change: &Change<'_>,
    ) -> Result<StagedCommit, EngineError> {
        let made = self.client.stage_commit(group, change)?;
        let held = self.client.held(group)?;
        let mut entries = Vec::with_capacity(2);
        if let Some((stage, staged)) = &held.staged {
            entries.extend(staged.messages.key_use.map(|used| record(group, used)).transpose()?);
            entries.push(Entry::Staged(group.clone(), *stage, staged.write().map_err(ours)?));
        }
        self.keep(&entries)?;
        Ok(made)
    }

    fn merge_staged(&mut self, commit: PublishedCommit) -> Result<Epoch, EngineError> {
        let group = commit.staged().group().clone();
        let epoch = self.client.merge_staged(commit)?;
        self.keep_group(&group, Vec::new())?;
        Ok(epoch)
    }

    fn discard_staged(&mut self, commit: StagedCommit) -> Result<(), EngineError> {
        let group = commit.group().clone();
        self.client.discard_staged(commit)?;
        self.keep(&[Entry::Unstaged(group)])
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
        Ok(Self { client, store, written: self.written })
    }

    /// Of what the store has, not of the client in memory: a restored one shows what was kept.
    fn snapshot(&self) -> Result<SnapshotBytes, EngineError> {
        let client = reopened::<B>(&self.store.contents()?)?.to_bytes()?;
        let mut bytes = Vec::with_capacity(1 + client.as_slice().len());
        bytes.push(S::LAYER as u8);
        bytes.extend_from_slice(client.as_slice());
        Ok(SnapshotBytes::new(bytes))
    }

    fn restore(snapshot: &SnapshotBytes) -> Result<Self, EngineError> {
        match snapshot.as_slice().split_first() {
            Some((layer, client)) if *layer == S::LAYER as u8 => {
                Self::around(Burrow::from_bytes(client)?)
            }
            _ => Err(EngineError::storage("not a client of this engine")),
        }
    }
}

impl<B: Backend, S: Store> Keeping<B, S> {
    /// A client with all that it has in a new store.
    fn around(mut client: Burrow<B>) -> Result<Self, EngineError> {
        let key_packages = std::mem::take(&mut client.key_packages);
        let groups = std::mem::take(&mut client.groups);
        // Without those, a client's bytes are its identity.
        let identity = client.to_bytes()?;
        let mut entries = vec![Entry::Identity(identity.as_slice().to_vec().into())];
        for one in &key_packages {
            entries.push(key_package(one)?);
        }
        for (id, held) in &groups {
            let (group, staged) = held.write()?;
            entries.push(Entry::Group(id.clone(), group));
            entries.extend(staged.map(|(stage, commit)| Entry::Staged(id.clone(), stage, commit)));
        }
        (client.key_packages, client.groups) = (key_packages, groups);
        let mut store = S::open()?;
        store.keep(&entries)?;
        Ok(Self { client, store, written: 0 })
    }

    fn keep(&mut self, entries: &[Entry]) -> Result<(), EngineError> {
        self.store.keep(entries)?;
        let bytes = entries.iter().map(Entry::group_bytes).sum::<usize>();
        self.written = self.written.saturating_add(bytes as u64);
        Ok(())
    }

    fn references(&self) -> Vec<Vec<u8>> {
        self.client.key_packages.keys().cloned().collect()
    }

    fn keep_group(&mut self, id: &GroupId, mut entries: Vec<Entry>) -> Result<(), EngineError> {
        let written = self.client.held(id)?.group.write().map_err(ours)?;
        entries.push(Entry::Group(id.clone(), written));
        self.keep(&entries)
    }

    fn keep_use(&mut self, id: &GroupId, key_use: Option<KeyUse>) -> Result<(), EngineError> {
        match key_use {
            Some(key_use) => self.keep(&[record(id, key_use)?]),
            None => Ok(()),
        }
    }
}

/// The client that a store holds.
fn reopened<B: Backend>(contents: &Contents) -> Result<Burrow<B>, EngineError> {
    let mut opened = Burrow::<B>::from_bytes(&contents.identity)?;
    for (reference, secrets) in &contents.key_packages {
        let secrets = KeyPackageSecrets::read(&opened.client, secrets);
        opened.key_packages.insert(reference.clone(), secrets.map_err(EngineError::storage)?);
    }
    for Kept { id, group, uses, staged } in &contents.groups {
        let group = opened.client.restore(group, uses).map_err(EngineError::storage)?;
        let staged = staged.as_ref().map(|(stage, commit)| {
            Ok((*stage, group.restore_staged(commit).map_err(EngineError::storage)?))
        });
        let staged = staged.transpose()?;
        warm_up(&group)?;
        opened.groups.insert(id.clone(), Held { group, staged });
    }
    Ok(opened)
}

fn key_package((reference, secrets): (&Vec<u8>, &KeyPackageSecrets)) -> Result<Entry, EngineError> {
    Ok(Entry::KeyPackage(reference.clone(), secrets.write().map_err(ours)?))
}

fn record(id: &GroupId, key_use: KeyUse) -> Result<Entry, EngineError> {
    let mut record = Vec::with_capacity(key_use.encoded_len());
    key_use.encode(&mut record).map_err(EngineError::internal)?;
    Ok(Entry::KeyUse(id.clone(), record))
}

#[cfg(test)]
mod tests;
