//! What mls-rs says of peers' bytes, in the contract's words.

use engine_api::{EngineError, Ingested, RejectReason, Rejection};
use mls_rs::error::MlsError;
use mls_rs::group::{ContentType, GroupContext};
use mls_rs::{MlsMessage, MlsMessageDescription, ProtocolVersion};

use crate::state::PAST_EPOCHS;

/// Parses a message and reads what it says of itself in clear, so that one of the wrong kind
/// (if one is expected), group or epoch is refused before mls-rs spends a key on it.
pub(crate) fn admit<T>(
    bytes: &[u8],
    kind: Option<ContentType>,
    here: &GroupContext,
) -> Result<MlsMessage, Ingested<T>> {
    let message = parse(bytes)?;
    let (group, epoch, content) = match message.description() {
        MlsMessageDescription::PrivateProtocolMessage { group_id, epoch_id, content_type }
        | MlsMessageDescription::PublicProtocolMessage {
            group_id, epoch_id, content_type, ..
        } => (group_id, epoch_id, content_type),
        _ => return Err(malformed("not a message to a group").into()),
    };
    if let Some(kind) = kind.filter(|kind| *kind != content) {
        return Err(malformed(format_args!("{content:?} instead of {kind:?}")).into());
    }
    if group != here.group_id {
        return Err(Rejection::new(RejectReason::Misdirected, MlsError::GroupIdMismatch).into());
    }
    let kept = match content {
        ContentType::Application => PAST_EPOCHS,
        _ => 0,
    };
    match here.epoch.checked_sub(epoch) {
        None => Err(Ingested::RetryLater),
        Some(behind) if behind > kept => Err(Ingested::Stale),
        Some(_) => Ok(message),
    }
}

/// Parses an `MLSMessage`; bytes left over are an error. So is another protocol version, which
/// mls-rs doesn't look at in front of a key package.
pub(crate) fn parse(bytes: &[u8]) -> Result<MlsMessage, Rejection> {
    if bytes.starts_with(&ProtocolVersion::MLS_10.raw_value().to_be_bytes()) {
        MlsMessage::from_bytes(bytes).map_err(malformed)
    } else {
        Err(malformed("not an MLS 1.0 message"))
    }
}

/// What became of a message that mls-rs refused.
pub(crate) fn refused<T>(why: MlsError) -> Result<Ingested<T>, EngineError> {
    match why {
        MlsError::CantProcessMessageFromSelf | MlsError::KeyMissing(_) => Ok(Ingested::Duplicate),
        MlsError::EpochNotFound => Ok(Ingested::Stale),
        why if is_ours(&why) => Err(ours(why)),
        why => Ok(Rejection::new(reason(&why), why).into()),
    }
}

/// The error for a key package or a Welcome that mls-rs refused.
pub(crate) fn peers(why: MlsError) -> EngineError {
    if is_ours(&why) { ours(why) } else { EngineError::peer(reason(&why), why) }
}

/// The error where no peer's bytes are involved.
pub(crate) fn ours(why: MlsError) -> EngineError {
    match why {
        MlsError::GroupStorageError(_)
        | MlsError::KeyPackageRepoError(_)
        | MlsError::PskStoreError(_) => EngineError::storage(why),
        why => EngineError::internal(why),
    }
}

/// Whether an error can't come from the bytes. An epoch that is out of order was sorted out by
/// [`admit`], so what is left of that is the store of past epochs.
fn is_ours(why: &MlsError) -> bool {
    matches!(
        why,
        MlsError::GroupStorageError(_)
            | MlsError::KeyPackageRepoError(_)
            | MlsError::PskStoreError(_)
            | MlsError::InvalidEpoch
    )
}

fn reason(why: &MlsError) -> RejectReason {
    match why {
        MlsError::SerializationError(_)
        | MlsError::ExtensionError(_)
        | MlsError::UnexpectedMessageType
        | MlsError::UnencryptedApplicationMessage
        | MlsError::ProtocolVersionMismatch
        | MlsError::UnsupportedProtocolVersion(_) => RejectReason::Malformed,
        MlsError::CryptoProviderError(_)
        | MlsError::InvalidSignature
        | MlsError::InvalidMembershipTag
        | MlsError::InvalidConfirmationTag => RejectReason::Unauthenticated,
        MlsError::WelcomeKeyPackageNotFound | MlsError::GroupIdMismatch => {
            RejectReason::Misdirected
        }
        // A late message whose sender has left since.
        MlsError::MemberNotFound => RejectReason::Forbidden,
        _ => RejectReason::Invalid,
    }
}

pub(crate) fn malformed(why: impl std::fmt::Display) -> Rejection {
    Rejection::new(RejectReason::Malformed, why)
}
