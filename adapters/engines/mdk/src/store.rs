//! The stores that MDK is put on: MDK's own two.

use engine_api::{EngineError, Layer};
use mdk_core::prelude::MdkStorageProvider;
use mdk_memory_storage::MdkMemoryStorage;

/// A kind of store.
pub(crate) trait Store: 'static {
    type Storage: MdkStorageProvider;
    /// What has to be there for as long as the store is.
    type Place;

    /// The configuration's name.
    const NAME: &'static str;
    const LAYER: Layer;
    /// As [`Description::storage`](engine_api::Description::storage) says it.
    const STORAGE: &'static str;

    /// An empty store.
    fn open() -> Result<(Self::Storage, Self::Place), EngineError>;

    /// An independent copy.
    fn copied(
        storage: &Self::Storage,
        place: &Self::Place,
    ) -> Result<(Self::Storage, Self::Place), EngineError>;

    /// The longest group name that it takes, in bytes.
    fn max_name_len(storage: &Self::Storage) -> usize;
}

/// `mdk-memory-storage`.
pub(crate) struct Memory;

impl Store for Memory {
    type Storage = MdkMemoryStorage;
    type Place = ();

    const NAME: &'static str = "mdk";
    const LAYER: Layer = Layer::Memory;
    const STORAGE: &'static str = "memory (mdk-memory-storage, postcard)";

    fn open() -> Result<(MdkMemoryStorage, ()), EngineError> {
        Ok((MdkMemoryStorage::default(), ()))
    }

    fn copied(storage: &MdkMemoryStorage, (): &()) -> Result<(MdkMemoryStorage, ()), EngineError> {
        let copy = MdkMemoryStorage::default();
        copy.restore_snapshot(storage.create_snapshot());
        Ok((copy, ()))
    }

    fn max_name_len(storage: &MdkMemoryStorage) -> usize {
        storage.limits().max_group_name_length
    }
}

#[cfg(feature = "sqlite")]
pub(crate) use sqlite::Sqlite;

#[cfg(feature = "sqlite")]
mod sqlite {
    use std::cell::OnceCell;

    use engine_api::{EngineError, Layer};
    use mdk_sqlite_storage::{EncryptionConfig, MdkSqliteStorage};
    use sqlite_file::DatabaseFile;

    use super::Store;

    /// `mdk-sqlite-storage`.
    pub(crate) struct Sqlite;

    /// As that crate's `validation` module has it, which isn't public.
    const MAX_GROUP_NAME_LENGTH: usize = 255;

    thread_local! {
        /// A database that has seen MDK's migrations and nothing else. They are many, and each is
        /// a transaction, so a new client starts from a copy.
        static EMPTY: OnceCell<DatabaseFile> = const { OnceCell::new() };
    }

    impl Store for Sqlite {
        type Storage = MdkSqliteStorage;
        type Place = DatabaseFile;

        const NAME: &'static str = "mdk/sqlite";
        const LAYER: Layer = Layer::Sqlite;
        const STORAGE: &'static str = sqlite_file::storage!("mdk-sqlite-storage, postcard");

        fn open() -> Result<(MdkSqliteStorage, DatabaseFile), EngineError> {
            let file = EMPTY.with(|empty| match empty.get() {
                Some(file) => file.copy().map_err(EngineError::storage),
                None => {
                    let file = DatabaseFile::create().map_err(EngineError::storage)?;
                    drop(over(&file)?);
                    let copy = file.copy().map_err(EngineError::storage);
                    let _ = empty.set(file);
                    copy
                }
            })?;
            Ok((over(&file)?, file))
        }

        fn copied(
            _: &MdkSqliteStorage,
            place: &DatabaseFile,
        ) -> Result<(MdkSqliteStorage, DatabaseFile), EngineError> {
            let file = place.copy().map_err(EngineError::storage)?;
            Ok((over(&file)?, file))
        }

        fn max_name_len(_: &MdkSqliteStorage) -> usize {
            MAX_GROUP_NAME_LENGTH
        }
    }

    fn over(file: &DatabaseFile) -> Result<MdkSqliteStorage, EngineError> {
        let key = EncryptionConfig::new(*file.key());
        MdkSqliteStorage::new_with_key(file.path(), key).map_err(EngineError::storage)
    }
}
