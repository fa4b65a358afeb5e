//! `null`: who may remove whom, and what the removed can still do.

use adapter_null::Lie;
use engine_api::{Change, Identity, Ingested, LeafIndex, Member};

use crate::scene::{
    ADA, BEN, CLEO, Outcome, Scene, add, broken, null, remove, shown, shown_as, welcome,
};

#[test]
fn the_removed_is_told_and_is_out() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let member = scene.member(BEN)?;
    let state = (scene.epoch(BEN)?, scene.authenticator(BEN)?, scene.members(BEN)?);
    let (commit, _) = scene.publish(CLEO, &remove(&member))?;
    let message = scene.clients[CLEO].send(&scene.group, b"without Ben")?;
    let (ben, group) = (&mut scene.clients[BEN], &scene.group);
    assert_eq!(ben.ingest_commit(group, &commit)?, Ingested::Removed);
    assert_eq!(shown_as("sent", ben.send(group, b"still here")), "caller");
    assert_eq!(shown_as("staged", ben.stage_commit(group, &Change::Update)), "caller");
    assert_eq!(shown(ben.ingest_app(group, &message)), "caller");
    assert_eq!(shown(ben.ingest_commit(group, &commit)), "caller");
    let last_seen = (scene.epoch(BEN)?, scene.authenticator(BEN)?, scene.members(BEN)?);
    assert_eq!(last_seen, state);
    scene.clients.remove(BEN);
    scene.clients[ADA].ingest_commit(&scene.group, &commit)?;
    assert_eq!(scene.members(ADA)?, "0:ada 2:cleo");
    scene.is_well()
}

#[test]
fn a_removed_clients_staged_commit_is_gone() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let staged = scene.clients[BEN].stage_commit(&scene.group, &Change::Update)?;
    let member = scene.member(BEN)?;
    scene.commit(ADA, &remove(&member))?;
    let merged = scene.clients[BEN].merge_staged(staged.published());
    assert_eq!(shown_as("merged", merged), "caller");
    Ok(())
}

#[test]
fn the_removed_may_come_back() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let member = scene.member(BEN)?;
    scene.commit(ADA, &remove(&member))?;
    let key_package = scene.clients[BEN].publish_key_package()?;
    let (_, welcomes) = scene.publish(ADA, &add(&key_package))?;
    scene.clients[BEN].join_welcome(welcome(&welcomes, 0)?)?;
    scene.clients.remove(CLEO);
    scene.is_well()
}

#[test]
fn several_are_removed_at_once() -> Outcome {
    let mut scene = Scene::of(&null())?;
    scene.add(ADA, "dan")?;
    let leavers = [scene.member(3)?, scene.member(ADA)?, scene.member(CLEO)?];
    let (commit, _) = scene.publish(BEN, &Change::Remove(&leavers))?;
    for out in [ADA, CLEO, 3] {
        let outcome = scene.clients[out].ingest_commit(&scene.group, &commit);
        assert_eq!(shown(outcome), "removed");
    }
    assert_eq!(scene.members(BEN)?, "1:ben");
    Ok(())
}

#[test]
fn what_cannot_be_removed_is_the_callers_fault() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let (ada, ben) = (scene.member(ADA)?, scene.member(BEN)?);
    let stranger = Member { leaf: LeafIndex(7), identity: Identity::new(b"eve".to_vec()) };
    let misnamed = Member { leaf: ben.leaf, identity: ada.identity.clone() };
    let attempts: [&[Member]; 5] =
        [std::slice::from_ref(&ada), &[stranger], &[misnamed], &[ben.clone(), ben.clone()], &[]];
    for members in attempts {
        let staged = scene.clients[ADA].stage_commit(&scene.group, &Change::Remove(members));
        assert_eq!(shown_as("staged", staged), "caller", "{members:?}");
    }
    let nobody = scene.clients[ADA].stage_commit(&scene.group, &Change::Add(&[]));
    assert_eq!(shown_as("staged", nobody), "caller");
    scene.commit(ADA, &remove(&ben))?;
    let again = scene.clients[ADA].stage_commit(&scene.group, &remove(&ben));
    assert_eq!(shown_as("staged", again), "caller");
    Ok(())
}

#[test]
fn late_messages_are_those_of_who_sat_there_then() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let member = scene.member(BEN)?;
    let late = scene.clients[BEN].send(&scene.group, b"before I go")?;
    scene.commit(ADA, &remove(&member))?;
    scene.clients.remove(BEN);
    scene.add(ADA, "dan")?;
    assert_eq!(scene.members(ADA)?, "0:ada 1:dan 2:cleo");
    let heir = scene.clients[2].send(&scene.group, b"my first")?;
    for (message, sender) in [(&late, "ben"), (&heir, "dan")] {
        let read = scene.clients[ADA].ingest_app(&scene.group, message)?.applied();
        let sender = Identity::new(sender.into());
        assert_eq!(read.map(|read| read.sender), Some(sender));
        let again = scene.clients[ADA].ingest_app(&scene.group, message);
        assert_eq!(shown(again), "duplicate");
    }
    Ok(())
}

#[test]
fn one_who_does_not_leave_is_not_heard() -> Outcome {
    let stubborn = broken(Lie::KeepsRemoved)?;
    let mut scene = Scene::with(&[("ada", null()), ("ben", stubborn), ("cleo", null())])?;
    let member = scene.member(BEN)?;
    scene.commit(ADA, &remove(&member))?;
    assert_eq!(scene.authenticator(BEN)?, scene.authenticator(ADA)?);
    assert_eq!(scene.say(BEN, CLEO, b"still here")?, "forbidden");
    let staged = scene.clients[BEN].stage_commit(&scene.group, &Change::Update)?;
    let outcome = scene.clients[CLEO].ingest_commit(&scene.group, staged.commit());
    assert_eq!(shown(outcome), "forbidden");
    scene.clients.remove(BEN);
    scene.is_well()
}
