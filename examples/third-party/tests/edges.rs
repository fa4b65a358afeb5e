//! What the lab's checks leave to the engine, at its edges.

use engine_api::{
    AppBytes, CgkaEngine, Change, CommitBytes, EngineError, GroupId, Ingested, KeyPackageBytes,
    RejectReason, SnapshotBytes, WelcomeBytes,
};
use third_party_engine::Flat;

type Outcome = Result<(), EngineError>;

/// The first founds a group, and the others join it by the one Welcome.
fn group<const N: usize>(names: [&str; N]) -> Result<(GroupId, [Flat; N]), EngineError> {
    let mut founder = Flat::new_client(names[0])?;
    let mut others = Vec::new();
    let mut key_packages = Vec::new();
    for name in &names[1..] {
        let mut other = Flat::new_client(name)?;
        key_packages.push(other.publish_key_package()?);
        others.push(other);
    }
    let founded = founder.create_group(&key_packages)?;
    let welcome = founded.welcomes.for_invitee(0).ok_or(EngineError::internal("no Welcome"))?;
    for other in &mut others {
        other.join_welcome(welcome)?;
    }
    others.insert(0, founder);
    let clients = others.try_into().map_err(|_| EngineError::internal("clients got lost"))?;
    Ok((founded.group, clients))
}

/// Stages and merges, and returns the commit and the Welcome, if there is one.
fn commit(
    by: &mut Flat,
    group: &GroupId,
    change: &Change<'_>,
) -> Result<(CommitBytes, Option<WelcomeBytes>), EngineError> {
    let staged = by.stage_commit(group, change)?;
    let publication = staged.publication();
    by.merge_staged(staged.published())?;
    Ok((publication.commit.clone(), publication.welcomes.for_invitee(0).cloned()))
}

fn reason<T>(outcome: Ingested<T>) -> Option<RejectReason> {
    match outcome {
        Ingested::Rejected(why) => Some(why.reason),
        _ => None,
    }
}

fn payload(
    reader: &mut Flat,
    group: &GroupId,
    message: &AppBytes,
) -> Result<Option<Vec<u8>>, EngineError> {
    Ok(reader.ingest_app(group, message)?.applied().map(|read| read.payload))
}

#[test]
fn a_removed_member_reads_what_is_late_and_can_be_invited_again() -> Outcome {
    let (id, [mut ada, mut ben, mut cy]) = group(["ada", "ben", "cy"])?;
    let late = ada.send(&id, b"late")?;
    let ben_as_listed = ada.members(&id)?.remove(1);
    let (removal, _) = commit(&mut ada, &id, &Change::Remove(&[ben_as_listed]))?;
    cy.ingest_commit(&id, &removal)?;
    assert_eq!(ben.ingest_commit(&id, &removal)?, Ingested::Removed);
    assert_eq!(ben.ingest_commit(&id, &removal)?, Ingested::Duplicate);
    assert_eq!(payload(&mut ben, &id, &late)?.as_deref(), Some(&b"late"[..]));
    let outside = ada.send(&id, b"without ben")?;
    assert_eq!(reason(ben.ingest_app(&id, &outside)?), Some(RejectReason::Misdirected));
    assert!(matches!(ben.stage_commit(&id, &Change::Update), Err(EngineError::Caller(_))));

    let key_package = ben.publish_key_package()?;
    let (addition, welcome) = commit(&mut cy, &id, &Change::Add(&[key_package]))?;
    ada.ingest_commit(&id, &addition)?;
    assert_eq!(ben.join_welcome(&welcome.unwrap())?, id);
    assert_eq!(ben.epoch_authenticator(&id)?, ada.epoch_authenticator(&id)?);
    assert_eq!(ben.members(&id)?, ada.members(&id)?);
    assert_eq!(ben.own_leaf(&id)?.0, 1, "the leftmost free leaf");
    Ok(())
}

#[test]
fn messages_are_read_within_the_window_only() -> Outcome {
    let (id, [mut ada, mut ben]) = group(["ada", "ben"])?;
    let mut sent = Vec::new();
    for number in 0..260_u32 {
        sent.push(ada.send(&id, &number.to_be_bytes())?);
    }
    assert_eq!(reason(ben.ingest_app(&id, &sent[129])?), Some(RejectReason::Invalid));
    assert!(payload(&mut ben, &id, &sent[128])?.is_some(), "as far ahead as it may be");
    assert!(payload(&mut ben, &id, &sent[1])?.is_some(), "as far behind as it may be");
    assert_eq!(ben.ingest_app(&id, &sent[0])?, Ingested::Stale);
    assert_eq!(ben.ingest_app(&id, &sent[1])?, Ingested::Duplicate);
    assert!(payload(&mut ben, &id, &sent[257])?.is_some());
    assert_eq!(ben.ingest_app(&id, &sent[127])?, Ingested::Stale);
    assert!(payload(&mut ben, &id, &sent[130])?.is_some());
    Ok(())
}

#[test]
fn five_past_epochs_are_read() -> Outcome {
    let (id, [mut ada, mut ben]) = group(["ada", "ben"])?;
    let (first, second) = (ada.send(&id, b"first")?, ada.send(&id, b"second")?);
    let mut update = |ben: &mut Flat| -> Result<CommitBytes, EngineError> {
        let (update, _) = commit(&mut ada, &id, &Change::Update)?;
        ben.ingest_commit(&id, &update)?;
        Ok(update)
    };
    let oldest = update(&mut ben)?;
    for _ in 1..5 {
        update(&mut ben)?;
    }
    assert_eq!(payload(&mut ben, &id, &first)?.as_deref(), Some(&b"first"[..]));
    assert_eq!(ben.ingest_commit(&id, &oldest)?, Ingested::Duplicate);
    update(&mut ben)?;
    assert_eq!(ben.ingest_app(&id, &second)?, Ingested::Stale);
    assert_eq!(ben.ingest_commit(&id, &oldest)?, Ingested::Stale);
    Ok(())
}

#[test]
fn a_snapshot_keeps_the_pending_commit_and_no_changed_bit() -> Outcome {
    let (id, [ada, mut ben]) = group(["ada", "ben"])?;
    let mut ada = ada;
    let staged = ada.stage_commit(&id, &Change::Update)?;
    let snapshot = ada.snapshot()?;
    drop(ada);
    let mut ada = Flat::restore(&snapshot)?;
    let bytes = staged.commit().clone();
    ada.merge_staged(staged.published())?;
    ben.ingest_commit(&id, &bytes)?;
    assert_eq!(ada.epoch_authenticator(&id)?, ben.epoch_authenticator(&id)?);

    for place in 0..snapshot.len() {
        let mut changed = snapshot.as_slice().to_vec();
        changed[place] ^= 1 << (place % 8);
        let restored = Flat::restore(&SnapshotBytes::new(changed));
        assert!(matches!(restored, Err(EngineError::Storage(_))), "byte {place}");
    }
    Ok(())
}

#[test]
fn a_welcome_is_authenticated_as_a_whole() -> Outcome {
    let mut ada = Flat::new_client("ada")?;
    let [mut ben, mut cy] = ["ben", "cy"].map(|name| Flat::new_client(name).unwrap());
    let founded = ada.create_group(&[ben.publish_key_package()?, cy.publish_key_package()?])?;
    let genuine = founded.welcomes.for_invitee(1).unwrap();
    for place in 0..genuine.len() {
        let mut changed = genuine.as_slice().to_vec();
        changed[place] ^= 1 << (place % 8);
        let joined = cy.join_welcome(&WelcomeBytes::new(changed));
        assert!(matches!(joined, Err(EngineError::Peer(_))), "byte {place}, part of it ben's");
    }
    cy.join_welcome(genuine)?;
    Ok(())
}

#[test]
fn members_are_added_once_and_removed_by_others() -> Outcome {
    let (id, [mut ada, mut ben]) = group(["ada", "ben"])?;
    let again = [ben.publish_key_package()?];
    let twice = ada.stage_commit(&id, &Change::Add(&again));
    assert!(matches!(twice, Err(EngineError::Peer(why)) if why.reason == RejectReason::Invalid));
    let one_key_package: KeyPackageBytes = Flat::new_client("cy")?.publish_key_package()?;
    let doubled = [one_key_package.clone(), one_key_package];
    assert!(matches!(ada.create_group(&doubled), Err(EngineError::Peer(_))));

    let [me, other]: [_; 2] = ada.members(&id)?.try_into().unwrap();
    let mut misnamed = other.clone();
    misnamed.identity = me.identity.clone();
    for nobody in [&[me][..], &[misnamed], &[]] {
        let removal = ada.stage_commit(&id, &Change::Remove(nobody));
        assert!(matches!(removal, Err(EngineError::Caller(_))), "{nobody:?}");
    }
    commit(&mut ada, &id, &Change::Remove(&[other]))?;
    Ok(())
}

#[test]
fn a_discarded_commit_that_was_sent_after_all_is_known_as_the_authors() -> Outcome {
    let (id, [mut ada, mut ben]) = group(["ada", "ben"])?;
    let staged = ada.stage_commit(&id, &Change::Update)?;
    let bytes = staged.commit().clone();
    ada.discard_staged(staged)?;
    assert_eq!(ada.ingest_commit(&id, &bytes)?, Ingested::Duplicate);
    assert_eq!(ben.ingest_commit(&id, &bytes)?.name(), "applied");
    Ok(())
}

#[test]
fn only_the_own_pending_commit_is_merged_or_discarded() -> Outcome {
    let (id, [mut ada, mut ben]) = group(["ada", "ben"])?;
    let mut copy = ada.fork()?;
    let own = ada.stage_commit(&id, &Change::Update)?;
    for other in [&mut ben, &mut copy] {
        let theirs = other.stage_commit(&id, &Change::Update)?.published();
        assert!(matches!(ada.merge_staged(theirs), Err(EngineError::Caller(_))));
    }
    let mut other = ben.fork()?;
    let bytes = own.commit().clone();
    other.ingest_commit(&id, &bytes)?;
    let theirs = other.stage_commit(&id, &Change::Update)?;
    assert!(matches!(ada.discard_staged(theirs), Err(EngineError::Caller(_))));
    ada.merge_staged(own.published())?;
    ben.ingest_commit(&id, &bytes)?;
    assert_eq!(ada.epoch_authenticator(&id)?, ben.epoch_authenticator(&id)?);
    Ok(())
}
