//! Forks, snapshots, sizes, and groups beside each other.

use crate::engines;
use engine_api::{
    Change, EngineError, Epoch, Registration, RejectReason, SnapshotBytes, WelcomeBytes,
};

use crate::steps::{
    assert_agree, assert_caller, assert_peer, assert_received, change, client, each, everything,
    flipped, group_of, view,
};

#[test]
fn forks_go_their_own_way() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        let message = clients[0].send(&group, b"to both").unwrap();
        let staged = clients[1].stage_commit(&group, &Change::Update).unwrap();
        let invitation = clients[1].publish_key_package().unwrap();
        let mut fork = engine.fork(clients[1].as_ref()).unwrap();
        assert_eq!(everything(&fork, &group), everything(&clients[1], &group));

        for ben in [&mut fork, &mut clients[1]] {
            let received = ben.ingest_app(&group, &message).unwrap().applied();
            assert_eq!(received.unwrap().payload, b"to both");
        }
        let commit = staged.commit().clone();
        fork.merge_staged(staged.published()).unwrap();
        assert_eq!(fork.epoch(&group).unwrap(), Epoch(2));
        assert_eq!(clients[1].epoch(&group).unwrap(), Epoch(1));
        clients[0].ingest_commit(&group, &commit).unwrap();
        let ada = view(&clients[0], &group);
        assert_eq!(ada, view(&fork, &group));
        assert_ne!(ada, view(&clients[1], &group));

        let founded = client(engine, "cy").create_group(&[invitation]).unwrap();
        let welcome = founded.welcomes.for_invitee(0).unwrap();
        fork.join_welcome(welcome).unwrap();
        assert_caller(clients[1].epoch(&founded.group));
        clients[1].join_welcome(welcome).unwrap();
    });
}

#[test]
fn snapshots_come_back_whole() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        let (mut others, other_group) = (vec![client(engine, "cy")], {
            let founded = clients[1].create_group(&[]).unwrap();
            founded.group
        });
        let invitation = clients[1].publish_key_package().unwrap();
        let staged = clients[1].stage_commit(&group, &Change::Update).unwrap();
        let snapshot = clients[1].snapshot().unwrap();
        let mut ben = engine.restore(&snapshot).unwrap();
        assert_eq!(ben.identity(), clients[1].identity());
        assert_eq!(ben.snapshot().unwrap().as_slice(), snapshot.as_slice());
        assert_eq!(ben.epoch(&other_group).unwrap(), Epoch(0));

        // A failed join doesn't cost a restored client its key package either.
        let founded = others[0].create_group(&[invitation]).unwrap();
        let welcome = founded.welcomes.for_invitee(0).unwrap();
        let torn = WelcomeBytes::new(flipped(welcome.as_slice(), welcome.len() - 1, 0));
        assert_peer(ben.join_welcome(&torn), RejectReason::Unauthenticated);
        ben.join_welcome(welcome).unwrap();

        clients[0].ingest_commit(&group, staged.commit()).unwrap();
        ben.merge_staged(staged.published()).unwrap();
        clients[1] = ben;
        assert_agree(&clients, &group, 2);
        change(&mut clients, 1, &group, &Change::Update);
        let message = clients[1].send(&group, b"restored").unwrap();
        assert_received(&mut clients, 1, &group, &message, b"restored");
    });
}

#[test]
fn damaged_snapshots() {
    each(|engine| {
        let (clients, _) = group_of(engine, &["ada", "ben"]);
        let snapshot = clients[1].snapshot().unwrap();
        let bytes = snapshot.as_slice();
        let cut = (0..bytes.len()).step_by(97).map(|end| bytes[..end].to_vec());
        let flips = (0..bytes.len()).step_by(53).map(|at| flipped(bytes, at, 5));
        let grown = [bytes, &[0]].concat();
        for bad in cut.chain(flips).chain([grown, vec![], vec![0; 32], vec![7; 5000]]) {
            let refused = engine.restore(&SnapshotBytes::new(bad));
            assert!(matches!(refused, Err(EngineError::Storage(_))));
        }
        // Neither the number of threads nor the cipher suite makes another kind of state.
        let form = |engine: &Registration| {
            let name = engine.name().trim_end_matches("/threads=all");
            name.split("/0x").next().unwrap_or(name)
        };
        for other in engines().iter().filter(|e| form(e) != form(engine)) {
            let refused = other.restore(&snapshot);
            assert!(matches!(refused, Err(EngineError::Storage(_))));
        }
    });
}

#[test]
fn sizes_grow_with_the_group() {
    each(|engine| {
        let (small, small_group) = group_of(engine, &["ada", "ben"]);
        let (large, large_group) = group_of(engine, &["ada", "ben", "cy", "dee"]);
        let small_sizes = small[0].encoded_sizes(&small_group).unwrap();
        let large_sizes = large[0].encoded_sizes(&large_group).unwrap();
        assert!(small_sizes.ratchet_tree > Some(200));
        assert!(large_sizes.ratchet_tree > small_sizes.ratchet_tree);
        assert!(large_sizes.stored_state > small_sizes.stored_state);
        assert!(small_sizes.stored_state < Some(small[0].snapshot().unwrap().len()));
    });
}

#[test]
fn groups_of_one_client_do_not_mix() {
    each(|engine| {
        let (mut clients, first) = group_of(engine, &["ada", "ben"]);
        let invitation = clients[1].publish_key_package().unwrap();
        let founded = clients[0].create_group(&[invitation]).unwrap();
        let second = founded.group;
        clients[1].join_welcome(founded.welcomes.for_invitee(0).unwrap()).unwrap();
        let staged = clients[0].stage_commit(&first, &Change::Update).unwrap();
        change(&mut clients, 0, &second, &Change::Update);
        assert_agree(&clients, &second, 2);
        assert_agree(&clients, &first, 1);
        clients[1].ingest_commit(&first, staged.commit()).unwrap();
        clients[0].merge_staged(staged.published()).unwrap();
        assert_agree(&clients, &first, 2);
    });
}
