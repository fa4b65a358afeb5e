//! A busy loop whose length is known: it makes an engine slower by a chosen amount, so that it can
//! be seen whether the recorder notices.

use std::hint::black_box;
use std::time::Instant;

use super::clock::nanoseconds;

/// Turns a number over so many times. Each round waits for the one before.
#[inline(never)]
pub(super) fn spin(rounds: u64) {
    let mut number = black_box(1_u64);
    for _ in 0..rounds {
        number = number.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1).rotate_left(7);
    }
    black_box(number);
}

/// How many rounds take a millisecond: the median of a few short tries.
pub(super) fn rounds_per_millisecond() -> u64 {
    const ROUNDS: u64 = 20_000;
    let mut tries: Vec<u64> = (0..25)
        .map(|_| {
            let start = Instant::now();
            spin(ROUNDS);
            nanoseconds(start.elapsed())
        })
        .collect();
    tries.sort_unstable();
    ROUNDS * 1_000_000 / tries[tries.len() / 2].max(1)
}
