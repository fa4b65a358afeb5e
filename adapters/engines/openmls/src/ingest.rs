//! From bytes to OpenMLS's types, and from its results to [`Ingested`] and [`EngineError`].

use std::error::Error;
use std::fmt::Display;

use engine_api::{EngineError, Ingested, RejectReason, Rejection};
use openmls::framing::errors::{MessageDecryptionError, SecretTreeError};
use openmls::framing::{
    ContentType, MlsMessageBodyIn, MlsMessageIn, MlsMessageOut, ProtocolMessage,
};
use openmls::group::{
    AddMembersError, CommitBuilderStageError, CreateCommitError, CreateMessageError,
    MergeCommitError, MergePendingCommitError, MlsGroup, ProcessMessageError, RemoveMembersError,
    SelfUpdateError, StageCommitError, ValidationError, WelcomeError,
};
use openmls::key_packages::KeyPackage;
use openmls::key_packages::errors::KeyPackageVerifyError;
use openmls::messages::group_info::GroupInfoError;
use openmls::messages::{GroupSecretsError, Welcome};
use openmls::prelude::tls_codec::Deserialize as _;
use openmls::prelude::{ApplyUpdatePathError, CreationFromExternalError};
use openmls::versions::ProtocolVersion;
use openmls_traits::crypto::OpenMlsCrypto;

// ---- From bytes -------------------------------------------------------------------------------

/// Parses and validates a key package.
pub(crate) fn key_package(
    bytes: &[u8],
    crypto: &impl OpenMlsCrypto,
) -> Result<KeyPackage, EngineError> {
    let MlsMessageBodyIn::KeyPackage(key_package) = body(bytes).map_err(EngineError::Peer)? else {
        return Err(malformed("not a key package"));
    };
    key_package
        .validate(crypto, ProtocolVersion::Mls10)
        .map_err(|why| EngineError::peer(key_package_fault(&why), why))
}

/// Parses a Welcome.
pub(crate) fn welcome(bytes: &[u8]) -> Result<Welcome, EngineError> {
    match body(bytes).map_err(EngineError::Peer)? {
        MlsMessageBodyIn::Welcome(welcome) => Ok(welcome),
        _ => Err(malformed("not a Welcome")),
    }
}

/// Parses a message to the group, of a certain kind if one is expected, and turns away what can be told from its header alone: so no
/// ratchet is looked at for a message of the wrong kind, group or epoch.
pub(crate) fn message<T>(
    bytes: &[u8],
    expected: Option<ContentType>,
    group: &MlsGroup,
) -> Result<ProtocolMessage, Ingested<T>> {
    let message: ProtocolMessage = match body(bytes)? {
        MlsMessageBodyIn::PrivateMessage(message) => message.into(),
        MlsMessageBodyIn::PublicMessage(message) => message.into(),
        _ => return Err(Rejection::new(RejectReason::Malformed, "not a group message").into()),
    };
    let content_type = message.content_type();
    if let Some(expected) = expected.filter(|expected| *expected != content_type) {
        let detail = format_args!("expected {expected:?}, got {content_type:?}");
        return Err(Rejection::new(RejectReason::Malformed, detail).into());
    }
    if message.group_id() != group.group_id() {
        return Err(Rejection::new(RejectReason::Misdirected, "for another group").into());
    }
    if message.epoch() > group.epoch() {
        return Err(Ingested::RetryLater);
    }
    if message.epoch() < group.epoch() && content_type != ContentType::Application {
        return Err(Ingested::Stale);
    }
    Ok(message)
}

/// Reads, rather than `tls_deserialize_exact_bytes`: that one slices its input by the length that
/// the message would have when encoded again, and panics where it is longer.
pub(crate) fn body(bytes: &[u8]) -> Result<MlsMessageBodyIn, Rejection> {
    match MlsMessageIn::tls_deserialize_exact(bytes) {
        Ok(message) => Ok(message.extract()),
        Err(why) => Err(Rejection::new(RejectReason::Malformed, why)),
    }
}

pub(crate) fn malformed(detail: impl Display) -> EngineError {
    EngineError::peer(RejectReason::Malformed, detail)
}

// ---- To bytes ---------------------------------------------------------------------------------

pub(crate) fn encoded(message: &MlsMessageOut) -> Result<Vec<u8>, EngineError> {
    message.to_bytes().map_err(EngineError::internal)
}

// ---- From OpenMLS's errors, by the call that returns them --------------------------------------

/// `StagedWelcome`: the Welcome's fault unless storage or OpenMLS itself failed.
pub(crate) fn not_joined<F: Error>(why: WelcomeError<F>) -> EngineError {
    use CreationFromExternalError as Tree;
    use WelcomeError as E;
    let reason = match &why {
        E::StorageError(why) => return EngineError::storage(why),
        E::PublicGroupError(Tree::WriteToStorageError(why)) => return EngineError::storage(why),
        E::LibraryError(_) | E::PublicGroupError(Tree::LibraryError(_)) => {
            return EngineError::internal(why);
        }
        E::NoMatchingKeyPackage | E::JoinerSecretNotFound => RejectReason::Misdirected,
        E::GroupSecrets(GroupSecretsError::DecryptionFailed)
        | E::GroupInfo(GroupInfoError::DecryptionFailed)
        | E::PublicGroupError(Tree::InvalidGroupInfoSignature)
        | E::InvalidGroupInfoSignature
        | E::ConfirmationTagMismatch
        | E::UnableToDecrypt => RejectReason::Unauthenticated,
        E::GroupSecrets(GroupSecretsError::Malformed)
        | E::GroupInfo(GroupInfoError::Malformed)
        | E::MalformedWelcomeMessage => RejectReason::Malformed,
        _ => RejectReason::Invalid,
    };
    EngineError::peer(reason, why)
}

/// `process_message`: what became of the message, or whose fault it is that nothing did.
pub(crate) fn not_processed<T, F: Error>(
    why: ProcessMessageError<F>,
) -> Result<Ingested<T>, EngineError> {
    use ProcessMessageError as E;
    match why {
        E::StorageError(why) => Err(EngineError::storage(why)),
        E::LibraryError(why) => Err(EngineError::internal(why)),
        E::GroupStateError(why) => Err(EngineError::caller(why)),
        E::ValidationError(ValidationError::LibraryError(why))
        | E::InvalidCommit(StageCommitError::LibraryError(why)) => Err(EngineError::internal(why)),
        E::ValidationError(why) => Ok(invalid_message(&why)),
        E::InvalidCommit(why) => Ok(invalid_commit(&why)),
        E::UnauthorizedExternalApplicationMessage | E::UnauthorizedExternalCommitMessage => {
            Ok(Rejection::new(RejectReason::Forbidden, why).into())
        }
        E::IncompatibleWireFormat | E::UnsupportedProposalType => {
            Ok(Rejection::new(RejectReason::Invalid, why).into())
        }
    }
}

fn invalid_message<T>(why: &ValidationError) -> Ingested<T> {
    use ValidationError as E;
    let reason = match why {
        E::CannotDecryptOwnMessage => return Ingested::Duplicate,
        E::NoPastEpochData => return Ingested::Stale,
        E::UnableToDecrypt(MessageDecryptionError::SecretTreeError(why)) => return no_key(why),
        E::UnableToDecrypt(MessageDecryptionError::MalformedContent) => RejectReason::Malformed,
        E::UnableToDecrypt(_)
        | E::InvalidSignature
        | E::InvalidLeafNodeSignature
        | E::InvalidMembershipTag
        | E::MissingMembershipTag
        | E::UnknownMember => RejectReason::Unauthenticated,
        E::KeyPackageVerifyError(why) => key_package_fault(why),
        E::UnauthorizedExternalSender | E::NoExternalSendersExtension => RejectReason::Forbidden,
        E::WrongGroupId => RejectReason::Misdirected,
        _ => RejectReason::Invalid,
    };
    Rejection::new(reason, why).into()
}

/// The sender data decrypted, but there is no key for the generation that it names.
fn no_key<T>(why: &SecretTreeError) -> Ingested<T> {
    match why {
        SecretTreeError::SecretReuseError => Ingested::Duplicate,
        SecretTreeError::TooDistantInThePast => Ingested::Stale,
        // Over a thousand messages of this sender's are missing: with those it can be decrypted.
        SecretTreeError::TooDistantInTheFuture => Ingested::RetryLater,
        _ => Rejection::new(RejectReason::Invalid, why).into(),
    }
}

fn invalid_commit<T>(why: &StageCommitError) -> Ingested<T> {
    use StageCommitError as E;
    let reason = match why {
        E::OwnCommit => return Ingested::Duplicate,
        E::ConfirmationTagMismatch
        | E::PathLeafNodeVerificationFailure
        | E::UpdatePathError(ApplyUpdatePathError::UnableToDecrypt) => {
            RejectReason::Unauthenticated
        }
        E::AttemptedSelfRemoval => RejectReason::Forbidden,
        _ => RejectReason::Invalid,
    };
    Rejection::new(reason, why).into()
}

fn key_package_fault(why: &KeyPackageVerifyError) -> RejectReason {
    match why {
        KeyPackageVerifyError::InvalidSignature
        | KeyPackageVerifyError::InvalidLeafNodeSignature => RejectReason::Unauthenticated,
        _ => RejectReason::Invalid,
    }
}

/// `add_members`: a commit that can't be built is blamed on the key packages. That includes
/// `LibraryError`, which is what sealing to an unusable init key gives. (So does sealing a path to
/// an unusable leaf key of a member's; OpenMLS doesn't tell the two apart.)
pub(crate) fn not_added<F: Error>(why: AddMembersError<F>) -> EngineError {
    use AddMembersError as E;
    match why {
        E::CreateCommitError(why) => EngineError::peer(RejectReason::Invalid, why),
        E::EmptyInput(why) => EngineError::caller(why),
        E::GroupStateError(why) => EngineError::caller(why),
        E::CommitBuilderStageError(why) => not_staged(why),
        E::StorageError(why) => EngineError::storage(why),
        E::LibraryError(why) => EngineError::internal(why),
    }
}

/// `remove_members`: a commit that can't be built is blamed on the choice of members.
pub(crate) fn not_removed<F: Error>(why: RemoveMembersError<F>) -> EngineError {
    use RemoveMembersError as E;
    match why {
        E::CreateCommitError(CreateCommitError::LibraryError(why)) | E::LibraryError(why) => {
            EngineError::internal(why)
        }
        E::CreateCommitError(why) => EngineError::caller(why),
        E::EmptyInput(why) => EngineError::caller(why),
        E::GroupStateError(why) => EngineError::caller(why),
        E::UnknownMember => EngineError::caller(why),
        E::CommitBuilderStageError(why) => not_staged(why),
        E::StorageError(why) => EngineError::storage(why),
    }
}

/// `self_update`.
pub(crate) fn not_updated<F: Error>(why: SelfUpdateError<F>) -> EngineError {
    match why {
        SelfUpdateError::GroupStateError(why) => EngineError::caller(why),
        SelfUpdateError::CommitBuilderStageError(why) => not_staged(why),
        why => EngineError::internal(why),
    }
}

fn not_staged<F: Error>(why: CommitBuilderStageError<F>) -> EngineError {
    match why {
        CommitBuilderStageError::KeyStoreError(why) => EngineError::storage(why),
        CommitBuilderStageError::LibraryError(why) => EngineError::internal(why),
    }
}

/// `merge_pending_commit`.
pub(crate) fn not_merged<F: Error>(why: MergePendingCommitError<F>) -> EngineError {
    match why {
        MergePendingCommitError::MlsGroupStateError(why) => EngineError::caller(why),
        MergePendingCommitError::MergeCommitError(why) => not_applied(why),
    }
}

/// `merge_staged_commit`.
pub(crate) fn not_applied<F: Error>(why: MergeCommitError<F>) -> EngineError {
    match why {
        MergeCommitError::StorageError(why) => EngineError::storage(why),
        MergeCommitError::LibraryError(why) => EngineError::internal(why),
    }
}

/// `create_message`.
pub(crate) fn not_sent(why: CreateMessageError) -> EngineError {
    match why {
        CreateMessageError::GroupStateError(why) => EngineError::caller(why),
        CreateMessageError::LibraryError(why) => EngineError::internal(why),
    }
}
