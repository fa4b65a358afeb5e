//! The two distributions that intervals are made with, to about four digits.

/// The point beyond which a standard normal value lies with probability `tail` (up to 1/2).
///
/// Acklam's rational approximation; relative error below 1.2e-9.
pub(super) fn normal_beyond(tail: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969_683_028_665_376e1,
        2.209_460_984_245_205e2,
        -2.759_285_104_469_687e2,
        1.383_577_518_672_69e2,
        -3.066_479_806_614_716e1,
        2.506_628_277_459_239,
    ];
    const B: [f64; 6] = [
        -5.447_609_879_822_406e1,
        1.615_858_368_580_409e2,
        -1.556_989_798_598_866e2,
        6.680_131_188_771_972e1,
        -1.328_068_155_288_572e1,
        1.0,
    ];
    const C: [f64; 6] = [
        -7.784_894_002_430_293e-3,
        -3.223_964_580_411_365e-1,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 5] = [
        7.784_695_709_041_462e-3,
        3.224_671_290_700_398e-1,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
        1.0,
    ];
    let tail = tail.clamp(1e-300, 0.5);
    if tail < 0.024_25 {
        let q = (-2.0 * tail.ln()).sqrt();
        return -(polynomial(&C, q) / polynomial(&D, q));
    }
    let q = 0.5 - tail;
    q * polynomial(&A, q * q) / polynomial(&B, q * q)
}

/// The highest power first.
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// The probability that a standard normal value lies beyond `x`, for `x >= 0`.
///
/// Abramowitz and Stegun 26.2.17; absolute error below 7.5e-8.
pub(super) fn normal_tail(x: f64) -> f64 {
    const B: [f64; 6] =
        [1.330_274_429, -1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_530, 0.0];
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    density * polynomial(&B, 1.0 / (1.0 + 0.231_641_9 * x))
}

/// The point beyond which a value of Student's distribution lies with probability `tail`.
///
/// The Cornish-Fisher expansion around the normal one (Abramowitz and Stegun 26.7.5); within 1 % for
/// the usual tails from 4 degrees of freedom on.
pub(super) fn student_beyond(tail: f64, freedom: f64) -> f64 {
    let z = normal_beyond(tail);
    let (z2, v) = (z * z, freedom.max(1.0));
    let g1 = z * (z2 + 1.0) / 4.0;
    let g2 = z * ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0;
    let g3 = z * (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / 384.0;
    z + g1 / v + g2 / (v * v) + g3 / (v * v * v)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against printed tables.
    #[test]
    fn agrees_with_the_tables() {
        for (tail, z) in [(0.5, 0.0), (0.025, 1.959_964), (0.005, 2.575_829), (5e-6, 4.417_173)] {
            assert!((normal_beyond(tail) - z).abs() < 1e-5, "{tail}");
            assert!((normal_tail(z) - tail).abs() < 1e-6, "{tail}");
        }
        for (tail, freedom, t) in
            [(0.025, 4.0, 2.776), (0.025, 10.0, 2.228), (0.005, 10.0, 3.169), (0.0005, 30.0, 3.646)]
        {
            let is = student_beyond(tail, freedom);
            assert!((is / t - 1.0).abs() < 0.01, "{tail} {freedom}: {is}");
        }
    }
}
