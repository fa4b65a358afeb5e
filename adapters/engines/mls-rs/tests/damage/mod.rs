//! Damaged bytes: what is refused, and what that costs.

use engine_api::{Change, EngineError, Ingested, KeyPackageBytes, SnapshotBytes, WelcomeBytes};

use crate::common::{Trio, applied, both, ciphertext, commit, damaged, state};

#[test]
fn a_damaged_key_package_is_refused() {
    both(|engine| {
        let mut trio = Trio::new(engine);
        let before = trio.agreed();
        let mut d = engine.new_client("d").unwrap();
        let genuine = d.publish_key_package().unwrap();
        for bytes in damaged(genuine.as_slice()) {
            let bad = [KeyPackageBytes::new(bytes)];
            let founded = trio.a.create_group(&bad);
            assert!(matches!(founded, Err(EngineError::Peer(_))), "{founded:?}");
            let staged = trio.a.stage_commit(&trio.group, &Change::Add(&bad));
            assert!(matches!(staged, Err(EngineError::Peer(_))), "{staged:?}");
        }
        assert_eq!(trio.agreed(), before);
        let add = commit(&mut trio.a, &trio.group, &Change::Add(&[genuine]));
        d.join_welcome(add.welcomes.for_invitee(0).unwrap()).unwrap();
        assert_eq!(state(&d, &trio.group), state(&trio.a, &trio.group));
    });
}

#[test]
fn a_damaged_welcome_is_refused_and_the_genuine_one_still_opens() {
    both(|engine| {
        let mut a = engine.new_client("a").unwrap();
        let mut b = engine.new_client("b").unwrap();
        let key_package = b.publish_key_package().unwrap();
        let founded = a.create_group(&[key_package]).unwrap();
        let welcome = founded.welcomes.for_invitee(0).unwrap();
        for bytes in damaged(welcome.as_slice()) {
            let refused = b.join_welcome(&WelcomeBytes::new(bytes));
            assert!(matches!(refused, Err(EngineError::Peer(_))), "{refused:?}");
        }
        assert_eq!(b.join_welcome(welcome).unwrap(), founded.group);
        assert_eq!(state(&a, &founded.group), state(&b, &founded.group));
    });
}

/// Pins a weakness of mls-rs: behind the first 32 bytes of the ciphertext, damage is found only
/// when the key is spent. Were it mended, this test would fail and the notes would have to go.
#[test]
fn a_damaged_message_is_refused_but_may_burn_the_key_of_the_genuine_one() {
    both(|engine| {
        let mut trio = Trio::new(engine);
        let group = trio.group.clone();
        let before = trio.agreed();
        let genuine = trio.a.send(&group, b"hello").unwrap();
        let exposed = ciphertext(genuine.as_slice()) + 32;
        for (at, bytes) in damaged(genuine.as_slice()).into_iter().enumerate() {
            let whole = bytes.len() == genuine.len();
            let mut reader = engine.fork(&*trio.b).unwrap();
            let outcome = reader.ingest_app(&group, &bytes.into()).unwrap();
            assert!(!matches!(outcome, Ingested::Applied(_) | Ingested::Removed));
            assert_eq!(state(&reader, &group), before);
            let outcome = reader.ingest_app(&group, &genuine).unwrap();
            let burnt = whole && at >= exposed;
            let expected = if burnt { "duplicate" } else { "applied" };
            assert_eq!(outcome.name(), expected, "byte {at}");
            let next = trio.a.send(&group, b"next").unwrap();
            applied(reader.ingest_app(&group, &next));
        }
        assert_eq!(trio.agreed(), before);
    });
}

/// The same weakness where it hurts: the receiver never gets past that commit.
#[test]
fn a_damaged_commit_is_refused_but_may_burn_the_key_of_the_genuine_one() {
    both(|engine| {
        let mut trio = Trio::new(engine);
        let group = trio.group.clone();
        let before = trio.agreed();
        let mut d = engine.new_client("d").unwrap();
        let key_package = d.publish_key_package().unwrap();
        let genuine = commit(&mut trio.a, &group, &Change::Add(&[key_package])).commit.clone();
        let after = state(&trio.a, &group);
        let exposed = ciphertext(genuine.as_slice()) + 32;
        for (at, bytes) in damaged(genuine.as_slice()).into_iter().enumerate() {
            let whole = bytes.len() == genuine.len();
            let mut reader = engine.fork(&*trio.b).unwrap();
            let outcome = reader.ingest_commit(&group, &bytes.into()).unwrap();
            assert!(!matches!(outcome, Ingested::Applied(_) | Ingested::Removed));
            assert_eq!(state(&reader, &group), before);
            let outcome = reader.ingest_commit(&group, &genuine).unwrap();
            let burnt = whole && at >= exposed;
            let expected = if burnt { "duplicate" } else { "applied" };
            assert_eq!(outcome.name(), expected, "byte {at}");
            let expected = if burnt { &before } else { &after };
            assert_eq!(&state(&reader, &group), expected);
        }
    });
}

#[test]
fn damaged_snapshots_are_refused() {
    both(|engine| {
        let trio = Trio::new(engine);
        let snapshot = trio.a.snapshot().unwrap();
        let longer = [snapshot.as_slice(), b"\0"].concat();
        for bytes in damaged(snapshot.as_slice()).into_iter().chain([longer]) {
            let refused = engine.restore(&SnapshotBytes::new(bytes));
            assert!(matches!(refused, Err(EngineError::Storage(_))));
        }
        for other in adapter_mls_rs::engines() {
            let restored = other.restore(&snapshot);
            assert_eq!(restored.is_ok(), other.name() == engine.name());
        }
    });
}
