//! What Marmot has beside the contract.

use burrow_marmot::PublicKey;
use burrow_marmot::event::Event;
use burrow_marmot::group::Received;
use engine_api::{
    CgkaEngine as _, EngineError, GroupId, Identity, Ingested, MarmotClient, MlsExtension,
    ProposalBytes, RejectReason, Rejection, StagedCommit,
};

use crate::client::{Marmot, identity, staged};
use crate::describe::{Backend, Mode};
use crate::ingest::{ignored, ours, refused, removed};

impl<B: Backend, M: Mode> MarmotClient for Marmot<B, M> {
    fn admins(&self, group: &GroupId) -> Result<Vec<Identity>, EngineError> {
        Ok(self.held(group)?.data().admins.iter().map(identity).collect())
    }

    fn stage_admins(
        &mut self,
        group: &GroupId,
        admins: &[Identity],
    ) -> Result<StagedCommit, EngineError> {
        let keys = admins.iter().map(|admin| admin.as_slice().try_into().map(PublicKey));
        let keys: Result<_, _> = keys.collect();
        let held = self.held_mut(group)?;
        let base = held.epoch();
        let mut data = held.data().clone();
        data.admins = keys.map_err(EngineError::caller)?;
        let made = held.set_data(&data).map_err(ours);
        self.keep(group, None);
        Ok(staged(group, base, &made?))
    }

    fn leave(&mut self, group: &GroupId) -> Result<ProposalBytes, EngineError> {
        let event = self.held_mut(group)?.leave().map_err(ours);
        self.keep(group, None);
        Ok(ProposalBytes(event?.to_json()))
    }

    fn ingest_proposal(
        &mut self,
        group: &GroupId,
        proposal: &ProposalBytes,
    ) -> Result<Ingested<()>, EngineError> {
        if self.held(group)?.is_removed() {
            return Err(removed());
        }
        let suite = self.client.suite().map_err(ours)?;
        let held =
            self.groups.get_mut(group).ok_or_else(|| EngineError::caller("no such group"))?;
        let received = Event::from_json(suite, &proposal.0).and_then(|event| held.receive(&event));
        self.keep(group, None);
        match received {
            Ok(Received::Proposal { .. }) => Ok(Ingested::Applied(())),
            Ok(Received::Ignored(why)) => Ok(ignored(why)),
            Ok(_) => Ok(Rejection::new(RejectReason::Invalid, "not a proposal").into()),
            Err(why) => refused(why),
        }
    }

    fn stage_departures(&mut self, group: &GroupId) -> Result<StagedCommit, EngineError> {
        let held = self.held_mut(group)?;
        let base = held.epoch();
        let made = held.commit_departures().map_err(ours);
        self.keep(group, None);
        Ok(staged(group, base, &made?))
    }

    fn take_retracted(&mut self, group: &GroupId) -> Vec<[u8; 32]> {
        let retracted = self.retracted.remove(group).unwrap_or_default();
        retracted.into_iter().map(|event| event.0).collect()
    }

    fn group_context_extensions(&self, group: &GroupId) -> Result<Vec<MlsExtension>, EngineError> {
        let extensions = &self.held(group)?.mls().context().extensions;
        let listed = extensions.iter().map(|extension| MlsExtension {
            extension_type: extension.extension_type.0,
            extension_data: extension.extension_data.clone(),
        });
        Ok(listed.collect())
    }

    fn export_secret(
        &self,
        group: &GroupId,
        label: &str,
        context: &[u8],
        length: usize,
    ) -> Result<Vec<u8>, EngineError> {
        let _ = self.epoch(group)?;
        let secret = self.held(group)?.mls().export_secret(label.as_bytes(), context, length);
        Ok(secret.map_err(EngineError::internal)?.as_slice().to_vec())
    }
}
