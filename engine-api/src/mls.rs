//! What an engine of MLS (RFC 9420) can do beside the contract: [`MlsClient`].
//!
//! [`CgkaEngine`] asks what every CGKA has. This trait asks for the rest of MLS: proposals by
//! reference, trees apart from the Welcome, external commits, PSKs, extensions, and clients whose
//! private keys come from outside, so that what was recorded can be replayed. An engine that
//! implements it takes part in the mixed flows and in the replays; none has to.

use std::fmt;

use zeroize::Zeroizing;

use crate::{
    AppMessage, CgkaEngine, EngineError, Epoch, GroupId, Ingested, KeyPackageBytes, LeafIndex,
    Registration, SnapshotBytes, StagedCommit, Support, WelcomeBytes,
};

/// A client of an MLS engine. Messages are encoded `MLSMessage`s (section 6), trees are encoded
/// `ratchet_tree` extensions (section 12.4.3.3).
///
/// The promises of [`CgkaEngine`] hold here as well: no panic on any bytes, and a refusal changes
/// nothing. What an engine's interface can't reach is [`EngineError::Unsupported`], and
/// [`mls_capabilities`](MlsClient::mls_capabilities) says so beforehand.
pub trait MlsClient: CgkaEngine {
    /// What of this trait the engine has, and why not the rest.
    fn mls_capabilities() -> MlsCapabilities
    where
        Self: Sized;

    /// A client whose private keys and key package come from outside: the working group's
    /// passive client, or the member that a session was recorded for.
    ///
    /// It has no clock, or one that doesn't matter: what it is shown was recorded some time ago.
    ///
    /// # Errors
    /// [`EngineError::Unsupported`] if the engine doesn't have the cipher suite or can't import;
    /// [`EngineError::Peer`] if the key package or a key is no good.
    fn import(client: &PassiveClient) -> Result<Self, EngineError>
    where
        Self: Sized;

    /// Has the client list these in the capabilities (section 7.2) of its key packages, and of
    /// its leaf in groups that it founds or joins from now on, beside what it lists anyway.
    ///
    /// # Errors
    /// [`EngineError::Unsupported`] if the engine can't be told.
    fn declare(&mut self, declared: &Declared) -> Result<(), EngineError>;

    /// Keeps an external PSK (section 8.4). A later one of the same id replaces it.
    ///
    /// # Errors
    /// [`EngineError::Storage`]; [`EngineError::Unsupported`].
    fn store_psk(&mut self, id: &[u8], psk: &[u8]) -> Result<(), EngineError>;

    /// Joins by a Welcome, with the tree beside it or inside it.
    ///
    /// # Errors
    /// As [`join_welcome`](CgkaEngine::join_welcome).
    fn join(
        &mut self,
        welcome: &WelcomeBytes,
        ratchet_tree: Option<&RatchetTreeBytes>,
    ) -> Result<GroupId, EngineError>;

    /// Makes a proposal (section 12.1) that somebody is to commit by reference, and keeps it. An
    /// [`Update`](MlsProposal::Update) takes effect when another member commits it.
    ///
    /// # Errors
    /// [`EngineError::Peer`] for a bad key package, [`EngineError::Caller`] for a proposal that
    /// this client may not make, [`EngineError::Unsupported`].
    fn propose(
        &mut self,
        group: &GroupId,
        proposal: &MlsProposal,
    ) -> Result<ProposalBytes, EngineError>;

    /// Stages a commit of all proposals received and made in this epoch, by reference, and of
    /// `by_value`. Its own Update is left out: a commit has a path (section 12.4).
    ///
    /// With [`TreePlace::Apart`] the Welcome has no tree; it is then
    /// [`ratchet_tree`](MlsClient::ratchet_tree) after merging.
    ///
    /// # Errors
    /// As [`stage_commit`](CgkaEngine::stage_commit). `by_value` may not have
    /// [`Update`](MlsProposal::Update) or [`SelfRemove`](MlsProposal::SelfRemove).
    fn commit_pending(
        &mut self,
        group: &GroupId,
        by_value: &[MlsProposal],
        tree: TreePlace,
    ) -> Result<StagedCommit, EngineError>;

    /// The present epoch's ratchet tree.
    ///
    /// # Errors
    /// As [`epoch`](CgkaEngine::epoch).
    fn ratchet_tree(&self, group: &GroupId) -> Result<RatchetTreeBytes, EngineError>;

    /// The present epoch's GroupInfo, signed by this client and good for an external commit
    /// (section 12.4.3.2).
    ///
    /// # Errors
    /// As [`send`](CgkaEngine::send).
    fn group_info(
        &mut self,
        group: &GroupId,
        tree: TreePlace,
    ) -> Result<GroupInfoBytes, EngineError>;

    /// Joins by an external commit. The client is a member of the new epoch at once: the commit
    /// is taken for accepted.
    ///
    /// With `resync` the commit removes the leaf that has this client's signature key, and a
    /// group of that id that the client still holds is given up.
    ///
    /// # Errors
    /// [`EngineError::Peer`] if the GroupInfo or the tree is no good.
    fn external_commit(
        &mut self,
        group_info: &GroupInfoBytes,
        ratchet_tree: Option<&RatchetTreeBytes>,
        resync: bool,
    ) -> Result<ExternallyJoined, EngineError>;

    /// Takes any message of a group: a proposal is kept, a commit is applied, an application
    /// message is read. The client's own messages that come back are
    /// [`Duplicate`](Ingested::Duplicate) or [`Stale`](Ingested::Stale).
    ///
    /// # Errors
    /// As [`ingest_app`](CgkaEngine::ingest_app).
    fn ingest(
        &mut self,
        group: &GroupId,
        message: &[u8],
    ) -> Result<Ingested<MlsEffect>, EngineError>;

    /// The group context's extensions, in their order.
    ///
    /// # Errors
    /// As [`epoch`](CgkaEngine::epoch).
    fn group_context_extensions(&self, group: &GroupId) -> Result<Vec<MlsExtension>, EngineError>;

    /// A secret of the present epoch under a label of the application's (section 8.5).
    ///
    /// # Errors
    /// As [`epoch`](CgkaEngine::epoch).
    fn export_secret(
        &self,
        group: &GroupId,
        label: &str,
        context: &[u8],
        length: usize,
    ) -> Result<Vec<u8>, EngineError>;
}

/// Where the ratchet tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreePlace {
    /// In the GroupInfo, in a `ratchet_tree` extension.
    InGroupInfo,
    /// Nowhere in the messages: it is handed over beside them.
    Apart,
}

/// A proposal to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MlsProposal {
    /// Add the client of this key package.
    Add(KeyPackageBytes),
    /// Remove the member at this leaf.
    Remove(LeafIndex),
    /// Fresh keys for the sender's leaf. By reference only.
    Update,
    /// Inject an external PSK that all members have stored.
    ExternalPsk(Vec<u8>),
    /// Replace the group context's extensions by these.
    GroupContextExtensions(Vec<MlsExtension>),
    /// Leave (MLS extensions draft). By reference only.
    SelfRemove,
}

impl MlsProposal {
    /// Its `ProposalType`.
    #[must_use]
    pub fn proposal_type(&self) -> u16 {
        match self {
            Self::Add(_) => 1,
            Self::Update => 2,
            Self::Remove(_) => 3,
            Self::ExternalPsk(_) => 4,
            Self::GroupContextExtensions(_) => 7,
            Self::SelfRemove => 0x000a,
        }
    }
}

/// An extension of any type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MlsExtension {
    /// Its `ExtensionType`.
    pub extension_type: u16,
    /// Its `extension_data`.
    pub extension_data: Vec<u8>,
}

/// What a client lists in its capabilities beside the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// Extension types.
    pub extensions: Vec<u16>,
    /// Proposal types.
    pub proposals: Vec<u16>,
}

/// What a message did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MlsEffect {
    /// It is a proposal and waits for a commit.
    Proposal {
        /// The leaf that it came from; `None` if it came from outside of the group.
        sender: Option<LeafIndex>,
        /// Its `ProposalType`.
        proposal_type: u16,
    },
    /// It is a commit and began this epoch.
    Commit(Epoch),
    /// It is an application message.
    Application(AppMessage),
}

/// What an external commit made.
#[derive(Clone, Debug)]
pub struct ExternallyJoined {
    /// The group that the client is now in.
    pub group: GroupId,
    /// The commit, for the other members.
    pub commit: Vec<u8>,
}

macro_rules! bytes {
    ($($(#[$doc:meta])* $name:ident)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name(pub Vec<u8>);
    )+};
}

bytes! {
    /// An `MLSMessage` with a proposal.
    ProposalBytes
    /// An `MLSMessage` with a GroupInfo.
    GroupInfoBytes
    /// The `extension_data` of a `ratchet_tree` extension.
    RatchetTreeBytes
}

/// A client's keys from outside, as in the working group's passive-client vectors. Each private
/// key as the vectors have it.
#[derive(Clone)]
pub struct PassiveClient {
    /// The cipher suite of all of it.
    pub cipher_suite: u16,
    /// The `MLSMessage` with the key package.
    pub key_package: KeyPackageBytes,
    /// Belongs to the leaf's `signature_key`.
    pub signature_priv: Zeroizing<Vec<u8>>,
    /// Belongs to the leaf's `encryption_key`.
    pub encryption_priv: Zeroizing<Vec<u8>>,
    /// Belongs to the key package's `init_key`.
    pub init_priv: Zeroizing<Vec<u8>>,
    /// Ids and secrets.
    pub external_psks: Vec<(Vec<u8>, Zeroizing<Vec<u8>>)>,
}

impl fmt::Debug for PassiveClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PassiveClient")
            .field("cipher_suite", &self.cipher_suite)
            .field("key_package", &self.key_package)
            .finish_non_exhaustive()
    }
}

/// What of [`MlsClient`] an engine has. Checked by the flows: a `Yes` that is
/// [`EngineError::Unsupported`] when called is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MlsCapabilities {
    /// [`MlsClient::import`].
    pub import: Support,
    /// [`MlsClient::declare`].
    pub declare: Support,
    /// [`MlsClient::store_psk`] and [`MlsProposal::ExternalPsk`].
    pub external_psk: Support,
    /// [`TreePlace::Apart`], on both sides.
    pub tree_apart: Support,
    /// [`MlsProposal::Update`], by reference.
    pub update_by_reference: Support,
    /// [`MlsProposal::GroupContextExtensions`] by value.
    pub group_context_extensions: Support,
    /// [`MlsProposal::GroupContextExtensions`] by reference.
    pub group_context_extensions_by_reference: Support,
    /// [`MlsProposal::ExternalPsk`] by reference.
    pub external_psk_by_reference: Support,
    /// [`MlsClient::group_info`].
    pub group_info: Support,
    /// [`MlsClient::external_commit`] of a newcomer.
    pub external_commit: Support,
    /// [`MlsClient::external_commit`] with `resync`.
    pub resync: Support,
    /// [`MlsProposal::SelfRemove`], sent.
    pub self_remove: Support,
}

/// An MLS client whose engine is not known at compile time.
pub type AnyMlsClient = Box<dyn MlsClient>;

/// An MLS engine as a value. See [`Registration`].
#[derive(Clone, Copy, Debug)]
pub struct MlsRegistration {
    engine: Registration,
    capabilities: fn() -> MlsCapabilities,
    new_client: fn(&str) -> Result<AnyMlsClient, EngineError>,
    import: fn(&PassiveClient) -> Result<AnyMlsClient, EngineError>,
    restore: fn(&SnapshotBytes) -> Result<AnyMlsClient, EngineError>,
}

impl MlsRegistration {
    /// The engine `E`.
    #[must_use]
    pub const fn of<E: MlsClient>() -> Self {
        Self {
            engine: Registration::of::<E>(),
            capabilities: E::mls_capabilities,
            new_client: |name| Ok(Box::new(E::new_client(name)?)),
            import: |client| Ok(Box::new(E::import(client)?)),
            restore: |snapshot| Ok(Box::new(E::restore(snapshot)?)),
        }
    }

    /// The engine behind the contract that all have.
    #[must_use]
    pub const fn engine(&self) -> Registration {
        self.engine
    }

    /// The name in every table.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.engine.name()
    }

    /// [`MlsClient::mls_capabilities`].
    #[must_use]
    pub fn capabilities(&self) -> MlsCapabilities {
        (self.capabilities)()
    }

    /// [`CgkaEngine::new_client`].
    ///
    /// # Errors
    /// As there.
    pub fn new_client(&self, name: &str) -> Result<AnyMlsClient, EngineError> {
        (self.new_client)(name)
    }

    /// [`MlsClient::import`].
    ///
    /// # Errors
    /// As there.
    pub fn import(&self, client: &PassiveClient) -> Result<AnyMlsClient, EngineError> {
        (self.import)(client)
    }

    /// [`CgkaEngine::restore`].
    ///
    /// # Errors
    /// As there.
    pub fn restore(&self, snapshot: &SnapshotBytes) -> Result<AnyMlsClient, EngineError> {
        (self.restore)(snapshot)
    }
}
