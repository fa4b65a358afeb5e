//! The store of an application, in memory: what an operation changed is in it before the operation
//! returns.

use std::collections::BTreeMap;

use burrow_marmot::event::{EventId, Rumor};
use burrow_marmot::group::{Entry, Kept};
use engine_api::GroupId;
use zeroize::Zeroizing;

/// One client's store.
#[derive(Clone, Default)]
pub(crate) struct Store {
    /// The private keys of the key packages, by reference.
    pub(crate) key_packages: BTreeMap<Vec<u8>, Zeroizing<Vec<u8>>>,
    pub(crate) groups: BTreeMap<GroupId, Stored>,
}

/// What is stored of a group.
#[derive(Clone)]
pub(crate) struct Stored {
    pub(crate) kept: Kept,
    /// By event.
    pub(crate) messages: BTreeMap<EventId, Rumor>,
}

impl Store {
    /// A group that was just created or joined.
    pub(crate) fn start(&mut self, group: &GroupId, past_epochs: usize, changes: Vec<Entry>) {
        let stored = Stored { kept: Kept::new(past_epochs), messages: BTreeMap::new() };
        self.groups.insert(group.clone(), stored);
        self.keep(group, changes, None);
    }

    /// Keeps what changed, and a message if there is one.
    pub(crate) fn keep(
        &mut self,
        group: &GroupId,
        changes: Vec<Entry>,
        message: Option<(EventId, &Rumor)>,
    ) {
        let Some(stored) = self.groups.get_mut(group) else {
            return;
        };
        changes.into_iter().for_each(|change| stored.kept.apply(change));
        if let Some((event, rumor)) = message {
            stored.messages.insert(event, rumor.clone());
        }
    }

    /// Forgets messages of epochs that have never been.
    pub(crate) fn forget(&mut self, group: &GroupId, events: &[EventId]) {
        if let Some(stored) = self.groups.get_mut(group) {
            stored.messages.retain(|event, _| !events.contains(event));
        }
    }
}
