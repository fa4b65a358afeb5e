//! The contract, as this adapter keeps it, on all crypto libraries.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    dead_code,
    unexpected_cfgs,
    reason = "a test fails by panicking, and not all of the shared steps are taken here"
)]

// Written once: these steps are the same with other engines.
#[path = "../../../openmls/tests/contract/steps.rs"]
mod steps;

use engine_api::{
    AppBytes, Change, CommitBytes, Ingested, Registration, RejectReason, WireProfile,
};

use crate::steps::{
    add, assert_agree, assert_caller, assert_peer, assert_received, assert_rejected, change,
    client, each, everything, group_of,
};

fn engines() -> Vec<Registration> {
    [adapter_burrow_marmot::engines(), adapter_burrow_marmot::on_request()].concat()
}

#[test]
fn says_what_it_is() {
    let libraries = ["aws-lc-rs", "curve25519x8", "ed25519-dalek"];
    for (engine, library) in engines().iter().zip(libraries) {
        let about = engine.describe();
        assert!(about.name.starts_with("burrow-marmot/"));
        assert_eq!(about.wire_profile, WireProfile::Marmot);
        let packages: Vec<_> = about.packages.iter().map(|package| package.name).collect();
        assert!(packages.contains(&"burrow-marmot") && packages.contains(&"secp256k1"));
        assert!(packages.contains(&library), "{packages:?}");
        assert!(about.packages.iter().all(|package| !package.version.is_empty()));
        assert!(about.deviations.iter().all(|deviation| deviation.why.contains("signature")));
    }
}

#[test]
fn who_verifies_has_nothing_to_declare() {
    for engine in adapter_burrow_marmot::on_request() {
        let is_verifying = engine.name().ends_with("/verifying");
        assert_eq!(engine.describe().deviations.is_empty(), is_verifying, "{}", engine.name());
    }
}

#[test]
fn names_are_the_groups() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        change(&mut clients, 0, &group, &Change::Rename("another"));
        for client in &clients {
            assert_eq!(client.group_name(&group).unwrap(), "another");
        }
        assert_caller(clients[0].stage_commit(&group, &Change::Rename(&"x".repeat(257))));
        assert_caller(clients[1].stage_commit(&group, &Change::Rename("mine")));
        add(&mut clients, 0, &group, vec![client(engine, "cid")]);
        assert_eq!(clients[2].group_name(&group).unwrap(), "another");
        assert_agree(&clients, &group, 3);
    });
}

#[test]
fn what_is_stored_is_what_is_restored() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        let early = clients[0].send(&group, b"before the restart").unwrap();
        for _ in 0..3 {
            change(&mut clients, 1, &group, &Change::Update);
            clients[1] = engine.restore(&clients[1].snapshot().unwrap()).unwrap();
        }
        let outcome = clients[1].ingest_app(&group, &early).unwrap();
        assert_eq!(outcome.applied().unwrap().payload, b"before the restart");
        clients[1] = engine.restore(&clients[1].snapshot().unwrap()).unwrap();
        assert_eq!(clients[1].ingest_app(&group, &early).unwrap(), Ingested::Duplicate);
        let message = clients[1].send(&group, b"and on").unwrap();
        assert_received(&mut clients, 1, &group, &message, b"and on");
    });
}

#[test]
fn kinds_are_told_apart_before_anything_is_used_up() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        let message = clients[0].send(&group, b"a message").unwrap();
        let staged = clients[0].stage_commit(&group, &Change::Update).unwrap();
        let before = everything(&clients[1], &group);
        let as_commit = CommitBytes::new(message.as_slice().to_vec());
        assert_rejected(clients[1].ingest_commit(&group, &as_commit), RejectReason::Malformed);
        let as_message = AppBytes::new(staged.commit().as_slice().to_vec());
        assert_rejected(clients[1].ingest_app(&group, &as_message), RejectReason::Malformed);
        assert_eq!(everything(&clients[1], &group), before);
        let invitation = clients[1].publish_key_package().unwrap();
        assert_peer(
            clients[1].join_welcome(&invitation.as_slice().to_vec().into()),
            RejectReason::Malformed,
        );
    });
}
