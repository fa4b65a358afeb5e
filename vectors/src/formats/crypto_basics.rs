//! `crypto-basics.json`: the labelled functions.

use burrow::crypto::{
    HpkePublicKey, Signature, decrypt_with_label, derive_secret, derive_tree_secret,
    encrypt_with_label, expand_with_label, ref_hash, sign_with_label, verify_with_label,
};
use crypto_api::{HpkeCiphertext, Secret, Suite};
use serde::Deserialize;
use serde_json::Value;

use crate::hex::Hex;
use crate::run::Bench;
use crate::{Stop, Tally};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    cipher_suite: u16,
    ref_hash: RefHash,
    expand_with_label: ExpandWithLabel,
    derive_secret: DeriveSecret,
    derive_tree_secret: DeriveTreeSecret,
    sign_with_label: SignWithLabel,
    encrypt_with_label: EncryptWithLabel,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RefHash {
    label: String,
    value: Hex,
    out: Hex,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpandWithLabel {
    secret: Hex,
    label: String,
    context: Hex,
    length: usize,
    out: Hex,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeriveSecret {
    secret: Hex,
    label: String,
    out: Hex,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeriveTreeSecret {
    secret: Hex,
    label: String,
    generation: u32,
    length: usize,
    out: Hex,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SignWithLabel {
    r#priv: Hex,
    r#pub: Hex,
    content: Hex,
    label: String,
    signature: Hex,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EncryptWithLabel {
    r#priv: Hex,
    r#pub: Hex,
    label: String,
    context: Hex,
    plaintext: Hex,
    kem_output: Hex,
    ciphertext: Hex,
}

pub(crate) fn check(bench: &Bench<'_>, case: &Value, tally: &mut Tally) -> Result<(), Stop> {
    let case: Case = super::read(case, tally)?;
    check_derivations(bench.suite, &case, tally)?;
    check_signature(bench.suite, case.cipher_suite, &case.sign_with_label, tally)?;
    check_encryption(bench.suite, case.cipher_suite, &case.encrypt_with_label, tally)
}

fn check_derivations(suite: &dyn Suite, case: &Case, tally: &mut Tally) -> Result<(), Stop> {
    let v = &case.ref_hash;
    let out = tally.step("ref_hash", ref_hash(suite, v.label.as_bytes(), &v.value.0))?;
    tally.equal("ref_hash.out", out.as_slice(), &v.out.0);

    let v = &case.expand_with_label;
    let secret = Secret::copy_from(&v.secret.0);
    let out = expand_with_label(suite, &secret, v.label.as_bytes(), &v.context.0, v.length);
    let out = tally.step("expand_with_label", out)?;
    tally.equal("expand_with_label.out", out, &v.out.0);

    let v = &case.derive_secret;
    let secret = Secret::copy_from(&v.secret.0);
    let out = derive_secret(suite, &secret, v.label.as_bytes());
    let out = tally.step("derive_secret", out)?;
    tally.equal("derive_secret.out", out, &v.out.0);

    let v = &case.derive_tree_secret;
    let (secret, label) = (Secret::copy_from(&v.secret.0), v.label.as_bytes());
    let out = derive_tree_secret(suite, &secret, label, v.generation, v.length);
    let out = tally.step("derive_tree_secret", out)?;
    tally.equal("derive_tree_secret.out", out, &v.out.0);
    Ok(())
}

fn check_signature(
    suite: &dyn Suite,
    number: u16,
    v: &SignWithLabel,
    tally: &mut Tally,
) -> Result<(), Stop> {
    let private = super::private_key(number, &v.r#priv.0);
    let key = tally.step("sign_with_label.priv", suite.signing_key(&private))?;
    tally.equal("sign_with_label.pub", key.public(), &v.r#pub.0);
    let verifying = tally.step("sign_with_label.pub", suite.verifying_key(&v.r#pub.0))?;
    let (label, content) = (v.label.as_bytes(), [&v.content.0[..]]);
    let theirs = Signature::from(v.signature.0.clone());
    let verify = |content: &[&[u8]], signature: &Signature| {
        verify_with_label(suite, &verifying, label, content, signature)
    };
    tally.must("sign_with_label.signature", verify(&content, &theirs))?;
    let ours = sign_with_label(suite, &key, label, &content);
    let ours = tally.step("our signature", ours)?;
    tally.must("our signature", verify(&content, &ours))?;
    let longer = [&v.content.0[..], &[0]];
    tally.refused("their signature on something else", verify(&longer, &theirs));
    tally.refused("our signature on something else", verify(&longer, &ours));
    Ok(())
}

fn check_encryption(
    suite: &dyn Suite,
    number: u16,
    v: &EncryptWithLabel,
    tally: &mut Tally,
) -> Result<(), Stop> {
    let private = super::private_key(number, &v.r#priv.0);
    let private = tally.step("encrypt_with_label.priv", suite.private_key(&private))?;
    tally.equal("encrypt_with_label.pub", private.public(), &v.r#pub.0);
    tally.must("encrypt_with_label.pub", suite.check_public_key(&v.r#pub.0))?;
    let theirs =
        HpkeCiphertext { kem_output: v.kem_output.0.clone(), ciphertext: v.ciphertext.0.clone() };
    let public = HpkePublicKey::from(v.r#pub.0.clone());
    let (label, context) = (v.label.as_bytes(), &v.context.0);
    let ours = encrypt_with_label(suite, &public, label, context, &v.plaintext.0);
    let ours = tally.step("our ciphertext", ours)?;
    for (what, ciphertext) in [("their ciphertext", &theirs), ("our ciphertext", &ours)] {
        let opened = decrypt_with_label(suite, &private, label, context, ciphertext);
        let opened = tally.step(what, opened)?;
        tally.equal(what, opened, &v.plaintext.0);
        let other = decrypt_with_label(suite, &private, b"other", context, ciphertext);
        tally.refused("another label", other);
    }
    Ok(())
}
