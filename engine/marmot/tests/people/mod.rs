//! Accounts with their groups, for the tests.
#![allow(dead_code, reason = "not every test needs all of it")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use burrow::group::KeyPackageSecrets;
use burrow_marmot::{
    Client, Clock, Config, Error, KeyPackageEvent, Keys, PublicKey,
    event::{Event, Rumor},
    group::{Committed, Group, Ignored, Kept, Message, NewGroup, Publication, Received},
};
use crypto_aws_lc::AwsLc;

pub(crate) const RELAY: &str = "wss://relay.example.com";

/// A clock that stands still until it is set.
#[derive(Clone)]
pub(crate) struct Time(Arc<AtomicU64>);

impl Time {
    pub(crate) fn at(now: u64) -> Self {
        Self(Arc::new(AtomicU64::new(now)))
    }

    pub(crate) fn set(&self, now: u64) {
        self.0.store(now, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> u64 {
        self.now()
    }

    pub(crate) fn pass(&self, seconds: u64) {
        self.0.fetch_add(seconds, Ordering::Relaxed);
    }
}

impl Clock for Time {
    fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The time that MDK has, which it doesn't let anybody set.
pub(crate) fn present() -> Time {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    Time::at(now.as_secs())
}

/// An account on a device.
pub(crate) struct Person {
    pub(crate) client: Client,
    pub(crate) keys: Keys,
    pub(crate) secrets: Vec<KeyPackageSecrets>,
}

impl Person {
    pub(crate) fn new(time: &Time) -> Self {
        Self::with(time, Config::default())
    }

    pub(crate) fn with(time: &Time, config: Config) -> Self {
        let client = Client::new(Arc::new(AwsLc::new()), Arc::new(time.clone()), config);
        Self { keys: client.generate_keys().unwrap(), client, secrets: Vec::new() }
    }

    pub(crate) fn account(&self) -> PublicKey {
        self.keys.public()
    }

    /// A new key package's event, as JSON.
    pub(crate) fn publish(&mut self) -> Vec<u8> {
        let new = self.client.generate_key_package(self.account(), &[RELAY.to_owned()], None);
        let new = new.unwrap();
        self.secrets.push(new.secrets);
        self.client.sign(new.unsigned, &self.keys).unwrap().to_json()
    }

    pub(crate) fn invite(&self, event: &[u8]) -> KeyPackageEvent {
        let event = Event::from_json(self.client.suite().unwrap(), event).unwrap();
        self.client.read_key_package(&event).unwrap()
    }

    pub(crate) fn join(&self, welcome: &[u8]) -> Result<Group, Error> {
        let rumor = Rumor::with_id_from_json(self.client.suite()?, welcome)?;
        let invitation = self.client.read_welcome(&rumor)?;
        let mut last = Err(burrow_marmot::PeerError::NotForUs.into());
        for secrets in &self.secrets {
            last = self.client.join(&invitation, secrets);
            if last.is_ok() {
                break;
            }
        }
        last
    }

    pub(crate) fn say(&self, group: &mut Group, text: &str) -> Event {
        let rumor = self.client.rumor(self.account(), 9, Vec::new(), text).unwrap();
        group.send(&rumor).unwrap()
    }

    /// The group as its store has it, taken up again.
    pub(crate) fn restart(&self, group: &Group) -> Group {
        let written = group.kept().write().unwrap();
        self.client.restore(Kept::read(&written).unwrap()).unwrap()
    }
}

/// A group of `size`, whose creator is its only admin.
pub(crate) fn group_of(time: &Time, size: usize) -> (Vec<Person>, Vec<Group>) {
    group_with_admins(time, size, 1)
}

/// A group of `size`, the first `admins` of whom are admins.
pub(crate) fn group_with_admins(
    time: &Time,
    size: usize,
    admins: usize,
) -> (Vec<Person>, Vec<Group>) {
    let mut people: Vec<Person> = (0..size).map(|_| Person::new(time)).collect();
    let events: Vec<_> = people[1..].iter_mut().map(Person::publish).collect();
    let invitees: Vec<_> = events.iter().map(|event| people[0].invite(event)).collect();
    let new = NewGroup {
        name: "a group".into(),
        description: "for a test".into(),
        relays: [RELAY.to_owned()].into(),
        admins: people[1..admins].iter().map(Person::account).collect(),
    };
    let created = people[0].client.create_group(people[0].account(), new, &invitees);
    let (group, welcomes) = created.unwrap();
    let mut groups = vec![group];
    for (person, welcome) in people[1..].iter().zip(&welcomes) {
        groups.push(person.join(&welcome.to_json()).unwrap());
    }
    (people, groups)
}

/// By the network: what is sent is read again from its JSON.
pub(crate) fn deliver(group: &mut Group, event: &Event) -> Result<Received, Error> {
    let client = group.mls().client().clone();
    let suite = client.suite(burrow_marmot::SUITE).unwrap();
    group.receive(&Event::from_json(suite, &event.to_json()).unwrap())
}

pub(crate) fn message(received: Result<Received, Error>) -> Message {
    match received {
        Ok(Received::Message(message)) => message,
        other => panic!("{other:?} instead of a message"),
    }
}

pub(crate) fn committed(received: Result<Received, Error>) -> Committed {
    match received {
        Ok(Received::Commit(committed)) => *committed,
        other => panic!("{other:?} instead of a commit"),
    }
}

pub(crate) fn ignored(received: Result<Received, Error>) -> Ignored {
    match received {
        Ok(Received::Ignored(why)) => why,
        other => panic!("{other:?} instead of being ignored"),
    }
}

/// `by` merges its pending commit and everybody else follows.
pub(crate) fn everybody_follows(groups: &mut [Group], by: usize, publication: &Publication) {
    groups[by].merge_pending().unwrap();
    for (place, group) in groups.iter_mut().enumerate() {
        if place != by {
            committed(deliver(group, &publication.event));
        }
    }
    assert_agree(&*groups);
}

/// What members of one group in one epoch have in common.
pub(crate) fn assert_agree<'a>(groups: impl IntoIterator<Item = &'a Group>) {
    let mut first: Option<&Group> = None;
    for group in groups {
        let first = *first.get_or_insert(group);
        assert_eq!(group.epoch(), first.epoch());
        assert_eq!(group.data(), first.data());
        let authenticator =
            |group: &Group| group.mls().epoch_authenticator().as_secret().as_slice().to_vec();
        assert_eq!(authenticator(group), authenticator(first));
        assert!(group.members().eq(first.members()));
    }
}

/// Everybody is read by everybody.
pub(crate) fn assert_all_talk(people: &[Person], groups: &mut [Group]) {
    for by in 0..groups.len() {
        let event = people[by].say(&mut groups[by], "to all");
        for (place, group) in groups.iter_mut().enumerate() {
            if place == by {
                assert_eq!(ignored(deliver(group, &event)), Ignored::Own);
                continue;
            }
            let read = message(deliver(group, &event));
            assert_eq!(read.rumor.content(), "to all");
            assert_eq!(read.rumor.author(), people[by].account());
        }
    }
}

/// A member with a client that lets it do anything.
pub(crate) struct Insider {
    pub(crate) client: Client,
    pub(crate) mls: burrow::group::Group,
    nostr_group_id: [u8; 32],
}

impl Insider {
    /// A twin of the group: of the two only one may be used.
    pub(crate) fn of(person: &Person, group: &Group) -> Self {
        let written = group.mls().write().unwrap();
        Self {
            client: person.client.clone(),
            mls: group.mls().client().restore(&written, &[]).unwrap(),
            nostr_group_id: group.data().nostr_group_id,
        }
    }

    fn outer_key(&self) -> crypto_api::Secret {
        self.mls.export_secret(b"marmot", b"group-event", 32).unwrap()
    }

    /// A group event around any bytes, by nobody in particular.
    pub(crate) fn seal(&self, message: &[u8]) -> Event {
        let suite = self.mls.client().suite(crypto_api::CipherSuite(3)).unwrap();
        let mut nonce = [0; 12];
        suite.random(&mut nonce).unwrap();
        let mut sealed = message.to_vec();
        suite.aead_seal(self.outer_key().as_slice(), &nonce, b"", &mut sealed).unwrap();
        let content = [nonce.as_slice(), &sealed].concat();
        let group_id: String =
            self.nostr_group_id.iter().map(|byte| format!("{byte:02x}")).collect();
        self.wrap(&BASE64.encode(content), vec![vec!["h".to_owned(), group_id]])
    }

    /// The bytes inside of an event of this epoch.
    pub(crate) fn open(&self, event: &Event) -> Vec<u8> {
        let content = BASE64.decode(event.unsigned().content()).unwrap();
        let suite = self.mls.client().suite(crypto_api::CipherSuite(3)).unwrap();
        let mut message = content[12..].to_vec();
        suite.aead_open(self.outer_key().as_slice(), &content[..12], b"", &mut message).unwrap();
        message
    }

    pub(crate) fn wrap(&self, content: &str, tags: Vec<Vec<String>>) -> Event {
        let keys = self.client.generate_keys().unwrap();
        let rumor = self.client.rumor(keys.public(), 445, tags, content).unwrap();
        self.client.sign(rumor, &keys).unwrap()
    }

    /// A message with these bytes where a rumor should be.
    pub(crate) fn say(&mut self, data: &[u8]) -> Event {
        let sent = self.mls.send(data, b"").unwrap();
        self.seal(&sent.message)
    }
}

/// The same ciphertext in another event, as anybody can make it.
pub(crate) fn wrapped_anew(client: &Client, event: &Event) -> Event {
    let keys = client.generate_keys().unwrap();
    let old = event.unsigned();
    let rumor = client.rumor(keys.public(), 445, old.tags().to_vec(), old.content()).unwrap();
    client.sign(rumor, &keys).unwrap()
}
