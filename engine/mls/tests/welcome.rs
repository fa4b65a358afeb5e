//! The working group's `welcome.json`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod backends;
mod conformance;
mod vectors;

use burrow::{
    codec::{Decode, Encode},
    crypto::decrypt_with_label,
    framing::MlsMessage,
    schedule::{JoinerSecret, PskSecret, WelcomeSecret},
    types::{GroupInfo, GroupSecrets, KeyPackage, Welcome},
};
use conformance::{Floor, Tally};
use crypto_api::Suite;
use serde::Deserialize;
use vectors::Hex;

#[derive(Deserialize)]
struct Case {
    cipher_suite: u16,
    init_priv: Hex,
    signer_pub: Hex,
    key_package: Hex,
    welcome: Hex,
}

#[test]
fn welcome() {
    let floor = Floor {
        cases: 12,
        checks: 12 * 7,
    };
    conformance::run(
        "welcome.json",
        &floor,
        |case: &Case| case.cipher_suite,
        check,
    );
}

fn check(suite: &dyn Suite, case: &Case, tally: &mut Tally) {
    let key_package = key_package(case);
    let welcome = received(case);
    tally.holds("suite", welcome.cipher_suite.0 == case.cipher_suite);
    let secrets = group_secrets(suite, case, &key_package, &welcome);
    tally.holds("no PSKs", secrets.psks.is_empty());

    let joiner = JoinerSecret::from(secrets.joiner_secret);
    let psks = PskSecret::none(suite);
    let welcome_secret = joiner.welcome_secret(suite, &psks).unwrap();
    let encrypted = &welcome.encrypted_group_info;
    let encoded = welcome_secret.decrypt_group_info(suite, encrypted).unwrap();
    let again = welcome_secret.encrypt_group_info(suite, &encoded).unwrap();
    tally.equal("encrypted_group_info", again, encrypted);
    check_damage(suite, &welcome_secret, encrypted, tally);

    let group_info = GroupInfo::decode_exact(&encoded).unwrap();
    let signer = suite.verifying_key(&case.signer_pub.0).unwrap();
    tally.holds("signature", group_info.verify(suite, &signer).is_ok());
    let context = &group_info.group_context;
    let (epoch, _) = joiner
        .epoch_secret(suite, &psks, &context.to_bytes().unwrap())
        .unwrap()
        .schedule(suite)
        .unwrap();
    let transcript = &context.confirmed_transcript_hash;
    let tag = epoch.confirmation_key.confirmation_tag(suite, transcript);
    tally.equal("confirmation_tag", tag, &group_info.confirmation_tag);
    let verified = epoch
        .confirmation_key
        .verify(suite, transcript, &group_info.confirmation_tag);
    tally.holds("confirmation_tag", verified.is_ok());
}

fn key_package(case: &Case) -> KeyPackage {
    match MlsMessage::decode_exact(&case.key_package.0).unwrap() {
        MlsMessage::KeyPackage(key_package) => *key_package,
        other => panic!("{other:?}"),
    }
}

fn received(case: &Case) -> Welcome {
    match MlsMessage::decode_exact(&case.welcome.0).unwrap() {
        MlsMessage::Welcome(welcome) => welcome,
        other => panic!("{other:?}"),
    }
}

fn group_secrets(
    suite: &dyn Suite,
    case: &Case,
    key_package: &KeyPackage,
    welcome: &Welcome,
) -> GroupSecrets {
    let reference = key_package.reference(suite).unwrap();
    let entry = welcome
        .secrets
        .iter()
        .find(|entry| reference.matches(&entry.new_member))
        .unwrap();
    let init_key = suite.private_key(&case.init_priv.0).unwrap();
    assert_eq!(init_key.public(), key_package.init_key.as_slice());
    let context = &welcome.encrypted_group_info;
    let sealed = &entry.encrypted_group_secrets;
    let opened = decrypt_with_label(suite, &init_key, b"Welcome", context, sealed).unwrap();
    GroupSecrets::decode_exact(opened.as_slice()).unwrap()
}

fn check_damage(suite: &dyn Suite, secret: &WelcomeSecret, encrypted: &[u8], tally: &mut Tally) {
    let mut damaged = encrypted.to_vec();
    damaged[0] ^= 1;
    tally.holds(
        "damage",
        secret.decrypt_group_info(suite, &damaged).is_err(),
    );
}
