//! Errors, by whose fault it is.

use crypto_api::{CipherSuite, CryptoError};

use crate::codec::{DecodeError, EncodeError};

/// The engine's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call failed. Whatever state was involved is what it was before the call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A peer's bytes are at fault.
    #[error("peer: {0}")]
    Peer(#[from] PeerError),
    /// The caller is at fault.
    #[error("caller: {0}")]
    Caller(#[from] CallerError),
    /// Nothing wrong with it, but the engine or its backend doesn't have this.
    #[error("unsupported: {0}")]
    Unsupported(&'static str),
    /// The crypto backend doesn't have this cipher suite.
    #[error("unsupported: {0:?}")]
    UnsupportedSuite(CipherSuite),
    /// The crypto library failed on good inputs, or on our own: no randomness, a broken key store.
    #[error("crypto: {0}")]
    Crypto(CryptoError),
    /// The engine is at fault.
    #[error("internal: {0}")]
    Internal(&'static str),
}

/// What a peer did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PeerError {
    /// The bytes don't parse.
    #[error("malformed: {0}")]
    Malformed(#[from] DecodeError),
    /// A public key that is none.
    #[error("a public key is no good")]
    BadKey,
    /// A signature that doesn't verify.
    #[error("a signature doesn't verify")]
    BadSignature,
    /// A confirmation tag or a membership tag that doesn't fit.
    #[error("a MAC doesn't fit")]
    BadMac,
    /// A ciphertext that doesn't open.
    #[error("a ciphertext doesn't open")]
    Undecryptable,
    /// A message whose key is gone because it was used: the message was opened before.
    #[error("a message's key was used before")]
    KeyUsedUp,
    /// A message so late that its key is not kept any more. Whether it was opened before, nobody
    /// knows: no record is kept of what comes before the window.
    #[error("a message's key is too old to be kept")]
    KeyTooOld,
    /// A message whose key is further ahead in its sender's ratchet than the limits allow.
    #[error("a message's generation is too far ahead")]
    TooFarAhead,
    /// A commit refers to a proposal that hasn't come in. Fetch the proposal and try again.
    #[error("a commit refers to a proposal that is not known")]
    UnknownProposal,
    /// The epoch has as many proposals as the client keeps: one more isn't taken in before there is
    /// a commit.
    #[error("the epoch has as many proposals as are kept")]
    TooManyProposals,
    /// A rule of the protocol is broken; the text names it, section first.
    #[error("{0}")]
    Invalid(&'static str),
}

/// What the caller did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallerError {
    /// What is to be sent is too long for the encoding.
    #[error("{0}")]
    TooLong(#[from] EncodeError),
    /// A key of the caller's that is none, or of another suite.
    #[error("a private key is no good")]
    BadKey,
    /// A pre-shared key that is named and that the application doesn't have.
    #[error("a pre-shared key is not there")]
    MissingPsk,
    /// There are proposals, which have to be committed or dropped before application data is sent
    /// (section 12.4).
    #[error("12.4: there are proposals to be committed first")]
    ProposalsPending,
    /// The epoch has as many proposals as this client keeps: commit them, or drop some.
    #[error("the epoch has as many proposals as are kept")]
    TooManyProposals,
    /// This client was removed from the group.
    #[error("this client was removed from the group")]
    Removed,
    /// The group was reinitialised: nothing is sent in it any more (section 11.2).
    #[error("11.2: the group was reinitialised")]
    Reinitialized,
    /// A staged commit is of an epoch that is over, or of another group.
    #[error("a staged commit is not of the current epoch")]
    Outdated,
    /// A rule of the interface is broken; the text names it.
    #[error("{0}")]
    Invalid(&'static str),
}

impl From<DecodeError> for Error {
    fn from(error: DecodeError) -> Self {
        Self::Peer(error.into())
    }
}

impl From<EncodeError> for Error {
    fn from(error: EncodeError) -> Self {
        Self::Caller(error.into())
    }
}

impl From<CryptoError> for Error {
    /// For calls that can't fail on a peer's bytes; where they can, say whose fault it is with
    /// [`Error::of_peer`].
    fn from(error: CryptoError) -> Self {
        match error {
            CryptoError::Unsupported => Self::Unsupported("a cryptographic algorithm"),
            other => Self::Crypto(other),
        }
    }
}

impl Error {
    /// A peer's fault if the library refused an input, the library's otherwise.
    pub fn of_peer(fault: PeerError) -> impl FnOnce(CryptoError) -> Self {
        move |error| match error {
            CryptoError::Rejected => Self::Peer(fault),
            other => other.into(),
        }
    }

    /// A broken rule of the protocol. The text names it, section first.
    #[must_use]
    pub fn invalid(rule: &'static str) -> Self {
        Self::Peer(PeerError::Invalid(rule))
    }

    /// The same, if it was a peer's fault, as the caller's: for rules that bind what we make, too.
    #[must_use]
    pub fn into_callers(self) -> Self {
        match self {
            Self::Peer(PeerError::Invalid(rule)) => Self::Caller(CallerError::Invalid(rule)),
            Self::Peer(PeerError::BadKey) => Self::Caller(CallerError::BadKey),
            Self::Peer(PeerError::TooManyProposals) => Self::Caller(CallerError::TooManyProposals),
            other => other,
        }
    }

    /// Whose fault it is, in one word.
    #[must_use]
    pub fn fault(&self) -> &'static str {
        match self {
            Self::Peer(_) => "peer",
            Self::Caller(_) => "caller",
            Self::Unsupported(_) | Self::UnsupportedSuite(_) => "unsupported",
            Self::Crypto(_) => "crypto",
            Self::Internal(_) => "internal",
        }
    }
}
