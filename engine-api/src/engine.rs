//! The trait itself: [`CgkaEngine`], one client of one engine.

use std::any::Any;

use crate::{
    AppBytes, AppMessage, Change, CommitBytes, Description, EncodedSizes, EngineError, Epoch,
    EpochAuthenticator, Founded, GroupId, Identity, Ingested, KeyPackageBytes, LeafIndex,
    MarmotClient, Member, PublishedCommit, SnapshotBytes, StagedCommit, WelcomeBytes,
};

/// One client of one engine: a user's device with its keys, its store and its groups.
///
/// Everything is synchronous, takes bytes as they came from the network and returns bytes that
/// are ready to be published. An implementation does no network I/O and never blocks on another
/// client. All methods may be called from one thread only.
///
/// # What every method promises
///
/// - **No panic, whatever the bytes.** A peer's bad bytes give [`EngineError::Peer`] or
///   [`Ingested::Rejected`].
/// - **A refusal changes nothing.** After an `Err`, or any [`Ingested`] but `Applied` and
///   `Removed`, epoch, members and authenticator are what they were, and genuine messages are
///   still accepted.
/// - **Members agree or the engine is wrong.** Two clients whose [`epoch_authenticator`]s are
///   equal hold the same group at the same epoch; two that hold it report equal ones.
///
/// The trait is `dyn`-compatible: cases run over [`Client`](crate::Client), so that every engine
/// is called through the same kind of call. The functions marked `where Self: Sized` are reached
/// through a [`Registration`](crate::Registration).
///
/// MDK's repository has a trait of the same name (`cgka_traits::engine::CgkaEngine`, async, about
/// thirty methods): an application's engine interface, unrelated to this one.
///
/// [`epoch_authenticator`]: CgkaEngine::epoch_authenticator
pub trait CgkaEngine: Any {
    // ---- The engine, before there is a client -------------------------------------------------

    /// Says what this is and what its operations include. Printed beside every result.
    fn describe() -> Description
    where
        Self: Sized;

    /// Makes a client with fresh keys and an empty store.
    ///
    /// `name` is a wish: an engine whose identities are keys (Marmot) ignores it. What the other
    /// members will see is [`identity`](CgkaEngine::identity). Names are unique within a group.
    ///
    /// # Errors
    /// [`EngineError::Storage`] or [`EngineError::Internal`] if keys or store can't be made.
    fn new_client(name: &str) -> Result<Self, EngineError>
    where
        Self: Sized;

    // ---- Preparing ----------------------------------------------------------------------------

    /// The identity under which other members list this client.
    fn identity(&self) -> Identity;

    /// Makes a key package, keeps its private keys, and returns the bytes to publish.
    ///
    /// Each call makes a new one. A key package is used for one join.
    ///
    /// # Errors
    /// [`EngineError::Storage`] or [`EngineError::Internal`].
    fn publish_key_package(&mut self) -> Result<KeyPackageBytes, EngineError>;

    // ---- The core -----------------------------------------------------------------------------

    /// Founds a group with this client and all `invitees` in it, ready to send.
    ///
    /// Includes: parsing and validating each key package, the founding commit where there are
    /// invitees, applying it, and encoding the Welcome. A group without invitees is at epoch 0.
    /// `invitees[i]` joins with
    /// [`Founded::welcomes`]`.for_invitee(i)`.
    ///
    /// # Errors
    /// [`EngineError::Peer`] if a key package is malformed or invalid; then no group was made.
    fn create_group(&mut self, invitees: &[KeyPackageBytes]) -> Result<Founded, EngineError>;

    /// Joins the group that `welcome` opens, with a key package of this client's, and returns the
    /// group's id. The tree travels inside the Welcome and every leaf in it is validated.
    ///
    /// # Errors
    /// [`EngineError::Peer`] if the bytes are malformed, invalid or for somebody else.
    fn join_welcome(&mut self, welcome: &WelcomeBytes) -> Result<GroupId, EngineError>;

    /// Encrypts `payload` to the group at its present epoch and returns the message to publish.
    ///
    /// # Errors
    /// [`EngineError::Caller`] if there is no such group or this client is no longer in it.
    fn send(&mut self, group: &GroupId, payload: &[u8]) -> Result<AppBytes, EngineError>;

    /// Takes an application message from the network.
    ///
    /// # Errors
    /// Only for what is not the message's fault: no such group, storage, internal. What was wrong
    /// with the message is an [`Ingested`].
    fn ingest_app(
        &mut self,
        group: &GroupId,
        message: &AppBytes,
    ) -> Result<Ingested<AppMessage>, EngineError>;

    /// Takes a commit from the network and, if it is valid, applies it and enters the new epoch.
    ///
    /// A commit that removes this client gives [`Ingested::Removed`]. From then on `send` and
    /// `stage_commit` are [`EngineError::Caller`], messages are refused in one way or the other,
    /// and observers report the last state known or fail as the caller's fault. If this client has a staged
    /// commit of its own for the same epoch, that one is superseded: merging it later fails with
    /// [`EngineError::Caller`].
    ///
    /// # Errors
    /// As [`ingest_app`](CgkaEngine::ingest_app).
    fn ingest_commit(
        &mut self,
        group: &GroupId,
        commit: &CommitBytes,
    ) -> Result<Ingested<Epoch>, EngineError>;

    // ---- Changing the group: stage, publish, then merge ---------------------------------------

    /// Builds a commit that carries `change` and leaves the group where it is.
    ///
    /// One staged commit per group at a time: a second one is [`EngineError::Caller`]. See [`StagedCommit`] for what may follow.
    ///
    /// # Errors
    /// [`EngineError::Peer`] for a bad key package, [`EngineError::Caller`] for a change that
    /// this client may not or cannot make, [`EngineError::Unsupported`] for one that the engine
    /// doesn't have: its rows are then absent, with that reason.
    fn stage_commit(
        &mut self,
        group: &GroupId,
        change: &Change<'_>,
    ) -> Result<StagedCommit, EngineError>;

    /// Applies a commit of this client's that the group's other members will get, and returns the
    /// epoch entered.
    ///
    /// # Errors
    /// [`EngineError::Caller`] if the commit is not the group's staged one any more.
    fn merge_staged(&mut self, commit: PublishedCommit) -> Result<Epoch, EngineError>;

    /// Drops a staged commit that was not published, or that the delivery service refused. One
    /// that lost to an ingested commit is gone already.
    ///
    /// # Errors
    /// [`EngineError::Caller`] if the commit is not the group's staged one any more.
    fn discard_staged(&mut self, commit: StagedCommit) -> Result<(), EngineError>;

    // ---- Observers: what checks are made of ---------------------------------------------------

    /// The group's present epoch.
    ///
    /// # Errors
    /// [`EngineError::Caller`] if there is no such group. The same holds for all observers.
    fn epoch(&self, group: &GroupId) -> Result<Epoch, EngineError>;

    /// The group's members in leaf order.
    ///
    /// # Errors
    /// As [`epoch`](CgkaEngine::epoch).
    fn members(&self, group: &GroupId) -> Result<Vec<Member>, EngineError>;

    /// This client's own leaf.
    ///
    /// # Errors
    /// As [`epoch`](CgkaEngine::epoch).
    fn own_leaf(&self, group: &GroupId) -> Result<LeafIndex, EngineError>;

    /// The present epoch's authenticator (RFC 9420 section 8.7), or in other protocols a secret
    /// exported from the epoch under a fixed label.
    ///
    /// # Errors
    /// As [`epoch`](CgkaEngine::epoch).
    fn epoch_authenticator(&self, group: &GroupId) -> Result<EpochAuthenticator, EngineError>;

    /// Sizes of the group's public state, in bytes as sent.
    ///
    /// # Errors
    /// As [`epoch`](CgkaEngine::epoch).
    fn encoded_sizes(&self, group: &GroupId) -> Result<EncodedSizes, EngineError>;

    /// How many bytes of its groups this client has given to its store so far: of values, without
    /// the names under which they are kept. The difference over an operation is what the operation
    /// wrote. `None` where nothing is stored, or where the engine can't say.
    fn written_bytes(&self) -> Option<u64> {
        None
    }

    /// The group's name, where groups have one ([`Change::Rename`]).
    ///
    /// # Errors
    /// [`EngineError::Unsupported`] unless the engine overrides it and says so in
    /// [`Capabilities::rename`](crate::Capabilities::rename).
    fn group_name(&self, group: &GroupId) -> Result<String, EngineError> {
        let _ = group;
        Err(EngineError::unsupported("groups have no name"))
    }

    /// What it can do beside this as an engine of the Marmot profile; `None` for any other.
    fn marmot(&mut self) -> Option<&mut dyn MarmotClient> {
        None
    }

    // ---- Capabilities: asked for in `describe().capabilities`, never assumed ------------------

    /// An independent copy of this client, for benching: what happens to one is not seen by the
    /// other. Real applications must never do this (it repeats keys and nonces).
    ///
    /// # Errors
    /// [`EngineError::Unsupported`] unless the engine overrides it and says so in
    /// [`Capabilities::fork`](crate::Capabilities::fork).
    fn fork(&self) -> Result<Self, EngineError>
    where
        Self: Sized,
    {
        Err(EngineError::unsupported("fork"))
    }

    /// The whole client as bytes, secrets included: its groups with their staged commits, and its
    /// unused key packages.
    ///
    /// # Errors
    /// [`EngineError::Unsupported`] unless the engine overrides it and says so in
    /// [`Capabilities::snapshot`](crate::Capabilities::snapshot).
    fn snapshot(&self) -> Result<SnapshotBytes, EngineError> {
        Err(EngineError::unsupported("snapshot"))
    }

    /// A client made of what [`snapshot`](CgkaEngine::snapshot) returned.
    ///
    /// # Errors
    /// [`EngineError::Unsupported`] as for `snapshot`; [`EngineError::Storage`] if the bytes are
    /// not a snapshot of this engine's.
    fn restore(snapshot: &SnapshotBytes) -> Result<Self, EngineError>
    where
        Self: Sized,
    {
        let _ = snapshot;
        Err(EngineError::unsupported("restore"))
    }
}
