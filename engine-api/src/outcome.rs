//! What became of a message from the network.

use std::fmt;

use crate::Identity;

/// What became of a message. Only [`Applied`](Self::Applied) and [`Removed`](Self::Removed)
/// change the client's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ingested<T> {
    /// It was valid and took effect.
    Applied(T),
    /// It had been applied before, or is this client's own.
    Duplicate,
    /// It belongs to an epoch that the client has left, and can't be used any more. Engines that
    /// keep no record of what they applied report a repeated commit as this.
    Stale,
    /// It can't be read yet: it belongs to an epoch that the client hasn't reached, or is further
    /// ahead of its sender's last than keys are derived for. Ingest it again after what comes
    /// before it. The bytes were not authenticated.
    RetryLater,
    /// It is no good and never will be.
    Rejected(Rejection),
    /// It was a valid commit that removes this client; the group is closed to it.
    Removed,
}

impl<T> Ingested<T> {
    /// The effect, if there was one.
    pub fn applied(self) -> Option<T> {
        match self {
            Self::Applied(effect) => Some(effect),
            _ => None,
        }
    }

    /// The outcome's name, without its contents.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Applied(_) => "applied",
            Self::Duplicate => "duplicate",
            Self::Stale => "stale",
            Self::RetryLater => "retry-later",
            Self::Rejected(_) => "rejected",
            Self::Removed => "removed",
        }
    }
}

impl<T> From<Rejection> for Ingested<T> {
    fn from(why: Rejection) -> Self {
        Self::Rejected(why)
    }
}

/// A decrypted application message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppMessage {
    /// Who sent it, as authenticated by the engine.
    pub sender: Identity,
    /// What was given to [`send`](crate::CgkaEngine::send).
    pub payload: Vec<u8>,
}

/// Why a peer's bytes were refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The class, for programs.
    pub reason: RejectReason,
    /// The engine's own words, for people. Never contains secrets.
    pub detail: String,
}

impl Rejection {
    /// A rejection with the engine's error as its detail.
    pub fn new(reason: RejectReason, detail: impl fmt::Display) -> Self {
        Self { reason, detail: detail.to_string() }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reason.name(), self.detail)
    }
}

/// The classes of refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RejectReason {
    /// The bytes don't parse as what they should be.
    Malformed,
    /// A signature, tag or ciphertext doesn't verify. Engines that can't tell a damaged message
    /// from one that was never for this client report both as this.
    Unauthenticated,
    /// It is for another group, or for another client.
    Misdirected,
    /// It is authentic, but its author may not do this.
    Forbidden,
    /// It is authentic, but breaks a rule of the protocol.
    Invalid,
}

impl RejectReason {
    /// The class's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Unauthenticated => "unauthenticated",
            Self::Misdirected => "misdirected",
            Self::Forbidden => "forbidden",
            Self::Invalid => "invalid",
        }
    }
}
