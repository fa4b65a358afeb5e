//! `null` without its capabilities.

use engine_api::*;

pub(crate) struct Uncopyable(Client);

fn null() -> Registration {
    adapter_null::engines()[0]
}

const NO: Support = Support::No("left out");

impl CgkaEngine for Uncopyable {
    fn describe() -> Description {
        let about = null().describe();
        let capabilities = Capabilities { fork: NO, snapshot: NO, ..about.capabilities };
        Description { name: "uncopyable", capabilities, ..about }
    }
    fn new_client(name: &str) -> Result<Self, EngineError> {
        null().new_client(name).map(Self)
    }
    fn identity(&self) -> Identity {
        self.0.identity()
    }
    fn publish_key_package(&mut self) -> Result<KeyPackageBytes, EngineError> {
        self.0.publish_key_package()
    }
    fn create_group(&mut self, invitees: &[KeyPackageBytes]) -> Result<Founded, EngineError> {
        self.0.create_group(invitees)
    }
    fn join_welcome(&mut self, welcome: &WelcomeBytes) -> Result<GroupId, EngineError> {
        self.0.join_welcome(welcome)
    }
    fn send(&mut self, group: &GroupId, payload: &[u8]) -> Result<AppBytes, EngineError> {
        self.0.send(group, payload)
    }
    fn ingest_app(
        &mut self,
        group: &GroupId,
        message: &AppBytes,
    ) -> Result<Ingested<AppMessage>, EngineError> {
        self.0.ingest_app(group, message)
    }
    fn ingest_commit(
        &mut self,
        group: &GroupId,
        commit: &CommitBytes,
    ) -> Result<Ingested<Epoch>, EngineError> {
        self.0.ingest_commit(group, commit)
    }
    fn stage_commit(
        &mut self,
        group: &GroupId,
        change: &Change<'_>,
    ) -> Result<StagedCommit, EngineError> {
        self.0.stage_commit(group, change)
    }
    fn merge_staged(&mut self, commit: PublishedCommit) -> Result<Epoch, EngineError> {
        self.0.merge_staged(commit)
    }
    fn discard_staged(&mut self, commit: StagedCommit) -> Result<(), EngineError> {
        self.0.discard_staged(commit)
    }
    fn epoch(&self, group: &GroupId) -> Result<Epoch, EngineError> {
        self.0.epoch(group)
    }
    fn members(&self, group: &GroupId) -> Result<Vec<Member>, EngineError> {
        self.0.members(group)
    }
    fn own_leaf(&self, group: &GroupId) -> Result<LeafIndex, EngineError> {
        self.0.own_leaf(group)
    }
    fn epoch_authenticator(&self, group: &GroupId) -> Result<EpochAuthenticator, EngineError> {
        self.0.epoch_authenticator(group)
    }
    fn group_name(&self, group: &GroupId) -> Result<String, EngineError> {
        self.0.group_name(group)
    }
    fn encoded_sizes(&self, group: &GroupId) -> Result<EncodedSizes, EngineError> {
        self.0.encoded_sizes(group)
    }
}
