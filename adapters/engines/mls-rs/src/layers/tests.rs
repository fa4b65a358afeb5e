//! A client that is lost after any operation goes on from its store.

use std::collections::HashSet;

use mls_rs_crypto_awslc::AwsLcCryptoProvider;

use super::*;
use crate::store::Memory;
#[cfg(feature = "sqlite")]
use crate::store::Sqlite;

type Kind<S> = Keeping<AwsLcCryptoProvider, S>;
type Done = Result<(), EngineError>;

/// What remains of a client when its process ends: what another one makes of a copy of its store.
/// The numbers of staged commits are the caller's, who is still there.
fn crashed<S: Store>(client: Kind<S>) -> Result<Kind<S>, EngineError> {
    let store = client.store.copied()?;
    let again = reopened::<AwsLcCryptoProvider>(store.contents()?)?;
    assert_eq!(client.identity(), again.identity());
    assert_eq!(client.client.key_packages.references(), again.key_packages.references());
    assert!(client.client.groups.keys().eq(again.groups.keys()));
    for (id, held) in &client.client.groups {
        let pending = held.borrow().group.has_pending_commit();
        assert_eq!(pending, client.pending.contains_key(id));
        assert_eq!(pending, again.held(id)?.group.has_pending_commit());
        assert_eq!(client.epoch_authenticator(id)?, again.epoch_authenticator(id)?);
        assert_eq!(client.members(id)?, again.members(id)?);
    }
    Ok(Keeping { client: again, pending: client.pending.clone(), store, written: 0 })
}

fn crash<S: Store>(clients: &mut Vec<Kind<S>>) -> Done {
    let before = std::mem::take(clients);
    *clients = before.into_iter().map(crashed).collect::<Result<_, _>>()?;
    Ok(())
}

/// One sends and the other reads, both of them lost right after.
fn say<S: Store>(
    clients: &mut Vec<Kind<S>>,
    from: usize,
    group: &GroupId,
    sent: &mut HashSet<AppBytes>,
) -> Done {
    let message = clients[from].send(group, b"hello")?;
    assert!(sent.insert(message.clone()));
    crash(clients)?;
    let read = clients[1 - from].ingest_app(group, &message)?.applied();
    assert_eq!(read.map(|read| read.payload).as_deref(), Some(&b"hello"[..]), "a key used twice");
    crash(clients)?;
    assert_eq!(clients[1 - from].ingest_app(group, &message)?, Ingested::Duplicate);
    Ok(())
}

fn goes_on_from_its_store<S: Store>() -> Done {
    let mut clients = vec![Kind::<S>::new_client("a")?, Kind::<S>::new_client("b")?];
    let key_packages = [clients[1].publish_key_package()?];
    clients[1].publish_key_package()?;
    crash(&mut clients)?;
    let founded = clients[0].create_group(&key_packages)?;
    let group = founded.group;
    crash(&mut clients)?;
    let welcome = founded.welcomes.for_invitee(0);
    clients[1].join_welcome(welcome.ok_or_else(|| EngineError::internal("no Welcome"))?)?;
    crash(&mut clients)?;
    let mut sent = HashSet::new();
    for round in 0..7 {
        for from in [0, 1, 0] {
            say(&mut clients, from, &group, &mut sent)?;
        }
        let discarded = clients[0].stage_commit(&group, &Change::Update)?;
        crash(&mut clients)?;
        clients[0].discard_staged(discarded)?;
        crash(&mut clients)?;
        let by = round % 2;
        let staged = clients[by].stage_commit(&group, &Change::Update)?;
        crash(&mut clients)?;
        let echo = clients[by].ingest_commit(&group, staged.commit())?;
        assert_eq!(echo, Ingested::Duplicate);
        let late = clients[by].send(&group, b"late")?;
        let commit = staged.commit().clone();
        clients[by].merge_staged(staged.published())?;
        clients[1 - by].ingest_commit(&group, &commit)?;
        crash(&mut clients)?;
        let read = clients[1 - by].ingest_app(&group, &late)?.applied();
        assert_eq!(read.map(|read| read.payload).as_deref(), Some(&b"late"[..]));
        crash(&mut clients)?;
        assert_eq!(clients[1 - by].ingest_app(&group, &late)?, Ingested::Duplicate);
    }
    let members = clients[0].members(&group)?;
    let staged = clients[0].stage_commit(&group, &Change::Remove(&members[1..]))?;
    assert_eq!(clients[1].ingest_commit(&group, staged.commit())?, Ingested::Removed);
    assert!(clients[1].store.contents()?.groups.is_empty());
    crash(&mut clients)
}

#[test]
fn a_client_in_memory_goes_on_from_its_store() -> Done {
    goes_on_from_its_store::<Memory>()
}

#[cfg(feature = "sqlite")]
#[test]
fn a_client_in_a_file_goes_on_from_its_store() -> Done {
    goes_on_from_its_store::<Sqlite>()
}
