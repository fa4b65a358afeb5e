//! Scalars modulo the order of the base point, by `fiat-crypto`.

use fiat_crypto::curve25519_scalar_64 as fiat;
use zeroize::{Zeroize, Zeroizing};

type Montgomery = fiat::fiat_25519_scalar_montgomery_domain_field_element;
type Plain = fiat::fiat_25519_scalar_non_montgomery_domain_field_element;

/// 2^252 + 27742317777372353535851937790883648493, little-endian.
pub const ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

/// As many bytes as are below the order whatever they are: fiat-crypto asks for that.
const SHORT: usize = 31;

/// A scalar, in fiat-crypto's Montgomery form.
#[derive(Clone)]
pub struct Scalar(Montgomery);

const ZERO: Scalar = Scalar(fiat::fiat_25519_scalar_montgomery_domain_field_element([0; 4]));

/// 2^248: what one string of [`SHORT`] bytes is shifted by to put another below it.
const SHIFT: Scalar = Scalar::from_words([0, 0, 0, 1 << 56]);

impl Scalar {
    /// The remainder of a number of any length, little-endian, by the order. Constant-time but for
    /// the length.
    #[must_use]
    pub fn reduce(bytes: &[u8]) -> Self {
        let mut sum = ZERO;
        for chunk in bytes.chunks(SHORT).rev() {
            let mut padded = Zeroizing::new([0; 32]);
            padded[..chunk.len()].copy_from_slice(chunk);
            let mut words = Zeroizing::new([0; 4]);
            fiat::fiat_25519_scalar_from_bytes(&mut words, &padded);
            sum = sum.mul_add(&SHIFT, &Self::from_words(*words));
        }
        sum
    }

    /// `self * factor + summand`.
    #[must_use]
    pub fn mul_add(&self, factor: &Self, summand: &Self) -> Self {
        let mut product = ZERO;
        fiat::fiat_25519_scalar_mul(&mut product.0, &self.0, &factor.0);
        let mut sum = ZERO;
        fiat::fiat_25519_scalar_add(&mut sum.0, &product.0, &summand.0);
        sum
    }

    /// The number below the order, little-endian.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 32] {
        let mut plain: Plain = fiat::fiat_25519_scalar_non_montgomery_domain_field_element([0; 4]);
        fiat::fiat_25519_scalar_from_montgomery(&mut plain, &self.0);
        let mut bytes = [0; 32];
        fiat::fiat_25519_scalar_to_bytes(&mut bytes, &plain.0);
        plain.0.zeroize();
        bytes
    }

    /// A number below the order, the lowest word first.
    const fn from_words(words: [u64; 4]) -> Self {
        let plain = fiat::fiat_25519_scalar_non_montgomery_domain_field_element(words);
        let mut out = fiat::fiat_25519_scalar_montgomery_domain_field_element([0; 4]);
        fiat::fiat_25519_scalar_to_montgomery(&mut out, &plain);
        Self(out)
    }
}

impl Drop for Scalar {
    fn drop(&mut self) {
        self.0.0.zeroize();
    }
}

/// Whether this is the number's one encoding. Not constant-time: for a signature's `S`.
#[must_use]
pub fn is_canonical(bytes: &[u8; 32]) -> bool {
    bytes.iter().rev().lt(ORDER.iter().rev())
}
