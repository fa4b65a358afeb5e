//! The working group's `crypto-basics.json`, every suite on every backend that has it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod vectors;

use burrow::crypto::{
    HpkePublicKey, Signature, decrypt_with_label, derive_secret, derive_tree_secret,
    encrypt_with_label, expand_with_label, ref_hash, sign_with_label, verify_with_label,
};
use crypto_api::{CipherSuite, CryptoBackend, CryptoError, HpkeCiphertext, Secret, Suite};
use crypto_aws_lc::AwsLc;
use crypto_rustcrypto::RustCrypto;
use serde::Deserialize;
use vectors::Hex;

#[derive(Deserialize)]
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
struct RefHash {
    label: String,
    value: Hex,
    out: Hex,
}

#[derive(Deserialize)]
struct ExpandWithLabel {
    secret: Hex,
    label: String,
    context: Hex,
    length: usize,
    out: Hex,
}

#[derive(Deserialize)]
struct DeriveSecret {
    secret: Hex,
    label: String,
    out: Hex,
}

#[derive(Deserialize)]
struct DeriveTreeSecret {
    secret: Hex,
    label: String,
    generation: u32,
    length: usize,
    out: Hex,
}

#[derive(Deserialize)]
struct SignWithLabel {
    r#priv: Hex,
    r#pub: Hex,
    content: Hex,
    label: String,
    signature: Hex,
}

#[derive(Deserialize)]
struct EncryptWithLabel {
    r#priv: Hex,
    r#pub: Hex,
    label: String,
    context: Hex,
    plaintext: Hex,
    kem_output: Hex,
    ciphertext: Hex,
}

#[test]
fn crypto_basics() {
    let Some(cases) = vectors::load::<Vec<Case>>("crypto-basics.json") else {
        return;
    };
    let backends: [(&dyn CryptoBackend, &[u16]); 2] = [
        (&RustCrypto::new(), &[1, 2, 3, 4, 5, 6, 7]),
        (&AwsLc::new(), &[1, 2, 3, 5, 7]),
    ];
    for (backend, expected) in backends {
        let mut passed = Vec::new();
        for case in &cases {
            match backend.suite(CipherSuite(case.cipher_suite)) {
                Ok(suite) => {
                    check(suite, case);
                    passed.push(case.cipher_suite);
                }
                Err(error) => assert_eq!(error, CryptoError::Unsupported),
            }
        }
        assert_eq!(passed, expected, "{}", backend.name());
    }
}

fn check(suite: &dyn Suite, case: &Case) {
    let number = case.cipher_suite;
    check_hashing(suite, case);

    let v = &case.sign_with_label;
    let key = suite.signing_key(&v.r#priv.0).unwrap();
    assert_eq!(key.public(), v.r#pub.0, "suite {number}");
    let verifying = suite.verifying_key(&v.r#pub.0).unwrap();
    let label = v.label.as_bytes();
    let content = [&v.content.0[..]];
    let theirs = Signature::from(v.signature.0.clone());
    verify_with_label(suite, &verifying, label, &content, &theirs).unwrap();
    let ours = sign_with_label(suite, &key, label, &content).unwrap();
    verify_with_label(suite, &verifying, label, &content, &ours).unwrap();
    let other = [&v.content.0[1..]];
    assert!(verify_with_label(suite, &verifying, label, &other, &ours).is_err());

    let v = &case.encrypt_with_label;
    let private = suite.private_key(&v.r#priv.0).unwrap();
    assert_eq!(private.public(), v.r#pub.0, "suite {number}");
    suite.check_public_key(&v.r#pub.0).unwrap();
    let theirs = HpkeCiphertext {
        kem_output: v.kem_output.0.clone(),
        ciphertext: v.ciphertext.0.clone(),
    };
    let public = HpkePublicKey::from(v.r#pub.0.clone());
    let label = v.label.as_bytes();
    let ours = encrypt_with_label(suite, &public, label, &v.context.0, &v.plaintext.0).unwrap();
    for ciphertext in [&theirs, &ours] {
        let opened = decrypt_with_label(suite, &private, label, &v.context.0, ciphertext).unwrap();
        assert_eq!(opened.as_slice(), v.plaintext.0, "suite {number}");
        assert!(decrypt_with_label(suite, &private, b"other", &v.context.0, ciphertext).is_err());
    }
}

fn check_hashing(suite: &dyn Suite, case: &Case) {
    let v = &case.ref_hash;
    let out = ref_hash(suite, v.label.as_bytes(), &v.value.0).unwrap();
    assert_eq!(out.as_slice(), v.out.0);

    let v = &case.expand_with_label;
    let secret = Secret::copy_from(&v.secret.0);
    let out = expand_with_label(suite, &secret, v.label.as_bytes(), &v.context.0, v.length);
    assert_eq!(out.unwrap().as_slice(), v.out.0);

    let v = &case.derive_secret;
    let secret = Secret::copy_from(&v.secret.0);
    let out = derive_secret(suite, &secret, v.label.as_bytes()).unwrap();
    assert_eq!(out.as_slice(), v.out.0);

    let v = &case.derive_tree_secret;
    let secret = Secret::copy_from(&v.secret.0);
    let label = v.label.as_bytes();
    let out = derive_tree_secret(suite, &secret, label, v.generation, v.length).unwrap();
    assert_eq!(out.as_slice(), v.out.0);
}
