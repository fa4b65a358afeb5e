//! Where a client's state goes at the layers that keep it.

use std::collections::BTreeMap;

use engine_api::{EngineError, GroupId, Layer};
use mls_rs_core::key_package::KeyPackageData;

use crate::state::{Secret, Written};

#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(feature = "sqlite")]
pub(crate) use sqlite::Sqlite;

/// One client's store.
pub(crate) trait Store: Sized + 'static {
    const LAYER: Layer;
    /// As [`Description::storage`](engine_api::Description::storage) says it.
    const STORAGE: &'static str;

    /// A store of a client that is these bytes and has neither groups nor key packages.
    fn open(identity: Secret) -> Result<Self, EngineError>;

    /// An independent copy.
    fn copied(&self) -> Result<Self, EngineError>;

    fn keep_key_package(
        &mut self,
        reference: Vec<u8>,
        key_package: KeyPackageData,
    ) -> Result<(), EngineError>;

    fn forget_key_package(&mut self, reference: &[u8]) -> Result<(), EngineError>;

    /// In the place of what was kept of the group.
    fn keep_group(&mut self, id: &GroupId, written: Written) -> Result<(), EngineError>;

    fn forget_group(&mut self, id: &GroupId) -> Result<(), EngineError>;

    /// All that was kept.
    fn contents(&self) -> Result<Contents, EngineError>;
}

/// What a client is made of again.
#[derive(Clone, Default)]
pub(crate) struct Contents {
    pub(crate) identity: Secret,
    pub(crate) key_packages: BTreeMap<Vec<u8>, KeyPackageData>,
    pub(crate) groups: BTreeMap<GroupId, Written>,
}

/// The store in memory.
pub(crate) struct Memory(Contents);

impl Store for Memory {
    const LAYER: Layer = Layer::Memory;
    const STORAGE: &'static str = "memory (maps of the adapter's; groups as write_to_storage has \
                                   them)";

    fn open(identity: Secret) -> Result<Self, EngineError> {
        Ok(Self(Contents { identity, ..Contents::default() }))
    }

    fn copied(&self) -> Result<Self, EngineError> {
        Ok(Self(self.0.clone()))
    }

    fn keep_key_package(
        &mut self,
        reference: Vec<u8>,
        key_package: KeyPackageData,
    ) -> Result<(), EngineError> {
        self.0.key_packages.insert(reference, key_package);
        Ok(())
    }

    fn forget_key_package(&mut self, reference: &[u8]) -> Result<(), EngineError> {
        self.0.key_packages.remove(reference);
        Ok(())
    }

    fn keep_group(&mut self, id: &GroupId, written: Written) -> Result<(), EngineError> {
        self.0.groups.insert(id.clone(), written);
        Ok(())
    }

    fn forget_group(&mut self, id: &GroupId) -> Result<(), EngineError> {
        self.0.groups.remove(id);
        Ok(())
    }

    fn contents(&self) -> Result<Contents, EngineError> {
        Ok(self.0.clone())
    }
}
