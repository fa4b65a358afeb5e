//! Whether the time that an operation takes depends on its secret, in the manner of "Dude, is my
//! code constant time?" (Reparaz, Balasch, Verbauwhede, 2017).
//!
//! Each sample times one operation with one fixed secret or with a random one, by the toss of a
//! coin. What isn't secret, a message, is random in both cases: a signature's time may depend on it.
//! The nonce of a signature is as secret as the key, and random in both cases too; what is computed
//! from it is therefore tested by itself (`x25519_base`, which is the same multiplication, and
//! `scalars`). Welch's t-test compares the two classes: over all samples, and over those below each of
//! several percentiles, since the slow ones are interruptions. A difference shows as a t that grows
//! with the number of samples; |t| above 5 counts as one.
//!
//! With one message for both classes a difference can show, of |t| up to 7 below some percentile. It is
//! not the key's: one key with one message has one `R`, and encoding `R` inverts its `Z`. Inverting one
//! value against another shows it alone, |t| up to 10 in some runs of 250,000 samples and none in
//! others, a shift of half a nanosecond in 3.4 microseconds; a value against itself doesn't, nor does a
//! chain of plain multiplications, nor dalek's encoding of points. The compiled inversion has no branch,
//! no index and no division that depends on the value. What it is on this processor isn't known.
//!
//! Two variants that leak on purpose show that the test would see it: a ladder that branches on a
//! bit, and a table that is not read where the digit is 0.
//!
//! ```text
//! cargo run --release -p crypto-fiat --example timing [samples]
//! ```
//!
//! Exits with 1 if one of ours leaks or one of the leaky isn't caught.
#![allow(clippy::unwrap_used, reason = "an example fails by panicking")]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use crypto_fiat::SystemRandom;
use crypto_fiat::ed25519::SigningKey;
use crypto_fiat::edwards::Extended;
use crypto_fiat::field::Tight;
use crypto_fiat::fixed_base::{COMB, digits};
use crypto_fiat::scalar::Scalar;
use crypto_fiat::x25519::{x25519, x25519_base};

use crypto_api::Random;

/// How many operations are prepared at a time.
const BATCH: usize = 1000;
/// Samples left out at the start.
const WARM_UP: usize = 10_000;
const LIMIT: f64 = 5.0;
/// The first leaves nothing out.
const PERCENTILES: [f64; 5] = [1.0, 0.99, 0.95, 0.8, 0.5];

fn main() -> ExitCode {
    let samples =
        std::env::args().nth(1).map_or(1_000_000, |samples| samples.parse::<usize>().unwrap());
    println!("{samples} samples, t below the percentiles {PERCENTILES:?}");
    let point = x25519_base(&[9; 32]);
    let mut fine = true;
    let mut judge = |name: &str, leaks: bool, ts: Vec<f64>| {
        let seen = ts.iter().any(|t| t.abs() > LIMIT);
        println!("{name}: t = {ts:.2?}{}", if seen { ", depends on the secret" } else { "" });
        fine &= seen == leaks;
    };
    let plain = |secret: &[u8; 32]| *secret;
    let other = Scalar::reduce(&[3; 64]);
    let scalars = |s: &[u8; 32]| Scalar::reduce(s).mul_add(&other, &other).to_bytes();
    judge("x25519", false, all_t(samples, plain, |s, _| x25519(s, &point)));
    judge("x25519_base", false, all_t(samples, plain, |s, _| x25519_base(s)));
    judge("scalars", false, all_t(samples, plain, |s, _| scalars(s)));
    judge("sign", false, all_t(samples, SigningKey::from_seed, |key, text| key.sign(text)));
    // A leak shows in fewer.
    let few = samples.min(100_000);
    judge("leaky ladder", true, all_t(few, plain, |s, _| leaky_ladder(s, &point)));
    judge("leaky table", true, all_t(few, plain, |s, _| leaky_base(s)));
    if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Times `operation` on what `prepare` makes of secrets, fixed and random, and on random messages.
fn all_t<K: Clone, O>(
    samples: usize,
    prepare: impl Fn(&[u8; 32]) -> K,
    mut operation: impl FnMut(&K, &[u8; 32]) -> O,
) -> Vec<f64> {
    let fixed = prepare(&[0; 32]);
    let mut classes: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
    // One place for both classes: no difference in where it is read from.
    let mut here = fixed.clone();
    let mut taken = 0;
    while taken < samples + WARM_UP {
        let mut random = vec![0; 65 * BATCH];
        SystemRandom.fill(&mut random).unwrap();
        let inputs: Vec<(usize, K, [u8; 32])> = random
            .chunks_exact(65)
            .map(|bytes| {
                let class = usize::from(bytes[64] & 1);
                let key = prepare(bytes[..32].try_into().unwrap());
                let message = bytes[32..64].try_into().unwrap();
                (class, if class == 0 { fixed.clone() } else { key }, message)
            })
            .collect();
        for (class, input, message) in &inputs {
            here.clone_from(input);
            let start = Instant::now();
            black_box(operation(black_box(&here), message));
            let nanoseconds = start.elapsed().as_nanos() as f64;
            taken += 1;
            if taken > WARM_UP {
                classes[*class].push(nanoseconds);
            }
        }
    }
    cropped(&classes)
}

/// The t of all samples and of those below each percentile of both classes together.
fn cropped(classes: &[Vec<f64>; 2]) -> Vec<f64> {
    let mut all: Vec<f64> = classes.concat();
    all.sort_by(f64::total_cmp);
    PERCENTILES
        .iter()
        .map(|percentile| {
            let at = ((all.len() - 1) as f64 * percentile) as usize;
            let below = classes.each_ref().map(|class| {
                class.iter().copied().filter(|sample| *sample <= all[at]).collect::<Vec<_>>()
            });
            welch(&below)
        })
        .collect()
}

/// Welch's t.
fn welch(classes: &[Vec<f64>; 2]) -> f64 {
    let [(mean_a, error_a), (mean_b, error_b)] = classes.each_ref().map(|class| {
        let count = class.len() as f64;
        let mean = class.iter().sum::<f64>() / count;
        let squares: f64 = class.iter().map(|sample| (sample - mean).powi(2)).sum();
        (mean, squares / (count - 1.0) / count)
    });
    (mean_a - mean_b) / (error_a + error_b).sqrt()
}

/// The ladder, with a branch on each bit.
fn leaky_ladder(scalar: &[u8; 32], point: &[u8; 32]) -> [u8; 32] {
    let base = Tight::from_bytes(point);
    let (mut low, mut high) = ((Tight::ONE, Tight::ZERO), (base, Tight::ONE));
    for place in (0..255).rev() {
        let bit = scalar[place / 8] >> (place % 8) & 1;
        if bit == 1 {
            std::mem::swap(&mut low, &mut high);
        }
        let (a, b) = (low.0.add(&low.1), low.0.sub(&low.1));
        let (c, d) = (high.0.add(&high.1), high.0.sub(&high.1));
        let (aa, bb, da, cb) = (a.square(), b.square(), d.mul(&a), c.mul(&b));
        let e = aa.sub(&bb);
        high = (da.add(&cb).square(), base.mul(&da.sub(&cb).square()));
        low = (aa.mul(&bb), e.mul(&bb.add(&e.times_121666())));
        if bit == 1 {
            std::mem::swap(&mut low, &mut high);
        }
    }
    low.0.mul(&low.1.invert()).to_bytes()
}

/// The sum over the table's odd places, without those that add nothing.
fn leaky_base(scalar: &[u8; 32]) -> [u8; 32] {
    let mut scalar = *scalar;
    scalar[31] &= 0x3f;
    let mut sum = Extended::IDENTITY;
    for (row, pair) in COMB.iter().zip(digits(&scalar).chunks_exact(2)) {
        let digit = pair[1];
        if digit != 0 {
            let multiple = &row[usize::from(digit.unsigned_abs()) - 1];
            let next = if digit > 0 { sum.add_affine(multiple) } else { sum.sub_affine(multiple) };
            sum = next.extended();
        }
    }
    sum.encode()
}
