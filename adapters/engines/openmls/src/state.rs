//! Where a client's state is: the provider with its store, copies of it, and the store as bytes.

use std::collections::HashMap;
use std::sync::{RwLockReadGuard, RwLockWriteGuard};

use engine_api::{EngineError, GroupId, SnapshotBytes};
use openmls::group::MlsGroup;
use openmls_traits::OpenMlsProvider;
use openmls_traits::types::HashType;
use zeroize::Zeroizing;

use crate::describe::Backend;
use crate::profile::Profile;
use crate::store::{Entries, Memory, Store};

/// An OpenMLS provider whose store can be copied. The published ones are the same two fields, but
/// hide them.
pub(crate) struct Provider<B, S = Memory> {
    backend: B,
    pub(crate) store: S,
}

impl<B: Backend, S: Store> Provider<B, S> {
    /// A provider with an empty store.
    pub(crate) fn open() -> Result<Self, EngineError> {
        Self::over(S::open()?)
    }

    /// A provider with a copy of the store.
    pub(crate) fn fork(&self) -> Result<Self, EngineError> {
        Self::over(self.store.copied()?)
    }

    /// A provider with this store.
    pub(crate) fn over(store: S) -> Result<Self, EngineError> {
        Ok(Self { backend: B::open()?, store })
    }

    /// Where a client starts to number its staged commits.
    pub(crate) fn random_number(&self) -> Result<u64, EngineError> {
        let bytes = self.backend.random_array().map_err(EngineError::internal)?;
        Ok(u64::from_be_bytes(bytes))
    }

    /// The group as the store has it.
    pub(crate) fn load(&self, group: &GroupId) -> Result<MlsGroup, EngineError> {
        let id = openmls::group::GroupId::from_slice(group.as_slice());
        MlsGroup::load(self.storage(), &id)
            .map_err(EngineError::storage)?
            .ok_or_else(|| EngineError::storage("the store doesn't have the group"))
    }

    /// Bytes of the store's values that belong to the group: what deleting it from a copy frees.
    pub(crate) fn stored_len(&self, group: &GroupId) -> Result<usize, EngineError> {
        let copy = self.fork()?;
        let before = copy.store.values_len()?;
        let deleted = copy.load(group)?.delete(copy.storage());
        deleted.map_err(EngineError::storage)?;
        Ok(before - copy.store.values_len()?)
    }
}

impl<B: Backend> Provider<B> {
    fn entries(&self) -> Result<RwLockReadGuard<'_, Entries>, EngineError> {
        self.store.entries()
    }

    fn entries_mut(&self) -> Result<RwLockWriteGuard<'_, Entries>, EngineError> {
        self.store.entries_mut()
    }
}

impl<B: Backend, S: Store> OpenMlsProvider for Provider<B, S> {
    type CryptoProvider = B;
    type RandProvider = B;
    type StorageProvider = S::Storage;

    fn storage(&self) -> &S::Storage {
        self.store.storage()
    }

    fn crypto(&self) -> &B {
        &self.backend
    }

    fn rand(&self) -> &B {
        &self.backend
    }
}

/// Copies of the store's entries for key packages that no Welcome has used yet.
///
/// OpenMLS deletes a key package before it decrypts the Welcome. If the Welcome turns out to be
/// no good, the key package must come back, or the genuine one can't be opened any more.
#[derive(Clone, Default)]
pub(crate) struct Unused(HashMap<Vec<u8>, Zeroizing<Vec<u8>>>);

impl Unused {
    /// Moves what `made` has in its store over to `provider`, and keeps a copy.
    pub(crate) fn keep<B: Backend>(
        &mut self,
        provider: &Provider<B>,
        made: &Provider<B>,
    ) -> Result<(), EngineError> {
        let mut entries = provider.entries_mut()?;
        for (key, value) in made.entries_mut()?.drain() {
            self.0.insert(key.clone(), Zeroizing::new(value.clone()));
            entries.insert(key, value);
        }
        Ok(())
    }

    /// Puts back what a failed join deleted.
    pub(crate) fn put_back<B: Backend>(&self, provider: &Provider<B>) -> Result<(), EngineError> {
        let mut entries = provider.entries_mut()?;
        for (key, value) in &self.0 {
            entries.entry(key.clone()).or_insert_with(|| value.to_vec());
        }
        Ok(())
    }

    /// Drops the copy of what a successful join deleted.
    pub(crate) fn forget_used<B: Backend>(
        &mut self,
        provider: &Provider<B>,
    ) -> Result<(), EngineError> {
        let entries = provider.entries()?;
        self.0.retain(|key, _| entries.contains_key(key));
        Ok(())
    }
}

/// What a snapshot holds beside the store. The signature key pair is in the store.
pub(crate) struct Record {
    pub(crate) identity: Vec<u8>,
    pub(crate) signature_key: Vec<u8>,
    /// Each group with the number of its staged commit.
    pub(crate) groups: Vec<(GroupId, Option<u64>)>,
    pub(crate) unused: Unused,
    pub(crate) profile: Profile,
}

/// The first bytes of a snapshot: whose it is, and the version of its format.
const FORMAT: &[u8] = b"adapter-openmls snapshot 3";

/// A snapshot is, in this order: [`FORMAT`], the engine's name, the record, the store's entries
/// sorted by key, and a SHA-256 digest over all of it. Numbers are eight bytes, big-endian; byte
/// strings and lists are preceded by their length.
pub(crate) fn encode<B: Backend>(
    record: &Record,
    provider: &Provider<B>,
) -> Result<SnapshotBytes, EngineError> {
    let entries = provider.entries()?;
    let mut entries: Vec<_> = entries.iter().collect();
    entries.sort_unstable();
    let mut unused: Vec<_> = record.unused.0.keys().collect();
    unused.sort_unstable();

    let mut out = Encoder::with_room_for(record, &entries);
    out.bytes(FORMAT);
    out.bytes(B::NAME.as_bytes());
    out.bytes(&record.identity);
    out.bytes(&record.signature_key);
    out.bytes(&record.profile.to_bytes());
    out.length(record.groups.len());
    for (group, staged) in &record.groups {
        out.bytes(group.as_slice());
        out.length(staged.iter().len());
        staged.iter().for_each(|stage| out.number(*stage));
    }
    out.length(unused.len());
    unused.iter().for_each(|key| out.bytes(key));
    out.length(entries.len());
    for (key, value) in entries {
        out.bytes(key);
        out.bytes(value);
    }
    let digest = digest(provider.crypto(), &out.0)?;
    out.0.extend_from_slice(&digest);
    Ok(SnapshotBytes::new(out.0))
}

/// The digest is checked before anything else: `MemoryStorage` unwraps what it parses, so bytes
/// that were not written by [`encode`] must never get there.
pub(crate) fn decode<B: Backend>(
    snapshot: &SnapshotBytes,
) -> Result<(Record, Provider<B>), EngineError> {
    let provider = Provider::<B>::open()?;
    let bytes = snapshot.as_slice();
    let boundary = bytes.len().checked_sub(DIGEST_LEN).ok_or_else(damaged)?;
    let (body, expected) = bytes.split_at(boundary);
    if digest(provider.crypto(), body)? != expected {
        return Err(damaged());
    }
    let mut rest = Decoder(body);
    if rest.bytes()? != FORMAT || rest.bytes()? != B::NAME.as_bytes() {
        return Err(EngineError::storage("not a snapshot of this engine's"));
    }
    let identity = rest.bytes()?.to_vec();
    let signature_key = rest.bytes()?.to_vec();
    let profile = Profile::from_bytes(rest.bytes()?).ok_or_else(damaged)?;
    let groups = rest.list(|rest| {
        let group = GroupId::new(rest.bytes()?.to_vec());
        let mut staged = rest.list(Decoder::number)?;
        match (staged.pop(), staged.pop()) {
            (stage, None) => Ok((group, stage)),
            _ => Err(damaged()),
        }
    })?;
    let unused = rest.list(Decoder::bytes)?;
    let entries = rest.list(|rest| Ok((rest.bytes()?, rest.bytes()?)))?;
    if !rest.0.is_empty() || !entries.is_sorted_by(|(a, _), (b, _)| a < b) {
        return Err(damaged());
    }
    provider
        .entries_mut()?
        .extend(entries.iter().map(|(key, value)| (key.to_vec(), value.to_vec())));
    let unused = copies(&unused, &provider)?;
    let record = Record { identity, signature_key, groups, unused, profile };
    Ok((record, provider))
}

fn copies<B: Backend>(keys: &[&[u8]], provider: &Provider<B>) -> Result<Unused, EngineError> {
    let entries = provider.entries()?;
    let copy = |key: &&[u8]| {
        let value = entries.get(*key).ok_or_else(damaged)?;
        Ok((key.to_vec(), Zeroizing::new(value.clone())))
    };
    Ok(Unused(keys.iter().map(copy).collect::<Result<_, _>>()?))
}

pub(crate) const DIGEST_LEN: usize = 32;

pub(crate) fn digest<B: Backend>(backend: &B, bytes: &[u8]) -> Result<Vec<u8>, EngineError> {
    backend.hash(HashType::Sha2_256, bytes).map_err(EngineError::internal)
}

pub(crate) fn damaged() -> EngineError {
    EngineError::storage("the snapshot is damaged")
}

pub(crate) struct Encoder(pub(crate) Vec<u8>);

impl Encoder {
    /// With enough room that no reallocation leaves secrets behind.
    fn with_room_for(record: &Record, entries: &[(&Vec<u8>, &Vec<u8>)]) -> Self {
        let names =
            record.identity.len() + record.signature_key.len() + record.profile.to_bytes().len();
        let groups: usize = record.groups.iter().map(|(id, _)| 24 + id.len()).sum();
        let unused: usize = record.unused.0.keys().map(|key| 8 + key.len()).sum();
        let stored: usize = entries.iter().map(|(k, v)| 16 + k.len() + v.len()).sum();
        Self(Vec::with_capacity(256 + names + groups + unused + stored))
    }

    pub(crate) fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_be_bytes());
    }

    pub(crate) fn length(&mut self, length: usize) {
        // No platform has a usize wider than 64 bits.
        self.number(length as u64);
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.length(bytes.len());
        self.0.extend_from_slice(bytes);
    }
}

pub(crate) struct Decoder<'a>(pub(crate) &'a [u8]);

impl<'a> Decoder<'a> {
    pub(crate) fn number(&mut self) -> Result<u64, EngineError> {
        let (number, rest) = self.0.split_first_chunk().ok_or_else(damaged)?;
        self.0 = rest;
        Ok(u64::from_be_bytes(*number))
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], EngineError> {
        let length = usize::try_from(self.number()?).map_err(|_| damaged())?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or_else(damaged)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// Nothing is allocated on the word of a length: a list that claims more than there is ends
    /// with the bytes.
    pub(crate) fn list<T>(
        &mut self,
        item: impl Fn(&mut Self) -> Result<T, EngineError>,
    ) -> Result<Vec<T>, EngineError> {
        let mut items = Vec::new();
        for _ in 0..self.number()? {
            items.push(item(self)?);
        }
        Ok(items)
    }
}
