//! What MDK says, in the contract's words.
//!
//! MDK answers much of what goes wrong with `Ok(Unprocessable)` and says no more; its record of
//! the event says a little, so the record is read before and after.

use engine_api::{AppMessage, EngineError, Identity, RejectReason, Rejection};
use mdk_core::Error;
use mdk_core::prelude::{MessageProcessingResult, group_types, message_types};
use message_types::ProcessedMessageState as Filed;
use nostr::{Event, PublicKey};
use openmls::group::CreateMessageError;

use crate::events;
use crate::state::{EventRecord, State};
use crate::store::Store;

/// What became of an event, whichever kind of message was inside.
pub(crate) enum Outcome {
    Message(AppMessage),
    Commit,
    Duplicate,
    Stale,
    Rejected(Rejection),
}

/// Hands the event to MDK.
pub(crate) fn process<S: Store>(
    state: &State<S>,
    group: &group_types::Group,
    event: &Event,
) -> Result<Outcome, EngineError> {
    // MDK goes by the event's tag and would apply it to another group of this client's.
    if events::is_for_another(event, &group.nostr_group_id) {
        return Ok(rejected(RejectReason::Misdirected, "for another group"));
    }
    let known = state.record(&event.id)?.is_some_and(|r| was_taken(&r));
    if group.state == group_types::GroupState::Inactive {
        return if known { Ok(Outcome::Duplicate) } else { Err(removed()) };
    }
    let result = state.mdk.process_message(event);
    let rolled_back = state.take_rollback();
    match result {
        // A message that MDK made itself.
        Ok(MessageProcessingResult::ApplicationMessage(_)) if known => Ok(Outcome::Duplicate),
        Ok(MessageProcessingResult::ApplicationMessage(message)) => Ok(app_message(&message)),
        // A commit that MDK has applied, or made, before: unless it changed sides for it.
        Ok(MessageProcessingResult::Commit { .. }) if known && !rolled_back => {
            Ok(Outcome::Duplicate)
        }
        Ok(MessageProcessingResult::Commit { .. }) => Ok(Outcome::Commit),
        _ if rolled_back => Err(EngineError::internal(
            "MDK rolled the group back for a commit that it then refused",
        )),
        Ok(
            MessageProcessingResult::Unprocessable { .. }
            | MessageProcessingResult::PreviouslyFailed,
        ) => refused(state, group, event, known),
        Ok(_) => {
            Ok(rejected(RejectReason::Invalid, "a proposal, which the contract has no place for"))
        }
        Err(why) => failed(why),
    }
}

/// That the group is closed to this client.
pub(crate) fn removed() -> EngineError {
    EngineError::caller("this client was removed from the group")
}

fn app_message(message: &message_types::Message) -> Outcome {
    match events::unwrap_payload(&message.content) {
        Ok(payload) => Outcome::Message(AppMessage { sender: identity(&message.pubkey), payload }),
        Err(why) => Outcome::Rejected(why),
    }
}

/// The identity that a public key is.
pub(crate) fn identity(key: &PublicKey) -> Identity {
    Identity::new(key.to_bytes().to_vec())
}

/// Whether the event took effect once, or is this client's own. A second copy of an application
/// message turns MDK's record of the first into a failed one, which still names the message.
fn was_taken(record: &EventRecord) -> bool {
    match record.state {
        Filed::Created | Filed::Processed | Filed::ProcessedCommit => true,
        Filed::Failed => record.message_event_id.is_some(),
        Filed::EpochInvalidated | Filed::Retryable => false,
    }
}

/// MDK refused the event without a word: its record may have one.
fn refused<S: Store>(
    state: &State<S>,
    group: &group_types::Group,
    event: &Event,
    known: bool,
) -> Result<Outcome, EngineError> {
    if known {
        return Ok(Outcome::Duplicate);
    }
    let Some(record) = state.record(&event.id)? else {
        return Ok(unauthenticated("MDK kept no record of why"));
    };
    // The epoch is the message's where MDK could read it, else the group's at the time.
    let is_left = record.epoch.is_some_and(|epoch| epoch < group.epoch);
    if is_left || record.state == Filed::EpochInvalidated {
        return Ok(Outcome::Stale);
    }
    let why = record.failure_reason.unwrap_or_default();
    Ok(match why.as_str() {
        "authorization_failed" => rejected(RejectReason::Forbidden, why),
        "authentication_failed" => rejected(RejectReason::Forbidden, "not its sender's rumor"),
        "invalid_event_type" | "invalid_event_format" => rejected(RejectReason::Malformed, why),
        _ => unauthenticated(why),
    })
}

fn failed(why: Error) -> Result<Outcome, EngineError> {
    let reason = match &why {
        Error::UnexpectedEvent { .. }
        | Error::MissingGroupIdTag
        | Error::MultipleGroupIdTags(_)
        | Error::InvalidGroupIdFormat(_) => RejectReason::Malformed,
        Error::InvalidTimestamp(_) => RejectReason::Invalid,
        Error::CommitFromNonAdmin => RejectReason::Forbidden,
        // No key that MDK holds opens the envelope, and that is all there is to know: damaged,
        // of an epoch not yet reached, or of one long left.
        Error::Message(text) if !text.starts_with("Storage error") => RejectReason::Unauthenticated,
        Error::Message(_) | Error::Storage(_) => return Err(EngineError::storage(why)),
        _ => return Err(EngineError::internal(why)),
    };
    Ok(rejected(reason, why))
}

fn rejected(reason: RejectReason, detail: impl std::fmt::Display) -> Outcome {
    Outcome::Rejected(Rejection::new(reason, detail))
}

fn unauthenticated(detail: impl std::fmt::Display) -> Outcome {
    rejected(RejectReason::Unauthenticated, detail)
}

// ---- Errors of the other calls, by whose fault they are ---------------------------------------

/// Of a call that took nothing from a peer.
pub(crate) fn own_fault(why: Error) -> EngineError {
    match why {
        Error::GroupNotFound => EngineError::caller("no such group"),
        Error::OwnLeafNotFound => removed(),
        Error::NotAdmin | Error::CreateMessage(CreateMessageError::GroupStateError(_)) => {
            EngineError::caller(why)
        }
        Error::Storage(_) | Error::Provider(_) | Error::Message(_) => EngineError::storage(why),
        _ => EngineError::internal(why),
    }
}

/// Of a call that was to remove or rename.
pub(crate) fn change_fault(why: Error) -> EngineError {
    match why {
        Error::Group(_) => EngineError::caller(why),
        _ => own_fault(why),
    }
}

/// Of a call that took key packages.
pub(crate) fn key_package_fault(why: Error) -> EngineError {
    let reason = match &why {
        Error::UnexpectedEvent { .. } | Error::Tls(_) => RejectReason::Malformed,
        Error::KeyPackageIdentityMismatch { .. } => RejectReason::Unauthenticated,
        Error::KeyPackage(_)
        | Error::BasicCredential(_)
        | Error::InviteeMissingRequiredProposal
        | Error::Group(_) => RejectReason::Invalid,
        _ => return own_fault(why),
    };
    EngineError::peer(reason, why)
}

/// Of a call that took a Welcome.
pub(crate) fn welcome_fault(why: Error) -> EngineError {
    match &why {
        Error::InvalidWelcomeMessage => EngineError::peer(RejectReason::Malformed, why),
        Error::Welcome(text) | Error::WelcomePreviouslyFailed(text) => {
            let reason = if text.contains("No matching key package") {
                RejectReason::Misdirected
            } else if text.contains("decoding") || text.contains("Tls(") {
                RejectReason::Malformed
            } else {
                RejectReason::Invalid
            };
            EngineError::peer(reason, why)
        }
        _ => own_fault(why),
    }
}
