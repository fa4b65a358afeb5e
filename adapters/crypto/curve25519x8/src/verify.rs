//! Ed25519 verification (RFC 8032 section 5.1.7) in eight lanes, without the cofactor.

use core::arch::x86_64::{_mm512_cmpeq_epi64_mask, _mm512_mask_blend_epi64};

use curve25519_dalek::Scalar;
use sha2::{Digest, Sha512};

use crate::edwards::{Cached, Extended};
use crate::field::{Field, Mask, splat};
use crate::fixed_base::{self, DIGITS, Digits, digits};
use crate::{LANES, Signed};

#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn verify(signed: &[Signed<'_>; LANES]) -> [bool; LANES] {
    let (points, on_curve) = Extended::decode(&signed.map(|one| *one.public));
    let mut s_digits = [[0; DIGITS]; LANES];
    let mut k_digits = [[0; DIGITS]; LANES];
    let mut in_range = [false; LANES];
    for (lane, one) in signed.iter().enumerate() {
        let [r, s] = halves(one.signature);
        let scalar: Option<Scalar> = Scalar::from_canonical_bytes(*s).into();
        in_range[lane] = scalar.is_some();
        s_digits[lane] = digits(scalar.unwrap_or_default().as_bytes());
        k_digits[lane] = digits(challenge(r, one).as_bytes());
    }
    let encoded = difference(points, &s_digits, &k_digits).encode();
    core::array::from_fn(|lane| {
        let [r, _] = halves(signed[lane].signature);
        on_curve >> lane & 1 == 1 && in_range[lane] && encoded[lane] == *r
    })
}

/// `k = SHA-512(R || A || M)` modulo the group's order.
fn challenge(r: &[u8; 32], signed: &Signed<'_>) -> Scalar {
    let hash =
        Sha512::new().chain_update(r).chain_update(signed.public).chain_update(signed.message);
    Scalar::from_bytes_mod_order_wide(&hash.finalize().into())
}

/// `[s]B - [k]A` in each lane, four bits of both scalars at a time.
#[target_feature(enable = "avx512f,avx512ifma")]
fn difference(
    point: Extended,
    s_digits: &[[i8; DIGITS]; LANES],
    k_digits: &[[i8; DIGITS]; LANES],
) -> Extended {
    let base = fixed_base::base();
    let table = multiples(point.neg());
    let mut sum = Extended::identity();
    for place in (0..DIGITS).rev() {
        sum = sum.times_16();
        sum = sum.add(&pick(&table, &Digits::at(place, k_digits)));
        sum = sum.add_affine(&base.pick(&Digits::at(place, s_digits)));
    }
    sum
}

/// The multiples 1 to 8 of each lane's point.
#[target_feature(enable = "avx512f,avx512ifma")]
fn multiples(point: Extended) -> [Cached; 8] {
    let first = point.cached();
    let mut table = [first; 8];
    let mut multiple = point;
    for entry in &mut table[1..] {
        multiple = multiple.add(&first);
        *entry = multiple.cached();
    }
    table
}

/// The multiple that each lane's digit names, the neutral element for 0.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn pick(table: &[Cached; 8], digits: &Digits) -> Cached {
    let one = Field::small(1);
    let mut picked =
        Cached { y_plus_x: one, y_minus_x: one, z2: Field::small(2), t2d: Field::small(0) };
    for (entry, size) in table.iter().zip(1..) {
        let here: Mask = _mm512_cmpeq_epi64_mask(digits.sizes, splat(size));
        for (to, from) in [
            (&mut picked.y_plus_x, &entry.y_plus_x),
            (&mut picked.y_minus_x, &entry.y_minus_x),
            (&mut picked.z2, &entry.z2),
            (&mut picked.t2d, &entry.t2d),
        ] {
            for (to, from) in to.0.iter_mut().zip(from.0) {
                *to = _mm512_mask_blend_epi64(here, *to, from);
            }
        }
    }
    picked.negate(digits.negative)
}

fn halves(signature: &[u8; 64]) -> [&[u8; 32]; 2] {
    let (r, s) = signature.as_chunks::<32>().0.split_at(1);
    [&r[0], &s[0]]
}
