//! The lifetime of a key package's leaf (section 7.2).

use crate::codec_struct;

/// From when to when a leaf is valid, in seconds since the Unix epoch, both included.
///
/// The engine has no clock: it is for the caller to check the time and the total that it accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lifetime {
    /// The first valid second.
    pub not_before: u64,
    /// The last valid second.
    pub not_after: u64,
}
codec_struct!(Lifetime { not_before, not_after });

impl Lifetime {
    /// Whether it is valid at `now`.
    #[must_use]
    pub fn contains(&self, now: u64) -> bool {
        (self.not_before..=self.not_after).contains(&now)
    }

    /// How long it is valid in all; `None` if it ends before it starts.
    #[must_use]
    pub fn total(&self) -> Option<u64> {
        self.not_after.checked_sub(self.not_before)
    }
}
