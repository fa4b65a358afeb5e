//! What the tests have in common.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fmt::Debug;
use std::sync::Arc;

use engine_api::{
    Change, Client, CommitBytes, EngineError, Epoch, EpochAuthenticator, GroupId, Ingested,
    KeyPackageBytes, Member, Publication, Registration, RejectReason,
};
use mls_rs::MlsMessage;
use mls_rs::time::MlsTime;

/// Runs a test on both configurations, and on those of the other layers.
pub(crate) fn both(test: impl Fn(&Registration)) {
    let engines = [adapter_mls_rs::engines(), adapter_mls_rs::layered()].concat();
    assert!(engines.len() >= 2);
    engines.iter().for_each(test);
}

/// A founder and two whom it invited.
pub(crate) struct Trio {
    pub(crate) a: Client,
    pub(crate) b: Client,
    pub(crate) c: Client,
    pub(crate) group: GroupId,
}

impl Trio {
    pub(crate) fn new(engine: &Registration) -> Self {
        let [mut a, mut b, mut c] = ["a", "b", "c"].map(|name| engine.new_client(name).unwrap());
        let key_packages = [&mut b, &mut c].map(|it| it.publish_key_package().unwrap());
        let founded = a.create_group(&key_packages).unwrap();
        for (index, joiner) in [&mut b, &mut c].into_iter().enumerate() {
            let welcome = founded.welcomes.for_invitee(index).unwrap();
            assert_eq!(joiner.join_welcome(welcome).unwrap(), founded.group);
        }
        let group = founded.group;
        Self { a, b, c, group }
    }

    /// The state that all three are in.
    pub(crate) fn agreed(&self) -> State {
        let state = state(&self.a, &self.group);
        for other in [&self.b, &self.c] {
            assert_eq!(self::state(other, &self.group), state);
        }
        state
    }

    /// All three apply a commit.
    pub(crate) fn all_ingest(&mut self, commit: &CommitBytes) {
        for client in [&mut self.a, &mut self.b, &mut self.c] {
            applied(client.ingest_commit(&self.group, commit));
        }
    }
}

pub(crate) type State = (Epoch, Vec<Member>, EpochAuthenticator);

/// What members of a group agree on.
pub(crate) fn state(client: &Client, group: &GroupId) -> State {
    (
        client.epoch(group).unwrap(),
        client.members(group).unwrap(),
        client.epoch_authenticator(group).unwrap(),
    )
}

/// Stages, publishes and merges.
pub(crate) fn commit(
    client: &mut Client,
    group: &GroupId,
    change: &Change<'_>,
) -> Arc<Publication> {
    let staged = client.stage_commit(group, change).unwrap();
    let base = staged.base();
    let publication = staged.publication();
    let entered = client.merge_staged(staged.published()).unwrap();
    assert_eq!(entered, Epoch(base.0 + 1));
    publication
}

/// So many updates, one after the other.
pub(crate) fn commits(client: &mut Client, group: &GroupId, count: usize) -> Vec<CommitBytes> {
    (0..count).map(|_| commit(client, group, &Change::Update).commit.clone()).collect()
}

/// The effect of a message that was applied.
pub(crate) fn applied<T: Debug>(outcome: Result<Ingested<T>, EngineError>) -> T {
    match outcome {
        Ok(Ingested::Applied(effect)) => effect,
        other => panic!("{other:?}"),
    }
}

/// Why a message was rejected.
pub(crate) fn reason<T: Debug>(outcome: Result<Ingested<T>, EngineError>) -> RejectReason {
    match outcome {
        Ok(Ingested::Rejected(why)) => why.reason,
        other => panic!("{other:?}"),
    }
}

/// The bytes with a bit flipped in each byte in turn, in order; then cut short at each byte.
pub(crate) fn damaged(genuine: &[u8]) -> Vec<Vec<u8>> {
    let flipped = (0..genuine.len()).map(|at| {
        let mut bytes = genuine.to_vec();
        bytes[at] ^= 1 << (at % 8);
        bytes
    });
    let cut = (0..genuine.len()).map(|at| genuine[..at].to_vec());
    flipped.chain(cut).collect()
}

/// Where the ciphertext of an `MLSMessage` with a `PrivateMessage` begins.
pub(crate) fn ciphertext(message: &[u8]) -> usize {
    let group_id = vector(message, 4);
    let authenticated_data = vector(message, group_id.1 + 8 + 1);
    let sender_data = vector(message, authenticated_data.1);
    let ciphertext = vector(message, sender_data.1);
    assert_eq!(ciphertext.1, message.len());
    ciphertext.0
}

/// Where the contents of a variable-size vector (RFC 9420 section 2.1.2) begin and end.
fn vector(message: &[u8], at: usize) -> (usize, usize) {
    let bytes = 1 << (message[at] >> 6);
    let first = usize::from(message[at] & 0x3f);
    let rest = &message[at + 1..at + bytes];
    let len = rest.iter().fold(first, |len, byte| len << 8 | usize::from(*byte));
    (at + bytes, at + bytes + len)
}

/// For how many seconds a key package has been valid. Its lifetime is two timestamps side by side,
/// of which mls-rs tells the second.
pub(crate) fn age(key_package: &KeyPackageBytes) -> u64 {
    let bytes = key_package.as_slice();
    let parsed = MlsMessage::from_bytes(bytes).unwrap();
    let not_after = parsed.into_key_package().unwrap().expiration().unwrap();
    let not_after = not_after.seconds_since_epoch().to_be_bytes();
    let lifetime = bytes.windows(16).find(|window| window[8..] == not_after);
    let not_before = lifetime.unwrap().first_chunk().unwrap();
    MlsTime::now().seconds_since_epoch() - u64::from_be_bytes(*not_before)
}
