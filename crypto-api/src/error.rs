//! One opaque error: why a cryptographic check failed is nobody's business.

/// Why a cryptographic operation gave no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CryptoError {
    /// The backend doesn't have this algorithm.
    #[error("the crypto backend doesn't have this algorithm")]
    Unsupported,
    /// An input is no good: a key, a point, a ciphertext, a signature or a tag, or a length. It
    /// doesn't say which, so that it can't serve as an oracle.
    #[error("a cryptographic check failed")]
    Rejected,
    /// The inputs were fine and the library failed all the same: no randomness, no memory.
    #[error("the crypto library failed")]
    Internal,
}
