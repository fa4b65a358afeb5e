//! MDK with its store: how it is made, forked and read past MDK's own calls.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use engine_api::EngineError;
use mdk_core::callback::{MdkCallback, RollbackInfo};
use mdk_core::prelude::{GroupId, MDK, MdkStorageProvider, message_types};
use nostr::EventId;
use openmls::group::MlsGroup;
use openmls_traits::OpenMlsProvider;

use crate::store::Store;

/// What MDK remembers of an event that it was given.
pub(crate) type EventRecord = message_types::ProcessedMessage;

/// One MDK instance over its own store, told when MDK rolls a group back.
pub(crate) struct State<S: Store> {
    pub(crate) mdk: MDK<S::Storage>,
    rollback: Arc<RollbackFlag>,
    /// Goes after MDK, which has it open.
    place: S::Place,
}

/// Set by MDK when a commit that arrived late won the epoch that another had ended.
#[derive(Debug, Default)]
struct RollbackFlag {
    is_set: AtomicBool,
    /// The rumors that were sent or read in epochs which have never been.
    invalidated: Mutex<Vec<EventId>>,
}

impl MdkCallback for RollbackFlag {
    fn on_rollback(&self, info: &RollbackInfo) {
        self.is_set.store(true, Ordering::Relaxed);
        if let Ok(mut invalidated) = self.invalidated.lock() {
            invalidated.extend(&info.invalidated_messages);
        }
    }
}

impl<S: Store> State<S> {
    /// MDK as it configures itself, over an empty store.
    pub(crate) fn new() -> Result<Self, EngineError> {
        S::open().map(Self::over)
    }

    /// An independent copy of the store under a new MDK. What MDK keeps in itself for rolling back
    /// is not in the copy: its list of snapshots can't be read from outside.
    pub(crate) fn fork(&self) -> Result<Self, EngineError> {
        S::copied(self.storage(), &self.place).map(Self::over)
    }

    fn over((storage, place): (S::Storage, S::Place)) -> Self {
        let rollback = Arc::new(RollbackFlag::default());
        let mdk = MDK::builder(storage).with_callback(rollback.clone()).build();
        Self { mdk, rollback, place }
    }

    fn storage(&self) -> &S::Storage {
        self.mdk.provider.storage()
    }

    /// Whether MDK has rolled a group back since this was last asked.
    pub(crate) fn take_rollback(&self) -> bool {
        self.rollback.is_set.swap(false, Ordering::Relaxed)
    }

    /// The rumors that rollbacks have made void since this was last asked.
    pub(crate) fn take_invalidated(&self) -> Vec<EventId> {
        self.rollback
            .invalidated
            .lock()
            .map(|mut list| std::mem::take(&mut *list))
            .unwrap_or_default()
    }

    /// The MLS group underneath.
    pub(crate) fn mls_group(&self, group: &GroupId) -> Result<MlsGroup, EngineError> {
        MlsGroup::load(self.storage(), group.inner())
            .map_err(EngineError::storage)?
            .ok_or_else(|| EngineError::storage("a group's record without its MLS state"))
    }

    /// The longest group name that the store takes, in bytes.
    pub(crate) fn max_name_len(&self) -> usize {
        S::max_name_len(self.storage())
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
