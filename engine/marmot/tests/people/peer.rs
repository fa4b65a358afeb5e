//! Accounts with MDK, for the tests.
#![allow(dead_code, reason = "not every test needs all of it")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use burrow::codec::Encode;
use burrow_marmot::{PublicKey, event::Event, group::Group};
use mdk_core::prelude::{GroupId, MDK, MessageProcessingResult, NostrGroupConfigData};
use mdk_memory_storage::MdkMemoryStorage;
use nostr::JsonUtil;

use crate::people::{Person, RELAY};

/// An account with MDK.
pub(crate) struct Peer {
    pub(crate) mdk: MDK<MdkMemoryStorage>,
    pub(crate) keys: nostr::Keys,
}

impl Peer {
    pub(crate) fn new() -> Self {
        Self { mdk: MDK::new(MdkMemoryStorage::default()), keys: nostr::Keys::generate() }
    }

    pub(crate) fn account(&self) -> PublicKey {
        PublicKey(self.keys.public_key().to_bytes())
    }

    pub(crate) fn publish(&self) -> Vec<u8> {
        let relay = nostr::RelayUrl::parse(RELAY).unwrap();
        let data = self.mdk.create_key_package_for_event(&self.keys.public_key(), [relay]).unwrap();
        let event = nostr::EventBuilder::new(nostr::Kind::Custom(30443), data.content)
            .tags(data.tags_30443)
            .sign_with_keys(&self.keys)
            .unwrap();
        event.as_json().into_bytes()
    }

    /// Creates a group with these invitees and itself as the one admin.
    pub(crate) fn create(&self, invitees: &[Vec<u8>]) -> (GroupId, Vec<Vec<u8>>) {
        let config = NostrGroupConfigData::new(
            "a group".into(),
            "of MDK's".into(),
            None,
            None,
            None,
            vec![nostr::RelayUrl::parse(RELAY).unwrap()],
            vec![self.keys.public_key()],
        );
        let events = invitees.iter().map(|json| nostr::Event::from_json(json).unwrap()).collect();
        let made = self.mdk.create_group(&self.keys.public_key(), events, config).unwrap();
        (made.group.mls_group_id, json_of(made.welcome_rumors))
    }

    pub(crate) fn join(&self, welcome: &[u8]) -> GroupId {
        let rumor = nostr::UnsignedEvent::from_json(welcome).unwrap();
        let welcome = self.mdk.process_welcome(&rumor.id.unwrap(), &rumor).unwrap();
        self.mdk.accept_welcome(&welcome).unwrap();
        welcome.mls_group_id
    }

    pub(crate) fn say(&self, group: &GroupId, text: &str) -> Vec<u8> {
        let builder = nostr::EventBuilder::new(nostr::Kind::Custom(9), text);
        let rumor = builder.build(self.keys.public_key());
        self.mdk.create_message(group, rumor, None).unwrap().as_json().into_bytes()
    }

    pub(crate) fn receive(&self, event: &Event) -> MessageProcessingResult {
        let event = nostr::Event::from_json(event.to_json()).unwrap();
        event.verify().unwrap();
        self.mdk.process_message(&event).unwrap()
    }

    pub(crate) fn follow(&self, event: &Event) {
        let received = self.receive(event);
        assert!(matches!(received, MessageProcessingResult::Commit { .. }), "{received:?}");
    }

    pub(crate) fn read(&self, event: &Event) -> String {
        match self.receive(event) {
            MessageProcessingResult::ApplicationMessage(message) => message.content,
            other => panic!("{other:?} instead of a message"),
        }
    }

    pub(crate) fn epoch(&self, group: &GroupId) -> u64 {
        self.mdk.get_group(group).unwrap().unwrap().epoch
    }
}

pub(crate) fn json_of(rumors: Vec<nostr::UnsignedEvent>) -> Vec<Vec<u8>> {
    let json = |mut rumor: nostr::UnsignedEvent| {
        rumor.ensure_id();
        rumor.as_json().into_bytes()
    };
    rumors.into_iter().map(json).collect()
}

pub(crate) fn event(person: &Person, json: &[u8]) -> Event {
    Event::from_json(person.client.suite().unwrap(), json).unwrap()
}

pub(crate) fn assert_same(peer: &Peer, id: &GroupId, group: &Group) {
    let stored = peer.mdk.get_group(id).unwrap().unwrap();
    assert_eq!(stored.epoch, group.epoch());
    assert_eq!(stored.name, group.data().name);
    assert_eq!(stored.nostr_group_id, group.data().nostr_group_id);
    let admins = stored.admin_pubkeys.iter().map(|key| PublicKey(key.to_bytes()));
    assert!(admins.eq(group.data().admins.iter().copied()));
    let members = peer.mdk.group_leaf_map(id).unwrap();
    let members = members.into_iter().map(|(leaf, key)| (leaf, PublicKey(key.to_bytes())));
    assert!(members.eq(group.members().map(|(leaf, key)| (leaf.0, key))));
    let tree = peer.mdk.get_ratchet_tree_info(id).unwrap();
    let bytes = group.mls().tree().to_bytes().unwrap();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(tree.serialized_tree, hex);
}

pub(crate) fn nostr_key(key: PublicKey) -> nostr::PublicKey {
    nostr::PublicKey::from_slice(&key.0).unwrap()
}
