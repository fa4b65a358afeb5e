//! What can be wrong with an encoding.

/// Why bytes don't decode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The input ends too early.
    #[error("the input ends too early")]
    EndOfInput,
    /// Bytes are left over after the value.
    #[error("bytes are left over")]
    TrailingBytes,
    /// A length with the prefix 11.
    #[error("a length has the invalid prefix")]
    InvalidLengthPrefix,
    /// A length in more bytes than it needs.
    #[error("a length is not in its shortest form")]
    LengthNotMinimal,
    /// A presence octet other than 0 and 1.
    #[error("a presence octet is neither 0 nor 1")]
    InvalidPresence,
    /// A value that its type doesn't have; the text names the type.
    #[error("no such {0}")]
    InvalidValue(&'static str),
}

/// Why a value doesn't encode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// A vector of more than 2^30 - 1 bytes.
    #[error("a vector is longer than its length header can say")]
    VectorTooLong,
}
