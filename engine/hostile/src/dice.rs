//! Chance that is the same in each run.

use std::sync::atomic::{AtomicU64, Ordering};

use crypto_api::{CryptoError, Random};

/// Numbers that look random (splitmix64).
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// Those of one input of one run.
    #[must_use]
    pub fn new(seed: u64, index: u64) -> Self {
        let mut dice = Self(seed);
        let start = dice.number().wrapping_add(index.wrapping_mul(0xd134_2543_de82_ef95));
        Self(start)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// One below `end`, or 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.number() % (end.max(1) as u64)) as usize
    }

    /// Whether one of so many cases is the case.
    pub fn one_in(&mut self, cases: usize) -> bool {
        self.below(cases) == 0
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }

    /// Any bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.number().to_be_bytes()[0]).collect()
    }
}

fn mix(state: u64) -> u64 {
    let mut z = state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// The randomness of a crypto backend, started anew for each input so that one can be replayed
/// without those before it.
#[derive(Debug)]
pub struct Seeded(AtomicU64);

impl Seeded {
    /// From this seed on.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    /// Starts anew.
    pub fn restart(&self, seed: u64) {
        self.0.store(seed, Ordering::Relaxed);
    }
}

impl Random for Seeded {
    fn fill(&self, out: &mut [u8]) -> Result<(), CryptoError> {
        for chunk in out.chunks_mut(8) {
            let state = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
            let bytes = mix(state).to_be_bytes();
            chunk.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        }
        Ok(())
    }
}
