//! The stores that OpenMLS is put on.

use std::collections::HashMap;
use std::sync::{RwLockReadGuard, RwLockWriteGuard};

use engine_api::{EngineError, Layer, SnapshotBytes};
use openmls::key_packages::KeyPackageBundle;
use openmls_memory_storage::MemoryStorage;
use openmls_traits::storage::{CURRENT_VERSION, StorageProvider};
use zeroize::Zeroize;

use crate::client::OpenMls;
use crate::describe::Backend;
use crate::state::{Provider, Unused};

#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(feature = "sqlite")]
pub(crate) use sqlite::Sqlite;

/// What a store's own calls give when they fail.
pub(crate) type Failure<S> = <<S as Store>::Storage as StorageProvider<CURRENT_VERSION>>::Error;

/// One client's store.
pub(crate) trait Store: Sized + 'static {
    type Storage: StorageProvider<CURRENT_VERSION>;
    /// Copies of the key packages that no Welcome has used yet; [`Unused`] says why.
    type Unused: Clone + Default;

    const LAYER: Layer;
    /// As [`Description::storage`](engine_api::Description::storage) says it.
    const STORAGE: &'static str;

    /// An empty store.
    fn open() -> Result<Self, EngineError>;

    /// As OpenMLS calls it.
    fn storage(&self) -> &Self::Storage;

    /// An independent copy.
    fn copied(&self) -> Result<Self, EngineError>;

    /// Has a key package made, and keeps a copy.
    fn publish<B: Backend>(
        provider: &Provider<B, Self>,
        unused: &mut Self::Unused,
        make: impl FnOnce(&Provider<B, Self>) -> Result<KeyPackageBundle, EngineError>,
    ) -> Result<KeyPackageBundle, EngineError>;

    /// Puts back what a failed join deleted.
    fn put_back<B: Backend>(
        provider: &Provider<B, Self>,
        unused: &Self::Unused,
    ) -> Result<(), EngineError>;

    /// Drops the copy of what a successful join deleted.
    fn forget_used<B: Backend>(
        provider: &Provider<B, Self>,
        unused: &mut Self::Unused,
    ) -> Result<(), EngineError>;

    /// Bytes of all values, without the keys that they are under.
    fn values_len(&self) -> Result<usize, EngineError>;

    fn snapshot<B: Backend>(client: &OpenMls<B, Self>) -> Result<SnapshotBytes, EngineError>;

    fn restore<B: Backend>(snapshot: &SnapshotBytes) -> Result<OpenMls<B, Self>, EngineError>;
}

/// What `MemoryStorage` holds: encoded key to encoded value.
pub(crate) type Entries = HashMap<Vec<u8>, Vec<u8>>;

/// `openmls_memory_storage`.
#[derive(Default)]
pub(crate) struct Memory(MemoryStorage);

impl Memory {
    pub(crate) fn entries(&self) -> Result<RwLockReadGuard<'_, Entries>, EngineError> {
        self.0.values.read().map_err(EngineError::storage)
    }

    pub(crate) fn entries_mut(&self) -> Result<RwLockWriteGuard<'_, Entries>, EngineError> {
        self.0.values.write().map_err(EngineError::storage)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let entries = match self.0.values.get_mut() {
            Ok(entries) => entries,
            Err(poisoned) => poisoned.into_inner(),
        };
        entries.values_mut().for_each(Zeroize::zeroize);
    }
}

impl Store for Memory {
    type Storage = MemoryStorage;
    type Unused = Unused;

    const LAYER: Layer = Layer::Memory;
    const STORAGE: &'static str = "memory (serde_json)";

    fn open() -> Result<Self, EngineError> {
        Ok(Self::default())
    }

    fn storage(&self) -> &MemoryStorage {
        &self.0
    }

    fn copied(&self) -> Result<Self, EngineError> {
        let copy = Self::default();
        copy.entries_mut()?.clone_from(&*self.entries()?);
        Ok(copy)
    }

    /// In a store of its own, to see which entries are the key package's.
    fn publish<B: Backend>(
        provider: &Provider<B>,
        unused: &mut Unused,
        make: impl FnOnce(&Provider<B>) -> Result<KeyPackageBundle, EngineError>,
    ) -> Result<KeyPackageBundle, EngineError> {
        let place = Provider::open()?;
        let made = make(&place)?;
        unused.keep(provider, &place)?;
        Ok(made)
    }

    fn put_back<B: Backend>(provider: &Provider<B>, unused: &Unused) -> Result<(), EngineError> {
        unused.put_back(provider)
    }

    fn forget_used<B: Backend>(
        provider: &Provider<B>,
        unused: &mut Unused,
    ) -> Result<(), EngineError> {
        unused.forget_used(provider)
    }

    fn values_len(&self) -> Result<usize, EngineError> {
        Ok(self.entries()?.values().map(Vec::len).sum())
    }

    fn snapshot<B: Backend>(client: &OpenMls<B>) -> Result<SnapshotBytes, EngineError> {
        client.to_bytes()
    }

    fn restore<B: Backend>(snapshot: &SnapshotBytes) -> Result<OpenMls<B>, EngineError> {
        OpenMls::from_bytes(snapshot)
    }
}
