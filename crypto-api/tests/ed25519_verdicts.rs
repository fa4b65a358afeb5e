//! Ed25519 signatures that implementations are known to disagree on, made to order: all
//! backends give the verdict that `Suite::verify` documents.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod both;

use both::Both;
use crypto_api::{CryptoError, Suite, rules};
use curve25519_dalek::{
    EdwardsPoint, Scalar, constants::ED25519_BASEPOINT_POINT, constants::EIGHT_TORSION,
    edwards::CompressedEdwardsY,
};
use sha2::{Digest, Sha512};

const ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

fn challenge(r: &[u8; 32], public: &[u8; 32], message: &[u8]) -> Scalar {
    let hash = Sha512::new().chain_update(r).chain_update(public).chain_update(message).finalize();
    Scalar::from_bytes_mod_order_wide(&hash.into())
}

fn signature(r: &[u8; 32], s: &[u8; 32]) -> Vec<u8> {
    [&r[..], s].concat()
}

/// The verdict of the backends, which has to be the same, on the key and the signature.
fn verdict(public: &[u8], message: &[u8], signature: &[u8]) -> bool {
    let both = Both::new();
    let verdicts: Vec<bool> = both
        .of(1)
        .into_iter()
        .map(|(_, suite)| verify(suite, public, message, signature).is_ok())
        .collect();
    assert!(verdicts.iter().all(|verdict| *verdict == verdicts[0]), "{verdicts:?}");
    verdicts[0]
}

fn verify(
    suite: &dyn Suite,
    public: &[u8],
    message: &[u8],
    signature: &[u8],
) -> Result<(), CryptoError> {
    suite.verify(&suite.verifying_key(public)?, message, signature)
}

/// A private scalar, a nonce, and the points to them.
fn honest() -> (Scalar, Scalar, EdwardsPoint, EdwardsPoint) {
    let (a, r) = (Scalar::from(0x1234_5678_u64), Scalar::from(0x9abc_def0_u64));
    (a, r, ED25519_BASEPOINT_POINT * a, ED25519_BASEPOINT_POINT * r)
}

fn multiple_of_eight(k: &Scalar) -> bool {
    k.as_bytes()[0] & 7 == 0
}

#[test]
fn an_honest_signature_is_good() {
    let (a, r, public, nonce) = honest();
    let (public, nonce) = (public.compress().0, nonce.compress().0);
    let s = r + challenge(&nonce, &public, b"m") * a;
    assert!(verdict(&public, b"m", &signature(&nonce, s.as_bytes())));
}

#[test]
fn s_has_one_form() {
    let (a, r, public, nonce) = honest();
    let (public, nonce) = (public.compress().0, nonce.compress().0);
    let mut s = (r + challenge(&nonce, &public, b"m") * a).to_bytes();
    let mut carry = 0;
    for (byte, order) in s.iter_mut().zip(ORDER) {
        let sum = u16::from(*byte) + u16::from(order) + carry;
        (*byte, carry) = (sum as u8, sum >> 8);
    }
    assert!(!verdict(&public, b"m", &signature(&nonce, &s)));
    assert!(!verdict(&public, b"m", &signature(&nonce, &ORDER)));
}

/// With a small-order key, a signature can be good on any message.
#[test]
fn keys_of_small_order_are_refused() {
    let (_, r, _, nonce) = honest();
    let nonce = nonce.compress().0;
    let both = Both::new();
    for torsion in EIGHT_TORSION {
        let public = torsion.compress().0;
        let message = (0..u64::MAX)
            .map(u64::to_be_bytes)
            .find(|message| multiple_of_eight(&challenge(&nonce, &public, message)))
            .unwrap();
        // [S]B = R + [k]A holds, since [k]A is the identity.
        assert!(!verdict(&public, &message, &signature(&nonce, r.as_bytes())));
        for (_, suite) in both.of(1) {
            let key = suite.verifying_key(&public);
            assert_eq!(key.err(), Some(CryptoError::Rejected));
        }
    }
}

/// A key with a small-order component is no help to its owner, and is judged by the equation
/// without the cofactor: good if, and only if, [k] takes the component away.
#[test]
fn keys_of_mixed_order_are_judged_without_the_cofactor() {
    let (a, r, public, nonce) = honest();
    let nonce = nonce.compress().0;
    for torsion in &EIGHT_TORSION[1..] {
        let public = (public + torsion).compress().0;
        let (mut good, mut bad) = (0, 0);
        for message in (0..64_u64).map(u64::to_be_bytes) {
            let k = challenge(&nonce, &public, &message);
            let s = r + k * a;
            let expected = EdwardsPoint::default() == torsion * k;
            let seen = verdict(&public, &message, &signature(&nonce, s.as_bytes()));
            assert_eq!(seen, expected);
            if expected { good += 1 } else { bad += 1 }
        }
        assert!(good > 0 && bad > 0, "{good} good, {bad} bad");
    }
}

/// The signatures that Ed25519's batch equation, and any with the cofactor, would let pass.
#[test]
fn an_r_of_mixed_order_is_refused() {
    let (a, r, public, nonce) = honest();
    let public = public.compress().0;
    for torsion in &EIGHT_TORSION[1..] {
        let nonce = (nonce + torsion).compress().0;
        let s = r + challenge(&nonce, &public, b"m") * a;
        assert!(!verdict(&public, b"m", &signature(&nonce, s.as_bytes())));
    }
}

#[test]
fn an_r_of_small_order_is_refused() {
    let (a, _, public, _) = honest();
    let public = public.compress().0;
    for torsion in EIGHT_TORSION {
        let nonce = torsion.compress().0;
        // For the identity, [S]B = R + [k]A holds.
        let s = challenge(&nonce, &public, b"m") * a;
        assert!(!verdict(&public, b"m", &signature(&nonce, s.as_bytes())));
    }
}

/// All encodings with y at or above the prime, and x = 0 with the sign set.
#[test]
fn encodings_that_are_not_canonical_are_refused() {
    let (a, r, public, nonce) = honest();
    let both = Both::new();
    let mut encodings = Vec::new();
    for low in 0xed..=0xff {
        for top in [0x7f, 0xff] {
            let mut encoding = [0xff; 32];
            encoding[0] = low;
            encoding[31] = top;
            encodings.push(encoding);
        }
    }
    let mut negative_zero = EdwardsPoint::default().compress().0;
    negative_zero[31] |= 0x80;
    encodings.push(negative_zero);
    let mut on_the_curve = 0;
    for encoding in &encodings {
        assert_eq!(rules::ed25519_point(encoding), Err(CryptoError::Rejected));
        for (_, suite) in both.of(1) {
            let key = suite.verifying_key(encoding);
            assert_eq!(key.err(), Some(CryptoError::Rejected));
        }
        // As R, next to an honest key, with an S that fits if R is read leniently.
        let s = r + challenge(encoding, &public.compress().0, b"m") * a;
        let signature = signature(encoding, s.as_bytes());
        assert!(!verdict(&public.compress().0, b"m", &signature));
        let lenient = CompressedEdwardsY(*encoding).decompress();
        on_the_curve += usize::from(lenient.is_some());
    }
    // Else the test would show nothing.
    assert!(on_the_curve > 10, "{on_the_curve}");
    assert_eq!(rules::ed25519_point(&public.compress().0), Ok(()));
    assert_eq!(rules::ed25519_point(&nonce.compress().0), Ok(()));
}

#[test]
fn the_rules_know_all_points_of_small_order() {
    for torsion in EIGHT_TORSION {
        let refused = rules::ed25519_point(&torsion.compress().0);
        assert_eq!(refused, Err(CryptoError::Rejected));
        let montgomery = torsion.to_montgomery().0;
        assert!(rules::x25519_public_key(&montgomery).is_err());
    }
}
