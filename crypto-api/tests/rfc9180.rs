//! HPKE's known answers. `rfc9180.json` holds the base-mode cases of the CFRG's
//! `test-vectors.json` (revision 5f503c5, which RFC 9180's appendix A prints a part of) whose
//! algorithms a cipher suite of RFC 9420 uses. There is none for suite 7's P-384.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod both;

use std::sync::Arc;

use both::{Always, Both, unhex};
use crypto_api::{HpkeCiphertext, Random};
use serde::Deserialize;

#[derive(Deserialize)]
#[allow(non_snake_case, reason = "the file's names")]
struct Case {
    cipher_suite: u16,
    info: String,
    ikmR: String,
    skRm: String,
    pkRm: String,
    skEm: String,
    enc: String,
    encryption: Encryption,
    exports: Vec<Export>,
}

#[derive(Deserialize)]
struct Encryption {
    aad: String,
    pt: String,
    ct: String,
}

#[derive(Deserialize)]
#[allow(non_snake_case, reason = "the file's names")]
struct Export {
    exporter_context: String,
    L: usize,
    exported_value: String,
}

#[test]
fn known_answers() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("rfc9180.json")).unwrap();
    let suites: Vec<u16> = cases.iter().map(|case| case.cipher_suite).collect();
    assert_eq!(suites, [1, 2, 3, 4, 5, 6]);
    for case in cases {
        let ephemeral: Arc<dyn Random> = Arc::new(Always(unhex(&case.skEm)));
        let both = Both::with_random(&ephemeral);
        for (name, suite) in both.of(case.cipher_suite) {
            let context = format!("{name}, suite {}", case.cipher_suite);
            check(suite, &case, &context);
        }
    }
}

fn check(suite: &dyn crypto_api::Suite, case: &Case, context: &str) {
    let private = suite.derive_key_pair(&unhex(&case.ikmR)).unwrap();
    assert_eq!(private.private().as_slice(), unhex(&case.skRm), "{context}");
    assert_eq!(private.public(), unhex(&case.pkRm), "{context}");

    let info = unhex(&case.info);
    let (front, back) = info.split_at(3);
    let aad = unhex(&case.encryption.aad);
    let plaintext = unhex(&case.encryption.pt);
    let expected =
        HpkeCiphertext { kem_output: unhex(&case.enc), ciphertext: unhex(&case.encryption.ct) };
    let sealed = suite.seal_base(private.public(), &[front, back], &aad, &plaintext);
    assert_eq!(sealed.unwrap(), expected, "{context}");
    let opened = suite.open_base(&private, &expected, &[&info], &aad);
    assert_eq!(opened.unwrap().as_slice(), plaintext, "{context}");

    assert!(!case.exports.is_empty());
    for export in &case.exports {
        let exporter = unhex(&export.exporter_context);
        let (kem_output, sent) =
            suite.send_export(private.public(), &[&info], &exporter, export.L).unwrap();
        assert_eq!(kem_output, expected.kem_output, "{context}");
        assert_eq!(sent.as_slice(), unhex(&export.exported_value), "{context}");
        let received = suite.receive_export(&private, &kem_output, &[&info], &exporter, export.L);
        assert_eq!(received.unwrap(), sent, "{context}");
    }
}
