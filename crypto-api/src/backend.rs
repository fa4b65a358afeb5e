//! A crypto library, and where its randomness comes from.

use crate::{CipherSuite, CryptoError, Suite};

/// A crypto library.
pub trait CryptoBackend: Send + Sync + 'static {
    /// The library's name, as results show it.
    fn name(&self) -> &'static str;

    /// The cipher suites that it has, in ascending order.
    fn cipher_suites(&self) -> &[CipherSuite];

    /// One of its cipher suites.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Unsupported`] for a suite that isn't in [`Self::cipher_suites`].
    fn suite(&self, cipher_suite: CipherSuite) -> Result<&dyn Suite, CryptoError>;

    /// Random bytes that belong to no suite: a group id, say.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Internal`] if the source failed.
    fn random(&self, out: &mut [u8]) -> Result<(), CryptoError>;
}

/// A source of random bytes, fit for keys.
pub trait Random: Send + Sync + 'static {
    /// Fills `out`.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Internal`] if the source failed; `out` is then not to be used.
    fn fill(&self, out: &mut [u8]) -> Result<(), CryptoError>;
}
