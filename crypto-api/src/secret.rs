//! Secret bytes.

use std::fmt;

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// Secret bytes: wiped when dropped, silent in `Debug`, compared in constant time.
///
/// They live on the heap, because a moved array leaves a copy behind that nobody wipes.
#[derive(Clone)]
pub struct Secret(Zeroizing<Box<[u8]>>);

impl Secret {
    /// Takes the bytes over. Spare capacity is given back first, which may copy: build the vector
    /// at its exact size.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        if bytes.len() == bytes.capacity() {
            return Self(Zeroizing::new(bytes.into_boxed_slice()));
        }
        // `into_boxed_slice` would reallocate and leave the old bytes behind.
        Self::copy_from(&Zeroizing::new(bytes))
    }

    /// A copy of the bytes.
    #[must_use]
    pub fn copy_from(bytes: &[u8]) -> Self {
        Self(Zeroizing::new(Box::from(bytes)))
    }

    /// All zero, of this length: the RFC's `0` when `length` is `KDF.Nh`.
    #[must_use]
    pub fn zero(length: usize) -> Self {
        Self(Zeroizing::new(vec![0; length].into_boxed_slice()))
    }

    /// A secret of this length, written by `fill`.
    #[must_use]
    pub fn from_fn(length: usize, fill: impl FnOnce(&mut [u8])) -> Self {
        let mut secret = Self::zero(length);
        fill(&mut secret.0);
        secret
    }

    /// A secret of this length, written by `fill` if it can.
    ///
    /// # Errors
    ///
    /// Those of `fill`.
    pub fn try_from_fn<E>(
        length: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut secret = Self::zero(length);
        fill(&mut secret.0)?;
        Ok(secret)
    }

    /// Takes these bytes on in place of its own. Those of the same length stay where they are, so
    /// that nothing is allocated.
    pub fn replace(&mut self, bytes: &[u8]) {
        if bytes.len() == self.len() {
            self.0.copy_from_slice(bytes);
        } else {
            *self = Self::copy_from(bytes);
        }
    }

    /// The bytes.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }

    /// How many bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl AsRef<[u8]> for Secret {
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl From<Vec<u8>> for Secret {
    fn from(bytes: Vec<u8>) -> Self {
        Self::new(bytes)
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice().ct_eq(other.as_slice()).into()
    }
}

impl Eq for Secret {}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({} bytes)", self.len())
    }
}
