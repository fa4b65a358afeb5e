//! Labelled functions, key schedule, secret tree and PSKs (sections 5, 8 and 9).

use burrow::Result;
use burrow::crypto::{
    HpkePublicKey, derive_secret, derive_tree_secret, encrypt_with_label, expand_with_label,
    ref_hash, sign_with_label,
};
use crypto_api::{Secret, Suite};
use serde_json::{Value, json};

use super::{bytes, expand, group_of, secret_hex};
use crate::own::forging::{Psk, opaque, psk_secret, random, struct_of};
use crate::own::generate::hex;

pub(super) fn crypto_basics(suite: &dyn Suite, _: usize) -> Result<Value> {
    const LABEL: &str = "a label";
    let label = LABEL.as_bytes();
    let (value, context) = (bytes(suite, 77)?, bytes(suite, 33)?);
    let secret = random(suite)?;
    let signer = suite.generate_signing_key()?;
    let content = bytes(suite, 65)?;
    let signature = sign_with_label(suite, &signer, label, &[&content])?;
    let key = suite.generate_key_pair()?;
    let public = HpkePublicKey::from(key.public());
    let plaintext = bytes(suite, 100)?;
    let sealed = encrypt_with_label(suite, &public, label, &context, &plaintext)?;
    Ok(json!({
        "cipher_suite": suite.cipher_suite().0,
        "ref_hash": {
            "label": LABEL,
            "value": hex(&value),
            "out": hex(ref_hash(suite, label, &value)?.as_slice()),
        },
        "expand_with_label": {
            "secret": secret_hex(&secret),
            "label": LABEL,
            "context": hex(&context),
            "length": 50,
            "out": secret_hex(&expand_with_label(suite, &secret, label, &context, 50)?),
        },
        "derive_secret": {
            "secret": secret_hex(&secret),
            "label": LABEL,
            "out": secret_hex(&derive_secret(suite, &secret, label)?),
        },
        "derive_tree_secret": {
            "secret": secret_hex(&secret),
            "label": LABEL,
            "generation": 0x0102_0304,
            "length": 20,
            "out": secret_hex(&derive_tree_secret(suite, &secret, label, 0x0102_0304, 20)?),
        },
        "sign_with_label": {
            "priv": secret_hex(signer.private()),
            "pub": hex(signer.public()),
            "content": hex(&content),
            "label": LABEL,
            "signature": hex(signature.as_slice()),
        },
        "encrypt_with_label": {
            "priv": secret_hex(key.private()),
            "pub": hex(key.public()),
            "label": LABEL,
            "context": hex(&context),
            "plaintext": hex(&plaintext),
            "kem_output": hex(&sealed.kem_output),
            "ciphertext": hex(&sealed.ciphertext),
        },
    }))
}

pub(super) fn key_schedule(suite: &dyn Suite, _: usize) -> Result<Value> {
    let group_id = bytes(suite, 16)?;
    let initial = random(suite)?;
    let mut init = initial.clone();
    let mut epochs = Vec::new();
    for epoch in 0..3_u64 {
        let (next, value) = scheduled(suite, &group_id, epoch, &init)?;
        init = next;
        epochs.push(value);
    }
    Ok(json!({
        "cipher_suite": suite.cipher_suite().0,
        "group_id": hex(&group_id),
        "initial_init_secret": secret_hex(&initial),
        "epochs": epochs,
    }))
}

/// The init_secret for the next epoch, and what the file says of this one.
fn scheduled(
    suite: &dyn Suite,
    group_id: &[u8],
    epoch: u64,
    init: &Secret,
) -> Result<(Secret, Value)> {
    let (tree_hash, transcript) = (bytes(suite, suite.kdf_nh())?, bytes(suite, suite.kdf_nh())?);
    let (commit, psk) = (random(suite)?, random(suite)?);
    let context = struct_of(&[
        &[0, 1],
        &suite.cipher_suite().0.to_be_bytes(),
        &opaque(group_id)?,
        &epoch.to_be_bytes(),
        &opaque(&tree_hash)?,
        &opaque(&transcript)?,
        &[0],
    ]);
    let extracted = suite.extract(init.as_slice(), &[commit.as_slice()]);
    let joiner = expand(suite, &extracted, b"joiner", &context)?;
    let member = suite.extract(joiner.as_slice(), &[psk.as_slice()]);
    let epoch_secret = expand(suite, &member, b"epoch", &context)?;
    let derived = |label: &[u8]| derive_secret(suite, &epoch_secret, label);
    let (next, exporter) = (derived(b"init")?, derived(b"exporter")?);
    let external = derived(b"external")?;
    let external_key = suite.derive_key_pair(external.as_slice())?;
    let (label, exported_context) = ("exported", bytes(suite, 32)?);
    let exporting = derive_secret(suite, &exporter, label.as_bytes())?;
    let digest = suite.hash(&[&exported_context]);
    let exported = expand_with_label(suite, &exporting, b"exported", digest.as_slice(), 40)?;
    let value = json!({
        "tree_hash": hex(&tree_hash),
        "commit_secret": secret_hex(&commit),
        "psk_secret": secret_hex(&psk),
        "confirmed_transcript_hash": hex(&transcript),
        "group_context": hex(&context),
        "joiner_secret": secret_hex(&joiner),
        "welcome_secret": secret_hex(&derive_secret(suite, &member, b"welcome")?),
        "init_secret": secret_hex(&next),
        "sender_data_secret": secret_hex(&derived(b"sender data")?),
        "encryption_secret": secret_hex(&derived(b"encryption")?),
        "exporter_secret": secret_hex(&exporter),
        "epoch_authenticator": secret_hex(&derived(b"authentication")?),
        "external_secret": secret_hex(&external),
        "confirmation_key": secret_hex(&derived(b"confirm")?),
        "membership_key": secret_hex(&derived(b"membership")?),
        "resumption_psk": secret_hex(&derived(b"resumption")?),
        "external_pub": hex(external_key.public()),
        "exporter": {
            "label": label,
            "context": hex(&exported_context),
            "length": 40,
            "secret": secret_hex(&exported),
        },
    });
    Ok((next, value))
}

pub(super) fn secret_tree(suite: &dyn Suite, _: usize) -> Result<Value> {
    let (group, members) = group_of(suite, 3)?;
    let ciphertext = bytes(suite, 77)?;
    let sample = &ciphertext[..suite.kdf_nh()];
    let sender_data = group.secret(b"sender data")?;
    let expand = |label, length| expand_with_label(suite, &sender_data, label, sample, length);
    let mut leaves = Vec::new();
    // The vectors have an entry for each leaf of the tree, blank ones included.
    for leaf in 0..members.len().next_power_of_two() as u32 {
        let mut generations = Vec::new();
        for generation in [0, 15] {
            let [key, nonce] = group.message_key(leaf, b"handshake", generation)?;
            let [application_key, application_nonce] =
                group.message_key(leaf, b"application", generation)?;
            generations.push(json!({
                "generation": generation,
                "handshake_key": secret_hex(&key),
                "handshake_nonce": secret_hex(&nonce),
                "application_key": secret_hex(&application_key),
                "application_nonce": secret_hex(&application_nonce),
            }));
        }
        leaves.push(generations);
    }
    Ok(json!({
        "cipher_suite": suite.cipher_suite().0,
        "sender_data": {
            "sender_data_secret": secret_hex(&sender_data),
            "ciphertext": hex(&ciphertext),
            "key": secret_hex(&expand(b"key", suite.aead_nk())?),
            "nonce": secret_hex(&expand(b"nonce", suite.aead_nn())?),
        },
        "encryption_secret": secret_hex(&group.secret(b"encryption")?),
        "leaves": leaves,
    }))
}

pub(super) fn psks(suite: &dyn Suite, _: usize) -> Result<Value> {
    let mut psks = Vec::new();
    let mut values = Vec::new();
    for _ in 0..3 {
        let (id, nonce) = (bytes(suite, 20)?, bytes(suite, suite.kdf_nh())?);
        let secret = random(suite)?;
        values.push(json!({
            "psk_id": hex(&id),
            "psk": secret_hex(&secret),
            "psk_nonce": hex(&nonce),
        }));
        psks.push(Psk::external(&id, nonce, secret)?);
    }
    Ok(json!({
        "cipher_suite": suite.cipher_suite().0,
        "psks": values,
        "psk_secret": secret_hex(&psk_secret(suite, &psks)?),
    }))
}
