//! The field of 2^255 - 19, by `fiat-crypto`: five limbs of 51 bits.
//!
//! fiat-crypto's proofs hold for inputs within bounds. Its two types say which bounds a value is
//! within, and these two wrap them: every function here takes and gives the type that fiat-crypto
//! asks for, so that a chain of them can't leave the bounds.

use core::hint::black_box;

use fiat_crypto::curve25519_64 as fiat;
use zeroize::Zeroize;

type TightLimbs = fiat::fiat_25519_tight_field_element;
type LooseLimbs = fiat::fiat_25519_loose_field_element;

/// An element whose limbs are carried: what a multiplication gives.
#[derive(Clone, Copy)]
pub struct Tight(TightLimbs);

/// An element that may be a sum or a difference of two: what a multiplication takes.
#[derive(Clone, Copy)]
pub struct Loose(LooseLimbs);

const ZERO_TIGHT: TightLimbs = fiat::fiat_25519_tight_field_element([0; 5]);
const ZERO_LOOSE: LooseLimbs = fiat::fiat_25519_loose_field_element([0; 5]);

impl Tight {
    /// 0.
    pub const ZERO: Self = Self(ZERO_TIGHT);
    /// 1.
    pub const ONE: Self = Self::small(1);

    /// A number below 2^32.
    #[must_use]
    pub const fn small(number: u32) -> Self {
        Self(fiat::fiat_25519_tight_field_element([number as u64, 0, 0, 0, 0]))
    }

    /// Reads 255 bits, little-endian. The top bit is ignored; a value of p or more is reduced.
    #[inline]
    #[must_use]
    pub const fn from_bytes(bytes: &[u8; 32]) -> Self {
        let mut low = *bytes;
        low[31] &= 0x7f;
        let mut out = ZERO_TIGHT;
        fiat::fiat_25519_from_bytes(&mut out, &low);
        Self(out)
    }

    /// The one encoding that is below p.
    #[inline]
    #[must_use]
    pub const fn to_bytes(&self) -> [u8; 32] {
        let mut out = [0; 32];
        fiat::fiat_25519_to_bytes(&mut out, &self.0);
        out
    }

    /// `self + other`.
    #[inline(always)]
    #[must_use]
    pub const fn add(&self, other: &Self) -> Loose {
        let mut out = ZERO_LOOSE;
        fiat::fiat_25519_add(&mut out, &self.0, &other.0);
        Loose(out)
    }

    /// `self - other`.
    #[inline(always)]
    #[must_use]
    pub const fn sub(&self, other: &Self) -> Loose {
        let mut out = ZERO_LOOSE;
        fiat::fiat_25519_sub(&mut out, &self.0, &other.0);
        Loose(out)
    }

    /// `-self`.
    #[inline(always)]
    #[must_use]
    pub const fn neg(&self) -> Loose {
        let mut out = ZERO_LOOSE;
        fiat::fiat_25519_opp(&mut out, &self.0);
        Loose(out)
    }

    /// The same element under the wider bounds.
    #[inline(always)]
    #[must_use]
    pub const fn relax(&self) -> Loose {
        let mut out = ZERO_LOOSE;
        fiat::fiat_25519_relax(&mut out, &self.0);
        Loose(out)
    }

    /// `self * other`.
    #[inline(always)]
    #[must_use]
    pub const fn mul(&self, other: &Self) -> Self {
        self.relax().mul(&other.relax())
    }

    /// `self * self`.
    #[inline(always)]
    #[must_use]
    pub const fn square(&self) -> Self {
        self.relax().square()
    }

    /// Squared `count` times: `self^(2^count)`.
    #[must_use]
    pub const fn square_times(&self, count: u32) -> Self {
        let mut power = *self;
        let mut done = 0;
        while done < count {
            power = power.square();
            done += 1;
        }
        power
    }

    /// `1 / self`, or 0 for 0: `self^(p - 2)`, with p - 2 = 2^5 (2^250 - 1) + 11.
    #[must_use]
    pub const fn invert(&self) -> Self {
        let (ones_250, eleven) = self.common_power();
        ones_250.square_times(5).mul(&eleven)
    }

    /// `self^((p - 5) / 8)`, the exponent being 2^2 (2^250 - 1) + 1.
    #[must_use]
    pub const fn power_p58(&self) -> Self {
        let (ones_250, _) = self.common_power();
        ones_250.square_times(2).mul(self)
    }

    /// `self^(2^250 - 1)` and `self^11`. In the names, `ones_n` has the exponent 2^n - 1.
    const fn common_power(&self) -> (Self, Self) {
        let two = self.square();
        let nine = two.square_times(2).mul(self);
        let eleven = nine.mul(&two);
        let ones_5 = eleven.square().mul(&nine);
        let ones_10 = ones_5.square_times(5).mul(&ones_5);
        let ones_20 = ones_10.square_times(10).mul(&ones_10);
        let ones_40 = ones_20.square_times(20).mul(&ones_20);
        let ones_50 = ones_40.square_times(10).mul(&ones_10);
        let ones_100 = ones_50.square_times(50).mul(&ones_50);
        let ones_200 = ones_100.square_times(100).mul(&ones_100);
        (ones_200.square_times(50).mul(&ones_50), eleven)
    }

    /// Whether the two are the same element. Not constant-time: for public values.
    #[must_use]
    pub fn equals(&self, other: &Self) -> bool {
        self.to_bytes() == other.to_bytes()
    }

    /// Takes `other` over if `choice` is set and `self` is 0, in constant time: a selection among
    /// many of which one is chosen, with a zero to begin with.
    #[inline(always)]
    pub fn or_if(&mut self, choice: Choice, other: &Self) {
        choice.or(&mut self.0.0, &other.0.0);
    }
}

impl Loose {
    /// 0.
    pub const ZERO: Self = Self(ZERO_LOOSE);

    /// `self * other`.
    #[inline(always)]
    #[must_use]
    pub const fn mul(&self, other: &Self) -> Tight {
        let mut out = ZERO_TIGHT;
        fiat::fiat_25519_carry_mul(&mut out, &self.0, &other.0);
        Tight(out)
    }

    /// `self * self`.
    #[inline(always)]
    #[must_use]
    pub const fn square(&self) -> Tight {
        let mut out = ZERO_TIGHT;
        fiat::fiat_25519_carry_square(&mut out, &self.0);
        Tight(out)
    }

    /// `121666 * self`.
    #[inline(always)]
    #[must_use]
    pub const fn times_121666(&self) -> Tight {
        let mut out = ZERO_TIGHT;
        fiat::fiat_25519_carry_scmul_121666(&mut out, &self.0);
        Tight(out)
    }

    /// The same element with its limbs carried.
    #[inline(always)]
    #[must_use]
    pub const fn carry(&self) -> Tight {
        let mut out = ZERO_TIGHT;
        fiat::fiat_25519_carry(&mut out, &self.0);
        Tight(out)
    }

    /// As [`Tight::or_if`].
    #[inline(always)]
    pub fn or_if(&mut self, choice: Choice, other: &Self) {
        choice.or(&mut self.0.0, &other.0.0);
    }

    /// Takes `other` over if `choice` is set, in constant time.
    #[inline(always)]
    pub fn take_if(&mut self, choice: Choice, other: &Self) {
        choice.take(&mut self.0.0, &other.0.0);
    }

    /// Exchanges the two if `choice` is set, in constant time.
    #[inline(always)]
    pub fn swap(choice: Choice, one: &mut Self, other: &mut Self) {
        choice.swap(&mut one.0.0, &mut other.0.0);
    }
}

impl Zeroize for Tight {
    fn zeroize(&mut self) {
        self.0.0.zeroize();
    }
}

impl Zeroize for Loose {
    fn zeroize(&mut self) {
        self.0.0.zeroize();
    }
}

/// A secret yes or no, as a mask of ones or zeros that the optimiser can't see through: it could
/// otherwise make a branch of a selection.
#[derive(Clone, Copy)]
pub struct Choice(u64);

impl Choice {
    /// From the lowest bit.
    #[inline(always)]
    #[must_use]
    pub fn from_bit(bit: u8) -> Self {
        Self(black_box(0_u64.wrapping_sub(u64::from(bit & 1))))
    }

    /// Whether the two are the same.
    #[inline(always)]
    #[must_use]
    pub fn equal(one: u8, other: u8) -> Self {
        // Only 0 - 1 reaches the top bit.
        Self::from_bit((u64::from(one ^ other).wrapping_sub(1) >> 63) as u8)
    }

    #[inline(always)]
    fn swap(self, one: &mut [u64; 5], other: &mut [u64; 5]) {
        for (one, other) in one.iter_mut().zip(other) {
            let difference = self.0 & (*one ^ *other);
            *one ^= difference;
            *other ^= difference;
        }
    }

    #[inline(always)]
    fn take(self, to: &mut [u64; 5], from: &[u64; 5]) {
        for (to, from) in to.iter_mut().zip(from) {
            *to ^= self.0 & (*to ^ from);
        }
    }

    #[inline(always)]
    fn or(self, to: &mut [u64; 5], from: &[u64; 5]) {
        for (to, from) in to.iter_mut().zip(from) {
            *to |= self.0 & from;
        }
    }
}
