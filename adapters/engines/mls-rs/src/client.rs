//! One client of mls-rs behind the contract.

use std::cell::{Ref, RefCell};
use std::collections::BTreeMap;
use std::time::Duration;

use engine_api::{
    AppBytes, AppMessage, CgkaEngine, Change, CommitBytes, Description, EncodedSizes, EngineError,
    Epoch, EpochAuthenticator, Founded, GroupId, Identity, Ingested, KeyPackageBytes, LeafIndex,
    Member, PublishedCommit, RejectReason, SnapshotBytes, StagedCommit, WelcomeBytes, Welcomes,
};
use mls_rs::error::MlsError;
use mls_rs::group::{
    CommitBuilder, CommitEffect, CommitOutput, CommitSecrets, ContentType, ExportedTree,
    ReceivedMessage,
};
use mls_rs::identity::SigningIdentity;
use mls_rs::time::MlsTime;
use mls_rs::{Client, Group, MlsMessage};

use crate::describe::{Backend, describe};
use crate::ingest::{admit, ours, parse, peers, refused};
use crate::state::{
    Config, GroupStore, Held, KeyPackages, Keys, Outbox, Staged, Told, random_number,
};

/// How long ago a new key package has become valid: OpenMLS 0.8.3 refuses one that did so in the
/// present second.
const VALID_SINCE: Duration = Duration::from_secs(3600);

/// A client of mls-rs on the cryptography of `B`.
pub(crate) struct MlsRs<B: Backend> {
    pub(crate) keys: Keys,
    pub(crate) client: Client<Config<B>>,
    pub(crate) key_packages: KeyPackages,
    pub(crate) told: Told,
    pub(crate) outbox: Outbox,
    /// In cells, because a group that is copied or stored is written to its store.
    pub(crate) groups: BTreeMap<GroupId, RefCell<Held<B>>>,
    /// The next staged commit's number. The first is random in each client, copies included, so
    /// that no other's commit is taken for one of this client's.
    pub(crate) stages: u64,
}

impl<B: Backend> CgkaEngine for MlsRs<B> {
    fn describe() -> Description {
        describe::<B>()
    }

    fn new_client(name: &str) -> Result<Self, EngineError> {
        Self::told(name, Told::default())
    }

    fn identity(&self) -> Identity {
        self.keys.identity()
    }

    fn publish_key_package(&mut self) -> Result<KeyPackageBytes, EngineError> {
        let since = MlsTime::now().seconds_since_epoch().saturating_sub(VALID_SINCE.as_secs());
        let message = self
            .client
            .generate_key_package_message(
                Default::default(),
                Default::default(),
                Some(since.into()),
            )
            .map_err(ours)?;
        encoded(&message)
    }

    fn create_group(&mut self, invitees: &[KeyPackageBytes]) -> Result<Founded, EngineError> {
        let mut group =
            self.client.create_group(Default::default(), Default::default(), None).map_err(ours)?;
        let welcomes = if invitees.is_empty() {
            Welcomes::None
        } else {
            let (output, secrets) = commit(&mut group, &Change::Add(invitees))?;
            group.apply_detached_commit(secrets).map_err(ours)?;
            welcomes(&output)?
        };
        let id = GroupId::new(group.group_id().to_vec());
        self.groups.insert(id.clone(), RefCell::new(Held::new(group, None)));
        Ok(Founded { group: id, welcomes, published_commits: Vec::new() })
    }

    fn join_welcome(&mut self, welcome: &WelcomeBytes) -> Result<GroupId, EngineError> {
        self.join_by(welcome, None)
    }

    fn send(&mut self, group: &GroupId, payload: &[u8]) -> Result<AppBytes, EngineError> {
        let held = self.held_mut(group)?;
        let message = held.group.encrypt_application_message(payload, Vec::new()).map_err(ours)?;
        encoded(&message)
    }

    fn ingest_app(
        &mut self,
        group: &GroupId,
        message: &AppBytes,
    ) -> Result<Ingested<AppMessage>, EngineError> {
        let group = &mut self.held_mut(group)?.group;
        let admitted = admit(message.as_slice(), Some(ContentType::Application), group.context());
        let message = match admitted {
            Ok(message) => message,
            Err(outcome) => return Ok(outcome),
        };
        match group.process_incoming_message(message) {
            Ok(ReceivedMessage::ApplicationMessage(message)) => {
                let sender = group.member_at_index(message.sender_index);
                let sender =
                    sender.ok_or_else(|| EngineError::internal("a sender off the tree"))?;
                Ok(Ingested::Applied(AppMessage {
                    sender: identity(&sender.signing_identity)?,
                    payload: message.data().to_vec(),
                }))
            }
            Ok(other) => Err(unexpected(&other)),
            Err(why) => refused(why),
        }
    }

    fn ingest_commit(
        &mut self,
        group: &GroupId,
        commit: &CommitBytes,
    ) -> Result<Ingested<Epoch>, EngineError> {
        let held = self.held_mut(group)?;
        let admitted = admit(commit.as_slice(), Some(ContentType::Commit), held.group.context());
        let message = match admitted {
            Ok(message) => message,
            Err(outcome) => return Ok(outcome),
        };
        match held.group.process_incoming_message(message) {
            Ok(ReceivedMessage::Commit(commit)) => match commit.effect {
                CommitEffect::Removed { .. } => {
                    // mls-rs would go on in the epoch that this client was removed from.
                    self.groups.remove(group);
                    Ok(Ingested::Removed)
                }
                _ => {
                    held.staged = None;
                    Ok(Ingested::Applied(Epoch(held.group.current_epoch())))
                }
            },
            Ok(other) => Err(unexpected(&other)),
            Err(why) => refused(why),
        }
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
        let base = Epoch(held.group.current_epoch());
        let (output, secrets) = commit(&mut held.group, change)?;
        let bytes = encoded(&output.commit_message)?;
        let welcomes = welcomes(&output)?;
        held.staged = Some(Staged { stage, secrets });
        self.stages = stage.wrapping_add(1);
        Ok(StagedCommit::new(group.clone(), base, stage, bytes, welcomes))
    }

    fn merge_staged(&mut self, commit: PublishedCommit) -> Result<Epoch, EngineError> {
        let commit = commit.staged();
        let held = self.held_mut(commit.group())?;
        let staged = held.take_staged(commit.stage())?;
        held.group.apply_detached_commit(staged.secrets).map_err(ours)?;
        Ok(Epoch(held.group.current_epoch()))
    }

    fn discard_staged(&mut self, commit: StagedCommit) -> Result<(), EngineError> {
        let held = self.held_mut(commit.group())?;
        held.take_staged(commit.stage()).map(drop)
    }

    fn epoch(&self, group: &GroupId) -> Result<Epoch, EngineError> {
        Ok(Epoch(self.held(group)?.group.current_epoch()))
    }

    fn members(&self, group: &GroupId) -> Result<Vec<Member>, EngineError> {
        let held = self.held(group)?;
        let roster = held.group.roster();
        roster.members_iter().map(|member| listed(&member)).collect()
    }

    fn own_leaf(&self, group: &GroupId) -> Result<LeafIndex, EngineError> {
        Ok(LeafIndex(self.held(group)?.group.current_member_index()))
    }

    fn epoch_authenticator(&self, group: &GroupId) -> Result<EpochAuthenticator, EngineError> {
        let secret = self.held(group)?.group.epoch_authenticator();
        Ok(secret.map_err(ours)?.as_bytes().to_vec().into())
    }

    fn encoded_sizes(&self, group: &GroupId) -> Result<EncodedSizes, EngineError> {
        let cell = self.groups.get(group).ok_or_else(not_in)?;
        let mut held = cell.borrow_mut();
        Ok(EncodedSizes {
            ratchet_tree: Some(held.group.export_tree().byte_size()),
            stored_state: Some(held.write(&self.outbox)?.len()),
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

impl<B: Backend> MlsRs<B> {
    /// A client with fresh keys for the suite that it was told.
    pub(crate) fn told(name: &str, told: Told) -> Result<Self, EngineError> {
        let keys = Keys::generate::<B>(name, told.suite)?;
        let key_packages = KeyPackages::default();
        let outbox = Outbox::default();
        Ok(Self {
            client: keys.client(&key_packages, GroupStore::new(&outbox), &told),
            told,
            keys,
            key_packages,
            outbox,
            groups: BTreeMap::new(),
            stages: random_number::<B>()?,
        })
    }

    /// Joins by a Welcome and the tree beside it, if there is one.
    pub(crate) fn join_by(
        &mut self,
        welcome: &WelcomeBytes,
        ratchet_tree: Option<ExportedTree<'_>>,
    ) -> Result<GroupId, EngineError> {
        let message = parse(welcome.as_slice()).map_err(EngineError::Peer)?;
        let used = self.key_packages.first_of(&message.welcome_key_package_references());
        let (group, _) = self.client.join_group(ratchet_tree, &message, None).map_err(peers)?;
        let id = GroupId::new(group.group_id().to_vec());
        if self.groups.contains_key(&id) {
            return Err(EngineError::peer(
                RejectReason::Invalid,
                "a Welcome to a group that this client is in",
            ));
        }
        if let Some(used) = used {
            self.key_packages.forget(&used);
        }
        self.groups.insert(id.clone(), RefCell::new(Held::new(group, None)));
        Ok(id)
    }

    pub(crate) fn held(&self, group: &GroupId) -> Result<Ref<'_, Held<B>>, EngineError> {
        self.groups.get(group).map(RefCell::borrow).ok_or_else(not_in)
    }

    pub(crate) fn held_mut(&mut self, group: &GroupId) -> Result<&mut Held<B>, EngineError> {
        self.groups.get_mut(group).map(RefCell::get_mut).ok_or_else(not_in)
    }
}

fn not_in() -> EngineError {
    EngineError::caller("this client is not in such a group")
}

impl<B: Backend> Held<B> {
    fn take_staged(&mut self, stage: u64) -> Result<Staged, EngineError> {
        self.staged
            .take_if(|staged| staged.stage == stage)
            .ok_or_else(|| EngineError::caller("not the group's staged commit"))
    }
}

/// Builds a commit and leaves the group where it is.
fn commit<B: Backend>(
    group: &mut Group<Config<B>>,
    change: &Change<'_>,
) -> Result<(CommitOutput, CommitSecrets), EngineError> {
    commit_by(group, change, |builder| builder.build_detached())
}

/// Builds a commit by one of mls-rs' ways to end a builder.
pub(crate) fn commit_by<B: Backend, T>(
    group: &mut Group<Config<B>>,
    change: &Change<'_>,
    build: impl FnOnce(CommitBuilder<'_, Config<B>>) -> Result<T, MlsError>,
) -> Result<T, EngineError> {
    if let Change::Remove(members) = change {
        check_listed(group, members)?;
    }
    let mut builder = group.commit_builder();
    match change {
        Change::Add(key_packages) => {
            for key_package in *key_packages {
                let message = parse(key_package.as_slice()).map_err(EngineError::Peer)?;
                builder = builder.add_member(message).map_err(peers)?;
            }
        }
        Change::Remove(members) => {
            for member in *members {
                builder = builder.remove_member(member.leaf.0).map_err(ours)?;
            }
        }
        Change::Update => {}
        Change::Rename(_) => {
            return Err(EngineError::unsupported("mls-rs has no group name of its own"));
        }
        other => return Err(EngineError::unsupported(format_args!("{other:?}"))),
    }
    build(builder).map_err(|why| match (why, change) {
        (
            why @ (MlsError::CommitterSelfRemoval
            | MlsError::MoreThanOneProposalForLeaf(_)
            | MlsError::RemovingNonExistingMember
            | MlsError::GroupUsedAfterReInit),
            _,
        ) => EngineError::caller(why),
        (why, Change::Add(_)) => peers(why),
        (why, _) => ours(why),
    })
}

/// Checks that those to be removed are who the caller takes them for.
fn check_listed<B: Backend>(
    group: &Group<Config<B>>,
    members: &[Member],
) -> Result<(), EngineError> {
    for member in members {
        let there = group.member_at_index(member.leaf.0);
        match there.map(|there| listed(&there)).transpose()? {
            Some(there) if there == *member => {}
            _ => {
                return Err(EngineError::caller(format_args!(
                    "no such member at leaf {}",
                    member.leaf
                )));
            }
        }
    }
    Ok(())
}

pub(crate) fn welcomes(output: &CommitOutput) -> Result<Welcomes, EngineError> {
    Ok(match output.welcome_messages() {
        [] => Welcomes::None,
        [shared] => Welcomes::Shared(encoded(shared)?),
        _ => return Err(EngineError::internal("more than one Welcome")),
    })
}

pub(crate) fn encoded<T: From<Vec<u8>>>(message: &MlsMessage) -> Result<T, EngineError> {
    Ok(message.to_bytes().map_err(ours)?.into())
}

fn listed(member: &mls_rs::group::Member) -> Result<Member, EngineError> {
    Ok(Member { leaf: LeafIndex(member.index()), identity: identity(member.signing_identity())? })
}

/// The name in a basic credential; mls-rs' `BasicIdentityProvider` lets no other kind in.
pub(crate) fn identity(signing: &SigningIdentity) -> Result<Identity, EngineError> {
    let basic = signing.credential.as_basic();
    let basic = basic.ok_or_else(|| EngineError::internal("a credential that isn't basic"))?;
    Ok(Identity::new(basic.identifier().to_vec()))
}

pub(crate) fn unexpected(received: &ReceivedMessage) -> EngineError {
    let kind = match received {
        ReceivedMessage::ApplicationMessage(_) => "an application message",
        ReceivedMessage::Commit(_) => "a commit",
        ReceivedMessage::Proposal(_) => "a proposal",
        ReceivedMessage::GroupInfo(_) => "a GroupInfo",
        ReceivedMessage::Welcome => "a Welcome",
        ReceivedMessage::KeyPackage(_) => "a key package",
    };
    EngineError::internal(format_args!("mls-rs found {kind} in a message of another type"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mls_rs_crypto_awslc::AwsLcCryptoProvider;

    #[test]
    fn every_commit_has_a_path() -> Result<(), EngineError> {
        let mut a = MlsRs::<AwsLcCryptoProvider>::new_client("a")?;
        let mut b = MlsRs::<AwsLcCryptoProvider>::new_client("b")?;
        let mut c = MlsRs::<AwsLcCryptoProvider>::new_client("c")?;
        let id = a.create_group(&[b.publish_key_package()?])?.group;
        let key_packages = [c.publish_key_package()?];
        let members = a.members(&id)?;
        for change in [Change::Add(&key_packages), Change::Remove(&members[1..]), Change::Update] {
            let (output, _) = commit(&mut a.held_mut(&id)?.group, &change)?;
            assert!(output.contains_update_path, "{change:?}");
        }
        Ok(())
    }
}
