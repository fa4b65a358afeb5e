//! An engine that signs once more than it has to, over a suite that counts.

use std::cell::OnceCell;

use bench_suite::counts::{Twin, twins};
use crypto_api::{CipherSuite, CryptoBackend, SigningKey};
use crypto_counting::Counting;
use crypto_rustcrypto::RustCrypto;
use engine_api::*;

const SUITE: CipherSuite = CipherSuite::MLS_128_DHKEMX25519_AES128GCM_SHA256_ED25519;

/// burrow, with a signature for nobody in each message that it sends.
pub(crate) struct Wasteful {
    client: Client,
    backend: Counting<RustCrypto>,
    key: OnceCell<SigningKey>,
}

pub(crate) fn twin() -> Twin {
    Twin { name: "wasteful", counted: Registration::of::<Wasteful>() }
}

fn honest() -> Result<Registration, EngineError> {
    let twin = twins().into_iter().find(|twin| twin.name == "burrow/rustcrypto");
    twin.map(|twin| twin.counted).ok_or_else(|| EngineError::internal("no burrow"))
}

impl CgkaEngine for Wasteful {
    fn describe() -> Description {
        let capabilities = Capabilities {
            fork: Support::No("left out"),
            snapshot: Support::No("left out"),
            rename: Support::No("left out"),
            any_member_commits: Support::Yes,
        };
        let about = twins().into_iter().map(|twin| twin.counted.describe());
        let mut about = about.filter(|about| about.name.starts_with("burrow/rustcrypto"));
        match about.next() {
            Some(about) => Description { name: "wasteful", capabilities, ..about },
            None => unreachable!("burrow is in every test binary"),
        }
    }

    fn new_client(name: &str) -> Result<Self, EngineError> {
        let backend = Counting::<RustCrypto>::default();
        Ok(Self { client: honest()?.new_client(name)?, backend, key: OnceCell::new() })
    }

    fn send(&mut self, group: &GroupId, payload: &[u8]) -> Result<AppBytes, EngineError> {
        let suite = self.backend.suite(SUITE).map_err(EngineError::internal)?;
        if self.key.get().is_none() {
            let key = suite.generate_signing_key().map_err(EngineError::internal)?;
            self.key.get_or_init(|| key);
        }
        let key = self.key.get().ok_or_else(|| EngineError::internal("no key"))?;
        suite.sign(key, payload).map_err(EngineError::internal)?;
        self.client.send(group, payload)
    }

    fn identity(&self) -> Identity {
        self.client.identity()
    }

    fn publish_key_package(&mut self) -> Result<KeyPackageBytes, EngineError> {
        self.client.publish_key_package()
    }

    fn create_group(&mut self, invitees: &[KeyPackageBytes]) -> Result<Founded, EngineError> {
        self.client.create_group(invitees)
    }

    fn join_welcome(&mut self, welcome: &WelcomeBytes) -> Result<GroupId, EngineError> {
        self.client.join_welcome(welcome)
    }

    fn ingest_app(
        &mut self,
        group: &GroupId,
        message: &AppBytes,
    ) -> Result<Ingested<AppMessage>, EngineError> {
        self.client.ingest_app(group, message)
    }

    fn ingest_commit(
        &mut self,
        group: &GroupId,
        commit: &CommitBytes,
    ) -> Result<Ingested<Epoch>, EngineError> {
        self.client.ingest_commit(group, commit)
    }

    fn stage_commit(
        &mut self,
        group: &GroupId,
        change: &Change<'_>,
    ) -> Result<StagedCommit, EngineError> {
        self.client.stage_commit(group, change)
    }

    fn merge_staged(&mut self, commit: PublishedCommit) -> Result<Epoch, EngineError> {
        self.client.merge_staged(commit)
    }

    fn discard_staged(&mut self, commit: StagedCommit) -> Result<(), EngineError> {
        self.client.discard_staged(commit)
    }

    fn epoch(&self, group: &GroupId) -> Result<Epoch, EngineError> {
        self.client.epoch(group)
    }

    fn members(&self, group: &GroupId) -> Result<Vec<Member>, EngineError> {
        self.client.members(group)
    }

    fn own_leaf(&self, group: &GroupId) -> Result<LeafIndex, EngineError> {
        self.client.own_leaf(group)
    }

    fn epoch_authenticator(&self, group: &GroupId) -> Result<EpochAuthenticator, EngineError> {
        self.client.epoch_authenticator(group)
    }

    fn encoded_sizes(&self, group: &GroupId) -> Result<EncodedSizes, EngineError> {
        self.client.encoded_sizes(group)
    }
}
