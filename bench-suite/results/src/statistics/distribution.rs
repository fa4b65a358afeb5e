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

/// The point beyond which a value of Student's distribution lies with probability `tail` (up to 1/2).
///
/// In closed form for one and two degrees of freedom, else the expansion of G. W. Hill (Algorithm 396
/// of the ACM).
pub(super) fn student_beyond(tail: f64, freedom: f64) -> f64 {
    use std::f64::consts::{FRAC_PI_2, PI};
    let (n, p) = (freedom.max(1.0), (2.0 * tail).clamp(1e-300, 1.0));
    if n < 1.5 {
        return 1.0 / (p * FRAC_PI_2).tan();
    }
    if n < 2.5 {
        return (2.0 / (p * (2.0 - p)) - 2.0).sqrt();
    }
    let a = 1.0 / (n - 0.5);
    let b = 48.0 / (a * a);
    let mut c = ((20_700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
    let d = ((94.5 / (b + c) - 3.0) / b + 1.0) * (a * PI / 2.0).sqrt() * n;
    let mut y = (d * p).powf(2.0 / n);
    if y > 0.05 + a {
        let x = -normal_beyond(p / 2.0);
        y = x * x;
        if n < 5.0 {
            c += 0.3 * (n - 4.5) * (x + 0.6);
        }
        c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b;
        y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x;
        y = (a * y * y).exp_m1();
    } else {
        y = ((1.0 / (((n + 6.0) / (n * y) - 0.089 * d - 0.822) * (n + 2.0) * 3.0)
            + 0.5 / (n + 4.0))
            * y
            - 1.0)
            * (n + 1.0)
            / (n + 2.0)
            + 1.0 / y;
    }
    (n * y).sqrt()
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
        for (tail, freedom, t) in [
            (0.025, 1.0, 12.706),
            (0.025, 2.0, 4.303),
            (0.0005, 2.0, 31.599),
            (0.025, 3.0, 3.182),
            (0.0005, 3.0, 12.924),
            (0.025, 4.0, 2.776),
            (0.0005, 4.0, 8.610),
            (0.025, 10.0, 2.228),
            (0.005, 10.0, 3.169),
            (0.0005, 30.0, 3.646),
        ] {
            let is = student_beyond(tail, freedom);
            assert!((is / t - 1.0).abs() < 0.01, "{tail} {freedom}: {is}");
        }
    }
}
