//! `null`: forks and snapshots.

use engine_api::{Change, EngineError, GroupId, SnapshotBytes};

use crate::scene::{ADA, BEN, CLEO, Outcome, Scene, null, remove, shown, shown_as, welcome};

/// A client with everything that a client can have: a past, gaps, someone who left, something
/// staged, an unused key package, a group that it was removed from.
fn eventful() -> Outcome<Scene> {
    let mut scene = Scene::of(&null())?;
    scene.commit(ADA, &Change::Rename("team"))?;
    scene.add(BEN, "dan")?;
    let dan = scene.member(3)?;
    for _ in 0..4 {
        let skipped = scene.clients[CLEO].send(&scene.group, b"never arrives")?;
        drop(skipped);
        scene.say(CLEO, BEN, b"arrives")?;
        scene.say(3, BEN, b"arrives")?;
    }
    scene.commit(ADA, &remove(&dan))?;
    scene.clients.truncate(3);
    leave_a_group(&mut scene)?;
    scene.clients[BEN].publish_key_package()?;
    Ok(scene)
}

fn leave_a_group(scene: &mut Scene) -> Outcome<GroupId> {
    let key_package = scene.clients[BEN].publish_key_package()?;
    let mut host = null().new_client("host")?;
    let founded = host.create_group(&[key_package])?;
    scene.clients[BEN].join_welcome(welcome(&founded.welcomes, 0)?)?;
    let members = host.members(&founded.group)?;
    let staged = host.stage_commit(&founded.group, &Change::Remove(&members[1..]))?;
    let told = scene.clients[BEN].ingest_commit(&founded.group, staged.commit());
    assert_eq!(shown(told), "removed");
    Ok(founded.group)
}

#[test]
fn a_fork_lives_its_own_life() -> Outcome {
    let mut scene = eventful()?;
    let untouched = scene.clients[BEN].snapshot()?;
    let mut fork = scene.engine.fork(&*scene.clients[BEN])?;
    assert_eq!(fork.snapshot()?.as_slice(), untouched.as_slice());

    let staged = fork.stage_commit(&scene.group, &Change::Update)?;
    fork.merge_staged(staged.published())?;
    fork.send(&scene.group, b"of the fork")?;
    fork.publish_key_package()?;
    assert_eq!(scene.clients[BEN].snapshot()?.as_slice(), untouched.as_slice());

    let changed = fork.snapshot()?;
    scene.commit(ADA, &Change::Update)?;
    scene.is_well()?;
    assert_eq!(fork.snapshot()?.as_slice(), changed.as_slice());
    Ok(())
}

#[test]
fn a_fork_hears_what_the_original_hears() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let fork = scene.engine.fork(&*scene.clients[BEN])?;
    let message = scene.clients[ADA].send(&scene.group, b"for both")?;
    scene.clients.push(fork);
    for to in [BEN, 3] {
        let outcome = scene.clients[to].ingest_app(&scene.group, &message);
        assert_eq!(shown(outcome), "applied");
    }
    Ok(())
}

#[test]
fn another_engines_client_is_not_forked() -> Outcome {
    let stranger = adapter_null::broken()[0].new_client("stranger")?;
    assert_eq!(shown_as("forked", null().fork(&*stranger)), "caller");
    Ok(())
}

#[test]
fn a_restored_client_goes_on() -> Outcome {
    let mut scene = eventful()?;
    let received = scene.clients[ADA].send(&scene.group, b"once")?;
    scene.clients[BEN].ingest_app(&scene.group, &received)?;
    let snapshot = scene.clients[BEN].snapshot()?;
    let restored = scene.engine.restore(&snapshot)?;
    assert_eq!(restored.snapshot()?.as_slice(), snapshot.as_slice());
    assert_eq!(restored.identity(), scene.clients[BEN].identity());
    scene.clients[BEN] = restored;
    let again = scene.clients[BEN].ingest_app(&scene.group, &received);
    assert_eq!(shown(again), "duplicate");
    scene.is_well()?;
    scene.commit(BEN, &Change::Update)?;
    scene.is_well()
}

#[test]
fn a_staged_commit_is_stored_too() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let staged = scene.clients[BEN].stage_commit(&scene.group, &Change::Rename("team"))?;
    let commit = staged.commit().clone();
    let restored = scene.engine.restore(&scene.clients[BEN].snapshot()?)?;
    scene.clients[BEN] = restored;
    let second = scene.clients[BEN].stage_commit(&scene.group, &Change::Update);
    assert_eq!(shown_as("staged", second), "caller");
    scene.clients[BEN].merge_staged(staged.published())?;
    for to in [ADA, CLEO] {
        scene.clients[to].ingest_commit(&scene.group, &commit)?;
    }
    scene.is_well()
}

#[test]
fn an_unused_key_package_is_stored_too() -> Outcome {
    let mut ada = null().new_client("ada")?;
    let mut ben = null().new_client("ben")?;
    let founded = ada.create_group(&[ben.publish_key_package()?])?;
    let mut restored = null().restore(&ben.snapshot()?)?;
    restored.join_welcome(welcome(&founded.welcomes, 0)?)?;
    Ok(())
}

#[test]
fn the_stored_size_is_what_a_snapshot_grows_by() -> Outcome {
    let mut ada = null().new_client("ada")?;
    let before = ada.snapshot()?.len();
    let group = ada.create_group(&[])?.group;
    let sizes = ada.encoded_sizes(&group)?;
    assert_eq!(sizes.stored_state, Some(ada.snapshot()?.len() - before));
    assert_eq!(sizes.ratchet_tree, None);
    Ok(())
}

#[test]
fn a_damaged_snapshot_is_refused() -> Outcome {
    let scene = eventful()?;
    let snapshot = scene.clients[BEN].snapshot()?;
    for damaged in crate::damage::every_damage_to(snapshot.as_slice()) {
        let restored = scene.engine.restore(&SnapshotBytes::new(damaged));
        assert!(matches!(restored.err(), Some(EngineError::Storage(_))));
    }
    Ok(())
}
