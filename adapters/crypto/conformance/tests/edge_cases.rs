//! What each library says by itself of the Ed25519 edge cases, and what its backend says under the
//! contract's rules. The first is the table in `docs/crypto-libraries.md`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crypto_api::primitives::SignatureScheme;
use crypto_conformance::{EdgeCase, ed25519_edge_cases};

/// A library's verdict.
type Verify = fn(&EdgeCase) -> bool;

fn libraries() -> Vec<(&'static str, Verify)> {
    let mut libraries: Vec<(&'static str, Verify)> = vec![
        ("aws-lc", |case| {
            aws_lc_rs::signature::UnparsedPublicKey::new(
                &aws_lc_rs::signature::ED25519,
                case.public,
            )
            .verify(&case.message, &case.signature)
            .is_ok()
        }),
        ("dalek `verify`", |case| {
            use ed25519_dalek::Verifier;
            let signature = ed25519_dalek::Signature::from_bytes(&case.signature);
            ed25519_dalek::VerifyingKey::from_bytes(&case.public)
                .is_ok_and(|key| key.verify(&case.message, &signature).is_ok())
        }),
        ("dalek `verify_strict`", |case| {
            let signature = ed25519_dalek::Signature::from_bytes(&case.signature);
            ed25519_dalek::VerifyingKey::from_bytes(&case.public)
                .is_ok_and(|key| key.verify_strict(&case.message, &signature).is_ok())
        }),
        ("libcrux", |case| {
            libcrux_ed25519::verify(&case.message, &case.public, &case.signature).is_ok()
        }),
        ("dryoc", |case| {
            dryoc::classic::crypto_sign::crypto_sign_verify_detached(
                &case.signature,
                &case.message,
                &case.public,
            )
            .is_ok()
        }),
        ("fiat", |case| {
            crypto_fiat::ed25519::VerifyingKey::from_bytes(&case.public)
                .is_ok_and(|key| key.verify(&case.message, &case.signature).is_ok())
        }),
    ];
    if crypto_graviola::is_supported() {
        libraries.push(("graviola", |case| {
            graviola::signing::eddsa::Ed25519VerifyingKey::from_bytes(&case.public)
                .is_ok_and(|key| key.verify(&case.signature, &case.message).is_ok())
        }));
    }
    #[cfg(feature = "sodium")]
    libraries.push(("libsodium", |case| {
        crypto_sodium::ed25519_verify(&case.public, &case.message, &case.signature).is_ok()
    }));
    libraries
}

/// By case, then by library.
fn verdicts() -> Vec<(&'static str, Vec<(&'static str, bool)>)> {
    let of = |case: &EdgeCase| {
        libraries().into_iter().map(|(library, verify)| (library, verify(case))).collect()
    };
    ed25519_edge_cases().iter().map(|case| (case.name, of(case))).collect()
}

/// Each line of the document's table is what was computed here, column by column. libsodium's column
/// is compared when it is compiled, graviola's where it runs.
#[test]
fn the_documents_table_is_what_libraries_say() {
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/crypto-libraries.md");
    let document = std::fs::read_to_string(document).unwrap();
    let verdicts = verdicts();
    let names: Vec<_> = verdicts[0].1.iter().map(|(library, _)| *library).collect();
    println!("| case | {} |", names.join(" | "));
    for (case, verdicts) in &verdicts {
        let words = verdicts.iter().map(|(_, good)| if *good { "accepts" } else { "refuses" });
        println!("| {case} | {} |", words.collect::<Vec<_>>().join(" | "));
    }
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let mut lines = document.lines().skip_while(|line| !line.starts_with("| case |"));
    let header = cells(lines.next().unwrap());
    let rows: Vec<_> = lines.skip(1).take_while(|line| line.starts_with('|')).map(cells).collect();
    assert_eq!(rows.len(), verdicts.len());
    for ((case, verdicts), row) in verdicts.iter().zip(&rows) {
        assert_eq!(case, &row[0]);
        for (library, good) in verdicts {
            let column = header.iter().position(|name| name == library).unwrap();
            let expected = if *good { "accepts" } else { "refuses" };
            assert_eq!(row[column], expected, "{case}: {library}");
        }
    }
}

/// The cases are of use: on most of them libraries disagree, and each accepts the ordinary one.
#[test]
fn libraries_disagree() {
    let verdicts = verdicts();
    let (_, ordinary) = &verdicts[0];
    assert!(ordinary.iter().all(|(_, good)| *good));
    let disputed = verdicts
        .iter()
        .filter(|(_, verdicts)| verdicts.iter().any(|(_, good)| *good != verdicts[0].1))
        .count();
    assert!(disputed >= 5, "{disputed}");
}

/// Under the contract's rules, all give one verdict.
#[test]
fn backends_agree() {
    fn check<S: SignatureScheme>(library: &str) {
        for case in ed25519_edge_cases() {
            let verdict = S::verifying_key(&case.public)
                .and_then(|key| S::verify(&key, &case.message, &case.signature));
            assert_eq!(verdict.is_ok(), case.accepted, "{library}: {}", case.name);
        }
    }
    check::<crypto_aws_lc::signature::Ed25519>("aws-lc");
    check::<crypto_rustcrypto::signature::Ed25519>("rustcrypto");
    check::<crypto_libcrux::signature::Ed25519>("libcrux");
    check::<crypto_dryoc::signature::Ed25519>("dryoc");
    check::<crypto_fiat::signature::Ed25519>("fiat");
    if crypto_graviola::is_supported() {
        check::<crypto_graviola::signature::Ed25519>("graviola");
    }
    #[cfg(feature = "sodium")]
    check::<crypto_sodium::signature::Ed25519>("sodium");
}
