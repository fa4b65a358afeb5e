//! What an engine of the Marmot profile can do beside the contract: [`MarmotClient`].
//!
//! [`CgkaEngine`] asks what every CGKA has. This trait asks for what Marmot adds: admins, leaving by
//! a proposal, and messages that a better commit takes back. It is reached by
//! [`CgkaEngine::marmot`], so that an engine without it has nothing to do.

use crate::{
    CgkaEngine, EngineError, GroupId, Identity, Ingested, MlsExtension, ProposalBytes, StagedCommit,
};

/// The `ExtensionType` of the group data (MIP-01).
pub const MARMOT_GROUP_DATA: u16 = 0xf2ee;

/// A client of an engine of the Marmot profile. Messages are Nostr events as JSON.
///
/// The promises of [`CgkaEngine`] hold here as well: no panic on any bytes, and a refusal changes
/// nothing.
pub trait MarmotClient: CgkaEngine {
    /// The group's admins, in ascending order.
    ///
    /// # Errors
    /// As [`epoch`](CgkaEngine::epoch).
    fn admins(&self, group: &GroupId) -> Result<Vec<Identity>, EngineError>;

    /// Stages a commit after which these, and no others, are the group's admins.
    ///
    /// # Errors
    /// As [`stage_commit`](CgkaEngine::stage_commit).
    fn stage_admins(
        &mut self,
        group: &GroupId,
        admins: &[Identity],
    ) -> Result<StagedCommit, EngineError>;

    /// Proposes to leave (SelfRemove): the event to publish. Another member commits it.
    ///
    /// # Errors
    /// [`EngineError::Caller`] for an admin, who has to give that up before.
    fn leave(&mut self, group: &GroupId) -> Result<ProposalBytes, EngineError>;

    /// Takes a proposal from the network: applied, if it is kept and waits for a commit.
    ///
    /// # Errors
    /// As [`ingest_app`](CgkaEngine::ingest_app).
    fn ingest_proposal(
        &mut self,
        group: &GroupId,
        proposal: &ProposalBytes,
    ) -> Result<Ingested<()>, EngineError>;

    /// Stages a commit that lets those go who have proposed to leave.
    ///
    /// # Errors
    /// [`EngineError::Caller`] if nobody has.
    fn stage_departures(&mut self, group: &GroupId) -> Result<StagedCommit, EngineError>;

    /// The ids of the events that were sent or read in epochs which a better commit has taken back,
    /// since this was last asked.
    fn take_retracted(&mut self, group: &GroupId) -> Vec<[u8; 32]>;

    /// The group context's extensions, in their order.
    ///
    /// # Errors
    /// As [`epoch`](CgkaEngine::epoch).
    fn group_context_extensions(&self, group: &GroupId) -> Result<Vec<MlsExtension>, EngineError>;

    /// A secret of the present epoch under a label of the application's (RFC 9420 section 8.5).
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
