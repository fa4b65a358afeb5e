//! Multiples of the base point, from tables that the compiler computes.

use zeroize::{Zeroize, Zeroizing};

use crate::edwards::{Affine, Extended};
use crate::field::{Choice, Tight};

/// Digits of a scalar in base 16, from -8 to 8, the lowest first.
const DIGITS: usize = 64;
const ROWS: usize = DIGITS / 2;
const MULTIPLES: usize = 8;

/// `B` of RFC 8032 section 5.1.
pub const BASE: Extended = {
    let x = Tight::from_bytes(&[
        0x1a, 0xd5, 0x25, 0x8f, 0x60, 0x2d, 0x56, 0xc9, 0xb2, 0xa7, 0x25, 0x95, 0x60, 0xc7, 0x2c,
        0x69, 0x5c, 0xdc, 0xd6, 0xfd, 0x31, 0xe2, 0xa4, 0xc0, 0xfe, 0x53, 0x6e, 0xcd, 0xd3, 0x36,
        0x69, 0x21,
    ]);
    let y = Tight::small(4).mul(&Tight::small(5).invert());
    Extended { x, y, z: Tight::ONE, t: x.mul(&y) }
};

/// The multiples 1 to 8 of the base point times 256^i, for each `i` below 32.
pub static COMB: [[Affine; MULTIPLES]; ROWS] = comb();

/// The multiples 1, 3, 5 to 127 of the base point.
pub static ODD: [Affine; 64] = odd();

const fn comb() -> [[Affine; MULTIPLES]; ROWS] {
    let mut points = [Extended::IDENTITY; ROWS * MULTIPLES];
    let mut first = BASE;
    let mut at = 0;
    while at < points.len() {
        let cached = first.cached();
        let mut multiple = first;
        points[at] = multiple;
        let mut index = 1;
        while index < MULTIPLES {
            multiple = multiple.add(&cached).extended();
            points[at + index] = multiple;
            index += 1;
        }
        // Eight times the row's first: 32 more make 256.
        first = times_32(&multiple);
        at += MULTIPLES;
    }
    let flat = affine(&points);
    let mut rows = [[Affine::IDENTITY; MULTIPLES]; ROWS];
    at = 0;
    while at < flat.len() {
        rows[at / MULTIPLES][at % MULTIPLES] = flat[at];
        at += 1;
    }
    rows
}

const fn odd() -> [Affine; 64] {
    let two = BASE.projective().double().extended().cached();
    let mut points = [BASE; 64];
    let mut at = 1;
    while at < points.len() {
        points[at] = points[at - 1].add(&two).extended();
        at += 1;
    }
    affine(&points)
}

const fn times_32(point: &Extended) -> Extended {
    let mut power = point.projective();
    let mut done = 0;
    while done < 4 {
        power = power.double().projective();
        done += 1;
    }
    power.double().extended()
}

/// All of them with `Z = 1`, by one inversion.
const fn affine<const N: usize>(points: &[Extended; N]) -> [Affine; N] {
    // The product of the `Z` before each.
    let mut before = [Tight::ONE; N];
    let mut product = Tight::ONE;
    let mut at = 0;
    while at < N {
        before[at] = product;
        product = product.mul(&points[at].z);
        at += 1;
    }
    let mut inverse = product.invert();
    let mut out = [Affine::IDENTITY; N];
    while at > 0 {
        at -= 1;
        out[at] = points[at].affine(&inverse.mul(&before[at]));
        inverse = inverse.mul(&points[at].z);
    }
    out
}

/// A scalar below 2^255 times the base point, in constant time.
#[must_use]
pub fn mul(scalar: &[u8; 32]) -> Extended {
    let digits = digits(scalar);
    // The odd places first, then times 16, then the even ones.
    let mut sum = Extended::IDENTITY;
    for (row, pair) in COMB.iter().zip(digits.chunks_exact(2)) {
        sum = add_multiple(&sum, row, pair[1]);
    }
    let mut power = sum.projective();
    for _ in 0..3 {
        power = power.double().projective();
    }
    sum = power.double().extended();
    for (row, pair) in COMB.iter().zip(digits.chunks_exact(2)) {
        sum = add_multiple(&sum, row, pair[0]);
    }
    sum
}

/// Adds the multiple that the digit names, having read all of them.
#[inline(always)]
fn add_multiple(sum: &Extended, row: &[Affine; MULTIPLES], digit: i8) -> Extended {
    // All ones if the digit is negative, which complements and adds one.
    let sign = digit >> 7;
    let size = ((digit ^ sign) - sign).cast_unsigned();
    let mut picked = Affine::NOTHING;
    picked.or_if(Choice::equal(size, 0), &Affine::IDENTITY);
    for (multiple, index) in row.iter().zip(1..) {
        picked.or_if(Choice::equal(size, index), multiple);
    }
    let next = sum.add_or_sub(Choice::from_bit(sign.cast_unsigned()), &picked).extended();
    picked.zeroize();
    next
}

/// A scalar below 2^255 in digits, without branches. The last digit may be 8.
#[must_use]
pub fn digits(scalar: &[u8; 32]) -> Zeroizing<[i8; DIGITS]> {
    let mut digits = Zeroizing::new([0; DIGITS]);
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
