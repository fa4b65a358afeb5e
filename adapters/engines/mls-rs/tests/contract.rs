//! The contract, on both configurations.

mod common;
mod damage;
mod post_quantum;

use common::{Trio, applied, both, commit, commits, reason, state};
use engine_api::{
    AppBytes, Change, CommitBytes, EngineError, Epoch, GroupId, Ingested, LeafIndex, RejectReason,
    Welcomes, WireProfile,
};
use mls_rs::{CryptoProvider, MlsMessage, WireFormat};
use mls_rs_crypto_awslc::AwsLcCryptoProvider;
use mls_rs_crypto_rustcrypto::RustCryptoProvider;

#[test]
fn descriptions_name_what_is_used() {
    let described: Vec<_> =
        adapter_mls_rs::engines().iter().map(|engine| engine.describe()).collect();
    let names: Vec<_> = described.iter().map(|it| it.name).collect();
    assert_eq!(names, ["mls-rs/aws-lc", "mls-rs/rustcrypto"]);
    let offered = [
        AwsLcCryptoProvider::supported_classical_cipher_suites(),
        RustCryptoProvider::default().supported_cipher_suites(),
    ];
    let own =
        [("mls-rs-crypto-awslc", "aws-lc-rs"), ("mls-rs-crypto-rustcrypto", "curve25519-dalek")];
    for (index, description) in described.iter().enumerate() {
        assert_eq!(description.wire_profile, WireProfile::Mls);
        assert_eq!(description.cipher_suites[0].0, 1);
        let mut suites: Vec<u16> = description.cipher_suites.iter().map(|it| it.0).collect();
        let mut provided: Vec<u16> = offered[index].iter().map(|it| u16::from(*it)).collect();
        suites.sort_unstable();
        provided.sort_unstable();
        assert_eq!(suites, provided, "{}", description.name);
        let packages: Vec<_> = description.packages.iter().map(|it| it.name).collect();
        assert!(packages.contains(&own[index].0) && packages.contains(&own[index].1));
        assert!(!packages.contains(&own[1 - index].0));
        assert!(packages.contains(&"mls-rs"));
    }
}

#[test]
fn three_clients_agree_and_read_each_other() {
    both(|engine| {
        let mut trio = Trio::new(engine);
        assert_eq!(trio.agreed().0, Epoch(1));
        let members = trio.a.members(&trio.group).unwrap();
        let names: Vec<_> = members.iter().map(|it| it.identity.as_slice()).collect();
        assert_eq!(names, [b"a", b"b", b"c"]);
        assert_eq!(trio.c.own_leaf(&trio.group).unwrap(), LeafIndex(2));
        let message = trio.b.send(&trio.group, b"hello").unwrap();
        for reader in [&mut trio.a, &mut trio.c] {
            let read = applied(reader.ingest_app(&trio.group, &message));
            assert_eq!(read.sender.as_slice(), b"b");
            assert_eq!(read.payload, b"hello");
        }
        let sizes = trio.a.encoded_sizes(&trio.group).unwrap();
        assert!(sizes.ratchet_tree > Some(500) && sizes.stored_state > sizes.ratchet_tree);
    });
}

#[test]
fn the_two_configurations_read_each_other() {
    let engines = adapter_mls_rs::engines();
    for (founder, joiner) in [(0, 1), (1, 0)] {
        let mut a = engines[founder].new_client("a").unwrap();
        let mut b = engines[joiner].new_client("b").unwrap();
        let key_package = b.publish_key_package().unwrap();
        let founded = a.create_group(&[key_package]).unwrap();
        let welcome = founded.welcomes.for_invitee(0).unwrap();
        let group = b.join_welcome(welcome).unwrap();
        let update = commit(&mut b, &group, &Change::Update);
        applied(a.ingest_commit(&group, &update.commit));
        assert_eq!(state(&a, &group), state(&b, &group));
        let message = a.send(&group, b"hello").unwrap();
        assert_eq!(applied(b.ingest_app(&group, &message)).payload, b"hello");
    }
}

#[test]
fn bytes_have_the_shape_of_the_profile() {
    both(|engine| {
        let mut trio = Trio::new(engine);
        let format = |bytes: &[u8]| MlsMessage::from_bytes(bytes).unwrap().wire_format();
        let mut d = engine.new_client("d").unwrap();
        let mut e = engine.new_client("e").unwrap();
        let key_packages = [d.publish_key_package().unwrap(), e.publish_key_package().unwrap()];
        assert_eq!(format(key_packages[0].as_slice()), WireFormat::KeyPackage);
        let add = commit(&mut trio.a, &trio.group, &Change::Add(&key_packages));
        assert_eq!(format(add.commit.as_slice()), WireFormat::PrivateMessage);
        let Welcomes::Shared(welcome) = &add.welcomes else {
            panic!("{:?}", add.welcomes);
        };
        assert_eq!(format(welcome.as_slice()), WireFormat::Welcome);
        d.join_welcome(welcome).unwrap();
        e.join_welcome(welcome).unwrap();
        let [one, two] = [b"1".as_slice(), b"22"].map(|it| trio.a.send(&trio.group, it).unwrap());
        assert_eq!(format(one.as_slice()), WireFormat::PrivateMessage);
        assert_eq!(one.len() + 1, two.len(), "padded");
    });
}

#[test]
fn any_member_adds_updates_and_removes() {
    both(|engine| {
        let mut trio = Trio::new(engine);
        let group = trio.group.clone();
        let mut d = engine.new_client("d").unwrap();
        let key_package = d.publish_key_package().unwrap();
        let add = commit(&mut trio.b, &group, &Change::Add(&[key_package]));
        for other in [&mut trio.a, &mut trio.c] {
            assert_eq!(applied(other.ingest_commit(&group, &add.commit)), Epoch(2));
        }
        d.join_welcome(add.welcomes.for_invitee(0).unwrap()).unwrap();
        assert_eq!(state(&d, &group), trio.agreed());

        let update = commit(&mut d, &group, &Change::Update);
        trio.all_ingest(&update.commit);
        assert_eq!(state(&d, &group), trio.agreed());

        let b = trio.a.members(&group).unwrap().remove(1);
        let remove = commit(&mut trio.c, &group, &Change::Remove(&[b]));
        applied(trio.a.ingest_commit(&group, &remove.commit));
        applied(d.ingest_commit(&group, &remove.commit));
        assert_eq!(state(&d, &group), state(&trio.a, &group));
        assert_eq!(state(&d, &group), state(&trio.c, &group));
        assert_eq!(d.members(&group).unwrap().len(), 3);
    });
}

#[test]
fn a_removed_member_is_told_and_out_and_may_come_back() {
    both(|engine| {
        let mut trio = Trio::new(engine);
        let group = trio.group.clone();
        let c = trio.a.members(&group).unwrap().remove(2);
        let remove = commit(&mut trio.a, &group, &Change::Remove(&[c]));
        applied(trio.b.ingest_commit(&group, &remove.commit));
        let told = trio.c.ingest_commit(&group, &remove.commit).unwrap();
        assert_eq!(told, Ingested::Removed);
        let message = trio.a.send(&group, b"without c").unwrap();
        assert!(matches!(trio.c.send(&group, b"?"), Err(EngineError::Caller(_))));
        assert!(matches!(trio.c.ingest_app(&group, &message), Err(EngineError::Caller(_))));

        let key_package = trio.c.publish_key_package().unwrap();
        let add = commit(&mut trio.b, &group, &Change::Add(&[key_package]));
        applied(trio.a.ingest_commit(&group, &add.commit));
        let welcome = add.welcomes.for_invitee(0).unwrap();
        assert_eq!(trio.c.join_welcome(welcome).unwrap(), group);
        trio.agreed();
    });
}

#[test]
fn staging_changes_nothing_and_discarding_leaves_no_trace() {
    both(|engine| {
        let mut trio = Trio::new(engine);
        let group = trio.group.clone();
        let before = trio.agreed();
        let staged = trio.a.stage_commit(&group, &Change::Update).unwrap();
        assert_eq!(state(&trio.a, &group), before);
        assert!(matches!(
            trio.a.stage_commit(&group, &Change::Update),
            Err(EngineError::Caller(_))
        ));
        trio.a.discard_staged(staged).unwrap();
        assert_eq!(state(&trio.a, &group), before);

        let update = commit(&mut trio.a, &group, &Change::Update);
        applied(trio.b.ingest_commit(&group, &update.commit));
        applied(trio.c.ingest_commit(&group, &update.commit));
        assert_eq!(trio.agreed().0, Epoch(2));
    });
}

#[test]
fn a_commit_that_lost_its_epoch_cannot_be_merged() {
    both(|engine| {
        let mut trio = Trio::new(engine);
        let group = trio.group.clone();
        let lost = trio.a.stage_commit(&group, &Change::Update).unwrap();
        let stray = engine.fork(&*trio.a).unwrap();
        let won = commit(&mut trio.b, &group, &Change::Update);
        applied(trio.a.ingest_commit(&group, &won.commit));
        applied(trio.c.ingest_commit(&group, &won.commit));
        let merged = trio.a.merge_staged(lost.published());
        assert!(matches!(merged, Err(EngineError::Caller(_))));
        trio.agreed();

        // No two stages have one number, so a handle fits no other commit.
        let mut stray = stray;
        let old = trio.a.stage_commit(&group, &Change::Update).unwrap();
        let refused = stray.discard_staged(old);
        assert!(matches!(refused, Err(EngineError::Caller(_))));
    });
}

#[test]
fn only_the_own_staged_commit_can_be_merged_or_discarded() {
    both(|engine| {
        let mut trio = Trio::new(engine);
        let group = trio.group.clone();
        let before = trio.agreed();
        let mut copy = engine.fork(&*trio.a).unwrap();
        let mut restored = engine.restore(&trio.a.snapshot().unwrap()).unwrap();
        let own = trio.a.stage_commit(&group, &Change::Update).unwrap();
        for other in [&mut trio.b, &mut copy, &mut restored] {
            let theirs = other.stage_commit(&group, &Change::Update).unwrap();
            let merged = trio.a.merge_staged(theirs.published());
            assert!(matches!(merged, Err(EngineError::Caller(_))), "{merged:?}");
        }
        let theirs = trio.c.stage_commit(&group, &Change::Update).unwrap();
        let discarded = trio.a.discard_staged(theirs);
        assert!(matches!(discarded, Err(EngineError::Caller(_))), "{discarded:?}");
        assert_eq!(state(&trio.a, &group), before);
        assert_eq!(trio.a.merge_staged(own.published()).unwrap(), Epoch(2));
    });
}

#[test]
fn a_refused_commit_of_a_peer_supersedes_nothing() {
    both(|engine| {
        let mut trio = Trio::new(engine);
        let group = trio.group.clone();
        let staged = trio.a.stage_commit(&group, &Change::Update).unwrap();
        let publication = staged.publication();
        let theirs = commit(&mut trio.b, &group, &Change::Update);
        let mut bytes = theirs.commit.as_slice().to_vec();
        *bytes.last_mut().unwrap() ^= 1;
        let refused = trio.a.ingest_commit(&group, &bytes.into());
        assert_eq!(reason(refused), RejectReason::Unauthenticated);
        assert_eq!(trio.a.merge_staged(staged.published()).unwrap(), Epoch(2));
        applied(trio.c.ingest_commit(&group, &publication.commit));
        assert_eq!(state(&trio.a, &group), state(&trio.c, &group));
    });
}

#[test]
fn repeated_and_echoed_messages_change_nothing() {
    both(|engine| {
        let mut trio = Trio::new(engine);
        let group = trio.group.clone();
        let message = trio.a.send(&group, b"once").unwrap();
        applied(trio.b.ingest_app(&group, &message));
        let again = trio.b.ingest_app(&group, &message).unwrap();
        assert_eq!(again, Ingested::Duplicate);
        let echo = trio.a.ingest_app(&group, &message).unwrap();
        assert_eq!(echo, Ingested::Duplicate);

        let before = state(&trio.a, &group);
        let staged = trio.a.stage_commit(&group, &Change::Update).unwrap();
        let publication = staged.publication();
        let echo = trio.a.ingest_commit(&group, &publication.commit).unwrap();
        assert_eq!(echo, Ingested::Duplicate);
        assert_eq!(state(&trio.a, &group), before);
        trio.a.merge_staged(staged.published()).unwrap();
        let echo = trio.a.ingest_commit(&group, &publication.commit).unwrap();
        assert_eq!(echo, Ingested::Stale);
        applied(trio.b.ingest_commit(&group, &publication.commit));
        let again = trio.b.ingest_commit(&group, &publication.commit).unwrap();
        assert_eq!(again, Ingested::Stale);
        applied(trio.c.ingest_commit(&group, &publication.commit));
        trio.agreed();
        applied(trio.c.ingest_app(&group, &message));
    });
}

#[test]
fn messages_may_come_late_early_and_in_another_order() {
    both(|engine| {
        let mut trio = Trio::new(engine);
        let group = trio.group.clone();
        let late: Vec<_> = (0..3).map(|_| trio.a.send(&group, b"late").unwrap()).collect();
        let first = commit(&mut trio.a, &group, &Change::Update);
        let second = commit(&mut trio.a, &group, &Change::Update);
        let early = trio.a.send(&group, b"early").unwrap();
        let outcome = trio.b.ingest_app(&group, &early).unwrap();
        assert_eq!(outcome, Ingested::RetryLater);
        let outcome = trio.b.ingest_commit(&group, &second.commit).unwrap();
        assert_eq!(outcome, Ingested::RetryLater);
        applied(trio.b.ingest_app(&group, &late[2]));
        applied(trio.b.ingest_commit(&group, &first.commit));
        applied(trio.b.ingest_commit(&group, &second.commit));
        applied(trio.b.ingest_app(&group, &early));
        applied(trio.b.ingest_app(&group, &late[0]));

        // Five past epochs are kept, with or without a write in between.
        let mut written = engine.fork(&*trio.b).unwrap();
        for _ in 0..3 {
            let update = commit(&mut trio.a, &group, &Change::Update);
            applied(trio.b.ingest_commit(&group, &update.commit));
            applied(written.ingest_commit(&group, &update.commit));
            written = engine.restore(&written.snapshot().unwrap()).unwrap();
        }
        for reader in [&mut trio.b, &mut written] {
            let mut sooner = engine.fork(&**reader).unwrap();
            applied(sooner.ingest_app(&group, &late[1]));
            let outcome = sooner.ingest_app(&group, &late[2]).unwrap();
            assert_eq!(outcome, Ingested::Duplicate);
        }
        let update = commit(&mut trio.a, &group, &Change::Update);
        for reader in [&mut trio.b, &mut written] {
            applied(reader.ingest_commit(&group, &update.commit));
            let outcome = reader.ingest_app(&group, &late[1]).unwrap();
            assert_eq!(outcome, Ingested::Stale);
        }
    });
}

#[test]
fn a_joiner_reads_nothing_from_before() {
    both(|engine| {
        let mut trio = Trio::new(engine);
        let group = trio.group.clone();
        let before = trio.a.send(&group, b"before").unwrap();
        let mut d = engine.new_client("d").unwrap();
        let key_package = d.publish_key_package().unwrap();
        let add = commit(&mut trio.a, &group, &Change::Add(&[key_package]));
        d.join_welcome(add.welcomes.for_invitee(0).unwrap()).unwrap();
        assert_eq!(d.ingest_app(&group, &before).unwrap(), Ingested::Stale);
        assert_eq!(d.ingest_commit(&group, &add.commit).unwrap(), Ingested::Stale);
    });
}

#[test]
fn a_sender_may_be_1024_generations_ahead() {
    both(|engine| {
        let mut trio = Trio::new(engine);
        let group = trio.group.clone();
        let sent: Vec<_> = (0..1026).map(|_| trio.a.send(&group, b"").unwrap()).collect();
        let outcome = trio.b.ingest_app(&group, &sent[1025]);
        assert_eq!(reason(outcome), RejectReason::Invalid);
        for index in [1024, 0, 1025, 1023] {
            applied(trio.b.ingest_app(&group, &sent[index]));
        }
    });
}

#[test]
fn bytes_that_are_something_else_are_refused_and_cost_nothing() {
    both(|engine| {
        let mut trio = Trio::new(engine);
        let group = trio.group.clone();
        let message = trio.a.send(&group, b"hello").unwrap();
        let update = commit(&mut trio.a, &group, &Change::Update);
        let swapped = CommitBytes::new(message.as_slice().to_vec());
        let outcome = trio.b.ingest_commit(&group, &swapped);
        assert_eq!(reason(outcome), RejectReason::Malformed);
        let swapped = AppBytes::new(update.commit.as_slice().to_vec());
        let outcome = trio.b.ingest_app(&group, &swapped);
        assert_eq!(reason(outcome), RejectReason::Malformed);

        let longer = [message.as_slice(), b"\0"].concat();
        let key_package = trio.c.publish_key_package().unwrap();
        for bytes in [&[][..], b"garbage", &longer, key_package.as_slice()] {
            let outcome = trio.b.ingest_app(&group, &bytes.to_vec().into());
            assert_eq!(reason(outcome), RejectReason::Malformed);
            let outcome = trio.b.ingest_commit(&group, &bytes.to_vec().into());
            assert_eq!(reason(outcome), RejectReason::Malformed);
        }

        let mut other = Trio::new(engine);
        let foreign = other.a.send(&other.group, b"elsewhere").unwrap();
        let outcome = trio.b.ingest_app(&group, &foreign);
        assert_eq!(reason(outcome), RejectReason::Misdirected);
        let unknown = trio.b.send(&other.group, b"?");
        assert!(matches!(unknown, Err(EngineError::Caller(_))));

        applied(trio.b.ingest_app(&group, &message));
        applied(trio.b.ingest_commit(&group, &update.commit));
        assert_eq!(state(&trio.a, &group), state(&trio.b, &group));
    });
}

#[test]
fn impossible_changes_are_the_callers_fault() {
    both(|engine| {
        let mut trio = Trio::new(engine);
        let group = trio.group.clone();
        let before = trio.agreed();
        let members = trio.a.members(&group).unwrap();
        let mut mistaken = members[1].clone();
        mistaken.leaf = LeafIndex(2);
        let mut nowhere = members[1].clone();
        nowhere.leaf = LeafIndex(u32::MAX);
        for who in [
            vec![members[0].clone()],
            vec![mistaken],
            vec![nowhere],
            vec![members[1].clone(), members[1].clone()],
        ] {
            let outcome = trio.a.stage_commit(&group, &Change::Remove(&who));
            assert!(matches!(outcome, Err(EngineError::Caller(_))), "{outcome:?}");
        }
        let outcome = trio.a.stage_commit(&group, &Change::Rename("name"));
        assert!(matches!(outcome, Err(EngineError::Unsupported(_))));
        let nowhere = GroupId::new(b"nowhere".to_vec());
        let outcome = trio.a.stage_commit(&nowhere, &Change::Update);
        assert!(matches!(outcome, Err(EngineError::Caller(_))));
        assert_eq!(trio.agreed(), before);
    });
}

#[test]
fn key_packages_are_valid_for_an_hour_already_and_serve_once() {
    both(|engine| {
        let mut a = engine.new_client("a").unwrap();
        let mut b = engine.new_client("b").unwrap();
        let key_package = b.publish_key_package().unwrap();
        assert_ne!(key_package, b.publish_key_package().unwrap());
        let age = common::age(&key_package);
        assert!((3600..3610).contains(&age), "{age}");

        let founded = a.create_group(std::slice::from_ref(&key_package)).unwrap();
        let welcome = founded.welcomes.for_invitee(0).unwrap();
        let group = b.join_welcome(welcome).unwrap();
        let before = state(&b, &group);
        let again = b.join_welcome(welcome);
        let Err(EngineError::Peer(why)) = again else {
            panic!("{again:?}");
        };
        assert_eq!(why.reason, RejectReason::Misdirected);
        let reused = a.create_group(&[key_package]).unwrap();
        let again = b.join_welcome(reused.welcomes.for_invitee(0).unwrap());
        assert!(matches!(again, Err(EngineError::Peer(_))));
        assert_eq!(state(&b, &group), before);
    });
}

#[test]
fn a_fork_lives_its_own_life() {
    both(|engine| {
        let mut trio = Trio::new(engine);
        let group = trio.group.clone();
        for update in commits(&mut trio.c, &group, 8) {
            applied(trio.a.ingest_commit(&group, &update));
            applied(trio.b.ingest_commit(&group, &update));
        }
        let before = trio.agreed();
        let message = trio.b.send(&group, b"hello").unwrap();
        let mut copy = engine.fork(&*trio.a).unwrap();
        let mut second = engine.fork(&*trio.a).unwrap();
        assert_eq!(state(&copy, &group), before);
        let ours = commit(&mut copy, &group, &Change::Update);
        let theirs = commit(&mut second, &group, &Change::Update);
        copy.snapshot().unwrap();
        second.snapshot().unwrap();
        assert_eq!(state(&trio.a, &group), before);
        assert_ne!(state(&copy, &group), state(&second, &group));
        for reader in [&mut trio.a, &mut copy, &mut second] {
            applied(reader.ingest_app(&group, &message));
        }
        applied(engine.fork(&*trio.b).unwrap().ingest_commit(&group, &ours.commit));
        applied(trio.b.ingest_commit(&group, &theirs.commit));
        assert_eq!(state(&trio.b, &group), state(&second, &group));

        let key_package = copy.publish_key_package().unwrap();
        let mut d = engine.new_client("d").unwrap();
        let founded = d.create_group(&[key_package]).unwrap();
        let welcome = founded.welcomes.for_invitee(0).unwrap();
        assert!(trio.a.join_welcome(welcome).is_err());
        copy.join_welcome(welcome).unwrap();
        assert!(trio.a.epoch(&founded.group).is_err());
    });
}

#[test]
fn a_client_copied_after_many_epochs_reads_what_the_original_does() {
    both(|engine| {
        let mut trio = Trio::new(engine);
        let group = trio.group.clone();
        let mut late = Vec::new();
        for _ in 0..8 {
            late.push(trio.c.send(&group, b"late").unwrap());
            let update = commit(&mut trio.a, &group, &Change::Update);
            applied(trio.b.ingest_commit(&group, &update.commit));
            applied(trio.c.ingest_commit(&group, &update.commit));
        }
        let mut copy = engine.fork(&*trio.b).unwrap();
        for reader in [&mut trio.b, &mut copy] {
            for message in &late[..3] {
                assert_eq!(reader.ingest_app(&group, message).unwrap(), Ingested::Stale);
            }
            for message in &late[3..] {
                applied(reader.ingest_app(&group, message));
                assert_eq!(reader.ingest_app(&group, message).unwrap(), Ingested::Duplicate);
            }
        }
        let update = commit(&mut trio.a, &group, &Change::Update);
        applied(trio.c.ingest_commit(&group, &update.commit));
        for reader in [&mut trio.b, &mut copy] {
            applied(reader.ingest_commit(&group, &update.commit));
            assert_eq!(state(reader, &group), state(&trio.a, &group));
        }
        trio.agreed();
    });
}

#[test]
fn a_restored_client_goes_on_where_the_stored_one_stood() {
    both(|engine| {
        let mut trio = Trio::new(engine);
        let group = trio.group.clone();
        let late = trio.b.send(&group, b"late").unwrap();
        let update = commit(&mut trio.b, &group, &Change::Update);
        applied(trio.a.ingest_commit(&group, &update.commit));
        applied(trio.c.ingest_commit(&group, &update.commit));
        let key_package = trio.a.publish_key_package().unwrap();
        let staged = trio.a.stage_commit(&group, &Change::Update).unwrap();
        let publication = staged.publication();
        let snapshot = trio.a.snapshot().unwrap();
        let mut restored = engine.restore(&snapshot).unwrap();
        assert_eq!(restored.identity(), trio.a.identity());
        assert_eq!(state(&restored, &group), trio.agreed());

        applied(restored.ingest_app(&group, &late));
        assert_eq!(restored.ingest_app(&group, &late).unwrap(), Ingested::Duplicate);
        restored.merge_staged(staged.published()).unwrap();
        applied(trio.b.ingest_commit(&group, &publication.commit));
        assert_eq!(state(&restored, &group), state(&trio.b, &group));
        let message = restored.send(&group, b"hello").unwrap();
        applied(trio.b.ingest_app(&group, &message));
        let update = commit(&mut trio.b, &group, &Change::Update);
        applied(restored.ingest_commit(&group, &update.commit));
        assert_eq!(state(&restored, &group), state(&trio.b, &group));

        let mut d = engine.new_client("d").unwrap();
        let founded = d.create_group(&[key_package]).unwrap();
        let welcome = founded.welcomes.for_invitee(0).unwrap();
        restored.join_welcome(welcome).unwrap();
        let twice = engine.restore(&restored.snapshot().unwrap()).unwrap();
        assert_eq!(state(&twice, &group), state(&restored, &group));
        assert_eq!(state(&twice, &founded.group), state(&d, &founded.group));
    });
}
