//! Errors, by whose fault it is.

use serde::{Deserialize, Serialize};

use crate::Peer;

/// Why a handshake, or its preparation, failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[non_exhaustive]
pub enum TlsError {
    /// Nobody's fault: the stack doesn't have the group or the certificate algorithm. In the words
    /// of the library where it has any.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// The caller's: the certificates or the key can't be read.
    #[error("caller: {0}")]
    Caller(String),
    /// The other peer's: what it sent was refused.
    #[error("the {} refused: {why}", .by.name())]
    Refused {
        /// Who refused.
        by: Peer,
        /// In the library's words.
        why: String,
    },
    /// The stack's, or its adapter's: it stalled, or failed where nobody could have been at fault.
    #[error("stack: {0}")]
    Stack(String),
    /// The worker's: the process ended, or answers what it was not asked.
    #[error("worker: {0}")]
    Worker(String),
}

impl TlsError {
    /// A stack's own failure, with the library's error as the detail.
    pub fn stack(detail: impl std::fmt::Display) -> Self {
        Self::Stack(detail.to_string())
    }

    /// A worker's failure.
    pub fn worker(detail: impl std::fmt::Display) -> Self {
        Self::Worker(detail.to_string())
    }

    /// A peer's refusal.
    pub fn refused(by: Peer, why: impl std::fmt::Display) -> Self {
        Self::Refused { by, why: why.to_string() }
    }

    /// Whose fault it is, in one word.
    #[must_use]
    pub fn fault(&self) -> &'static str {
        match self {
            Self::Unsupported(_) => "unsupported",
            Self::Caller(_) => "caller",
            Self::Refused { .. } => "peer",
            Self::Stack(_) => "stack",
            Self::Worker(_) => "worker",
        }
    }
}
