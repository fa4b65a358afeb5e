//! One client of burrow behind the contract.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use burrow::codec::Encode;
use burrow::framing::ContentType;
use burrow::group::{
    Client, Group, JoinOptions, KeyPackageSecrets, KeyUse, Received, StagedCommit as Staged,
};
use burrow::types::{Credential, Extensions, LeafNode};
use engine_api::{
    AppBytes, AppMessage, CgkaEngine, Change, CommitBytes, Description, EncodedSizes, EngineError,
    Epoch, EpochAuthenticator, Founded, GroupId, Identity, Ingested, KeyPackageBytes, LeafIndex,
    Member, PublishedCommit, RejectReason, SnapshotBytes, StagedCommit, WelcomeBytes, Welcomes,
};

use crate::describe::{Backend, describe};
use crate::ingest::{admit, ignored, key_package, ours, peers, refused, welcome};
use crate::state::{Psks, Time, new_client, new_identity, present_identity, random, random_number};

/// How long the id of a new group is.
const GROUP_ID_LENGTH: usize = 16;

/// A client of burrow on the cryptography of `B`.
pub(crate) struct Burrow<B> {
    pub(crate) client: Client,
    pub(crate) identity: burrow::group::Identity,
    /// The unused ones, by reference.
    pub(crate) key_packages: BTreeMap<Vec<u8>, KeyPackageSecrets>,
    pub(crate) groups: BTreeMap<GroupId, Held>,
    pub(crate) psks: Psks,
    pub(crate) time: Time,
    /// The next staged commit's number. The first is random in each client, copies included, so
    /// that no other's commit is taken for one of this client's.
    pub(crate) stages: u64,
    pub(crate) backend: PhantomData<B>,
}

/// A group that this client is in.
pub(crate) struct Held {
    pub(crate) group: Group,
    /// A commit of one's own for the present epoch and its number; gone as soon as the group leaves
    /// the epoch.
    pub(crate) staged: Option<(u64, Staged)>,
}

impl<B: Backend> CgkaEngine for Burrow<B> {
    fn describe() -> Description {
        describe::<B>()
    }

    fn new_client(name: &str) -> Result<Self, EngineError> {
        let psks = Psks::default();
        let client = new_client::<B>(&psks, Time::Present);
        Ok(Self {
            identity: new_identity(&client, name)?,
            key_packages: BTreeMap::new(),
            groups: BTreeMap::new(),
            psks,
            time: Time::Present,
            stages: random_number(&client)?,
            client,
            backend: PhantomData,
        })
    }

    fn identity(&self) -> Identity {
        named(&self.identity.description.credential)
    }

    fn publish_key_package(&mut self) -> Result<KeyPackageBytes, EngineError> {
        let identity = present_identity(&self.identity);
        let secrets = self.client.generate_key_package(&identity).map_err(ours)?;
        let suite = self.client.suite(secrets.cipher_suite()).map_err(ours)?;
        let reference = secrets.key_package().reference(suite).map_err(ours)?;
        let message = secrets.message().map_err(ours)?;
        self.key_packages.insert(reference.as_slice().to_vec(), secrets);
        Ok(message.into())
    }

    fn create_group(&mut self, invitees: &[KeyPackageBytes]) -> Result<Founded, EngineError> {
        let identity = present_identity(&self.identity);
        let id = random(&self.client, GROUP_ID_LENGTH)?;
        let created = self.client.create_group(&identity, id.clone(), Extensions::new());
        let mut group = created.map_err(ours)?;
        let mut welcomes = Welcomes::None;
        if !invitees.is_empty() {
            let mut staged = commit(&mut group, &Change::Add(invitees))?;
            welcomes = take_welcomes(&mut staged);
            group.merge(staged).map_err(ours)?;
        }
        let id = GroupId::new(id);
        self.groups.insert(id.clone(), Held { group, staged: None });
        Ok(Founded { group: id, welcomes, published_commits: Vec::new() })
    }

    fn join_welcome(&mut self, message: &WelcomeBytes) -> Result<GroupId, EngineError> {
        self.join_by(message, JoinOptions::default())
    }

    fn send(&mut self, group: &GroupId, payload: &[u8]) -> Result<AppBytes, EngineError> {
        self.send_with_use(group, payload).map(|(message, _)| message)
    }

    fn ingest_app(
        &mut self,
        group: &GroupId,
        message: &AppBytes,
    ) -> Result<Ingested<AppMessage>, EngineError> {
        self.ingest_with_use(group, message).map(|(outcome, _)| outcome)
    }

    fn ingest_commit(
        &mut self,
        group: &GroupId,
        commit: &CommitBytes,
    ) -> Result<Ingested<Epoch>, EngineError> {
        let held = self.held_mut(group)?;
        let message = match admit(commit.as_slice(), ContentType::Commit, &held.group) {
            Ok(message) => message,
            Err(outcome) => return Ok(outcome),
        };
        let staged = match message.receive(&mut held.group) {
            Ok(Received::Commit(staged)) => *staged,
            Ok(Received::Ignored(why)) => return Ok(ignored(why)),
            Ok(other) => return Err(unexpected(&other)),
            Err(why) => return refused(why),
        };
        if staged.removes_us() {
            self.groups.remove(group);
            return Ok(Ingested::Removed);
        }
        held.group.merge_remote(staged).map_err(ours)?;
        held.staged = None;
        Ok(Ingested::Applied(Epoch(held.group.epoch())))
    }

    fn stage_commit(
        &mut self,
        group: &GroupId,
        change: &Change<'_>,
    ) -> Result<StagedCommit, EngineError> {
        let stage = self.stages;
        let held = self.held_mut(group)?;
        if held.staged.is_some() {
            return Err(EngineError::caller("a commit is staged already"));
        }
        let base = Epoch(held.group.epoch());
        let mut staged = commit(&mut held.group, change)?;
        let bytes = std::mem::take(&mut staged.messages.message).into();
        let welcomes = take_welcomes(&mut staged);
        held.staged = Some((stage, staged));
        self.stages = stage.wrapping_add(1);
        Ok(StagedCommit::new(group.clone(), base, stage, bytes, welcomes))
    }

    fn merge_staged(&mut self, commit: PublishedCommit) -> Result<Epoch, EngineError> {
        let commit = commit.staged();
        let held = self.held_mut(commit.group())?;
        let staged = held.take_staged(commit.stage())?;
        held.group.merge(staged).map_err(ours)?;
        Ok(Epoch(held.group.epoch()))
    }

    fn discard_staged(&mut self, commit: StagedCommit) -> Result<(), EngineError> {
        let held = self.held_mut(commit.group())?;
        held.take_staged(commit.stage()).map(drop)
    }

    fn epoch(&self, group: &GroupId) -> Result<Epoch, EngineError> {
        Ok(Epoch(self.held(group)?.group.epoch()))
    }

    fn members(&self, group: &GroupId) -> Result<Vec<Member>, EngineError> {
        let members = self.held(group)?.group.members();
        Ok(members.map(|(leaf, node)| listed(leaf, node)).collect())
    }

    fn own_leaf(&self, group: &GroupId) -> Result<LeafIndex, EngineError> {
        Ok(LeafIndex(self.held(group)?.group.own_leaf().0))
    }

    fn epoch_authenticator(&self, group: &GroupId) -> Result<EpochAuthenticator, EngineError> {
        let secret = self.held(group)?.group.epoch_authenticator().as_secret();
        Ok(secret.as_slice().to_vec().into())
    }

    fn encoded_sizes(&self, group: &GroupId) -> Result<EncodedSizes, EngineError> {
        let group = &self.held(group)?.group;
        Ok(EncodedSizes {
            ratchet_tree: Some(group.tree().encoded_len()),
            stored_state: Some(group.write().map_err(ours)?.len()),
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

impl<B: Backend> Burrow<B> {
    /// Joins by a Welcome and what comes with it.
    pub(crate) fn join_by(
        &mut self,
        message: &WelcomeBytes,
        options: JoinOptions<'_>,
    ) -> Result<GroupId, EngineError> {
        let welcome = welcome(message.as_slice())?;
        let mut invited = welcome.secrets.iter().map(|entry| &entry.new_member);
        let used = invited.find_map(|reference| self.key_packages.get_key_value(reference));
        let (used, secrets) = used.ok_or_else(|| {
            EngineError::peer(RejectReason::Misdirected, "for no key package of this client's")
        })?;
        let group = self.client.join_with(&welcome, secrets, options).map_err(peers)?;
        let id = GroupId::new(group.group_id().to_vec());
        if self.groups.contains_key(&id) {
            return Err(EngineError::peer(
                RejectReason::Invalid,
                "a Welcome to a group that this client is in",
            ));
        }
        let used = used.clone();
        self.key_packages.remove(&used);
        self.groups.insert(id.clone(), Held { group, staged: None });
        Ok(id)
    }

    /// A message, with the record of its key.
    pub(crate) fn send_with_use(
        &mut self,
        group: &GroupId,
        payload: &[u8],
    ) -> Result<(AppBytes, Option<KeyUse>), EngineError> {
        let sent = self.held_mut(group)?.group.send(payload, b"").map_err(ours)?;
        Ok((sent.message.into(), sent.key_use))
    }

    /// What became of a message, with the record of its key if it was read.
    pub(crate) fn ingest_with_use(
        &mut self,
        group: &GroupId,
        message: &AppBytes,
    ) -> Result<(Ingested<AppMessage>, Option<KeyUse>), EngineError> {
        let group = &mut self.held_mut(group)?.group;
        let message = match admit(message.as_slice(), ContentType::Application, group) {
            Ok(message) => message,
            Err(outcome) => return Ok((outcome, None)),
        };
        match message.receive(group) {
            Ok(Received::Application(message)) => {
                let sender = group.member_at(message.epoch, message.sender);
                let sender =
                    sender.ok_or_else(|| EngineError::internal("a sender off the tree"))?;
                let key_use = Some(message.key_use);
                let sender = named(sender.credential);
                Ok((Ingested::Applied(AppMessage { sender, payload: message.data }), key_use))
            }
            Ok(Received::Ignored(why)) => Ok((ignored(why), None)),
            Ok(other) => Err(unexpected(&other)),
            Err(why) => refused(why).map(|outcome| (outcome, None)),
        }
    }

    pub(crate) fn held(&self, group: &GroupId) -> Result<&Held, EngineError> {
        self.groups.get(group).ok_or_else(not_in)
    }

    pub(crate) fn held_mut(&mut self, group: &GroupId) -> Result<&mut Held, EngineError> {
        self.groups.get_mut(group).ok_or_else(not_in)
    }
}

fn not_in() -> EngineError {
    EngineError::caller("this client is not in such a group")
}

impl Held {
    fn take_staged(&mut self, stage: u64) -> Result<Staged, EngineError> {
        let staged = self.staged.take_if(|(number, _)| *number == stage);
        let (_, staged) =
            staged.ok_or_else(|| EngineError::caller("not the group's staged commit"))?;
        Ok(staged)
    }
}

/// Builds a commit and leaves the group where it is.
fn commit(group: &mut Group, change: &Change<'_>) -> Result<Staged, EngineError> {
    match change {
        Change::Add([]) | Change::Remove([]) => {
            Err(EngineError::caller("nobody to add or to remove"))
        }
        Change::Add(key_packages) => {
            let key_packages: Vec<_> = key_packages
                .iter()
                .map(|bytes| key_package(bytes.as_slice()))
                .collect::<Result<_, _>>()?;
            let builder = key_packages.into_iter().fold(group.commit(), |b, k| b.add_member(k));
            builder.stage().map_err(peers)
        }
        Change::Remove(members) => {
            check_listed(group, members)?;
            let leaves = members.iter().map(|member| burrow::types::LeafIndex(member.leaf.0));
            leaves.fold(group.commit(), |b, leaf| b.remove_member(leaf)).stage().map_err(ours)
        }
        Change::Update => group.commit().stage().map_err(ours),
        Change::Rename(_) => Err(EngineError::unsupported("burrow has no group name of its own")),
        other => Err(EngineError::unsupported(format_args!("{other:?}"))),
    }
}

/// Checks that those to be removed are who the caller takes them for.
fn check_listed(group: &Group, members: &[Member]) -> Result<(), EngineError> {
    for member in members {
        let leaf = burrow::types::LeafIndex(member.leaf.0);
        if group.tree().leaf(leaf).is_none_or(|node| listed(leaf, node) != *member) {
            return Err(EngineError::caller(format_args!("no such member at leaf {}", leaf.0)));
        }
    }
    Ok(())
}

pub(crate) fn take_welcomes(staged: &mut Staged) -> Welcomes {
    let welcome = staged.messages.welcome.take();
    welcome.map_or(Welcomes::None, |welcome| Welcomes::Shared(welcome.into()))
}

fn listed(leaf: burrow::types::LeafIndex, node: &LeafNode) -> Member {
    Member { leaf: LeafIndex(leaf.0), identity: named(&node.credential) }
}

/// The name in a basic credential; the adapter's [`Application`](burrow::group::Application) lets
/// no other kind in.
pub(crate) fn named(credential: &Credential) -> Identity {
    match credential {
        Credential::Basic(name) => Identity::new(name.clone()),
        _ => Identity::new(Vec::new()),
    }
}

pub(crate) fn unexpected(received: &Received) -> EngineError {
    let kind = match received {
        Received::Application(_) => "an application message",
        Received::Proposal(_) => "a proposal",
        Received::Commit(_) => "a commit",
        Received::Ignored(_) => "nothing",
    };
    EngineError::internal(format_args!("burrow found {kind} in a message of another type"))
}
