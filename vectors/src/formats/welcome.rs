//! `welcome.json`: from a Welcome to its confirmation tag.

use burrow::codec::{Decode, Encode};
use burrow::crypto::decrypt_with_label;
use burrow::framing::MlsMessage;
use burrow::schedule::{JoinerSecret, PskSecret};
use burrow::types::{GroupInfo, GroupSecrets, KeyPackage, Welcome};
use crypto_api::Suite;
use serde::Deserialize;
use serde_json::Value;

use crate::hex::Hex;
use crate::run::Bench;
use crate::{Stop, Tally};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    cipher_suite: u16,
    init_priv: Hex,
    signer_pub: Hex,
    key_package: Hex,
    welcome: Hex,
}

pub(crate) fn check(bench: &Bench<'_>, case: &Value, tally: &mut Tally) -> Result<(), Stop> {
    let (suite, case): (_, Case) = (bench.suite, super::read(case, tally)?);
    let key_package = key_package(&case.key_package.0, tally)?;
    let welcome = welcome(&case.welcome.0, tally)?;
    tally.same("cipher suite of the Welcome", welcome.cipher_suite.0, case.cipher_suite);
    let secrets = group_secrets(suite, &case, &key_package, &welcome, tally)?;
    tally.holds("no PSKs", secrets.psks.is_empty());

    let joiner = JoinerSecret::from(secrets.joiner_secret);
    let encoded = encoded_group_info(suite, &joiner, &welcome, tally)?;
    let group_info = tally.step("GroupInfo", GroupInfo::decode_exact(&encoded))?;
    let signer = tally.step("signer_pub", suite.verifying_key(&case.signer_pub.0))?;
    tally.must("signature", group_info.verify(suite, &signer))?;
    check_confirmation(suite, &joiner, &group_info, tally)
}

/// The KeyPackage in an MLSMessage.
pub(crate) fn key_package(message: &[u8], tally: &mut Tally) -> Result<KeyPackage, Stop> {
    match tally.step("key_package", MlsMessage::decode_exact(message))? {
        MlsMessage::KeyPackage(key_package) => Ok(*key_package),
        _ => tally.some("key_package", None),
    }
}

/// The Welcome in an MLSMessage.
pub(crate) fn welcome(message: &[u8], tally: &mut Tally) -> Result<Welcome, Stop> {
    match tally.step("welcome", MlsMessage::decode_exact(message))? {
        MlsMessage::Welcome(welcome) => Ok(welcome),
        _ => tally.some("welcome", None),
    }
}

fn group_secrets(
    suite: &dyn Suite,
    case: &Case,
    key_package: &KeyPackage,
    welcome: &Welcome,
    tally: &mut Tally,
) -> Result<GroupSecrets, Stop> {
    let reference = tally.step("KeyPackageRef", key_package.reference(suite))?;
    let entry = welcome.secrets.iter().find(|entry| reference.matches(&entry.new_member));
    let entry = tally.some("the new member's entry", entry)?;
    let private = super::private_key(case.cipher_suite, &case.init_priv.0);
    let init_key = tally.step("init_priv", suite.private_key(&private))?;
    tally.equal("init_priv", init_key.public(), key_package.init_key.as_slice());
    let context = &welcome.encrypted_group_info;
    let sealed = &entry.encrypted_group_secrets;
    let opened = decrypt_with_label(suite, &init_key, b"Welcome", context, sealed);
    let opened = tally.must("encrypted_group_secrets", opened)?;
    tally.step("GroupSecrets", GroupSecrets::decode_exact(opened.as_slice()))
}

fn encoded_group_info(
    suite: &dyn Suite,
    joiner: &JoinerSecret,
    welcome: &Welcome,
    tally: &mut Tally,
) -> Result<Vec<u8>, Stop> {
    let secret = joiner.welcome_secret(suite, &PskSecret::none(suite));
    let secret = tally.step("welcome_secret", secret)?;
    let encrypted = &welcome.encrypted_group_info;
    let encoded = secret.decrypt_group_info(suite, encrypted);
    let encoded = tally.must("encrypted_group_info", encoded)?;
    // Key and nonce are derived, so that it has one encryption only.
    let again = tally.step("our encryption", secret.encrypt_group_info(suite, &encoded))?;
    tally.equal("our encryption", again, encrypted);
    let mut damaged = encrypted.clone();
    damaged.iter_mut().take(1).for_each(|byte| *byte ^= 1);
    tally.refused("a damaged GroupInfo", secret.decrypt_group_info(suite, &damaged));
    Ok(encoded)
}

fn check_confirmation(
    suite: &dyn Suite,
    joiner: &JoinerSecret,
    group_info: &GroupInfo,
    tally: &mut Tally,
) -> Result<(), Stop> {
    let context = &group_info.group_context;
    let encoded = tally.step("GroupContext", context.to_bytes())?;
    let scheduled = joiner
        .epoch_secret(suite, &PskSecret::none(suite), &encoded)
        .and_then(|epoch_secret| epoch_secret.schedule(suite));
    let (epoch, _) = tally.step("epoch_secret", scheduled)?;
    let (key, transcript) = (&epoch.confirmation_key, &context.confirmed_transcript_hash);
    let tag = key.confirmation_tag(suite, transcript);
    tally.equal("our confirmation_tag", tag, &group_info.confirmation_tag);
    tally.must("confirmation_tag", key.verify(suite, transcript, &group_info.confirmation_tag))
}
