//! Points of edwards25519 (RFC 8032 section 5.1) in eight lanes.

use std::sync::OnceLock;

use crate::LANES;
use crate::field::{Field, Limbs, Mask, reduce};

/// A point by `x = X/Z`, `y = Y/Z`, `x * y = T/Z`.
#[derive(Clone, Copy)]
pub(crate) struct Extended {
    pub(crate) x: Field,
    pub(crate) y: Field,
    pub(crate) z: Field,
    pub(crate) t: Field,
}

/// A point in the form in which it is added: `Y + X`, `Y - X`, `2Z`, `2dT`.
#[derive(Clone, Copy)]
pub(crate) struct Cached {
    pub(crate) y_plus_x: Field,
    pub(crate) y_minus_x: Field,
    pub(crate) z2: Field,
    pub(crate) t2d: Field,
}

/// [`Cached`] with `Z = 1`.
#[derive(Clone, Copy)]
pub(crate) struct Affine {
    pub(crate) y_plus_x: Field,
    pub(crate) y_minus_x: Field,
    pub(crate) xy2d: Field,
}

/// The curve's constants, in limbs.
pub(crate) struct Constants {
    /// -121665 / 121666.
    pub(crate) d: Limbs,
    pub(crate) d2: Limbs,
    /// A root of -1: 2^((p - 1) / 4).
    pub(crate) root: Limbs,
}

/// Computed once from their definitions.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn constants() -> &'static Constants {
    static CONSTANTS: OnceLock<Constants> = OnceLock::new();
    if let Some(constants) = CONSTANTS.get() {
        return constants;
    }
    let d = Field::small(121_665).neg().mul(Field::small(121_666).invert());
    // 2^((p - 1) / 4) = (2^((p - 5) / 8))^2 * 2, as (p - 1) / 4 = 2 (p - 5) / 8 + 1.
    let root = Field::small(2).power_p58().square().mul(Field::small(2));
    let first = |field: Field| reduce(field.lanes()[0]);
    let computed = Constants { d: first(d), d2: first(d.add(d)), root: first(root) };
    CONSTANTS.get_or_init(|| computed)
}

impl Extended {
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn identity() -> Self {
        let (zero, one) = (Field::small(0), Field::small(1));
        Self { x: zero, y: one, z: one, t: zero }
    }

    /// Decodes points (RFC 8032 section 5.1.3), and says in which lanes there is one. A `y` of p or
    /// more is taken modulo p.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn decode(encoded: &[[u8; 32]; LANES]) -> (Self, Mask) {
        let Constants { d, root, .. } = constants();
        let one = Field::small(1);
        let y = Field::from_bytes(encoded);
        let yy = y.square();
        let u = yy.sub(one);
        let v = yy.mul(Field::all(*d)).add(one);
        // The candidate u v^3 (u v^7)^((p - 5) / 8), which may be off by the root of -1.
        let v3 = v.square().mul(v);
        let v7 = v3.square().mul(v);
        let x = u.mul(v3).mul(u.mul(v7).power_p58());
        let vxx = x.square().mul(v);
        let straight = vxx.equal(u);
        let turned = vxx.equal(u.neg());
        let x = x.blend(turned & !straight, x.mul(Field::all(*root)));
        let (mut flip, mut no_zero): (Mask, Mask) = (0, 0);
        for (lane, bytes) in x.to_bytes().iter().enumerate() {
            let sign = encoded[lane][31] >> 7;
            flip |= (bytes[0] & 1 ^ sign) << lane;
            no_zero |= u8::from(*bytes != [0; 32] || sign == 0) << lane;
        }
        let x = x.blend(flip, x.neg());
        (Self { x, y, z: one, t: x.mul(y) }, (straight | turned) & no_zero)
    }

    /// Encodes points (RFC 8032 section 5.1.2).
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn encode(self) -> [[u8; 32]; LANES] {
        let inverse = self.z.invert();
        let x = self.x.mul(inverse).to_bytes();
        let mut out = self.y.mul(inverse).to_bytes();
        for (bytes, x) in out.iter_mut().zip(x) {
            bytes[31] |= (x[0] & 1) << 7;
        }
        out
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn neg(self) -> Self {
        Self { x: self.x.neg(), t: self.t.neg(), ..self }
    }

    /// Doubled four times. Doubling doesn't read `t`, so only the last one computes it.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn times_16(self) -> Self {
        let mut point = self;
        for _ in 0..3 {
            let [e, f, g, h] = point.double_parts();
            point = Self { x: e.mul(f), y: g.mul(h), z: f.mul(g), t: point.t };
        }
        let [e, f, g, h] = point.double_parts();
        Self { x: e.mul(f), y: g.mul(h), z: f.mul(g), t: e.mul(h) }
    }

    /// The `E`, `F`, `G` and `H` of RFC 8032 section 5.1.4.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn double_parts(&self) -> [Field; 4] {
        let a = self.x.square();
        let b = self.y.square();
        let zz = self.z.square();
        let h = a.add(b);
        let e = h.sub(self.x.add(self.y).square());
        let g = a.sub(b);
        let f = zz.add(zz).add(g);
        [e, f, g, h]
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn cached(self) -> Cached {
        let Constants { d2, .. } = constants();
        Cached {
            y_plus_x: self.y.add(self.x),
            y_minus_x: self.y.sub(self.x),
            z2: self.z.add(self.z),
            t2d: self.t.mul(Field::all(*d2)),
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn add(self, other: &Cached) -> Self {
        let Cached { y_plus_x, y_minus_x, z2, t2d } = *other;
        let d = self.z.mul(z2);
        self.add_parts(y_plus_x, y_minus_x, t2d, d)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn add_affine(self, other: &Affine) -> Self {
        let Affine { y_plus_x, y_minus_x, xy2d } = *other;
        let d = self.z.add(self.z);
        self.add_parts(y_plus_x, y_minus_x, xy2d, d)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn add_parts(self, y_plus_x: Field, y_minus_x: Field, t2d: Field, d: Field) -> Self {
        let a = self.y.sub(self.x).mul(y_minus_x);
        let b = self.y.add(self.x).mul(y_plus_x);
        let c = self.t.mul(t2d);
        let e = b.sub(a);
        let f = d.sub(c);
        let g = d.add(c);
        let h = b.add(a);
        Self { x: e.mul(f), y: g.mul(h), z: f.mul(g), t: e.mul(h) }
    }
}

impl Cached {
    /// The negative in the lanes of the mask.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn negate(self, mask: Mask) -> Self {
        Self {
            y_plus_x: self.y_plus_x.blend(mask, self.y_minus_x),
            y_minus_x: self.y_minus_x.blend(mask, self.y_plus_x),
            z2: self.z2,
            t2d: self.t2d.blend(mask, self.t2d.neg()),
        }
    }
}

impl Affine {
    /// The negative in the lanes of the mask.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn negate(self, mask: Mask) -> Self {
        Self {
            y_plus_x: self.y_plus_x.blend(mask, self.y_minus_x),
            y_minus_x: self.y_minus_x.blend(mask, self.y_plus_x),
            xy2d: self.xy2d.blend(mask, self.xy2d.neg()),
        }
    }
}
