//! The store in a SQLite file: mls-rs' own provider.

use engine_api::{EngineError, GroupId, Layer};
use mls_rs::{GroupStateStorage, KeyPackageStorage};
use mls_rs_core::key_package::KeyPackageData;
use mls_rs_provider_sqlite::SqLiteDataStorageEngine;
use mls_rs_provider_sqlite::connection_strategy::{
    CipheredConnectionStrategy, FileConnectionStrategy, SqlCipherConfig, SqlCipherKey,
};
use mls_rs_provider_sqlite::storage::{
    SqLiteApplicationStorage, SqLiteGroupStateStorage, SqLiteKeyPackageStorage,
};
use sqlite_file::DatabaseFile;

use super::{Contents, Store};
use crate::state::{PAST_EPOCHS, Secret, Written};

/// Each of the provider's stores is a connection of its own.
pub(crate) struct Sqlite {
    // Closed before the file is deleted.
    groups: SqLiteGroupStateStorage,
    key_packages: SqLiteKeyPackageStorage,
    application: SqLiteApplicationStorage,
    file: DatabaseFile,
}

/// What the client's keys are kept under, where the provider keeps what is the application's.
const IDENTITY: &str = "identity";

impl Store for Sqlite {
    const LAYER: Layer = Layer::Sqlite;
    const STORAGE: &'static str = sqlite_file::storage!("mls-rs-provider-sqlite");

    fn open(identity: Secret) -> Result<Self, EngineError> {
        let this = Self::over(DatabaseFile::create().map_err(EngineError::storage)?)?;
        this.application.insert(IDENTITY, &identity).map_err(EngineError::storage)?;
        Ok(this)
    }

    fn copied(&self) -> Result<Self, EngineError> {
        Self::over(self.file.copy().map_err(EngineError::storage)?)
    }

    fn keep_key_package(
        &mut self,
        reference: Vec<u8>,
        key_package: KeyPackageData,
    ) -> Result<(), EngineError> {
        KeyPackageStorage::insert(&mut self.key_packages, reference, key_package)
            .map_err(EngineError::storage)
    }

    fn forget_key_package(&mut self, reference: &[u8]) -> Result<(), EngineError> {
        self.key_packages.delete(reference).map_err(EngineError::storage)
    }

    fn keep_group(&mut self, id: &GroupId, written: Written) -> Result<(), EngineError> {
        let (state, inserts, updates) = written.parts(id);
        self.groups.write(state, inserts, updates).map_err(EngineError::storage)
    }

    /// Its past epochs go with it, by a foreign key.
    fn forget_group(&mut self, id: &GroupId) -> Result<(), EngineError> {
        self.groups.delete_group(id.as_slice()).map_err(EngineError::storage)
    }

    fn contents(&self) -> Result<Contents, EngineError> {
        let mut contents = Contents::default();
        let identity = self.application.get(IDENTITY).map_err(EngineError::storage)?;
        contents.identity = identity.ok_or_else(lost)?.into();
        for reference in self.references()? {
            let found = KeyPackageStorage::get(&self.key_packages, &reference);
            let found = found.map_err(EngineError::storage)?.ok_or_else(lost)?;
            contents.key_packages.insert(reference, found);
        }
        for id in self.groups.group_ids().map_err(EngineError::storage)? {
            let written = self.written(&id)?;
            contents.groups.insert(GroupId::new(id), written);
        }
        Ok(contents)
    }
}

impl Sqlite {
    fn over(file: DatabaseFile) -> Result<Self, EngineError> {
        let key = SqlCipherConfig::new(SqlCipherKey::RawKey(*file.key()));
        let path = FileConnectionStrategy::new(file.path());
        let strategy = CipheredConnectionStrategy::new(path, key);
        let engine = SqLiteDataStorageEngine::new(strategy).map_err(EngineError::storage)?;
        let groups = engine.group_state_storage().map_err(EngineError::storage)?;
        Ok(Self {
            groups: groups.with_max_epoch_retention(PAST_EPOCHS),
            key_packages: engine.key_package_storage().map_err(EngineError::storage)?,
            application: engine.application_data_storage().map_err(EngineError::storage)?,
            file,
        })
    }

    /// The provider doesn't list key packages; its table does.
    fn references(&self) -> Result<Vec<Vec<u8>>, EngineError> {
        let read = || -> rusqlite::Result<Vec<Vec<u8>>> {
            let connection = self.file.open()?;
            let mut statement = connection.prepare("SELECT id FROM key_package")?;
            statement.query_map([], |row| row.get(0))?.collect()
        };
        read().map_err(EngineError::storage)
    }

    fn written(&self, id: &[u8]) -> Result<Written, EngineError> {
        let state = self.groups.state(id).map_err(EngineError::storage)?.ok_or_else(lost)?;
        let mut past = Vec::new();
        let last = GroupStateStorage::max_epoch_id(&self.groups, id);
        if let Some(last) = last.map_err(EngineError::storage)? {
            for epoch in last.saturating_sub(PAST_EPOCHS - 1)..=last {
                let found = self.groups.epoch(id, epoch).map_err(EngineError::storage)?;
                past.extend(found.map(|bytes| (epoch, bytes)));
            }
        }
        Ok(Written::new(state, past))
    }
}

fn lost() -> EngineError {
    EngineError::storage("the database lists something that it doesn't have")
}
