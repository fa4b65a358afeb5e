//! Points of edwards25519 (RFC 8032 section 5.1).
//!
//! Sums and doubles come as four factors, which are multiplied out into as many coordinates as the
//! next operation reads: doubling doesn't read `T`.

use zeroize::Zeroize;

use crate::field::{Choice, Loose, Tight};

/// The curve's d: -121665 / 121666.
pub(crate) const D: Tight =
    Tight::small(121_665).neg().carry().mul(&Tight::small(121_666).invert());
const D2: Tight = D.add(&D).carry();
/// A root of -1: 2^((p - 1) / 4), the exponent being 2 (p - 5) / 8 + 1, twice.
const ROOT: Tight = {
    let two = Tight::small(2);
    two.power_p58().square().mul(&two)
};
const HALF: Tight = Tight::small(2).invert();

/// A point by `x = X/Z`, `y = Y/Z`, `x * y = T/Z`.
#[derive(Clone, Copy)]
pub struct Extended {
    /// `X`.
    pub x: Tight,
    /// `Y`.
    pub y: Tight,
    /// `Z`.
    pub z: Tight,
    /// `T`.
    pub t: Tight,
}

/// A point by `x = X/Z`, `y = Y/Z`.
#[derive(Clone, Copy)]
pub struct Projective {
    x: Tight,
    y: Tight,
    z: Tight,
}

/// What RFC 8032 section 5.1.4 calls `E`, `F`, `G` and `H`.
pub struct Factors {
    e: Loose,
    f: Loose,
    g: Loose,
    h: Loose,
}

/// A point in the form in which it is added: `Y + X`, `Y - X`, `2Z`, `2dT`.
#[derive(Clone, Copy)]
pub struct Cached {
    y_plus_x: Loose,
    y_minus_x: Loose,
    z2: Loose,
    t2d: Tight,
}

/// [`Cached`] with `Z = 1`, and everything halved, which saves doubling the other's `Z`.
#[derive(Clone, Copy)]
pub struct Affine {
    y_plus_x: Loose,
    y_minus_x: Loose,
    xyd: Tight,
}

impl Extended {
    /// The neutral element.
    pub const IDENTITY: Self =
        Self { x: Tight::ZERO, y: Tight::ONE, z: Tight::ONE, t: Tight::ZERO };

    /// Decodes a point (RFC 8032 section 5.1.3) whose `y` is below p. Not constant-time: for public
    /// values.
    #[must_use]
    pub fn decode(encoded: &[u8; 32]) -> Option<Self> {
        let y = Tight::from_bytes(encoded);
        let yy = y.square();
        let u = yy.sub(&Tight::ONE);
        let v = D.mul(&yy).add(&Tight::ONE);
        // The candidate u v^3 (u v^7)^((p - 5) / 8), which may be off by the root of -1.
        let v3 = v.square().relax().mul(&v);
        let v7 = v3.square().relax().mul(&v);
        let power = u.mul(&v7.relax()).power_p58();
        let candidate = u.mul(&v3.relax()).mul(&power);
        let vxx = v.mul(&candidate.square().relax());
        let x = if vxx.equals(&u.carry()) {
            candidate
        } else if vxx.equals(&u.carry().neg().carry()) {
            candidate.mul(&ROOT)
        } else {
            return None;
        };
        let sign = encoded[31] >> 7;
        let bytes = x.to_bytes();
        if bytes == [0; 32] && sign == 1 {
            return None;
        }
        let x = if bytes[0] & 1 == sign { x } else { x.neg().carry() };
        Some(Self { x, y, z: Tight::ONE, t: x.mul(&y) })
    }

    /// Encodes a point (RFC 8032 section 5.1.2).
    #[must_use]
    pub fn encode(&self) -> [u8; 32] {
        self.projective().encode()
    }

    /// Its negative.
    #[must_use]
    pub const fn neg(&self) -> Self {
        Self { x: self.x.neg().carry(), y: self.y, z: self.z, t: self.t.neg().carry() }
    }

    /// Without `T`.
    #[inline(always)]
    #[must_use]
    pub const fn projective(&self) -> Projective {
        Projective { x: self.x, y: self.y, z: self.z }
    }

    /// In the form in which it is added.
    #[inline(always)]
    #[must_use]
    pub const fn cached(&self) -> Cached {
        Cached {
            y_plus_x: self.y.add(&self.x),
            y_minus_x: self.y.sub(&self.x),
            z2: self.z.add(&self.z),
            t2d: self.t.mul(&D2),
        }
    }

    /// In the form in which a constant is added, given `1 / Z`.
    #[must_use]
    pub(crate) const fn affine(&self, inverse: &Tight) -> Affine {
        let (x, y) = (self.x.mul(inverse), self.y.mul(inverse));
        let half = HALF.relax();
        Affine {
            y_plus_x: y.add(&x).mul(&half).relax(),
            y_minus_x: y.sub(&x).mul(&half).relax(),
            xyd: x.mul(&y).mul(&D),
        }
    }

    /// `self + other`.
    #[inline(always)]
    #[must_use]
    pub const fn add(&self, other: &Cached) -> Factors {
        let d = self.z.relax().mul(&other.z2);
        self.sum(&other.y_plus_x, &other.y_minus_x, &other.t2d.relax(), &d)
    }

    /// `self - other`.
    #[inline(always)]
    #[must_use]
    pub const fn sub(&self, other: &Cached) -> Factors {
        let d = self.z.relax().mul(&other.z2);
        self.sum(&other.y_minus_x, &other.y_plus_x, &other.t2d.neg(), &d)
    }

    /// `self + other`.
    #[inline(always)]
    #[must_use]
    pub const fn add_affine(&self, other: &Affine) -> Factors {
        self.sum(&other.y_plus_x, &other.y_minus_x, &other.xyd.relax(), &self.z)
    }

    /// `self - other`.
    #[inline(always)]
    #[must_use]
    pub const fn sub_affine(&self, other: &Affine) -> Factors {
        self.sum(&other.y_minus_x, &other.y_plus_x, &other.xyd.neg(), &self.z)
    }

    /// `self + other`, or `self - other` if `minus` is set, in constant time.
    #[inline(always)]
    #[must_use]
    pub(crate) fn add_or_sub(&self, minus: Choice, other: &Affine) -> Factors {
        let Affine { mut y_plus_x, mut y_minus_x, xyd } = *other;
        Loose::swap(minus, &mut y_plus_x, &mut y_minus_x);
        let (mut plain, mut negated) = (xyd.relax(), xyd.neg());
        Loose::swap(minus, &mut plain, &mut negated);
        self.sum(&y_plus_x, &y_minus_x, &plain, &self.z)
    }

    #[inline(always)]
    const fn sum(&self, y_plus_x: &Loose, y_minus_x: &Loose, t2d: &Loose, d: &Tight) -> Factors {
        let a = self.y.sub(&self.x).mul(y_minus_x);
        let b = self.y.add(&self.x).mul(y_plus_x);
        let c = self.t.relax().mul(t2d);
        Factors { e: b.sub(&a), f: d.sub(&c), g: d.add(&c), h: b.add(&a) }
    }
}

impl Projective {
    /// The neutral element.
    pub const IDENTITY: Self = Extended::IDENTITY.projective();

    /// Twice the point.
    ///
    /// The RFC's `F` and `H` with their signs changed, which changes the signs of all coordinates
    /// and hence nothing.
    #[inline(always)]
    #[must_use]
    pub const fn double(&self) -> Factors {
        let a = self.x.square();
        let b = self.y.square();
        let zz = self.z.square();
        let xy = self.x.mul(&self.y);
        let g = b.sub(&a).carry();
        Factors { e: xy.add(&xy), f: zz.add(&zz).carry().sub(&g), g: g.relax(), h: a.add(&b) }
    }

    /// Encodes a point (RFC 8032 section 5.1.2).
    #[must_use]
    pub fn encode(&self) -> [u8; 32] {
        let inverse = self.z.invert();
        let mut bytes = self.y.mul(&inverse).to_bytes();
        bytes[31] |= (self.x.mul(&inverse).to_bytes()[0] & 1) << 7;
        bytes
    }
}

impl Factors {
    /// All coordinates.
    #[inline(always)]
    #[must_use]
    pub const fn extended(&self) -> Extended {
        let Projective { x, y, z } = self.projective();
        Extended { x, y, z, t: self.e.mul(&self.h) }
    }

    /// All but `T`.
    #[inline(always)]
    #[must_use]
    pub const fn projective(&self) -> Projective {
        Projective { x: self.e.mul(&self.f), y: self.g.mul(&self.h), z: self.f.mul(&self.g) }
    }
}

impl Affine {
    /// The neutral element: `x = 0`, `y = 1`.
    pub(crate) const IDENTITY: Self =
        Self { y_plus_x: HALF.relax(), y_minus_x: HALF.relax(), xyd: Tight::ZERO };
    /// No point at all: what a selection begins with.
    pub(crate) const NOTHING: Self =
        Self { y_plus_x: Loose::ZERO, y_minus_x: Loose::ZERO, xyd: Tight::ZERO };

    /// Takes `other` over if `choice` is set and `self` is [`Self::NOTHING`], in constant time.
    #[inline(always)]
    pub(crate) fn or_if(&mut self, choice: Choice, other: &Self) {
        self.y_plus_x.or_if(choice, &other.y_plus_x);
        self.y_minus_x.or_if(choice, &other.y_minus_x);
        self.xyd.or_if(choice, &other.xyd);
    }

    /// `x` and `y`, encoded: for tests of a table.
    #[must_use]
    pub fn coordinates(&self) -> [[u8; 32]; 2] {
        // ((y + x) / 2 - (y - x) / 2) and their sum.
        let (plus, minus) = (self.y_plus_x.carry(), self.y_minus_x.carry());
        [plus.sub(&minus).carry().to_bytes(), plus.add(&minus).carry().to_bytes()]
    }

    /// `d x y`, encoded: for tests of a table.
    #[must_use]
    pub fn product(&self) -> [u8; 32] {
        self.xyd.to_bytes()
    }
}

impl Zeroize for Extended {
    fn zeroize(&mut self) {
        self.x.zeroize();
        self.y.zeroize();
        self.z.zeroize();
        self.t.zeroize();
    }
}

impl Zeroize for Affine {
    fn zeroize(&mut self) {
        self.y_plus_x.zeroize();
        self.y_minus_x.zeroize();
        self.xyd.zeroize();
    }
}
