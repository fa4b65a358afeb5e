//! `null`: founding, sending, committing, staging.

use engine_api::{Change, EngineError, Epoch, Ingested, LeafIndex, Welcomes};

use crate::scene::{ADA, BEN, CLEO, Outcome, Scene, add, null, remove, shown, shown_as, welcome};

#[test]
fn a_group_of_one_is_in_epoch_0() -> Outcome {
    let mut ada = null().new_client("ada")?;
    let founded = ada.create_group(&[])?;
    assert!(matches!(founded.welcomes, Welcomes::None));
    assert_eq!(founded.published_commits, []);
    assert_eq!(ada.epoch(&founded.group)?, Epoch(0));
    assert_eq!(ada.own_leaf(&founded.group)?, LeafIndex(0));
    ada.send(&founded.group, b"hello, me")?;
    Ok(())
}

#[test]
fn invitees_join_in_epoch_1() -> Outcome {
    let mut scene = Scene::of(&null())?;
    for (index, client) in (0..).zip(&scene.clients) {
        assert_eq!(client.epoch(&scene.group)?, Epoch(1));
        assert_eq!(client.own_leaf(&scene.group)?, LeafIndex(index));
    }
    assert_eq!(scene.members(CLEO)?, "0:ada 1:ben 2:cleo");
    scene.is_well()
}

#[test]
fn two_groups_have_nothing_in_common() -> Outcome {
    let (one, other) = (Scene::of(&null())?, Scene::of(&null())?);
    assert_ne!(one.group, other.group);
    assert_ne!(one.authenticator(ADA)?, other.authenticator(ADA)?);
    Ok(())
}

#[test]
fn an_identity_is_in_a_group_once() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let mut twin = null().new_client("twin")?;
    let mut other = null().new_client("twin")?;
    let twins = [twin.publish_key_package()?, other.publish_key_package()?];
    assert_eq!(shown_as("founded", twin.create_group(&twins[1..])), "invalid");
    let mut host = null().new_client("host")?;
    assert_eq!(shown_as("founded", host.create_group(&twins)), "invalid");
    let ben = scene.clients[BEN].publish_key_package()?;
    let staged = scene.clients[ADA].stage_commit(&scene.group, &add(&ben));
    assert_eq!(shown_as("staged", staged), "invalid");
    scene.is_well()
}

#[test]
fn a_welcome_is_for_the_invited_and_for_once() -> Outcome {
    let mut ada = null().new_client("ada")?;
    let mut ben = null().new_client("ben")?;
    let mut eve = null().new_client("eve")?;
    eve.publish_key_package()?;
    let founded = ada.create_group(&[ben.publish_key_package()?])?;
    let welcome = welcome(&founded.welcomes, 0)?;
    assert_eq!(shown_as("joined", eve.join_welcome(welcome)), "misdirected");
    assert_eq!(shown_as("joined", ben.join_welcome(welcome)), "joined");
    assert_eq!(shown_as("joined", ben.join_welcome(welcome)), "misdirected");
    assert_eq!(ben.epoch_authenticator(&founded.group)?, ada.epoch_authenticator(&founded.group)?);
    Ok(())
}

#[test]
fn payloads_of_all_sizes_arrive() -> Outcome {
    let mut scene = Scene::of(&null())?;
    for size in [0, 1, 7, 8, 9, 1000, 1 << 20] {
        let payload = vec![0xa5; size];
        let message = scene.clients[CLEO].send(&scene.group, &payload)?;
        let read = scene.clients[ADA].ingest_app(&scene.group, &message)?.applied();
        assert_eq!(read.map(|read| read.payload), Some(payload));
    }
    Ok(())
}

#[test]
fn messages_are_delivered_once_in_any_order() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let mut sent = Vec::new();
    for payload in [b"0", b"1", b"2", b"3"] {
        sent.push(scene.clients[ADA].send(&scene.group, payload)?);
    }
    for turn in [3, 0, 2, 1] {
        let ingested = scene.clients[BEN].ingest_app(&scene.group, &sent[turn]);
        assert_eq!(shown(ingested), "applied", "message {turn}");
        let again = scene.clients[BEN].ingest_app(&scene.group, &sent[turn]);
        assert_eq!(shown(again), "duplicate", "message {turn} again");
    }
    let echo = scene.clients[ADA].ingest_app(&scene.group, &sent[0]);
    assert_eq!(shown(echo), "duplicate");
    Ok(())
}

#[test]
fn messages_of_five_past_epochs_are_delivered() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let mut sent = Vec::new();
    for _ in 0..7 {
        sent.push(scene.clients[ADA].send(&scene.group, b"late")?);
        scene.commit(BEN, &Change::Update)?;
    }
    let outcomes: Vec<_> = sent
        .iter()
        .map(|message| shown(scene.clients[CLEO].ingest_app(&scene.group, message)))
        .collect();
    assert_eq!(outcomes[..2], ["stale"; 2]);
    assert_eq!(outcomes[2..], ["applied"; 5]);
    let again = scene.clients[CLEO].ingest_app(&scene.group, &sent[4]);
    assert_eq!(shown(again), "duplicate");
    scene.is_well()
}

#[test]
fn what_is_early_is_asked_for_again() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let (first, _) = scene.publish(ADA, &Change::Update)?;
    let message = scene.clients[ADA].send(&scene.group, b"early")?;
    let (second, _) = scene.publish(ADA, &Change::Update)?;
    let (ben, group) = (&mut scene.clients[BEN], &scene.group);
    assert_eq!(shown(ben.ingest_app(group, &message)), "retry-later");
    assert_eq!(shown(ben.ingest_commit(group, &second)), "retry-later");
    assert_eq!(ben.ingest_commit(group, &first)?, Ingested::Applied(Epoch(2)));
    assert_eq!(shown(ben.ingest_app(group, &message)), "applied");
    assert_eq!(ben.ingest_commit(group, &second)?, Ingested::Applied(Epoch(3)));
    assert_eq!(scene.authenticator(BEN)?, scene.authenticator(ADA)?);
    Ok(())
}

#[test]
fn every_change_moves_everybody_on() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let mut seen = vec![scene.authenticator(ADA)?];
    let changes = [Change::Update, Change::Update, Change::Rename("team"), Change::Rename("")];
    for (turn, change) in changes.iter().enumerate() {
        scene.commit(turn % 3, change)?;
        scene.is_well()?;
        assert!(!seen.contains(&scene.authenticator(ADA)?), "{change:?}");
        seen.push(scene.authenticator(ADA)?);
    }
    assert_eq!(scene.epoch(ADA)?, 5);
    scene.add(CLEO, "dan")?;
    scene.is_well()?;
    assert_eq!(scene.members(BEN)?, "0:ada 1:ben 2:cleo 3:dan");
    Ok(())
}

#[test]
fn a_name_travels_in_commits_and_welcomes() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let stored = |scene: &Scene, of: usize| scene.clients[of].encoded_sizes(&scene.group);
    let before = stored(&scene, BEN)?.stored_state;
    scene.commit(ADA, &Change::Rename("team"))?;
    let after = stored(&scene, BEN)?.stored_state;
    // Four letters, and the authenticator of one past epoch.
    assert_eq!(after, before.map(|before| before + 4 + 8));
    scene.add(ADA, "dan")?;
    scene.add(ADA, "eve")?;
    let sizes = (stored(&scene, 3)?.stored_state, stored(&scene, 4)?.stored_state);
    // Dan remembers one past epoch, Eve none.
    assert_eq!(sizes.0, sizes.1.map(|size| size + 8));
    Ok(())
}

#[test]
fn new_members_take_the_leftmost_vacancies() -> Outcome {
    let mut scene = Scene::of(&null())?;
    scene.add(ADA, "dan")?;
    for name in ["ben", "dan"] {
        let members = scene.clients[ADA].members(&scene.group)?;
        let member = members.into_iter().find(|it| it.identity.as_slice() == name.as_bytes());
        let member = member.ok_or_else(|| EngineError::internal(name))?;
        scene.commit(ADA, &remove(&member))?;
        scene.clients.retain(|client| client.identity() != member.identity);
    }
    let mut joiners = [null().new_client("eve")?, null().new_client("fay")?];
    let key_packages = [joiners[0].publish_key_package()?, joiners[1].publish_key_package()?];
    let (_, welcomes) = scene.commit(BEN, &Change::Add(&key_packages))?;
    for (index, joiner) in joiners.iter_mut().enumerate() {
        joiner.join_welcome(welcome(&welcomes, index)?)?;
    }
    scene.clients.extend(joiners);
    assert_eq!(scene.members(ADA)?, "0:ada 1:eve 2:cleo 3:fay");
    scene.is_well()
}

#[test]
fn a_repeated_commit_is_a_duplicate_while_it_is_remembered() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let (commit, _) = scene.commit(ADA, &Change::Update)?;
    let repeat = |scene: &mut Scene, to: usize| {
        shown(scene.clients[to].ingest_commit(&scene.group, &commit))
    };
    assert_eq!(repeat(&mut scene, BEN), "duplicate");
    assert_eq!(repeat(&mut scene, ADA), "duplicate");
    for _ in 0..4 {
        scene.commit(BEN, &Change::Update)?;
    }
    assert_eq!(repeat(&mut scene, CLEO), "duplicate");
    scene.commit(BEN, &Change::Update)?;
    assert_eq!(repeat(&mut scene, CLEO), "stale");
    scene.is_well()
}

#[test]
fn staging_and_discarding_change_nothing() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let mut dan = null().new_client("dan")?;
    let key_package = dan.publish_key_package()?;
    let before = scene.authenticator(ADA)?;
    let staged = scene.clients[ADA].stage_commit(&scene.group, &add(&key_package))?;
    assert_eq!((staged.base(), staged.group()), (Epoch(1), &scene.group));
    let commit = staged.commit().clone();
    let echo = scene.clients[ADA].ingest_commit(&scene.group, &commit);
    assert_eq!(shown(echo), "duplicate");
    scene.is_well()?;
    assert_eq!(scene.authenticator(ADA)?, before);
    let second = scene.clients[ADA].stage_commit(&scene.group, &Change::Update);
    assert_eq!(shown_as("staged", second), "caller");
    scene.clients[ADA].discard_staged(staged.published().refused())?;
    scene.is_well()?;
    assert_eq!(scene.authenticator(ADA)?, before);
    scene.commit(ADA, &Change::Update)?;
    scene.is_well()
}

#[test]
fn another_commit_supersedes_the_staged_one() -> Outcome {
    let mut scene = Scene::of(&null())?;
    for merge in [true, false] {
        let lost = scene.clients[ADA].stage_commit(&scene.group, &Change::Update)?;
        let late = lost.commit().clone();
        scene.commit(BEN, &Change::Update)?;
        let ended = if merge {
            scene.clients[ADA].merge_staged(lost.published()).map(|_| ())
        } else {
            scene.clients[ADA].discard_staged(lost)
        };
        assert_eq!(shown_as("ended", ended), "caller");
        let outcome = scene.clients[CLEO].ingest_commit(&scene.group, &late);
        assert_eq!(shown(outcome), "stale");
        scene.is_well()?;
    }
    Ok(())
}

#[test]
fn a_commit_is_merged_by_its_author() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let staged = scene.clients[ADA].stage_commit(&scene.group, &Change::Update)?;
    let other = scene.clients[BEN].stage_commit(&scene.group, &Change::Update)?;
    let merged = scene.clients[BEN].merge_staged(staged.published());
    assert_eq!(shown_as("merged", merged), "caller");
    assert_eq!(scene.clients[BEN].merge_staged(other.published())?, Epoch(2));
    Ok(())
}

#[test]
fn branches_do_not_hear_each_other() -> Outcome {
    let mut scene = Scene::of(&null())?;
    scene.publish(ADA, &Change::Update)?;
    let (commit, _) = scene.publish(BEN, &Change::Update)?;
    let outcome = scene.clients[CLEO].ingest_commit(&scene.group, &commit);
    assert_eq!(shown(outcome), "applied");
    assert_eq!(scene.authenticator(BEN)?, scene.authenticator(CLEO)?);
    assert_ne!(scene.authenticator(BEN)?, scene.authenticator(ADA)?);
    assert_eq!(scene.say(ADA, BEN, b"hello?")?, "unauthenticated");
    let (commit, _) = scene.publish(ADA, &Change::Update)?;
    scene.publish(BEN, &Change::Update)?;
    let outcome = scene.clients[BEN].ingest_commit(&scene.group, &commit);
    assert_eq!(shown(outcome), "unauthenticated");
    Ok(())
}

#[test]
fn what_is_for_another_group_is_refused() -> Outcome {
    let (mut scene, mut other) = (Scene::of(&null())?, Scene::of(&null())?);
    let message = other.clients[ADA].send(&other.group, b"for others")?;
    let (commit, _) = other.publish(ADA, &Change::Update)?;
    let (ben, group) = (&mut scene.clients[BEN], &scene.group);
    assert_eq!(shown(ben.ingest_app(group, &message)), "misdirected");
    assert_eq!(shown(ben.ingest_commit(group, &commit)), "misdirected");
    assert_eq!(shown(ben.ingest_app(&other.group, &message)), "caller");
    assert_eq!(shown(ben.ingest_commit(&other.group, &commit)), "caller");
    assert_eq!(shown_as("sent", ben.send(&other.group, b"")), "caller");
    assert_eq!(shown_as("known", ben.members(&other.group)), "caller");
    assert_eq!(shown_as("known", ben.encoded_sizes(&other.group)), "caller");
    scene.is_well()
}

#[test]
fn a_newcomer_has_no_past() -> Outcome {
    let mut scene = Scene::of(&null())?;
    let message = scene.clients[ADA].send(&scene.group, b"among us three")?;
    let commit = scene.add(ADA, "dan")?;
    let dan = &mut scene.clients[3];
    assert_eq!(shown(dan.ingest_app(&scene.group, &message)), "stale");
    assert_eq!(shown(dan.ingest_commit(&scene.group, &commit)), "stale");
    scene.is_well()
}
