//! The post-quantum suites' files by an implementation of HPKE and its KEMs that has nothing of ours: the
//! `hpke` crate opens what is encrypted, derives the external keys, and has the same public keys.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crypto_api::{CipherSuite, PqSuite, PqSuites};
use hpke::{
    Deserializable, Kem, OpModeR, Serializable,
    aead::{Aead, AesGcm128, AesGcm256, ChaCha20Poly1305},
    kdf::{HkdfSha256, HkdfSha384, Kdf},
    kem::{MlKem768, MlKem768P256, MlKem1024, MlKem1024P384, XWing},
};
use serde_json::Value;
use vectors::{POST_QUANTUM_FILES, post_quantum_cases};

#[test]
fn another_implementation_agrees() {
    let (basics, schedules) = (cases("crypto-basics.json"), cases("key-schedule.json"));
    assert_eq!((basics.len(), schedules.len()), (12, 12));
    for (basics, schedule) in basics.iter().zip(&schedules) {
        let suite = suite_of(basics);
        assert_eq!(suite, suite_of(schedule));
        let algorithms = suite.algorithms();
        let check = match (algorithms.kem_id, algorithms.kdf_id, algorithms.aead_id) {
            (0x647a, 1, 1) => agrees::<XWing, HkdfSha256, AesGcm128>,
            (0x647a, 2, 2) => agrees::<XWing, HkdfSha384, AesGcm256>,
            (0x647a, 2, 3) => agrees::<XWing, HkdfSha384, ChaCha20Poly1305>,
            (0x647a, 1, 3) => agrees::<XWing, HkdfSha256, ChaCha20Poly1305>,
            (0x0050, 1, 1) => agrees::<MlKem768P256, HkdfSha256, AesGcm128>,
            (0x0050, 2, 2) => agrees::<MlKem768P256, HkdfSha384, AesGcm256>,
            (0x0051, 2, 2) => agrees::<MlKem1024P384, HkdfSha384, AesGcm256>,
            (0x0041, 2, 2) => agrees::<MlKem768, HkdfSha384, AesGcm256>,
            (0x0042, 2, 2) => agrees::<MlKem1024, HkdfSha384, AesGcm256>,
            other => panic!("no such combination: {other:?}"),
        };
        check(suite, &basics["encrypt_with_label"], schedule);
    }
}

fn agrees<K: Kem, D: Kdf, A: Aead>(suite: PqSuite, sealed: &Value, schedule: &Value) {
    let private = K::PrivateKey::from_bytes(&bytes(&sealed["priv"])).unwrap();
    let public = K::sk_to_pk(&private).to_bytes();
    assert_eq!(public[..], bytes(&sealed["pub"]), "{}", suite.name());
    let output = K::EncappedKey::from_bytes(&bytes(&sealed["kem_output"])).unwrap();
    let label = format!("MLS 1.0 {}", sealed["label"].as_str().unwrap());
    let info = [opaque(label.as_bytes()), opaque(&bytes(&sealed["context"]))].concat();
    let ciphertext = bytes(&sealed["ciphertext"]);
    let mode = OpModeR::Base;
    let opened =
        hpke::single_shot_open::<A, D, K>(&mode, &private, &output, &info, &ciphertext, b"");
    assert_eq!(opened.unwrap(), bytes(&sealed["plaintext"]), "{}", suite.name());

    for epoch in schedule["epochs"].as_array().unwrap() {
        let (_, public) = K::derive_keypair(&bytes(&epoch["external_secret"]));
        // OpenMLS's suite has OpenMLS's derivation, which the crate hasn't.
        let alike = suite != PqSuite::XWingChaCha20Sha256Ed25519;
        assert_eq!(
            public.to_bytes()[..] == bytes(&epoch["external_pub"]),
            alike,
            "{}",
            suite.name()
        );
    }
}

fn cases(name: &str) -> Vec<Value> {
    let file = POST_QUANTUM_FILES.iter().find(|file| file.file.name == name).unwrap();
    post_quantum_cases(file).unwrap()
}

fn suite_of(case: &Value) -> PqSuite {
    let number = case["cipher_suite"].as_u64().unwrap() as u16;
    PqSuites::default().suite(CipherSuite(number)).unwrap()
}

fn bytes(text: &Value) -> Vec<u8> {
    let text = text.as_str().unwrap();
    let digits = (0..text.len()).step_by(2);
    digits.map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

/// `opaque<V>` of less than 64 bytes.
fn opaque(bytes: &[u8]) -> Vec<u8> {
    assert!(bytes.len() < 64);
    [&[bytes.len() as u8], bytes].concat()
}
