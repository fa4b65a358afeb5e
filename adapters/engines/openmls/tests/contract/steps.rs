//! What the tests are made of: steps that clients take together, and assertions.

use std::fmt::Debug;

use crate::engines;
use engine_api::{
    AppBytes, Change, Client, CommitBytes, EngineError, Epoch, EpochAuthenticator, GroupId,
    Ingested, Member, Registration, RejectReason,
};

pub(crate) fn each(check: fn(&Registration)) {
    let engines = engines();
    assert!(engines.len() >= 2);
    for engine in &engines {
        println!("{}", engine.name());
        check(engine);
    }
}

pub(crate) fn client(engine: &Registration, name: &str) -> Client {
    engine.new_client(name).unwrap()
}

/// The first founds, the others join.
pub(crate) fn group_of(engine: &Registration, names: &[&str]) -> (Vec<Client>, GroupId) {
    let mut clients: Vec<_> = names.iter().map(|name| client(engine, name)).collect();
    let (founder, invitees) = clients.split_first_mut().unwrap();
    let invitations: Vec<_> =
        invitees.iter_mut().map(|invitee| invitee.publish_key_package().unwrap()).collect();
    let founded = founder.create_group(&invitations).unwrap();
    assert!(founded.published_commits.is_empty());
    for (index, invitee) in invitees.iter_mut().enumerate() {
        let welcome = founded.welcomes.for_invitee(index).unwrap();
        assert_eq!(invitee.join_welcome(welcome).unwrap(), founded.group);
    }
    (clients, founded.group)
}

/// One commits, the others ingest.
pub(crate) fn change(
    clients: &mut [Client],
    committer: usize,
    group: &GroupId,
    change: &Change<'_>,
) -> CommitBytes {
    let staged = clients[committer].stage_commit(group, change).unwrap();
    let next = Epoch(staged.base().0 + 1);
    let commit = staged.commit().clone();
    for (index, client) in clients.iter_mut().enumerate() {
        if index != committer {
            let outcome = client.ingest_commit(group, &commit).unwrap();
            assert_eq!(outcome, Ingested::Applied(next));
        }
    }
    let merged = clients[committer].merge_staged(staged.published());
    assert_eq!(merged.unwrap(), next);
    commit
}

pub(crate) fn add(
    clients: &mut Vec<Client>,
    committer: usize,
    group: &GroupId,
    mut invitees: Vec<Client>,
) {
    let invitations: Vec<_> =
        invitees.iter_mut().map(|invitee| invitee.publish_key_package().unwrap()).collect();
    let staged = clients[committer].stage_commit(group, &Change::Add(&invitations)).unwrap();
    for (index, client) in clients.iter_mut().enumerate() {
        if index != committer {
            let outcome = client.ingest_commit(group, staged.commit()).unwrap();
            assert!(outcome.applied().is_some());
        }
    }
    for (index, invitee) in invitees.iter_mut().enumerate() {
        let welcome = staged.welcomes().for_invitee(index).unwrap();
        assert_eq!(&invitee.join_welcome(welcome).unwrap(), group);
    }
    clients[committer].merge_staged(staged.published()).unwrap();
    clients.append(&mut invitees);
}

pub(crate) type View = (Epoch, Vec<Member>, EpochAuthenticator);

pub(crate) fn view(client: &Client, group: &GroupId) -> View {
    (
        client.epoch(group).unwrap(),
        client.members(group).unwrap(),
        client.epoch_authenticator(group).unwrap(),
    )
}

/// What can be observed, and everything in the store.
pub(crate) fn everything(client: &Client, group: &GroupId) -> (View, Vec<u8>) {
    (view(client, group), stored(client))
}

/// Everything that a client has stored, in the form in which two states can be compared: every byte
/// of a snapshot, or, where that has a database file in it, every row. Equal rows make unequal files:
/// SQLite counts transactions in there, and SQLCipher encrypts each written page anew.
pub(crate) fn stored(client: &Client) -> Vec<u8> {
    let snapshot = client.snapshot().unwrap();
    #[cfg(feature = "sqlite")]
    if let Some(rows) = crate::rows::of(snapshot.as_slice()) {
        return rows;
    }
    snapshot.as_slice().to_vec()
}

pub(crate) fn flipped(bytes: &[u8], at: usize, bit: u8) -> Vec<u8> {
    let mut copy = bytes.to_vec();
    copy[at] ^= 1 << bit;
    copy
}

// ---- Assertions --------------------------------------------------------------------------------

#[track_caller]
pub(crate) fn assert_agree(clients: &[Client], group: &GroupId, epoch: u64) {
    let first = view(&clients[0], group);
    assert_eq!(first.0, Epoch(epoch));
    for (client, member) in clients.iter().zip(&first.1) {
        assert_eq!(view(client, group), first);
        assert_eq!(client.own_leaf(group).unwrap(), member.leaf);
        assert_eq!(client.identity(), member.identity);
    }
    assert_eq!(first.1.len(), clients.len());
}

#[track_caller]
pub(crate) fn assert_received(
    clients: &mut [Client],
    sender: usize,
    group: &GroupId,
    message: &AppBytes,
    payload: &[u8],
) {
    let identity = clients[sender].identity();
    for (index, client) in clients.iter_mut().enumerate() {
        if index != sender {
            let outcome = client.ingest_app(group, message).unwrap();
            let received = outcome.applied().expect("a message");
            assert_eq!(received.sender, identity);
            assert_eq!(received.payload, payload);
        }
    }
}

#[track_caller]
pub(crate) fn assert_caller<T: Debug>(result: Result<T, EngineError>) {
    assert!(matches!(result, Err(EngineError::Caller(_))), "{result:?}");
}

#[track_caller]
pub(crate) fn assert_peer<T: Debug>(result: Result<T, EngineError>, reason: RejectReason) {
    match result {
        Err(EngineError::Peer(why)) => assert_eq!(why.reason, reason, "{why}"),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
pub(crate) fn assert_rejected<T: Debug>(
    result: Result<Ingested<T>, EngineError>,
    reason: RejectReason,
) {
    match result {
        Ok(Ingested::Rejected(why)) => assert_eq!(why.reason, reason, "{why}"),
        other => panic!("{other:?}"),
    }
}
