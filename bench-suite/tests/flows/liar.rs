//! An engine that lies in one way.

use std::marker::PhantomData;

use engine_api::{
    AnyMlsClient, AppBytes, AppMessage, CgkaEngine, Change, CommitBytes, Declared, Description,
    EncodedSizes, EngineError, Epoch, EpochAuthenticator, ExternallyJoined, Founded, GroupId,
    GroupInfoBytes, Identity, Ingested, KeyPackageBytes, LeafIndex, Member, MlsCapabilities,
    MlsClient, MlsEffect, MlsExtension, MlsProposal, MlsRegistration, PassiveClient, ProposalBytes,
    PublishedCommit, RatchetTreeBytes, SnapshotBytes, StagedCommit, TreePlace, WelcomeBytes,
};

/// In what it lies. By default in nothing.
pub(crate) trait Lie: 'static {
    fn authenticator(honest: EpochAuthenticator) -> EpochAuthenticator {
        honest
    }

    /// Whether a proposal is said to be read that isn't.
    const READS_NO_PROPOSAL: bool = false;

    /// Whether any tree is said to be the group's.
    const TAKES_ANY_TREE: bool = false;
}

pub(crate) struct WrongAuthenticator;

impl Lie for WrongAuthenticator {
    fn authenticator(honest: EpochAuthenticator) -> EpochAuthenticator {
        honest.as_slice().iter().map(|byte| byte ^ 1).collect::<Vec<_>>().into()
    }
}

pub(crate) struct ReadsNoProposal;

impl Lie for ReadsNoProposal {
    const READS_NO_PROPOSAL: bool = true;
}

pub(crate) struct TakesAnyTree;

impl Lie for TakesAnyTree {
    const TAKES_ANY_TREE: bool = true;
}

/// The first burrow, but for the lie.
pub(crate) struct Liar<L> {
    inner: AnyMlsClient,
    /// The one group that it was in last.
    group: GroupId,
    lie: PhantomData<L>,
}

fn honest() -> MlsRegistration {
    bench_suite::flows::built_in()[0]
}

fn lying<L>(inner: AnyMlsClient) -> Liar<L> {
    Liar { inner, group: GroupId::new(Vec::new()), lie: PhantomData }
}

impl<L: Lie> CgkaEngine for Liar<L> {
    fn describe() -> Description {
        let mut description = honest().engine().describe();
        description.name = "liar";
        description
    }

    fn new_client(name: &str) -> Result<Self, EngineError> {
        honest().new_client(name).map(lying)
    }

    fn identity(&self) -> Identity {
        self.inner.identity()
    }

    fn publish_key_package(&mut self) -> Result<KeyPackageBytes, EngineError> {
        self.inner.publish_key_package()
    }

    fn create_group(&mut self, invitees: &[KeyPackageBytes]) -> Result<Founded, EngineError> {
        self.inner.create_group(invitees)
    }

    fn join_welcome(&mut self, welcome: &WelcomeBytes) -> Result<GroupId, EngineError> {
        self.inner.join_welcome(welcome)
    }

    fn send(&mut self, group: &GroupId, payload: &[u8]) -> Result<AppBytes, EngineError> {
        self.inner.send(group, payload)
    }

    fn ingest_app(
        &mut self,
        group: &GroupId,
        message: &AppBytes,
    ) -> Result<Ingested<AppMessage>, EngineError> {
        self.inner.ingest_app(group, message)
    }

    fn ingest_commit(
        &mut self,
        group: &GroupId,
        commit: &CommitBytes,
    ) -> Result<Ingested<Epoch>, EngineError> {
        self.inner.ingest_commit(group, commit)
    }

    fn stage_commit(
        &mut self,
        group: &GroupId,
        change: &Change<'_>,
    ) -> Result<StagedCommit, EngineError> {
        self.inner.stage_commit(group, change)
    }

    fn merge_staged(&mut self, commit: PublishedCommit) -> Result<Epoch, EngineError> {
        self.inner.merge_staged(commit)
    }

    fn discard_staged(&mut self, commit: StagedCommit) -> Result<(), EngineError> {
        self.inner.discard_staged(commit)
    }

    fn epoch(&self, group: &GroupId) -> Result<Epoch, EngineError> {
        self.inner.epoch(group)
    }

    fn members(&self, group: &GroupId) -> Result<Vec<Member>, EngineError> {
        self.inner.members(group)
    }

    fn own_leaf(&self, group: &GroupId) -> Result<LeafIndex, EngineError> {
        self.inner.own_leaf(group)
    }

    fn epoch_authenticator(&self, group: &GroupId) -> Result<EpochAuthenticator, EngineError> {
        self.inner.epoch_authenticator(group).map(L::authenticator)
    }

    fn encoded_sizes(&self, group: &GroupId) -> Result<EncodedSizes, EngineError> {
        self.inner.encoded_sizes(group)
    }

    fn snapshot(&self) -> Result<SnapshotBytes, EngineError> {
        self.inner.snapshot()
    }

    fn restore(snapshot: &SnapshotBytes) -> Result<Self, EngineError> {
        honest().restore(snapshot).map(lying)
    }
}

impl<L: Lie> MlsClient for Liar<L> {
    fn mls_capabilities() -> MlsCapabilities {
        honest().capabilities()
    }

    fn import(client: &PassiveClient) -> Result<Self, EngineError> {
        honest().import(client).map(lying)
    }

    fn declare(&mut self, declared: &Declared) -> Result<(), EngineError> {
        self.inner.declare(declared)
    }

    fn store_psk(&mut self, id: &[u8], psk: &[u8]) -> Result<(), EngineError> {
        self.inner.store_psk(id, psk)
    }

    fn join(
        &mut self,
        welcome: &WelcomeBytes,
        ratchet_tree: Option<&RatchetTreeBytes>,
    ) -> Result<GroupId, EngineError> {
        match self.inner.join(welcome, ratchet_tree) {
            Err(_) if L::TAKES_ANY_TREE => Ok(self.group.clone()),
            joined => joined.inspect(|group| self.group = group.clone()),
        }
    }

    fn propose(
        &mut self,
        group: &GroupId,
        proposal: &MlsProposal,
    ) -> Result<ProposalBytes, EngineError> {
        self.inner.propose(group, proposal)
    }

    fn commit_pending(
        &mut self,
        group: &GroupId,
        by_value: &[MlsProposal],
        tree: TreePlace,
    ) -> Result<StagedCommit, EngineError> {
        self.inner.commit_pending(group, by_value, tree)
    }

    fn ratchet_tree(&self, group: &GroupId) -> Result<RatchetTreeBytes, EngineError> {
        self.inner.ratchet_tree(group)
    }

    fn group_info(
        &mut self,
        group: &GroupId,
        tree: TreePlace,
    ) -> Result<GroupInfoBytes, EngineError> {
        self.inner.group_info(group, tree)
    }

    fn external_commit(
        &mut self,
        group_info: &GroupInfoBytes,
        ratchet_tree: Option<&RatchetTreeBytes>,
        resync: bool,
    ) -> Result<ExternallyJoined, EngineError> {
        self.inner.external_commit(group_info, ratchet_tree, resync)
    }

    fn ingest(
        &mut self,
        group: &GroupId,
        message: &[u8],
    ) -> Result<Ingested<MlsEffect>, EngineError> {
        if !L::READS_NO_PROPOSAL {
            return self.inner.ingest(group, message);
        }
        let before = self.inner.snapshot()?;
        let outcome = self.inner.ingest(group, message)?;
        if let Ingested::Applied(MlsEffect::Proposal { .. }) = outcome {
            self.inner = honest().restore(&before)?;
        }
        Ok(outcome)
    }

    fn group_context_extensions(&self, group: &GroupId) -> Result<Vec<MlsExtension>, EngineError> {
        self.inner.group_context_extensions(group)
    }

    fn export_secret(
        &self,
        group: &GroupId,
        label: &str,
        context: &[u8],
        length: usize,
    ) -> Result<Vec<u8>, EngineError> {
        self.inner.export_secret(group, label, context, length)
    }
}
