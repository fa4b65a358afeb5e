//! burrow on all cores: where many keys are verified or sealed to, in founding, joining and
//! committing, with rayon's threads.
//!
//! The harness holds rayon's global pool to the thread that is measured. This configuration works in
//! a pool of its own, into which an operation is handed as a whole. Whatever touches few keys,
//! messages above all, stays on the caller's thread: a hand-over costs microseconds.

use std::sync::OnceLock;

use engine_api::{
    AppBytes, AppMessage, CgkaEngine, Change, CommitBytes, Description, EncodedSizes, EngineError,
    Epoch, EpochAuthenticator, Founded, GroupId, Identity, Ingested, KeyPackageBytes, LeafIndex,
    Member, PublishedCommit, SnapshotBytes, StagedCommit, WelcomeBytes,
};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::client::Burrow;
use crate::describe::{Backend, describe_threaded};

/// A client of burrow that uses all cores.
pub(crate) struct Threaded<B>(Burrow<B>);

/// As many threads as there are cores that the process may use; made at the first use.
fn pool() -> Result<&'static ThreadPool, EngineError> {
    static POOL: OnceLock<Result<ThreadPool, String>> = OnceLock::new();
    let pool = POOL.get_or_init(|| {
        let named = ThreadPoolBuilder::new().thread_name(|index| format!("burrow {index}"));
        named.build().map_err(|why| why.to_string())
    });
    pool.as_ref().map_err(EngineError::internal)
}

impl<B: Backend> CgkaEngine for Threaded<B> {
    fn describe() -> Description {
        describe_threaded::<B>()
    }

    /// Wakes the threads up for the first time, so that no timed operation does.
    fn new_client(name: &str) -> Result<Self, EngineError> {
        pool()?;
        Burrow::new_client(name).map(Self)
    }

    fn identity(&self) -> Identity {
        self.0.identity()
    }

    fn publish_key_package(&mut self) -> Result<KeyPackageBytes, EngineError> {
        self.0.publish_key_package()
    }

    fn create_group(&mut self, invitees: &[KeyPackageBytes]) -> Result<Founded, EngineError> {
        pool()?.install(|| self.0.create_group(invitees))
    }

    fn join_welcome(&mut self, welcome: &WelcomeBytes) -> Result<GroupId, EngineError> {
        pool()?.install(|| self.0.join_welcome(welcome))
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

    /// A commit has one signature and one path to check, however large the group is.
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
        pool()?.install(|| self.0.stage_commit(group, change))
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

    fn encoded_sizes(&self, group: &GroupId) -> Result<EncodedSizes, EngineError> {
        self.0.encoded_sizes(group)
    }

    fn fork(&self) -> Result<Self, EngineError> {
        self.0.copied().map(Self)
    }

    fn snapshot(&self) -> Result<SnapshotBytes, EngineError> {
        self.0.snapshot()
    }

    fn restore(snapshot: &SnapshotBytes) -> Result<Self, EngineError> {
        pool()?;
        Burrow::restore(snapshot).map(Self)
    }
}
