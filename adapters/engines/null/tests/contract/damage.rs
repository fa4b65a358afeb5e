//! `null` and damaged bytes: each is refused, nothing changes, and the genuine ones still work.

use adapter_null::Lie;
use engine_api::{
    AppBytes, Change, Client, CommitBytes, EngineError, Ingested, KeyPackageBytes, RejectReason,
    Rejection, WelcomeBytes,
};

use crate::scene::{ADA, BEN, Outcome, Scene, add, broken, null, welcome};

/// Every bit flipped, every truncation, and a byte too many.
pub(crate) fn every_damage_to(genuine: &[u8]) -> Vec<Vec<u8>> {
    let flipped = (0..genuine.len() * 8).map(|bit| {
        let mut bytes = genuine.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    });
    let truncated = (0..genuine.len()).map(|length| genuine[..length].to_vec());
    let mut damaged: Vec<_> = flipped.chain(truncated).collect();
    damaged.push([genuine, &[0]].concat());
    damaged
}

/// Gives all damage to `client`; all of it is refused for the right reasons and without a trace.
fn refuses(
    client: &mut Client,
    genuine: &[u8],
    mut give: impl FnMut(&mut Client, Vec<u8>) -> Option<Rejection>,
) -> Outcome {
    let before = client.snapshot()?;
    let mut reasons = Vec::new();
    for damaged in every_damage_to(genuine) {
        let shown = format!("{damaged:?}");
        let Some(why) = give(client, damaged) else {
            return Err(EngineError::internal(format_args!("accepted: {shown}")));
        };
        assert_eq!(client.snapshot()?.as_slice(), before.as_slice(), "after {shown}");
        reasons.push(why.reason);
    }
    assert!(reasons.contains(&RejectReason::Malformed));
    assert!(reasons.contains(&RejectReason::Unauthenticated));
    reasons.retain(|it| !matches!(it, RejectReason::Malformed | RejectReason::Unauthenticated));
    assert_eq!(reasons, []);
    Ok(())
}

fn rejection<T>(outcome: Outcome<Ingested<T>>) -> Option<Rejection> {
    match outcome {
        Ok(Ingested::Rejected(why)) => Some(why),
        _ => None,
    }
}

fn peers_fault<T>(result: Outcome<T>) -> Option<Rejection> {
    match result {
        Err(EngineError::Peer(why)) => Some(why),
        _ => None,
    }
}

#[test]
fn damaged_messages() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let genuine = scene.clients[ADA].send(&scene.group, b"genuine")?;
    let (ben, group) = (&mut scene.clients[BEN], &scene.group);
    refuses(ben, genuine.as_slice(), |ben, bytes| {
        rejection(ben.ingest_app(group, &AppBytes::new(bytes)))
    })?;
    let read = ben.ingest_app(group, &genuine)?.applied();
    assert_eq!(read.map(|read| read.payload).as_deref(), Some(&b"genuine"[..]));
    scene.is_well()
}

#[test]
fn damaged_commits() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let key_package = null().new_client("dan")?.publish_key_package()?;
    let members = [scene.member(2)?];
    let changes =
        [add(&key_package), Change::Rename("team"), Change::Update, Change::Remove(&members)];
    for change in changes {
        let (genuine, _) = scene.publish(ADA, &change)?;
        let (ben, group) = (&mut scene.clients[BEN], &scene.group);
        refuses(ben, genuine.as_slice(), |ben, bytes| {
            rejection(ben.ingest_commit(group, &CommitBytes::new(bytes)))
        })?;
        assert!(ben.ingest_commit(group, &genuine)?.applied().is_some());
        assert_eq!(scene.authenticator(BEN)?, scene.authenticator(ADA)?);
    }
    Ok(())
}

#[test]
fn damaged_welcomes() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let mut dan = null().new_client("dan")?;
    let key_package = dan.publish_key_package()?;
    let (_, welcomes) = scene.commit(ADA, &add(&key_package))?;
    let genuine = welcome(&welcomes, 0)?;
    refuses(&mut dan, genuine.as_slice(), |dan, bytes| {
        peers_fault(dan.join_welcome(&WelcomeBytes::new(bytes)))
    })?;
    dan.join_welcome(genuine)?;
    scene.clients.push(dan);
    scene.is_well()
}

#[test]
fn damaged_key_packages() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let genuine = null().new_client("dan")?.publish_key_package()?;
    let (ada, group) = (&mut scene.clients[ADA], &scene.group);
    refuses(ada, genuine.as_slice(), |ada, bytes| {
        let damaged = KeyPackageBytes::new(bytes);
        peers_fault(ada.create_group(std::slice::from_ref(&damaged)))?;
        peers_fault(ada.stage_commit(group, &add(&damaged)))
    })?;
    scene.commit(ADA, &add(&genuine))?;
    scene.is_well()
}

#[test]
fn one_kind_is_not_taken_for_another() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let message = scene.clients[ADA].send(&scene.group, b"a message")?.as_slice().to_vec();
    let (commit, _) = scene.publish(ADA, &Change::Update)?;
    let (ben, group) = (&mut scene.clients[BEN], &scene.group);
    let malformed = |why: Option<Rejection>| why.map(|why| why.reason);
    let as_app = ben.ingest_app(group, &AppBytes::new(commit.as_slice().to_vec()));
    assert_eq!(malformed(rejection(as_app)), Some(RejectReason::Malformed));
    let as_commit = ben.ingest_commit(group, &CommitBytes::new(message.clone()));
    assert_eq!(malformed(rejection(as_commit)), Some(RejectReason::Malformed));
    let as_welcome = ben.join_welcome(&WelcomeBytes::new(message.clone()));
    assert_eq!(malformed(peers_fault(as_welcome)), Some(RejectReason::Malformed));
    let as_key_package = ben.create_group(&[KeyPackageBytes::new(message)]);
    assert_eq!(malformed(peers_fault(as_key_package)), Some(RejectReason::Malformed));
    Ok(())
}

/// Whoever writes nonsense can get the checksum right. The engine that ignores checksums has the
/// same decoder, so what it survives, `null` survives.
#[test]
fn nonsense_with_the_right_checksum_does_no_more_than_it_says() -> Outcome {
    let engine = broken(Lie::AcceptsDamage)?;
    let mut scene = Scene::of(&engine)?;
    let mut dan = engine.new_client("dan")?;
    let key_package = dan.publish_key_package()?;
    let message = scene.clients[ADA].send(&scene.group, b"genuine")?;
    let (commit, welcomes) = scene.publish(ADA, &add(&key_package))?;
    let mut accepted = [0; 3];
    for bytes in every_damage_to(message.as_slice()) {
        let mut ben = engine.fork(&*scene.clients[BEN])?;
        let outcome = ben.ingest_app(&scene.group, &AppBytes::new(bytes))?;
        accepted[0] += usize::from(outcome.applied().is_some());
    }
    for bytes in every_damage_to(commit.as_slice()) {
        let mut ben = engine.fork(&*scene.clients[BEN])?;
        let outcome = ben.ingest_commit(&scene.group, &CommitBytes::new(bytes))?;
        accepted[1] += usize::from(outcome.applied().is_some());
    }
    for bytes in every_damage_to(welcome(&welcomes, 0)?.as_slice()) {
        let mut dan = engine.fork(&*dan)?;
        if let Ok(group) = dan.join_welcome(&WelcomeBytes::new(bytes)) {
            accepted[2] += 1;
            dan.send(&group, b"what am I in?")?;
            let staged = dan.stage_commit(&group, &Change::Update);
            assert!(matches!(staged, Ok(_) | Err(EngineError::Caller(_))));
        }
    }
    assert!(accepted.iter().all(|count| *count > 0), "{accepted:?}");
    Ok(())
}
