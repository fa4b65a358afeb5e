//! The contract, as this adapter keeps it, on both crypto libraries.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

// Written once: what these files ask is the same of both engines.
#[path = "../../../openmls/tests/contract/copies.rs"]
mod copies;
mod damaged;
mod order;
#[cfg(feature = "sqlite")]
mod rows {
    /// burrow's snapshots have no database file in them: every byte of one is compared.
    pub(crate) fn of(_: &[u8]) -> Option<Vec<u8>> {
        None
    }
}
#[path = "../../../openmls/tests/contract/staged.rs"]
mod staged;
#[path = "../../../openmls/tests/contract/steps.rs"]
mod steps;

use engine_api::{Change, Epoch, Ingested, Registration};

use crate::steps::{
    add, assert_agree, assert_caller, assert_received, change, client, each, group_of,
};

/// The core ones, those of the other layers, the one that only runs if named, and of those on
/// post-quantum suites one with a hybrid KEM and one with the longest signatures.
fn engines() -> Vec<Registration> {
    let chosen = ["burrow/libcrux/0x004D", "burrow/aws-lc/0xF00B"];
    let mut post_quantum = adapter_burrow::post_quantum();
    post_quantum.retain(|engine| chosen.contains(&engine.name()));
    let classical =
        [adapter_burrow::engines(), adapter_burrow::layered(), adapter_burrow::on_request()];
    [classical.concat(), post_quantum].concat()
}

#[test]
fn says_what_it_is() {
    let names = |engine: &Registration| -> Vec<&str> {
        let packages = engine.describe().packages;
        assert!(packages.iter().all(|package| !package.version.is_empty()));
        packages.iter().map(|package| package.name).collect()
    };
    let engines = engines();
    let listed: Vec<_> = engines.iter().take(3).map(Registration::name).collect();
    assert_eq!(listed, ["burrow/aws-lc", "burrow/lanes", "burrow/rustcrypto"]);
    let (aws_lc, rustcrypto) = (names(&engines[0]), names(&engines[2]));
    let lanes = names(&engines[1]);
    assert_eq!((aws_lc[0], lanes[0], rustcrypto[0]), ("burrow", "burrow", "burrow"));
    assert!(lanes.contains(&"curve25519x8") && lanes.contains(&"aws-lc-rs"));
    assert!(!lanes.contains(&"crypto-rustcrypto"));
    assert!(aws_lc.contains(&"crypto-aws-lc"));
    assert!(!aws_lc.contains(&"crypto-rustcrypto"));
    assert!(rustcrypto.contains(&"crypto-rustcrypto"));
    assert!(!rustcrypto.contains(&"crypto-aws-lc"));
}

#[test]
fn two_talk() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        assert_agree(&clients, &group, 1);
        let members = clients[0].members(&group).unwrap();
        let listed: Vec<_> = members.iter().map(|m| (m.leaf.0, m.identity.as_slice())).collect();
        assert_eq!(listed, [(0, &b"ada"[..]), (1, &b"ben"[..])]);
        assert_eq!(clients[0].own_leaf(&group).unwrap().0, 0);
        assert_eq!(clients[1].own_leaf(&group).unwrap().0, 1);

        for (sender, payload) in [(0, &b"hello"[..]), (1, b""), (1, &[7; 5000]), (0, b"bye")] {
            let message = clients[sender].send(&group, payload).unwrap();
            assert_received(&mut clients, sender, &group, &message, payload);
        }
    });
}

#[test]
fn founded_alone_then_joined() {
    each(|engine| {
        let mut ada = engine.new_client("ada").unwrap();
        let founded = ada.create_group(&[]).unwrap();
        let group = founded.group;
        assert!(founded.welcomes.for_invitee(0).is_none());
        assert_eq!(ada.epoch(&group).unwrap(), Epoch(0));

        let mut clients = vec![ada];
        let ben = engine.new_client("ben").unwrap();
        add(&mut clients, 0, &group, vec![ben]);
        assert_agree(&clients, &group, 1);
    });
}

#[test]
fn any_member_changes_the_group() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben", "cy"]);
        let (dee, eve) = (client(engine, "dee"), client(engine, "eve"));
        add(&mut clients, 1, &group, vec![dee, eve]);
        assert_agree(&clients, &group, 2);
        change(&mut clients, 3, &group, &Change::Update);
        assert_agree(&clients, &group, 3);

        let cy = clients[2].members(&group).unwrap()[2].clone();
        let staged = clients[4].stage_commit(&group, &Change::Remove(&[cy])).unwrap();
        let mut cy = clients.remove(2);
        let commit = staged.commit().clone();
        assert_eq!(cy.ingest_commit(&group, &commit).unwrap(), Ingested::Removed);
        for other in &mut clients[..3] {
            let outcome = other.ingest_commit(&group, &commit).unwrap();
            assert_eq!(outcome, Ingested::Applied(Epoch(4)));
        }
        clients[3].merge_staged(staged.published()).unwrap();
        assert_agree(&clients, &group, 4);

        let listed = clients[0].members(&group).unwrap();
        let leaves: Vec<_> = listed.iter().map(|member| member.leaf.0).collect();
        assert_eq!(leaves, [0, 1, 3, 4]);
        let message = clients[0].send(&group, b"without cy").unwrap();
        assert_received(&mut clients, 0, &group, &message, b"without cy");
    });
}

#[test]
fn removed_is_out_and_can_come_back() {
    each(|engine| {
        let mut clients = vec![client(engine, "ada")];
        let mut ben = client(engine, "ben");
        let untouched = ben.snapshot().unwrap();
        let invitation = ben.publish_key_package().unwrap();
        let founded = clients[0].create_group(&[invitation]).unwrap();
        let group = founded.group;
        ben.join_welcome(founded.welcomes.for_invitee(0).unwrap()).unwrap();
        let ben_as_member = ben.members(&group).unwrap()[1].clone();
        let commit = change(&mut clients, 0, &group, &Change::Remove(&[ben_as_member]));
        let outcome = ben.ingest_commit(&group, &commit).unwrap();
        assert_eq!(outcome, Ingested::Removed);

        assert_caller(ben.send(&group, b"still here?"));
        assert_caller(ben.epoch(&group));
        assert_caller(ben.members(&group));
        assert_caller(ben.own_leaf(&group));
        assert_caller(ben.epoch_authenticator(&group));
        assert_caller(ben.encoded_sizes(&group));
        assert_caller(ben.ingest_commit(&group, &commit));
        assert_caller(ben.stage_commit(&group, &Change::Update));
        // Not a byte of the group is left in the store.
        assert_eq!(ben.snapshot().unwrap().as_slice(), untouched.as_slice());

        add(&mut clients, 0, &group, vec![ben]);
        assert_agree(&clients, &group, 3);
    });
}

#[test]
fn removed_with_a_commit_staged() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        let mut ben = clients.remove(1);
        let staged = ben.stage_commit(&group, &Change::Update).unwrap();
        let ben_as_member = ben.members(&group).unwrap()[1].clone();
        let commit = change(&mut clients, 0, &group, &Change::Remove(&[ben_as_member]));
        let outcome = ben.ingest_commit(&group, &commit).unwrap();
        assert_eq!(outcome, Ingested::Removed);
        assert_caller(ben.merge_staged(staged.published()));
        add(&mut clients, 0, &group, vec![ben]);
        assert_agree(&clients, &group, 3);
    });
}

#[test]
fn one_group_on_two_libraries() {
    let [aws_lc, rustcrypto, ..] = engines()[..] else { panic!("not two") };
    let mut clients = vec![client(&aws_lc, "ada")];
    let group = clients[0].create_group(&[]).unwrap().group;
    let newcomers = vec![client(&rustcrypto, "ben"), client(&aws_lc, "cy")];
    add(&mut clients, 0, &group, newcomers);
    for committer in 0..3 {
        change(&mut clients, committer, &group, &Change::Update);
        let message = clients[committer].send(&group, b"hello").unwrap();
        assert_received(&mut clients, committer, &group, &message, b"hello");
    }
    assert_agree(&clients, &group, 4);
}
