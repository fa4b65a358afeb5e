//! The engine `null`: [`CgkaEngine`] without cryptography.

use std::collections::{BTreeMap, BTreeSet};

use engine_api::{
    AppBytes, AppMessage, CgkaEngine, Change, CommitBytes, Description, EncodedSizes, EngineError,
    Epoch, EpochAuthenticator, Founded, GroupId, Identity, Ingested, KeyPackageBytes, LeafIndex,
    Member, PublishedCommit, RejectReason, SnapshotBytes, StagedCommit, WelcomeBytes, Welcomes,
};

use crate::describe::DESCRIPTION;
use crate::fresh;
use crate::group::{Delta, Group, Staged, invalid};
use crate::wire::{App, Id, KeyPackage, Welcome};

/// One client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Null {
    pub(crate) identity: Identity,
    /// Those that were published and not used yet.
    pub(crate) key_packages: BTreeSet<Id>,
    pub(crate) groups: BTreeMap<Id, Group>,
}

impl CgkaEngine for Null {
    fn describe() -> Description {
        DESCRIPTION
    }

    fn new_client(name: &str) -> Result<Self, EngineError> {
        Ok(Self {
            identity: Identity::new(name.as_bytes().to_vec()),
            key_packages: BTreeSet::new(),
            groups: BTreeMap::new(),
        })
    }

    fn identity(&self) -> Identity {
        self.identity.clone()
    }

    fn publish_key_package(&mut self) -> Result<KeyPackageBytes, EngineError> {
        let id = fresh::id();
        let identity = self.identity.as_slice();
        self.key_packages.insert(id);
        Ok(KeyPackage { id, identity }.encode().into())
    }

    fn create_group(&mut self, invitees: &[KeyPackageBytes]) -> Result<Founded, EngineError> {
        let mut group = Group::found(self.identity.clone());
        let welcomes = if invitees.is_empty() {
            Welcomes::None
        } else {
            let (delta, invited) = plan_add(&group, invitees)?;
            let (_, authenticator) = group.draft(&delta);
            let welcomes = welcomes(&group, authenticator, &delta, &invited);
            group.apply(delta, authenticator);
            welcomes
        };
        let id = group.group_id();
        self.groups.insert(group.id, group);
        Ok(Founded { group: id, welcomes, published_commits: Vec::new() })
    }

    fn join_welcome(&mut self, welcome: &WelcomeBytes) -> Result<GroupId, EngineError> {
        let welcome = Welcome::decode(welcome.as_slice()).map_err(EngineError::Peer)?;
        let mut invitees = welcome.invitees.iter().copied();
        let Some((own_leaf, key_package)) =
            invitees.find(|(_, key_package)| self.key_packages.contains(key_package))
        else {
            let why = "it is for none of this client's unused key packages";
            return Err(EngineError::peer(RejectReason::Misdirected, why));
        };
        self.check_welcome(&welcome, own_leaf)?;
        let group = Group::join(welcome, own_leaf);
        let id = group.group_id();
        self.key_packages.remove(&key_package);
        self.groups.insert(group.id, group);
        Ok(id)
    }

    fn send(&mut self, group: &GroupId, payload: &[u8]) -> Result<AppBytes, EngineError> {
        let group = self.open_group(group)?;
        let sequence = group.next_sequence;
        let next = sequence.checked_add(1);
        group.next_sequence =
            next.ok_or_else(|| EngineError::internal("no sequence number is left"))?;
        let app = App { header: group.header(), sequence, body: payload };
        Ok(app.encode().into())
    }

    fn ingest_app(
        &mut self,
        group: &GroupId,
        message: &AppBytes,
    ) -> Result<Ingested<AppMessage>, EngineError> {
        Ok(self.open_group(group)?.ingest_app(message.as_slice()))
    }

    fn ingest_commit(
        &mut self,
        group: &GroupId,
        commit: &CommitBytes,
    ) -> Result<Ingested<Epoch>, EngineError> {
        Ok(self.open_group(group)?.ingest_commit(commit.as_slice()))
    }

    fn stage_commit(
        &mut self,
        id: &GroupId,
        change: &Change<'_>,
    ) -> Result<StagedCommit, EngineError> {
        let group = self.open_group(id)?;
        if group.staged.is_some() {
            return Err(EngineError::caller("a commit is staged already"));
        }
        let (delta, invited) = plan(group, change)?;
        let (commit, authenticator) = group.draft(&delta);
        let welcomes = welcomes(group, authenticator, &delta, &invited);
        let stage = fresh::number();
        group.staged = Some(Staged { stage, delta, authenticator });
        let base = Epoch(group.epoch);
        let commit = commit.into();
        Ok(StagedCommit::new(id.clone(), base, stage, commit, welcomes))
    }

    fn merge_staged(&mut self, commit: PublishedCommit) -> Result<Epoch, EngineError> {
        let (group, staged) = self.take_staged(commit.staged())?;
        Ok(group.apply(staged.delta, staged.authenticator))
    }

    fn discard_staged(&mut self, commit: StagedCommit) -> Result<(), EngineError> {
        self.take_staged(&commit).map(|_| ())
    }

    fn epoch(&self, group: &GroupId) -> Result<Epoch, EngineError> {
        Ok(Epoch(self.group(group)?.epoch))
    }

    fn group_name(&self, group: &GroupId) -> Result<String, EngineError> {
        Ok(self.group(group)?.name.clone())
    }

    fn members(&self, group: &GroupId) -> Result<Vec<Member>, EngineError> {
        Ok(self.group(group)?.roster.members())
    }

    fn own_leaf(&self, group: &GroupId) -> Result<LeafIndex, EngineError> {
        Ok(LeafIndex(self.group(group)?.own_leaf))
    }

    fn epoch_authenticator(&self, group: &GroupId) -> Result<EpochAuthenticator, EngineError> {
        let authenticator = self.group(group)?.authenticator;
        Ok(EpochAuthenticator::new(authenticator.to_be_bytes().to_vec()))
    }

    fn encoded_sizes(&self, group: &GroupId) -> Result<EncodedSizes, EngineError> {
        Ok(EncodedSizes {
            ratchet_tree: None,
            stored_state: Some(self.group(group)?.stored_size()),
        })
    }

    fn fork(&self) -> Result<Self, EngineError> {
        Ok(self.clone())
    }

    fn snapshot(&self) -> Result<SnapshotBytes, EngineError> {
        Ok(self.encode())
    }

    fn restore(snapshot: &SnapshotBytes) -> Result<Self, EngineError> {
        Self::decode(snapshot).map_err(EngineError::storage)
    }
}

impl Null {
    pub(crate) fn group(&self, group: &GroupId) -> Result<&Group, EngineError> {
        let group = self.groups.get(group.as_slice());
        group.ok_or_else(no_such_group)
    }

    /// A group that this client is still in.
    fn open_group(&mut self, group: &GroupId) -> Result<&mut Group, EngineError> {
        let group = self.groups.get_mut(group.as_slice());
        let group = group.ok_or_else(no_such_group)?;
        if group.removed {
            return Err(EngineError::caller("this client was removed from it"));
        }
        Ok(group)
    }

    fn check_welcome(&self, welcome: &Welcome, own_leaf: u32) -> Result<(), EngineError> {
        let refuse = |why| Err(EngineError::Peer(invalid(why)));
        let own = welcome.seats.get(own_leaf as usize);
        if own.and_then(Option::as_ref) != Some(&self.identity) {
            return refuse("this client's leaf is somebody else's");
        }
        if welcome.seats.last().is_some_and(Option::is_none) {
            return refuse("the last leaf is blank");
        }
        let mut names: Vec<_> = welcome.seats.iter().flatten().collect();
        names.sort_unstable();
        if !names.is_sorted_by(|a, b| a < b) {
            return refuse("an identity is in the group twice");
        }
        let known = self.groups.get(&welcome.group);
        if known.is_some_and(|group| !group.removed) {
            return refuse("this client is in the group already");
        }
        Ok(())
    }

    fn take_staged(&mut self, commit: &StagedCommit) -> Result<(&mut Group, Staged), EngineError> {
        let group = self.open_group(commit.group())?;
        let staged = group.staged.take_if(|it| it.stage == commit.stage());
        let staged = staged.ok_or_else(|| EngineError::caller("it is not staged any more"))?;
        Ok((group, staged))
    }
}

/// What a commit for `change` has to say, and whose key packages it uses.
fn plan(group: &Group, change: &Change<'_>) -> Result<(Delta, Vec<Id>), EngineError> {
    let delta = match *change {
        Change::Add([]) => return Err(EngineError::caller("nobody to add")),
        Change::Add(key_packages) => return plan_add(group, key_packages),
        Change::Remove(members) => plan_remove(group, members)?,
        Change::Update => Delta::Update,
        Change::Rename(name) => Delta::Rename(name.to_owned()),
        _ => return Err(EngineError::unsupported("a change of this kind")),
    };
    let checked = group.check(&delta, group.own_leaf);
    checked.map_err(EngineError::caller)?;
    Ok((delta, Vec::new()))
}

fn plan_add(
    group: &Group,
    key_packages: &[KeyPackageBytes],
) -> Result<(Delta, Vec<Id>), EngineError> {
    let mut added = Vec::with_capacity(key_packages.len());
    let mut invited = Vec::with_capacity(key_packages.len());
    for key_package in key_packages {
        let key_package = KeyPackage::decode(key_package.as_slice()).map_err(EngineError::Peer)?;
        added.push(Identity::new(key_package.identity.to_vec()));
        invited.push(key_package.id);
    }
    let delta = Delta::Add(added);
    let checked = group.check(&delta, group.own_leaf);
    checked.map_err(EngineError::Peer)?;
    Ok((delta, invited))
}

fn plan_remove(group: &Group, members: &[Member]) -> Result<Delta, EngineError> {
    let mut leaves = Vec::with_capacity(members.len());
    for Member { leaf, identity } in members {
        if group.roster.occupant(leaf.0) != Some(identity) {
            return Err(EngineError::caller("not a member of the group"));
        }
        leaves.push(leaf.0);
    }
    leaves.sort_unstable();
    Ok(Delta::Remove(leaves))
}

fn welcomes(group: &Group, authenticator: u64, delta: &Delta, invited: &[Id]) -> Welcomes {
    match delta {
        Delta::Add(added) => {
            Welcomes::Shared(Welcome::encode(group, authenticator, added, invited).into())
        }
        _ => Welcomes::None,
    }
}

fn no_such_group() -> EngineError {
    EngineError::caller("no such group")
}
