//! The contract, method by method.

use ed25519_dalek::SigningKey;
use engine_api::{
    AppBytes, AppMessage, CgkaEngine, Change, CommitBytes, Description, EncodedSizes, EngineError,
    Epoch, EpochAuthenticator, Founded, GroupId, Identity, Ingested, KeyPackageBytes, LeafIndex,
    Member, PublishedCommit, RejectReason, SnapshotBytes, StagedCommit, WelcomeBytes, Welcomes,
};

use crate::protocol::app::App;
use crate::protocol::commit;
use crate::protocol::crypto::Secret;
use crate::protocol::epoch;
use crate::protocol::leaf::{IDENTITY_MAX, Leaf};
use crate::protocol::roster::{Changes, Roster};
use crate::protocol::welcome::Welcome;
use crate::state::{Flat, Group, Pending};
use crate::{describe, ingest};

/// The longest payload that a message carries.
const PAYLOAD_MAX: usize = 1 << 30;

impl CgkaEngine for Flat {
    fn describe() -> Description {
        describe::describe()
    }

    fn new_client(name: &str) -> Result<Self, EngineError> {
        if name.is_empty() || name.len() > IDENTITY_MAX {
            return Err(EngineError::caller("a name has 1 to 1024 bytes"));
        }
        Ok(Self {
            identity: name.into(),
            signer: SigningKey::from_bytes(Secret::random()?.as_bytes()),
            key_packages: Default::default(),
            groups: Default::default(),
        })
    }

    fn identity(&self) -> Identity {
        Identity::new(self.identity.clone())
    }

    fn publish_key_package(&mut self) -> Result<KeyPackageBytes, EngineError> {
        let (leaf, keys) = self.fresh_leaf()?;
        self.key_packages.insert(leaf.reference(), keys);
        Ok(KeyPackageBytes::new(leaf.to_key_package()))
    }

    fn create_group(&mut self, invitees: &[KeyPackageBytes]) -> Result<Founded, EngineError> {
        let changes = Changes { added: decode_key_packages(invitees)?, ..Changes::default() };
        let id = *Secret::random()?.as_bytes();
        let (leaf, keys) = self.fresh_leaf()?;
        let roster = Roster::founded(id, leaf);
        let (current, _) = epoch::Epoch::enter(roster, &Secret::random()?)?;
        let mut group = Group::new(current, 0, keys);
        let mut welcomes = Welcomes::None;
        if !changes.added.is_empty() {
            let built = commit::build(&group.current, 0, &self.signer, &changes)?;
            let (founding, _, invitations) = Pending::new(0, built);
            welcomes = invitations;
            // Nobody else was in epoch 0, so nothing of it is kept.
            group.merge(founding);
            group.past.clear();
        }
        let id = GroupId::new(id.to_vec());
        self.groups.insert(id.clone(), group);
        Ok(Founded { group: id, welcomes, published_commits: vec![] })
    }

    fn join_welcome(&mut self, welcome: &WelcomeBytes) -> Result<GroupId, EngineError> {
        let welcome = Welcome::decode(welcome.as_slice()).map_err(EngineError::Peer)?;
        let mut known = welcome.references().filter_map(|r| self.key_packages.get_key_value(r));
        let Some((reference, keys)) = known.next() else {
            let why = "for none of this client's key packages";
            return Err(EngineError::peer(RejectReason::Misdirected, why));
        };
        let (reference, keys) = (*reference, keys.clone());
        let (epoch, own) = welcome.open(&reference, &keys)?;
        let id = GroupId::new(epoch.roster.group.to_vec());
        if self.groups.get(&id).is_some_and(|group| group.membership.is_some()) {
            return Err(EngineError::peer(RejectReason::Invalid, "already in that group"));
        }
        self.key_packages.remove(&reference);
        self.groups.insert(id.clone(), Group::new(epoch, own, keys));
        Ok(id)
    }

    fn send(&mut self, group: &GroupId, payload: &[u8]) -> Result<AppBytes, EngineError> {
        let signer = &self.signer;
        let group =
            self.groups.get_mut(group).ok_or_else(|| EngineError::caller("no such group"))?;
        group.active()?;
        if payload.len() > PAYLOAD_MAX {
            return Err(EngineError::caller("the payload is too long"));
        }
        App::seal(&mut group.current, group.own, signer, payload).map(AppBytes::new)
    }

    fn ingest_app(
        &mut self,
        group: &GroupId,
        message: &AppBytes,
    ) -> Result<Ingested<AppMessage>, EngineError> {
        ingest::app(self.group_mut(group)?, message.as_slice())
    }

    fn ingest_commit(
        &mut self,
        group: &GroupId,
        commit: &CommitBytes,
    ) -> Result<Ingested<Epoch>, EngineError> {
        ingest::commit(self.group_mut(group)?, commit.as_slice())
    }

    fn stage_commit(
        &mut self,
        group: &GroupId,
        change: &Change<'_>,
    ) -> Result<StagedCommit, EngineError> {
        let id = group.clone();
        let group =
            self.groups.get_mut(group).ok_or_else(|| EngineError::caller("no such group"))?;
        if group.active()?.pending.is_some() {
            return Err(EngineError::caller("another commit is pending"));
        }
        let changes = changes(group, change)?;
        let built = commit::build(&group.current, group.own, &self.signer, &changes)?;
        // Random, so that no other client's commit, nor a copy's, is taken for this one.
        let stage = getrandom::u64().map_err(EngineError::internal)?;
        let (pending, commit, welcomes) = Pending::new(stage, built);
        group.active()?.pending = Some(pending);
        let base = Epoch(group.current.roster.epoch);
        Ok(StagedCommit::new(id, base, stage, commit, welcomes))
    }

    fn merge_staged(&mut self, commit: PublishedCommit) -> Result<Epoch, EngineError> {
        let group = self.group_mut(commit.staged().group())?;
        let pending = group.take_pending(commit.staged().stage())?;
        group.merge(pending);
        Ok(Epoch(group.current.roster.epoch))
    }

    fn discard_staged(&mut self, commit: StagedCommit) -> Result<(), EngineError> {
        self.group_mut(commit.group())?.take_pending(commit.stage())?;
        Ok(())
    }

    fn epoch(&self, group: &GroupId) -> Result<Epoch, EngineError> {
        Ok(Epoch(self.group(group)?.current.roster.epoch))
    }

    fn members(&self, group: &GroupId) -> Result<Vec<Member>, EngineError> {
        let leaves = &self.group(group)?.current.roster.leaves;
        let member = |(index, leaf): (&u32, &Leaf)| Member {
            leaf: LeafIndex(*index),
            identity: Identity::new(leaf.identity.clone()),
        };
        Ok(leaves.iter().map(member).collect())
    }

    fn own_leaf(&self, group: &GroupId) -> Result<LeafIndex, EngineError> {
        Ok(LeafIndex(self.group(group)?.own))
    }

    fn epoch_authenticator(&self, group: &GroupId) -> Result<EpochAuthenticator, EngineError> {
        let authenticator = &self.group(group)?.current.authenticator;
        Ok(EpochAuthenticator::new(authenticator.as_bytes().to_vec()))
    }

    fn encoded_sizes(&self, group: &GroupId) -> Result<EncodedSizes, EngineError> {
        let stored_state = Some(self.group(group)?.encoded_len());
        Ok(EncodedSizes { ratchet_tree: None, stored_state })
    }

    fn fork(&self) -> Result<Self, EngineError> {
        Ok(self.clone())
    }

    fn snapshot(&self) -> Result<SnapshotBytes, EngineError> {
        Ok(self.write_snapshot())
    }

    fn restore(snapshot: &SnapshotBytes) -> Result<Self, EngineError> {
        Self::read_snapshot(snapshot.as_slice()).map_err(EngineError::storage)
    }
}

/// The commit's content for what the caller wants.
fn changes(group: &Group, change: &Change<'_>) -> Result<Changes, EngineError> {
    match change {
        Change::Add([]) | Change::Remove([]) => {
            Err(EngineError::caller("nobody to add or to remove"))
        }
        Change::Add(key_packages) => {
            Ok(Changes { added: decode_key_packages(key_packages)?, ..Changes::default() })
        }
        Change::Remove(members) => {
            let mut removed = Vec::with_capacity(members.len());
            for member in *members {
                removed.push(leaf_of(group, member)?);
            }
            removed.sort_unstable();
            removed.dedup();
            Ok(Changes { removed, ..Changes::default() })
        }
        Change::Update => Ok(Changes::default()),
        _ => Err(EngineError::unsupported("that change")),
    }
}

fn leaf_of(group: &Group, member: &Member) -> Result<u32, EngineError> {
    let index = member.leaf.0;
    let leaf = group.current.roster.leaves.get(&index);
    match leaf {
        Some(leaf) if leaf.identity == member.identity.as_slice() && index != group.own => {
            Ok(index)
        }
        Some(_) if index == group.own => Err(EngineError::caller("a member can't remove itself")),
        _ => Err(EngineError::caller("no such member")),
    }
}

fn decode_key_packages(key_packages: &[KeyPackageBytes]) -> Result<Vec<Leaf>, EngineError> {
    let leaves = key_packages.iter().map(|bytes| Leaf::from_key_package(bytes.as_slice()));
    leaves.collect::<Result<_, _>>().map_err(EngineError::Peer)
}
