//! What Marmot has beside the contract.

use engine_api::{
    EngineError, GroupId, Identity, Ingested, MarmotClient, MlsExtension, ProposalBytes,
    RejectReason, Rejection, StagedCommit,
};
use mdk_core::prelude::{MessageProcessingResult, NostrGroupDataUpdate, UpdateGroupResult};
use nostr::PublicKey;
use openmls::prelude::tls_codec::{DeserializeBytes as _, Serialize as _, VLBytes};
use openmls_traits::OpenMlsProvider as _;

use crate::client::{MdkClient, mdk_id};
use crate::events;
use crate::ingest::{self, identity};
use crate::store::Store;

impl<S: Store> MarmotClient for MdkClient<S> {
    fn admins(&self, group: &GroupId) -> Result<Vec<Identity>, EngineError> {
        Ok(self.active(group)?.admin_pubkeys.iter().map(identity).collect())
    }

    fn stage_admins(
        &mut self,
        group: &GroupId,
        admins: &[Identity],
    ) -> Result<StagedCommit, EngineError> {
        let keys = admins.iter().map(|admin| PublicKey::from_slice(admin.as_slice()));
        let keys: Vec<_> = keys.collect::<Result<_, _>>().map_err(EngineError::caller)?;
        self.stage(group, |client| {
            let update = NostrGroupDataUpdate::new().admins(keys);
            let made = client.state.mdk.update_group_data(&mdk_id(group), update);
            made.map_err(ingest::change_fault)
        })
    }

    fn leave(&mut self, group: &GroupId) -> Result<ProposalBytes, EngineError> {
        let made = self.state.mdk.leave_group(&mdk_id(group)).map_err(ingest::change_fault)?;
        Ok(ProposalBytes(events::to_json(&made.evolution_event)?))
    }

    /// MDK makes a commit at once and has it pending from then on: it waits for
    /// [`stage_departures`](MarmotClient::stage_departures).
    fn ingest_proposal(
        &mut self,
        group: &GroupId,
        proposal: &ProposalBytes,
    ) -> Result<Ingested<()>, EngineError> {
        let record = self.active(group)?;
        let event = match events::signed(&proposal.0) {
            Ok(event) => event,
            Err(why) => return Ok(why.into()),
        };
        if events::is_for_another(&event, &record.nostr_group_id) {
            return Ok(Rejection::new(RejectReason::Misdirected, "for another group").into());
        }
        if self.state.record(&event.id)?.is_some() {
            return Ok(Ingested::Duplicate);
        }
        match self.state.mdk.process_message(&event) {
            Ok(MessageProcessingResult::Proposal(made)) => {
                self.departures.insert(group.clone(), made.evolution_event);
                Ok(Ingested::Applied(()))
            }
            Ok(MessageProcessingResult::PendingProposal { .. }) => Ok(Ingested::Applied(())),
            Ok(other) => Ok(Rejection::new(RejectReason::Invalid, format!("{other:?}")).into()),
            Err(why) => Ok(Rejection::new(RejectReason::Unauthenticated, why).into()),
        }
    }

    fn stage_departures(&mut self, group: &GroupId) -> Result<StagedCommit, EngineError> {
        let event = self.departures.remove(group);
        let event =
            event.ok_or_else(|| EngineError::caller("MDK has made no commit of a leave"))?;
        self.stage(group, |_| {
            Ok(UpdateGroupResult {
                evolution_event: event,
                welcome_rumors: None,
                mls_group_id: mdk_id(group),
            })
        })
    }

    fn take_retracted(&mut self, group: &GroupId) -> Vec<[u8; 32]> {
        let id = mdk_id(group);
        let message = |rumor| self.state.mdk.get_message(&id, &rumor).ok().flatten();
        let messages = self.state.take_invalidated().into_iter().filter_map(message);
        messages.map(|message| message.wrapper_event_id.to_bytes()).collect()
    }

    fn group_context_extensions(&self, group: &GroupId) -> Result<Vec<MlsExtension>, EngineError> {
        let mut list = Vec::new();
        for extension in self.state.mls_group(&mdk_id(group))?.extensions().iter() {
            let encoded = extension.tls_serialize_detached().map_err(EngineError::internal)?;
            let data = encoded.get(size_of::<u16>()..).unwrap_or_default();
            let data = VLBytes::tls_deserialize_exact_bytes(data).map_err(EngineError::internal)?;
            list.push(MlsExtension {
                extension_type: extension.extension_type().into(),
                extension_data: data.into(),
            });
        }
        Ok(list)
    }

    fn export_secret(
        &self,
        group: &GroupId,
        label: &str,
        context: &[u8],
        length: usize,
    ) -> Result<Vec<u8>, EngineError> {
        let crypto = self.state.mdk.provider.crypto();
        let held = self.state.mls_group(&mdk_id(group))?;
        held.export_secret(crypto, label, context, length).map_err(EngineError::caller)
    }
}
