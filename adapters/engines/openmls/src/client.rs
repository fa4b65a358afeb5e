//! One client: [`CgkaEngine`] over OpenMLS.

use std::collections::HashMap;

use engine_api::{
    AppBytes, AppMessage, CgkaEngine, Change, CommitBytes, Description, EncodedSizes, EngineError,
    Epoch, EpochAuthenticator, Founded, GroupId, Identity, Ingested, KeyPackageBytes, LeafIndex,
    Member, PublishedCommit, SnapshotBytes, StagedCommit, WelcomeBytes, Welcomes,
};
use openmls::credentials::{BasicCredential, CredentialWithKey};
use openmls::framing::{ContentType, MlsMessageOut, ProcessedMessageContent};
use openmls::group::{
    MIXED_CIPHERTEXT_WIRE_FORMAT_POLICY, MIXED_PLAINTEXT_WIRE_FORMAT_POLICY, MlsGroup,
    MlsGroupCreateConfig, MlsGroupJoinConfig, StagedWelcome, WelcomeError, WireFormatPolicy,
};
use openmls::key_packages::KeyPackage;
use openmls::messages::Welcome;
use openmls::prelude::tls_codec::Size as _;
use openmls::prelude::{
    LeafNodeIndex, LeafNodeParameters, RatchetTreeIn, SenderRatchetConfiguration,
};
use openmls_basic_credential::SignatureKeyPair;
use openmls_traits::OpenMlsProvider as _;
use openmls_traits::storage::StorageProvider as _;

use crate::describe::{Backend, description};
use crate::ingest;
use crate::profile::Profile;
use crate::signing::Signing;
use crate::state::{self, Provider, Record};
use crate::store::{Failure, Memory, Store};

const MAX_PAST_EPOCHS: usize = 5;
const OUT_OF_ORDER_TOLERANCE: u32 = 100;
const MAXIMUM_FORWARD_DISTANCE: u32 = 1000;

/// A client on the crypto backend `B` and the store `S`.
pub(crate) struct OpenMls<B: Backend, S: Store = Memory> {
    pub(crate) provider: Provider<B, S>,
    pub(crate) signer: Signing<B>,
    pub(crate) identity: Identity,
    pub(crate) unused: S::Unused,
    pub(crate) groups: HashMap<GroupId, Group>,
    /// The number of the latest staged commit. Each client starts at a random one, copies included,
    /// so that no other's commit is taken for one of this client's.
    pub(crate) stages: u64,
    pub(crate) profile: Profile,
}

/// A live group. OpenMLS keeps at most one pending commit in it.
pub(crate) struct Group {
    pub(crate) mls: MlsGroup,
    /// The pending commit's number.
    pub(crate) staged: Option<u64>,
}

impl<B: Backend, S: Store> CgkaEngine for OpenMls<B, S> {
    fn describe() -> Description {
        description::<B>(S::LAYER, S::STORAGE)
    }

    fn new_client(name: &str) -> Result<Self, EngineError> {
        Self::with_profile(name, Profile::default())
    }

    fn identity(&self) -> Identity {
        self.identity.clone()
    }

    fn publish_key_package(&mut self) -> Result<KeyPackageBytes, EngineError> {
        let credential = self.credential();
        let bundle = S::publish(&self.provider, &mut self.unused, |place| {
            KeyPackage::builder()
                .leaf_node_capabilities(self.profile.capabilities())
                .build(self.profile.suite, place, &self.signer, credential)
                .map_err(EngineError::internal)
        })?;
        let message = MlsMessageOut::from(bundle.key_package().clone());
        Ok(KeyPackageBytes::new(ingest::encoded(&message)?))
    }

    fn create_group(&mut self, invitees: &[KeyPackageBytes]) -> Result<Founded, EngineError> {
        // Validated before there is a group: a bad one leaves nothing to clean up.
        let key_packages = self.key_packages(invitees)?;
        let config = create_config(&self.profile);
        let mut mls = MlsGroup::new(&self.provider, &self.signer, &config, self.credential())
            .map_err(EngineError::internal)?;
        let welcomes = match self.add_founding_members(&mut mls, &key_packages) {
            Ok(welcomes) => welcomes,
            Err(why) => {
                mls.delete(self.provider.storage()).map_err(EngineError::storage)?;
                return Err(why);
            }
        };
        let group = GroupId::new(mls.group_id().to_vec());
        self.groups.insert(group.clone(), Group { mls, staged: None });
        Ok(Founded { group, welcomes, published_commits: Vec::new() })
    }

    fn join_welcome(&mut self, welcome: &WelcomeBytes) -> Result<GroupId, EngineError> {
        self.join_by(welcome, None)
    }

    fn send(&mut self, group: &GroupId, payload: &[u8]) -> Result<AppBytes, EngineError> {
        let Group { mls, .. } = held(&mut self.groups, group)?;
        let message =
            mls.create_message(&self.provider, &self.signer, payload).map_err(ingest::not_sent)?;
        Ok(AppBytes::new(ingest::encoded(&message)?))
    }

    fn ingest_app(
        &mut self,
        group: &GroupId,
        message: &AppBytes,
    ) -> Result<Ingested<AppMessage>, EngineError> {
        let Group { mls, .. } = held(&mut self.groups, group)?;
        let message = match ingest::message(message.as_slice(), Some(ContentType::Application), mls)
        {
            Ok(message) => message,
            Err(outcome) => return Ok(outcome),
        };
        let processed = match mls.process_message(&self.provider, message) {
            Ok(processed) => processed,
            Err(why) => return ingest::not_processed(why),
        };
        let sender = Identity::new(processed.credential().serialized_content().to_vec());
        match processed.into_content() {
            ProcessedMessageContent::ApplicationMessage(message) => {
                let payload = message.into_bytes();
                Ok(Ingested::Applied(AppMessage { sender, payload }))
            }
            _ => Err(not_as_announced()),
        }
    }

    fn ingest_commit(
        &mut self,
        group: &GroupId,
        commit: &CommitBytes,
    ) -> Result<Ingested<Epoch>, EngineError> {
        let Group { mls, staged } = held(&mut self.groups, group)?;
        let message = match ingest::message(commit.as_slice(), Some(ContentType::Commit), mls) {
            Ok(message) => message,
            Err(outcome) => return Ok(outcome),
        };
        let processed = match mls.process_message(&self.provider, message) {
            Ok(processed) => processed,
            Err(why) => return ingest::not_processed(why),
        };
        let ProcessedMessageContent::StagedCommitMessage(commit) = processed.into_content() else {
            return Err(not_as_announced());
        };
        let removed = commit.self_removed();
        // This drops an own pending commit too.
        mls.merge_staged_commit(&self.provider, *commit).map_err(ingest::not_applied)?;
        *staged = None;
        if removed {
            self.leave(group)?;
            return Ok(Ingested::Removed);
        }
        Ok(Ingested::Applied(Epoch(mls.epoch().as_u64())))
    }

    fn stage_commit(
        &mut self,
        group: &GroupId,
        change: &Change<'_>,
    ) -> Result<StagedCommit, EngineError> {
        let invitees = match change {
            Change::Add(invitees) => self.key_packages(invitees)?,
            _ => Vec::new(),
        };
        let Group { mls, staged } = held(&mut self.groups, group)?;
        if staged.is_some() {
            return Err(EngineError::caller("a commit is staged already"));
        }
        let made = make_pending(&self.provider, &self.signer, mls, change, &invitees)?;
        let (commit, welcomes) = match encoded(&made) {
            Ok(encoded) => encoded,
            Err(why) => {
                // The caller gets no handle by which it could be discarded.
                mls.clear_pending_commit(self.provider.storage()).map_err(EngineError::storage)?;
                return Err(why);
            }
        };
        self.stages = self.stages.wrapping_add(1);
        *staged = Some(self.stages);
        let base = Epoch(mls.epoch().as_u64());
        Ok(StagedCommit::new(group.clone(), base, self.stages, commit, welcomes))
    }

    fn merge_staged(&mut self, commit: PublishedCommit) -> Result<Epoch, EngineError> {
        let Group { mls, staged } = holding(&mut self.groups, commit.staged())?;
        mls.merge_pending_commit(&self.provider).map_err(ingest::not_merged)?;
        *staged = None;
        Ok(Epoch(mls.epoch().as_u64()))
    }

    fn discard_staged(&mut self, commit: StagedCommit) -> Result<(), EngineError> {
        let Group { mls, staged } = holding(&mut self.groups, &commit)?;
        mls.clear_pending_commit(self.provider.storage()).map_err(EngineError::storage)?;
        *staged = None;
        Ok(())
    }

    fn epoch(&self, group: &GroupId) -> Result<Epoch, EngineError> {
        Ok(Epoch(self.group(group)?.epoch().as_u64()))
    }

    fn members(&self, group: &GroupId) -> Result<Vec<Member>, EngineError> {
        let member = |member: openmls::group::Member| Member {
            leaf: LeafIndex(member.index.u32()),
            identity: Identity::new(member.credential.serialized_content().to_vec()),
        };
        Ok(self.group(group)?.members().map(member).collect())
    }

    fn own_leaf(&self, group: &GroupId) -> Result<LeafIndex, EngineError> {
        Ok(LeafIndex(self.group(group)?.own_leaf_index().u32()))
    }

    fn epoch_authenticator(&self, group: &GroupId) -> Result<EpochAuthenticator, EngineError> {
        let authenticator = self.group(group)?.epoch_authenticator();
        Ok(EpochAuthenticator::new(authenticator.as_slice().to_vec()))
    }

    fn encoded_sizes(&self, group: &GroupId) -> Result<EncodedSizes, EngineError> {
        let tree = self.group(group)?.export_ratchet_tree();
        Ok(EncodedSizes {
            ratchet_tree: Some(tree.tls_serialized_len()),
            stored_state: Some(self.provider.stored_len(group)?),
        })
    }

    fn fork(&self) -> Result<Self, EngineError> {
        let provider = self.provider.fork()?;
        let groups = self.groups.iter().map(|(id, group)| {
            let mls = provider.load(id)?;
            let staged = group.staged;
            Ok((id.clone(), Group { mls, staged }))
        });
        Ok(Self {
            groups: groups.collect::<Result<_, EngineError>>()?,
            stages: provider.random_number()?,
            provider,
            signer: self.signer.clone(),
            identity: self.identity.clone(),
            unused: self.unused.clone(),
            profile: self.profile.clone(),
        })
    }

    fn snapshot(&self) -> Result<SnapshotBytes, EngineError> {
        S::snapshot(self)
    }

    fn restore(snapshot: &SnapshotBytes) -> Result<Self, EngineError> {
        S::restore(snapshot)
    }
}

impl<B: Backend> OpenMls<B> {
    /// The client as bytes.
    pub(crate) fn to_bytes(&self) -> Result<SnapshotBytes, EngineError> {
        let mut groups: Vec<_> =
            self.groups.iter().map(|(id, group)| (id.clone(), group.staged)).collect();
        groups.sort_unstable();
        let record = Record {
            identity: self.identity.as_slice().to_vec(),
            signature_key: self.signer.to_public_vec(),
            groups,
            unused: self.unused.clone(),
            profile: self.profile.clone(),
        };
        state::encode(&record, &self.provider)
    }

    /// The client that [`to_bytes`](Self::to_bytes) made the bytes of.
    pub(crate) fn from_bytes(snapshot: &SnapshotBytes) -> Result<Self, EngineError> {
        let (record, provider) = state::decode::<B>(snapshot)?;
        let scheme = record.profile.suite.signature_algorithm();
        let signer = SignatureKeyPair::read(provider.storage(), &record.signature_key, scheme)
            .ok_or_else(|| EngineError::storage("the signature key pair is missing"))?;
        let groups = record.groups.into_iter().map(|(id, staged)| {
            let mls = provider.load(&id)?;
            Ok((id, Group { mls, staged }))
        });
        Ok(Self {
            groups: groups.collect::<Result<_, EngineError>>()?,
            stages: provider.random_number()?,
            provider,
            signer: Signing::new(signer),
            identity: Identity::new(record.identity),
            unused: record.unused,
            profile: record.profile,
        })
    }
}

impl<B: Backend, S: Store> OpenMls<B, S> {
    /// A client with fresh keys for the profile's cipher suite.
    pub(crate) fn with_profile(name: &str, profile: Profile) -> Result<Self, EngineError> {
        let provider = Provider::<B, S>::open()?;
        let scheme = profile.suite.signature_algorithm();
        let signer = SignatureKeyPair::new(scheme).map_err(EngineError::internal)?;
        let signer = Signing::<B>::new(signer);
        signer.store(provider.storage()).map_err(EngineError::storage)?;
        Ok(Self {
            stages: provider.random_number()?,
            provider,
            signer,
            identity: Identity::new(name.as_bytes().to_vec()),
            unused: S::Unused::default(),
            groups: HashMap::new(),
            profile,
        })
    }

    /// Joins by a Welcome and the tree beside it, if there is one.
    pub(crate) fn join_by(
        &mut self,
        welcome: &WelcomeBytes,
        ratchet_tree: Option<RatchetTreeIn>,
    ) -> Result<GroupId, EngineError> {
        let welcome = ingest::welcome(welcome.as_slice())?;
        let joined = self.entered(welcome, ratchet_tree);
        match joined {
            Ok(mls) => {
                S::forget_used(&self.provider, &mut self.unused)?;
                let group = GroupId::new(mls.group_id().to_vec());
                self.groups.insert(group.clone(), Group { mls, staged: None });
                Ok(group)
            }
            Err(why) => {
                S::put_back(&self.provider, &self.unused)?;
                Err(ingest::not_joined(why))
            }
        }
    }

    fn entered(
        &self,
        welcome: Welcome,
        ratchet_tree: Option<RatchetTreeIn>,
    ) -> Result<MlsGroup, WelcomeError<Failure<S>>> {
        let provider = &self.provider;
        let mut join =
            StagedWelcome::build_from_welcome(provider, &join_config(&self.profile), welcome)?;
        if let Some(ratchet_tree) = ratchet_tree {
            join = join.with_ratchet_tree(ratchet_tree);
        }
        if self.profile.recorded {
            join = join.skip_lifetime_validation();
        }
        join.build()?.into_group(provider)
    }

    pub(crate) fn credential(&self) -> CredentialWithKey {
        CredentialWithKey {
            credential: BasicCredential::new(self.identity.as_slice().to_vec()).into(),
            signature_key: self.signer.public().into(),
        }
    }

    fn key_packages(&self, published: &[KeyPackageBytes]) -> Result<Vec<KeyPackage>, EngineError> {
        let crypto = self.provider.crypto();
        published.iter().map(|bytes| ingest::key_package(bytes.as_slice(), crypto)).collect()
    }

    /// The founding commit, merged: nobody is there yet to whom it could be published.
    fn add_founding_members(
        &self,
        mls: &mut MlsGroup,
        invitees: &[KeyPackage],
    ) -> Result<Welcomes, EngineError> {
        if invitees.is_empty() {
            return Ok(Welcomes::None);
        }
        let (_, welcome, _) =
            mls.add_members(&self.provider, &self.signer, invitees).map_err(ingest::not_added)?;
        mls.merge_pending_commit(&self.provider).map_err(ingest::not_merged)?;
        let welcome = WelcomeBytes::new(ingest::encoded(&welcome)?);
        Ok(Welcomes::Shared(welcome))
    }

    /// Deletes a group that this client was removed from.
    pub(crate) fn leave(&mut self, group: &GroupId) -> Result<(), EngineError> {
        let Some(Group { mut mls, .. }) = self.groups.remove(group) else {
            return Ok(());
        };
        let storage = self.provider.storage();
        // The public state has moved on, the key pairs have not.
        let last = mls.epoch().as_u64().saturating_sub(1);
        let last = openmls::group::GroupEpoch::from(last);
        storage
            .delete_encryption_epoch_key_pairs(mls.group_id(), &last, mls.own_leaf_index().u32())
            .map_err(EngineError::storage)?;
        mls.delete(storage).map_err(EngineError::storage)
    }

    pub(crate) fn group(&self, id: &GroupId) -> Result<&MlsGroup, EngineError> {
        match self.groups.get(id) {
            Some(group) => Ok(&group.mls),
            None => Err(no_such_group()),
        }
    }
}

pub(crate) fn held<'a>(
    groups: &'a mut HashMap<GroupId, Group>,
    id: &GroupId,
) -> Result<&'a mut Group, EngineError> {
    groups.get_mut(id).ok_or_else(no_such_group)
}

/// The group whose pending commit is this one.
fn holding<'a>(
    groups: &'a mut HashMap<GroupId, Group>,
    commit: &StagedCommit,
) -> Result<&'a mut Group, EngineError> {
    let group = held(groups, commit.group())?;
    if group.staged == Some(commit.stage()) {
        Ok(group)
    } else {
        Err(EngineError::caller("this commit is not staged any more"))
    }
}

/// A commit, and the Welcome if it adds.
type Made = (MlsMessageOut, Option<MlsMessageOut>);

/// Makes a commit, which is the group's pending one then.
fn make_pending<B: Backend, S: Store>(
    provider: &Provider<B, S>,
    signer: &Signing<B>,
    mls: &mut MlsGroup,
    change: &Change<'_>,
    invitees: &[KeyPackage],
) -> Result<Made, EngineError> {
    match change {
        Change::Add(_) => {
            let made = mls.add_members(provider, signer, invitees);
            let (commit, welcome, _) = made.map_err(ingest::not_added)?;
            Ok((commit, Some(welcome)))
        }
        Change::Remove(members) => {
            let leaves = present(mls, members)?;
            let made = mls.remove_members(provider, signer, &leaves);
            let (commit, _, _) = made.map_err(ingest::not_removed)?;
            Ok((commit, None))
        }
        Change::Update => {
            let own = LeafNodeParameters::default();
            let bundle = mls.self_update(provider, signer, own).map_err(ingest::not_updated)?;
            Ok((bundle.into_commit(), None))
        }
        other => Err(EngineError::unsupported(format_args!("{other:?}"))),
    }
}

fn encoded((commit, welcome): &Made) -> Result<(CommitBytes, Welcomes), EngineError> {
    let welcomes = match welcome {
        Some(welcome) => Welcomes::Shared(WelcomeBytes::new(ingest::encoded(welcome)?)),
        None => Welcomes::None,
    };
    Ok((CommitBytes::new(ingest::encoded(commit)?), welcomes))
}

/// The leaves of members that are still where they were when they were listed.
fn present(mls: &MlsGroup, members: &[Member]) -> Result<Vec<LeafNodeIndex>, EngineError> {
    let leaf = |member: &Member| {
        let leaf = LeafNodeIndex::new(member.leaf.0);
        let there = mls.member(leaf).map(|there| there.serialized_content());
        if there == Some(member.identity.as_slice()) {
            Ok(leaf)
        } else {
            Err(EngineError::caller(format_args!("no such member at leaf {}", member.leaf)))
        }
    };
    members.iter().map(leaf).collect()
}

fn create_config(profile: &Profile) -> MlsGroupCreateConfig {
    MlsGroupCreateConfig::builder()
        .ciphersuite(profile.suite)
        .capabilities(profile.capabilities())
        .wire_format_policy(MIXED_CIPHERTEXT_WIRE_FORMAT_POLICY)
        .use_ratchet_tree_extension(true)
        .padding_size(0)
        .max_past_epochs(MAX_PAST_EPOCHS)
        .sender_ratchet_configuration(ratchets())
        .build()
}

pub(crate) fn join_config(profile: &Profile) -> MlsGroupJoinConfig {
    config_with(profile, MIXED_CIPHERTEXT_WIRE_FORMAT_POLICY)
}

/// The same, with handshake messages sent in the clear.
pub(crate) fn plaintext_config(profile: &Profile) -> MlsGroupJoinConfig {
    config_with(profile, MIXED_PLAINTEXT_WIRE_FORMAT_POLICY)
}

fn config_with(profile: &Profile, policy: WireFormatPolicy) -> MlsGroupJoinConfig {
    MlsGroupJoinConfig::builder()
        .number_of_resumption_psks(profile.resumption_psks())
        .wire_format_policy(policy)
        .use_ratchet_tree_extension(true)
        .padding_size(0)
        .max_past_epochs(MAX_PAST_EPOCHS)
        .sender_ratchet_configuration(ratchets())
        .build()
}

fn ratchets() -> SenderRatchetConfiguration {
    SenderRatchetConfiguration::new(OUT_OF_ORDER_TOLERANCE, MAXIMUM_FORWARD_DISTANCE)
}

fn no_such_group() -> EngineError {
    EngineError::caller("this client is in no such group")
}

/// The header's content type is authenticated, so OpenMLS can't have decrypted anything else.
pub(crate) fn not_as_announced() -> EngineError {
    EngineError::internal("the content is not of the type that the header names")
}
