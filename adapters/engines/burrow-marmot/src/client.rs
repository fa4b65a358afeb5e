//! One client of burrow-marmot behind the contract.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use burrow::codec::Encode as _;
use burrow::framing::ContentType;
use burrow::group::KeyPackageSecrets;
use burrow_marmot::event::{Event, EventId, Rumor};
use burrow_marmot::group::{Group, NewGroup, Opened, Publication, Received};
use burrow_marmot::{Client, KeyPackageEvent, Keys, PublicKey};
use engine_api::{
    AppBytes, AppMessage, CgkaEngine, Change, CommitBytes, Description, EncodedSizes, EngineError,
    Epoch, EpochAuthenticator, Founded, GroupId, Identity, Ingested, KeyPackageBytes, LeafIndex,
    MarmotClient, Member, PublishedCommit, RejectReason, SnapshotBytes, StagedCommit, WelcomeBytes,
    Welcomes,
};

use crate::describe::{Backend, Mode, Relayed, describe};
use crate::ingest::{ignored, ours, peers, refused, rejected, removed, unwrap, wrap};
use crate::state::new_client;
use crate::store::Store;

/// Goes into every key package and group. No relay is ever spoken to.
const RELAY: &str = "wss://relay.example.com";

/// What every group is called until it is renamed.
const GROUP_NAME: &str = "group";

/// The longest name that MDK's memory store takes, in bytes.
const MAX_NAME_LENGTH: usize = 256;

/// The kind of a chat message, which is what a payload travels in.
const CHAT: u16 = 9;

/// One account with one instance of burrow-marmot.
pub(crate) struct Marmot<B, M = Relayed> {
    pub(crate) client: Client,
    pub(crate) keys: Keys,
    /// By reference.
    pub(crate) key_packages: BTreeMap<Vec<u8>, KeyPackageSecrets>,
    pub(crate) groups: BTreeMap<GroupId, Group>,
    pub(crate) store: Store,
    /// Events of epochs that have never been, until the application asks for them.
    pub(crate) retracted: BTreeMap<GroupId, Vec<EventId>>,
    pub(crate) configuration: PhantomData<(B, M)>,
}

impl<B: Backend, M: Mode> CgkaEngine for Marmot<B, M> {
    fn describe() -> Description {
        describe::<B, M>()
    }

    fn new_client(_: &str) -> Result<Self, EngineError> {
        let client = new_client::<B, M>();
        Ok(Self {
            keys: client.generate_keys().map_err(ours)?,
            client,
            key_packages: BTreeMap::new(),
            groups: BTreeMap::new(),
            store: Store::default(),
            retracted: BTreeMap::new(),
            configuration: PhantomData,
        })
    }

    fn identity(&self) -> Identity {
        identity(&self.keys.public())
    }

    fn publish_key_package(&mut self) -> Result<KeyPackageBytes, EngineError> {
        let relays = [RELAY.to_owned()];
        let new = self.client.generate_key_package(self.keys.public(), &relays, None);
        let new = new.map_err(ours)?;
        let suite = self.client.suite().map_err(ours)?;
        let reference = new.secrets.key_package().reference(suite);
        let reference = reference.map_err(EngineError::internal)?.as_slice().to_vec();
        let written = new.secrets.write().map_err(EngineError::internal)?;
        let event = self.client.sign(new.unsigned, &self.keys).map_err(ours)?;
        self.store.key_packages.insert(reference.clone(), written);
        self.key_packages.insert(reference, new.secrets);
        Ok(KeyPackageBytes::new(event.to_json()))
    }

    fn create_group(&mut self, invitees: &[KeyPackageBytes]) -> Result<Founded, EngineError> {
        let new = NewGroup {
            name: GROUP_NAME.to_owned(),
            relays: [RELAY.to_owned()].into(),
            ..NewGroup::default()
        };
        let invitees = self.read_key_packages(invitees)?;
        let created = self.client.create_group(self.keys.public(), new, &invitees);
        let (group, welcomes) = created.map_err(peers)?;
        let id = self.hold(group);
        Ok(Founded { group: id, welcomes: encoded(&welcomes), published_commits: Vec::new() })
    }

    fn join_welcome(&mut self, welcome: &WelcomeBytes) -> Result<GroupId, EngineError> {
        let suite = self.client.suite().map_err(ours)?;
        let rumor = Rumor::with_id_from_json(suite, welcome.as_slice()).map_err(peers)?;
        let invitation = self.client.read_welcome(&rumor).map_err(peers)?;
        let secrets = invitation.key_packages().find_map(|of| self.key_packages.get(of));
        let secrets = secrets.ok_or_else(|| {
            EngineError::peer(RejectReason::Misdirected, "for no key package of this client's")
        })?;
        let group = self.client.join(&invitation, secrets).map_err(peers)?;
        let held = self.groups.get(&GroupId::new(group.id().to_vec()));
        if held.is_some_and(|held| !held.is_removed()) {
            let why = "a Welcome to a group that this client is in";
            return Err(EngineError::peer(RejectReason::Invalid, why));
        }
        Ok(self.hold(group))
    }

    fn send(&mut self, group: &GroupId, payload: &[u8]) -> Result<AppBytes, EngineError> {
        let rumor = self.client.rumor(self.keys.public(), CHAT, Vec::new(), wrap(payload));
        let rumor = rumor.map_err(ours)?;
        let event = self.held_mut(group)?.send(&rumor).map_err(ours)?;
        self.keep(group, Some((event.id(), &rumor)));
        Ok(AppBytes::new(event.to_json()))
    }

    fn ingest_app(
        &mut self,
        group: &GroupId,
        message: &AppBytes,
    ) -> Result<Ingested<AppMessage>, EngineError> {
        if self.held(group)?.is_removed() {
            return Err(removed());
        }
        let opened = match self.open(group, message.as_slice())? {
            Ok(opened) if opened.content_type() == ContentType::Application => opened,
            Ok(_) => return Ok(rejected("not an application message")),
            Err(outcome) => return Ok(outcome),
        };
        let received = self.held_mut(group)?.receive_opened(opened);
        let outcome = match received {
            Ok(Received::Message(message)) => {
                self.keep(group, Some((message.event, &message.rumor)));
                let sender = identity(&message.rumor.author());
                return Ok(match unwrap(message.rumor.content()) {
                    Ok(payload) => Ingested::Applied(AppMessage { sender, payload }),
                    Err(why) => why.into(),
                });
            }
            Ok(Received::Ignored(why)) => Ok(ignored(why)),
            Ok(_) => Err(EngineError::internal("an application message that is none")),
            Err(why) => refused(why),
        };
        self.keep(group, None);
        outcome
    }

    fn ingest_commit(
        &mut self,
        group: &GroupId,
        commit: &CommitBytes,
    ) -> Result<Ingested<Epoch>, EngineError> {
        let was_removed = self.held(group)?.is_removed();
        let opened = match self.open(group, commit.as_slice())? {
            Ok(opened) if opened.content_type() == ContentType::Commit => opened,
            Ok(_) => return Ok(rejected("not a commit")),
            Err(_) if was_removed => return Err(removed()),
            Err(outcome) => return Ok(outcome),
        };
        let received = self.held_mut(group)?.receive_opened(opened);
        self.keep(group, None);
        match received {
            Ok(Received::Commit(committed)) => {
                let taken_back = committed.rolled_back.unwrap_or_default();
                self.store.forget(group, &taken_back);
                self.retracted.entry(group.clone()).or_default().extend(taken_back);
                Ok(Ingested::Applied(Epoch(committed.epoch)))
            }
            Ok(Received::Removed) => Ok(Ingested::Removed),
            Ok(Received::Ignored(why)) => match ignored(why) {
                Ingested::Duplicate => Ok(Ingested::Duplicate),
                _ if was_removed => Err(removed()),
                other => Ok(other),
            },
            Ok(_) => Err(EngineError::internal("a commit that is none")),
            Err(why) => refused(why),
        }
    }

    fn stage_commit(
        &mut self,
        group: &GroupId,
        change: &Change<'_>,
    ) -> Result<StagedCommit, EngineError> {
        let invitees = match change {
            Change::Add([]) => return Err(EngineError::caller("nobody to add")),
            Change::Add(key_packages) => self.read_key_packages(key_packages)?,
            _ => Vec::new(),
        };
        let held = self.held_mut(group)?;
        let base = held.epoch();
        let made = match change {
            Change::Add(_) => held.add_members(&invitees).map_err(peers),
            Change::Remove(members) => {
                check_listed(held, members)?;
                let leaves = members.iter().map(|member| burrow::types::LeafIndex(member.leaf.0));
                held.remove_leaves(&leaves.collect::<Vec<_>>()).map_err(ours)
            }
            Change::Update => held.self_update().map_err(ours),
            Change::Rename(name) if name.len() > MAX_NAME_LENGTH => {
                Err(EngineError::caller("the name is longer than MDK stores"))
            }
            Change::Rename(name) => {
                let mut data = held.data().clone();
                (*name).clone_into(&mut data.name);
                held.set_data(&data).map_err(ours)
            }
            _ => Err(EngineError::unsupported("a change of this kind")),
        };
        self.keep(group, None);
        Ok(staged(group, base, &made?))
    }

    fn merge_staged(&mut self, commit: PublishedCommit) -> Result<Epoch, EngineError> {
        let group = commit.staged().group();
        let held = self.staged_in(commit.staged())?;
        let epoch = held.merge_pending().map_err(ours)?;
        self.keep(group, None);
        Ok(Epoch(epoch))
    }

    fn discard_staged(&mut self, commit: StagedCommit) -> Result<(), EngineError> {
        self.staged_in(&commit)?.discard_pending().map_err(ours)?;
        self.keep(commit.group(), None);
        Ok(())
    }

    fn epoch(&self, group: &GroupId) -> Result<Epoch, EngineError> {
        Ok(Epoch(self.held(group)?.epoch()))
    }

    fn group_name(&self, group: &GroupId) -> Result<String, EngineError> {
        Ok(self.held(group)?.data().name.clone())
    }

    fn marmot(&mut self) -> Option<&mut dyn MarmotClient> {
        Some(self)
    }

    fn members(&self, group: &GroupId) -> Result<Vec<Member>, EngineError> {
        Ok(self.held(group)?.members().map(listed).collect())
    }

    fn own_leaf(&self, group: &GroupId) -> Result<LeafIndex, EngineError> {
        Ok(LeafIndex(self.held(group)?.mls().own_leaf().0))
    }

    fn epoch_authenticator(&self, group: &GroupId) -> Result<EpochAuthenticator, EngineError> {
        let secret = self.held(group)?.mls().epoch_authenticator().as_secret();
        Ok(secret.as_slice().to_vec().into())
    }

    fn encoded_sizes(&self, group: &GroupId) -> Result<EncodedSizes, EngineError> {
        let group = self.held(group)?;
        let stored = group.kept().write().map_err(ours)?;
        Ok(EncodedSizes {
            ratchet_tree: Some(group.mls().tree().encoded_len()),
            stored_state: Some(stored.len()),
        })
    }

    fn fork(&self) -> Result<Self, EngineError> {
        self.copied()
    }

    fn snapshot(&self) -> Result<SnapshotBytes, EngineError> {
        self.to_bytes()
    }

    fn restore(snapshot: &SnapshotBytes) -> Result<Self, EngineError> {
        Self::from_bytes(snapshot.as_slice())
    }
}

impl<B: Backend, M: Mode> Marmot<B, M> {
    /// Takes up a group that was just created or joined.
    fn hold(&mut self, mut group: Group) -> GroupId {
        let id = GroupId::new(group.id().to_vec());
        let past_epochs = self.client.config().past_epochs;
        let changes = group.take_changes();
        if M::KEEPS {
            self.store.start(&id, past_epochs, changes);
        }
        self.groups.insert(id.clone(), group);
        id
    }

    pub(crate) fn held(&self, group: &GroupId) -> Result<&Group, EngineError> {
        self.groups.get(group).ok_or_else(not_in)
    }

    pub(crate) fn held_mut(&mut self, group: &GroupId) -> Result<&mut Group, EngineError> {
        self.groups.get_mut(group).ok_or_else(not_in)
    }

    /// Stores what has changed in a group.
    pub(crate) fn keep(&mut self, group: &GroupId, message: Option<(EventId, &Rumor)>) {
        if let Some(held) = self.groups.get_mut(group) {
            let changes = held.take_changes();
            if M::KEEPS && (!changes.is_empty() || message.is_some()) {
                self.store.keep(group, changes, message);
            }
        }
    }

    /// The group whose staged commit this is.
    fn staged_in(&mut self, commit: &StagedCommit) -> Result<&mut Group, EngineError> {
        let held = self.held_mut(commit.group())?;
        match held.pending_commit() {
            Some(event) if stage(&event) == commit.stage() => Ok(held),
            _ => Err(EngineError::caller("not the group's staged commit")),
        }
    }

    fn read_key_packages(
        &self,
        invitees: &[KeyPackageBytes],
    ) -> Result<Vec<KeyPackageEvent>, EngineError> {
        let suite = self.client.suite().map_err(ours)?;
        let read = |bytes: &KeyPackageBytes| {
            let event = Event::from_json(suite, bytes.as_slice()).map_err(peers)?;
            self.client.read_key_package(&event).map_err(peers)
        };
        invitees.iter().map(read).collect()
    }

    /// Parses an event and opens it, or says what became of it.
    fn open<T>(
        &self,
        group: &GroupId,
        json: &[u8],
    ) -> Result<Result<Opened, Ingested<T>>, EngineError> {
        let suite = self.client.suite().map_err(ours)?;
        let held = self.held(group)?;
        match Event::from_json(suite, json).and_then(|event| held.open(&event)) {
            Ok(Some(opened)) => Ok(Ok(opened)),
            Ok(None) => Ok(Err(Ingested::RetryLater)),
            Err(why) => refused(why).map(Err),
        }
    }
}

/// The identity that a public key is.
pub(crate) fn identity(key: &PublicKey) -> Identity {
    Identity::new(key.0.to_vec())
}

fn listed((leaf, account): (burrow::types::LeafIndex, PublicKey)) -> Member {
    Member { leaf: LeafIndex(leaf.0), identity: identity(&account) }
}

/// Checks that those to be removed are who the caller takes them for.
fn check_listed(group: &Group, members: &[Member]) -> Result<(), EngineError> {
    let all: Vec<_> = group.members().map(listed).collect();
    match members.iter().find(|member| !all.contains(member)) {
        Some(member) => {
            Err(EngineError::caller(format_args!("no such member at leaf {}", member.leaf)))
        }
        None => Ok(()),
    }
}

/// A commit that was just made on this epoch.
pub(crate) fn staged(group: &GroupId, base: u64, made: &Publication) -> StagedCommit {
    let commit = CommitBytes::new(made.event.to_json());
    let welcomes = encoded(&made.welcomes);
    StagedCommit::new(group.clone(), Epoch(base), stage(&made.event.id()), commit, welcomes)
}

/// The number by which a staged commit is known again: the head of its event's id.
fn stage(event: &EventId) -> u64 {
    event.0.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn encoded(welcomes: &[Rumor]) -> Welcomes {
    if welcomes.is_empty() {
        return Welcomes::None;
    }
    let encode = |rumor: &Rumor| WelcomeBytes::new(rumor.to_json());
    Welcomes::PerInvitee(welcomes.iter().map(encode).collect())
}

fn not_in() -> EngineError {
    EngineError::caller("this client is not in such a group")
}
