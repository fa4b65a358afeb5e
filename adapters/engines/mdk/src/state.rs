//! MDK with its store: how it is made, forked and read past MDK's own calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine_api::EngineError;
use mdk_core::callback::{MdkCallback, RollbackInfo};
use mdk_core::prelude::{GroupId, MDK, MdkStorageProvider, message_types};
use mdk_memory_storage::MdkMemoryStorage;
use nostr::EventId;
use openmls::group::MlsGroup;
use openmls_traits::OpenMlsProvider;

/// What MDK remembers of an event that it was given.
pub(crate) type EventRecord = message_types::ProcessedMessage;

/// One MDK instance over its own store, told when MDK rolls a group back.
pub(crate) struct State {
    pub(crate) mdk: MDK<MdkMemoryStorage>,
    rollback: Arc<RollbackFlag>,
}

/// Set by MDK when a commit that arrived late won the epoch that another had ended.
#[derive(Debug, Default)]
struct RollbackFlag(AtomicBool);

impl MdkCallback for RollbackFlag {
    fn on_rollback(&self, _: &RollbackInfo) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl State {
    /// MDK as it configures itself, over an empty store.
    pub(crate) fn new() -> Self {
        Self::over(MdkMemoryStorage::default())
    }

    /// An independent copy of the store under a new MDK. What MDK keeps for rolling back is not
    /// in the copy: neither its snapshots nor its list of them can be read from outside.
    pub(crate) fn fork(&self) -> Self {
        let storage = MdkMemoryStorage::default();
        storage.restore_snapshot(self.storage().create_snapshot());
        Self::over(storage)
    }

    fn over(storage: MdkMemoryStorage) -> Self {
        let rollback = Arc::new(RollbackFlag::default());
        let mdk = MDK::builder(storage).with_callback(rollback.clone()).build();
        Self { mdk, rollback }
    }

    fn storage(&self) -> &MdkMemoryStorage {
        self.mdk.provider.storage()
    }

    /// Whether MDK has rolled a group back since this was last asked.
    pub(crate) fn take_rollback(&self) -> bool {
        self.rollback.0.swap(false, Ordering::Relaxed)
    }

    /// The MLS group underneath.
    pub(crate) fn mls_group(&self, group: &GroupId) -> Result<MlsGroup, EngineError> {
        MlsGroup::load(self.storage(), group.inner())
            .map_err(EngineError::storage)?
            .ok_or_else(|| EngineError::storage("a group's record without its MLS state"))
    }

    /// The longest group name that the store takes, in bytes.
    pub(crate) fn max_name_len(&self) -> usize {
        self.storage().limits().max_group_name_length
    }

    /// What MDK remembers of the event.
    pub(crate) fn record(&self, event: &EventId) -> Result<Option<EventRecord>, EngineError> {
        find_record(self.storage(), event)
    }
}

// Generic, because the store's message half is a trait that only `MdkStorageProvider` names.

fn find_record<S: MdkStorageProvider>(
    storage: &S,
    event: &EventId,
) -> Result<Option<EventRecord>, EngineError> {
    storage.find_processed_message_by_event_id(event).map_err(EngineError::storage)
}
