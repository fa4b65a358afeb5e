//! Multiples of the base point: the same table for all lanes, read by permuting registers.

use std::sync::OnceLock;

use core::arch::x86_64::_mm512_permutex2var_epi64;

use curve25519_dalek::constants::ED25519_BASEPOINT_POINT;
use curve25519_dalek::{EdwardsPoint, Scalar};
use zeroize::Zeroizing;

use crate::LANES;
use crate::edwards::{Affine, Constants, Extended, constants};
use crate::field::{Field, Limbs, Mask, Words, load, reduce};

/// Digits of a scalar in base 16, from -8 to 8, the lowest first.
pub(crate) const DIGITS: usize = 64;

/// The multiples 0 to 8 of a point, limb by limb: limb `l` of coordinate `c` of multiple `m` is
/// `words[c][l][m]`. A register holds eight of them; the ninth is in the second.
pub(crate) struct Multiples {
    words: [[[u64; 16]; 5]; 3],
}

impl Multiples {
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn of(point: EdwardsPoint) -> Self {
        let encoded: [[u8; 32]; LANES] =
            core::array::from_fn(|index| (point * small(index + 1)).compress().0);
        let (points, _) = Extended::decode(&encoded);
        let Constants { d2, .. } = constants();
        let coordinates =
            [points.y.add(points.x), points.y.sub(points.x), points.t.mul(Field::all(*d2))];
        // The neutral element: x = 0, y = 1.
        let neutral: [Limbs; 3] = [[1, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0; 5]];
        let mut words = [[[0; 16]; 5]; 3];
        for (coordinate, (field, neutral)) in coordinates.into_iter().zip(neutral).enumerate() {
            for (multiple, limbs) in std::iter::once(neutral).chain(field.lanes()).enumerate() {
                for (limb, word) in reduce(limbs).into_iter().enumerate() {
                    words[coordinate][limb][multiple] = word;
                }
            }
        }
        Self { words }
    }

    /// The multiple that each lane's digit names.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn pick(&self, digits: &Digits) -> Affine {
        let pick = |limbs: &[[u64; 16]; 5]| {
            let mut out = Field::small(0);
            for (to, words) in out.0.iter_mut().zip(limbs) {
                let (low, high) = halves(words);
                *to = _mm512_permutex2var_epi64(load(low), digits.sizes, load(high));
            }
            out
        };
        let [y_plus_x, y_minus_x, xy2d] = &self.words;
        let picked =
            Affine { y_plus_x: pick(y_plus_x), y_minus_x: pick(y_minus_x), xy2d: pick(xy2d) };
        picked.negate(digits.negative)
    }
}

/// One digit of each lane's scalar.
pub(crate) struct Digits {
    /// Without their signs.
    pub(crate) sizes: Words,
    /// The lanes in which it is below 0.
    pub(crate) negative: Mask,
}

impl Digits {
    /// The digits at one place.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn at(place: usize, scalars: &[[i8; DIGITS]; LANES]) -> Self {
        let mut sizes = [0; LANES];
        let mut negative = 0;
        for (lane, digits) in scalars.iter().enumerate() {
            let digit = digits[place];
            // Without a branch: all ones if it is negative, which complements and adds one.
            let sign = digit >> 7;
            sizes[lane] = u64::from(((digit ^ sign) - sign).cast_unsigned());
            negative |= (sign.cast_unsigned() & 1) << lane;
        }
        Self { sizes: load(&sizes), negative }
    }
}

/// A scalar below 2^255 in [`DIGITS`], without branches. The last digit may be 8.
pub(crate) fn digits(scalar: &[u8; 32]) -> [i8; DIGITS] {
    let mut digits = [0; DIGITS];
    for (pair, byte) in digits.chunks_exact_mut(2).zip(scalar) {
        pair[0] = (byte & 15).cast_signed();
        pair[1] = (byte >> 4).cast_signed();
    }
    let mut carry = 0;
    for digit in &mut digits[..DIGITS - 1] {
        *digit += carry;
        carry = (*digit + 8) >> 4;
        *digit -= carry << 4;
    }
    digits[DIGITS - 1] += carry;
    digits
}

/// Multiples of the base point itself.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn base() -> &'static Multiples {
    static BASE: OnceLock<Multiples> = OnceLock::new();
    if let Some(base) = BASE.get() {
        return base;
    }
    let computed = Multiples::of(ED25519_BASEPOINT_POINT);
    BASE.get_or_init(|| computed)
}

/// Multiples of the base point times 256^i, for each `i` below 32.
#[target_feature(enable = "avx512f,avx512ifma")]
fn comb() -> &'static [Multiples] {
    static COMB: OnceLock<Vec<Multiples>> = OnceLock::new();
    if let Some(comb) = COMB.get() {
        return comb;
    }
    let mut point = ED25519_BASEPOINT_POINT;
    let mut computed = Vec::with_capacity(DIGITS / 2);
    for _ in 0..DIGITS / 2 {
        computed.push(Multiples::of(point));
        point *= small(256);
    }
    COMB.get_or_init(|| computed)
}

/// Scalar times base point, as a u-coordinate: computed on the Edwards curve, where
/// u = (1 + y) / (1 - y) (RFC 7748 section 4.1).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn x25519_base(scalars: &[[u8; 32]; LANES]) -> [[u8; 32]; LANES] {
    let mut digits_of = Zeroizing::new([[0; DIGITS]; LANES]);
    for (to, scalar) in digits_of.iter_mut().zip(scalars) {
        let mut clamped = Zeroizing::new(*scalar);
        clamped[0] &= 248;
        clamped[31] = clamped[31] & 127 | 64;
        *to = digits(&clamped);
    }
    let comb = comb();
    // The odd places first, then times 16, then the even ones.
    let mut sum = Extended::identity();
    for (index, multiples) in comb.iter().enumerate() {
        sum = sum.add_affine(&multiples.pick(&Digits::at(2 * index + 1, &digits_of)));
    }
    sum = sum.times_16();
    for (index, multiples) in comb.iter().enumerate() {
        sum = sum.add_affine(&multiples.pick(&Digits::at(2 * index, &digits_of)));
    }
    sum.z.add(sum.y).mul(sum.z.sub(sum.y).invert()).to_bytes()
}

fn small(number: usize) -> Scalar {
    Scalar::from(number as u64)
}

fn halves(words: &[u64; 16]) -> (&[u64; 8], &[u64; 8]) {
    let (low, high) = words.as_chunks::<8>().0.split_at(1);
    (&low[0], &high[0])
}
