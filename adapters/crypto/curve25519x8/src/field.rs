//! Eight elements of the field of 2^255 - 19: five limbs of 51 bits, a lane each.
//!
//! # Bounds
//!
//! Every [`Field`] between calls is *tight*: each limb is at most 2^51 + 2^14. So
//! - a limb is below 2^52, which is what the multiplier reads of it;
//! - a sum of two is below 2^53, and `a + 4p - b` is above 0 and below 2^54;
//! - in a product, a column has at most five low halves below 2^52 and five high halves below 2^51
//!   (a product of two limbs is below 2^103), which are doubled: less than ten times 2^52. Nineteen
//!   of those and one more are below 2^60, and what carries out of a limb is below 2^9, nineteen
//!   times that below 2^14: [`carry`] makes it tight again.
#![allow(clippy::needless_range_loop, reason = "products go by two indices and their sum")]

use core::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_loadu_epi64, _mm512_madd52hi_epu64,
    _mm512_madd52lo_epu64, _mm512_mask_blend_epi64, _mm512_set1_epi64, _mm512_setzero_si512,
    _mm512_slli_epi64, _mm512_srli_epi64, _mm512_storeu_epi64, _mm512_sub_epi64,
};

use crate::LANES;

/// One word in each lane.
pub(crate) type Words = __m512i;

/// One bit for each lane.
pub(crate) type Mask = u8;

/// An element of the field in each lane.
#[derive(Clone, Copy)]
pub(crate) struct Field(pub(crate) [Words; 5]);

/// An element in one lane, in its limbs.
pub(crate) type Limbs = [u64; 5];

const MASK: u64 = (1 << 51) - 1;

/// Eight words into a register.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn load(words: &[u64; LANES]) -> Words {
    // SAFETY: the array has the 64 bytes that are read, and they need no alignment.
    unsafe { _mm512_loadu_epi64(words.as_ptr().cast()) }
}

/// A register's eight words.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn store(words: Words) -> [u64; LANES] {
    let mut out = [0; LANES];
    // SAFETY: the array has the 64 bytes that are written, and they need no alignment.
    unsafe { _mm512_storeu_epi64(out.as_mut_ptr().cast(), words) };
    out
}

/// The same word in all lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn splat(word: u64) -> Words {
    _mm512_set1_epi64(word.cast_signed())
}

impl Field {
    /// The same small number in all lanes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn small(number: u64) -> Self {
        let zero = _mm512_setzero_si512();
        Self([splat(number), zero, zero, zero, zero])
    }

    /// The same element in all lanes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn all(limbs: Limbs) -> Self {
        let mut out = Self::small(0);
        for (to, limb) in out.0.iter_mut().zip(limbs) {
            *to = splat(limb);
        }
        out
    }

    /// An element for each lane.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn each(lanes: &[Limbs; LANES]) -> Self {
        let mut out = Self::small(0);
        for (index, to) in out.0.iter_mut().enumerate() {
            *to = load(&core::array::from_fn(|lane| lanes[lane][index]));
        }
        out
    }

    /// The elements of 32 little-endian bytes each. The top bit is ignored.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn from_bytes(bytes: &[[u8; 32]; LANES]) -> Self {
        Self::each(&bytes.map(|bytes| unpack(&bytes)))
    }

    /// The elements as 32 little-endian bytes each, reduced.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn to_bytes(self) -> [[u8; 32]; LANES] {
        self.lanes().map(|limbs| pack(&reduce(limbs)))
    }

    /// The limbs in each lane, as they are.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn lanes(self) -> [Limbs; LANES] {
        let words = self.0.map(|words| store(words));
        core::array::from_fn(|lane| core::array::from_fn(|index| words[index][lane]))
    }

    /// The lanes in which the two are the same element.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn equal(self, other: Self) -> Mask {
        let (ours, theirs) = (self.to_bytes(), other.to_bytes());
        (0..LANES).fold(0, |mask, lane| mask | (u8::from(ours[lane] == theirs[lane]) << lane))
    }

    /// `other` in the lanes of the mask, `self` elsewhere.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn blend(self, mask: Mask, other: Self) -> Self {
        let mut out = self;
        for (to, from) in out.0.iter_mut().zip(other.0) {
            *to = _mm512_mask_blend_epi64(mask, *to, from);
        }
        out
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn add(self, other: Self) -> Self {
        let mut sum = self;
        for (to, from) in sum.0.iter_mut().zip(other.0) {
            *to = _mm512_add_epi64(*to, from);
        }
        carry(sum.0)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn sub(self, other: Self) -> Self {
        // 4p, so that no limb goes below zero.
        let first = splat((1 << 53) - 4 * 19);
        let rest = splat((1 << 53) - 4);
        let mut difference = self;
        for (index, (to, from)) in difference.0.iter_mut().zip(other.0).enumerate() {
            let four_p = if index == 0 { first } else { rest };
            *to = _mm512_sub_epi64(_mm512_add_epi64(*to, four_p), from);
        }
        carry(difference.0)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn neg(self) -> Self {
        Self::small(0).sub(self)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn mul(self, other: Self) -> Self {
        let (Self(a), Self(b)) = (self, other);
        let mut columns = Columns::zero();
        for i in 0..5 {
            for j in 0..5 {
                columns.low[i + j] = _mm512_madd52lo_epu64(columns.low[i + j], a[i], b[j]);
                columns.high[i + j] = _mm512_madd52hi_epu64(columns.high[i + j], a[i], b[j]);
            }
        }
        columns.fold()
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn square(self) -> Self {
        let Self(a) = self;
        // The products off the diagonal come twice.
        let mut columns = Columns::zero();
        for i in 0..5 {
            for j in i + 1..5 {
                columns.low[i + j] = _mm512_madd52lo_epu64(columns.low[i + j], a[i], a[j]);
                columns.high[i + j] = _mm512_madd52hi_epu64(columns.high[i + j], a[i], a[j]);
            }
        }
        for column in 0..9 {
            columns.low[column] = _mm512_slli_epi64::<1>(columns.low[column]);
            columns.high[column] = _mm512_slli_epi64::<1>(columns.high[column]);
        }
        for i in 0..5 {
            columns.low[2 * i] = _mm512_madd52lo_epu64(columns.low[2 * i], a[i], a[i]);
            columns.high[2 * i] = _mm512_madd52hi_epu64(columns.high[2 * i], a[i], a[i]);
        }
        columns.fold()
    }

    /// Squared `times` times.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn squares(self, times: usize) -> Self {
        let mut out = self;
        for _ in 0..times {
            out = out.square();
        }
        out
    }

    /// Times a number below 2^50.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn times(self, number: u64) -> Self {
        let (zero, factor) = (_mm512_setzero_si512(), splat(number));
        let low = self.0.map(|limb| _mm512_madd52lo_epu64(zero, limb, factor));
        let high =
            self.0.map(|limb| _mm512_slli_epi64::<1>(_mm512_madd52hi_epu64(zero, limb, factor)));
        carry([
            _mm512_add_epi64(low[0], times_19(high[4])),
            _mm512_add_epi64(low[1], high[0]),
            _mm512_add_epi64(low[2], high[1]),
            _mm512_add_epi64(low[3], high[2]),
            _mm512_add_epi64(low[4], high[3]),
        ])
    }

    /// To the power of 2^250 - 1, and of 11: what the two powers below have in common.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn power_ladder(self) -> (Self, Self) {
        let two = self.square();
        let nine = two.squares(2).mul(self);
        let eleven = nine.mul(two);
        let ones_5 = eleven.square().mul(nine);
        let ones_10 = ones_5.squares(5).mul(ones_5);
        let ones_20 = ones_10.squares(10).mul(ones_10);
        let ones_40 = ones_20.squares(20).mul(ones_20);
        let ones_50 = ones_40.squares(10).mul(ones_10);
        let ones_100 = ones_50.squares(50).mul(ones_50);
        let ones_200 = ones_100.squares(100).mul(ones_100);
        (ones_200.squares(50).mul(ones_50), eleven)
    }

    /// The inverse, and 0 for 0: to the power of p - 2 = 2^255 - 21.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn invert(self) -> Self {
        let (ones_250, eleven) = self.power_ladder();
        ones_250.squares(5).mul(eleven)
    }

    /// To the power of (p - 5) / 8 = 2^252 - 3.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn power_p58(self) -> Self {
        let (ones_250, _) = self.power_ladder();
        ones_250.squares(2).mul(self)
    }
}

/// The columns of a product, low and high halves apart. A high half weighs 2^52, twice the limb
/// above.
struct Columns {
    low: [Words; 9],
    high: [Words; 9],
}

impl Columns {
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn zero() -> Self {
        let zero = _mm512_setzero_si512();
        Self { low: [zero; 9], high: [zero; 9] }
    }

    /// Modulo p, where 2^255 is 19.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn fold(self) -> Field {
        let Self { low, high } = self;
        let mut wide = [_mm512_setzero_si512(); 10];
        wide[0] = low[0];
        for column in 1..9 {
            wide[column] = _mm512_add_epi64(low[column], _mm512_slli_epi64::<1>(high[column - 1]));
        }
        wide[9] = _mm512_slli_epi64::<1>(high[8]);
        let mut limbs = [_mm512_setzero_si512(); 5];
        for (index, limb) in limbs.iter_mut().enumerate() {
            *limb = _mm512_add_epi64(wide[index], times_19(wide[index + 5]));
        }
        carry(limbs)
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn times_19(words: Words) -> Words {
    let sixteen = _mm512_slli_epi64::<4>(words);
    let two = _mm512_slli_epi64::<1>(words);
    _mm512_add_epi64(_mm512_add_epi64(sixteen, two), words)
}

/// Carries once, out of every limb at the same time.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn carry(limbs: [Words; 5]) -> Field {
    let mask = splat(MASK);
    let over = limbs.map(|limb| _mm512_srli_epi64::<51>(limb));
    let rest = limbs.map(|limb| _mm512_and_si512(limb, mask));
    Field([
        _mm512_add_epi64(rest[0], times_19(over[4])),
        _mm512_add_epi64(rest[1], over[0]),
        _mm512_add_epi64(rest[2], over[1]),
        _mm512_add_epi64(rest[3], over[2]),
        _mm512_add_epi64(rest[4], over[3]),
    ])
}

/// 255 bits, little-endian, in limbs.
fn unpack(bytes: &[u8; 32]) -> Limbs {
    let word = |at: usize| {
        let mut word = [0; 8];
        word.copy_from_slice(&bytes[at..at + 8]);
        u64::from_le_bytes(word)
    };
    [
        word(0) & MASK,
        (word(6) >> 3) & MASK,
        (word(12) >> 6) & MASK,
        (word(19) >> 1) & MASK,
        (word(24) >> 12) & MASK,
    ]
}

/// Reduced limbs as bytes, little-endian.
fn pack(limbs: &Limbs) -> [u8; 32] {
    let words = [
        limbs[0] | limbs[1] << 51,
        limbs[1] >> 13 | limbs[2] << 38,
        limbs[2] >> 26 | limbs[3] << 25,
        limbs[3] >> 39 | limbs[4] << 12,
    ];
    let mut bytes = [0; 32];
    for (to, word) in bytes.chunks_exact_mut(8).zip(words) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// Tight limbs to the one form below p, without branches.
pub(crate) fn reduce(limbs: Limbs) -> Limbs {
    // Twice around makes every limb 51 bits wide; the value is then below 2^255, at most p + 18.
    let limbs = carry_around(carry_around(limbs));
    // It is p or more exactly if adding 19 carries out at the top.
    let mut over = (limbs[0] + 19) >> 51;
    for limb in &limbs[1..] {
        over = (limb + over) >> 51;
    }
    let mut out = limbs;
    out[0] += 19 * over;
    for index in 0..4 {
        out[index + 1] += out[index] >> 51;
        out[index] &= MASK;
    }
    out[4] &= MASK;
    out
}

fn carry_around(limbs: Limbs) -> Limbs {
    let mut out = limbs;
    for index in 0..4 {
        out[index + 1] += out[index] >> 51;
        out[index] &= MASK;
    }
    out[0] += 19 * (out[4] >> 51);
    out[4] &= MASK;
    out
}
