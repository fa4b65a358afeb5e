//! Where pre-shared keys come from (section 8.4).

use crypto_api::{Secret, Suite};

use super::{Application, Group};
use crate::{
    CallerError, Result,
    schedule::PskSecret,
    types::{PreSharedKeyId, Psk},
};

/// The keys that a commit or a Welcome may name.
#[derive(Clone, Copy)]
pub(super) struct KnownPsks<'a> {
    pub(super) application: &'a dyn Application,
    /// The group that it is a commit of.
    pub(super) group: Option<&'a Group>,
    /// The group that a branch comes from, or that is reinitialised.
    pub(super) origin: Option<&'a Group>,
}

impl KnownPsks<'_> {
    /// The `psk_secret` of these, in their order.
    pub(super) fn psk_secret(
        &self,
        suite: &dyn Suite,
        ids: &[PreSharedKeyId],
    ) -> Result<PskSecret> {
        let secrets: Vec<_> = ids
            .iter()
            .map(|id| self.find(&id.psk).ok_or(CallerError::MissingPsk))
            .collect::<Result<_, _>>()?;
        let psks: Vec<_> = ids.iter().zip(&secrets).collect();
        PskSecret::derive(suite, &psks)
    }

    fn find(&self, psk: &Psk) -> Option<Secret> {
        match psk {
            Psk::External { psk_id } => self.application.external_psk(psk_id),
            Psk::Resumption { psk_group_id, psk_epoch, .. } => self
                .kept(psk_group_id, *psk_epoch)
                .or_else(|| self.application.resumption_psk(psk_group_id, *psk_epoch)),
        }
    }

    fn kept(&self, group_id: &[u8], epoch: u64) -> Option<Secret> {
        let mut groups = self.group.into_iter().chain(self.origin);
        let group = groups.find(|group| group.group_id() == group_id)?;
        group.resumption_psk(epoch).cloned()
    }
}

/// A name for one use of a key: with a fresh nonce.
pub(super) fn fresh_id(suite: &dyn Suite, psk: Psk) -> Result<PreSharedKeyId> {
    let mut psk_nonce = vec![0; suite.kdf_nh()];
    suite.random(&mut psk_nonce)?;
    Ok(PreSharedKeyId { psk, psk_nonce })
}
