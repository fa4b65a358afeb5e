//! Ed25519 signatures that libraries give different verdicts on, made to order.
//!
//! RFC 8032 leaves open whether the equation is multiplied by the cofactor, and libraries differ in what
//! they check before it: whether `S` is below the order, whether `A` and `R` are encoded canonically,
//! whether they may be of small order. Each case here is good by one reading and bad by another.
//! [`crypto-api`]'s rules make all backends give one verdict; the tests of this crate hold what the
//! libraries say by themselves.
//!
//! [`crypto-api`]: ../crypto_api/rules/index.html
#![forbid(unsafe_code)]

use curve25519_dalek::{
    EdwardsPoint, Scalar,
    constants::{ED25519_BASEPOINT_POINT, EIGHT_TORSION},
};
use sha2::{Digest, Sha512};

/// A signature, and why libraries disagree on it.
pub struct EdgeCase {
    /// What is unusual.
    pub name: &'static str,
    /// The public key, `A`.
    pub public: [u8; 32],
    /// The message.
    pub message: Vec<u8>,
    /// The signature: `R`, then `S`.
    pub signature: [u8; 64],
    /// The verdict of the contract.
    pub accepted: bool,
}

/// The group's order, little-endian.
const ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

/// What a signer has who is honest but for the case.
struct Signer {
    private: Scalar,
    nonce: Scalar,
    public: EdwardsPoint,
    commitment: EdwardsPoint,
}

impl Signer {
    fn new() -> Self {
        let (private, nonce) = (Scalar::from(0x1234_5678_u64), Scalar::from(0x9abc_def0_u64));
        let base = ED25519_BASEPOINT_POINT;
        Self { private, nonce, public: base * private, commitment: base * nonce }
    }
}

/// `k`: the hash of `R`, `A` and the message.
fn challenge(r: &[u8; 32], public: &[u8; 32], message: &[u8]) -> Scalar {
    let hash = Sha512::new().chain_update(r).chain_update(public).chain_update(message).finalize();
    Scalar::from_bytes_mod_order_wide(&hash.into())
}

/// The first number whose bytes, as a message, make a challenge that is or isn't a multiple of eight.
fn message(r: &[u8; 32], public: &[u8; 32], multiple_of_eight: bool) -> Vec<u8> {
    (0..u64::MAX)
        .map(|number| number.to_be_bytes().to_vec())
        .find(|message| (challenge(r, public, message).as_bytes()[0] & 7 == 0) == multiple_of_eight)
        .unwrap_or_default()
}

fn case(
    name: &'static str,
    public: [u8; 32],
    message: Vec<u8>,
    r: [u8; 32],
    s: [u8; 32],
) -> EdgeCase {
    let mut signature = [0; 64];
    signature[..32].copy_from_slice(&r);
    signature[32..].copy_from_slice(&s);
    EdgeCase { name, public, message, signature, accepted: false }
}

/// The cases.
#[must_use]
pub fn ed25519_edge_cases() -> Vec<EdgeCase> {
    let mut cases = honest_keys();
    cases.extend(small_order());
    cases.extend(mixed_order());
    cases.extend(not_canonical());
    cases
}

/// A good signature, and the same with `S` written as `S + L`.
fn honest_keys() -> Vec<EdgeCase> {
    let signer = Signer::new();
    let (public, r) = (signer.public.compress().0, signer.commitment.compress().0);
    let s = (signer.nonce + challenge(&r, &public, b"m") * signer.private).to_bytes();
    let mut beyond = s;
    let mut carry = 0;
    for (byte, order) in beyond.iter_mut().zip(ORDER) {
        let sum = u16::from(*byte) + u16::from(order) + carry;
        (*byte, carry) = (sum as u8, sum >> 8);
    }
    let good = case("an ordinary signature", public, b"m".to_vec(), r, s);
    vec![
        EdgeCase { accepted: true, ..good },
        case("`S` is not below the order", public, b"m".to_vec(), r, beyond),
    ]
}

/// `A` or `R` is one of the eight points of small order, canonically encoded.
fn small_order() -> Vec<EdgeCase> {
    let signer = Signer::new();
    let (public, r) = (signer.public.compress().0, signer.commitment.compress().0);
    let torsion = EIGHT_TORSION[1].compress().0;
    let identity = EIGHT_TORSION[0].compress().0;
    // [8k]A is the identity, or [k]A is, so that S = r fits.
    let either = message(&r, &torsion, true);
    let only_cofactored = message(&r, &torsion, false);
    let of_r = challenge(&identity, &public, b"m") * signer.private;
    let nonce = signer.nonce.to_bytes();
    vec![
        case("`A` of small order, both equations hold", torsion, either, r, nonce),
        case(
            "`A` of small order, only the one with the cofactor holds",
            torsion,
            only_cofactored,
            r,
            nonce,
        ),
        case(
            "`R` of small order, both equations hold",
            public,
            b"m".to_vec(),
            identity,
            of_r.to_bytes(),
        ),
        case("`A` and `R` of small order, `S` is 0", identity, b"m".to_vec(), identity, [0; 32]),
    ]
}

/// `A` or `R` has a component of small order.
fn mixed_order() -> Vec<EdgeCase> {
    let signer = Signer::new();
    let r = signer.commitment.compress().0;
    let public = (signer.public + EIGHT_TORSION[1]).compress().0;
    let mut cases = Vec::new();
    for (name, multiple) in [
        ("`A` of mixed order, both equations hold", true),
        ("`A` of mixed order, only the one with the cofactor holds", false),
    ] {
        let message = message(&r, &public, multiple);
        let s = signer.nonce + challenge(&r, &public, &message) * signer.private;
        let case = case(name, public, message, r, s.to_bytes());
        cases.push(EdgeCase { accepted: multiple, ..case });
    }
    let (public, r) =
        (signer.public.compress().0, (signer.commitment + EIGHT_TORSION[1]).compress().0);
    let s = signer.nonce + challenge(&r, &public, b"m") * signer.private;
    let name = "`R` of mixed order, only the one with the cofactor holds";
    cases.push(case(name, public, b"m".to_vec(), r, s.to_bytes()));
    cases
}

/// `A` or `R` is the identity, in an encoding that it shouldn't have.
fn not_canonical() -> Vec<EdgeCase> {
    let signer = Signer::new();
    let (public, r) = (signer.public.compress().0, signer.commitment.compress().0);
    // y = p + 1.
    let mut beyond = [0xff; 32];
    (beyond[0], beyond[31]) = (0xee, 0x7f);
    // x = 0 with the sign of a negative number.
    let mut negative = EIGHT_TORSION[0].compress().0;
    negative[31] |= 0x80;
    let nonce = signer.nonce.to_bytes();
    let of = |r: &[u8; 32]| (challenge(r, &public, b"m") * signer.private).to_bytes();
    let rewritten = EIGHT_TORSION[0].compress().0;
    vec![
        case("`A` is 1, written as p + 1", beyond, b"m".to_vec(), r, nonce),
        case("`A` is 1 with a negative x of 0", negative, b"m".to_vec(), r, nonce),
        case(
            "`R` is 1, written as p + 1, hashed as it stands",
            public,
            b"m".to_vec(),
            beyond,
            of(&beyond),
        ),
        case(
            "`R` is 1, written as p + 1, hashed as if written well",
            public,
            b"m".to_vec(),
            beyond,
            of(&rewritten),
        ),
        case("`R` is 1 with a negative x of 0", public, b"m".to_vec(), negative, of(&negative)),
    ]
}
