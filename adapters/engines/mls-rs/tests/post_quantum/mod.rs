//! mls-rs on its own post-quantum suites: a group's life, and what the suites are.

use engine_api::{Change, Registration};

use crate::common::{Trio, applied, commit, state};

fn each(check: impl Fn(&Registration)) {
    let engines = adapter_mls_rs::on_request();
    assert_eq!(engines.len(), 4);
    engines.iter().for_each(check);
}

#[test]
fn names_are_of_suites() {
    each(|engine| {
        let about = engine.describe();
        let suite = about.cipher_suites[0];
        assert_eq!(about.name, format!("mls-rs/aws-lc/0x{:04X}", suite.0));
        assert_eq!(about.cipher_suites.len(), 1);
    });
}

#[test]
fn a_group_lives_and_is_restored() {
    each(|engine| {
        let mut trio = Trio::new(engine);
        let group = trio.group.clone();
        let update = commit(&mut trio.b, &group, &Change::Update);
        applied(trio.a.ingest_commit(&group, &update.commit));
        applied(trio.c.ingest_commit(&group, &update.commit));
        trio.agreed();
        let mut restored = engine.restore(&trio.a.snapshot().unwrap()).unwrap();
        assert_eq!(state(&restored, &group), state(&trio.a, &group));
        let update = commit(&mut restored, &group, &Change::Update);
        applied(trio.b.ingest_commit(&group, &update.commit));
        assert_eq!(state(&restored, &group), state(&trio.b, &group));
        let message = restored.send(&group, b"hello").unwrap();
        applied(trio.b.ingest_app(&group, &message));
    });
}

/// What is sent is on the suite: a key package is longer by a KEM's key, two of them.
#[test]
fn key_packages_have_the_kems_keys_in_them() {
    let mut classical = adapter_mls_rs::engines()[0].new_client("a").unwrap();
    let classical = classical.publish_key_package().unwrap().len();
    for (engine, kem_key, signing) in [
        ("mls-rs/aws-lc/0xFDE9", 800, 0),
        ("mls-rs/aws-lc/0xFDEA", 1184, 0),
        ("mls-rs/aws-lc/0xFDEB", 1568, 200),
        ("mls-rs/aws-lc/0xFE4C", 1216, 0),
    ] {
        let engines = adapter_mls_rs::on_request();
        let engine = engines.iter().find(|one| one.name() == engine).unwrap();
        let length = engine.new_client("a").unwrap().publish_key_package().unwrap().len();
        // Two keys for two of 32 bytes, each with a length of one byte more; the suite in the leaf's list.
        let expected = classical + 2 * (kem_key - 32 + 1) + 2;
        assert!((expected..=expected + signing).contains(&length), "{} {length}", engine.name());
    }
}

/// The suites that the provider is built with make nobody's leaf longer who isn't on one of them: what
/// AWS-LC's clients list beyond RustCrypto's is one suite, P-521's.
#[test]
fn the_classical_configuration_lists_no_other_suites() {
    let lengths: Vec<_> = adapter_mls_rs::engines()
        .iter()
        .map(|engine| engine.new_client("a").unwrap().publish_key_package().unwrap().len())
        .collect();
    assert_eq!(lengths[0], lengths[1] + 2);
}
