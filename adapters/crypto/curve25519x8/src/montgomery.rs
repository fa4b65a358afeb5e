//! The Montgomery ladder of RFC 7748 section 5, in eight lanes.

use core::arch::x86_64::_mm512_test_epi64_mask;

use zeroize::Zeroizing;

use crate::LANES;
use crate::field::{Field, Mask, Words, load, splat};

/// A point on the Montgomery curve by `u = x / z`.
#[derive(Clone, Copy)]
struct Projective {
    x: Field,
    z: Field,
}

#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn ladder(scalars: &[[u8; 32]; LANES], points: &[[u8; 32]; LANES]) -> [[u8; 32]; LANES] {
    let bits = clamped(scalars);
    let base = Field::from_bytes(points);
    let mut low = Projective { x: Field::small(1), z: Field::small(0) };
    let mut high = Projective { x: base, z: Field::small(1) };
    let mut swapped: Mask = 0;
    for bit in (0..255).rev() {
        let word: Words = bits[bit / 64];
        let set = _mm512_test_epi64_mask(word, splat(1 << (bit % 64)));
        swap(set ^ swapped, &mut low, &mut high);
        swapped = set;
        (low, high) = step(base, low, high);
    }
    swap(swapped, &mut low, &mut high);
    low.x.mul(low.z.invert()).to_bytes()
}

/// The scalars' words, clamped, word by word over the lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn clamped(scalars: &[[u8; 32]; LANES]) -> [Words; 4] {
    let mut words = Zeroizing::new([[0_u64; LANES]; 4]);
    for (lane, scalar) in scalars.iter().enumerate() {
        for (word, bytes) in words.iter_mut().zip(scalar.chunks_exact(8)) {
            let mut eight = Zeroizing::new([0; 8]);
            eight.copy_from_slice(bytes);
            word[lane] = u64::from_le_bytes(*eight);
        }
        words[0][lane] &= !7;
        words[3][lane] = words[3][lane] & (u64::MAX >> 1) | 1 << 62;
    }
    [load(&words[0]), load(&words[1]), load(&words[2]), load(&words[3])]
}

#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn swap(mask: Mask, one: &mut Projective, other: &mut Projective) {
    let before = *one;
    one.x = one.x.blend(mask, other.x);
    one.z = one.z.blend(mask, other.z);
    other.x = other.x.blend(mask, before.x);
    other.z = other.z.blend(mask, before.z);
}

/// Doubles `low` and adds the two, whose difference is `base`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn step(base: Field, low: Projective, high: Projective) -> (Projective, Projective) {
    let a = low.x.add(low.z);
    let b = low.x.sub(low.z);
    let c = high.x.add(high.z);
    let d = high.x.sub(high.z);
    let aa = a.square();
    let bb = b.square();
    let da = d.mul(a);
    let cb = c.mul(b);
    let e = aa.sub(bb);
    let high = Projective { x: da.add(cb).square(), z: base.mul(da.sub(cb).square()) };
    // The RFC's `AA + 121665 * E`, with AA = BB + E.
    let low = Projective { x: aa.mul(bb), z: e.mul(bb.add(e.times(121_666))) };
    (low, high)
}
