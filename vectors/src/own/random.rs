//! Randomness that is the same each time.

use std::sync::Mutex;

use crypto_api::{CryptoError, Random};

/// Bytes that follow from a name, by SplitMix64: for keys that are published anyway, and for no
/// others.
pub(super) struct Named(Mutex<u64>);

impl Named {
    pub(super) fn new(name: &str) -> Self {
        // FNV-1a, so that a new case doesn't change the keys of the others.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(Mutex::new(hash))
    }
}

impl Random for Named {
    fn fill(&self, out: &mut [u8]) -> Result<(), CryptoError> {
        let mut state = self.0.lock().map_err(|_| CryptoError::Internal)?;
        for chunk in out.chunks_mut(8) {
            *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = *state;
            z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            chunk.copy_from_slice(&(z ^ z >> 31).to_be_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}
