//! The tables equal the multiples that another library computes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crypto_fiat::edwards::{Affine, Extended};
use crypto_fiat::field::Tight;
use crypto_fiat::fixed_base::{BASE, COMB, ODD};
use curve25519_dalek::{EdwardsPoint, Scalar, constants::ED25519_BASEPOINT_POINT};

/// The y-coordinate with x's sign, x itself by our own decoding of that, and d x y from the two.
fn same(entry: &Affine, expected: &EdwardsPoint) {
    let encoded = expected.compress().0;
    let [x, mut y] = entry.coordinates();
    let point = Extended::decode(&encoded).unwrap();
    assert_eq!(point.x.to_bytes(), x);
    y[31] |= (x[0] & 1) << 7;
    assert_eq!(y, encoded);
    let d = Tight::small(121_665).neg().carry().mul(&Tight::small(121_666).invert());
    assert_eq!(entry.product(), d.mul(&point.x).mul(&point.y).to_bytes());
}

#[test]
fn comb() {
    let mut row_base = ED25519_BASEPOINT_POINT;
    for row in &COMB {
        for (entry, multiple) in row.iter().zip(1_u64..) {
            same(entry, &(row_base * Scalar::from(multiple)));
        }
        row_base *= Scalar::from(256_u64);
    }
    assert_eq!(COMB.as_flattened().len(), 256);
}

#[test]
fn odd() {
    for (entry, index) in ODD.iter().zip(0_u64..) {
        same(entry, &(ED25519_BASEPOINT_POINT * Scalar::from(2 * index + 1)));
    }
    assert_eq!(ODD.len(), 64);
}

/// The base point's coordinates are typed in: they are those of its encoding.
#[test]
fn base() {
    let encoded = ED25519_BASEPOINT_POINT.compress().0;
    assert_eq!(BASE.encode(), encoded);
    let decoded = Extended::decode(&encoded).unwrap();
    assert!(decoded.x.equals(&BASE.x) && decoded.y.equals(&BASE.y));
    assert!(decoded.t.equals(&BASE.t));
}
