//! The contract, as this adapter keeps it, with both backends.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod copies;
mod damaged;
mod forged;
mod order;
#[cfg(feature = "sqlite")]
mod rows;
mod staged;
mod steps;

use engine_api::{Change, Epoch, Ingested, Registration};

use crate::steps::{
    add, assert_agree, assert_caller, assert_received, change, client, each, group_of, stored,
};

/// The two, then those of the other layers and of other cipher suites.
fn engines() -> Vec<Registration> {
    [adapter_openmls::engines(), adapter_openmls::layered(), adapter_openmls::on_request()].concat()
}

#[test]
fn says_what_it_is() {
    let names = |engine: &Registration| -> Vec<&str> {
        let packages = engine.describe().packages;
        assert!(packages.iter().all(|package| !package.version.is_empty()));
        packages.iter().map(|package| package.name).collect()
    };
    let engines = engines();
    assert_eq!(engines[0].name(), "openmls/rustcrypto");
    assert_eq!(engines[1].name(), "openmls/libcrux");
    let (rustcrypto, libcrux) = (names(&engines[0]), names(&engines[1]));
    assert_eq!((rustcrypto[0], libcrux[0]), ("openmls", "openmls"));
    assert!(rustcrypto.contains(&"openmls_rust_crypto"));
    assert!(!rustcrypto.contains(&"openmls_libcrux_crypto"));
    assert!(libcrux.contains(&"openmls_libcrux_crypto"));
    assert!(!libcrux.contains(&"openmls_rust_crypto"));
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
        let untouched = stored(&ben);
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
        // Nothing of the group is left in the store.
        assert_eq!(stored(&ben), untouched);

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
