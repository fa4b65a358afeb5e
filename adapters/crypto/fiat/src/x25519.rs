//! X25519 (RFC 7748 section 5).

use zeroize::{Zeroize, Zeroizing};

use crate::field::{Choice, Tight};
use crate::fixed_base;

/// A point on the Montgomery curve by `u = x / z`.
#[derive(Clone, Copy)]
struct Projective {
    x: Tight,
    z: Tight,
}

/// X25519 of a scalar and a u-coordinate.
///
/// The scalar is clamped; the u-coordinate's top bit is ignored and a value of p or more is reduced,
/// as the RFC says. A point of small order gives zeros, which most protocols have to refuse: so must
/// the caller. Neither branches nor indexes memory on either of the two.
#[must_use]
pub fn x25519(scalar: &[u8; 32], point: &[u8; 32]) -> [u8; 32] {
    let bits = clamped(scalar);
    let base = Tight::from_bytes(point);
    let mut double = Projective { x: Tight::ONE, z: Tight::ZERO };
    let mut sum = Projective { x: base, z: Tight::ONE };
    let mut before = 0;
    for place in (0..255).rev() {
        let bit = bits[place / 8] >> (place % 8) & 1;
        (double, sum) = step(Choice::from_bit(bit ^ before), &base, &double, &sum);
        before = bit;
    }
    // The lowest bit is 0, so that the multiple is the one that was doubled.
    let shared = double.x.mul(&double.z.invert()).to_bytes();
    double.zeroize();
    sum.zeroize();
    shared
}

/// X25519 of a scalar and the base point: a public key.
///
/// Computed on the Edwards curve from a table, where u = (1 + y) / (1 - y) (RFC 7748 section 4.1).
#[must_use]
pub fn x25519_base(scalar: &[u8; 32]) -> [u8; 32] {
    let mut point = fixed_base::mul(&clamped(scalar));
    let [numerator, denominator] = [point.z.add(&point.y), point.z.sub(&point.y)];
    let public = numerator.mul(&denominator.carry().invert().relax()).to_bytes();
    point.zeroize();
    public
}

/// `decodeScalar25519`, as bytes.
pub(crate) fn clamped(scalar: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    let mut clamped = Zeroizing::new(*scalar);
    clamped[0] &= 248;
    clamped[31] = clamped[31] & 127 | 64;
    clamped
}

/// One bit of the ladder: the sum of the two points, whose difference is `base`, and the double of
/// one of them: the other of what it was the last time if `turn` is set.
///
/// The RFC swaps the points instead. The sum is the same whichever way round they are, so that it is
/// enough to select what is doubled.
#[inline(always)]
fn step(
    turn: Choice,
    base: &Tight,
    double: &Projective,
    sum: &Projective,
) -> (Projective, Projective) {
    let mut a = double.x.add(&double.z);
    let mut b = double.x.sub(&double.z);
    let c = sum.x.add(&sum.z);
    let d = sum.x.sub(&sum.z);
    let da = d.mul(&a);
    let cb = c.mul(&b);
    a.take_if(turn, &c);
    b.take_if(turn, &d);
    let aa = a.square();
    let bb = b.square();
    // In this order, and with these on the left, what follows has the most to do at a time.
    let difference = da.sub(&cb).square();
    let e = aa.sub(&bb);
    let multiple = e.times_121666();
    let sum = Projective { x: da.add(&cb).square(), z: difference.mul(base) };
    // The RFC's `AA * BB` and `E * (AA + 121665 * E)`, with AA = BB + E.
    let double = Projective { x: aa.mul(&bb), z: bb.add(&multiple).mul(&e) };
    (double, sum)
}

impl Zeroize for Projective {
    fn zeroize(&mut self) {
        self.x.zeroize();
        self.z.zeroize();
    }
}
