//! What burrow says of peers' bytes, in the contract's words.

use std::fmt::Display;

use burrow::codec::Decode;
use burrow::framing::{ContentType, MlsMessage, PrivateMessageRef};
use burrow::group::{Group, Ignored, Received};
use burrow::types::{KeyPackage, Welcome};
use burrow::{CallerError, Error, PeerError};
use engine_api::{EngineError, Ingested, RejectReason, Rejection};

/// A message to the group, parsed.
pub(crate) enum Admitted<'a> {
    /// A PrivateMessage, which burrow reads where it lies.
    Private(&'a [u8]),
    /// Any other.
    Other(MlsMessage),
}

impl Admitted<'_> {
    /// Has the group receive it.
    pub(crate) fn receive(self, group: &mut Group) -> Result<Received, Error> {
        match self {
            Self::Private(bytes) => group.receive(bytes),
            Self::Other(message) => group.receive_message(message),
        }
    }
}

/// Parses a message to the group, and refuses one of another kind or for another group.
pub(crate) fn admit<'a, T>(
    bytes: &'a [u8],
    kind: ContentType,
    group: &Group,
) -> Result<Admitted<'a>, Ingested<T>> {
    if let Some(message) = PrivateMessageRef::in_message(bytes).map_err(malformed)? {
        check(Some(message.content_type()), Some(message.group_id()), kind, group)?;
        return Ok(Admitted::Private(bytes));
    }
    let message = parse(bytes)?;
    check(message.content_type(), message.group_id(), kind, group)?;
    Ok(Admitted::Other(message))
}

fn check(
    content: Option<ContentType>,
    group_id: Option<&[u8]>,
    kind: ContentType,
    group: &Group,
) -> Result<(), Rejection> {
    let Some(content) = content else {
        return Err(malformed("not a message to a group"));
    };
    if content != kind {
        return Err(malformed(format_args!("{content:?} instead of {kind:?}")));
    }
    if group_id != Some(group.group_id()) {
        return Err(Rejection::new(RejectReason::Misdirected, "for another group"));
    }
    Ok(())
}

/// Parses a key package. burrow verifies it when it is added.
pub(crate) fn key_package(bytes: &[u8]) -> Result<KeyPackage, EngineError> {
    match parse(bytes).map_err(EngineError::Peer)? {
        MlsMessage::KeyPackage(key_package) => Ok(*key_package),
        _ => Err(EngineError::Peer(malformed("not a key package"))),
    }
}

/// Parses a Welcome.
pub(crate) fn welcome(bytes: &[u8]) -> Result<Welcome, EngineError> {
    match parse(bytes).map_err(EngineError::Peer)? {
        MlsMessage::Welcome(welcome) => Ok(welcome),
        _ => Err(EngineError::Peer(malformed("not a Welcome"))),
    }
}

pub(crate) fn parse(bytes: &[u8]) -> Result<MlsMessage, Rejection> {
    MlsMessage::decode_exact(bytes).map_err(malformed)
}

/// What became of a message that there is nothing to do about.
pub(crate) fn ignored<T>(why: Ignored) -> Ingested<T> {
    match why {
        Ignored::Own | Ignored::Duplicate => Ingested::Duplicate,
        Ignored::PastEpoch | Ignored::TooOld => Ingested::Stale,
        Ignored::FutureEpoch => Ingested::RetryLater,
    }
}

/// What became of a message that burrow refused.
pub(crate) fn refused<T>(why: Error) -> Result<Ingested<T>, EngineError> {
    match why {
        Error::Peer(PeerError::TooFarAhead | PeerError::UnknownProposal) => {
            Ok(Ingested::RetryLater)
        }
        Error::Caller(CallerError::Removed | CallerError::Reinitialized) => {
            Err(EngineError::caller(why))
        }
        why => match peers(why) {
            EngineError::Peer(why) => Ok(why.into()),
            other => Err(other),
        },
    }
}

/// The error where a peer's key package, Welcome or message is what was given. So what burrow can't
/// do with it, or lacks for it, is no fault of this client's.
pub(crate) fn peers(why: Error) -> EngineError {
    match &why {
        Error::Peer(peer) => EngineError::peer(reason(peer), why),
        Error::Caller(_) | Error::Unsupported(_) | Error::UnsupportedSuite(_) => {
            EngineError::peer(RejectReason::Invalid, why)
        }
        _ => EngineError::internal(why),
    }
}

/// The error where no peer's bytes are involved.
pub(crate) fn ours(why: Error) -> EngineError {
    match why {
        Error::Caller(_) => EngineError::caller(why),
        why => EngineError::internal(why),
    }
}

fn reason(why: &PeerError) -> RejectReason {
    match why {
        PeerError::Malformed(_) => RejectReason::Malformed,
        PeerError::BadSignature | PeerError::BadMac | PeerError::Undecryptable => {
            RejectReason::Unauthenticated
        }
        _ => RejectReason::Invalid,
    }
}

pub(crate) fn malformed(why: impl Display) -> Rejection {
    Rejection::new(RejectReason::Malformed, why)
}
