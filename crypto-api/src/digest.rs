//! The output of a hash or a MAC: public bytes, on the stack.

use std::fmt;

use subtle::ConstantTimeEq;

/// The output of a hash or a MAC function, at most 64 bytes.
///
/// Comparing is constant-time and takes the length into account, so that `==` on two MACs is
/// safe.
#[derive(Clone, Copy)]
pub struct Digest {
    bytes: [u8; Self::MAX_LENGTH],
    length: u8,
}

impl Digest {
    /// The longest output of any hash function in use.
    pub const MAX_LENGTH: usize = 64;

    /// A digest of `length` bytes (at most [`Self::MAX_LENGTH`]), written by `fill`.
    #[must_use]
    pub fn from_fn(length: usize, fill: impl FnOnce(&mut [u8])) -> Self {
        let length = length.min(Self::MAX_LENGTH);
        let mut bytes = [0; Self::MAX_LENGTH];
        fill(&mut bytes[..length]);
        Self { bytes, length: length as u8 }
    }

    /// The bytes.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    /// Whether these are the same bytes, in constant time, lengths included. An empty or truncated
    /// MAC is not equal to a whole one.
    #[must_use]
    pub fn matches(&self, other: &[u8]) -> bool {
        self.as_slice().ct_eq(other).into()
    }
}

impl AsRef<[u8]> for Digest {
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        self.matches(other.as_slice())
    }
}

impl Eq for Digest {}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
