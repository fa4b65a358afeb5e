//! Ed25519 (RFC 8032 section 5.1).
//!
//! # What a good signature is
//!
//! The verdict is the one that [`crypto_api::Suite::verify`] asks of every library:
//!
//! - `A`, the public key: 32 bytes, `y` below p, on the curve, `x = 0` only without the sign, not
//!   one of the eight points of small order. A point of mixed order is taken.
//! - `R`, the signature's first half: `y` below p, not of small order. It is not decoded: the sum
//!   below is encoded and compared with it, so that only the one right encoding can fit.
//! - `S`, the second half: below the order of the base point.
//! - `[S]B = R + [k]A` with `k = SHA-512(R || A || M)` modulo the order: RFC 8032 section 5.1.7
//!   without the cofactor. A component of small order in `A` or `R` hence counts.
//!
//! # What depends on secrets
//!
//! Signing and deriving a public key neither branch nor index memory on the seed, on what is
//! derived of it, or on the nonce. Verifying works on public values and takes its time from them.

use crypto_api::{CryptoError, rules};
use sha2::{Digest, Sha512};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::edwards::{Cached, Extended, Projective};
use crate::fixed_base::{self, ODD};
use crate::scalar::{Scalar, is_canonical};
use crate::x25519::clamped;

/// A private key, expanded.
#[derive(Clone)]
pub struct SigningKey {
    /// The secret scalar, modulo the order.
    scalar: Scalar,
    prefix: Zeroizing<[u8; 32]>,
    public: [u8; 32],
}

/// A public key, decoded.
#[derive(Clone)]
pub struct VerifyingKey {
    encoded: [u8; 32],
    /// The negative of the point.
    negated: Extended,
}

impl SigningKey {
    /// Expands a seed (RFC 8032 section 5.1.5).
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        let hash = hash(&[seed]);
        let (scalar, prefix) = halves(&hash);
        let scalar = clamped(scalar);
        let mut point = fixed_base::mul(&scalar);
        let public = point.encode();
        point.zeroize();
        Self { scalar: Scalar::reduce(&*scalar), prefix: Zeroizing::new(*prefix), public }
    }

    /// The public key.
    #[must_use]
    pub fn public(&self) -> &[u8; 32] {
        &self.public
    }

    /// Signs (RFC 8032 section 5.1.6).
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        let nonce = Scalar::reduce(&*hash(&[&*self.prefix, message]));
        let mut point = fixed_base::mul(&Zeroizing::new(nonce.to_bytes()));
        let r = point.encode();
        point.zeroize();
        let k = Scalar::reduce(&*hash(&[&r, &self.public, message]));
        let s = k.mul_add(&self.scalar, &nonce).to_bytes();
        let mut signature = [0; 64];
        signature[..32].copy_from_slice(&r);
        signature[32..].copy_from_slice(&s);
        signature
    }
}

impl ZeroizeOnDrop for SigningKey {}

impl VerifyingKey {
    /// Decodes a public key, under the rules above.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] if it is none.
    pub fn from_bytes(encoded: &[u8; 32]) -> Result<Self, CryptoError> {
        rules::ed25519_point(encoded)?;
        let point = Extended::decode(encoded).ok_or(CryptoError::Rejected)?;
        Ok(Self { encoded: *encoded, negated: point.neg() })
    }

    /// Verifies (RFC 8032 section 5.1.7), under the rules above.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] if the signature is no good.
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), CryptoError> {
        let (r, s) = halves(rules::ed25519_signature(signature)?);
        if !is_canonical(s) {
            return Err(CryptoError::Rejected);
        }
        let k = Scalar::reduce(&*hash(&[r, &self.encoded, message])).to_bytes();
        let expected = sum_of_multiples(&k, &self.negated, s).encode();
        if expected == *r { Ok(()) } else { Err(CryptoError::Rejected) }
    }
}

fn hash(parts: &[&[u8]]) -> Zeroizing<[u8; 64]> {
    let mut state = Sha512::new();
    parts.iter().for_each(|part| state.update(part));
    let mut out = Zeroizing::new([0; 64]);
    state.finalize_into((&mut *out).into());
    out
}

fn halves(whole: &[u8; 64]) -> (&[u8; 32], &[u8; 32]) {
    let (low, high) = whole.as_chunks::<32>().0.split_at(1);
    (&low[0], &high[0])
}

/// How wide the windows over the scalars are: for the point at hand, of which eight multiples are
/// computed, and for the base point.
const WIDTH: u32 = 5;
const BASE_WIDTH: u32 = 8;

/// `[k]point + [s]B`, for public scalars below 2^253.
fn sum_of_multiples(k: &[u8; 32], point: &Extended, s: &[u8; 32]) -> Projective {
    let k_digits = sparse_digits(k, WIDTH);
    let s_digits = sparse_digits(s, BASE_WIDTH);
    let multiples = odd_multiples(point);
    let mut sum = Projective::IDENTITY;
    let places = k_digits.iter().zip(&s_digits).rev();
    for (&k_digit, &s_digit) in places.skip_while(|digits| matches!(digits, (0, 0))) {
        let mut factors = sum.double();
        if let Some(multiple) = of_digit(&multiples, k_digit) {
            let doubled = factors.extended();
            factors = if k_digit > 0 { doubled.add(multiple) } else { doubled.sub(multiple) };
        }
        if let Some(multiple) = of_digit(&ODD, s_digit) {
            let doubled = factors.extended();
            factors = if s_digit > 0 {
                doubled.add_affine(multiple)
            } else {
                doubled.sub_affine(multiple)
            };
        }
        sum = factors.projective();
    }
    sum
}

/// The multiple for an odd digit's size; none for 0.
fn of_digit<T>(odd_multiples: &[T], digit: i8) -> Option<&T> {
    if digit == 0 { None } else { odd_multiples.get(usize::from(digit.unsigned_abs() / 2)) }
}

/// The multiples 1, 3, 5 to 15.
fn odd_multiples(point: &Extended) -> [Cached; 8] {
    let two = point.projective().double().extended().cached();
    let mut multiple = *point;
    let mut multiples = [point.cached(); 8];
    for next in &mut multiples[1..] {
        multiple = multiple.add(&two).extended();
        *next = multiple.cached();
    }
    multiples
}

/// Digits in base 2, most of them 0, the others odd and below 2^(width - 1) in size: the lowest
/// first. No two that are `width` apart or less are both set.
fn sparse_digits(scalar: &[u8; 32], width: u32) -> [i8; 256] {
    let mut digits = [0; 256];
    let mut carry = 0;
    let mut at = 0;
    while at < digits.len() {
        let window = window(scalar, at, width) + carry;
        if window & 1 == 0 {
            at += 1;
            continue;
        }
        // The upper half of the range stands for a negative digit and one more in what follows.
        carry = i16::from(window >> (width - 1) != 0);
        digits[at] = (window - (carry << width)) as i8;
        at += width as usize;
    }
    digits
}

/// `width` bits, 8 at most, from bit `at` on.
fn window(scalar: &[u8; 32], at: usize, width: u32) -> i16 {
    let byte = |index: usize| scalar.get(index).map_or(0, |byte| u16::from(*byte));
    let two = byte(at / 8) | byte(at / 8 + 1) << 8;
    (two >> (at % 8) & ((1 << width) - 1)).cast_signed()
}
