//! What burrow-marmot says of peers' events, in the contract's words.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use burrow_marmot::group::Ignored;
use burrow_marmot::{CallerError, Error, PeerError};
use engine_api::{EngineError, Ingested, RejectReason, Rejection};

/// What became of an event that there is nothing to do about.
pub(crate) fn ignored<T>(why: Ignored) -> Ingested<T> {
    match why {
        Ignored::Unopened => Ingested::RetryLater,
        Ignored::Own | Ignored::Duplicate => Ingested::Duplicate,
        Ignored::Stale | Ignored::Lost => Ingested::Stale,
        Ignored::Proposal => rejected("a proposal that isn't kept"),
    }
}

/// What became of an event that was refused.
pub(crate) fn refused<T>(why: Error) -> Result<Ingested<T>, EngineError> {
    use burrow::PeerError::{TooFarAhead, UnknownProposal};
    match why {
        Error::Mls(burrow::Error::Peer(TooFarAhead | UnknownProposal)) => Ok(Ingested::RetryLater),
        Error::Caller(CallerError::Removed) => Err(removed()),
        why => match peers(why) {
            EngineError::Peer(why) => Ok(why.into()),
            other => Err(other),
        },
    }
}

/// The error where a peer's key package, Welcome or event is what was given. So what burrow can't do
/// with it, or lacks for it, is no fault of this client's.
pub(crate) fn peers(why: Error) -> EngineError {
    match &why {
        Error::Peer(peer) => EngineError::peer(reason(peer), why),
        Error::Mls(burrow::Error::Peer(peer)) => EngineError::peer(mls_reason(peer), why),
        Error::Mls(burrow::Error::Caller(_) | burrow::Error::Unsupported(_)) => {
            EngineError::peer(RejectReason::Invalid, why)
        }
        Error::Caller(_) => EngineError::caller(why),
        _ => EngineError::internal(why),
    }
}

/// The error where no peer's bytes are involved.
pub(crate) fn ours(why: Error) -> EngineError {
    match why {
        Error::Caller(_) | Error::Mls(burrow::Error::Caller(_)) => EngineError::caller(why),
        why => EngineError::internal(why),
    }
}

/// That the group is closed to this client.
pub(crate) fn removed() -> EngineError {
    EngineError::caller("this client was removed from the group")
}

fn reason(why: &PeerError) -> RejectReason {
    match why {
        PeerError::OtherGroup | PeerError::NotForUs => RejectReason::Misdirected,
        PeerError::BadSignature | PeerError::WrongAuthor("a key package's credential") => {
            RejectReason::Unauthenticated
        }
        PeerError::WrongAuthor(_)
        | PeerError::NotAdmin
        | PeerError::NoAdminLeft
        | PeerError::ExternalCommit => RejectReason::Forbidden,
        PeerError::WrongTime | PeerError::NoGroupData => RejectReason::Invalid,
        _ => RejectReason::Malformed,
    }
}

fn mls_reason(why: &burrow::PeerError) -> RejectReason {
    match why {
        burrow::PeerError::Malformed(_) => RejectReason::Malformed,
        burrow::PeerError::BadSignature
        | burrow::PeerError::BadMac
        | burrow::PeerError::Undecryptable => RejectReason::Unauthenticated,
        _ => RejectReason::Invalid,
    }
}

pub(crate) fn rejected<T>(why: &str) -> Ingested<T> {
    Rejection::new(RejectReason::Malformed, why).into()
}

/// A payload as a rumor's content, which is text.
pub(crate) fn wrap(payload: &[u8]) -> String {
    BASE64.encode(payload)
}

pub(crate) fn unwrap(content: &str) -> Result<Vec<u8>, Rejection> {
    let why = "the message's content is not base64";
    BASE64.decode(content).map_err(|_| Rejection::new(RejectReason::Malformed, why))
}
