//! Engines made of others, for the tests of the tests.

#![expect(clippy::panic, reason = "a helper function of tests")]

use bench_suite::engines;
use engine_api::*;

/// An engine that does what another does and describes itself otherwise.
macro_rules! in_disguise {
    ($(#[$doc:meta])* $name:ident is $engine:expr, described as $describe:expr) => {
        $(#[$doc])*
        pub(crate) struct $name(Client);

        impl CgkaEngine for $name {
            fn describe() -> Description {
                $describe
            }
            fn new_client(name: &str) -> Result<Self, EngineError> {
                let engine: Registration = $engine;
                engine.new_client(name).map(Self)
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
    };
}

const NO: Support = Support::No("left out");

fn engine(name: &str) -> Registration {
    let all = engines::built_in().into_iter().chain(engines::broken());
    let mut named = all.filter(|engine| engine.name() == name);
    named.next().unwrap_or_else(|| panic!("no {name}"))
}

in_disguise! {
    /// `null` without its capabilities.
    Uncopyable is engine("null"), described as {
        let about = engine("null").describe();
        let capabilities = Capabilities { fork: NO, snapshot: NO, ..about.capabilities };
        Description { name: "uncopyable", capabilities, ..about }
    }
}

in_disguise! {
    /// A liar that says it speaks `null`'s profile, so that it is put into groups with it.
    Mole is engine("broken/wrong-plaintext"), described as {
        let about = engine("broken/wrong-plaintext").describe();
        let capabilities = Capabilities { fork: NO, snapshot: NO, ..about.capabilities };
        let wire_profile = engine("null").describe().wire_profile;
        Description { name: "mole", capabilities, wire_profile, ..about }
    }
}

in_disguise! {
    /// An engine that fails whatever it is asked, and declares that it does.
    Excused is engine("broken/panics"), described as {
        const fn declared(check: &'static str) -> Deviation {
            Deviation { scenario: "damaged message", check, shows: "", at_most: 100_000, why: "so" }
        }
        let about = engine("broken/panics").describe();
        let capabilities = Capabilities { fork: NO, snapshot: NO, ..about.capabilities };
        let deviations = const { &[declared("works"), declared("damage-refused")] };
        Description { name: "excused", capabilities, deviations, ..about }
    }
}

in_disguise! {
    /// An engine with one wrong sender per message, that declares a single one.
    Understated is engine("broken/wrong-sender"), described as {
        let about = engine("broken/wrong-sender").describe();
        let capabilities = Capabilities { fork: NO, snapshot: NO, ..about.capabilities };
        let deviations = const {
            &[Deviation { scenario: "talking", check: "sender", shows: "", at_most: 1, why: "so" }]
        };
        Description { name: "understated", capabilities, deviations, ..about }
    }
}
