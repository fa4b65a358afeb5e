//! Eight X25519 or Ed25519 operations at once, one in each lane of an AVX-512 register.
//!
//! For work that comes in bulk: sealing to many members, validating a tree of signed leaves. The
//! result in each lane is that of the operation done alone, bit for bit and verdict for verdict;
//! nothing is batched in the sense of an equation over several inputs.
//!
//! [`Lanes::detect`] says at run time whether the processor has what it takes (AVX-512 F and
//! IFMA). Where it has not, a caller goes on with its scalar library.
//!
//! [`Lanes::x25519`] and [`Lanes::x25519_base`] neither branch nor index memory on secrets.
//! [`Lanes::ed25519_verify`] works on public values.
//!
//! Arrays that hold words or digits of scalars are wiped. What the compiler keeps of them elsewhere is
//! not: in registers, in what it spills of these, in return values, and in the coordinates computed
//! from them.
//!
//! # Where `unsafe` is, and why it is sound
//!
//! - Calling code that was compiled for AVX-512: a [`Lanes`] exists only if the processor has it.
//! - Moving eight words between memory and a register, from and to arrays of eight words.
#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(target_arch = "x86_64")]
mod edwards;
#[cfg(target_arch = "x86_64")]
mod field;
#[cfg(target_arch = "x86_64")]
mod fixed_base;
#[cfg(target_arch = "x86_64")]
mod montgomery;
#[cfg(target_arch = "x86_64")]
mod verify;

/// How many operations are done at once.
pub const LANES: usize = 8;

/// A signature to be verified.
#[derive(Clone, Copy, Debug)]
pub struct Signed<'a> {
    /// The signer's public key.
    pub public: &'a [u8; 32],
    /// What was signed.
    pub message: &'a [u8],
    /// The signature: `R`, then `S`.
    pub signature: &'a [u8; 64],
}

/// The proof that this processor has AVX-512 F and IFMA.
#[derive(Clone, Copy, Debug)]
pub struct Lanes(());

#[cfg(target_arch = "x86_64")]
impl Lanes {
    /// Asks the processor.
    #[must_use]
    pub fn detect() -> Option<Self> {
        let present = std::arch::is_x86_feature_detected!("avx512f")
            && std::arch::is_x86_feature_detected!("avx512ifma");
        present.then_some(Self(()))
    }

    /// X25519 (RFC 7748 section 5) of `scalars[i]` and the u-coordinate `points[i]`, for each `i`.
    ///
    /// Scalars are clamped. A point of small order gives zeros, which most protocols have to
    /// refuse: so must the caller.
    #[must_use]
    pub fn x25519(
        self,
        scalars: &[[u8; 32]; LANES],
        points: &[[u8; 32]; LANES],
    ) -> [[u8; 32]; LANES] {
        // SAFETY: `self` proves that the processor has the features.
        unsafe { montgomery::ladder(scalars, points) }
    }

    /// X25519 of each scalar and the base point: public keys.
    #[must_use]
    pub fn x25519_base(self, scalars: &[[u8; 32]; LANES]) -> [[u8; 32]; LANES] {
        // SAFETY: `self` proves that the processor has the features.
        unsafe { fixed_base::x25519_base(scalars) }
    }

    /// Whether each signature is good by RFC 8032 section 5.1.7 without the cofactor:
    /// `encode([S]B - [k]A) == R`, `S` below the group's order, `A` on the curve.
    ///
    /// That is the verdict of ref10 and of what descends from it. `A` is decoded as it is: whoever
    /// refuses keys or `R`s of small order or in another than the shortest form does so before.
    #[must_use]
    pub fn ed25519_verify(self, signed: &[Signed<'_>; LANES]) -> [bool; LANES] {
        // SAFETY: `self` proves that the processor has the features.
        unsafe { verify::verify(signed) }
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Lanes {
    /// Asks the processor: not this one.
    #[must_use]
    pub fn detect() -> Option<Self> {
        None
    }

    /// Can't be reached: there is no value of this type.
    #[must_use]
    pub fn x25519(self, _: &[[u8; 32]; LANES], _: &[[u8; 32]; LANES]) -> [[u8; 32]; LANES] {
        [[0; 32]; LANES]
    }

    /// Can't be reached: there is no value of this type.
    #[must_use]
    pub fn x25519_base(self, _: &[[u8; 32]; LANES]) -> [[u8; 32]; LANES] {
        [[0; 32]; LANES]
    }

    /// Can't be reached: there is no value of this type.
    #[must_use]
    pub fn ed25519_verify(self, _: &[Signed<'_>; LANES]) -> [bool; LANES] {
        [false; LANES]
    }
}
