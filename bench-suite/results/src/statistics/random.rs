//! Seeded random numbers.

/// SplitMix64. The generator is part of the file format, as everybody who computes a file's
/// intervals again must draw the same blocks; a library's may change.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// One sequence per seed and purpose.
    #[must_use]
    pub fn new(seed: u64, purpose: &str) -> Self {
        // FNV-1a, so that two purposes don't share a sequence.
        let mix = purpose.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut random = Self(seed ^ mix);
        random.bits();
        random
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// One of `0..end`; 0 if there is none. The bias is below `end / 2^32`.
    pub fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).min(u64::from(u32::MAX));
        usize::try_from(((self.bits() >> 32) * end) >> 32).unwrap_or_default()
    }

    /// Puts a list into random order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for end in (2..=list.len()).rev() {
            list.swap(end - 1, self.below(end));
        }
    }
}
