//! Errors, by whose fault it is.

use std::fmt;

use crate::{RejectReason, Rejection};

/// Why a call failed. The client's state is what it was before the call.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A peer's bytes are at fault: a key package or a Welcome that is no good.
    #[error("peer: {0}")]
    Peer(Rejection),
    /// The caller is at fault: no such group, nothing staged, not a member.
    #[error("caller: {0}")]
    Caller(String),
    /// The engine doesn't have this.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// The engine's store failed or holds what it shouldn't.
    #[error("storage: {0}")]
    Storage(String),
    /// The engine is at fault, or its adapter is.
    #[error("internal: {0}")]
    Internal(String),
}

impl EngineError {
    /// A peer's fault, with the engine's error as the detail.
    pub fn peer(reason: RejectReason, detail: impl fmt::Display) -> Self {
        Self::Peer(Rejection::new(reason, detail))
    }

    /// The caller's fault.
    pub fn caller(detail: impl fmt::Display) -> Self {
        Self::Caller(detail.to_string())
    }

    /// Something that the engine doesn't have.
    pub fn unsupported(what: impl fmt::Display) -> Self {
        Self::Unsupported(what.to_string())
    }

    /// The store's fault.
    pub fn storage(detail: impl fmt::Display) -> Self {
        Self::Storage(detail.to_string())
    }

    /// The engine's or the adapter's fault.
    pub fn internal(detail: impl fmt::Display) -> Self {
        Self::Internal(detail.to_string())
    }

    /// Whose fault it is, in one word.
    #[must_use]
    pub fn fault(&self) -> &'static str {
        match self {
            Self::Peer(_) => "peer",
            Self::Caller(_) => "caller",
            Self::Unsupported(_) => "unsupported",
            Self::Storage(_) => "storage",
            Self::Internal(_) => "internal",
        }
    }
}
