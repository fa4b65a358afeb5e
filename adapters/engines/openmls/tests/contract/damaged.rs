//! Bytes that are not what their author sent, and key packages that can't be used.

use std::panic::{AssertUnwindSafe, catch_unwind};

use engine_api::{
    AppBytes, Change, CipherSuite, CommitBytes, EngineError, Epoch, Ingested, KeyPackageBytes,
    Layer, Registration, RejectReason, WelcomeBytes,
};

use crate::engines;
use crate::forged;
use crate::steps::{
    assert_agree, assert_caller, assert_peer, assert_received, assert_rejected, change, client,
    each, everything, flipped, group_of, stored, view,
};

#[test]
fn damaged_key_packages() {
    each(|engine| {
        let (mut ada, mut ben) = (client(engine, "ada"), client(engine, "ben"));
        let genuine = ben.publish_key_package().unwrap();
        let before = stored(&ada);
        for bad in damaged(genuine.as_slice()) {
            let Err(EngineError::Peer(_)) = ada.create_group(&[KeyPackageBytes::new(bad)]) else {
                panic!("a damaged key package was not refused");
            };
        }
        assert_eq!(stored(&ada), before);
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
        let before = stored(&ben);
        // On a disk each refusal costs transactions, and all of them minutes. A flip in seven still
        // hits every byte.
        let step = if engine.describe().layer == Layer::Sqlite { 7 } else { 1 };
        println!("{}: one in {step} of the damaged Welcomes", engine.name());
        for bad in damaged(genuine.as_slice()).step_by(step) {
            let lenient = only_lengths_differ(&bad, genuine.as_slice());
            let bad = WelcomeBytes::new(bad);
            if lenient {
                let mut fork = engine.fork(ben.as_ref()).unwrap();
                if let Ok(group) = fork.join_welcome(&bad) {
                    assert_eq!(view(&fork, &group), view(&ada, &group));
                    continue;
                }
            }
            let refused = ben.join_welcome(&bad);
            assert!(matches!(refused, Err(EngineError::Peer(_))), "{refused:?}");
        }
        assert_eq!(stored(&ben), before);
        ben.join_welcome(genuine).unwrap();
        assert_agree(&[ada, ben], &founded.group, 1);
    });
}

/// OpenMLS's decoder reads a list until it has at least the bytes that the list's length names: a
/// length that ends inside the last item passes for the whole item. The crate docs say so.
#[test]
fn a_list_may_end_inside_its_last_item() {
    each(|engine| {
        let (mut ada, mut ben) = (client(engine, "ada"), client(engine, "ben"));
        let genuine = ben.publish_key_package().unwrap();
        let mut short = genuine.as_slice().to_vec();
        let at = suites_length_at(&short);
        short[at] -= 1;
        let founded = ada.create_group(&[KeyPackageBytes::new(short)]).unwrap();

        let genuine = founded.welcomes.for_invitee(0).unwrap();
        let short = flipped(genuine.as_slice(), SECRETS_LENGTH_AT + 1, 3);
        ben.join_welcome(&WelcomeBytes::new(short)).unwrap();
        assert_agree(&[ada, ben], &founded.group, 1);
    });
}

/// Of 64 bytes of suites, declared as 63: encoded again it is a byte longer, as the length takes
/// two bytes then. OpenMLS's decoder for byte slices panics at that; the one for readers doesn't.
#[test]
fn a_list_that_is_longer_when_encoded_again() {
    each(|engine| {
        let (mut ada, mut ben) = (client(engine, "ada"), client(engine, "ben"));
        let genuine = ben.publish_key_package().unwrap();
        let genuine = genuine.as_slice();
        let at = suites_length_at(genuine);
        let after = at + 1 + usize::from(genuine[at]);
        let forged = [&genuine[..at], &[63], &[0, 1].repeat(32), &genuine[after..]].concat();
        let refused = ada.create_group(&[KeyPackageBytes::new(forged)]);
        assert_peer(refused, RejectReason::Unauthenticated);
    });
}

/// Where a key package lists the suites that its client has: after the only version, `mls10`.
fn suites_length_at(key_package: &[u8]) -> usize {
    let versions_and_length = [2, 0, 1, 8];
    let mut windows = key_package.windows(versions_and_length.len());
    windows.position(|window| window == versions_and_length).unwrap() + 3
}

/// `MLSMessage` version and wire format, the Welcome's suite, then the length of its secrets.
const SECRETS_LENGTH_AT: usize = 6;

fn only_lengths_differ(bad: &[u8], genuine: &[u8]) -> bool {
    bad.len() == genuine.len()
        && bad[..SECRETS_LENGTH_AT] == genuine[..SECRETS_LENGTH_AT]
        && bad[SECRETS_LENGTH_AT + 2..] == genuine[SECRETS_LENGTH_AT + 2..]
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

#[test]
fn key_packages_that_cannot_be_added() {
    each_on_the_forged_suite(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        let own = clients[0].publish_key_package().unwrap();
        let bens = clients[1].publish_key_package().unwrap();
        let cys = client(engine, "cy").publish_key_package().unwrap();
        let before = everything(&clients[0], &group);
        let invalid = RejectReason::Invalid;
        for bad in [
            vec![own],
            vec![cys.clone(), forged::with_init_key([0; 32])],
            vec![cys.clone(), forged::with_suite(0x004d)],
            vec![cys.clone(), forged::with_suite(0x0003)],
        ] {
            assert_peer(clients[0].create_group(&bad), invalid);
            assert_peer(clients[0].stage_commit(&group, &Change::Add(&bad)), invalid);
        }
        assert_peer(clients[0].stage_commit(&group, &Change::Add(&[bens])), invalid);
        assert_eq!(everything(&clients[0], &group), before);
        assert!(clients[0].create_group(&[cys]).is_ok());
    });
}

/// A key package of OpenMLS' post-quantum suite whose init key is as long as X25519's passes every
/// check of OpenMLS, and its crypto library ends the thread. `docs/peer-findings.md` has it.
#[test]
fn a_short_x_wing_key_panics() {
    let engine = engines().into_iter().find(|e| e.name() == "openmls/libcrux/0x004D").unwrap();
    let mut ada = client(&engine, "ada");
    let short = forged::with_suite(0x004d);
    let ended = catch_unwind(AssertUnwindSafe(|| ada.create_group(&[short]).is_ok()));
    assert!(ended.is_err(), "no panic any more: {ended:?}");
}

/// OpenMLS takes the key package in, and can't commit with a path while its owner is a member.
#[test]
fn an_unusable_leaf_key_blocks_updates() {
    each_on_the_forged_suite(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        let mallory = forged::with_encryption_key([0; 32]);
        change(&mut clients, 0, &group, &Change::Add(&[mallory]));
        let before = everything(&clients[1], &group);
        let failed = clients[1].stage_commit(&group, &Change::Update);
        assert!(matches!(failed, Err(EngineError::Internal(_))), "{failed:?}");
        let cys = client(engine, "cy").publish_key_package().unwrap();
        let failed = clients[1].stage_commit(&group, &Change::Add(&[cys]));
        assert_peer(failed, RejectReason::Invalid);
        assert_eq!(everything(&clients[1], &group), before);

        let mallory = clients[1].members(&group).unwrap()[2].clone();
        change(&mut clients, 1, &group, &Change::Remove(&[mallory]));
        change(&mut clients, 1, &group, &Change::Update);
        assert_agree(&clients, &group, 4);
    });
}

/// OpenMLS looks the generation up before it decrypts the content.
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
fn the_same_key_package_twice_is_one_member() {
    each(|engine| {
        let (mut ada, mut ben) = (client(engine, "ada"), client(engine, "ben"));
        let invitation = ben.publish_key_package().unwrap();
        let founded = ada.create_group(&[invitation.clone(), invitation]).unwrap();
        ben.join_welcome(founded.welcomes.for_invitee(1).unwrap()).unwrap();
        assert_agree(&[ada, ben], &founded.group, 1);
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

/// [`each`] of those on the suite that key packages are forged for, 0x0001.
fn each_on_the_forged_suite(check: fn(&Registration)) {
    let (on_it, others): (Vec<_>, Vec<_>) =
        engines().into_iter().partition(|e| e.describe().cipher_suites[0] == CipherSuite(1));
    assert!(on_it.len() >= 2);
    for engine in &others {
        println!("{}: left out, key packages are forged for 0x0001", engine.name());
    }
    for engine in &on_it {
        println!("{}", engine.name());
        check(engine);
    }
}
