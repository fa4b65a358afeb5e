//! Bytes that are not what their author sent, and key packages that can't be used.

use engine_api::{
    AppBytes, Change, CommitBytes, EngineError, Epoch, Ingested, KeyPackageBytes, RejectReason,
    WelcomeBytes,
};

use crate::steps::{
    assert_agree, assert_caller, assert_peer, assert_received, assert_rejected, client, each,
    everything, flipped, group_of, view,
};

#[test]
fn damaged_key_packages() {
    each(|engine| {
        let (mut ada, mut ben) = (client(engine, "ada"), client(engine, "ben"));
        let genuine = ben.publish_key_package().unwrap();
        let before = ada.snapshot().unwrap();
        for bad in damaged(genuine.as_slice()) {
            let Err(EngineError::Peer(_)) = ada.create_group(&[KeyPackageBytes::new(bad)]) else {
                panic!("a damaged key package was not refused");
            };
        }
        assert_eq!(ada.snapshot().unwrap().as_slice(), before.as_slice());
        let founded = ada.create_group(&[genuine]).unwrap();
        ben.join_welcome(founded.welcomes.for_invitee(0).unwrap()).unwrap();
    });
}

#[test]
fn damaged_welcomes() {
    each(|engine| {
        let (mut ada, mut ben) = (client(engine, "ada"), client(engine, "ben"));
        let founded = ada.create_group(&[ben.publish_key_package().unwrap()]).unwrap();
        let genuine = founded.welcomes.for_invitee(0).unwrap();
        let before = ben.snapshot().unwrap();
        for bad in damaged(genuine.as_slice()) {
            let refused = ben.join_welcome(&WelcomeBytes::new(bad));
            assert!(matches!(refused, Err(EngineError::Peer(_))), "{refused:?}");
        }
        assert_eq!(ben.snapshot().unwrap().as_slice(), before.as_slice());
        ben.join_welcome(genuine).unwrap();
        assert_agree(&[ada, ben], &founded.group, 1);
    });
}

#[test]
fn damaged_commits() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben", "cy"]);
        let dee = client(engine, "dee").publish_key_package().unwrap();
        let staged = clients[0].stage_commit(&group, &Change::Add(&[dee])).unwrap();
        let own = clients[1].stage_commit(&group, &Change::Update).unwrap();
        let before = everything(&clients[1], &group);
        for bad in damaged(staged.commit().as_slice()) {
            let outcome = clients[1].ingest_commit(&group, &CommitBytes::new(bad)).unwrap();
            assert!(!matches!(outcome, Ingested::Applied(_) | Ingested::Removed));
        }
        assert_eq!(everything(&clients[1], &group), before);
        let outcome = clients[1].ingest_commit(&group, staged.commit()).unwrap();
        assert_eq!(outcome, Ingested::Applied(Epoch(2)));
        assert_caller(clients[1].merge_staged(own.published()));
    });
}

#[test]
fn damaged_messages() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben", "cy"]);
        let genuine = clients[0].send(&group, b"whole").unwrap();
        let before = everything(&clients[1], &group);
        for bad in damaged(genuine.as_slice()) {
            let outcome = clients[1].ingest_app(&group, &AppBytes::new(bad)).unwrap();
            assert!(!matches!(outcome, Ingested::Applied(_) | Ingested::Removed));
        }
        assert_eq!(everything(&clients[1], &group), before);
        assert_received(&mut clients, 0, &group, &genuine, b"whole");
    });
}

#[test]
fn a_flipped_bit_in_the_ciphertext_is_unauthenticated() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        let genuine = clients[0].send(&group, b"whole").unwrap();
        let last = genuine.len() - 1;
        let bad = AppBytes::new(flipped(genuine.as_slice(), last, 0));
        let outcome = clients[1].ingest_app(&group, &bad);
        assert_rejected(outcome, RejectReason::Unauthenticated);

        let staged = clients[0].stage_commit(&group, &Change::Update).unwrap();
        let last = staged.commit().len() - 1;
        let bad = CommitBytes::new(flipped(staged.commit().as_slice(), last, 0));
        let outcome = clients[1].ingest_commit(&group, &bad);
        assert_rejected(outcome, RejectReason::Unauthenticated);
    });
}

/// The generation is looked up before the content is decrypted.
#[test]
fn a_damaged_copy_of_a_known_message_is_a_duplicate() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        let genuine = clients[0].send(&group, b"whole").unwrap();
        assert_received(&mut clients, 0, &group, &genuine, b"whole");
        let bad = AppBytes::new(flipped(genuine.as_slice(), genuine.len() - 1, 0));
        for client in &mut clients {
            let outcome = client.ingest_app(&group, &bad).unwrap();
            assert_eq!(outcome, Ingested::Duplicate);
        }
    });
}

#[test]
fn key_packages_that_cannot_be_added() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        let own = clients[0].publish_key_package().unwrap();
        let bens = clients[1].publish_key_package().unwrap();
        let cys = client(engine, "cy").publish_key_package().unwrap();
        let before = view(&clients[0], &group);
        let invalid = RejectReason::Invalid;
        for bad in [vec![own], vec![cys.clone(), cys.clone()]] {
            assert_peer(clients[0].create_group(&bad), invalid);
            assert_peer(clients[0].stage_commit(&group, &Change::Add(&bad)), invalid);
        }
        assert_peer(clients[0].stage_commit(&group, &Change::Add(&[bens])), invalid);
        assert_eq!(view(&clients[0], &group), before);
        assert!(clients[0].create_group(&[cys]).is_ok());
    });
}

#[test]
fn welcomes_for_others_and_used_ones() {
    each(|engine| {
        let (mut ada, mut ben) = (client(engine, "ada"), client(engine, "ben"));
        let mut eve = client(engine, "eve");
        eve.publish_key_package().unwrap();
        let founded = ada.create_group(&[ben.publish_key_package().unwrap()]).unwrap();
        let welcome = founded.welcomes.for_invitee(0).unwrap();
        assert_peer(eve.join_welcome(welcome), RejectReason::Misdirected);
        ben.join_welcome(welcome).unwrap();
        let before = everything(&ben, &founded.group);
        assert_peer(ben.join_welcome(welcome), RejectReason::Misdirected);
        assert_eq!(everything(&ben, &founded.group), before);
    });
}

/// Every truncation, one byte too many, and every bit flipped.
fn damaged(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let cut = (0..bytes.len()).map(|end| bytes[..end].to_vec());
    let grown = [bytes, &[0]].concat();
    let flips = (0..bytes.len()).flat_map(move |at| (0..8).map(move |bit| flipped(bytes, at, bit)));
    cut.chain([grown]).chain(flips)
}
