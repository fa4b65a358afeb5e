//! `key-schedule.json`: the secrets of consecutive epochs.

use burrow::codec::{Decode, Encode};
use burrow::schedule::{EpochSecrets, InitSecret, JoinerSecret, PskSecret};
use burrow::types::{Extensions, GroupContext, ProtocolVersion};
use crypto_api::{CipherSuite, Secret, Suite};
use serde::Deserialize;
use serde_json::Value;

use crate::files::Unnoticed;
use crate::hex::Hex;
use crate::run::Bench;
use crate::{Stop, Tally};

pub(crate) const UNNOTICED: &[Unnoticed] =
    &[Unnoticed { field: "epochs[-1]", why: "the file then has an epoch less to follow" }];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    cipher_suite: u16,
    group_id: Hex,
    initial_init_secret: Hex,
    epochs: Vec<Epoch>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Epoch {
    tree_hash: Hex,
    commit_secret: Hex,
    psk_secret: Hex,
    confirmed_transcript_hash: Hex,
    group_context: Hex,
    joiner_secret: Hex,
    welcome_secret: Hex,
    init_secret: Hex,
    sender_data_secret: Hex,
    encryption_secret: Hex,
    exporter_secret: Hex,
    epoch_authenticator: Hex,
    external_secret: Hex,
    confirmation_key: Hex,
    membership_key: Hex,
    resumption_psk: Hex,
    external_pub: Hex,
    exporter: Exporter,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exporter {
    label: String,
    context: Hex,
    length: usize,
    secret: Hex,
}

pub(crate) fn check(bench: &Bench<'_>, case: &Value, tally: &mut Tally) -> Result<(), Stop> {
    let case: Case = super::read(case, tally)?;
    let mut init_secret = InitSecret::from(secret(&case.initial_init_secret));
    for (number, epoch) in (0..).zip(&case.epochs) {
        tally.place(format_args!("epoch {number}"));
        init_secret = check_epoch(bench.suite, &case, (number, epoch), &init_secret, tally)?;
    }
    Ok(())
}

/// The init secret for the next epoch.
fn check_epoch(
    suite: &dyn Suite,
    case: &Case,
    (number, v): (u64, &Epoch),
    init_secret: &InitSecret,
    tally: &mut Tally,
) -> Result<InitSecret, Stop> {
    let context = GroupContext {
        version: ProtocolVersion::MLS10,
        cipher_suite: CipherSuite(case.cipher_suite),
        group_id: case.group_id.0.clone(),
        epoch: number,
        tree_hash: v.tree_hash.0.clone(),
        confirmed_transcript_hash: v.confirmed_transcript_hash.0.clone(),
        extensions: Extensions::default(),
    };
    let context = tally.step("group_context", context.to_bytes())?;
    tally.equal("group_context", &context, &v.group_context.0);

    let commit_secret = secret(&v.commit_secret);
    let psk_secret = PskSecret::from(secret(&v.psk_secret));
    let joiner = JoinerSecret::derive(suite, init_secret, Some(&commit_secret), &context);
    let joiner = tally.step("joiner_secret", joiner)?;
    tally.equal("joiner_secret", joiner.as_secret(), &v.joiner_secret.0);
    let welcome = tally.step("welcome_secret", joiner.welcome_secret(suite, &psk_secret))?;
    tally.equal("welcome_secret", welcome.as_secret(), &v.welcome_secret.0);

    let scheduled = joiner
        .epoch_secret(suite, &psk_secret, &context)
        .and_then(|epoch_secret| epoch_secret.schedule(suite));
    let (secrets, encryption) = tally.step("epoch_secret", scheduled)?;
    tally.equal("encryption_secret", encryption.as_secret(), &v.encryption_secret.0);
    check_secrets(suite, &secrets, v, tally)?;
    Ok(secrets.init_secret)
}

fn check_secrets(
    suite: &dyn Suite,
    secrets: &EpochSecrets,
    v: &Epoch,
    tally: &mut Tally,
) -> Result<(), Stop> {
    // Secrets of one length are easily stored in the wrong order.
    let stored = tally.step("storing the secrets", secrets.to_bytes())?;
    let restored = tally.step("restoring the secrets", EpochSecrets::decode_exact(&stored))?;
    let again = tally.step("storing the secrets", restored.to_bytes())?;
    tally.equal("restored secrets", again, &stored);

    for (what, ours, expected) in [
        ("init_secret", restored.init_secret.as_secret(), &v.init_secret),
        ("sender_data_secret", secrets.sender_data_secret.as_secret(), &v.sender_data_secret),
        ("exporter_secret", secrets.exporter_secret.as_secret(), &v.exporter_secret),
        ("epoch_authenticator", secrets.epoch_authenticator.as_secret(), &v.epoch_authenticator),
        ("external_secret", secrets.external_secret.as_secret(), &v.external_secret),
        ("confirmation_key", secrets.confirmation_key.as_secret(), &v.confirmation_key),
        ("membership_key", secrets.membership_key.as_secret(), &v.membership_key),
        ("resumption_psk", secrets.resumption_psk.as_secret(), &v.resumption_psk),
    ] {
        tally.equal(what, ours, &expected.0);
    }
    let external = tally.step("external_pub", secrets.external_secret.key_pair(suite))?;
    tally.equal("external_pub", external.public(), &v.external_pub.0);
    let (label, context) = (v.exporter.label.as_bytes(), &v.exporter.context.0);
    let exported = secrets.exporter_secret.export(suite, label, context, v.exporter.length);
    let exported = tally.step("exporter", exported)?;
    tally.equal("exporter.secret", exported, &v.exporter.secret.0);
    Ok(())
}

fn secret(hex: &Hex) -> Secret {
    Secret::copy_from(&hex.0)
}
