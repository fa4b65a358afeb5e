//! Creating a group (MIP-01).

use std::collections::BTreeSet;

use burrow::types::{Extensions, ProposalType, RequiredCapabilities};

use super::Group;
use crate::{
    CallerError, Error, Result,
    client::Client,
    event::Rumor,
    group_data::{GroupData, is_relay},
    key_package::KeyPackageEvent,
    keys::PublicKey,
    profile::GROUP_DATA,
};

/// How long an MLS group's id is, in bytes.
const ID_LENGTH: usize = 16;

/// What a new group is to be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewGroup {
    /// Its name.
    pub name: String,
    /// More about it.
    pub description: String,
    /// Where its events will be: one at least.
    pub relays: BTreeSet<String>,
    /// Its admins beside the creator, who always is one.
    pub admins: BTreeSet<PublicKey>,
}

impl Client {
    /// A group of the account's and of all `invitees`, ready to be used, and a Welcome's rumor for
    /// each of them, in order. The commit that adds them has nobody to be published for (MIP-03).
    ///
    /// # Errors
    ///
    /// [`CallerError`] if the creator is among the invitees, an admin among neither, or a relay no
    /// good; an MLS error if a key package is.
    pub fn create_group(
        &self,
        creator: PublicKey,
        new: NewGroup,
        invitees: &[KeyPackageEvent],
    ) -> Result<(Group, Vec<Rumor>)> {
        let accounts: BTreeSet<_> = invitees.iter().map(KeyPackageEvent::account).collect();
        if accounts.contains(&creator) {
            return Err(CallerError::Invalid("the creator is among the invitees").into());
        }
        let mut admins = new.admins;
        admins.remove(&creator);
        if !admins.is_subset(&accounts) {
            return Err(CallerError::NoSuchMember.into());
        }
        admins.insert(creator);
        if new.relays.is_empty() || !new.relays.iter().all(|relay| is_relay(relay)) {
            return Err(CallerError::BadRelay.into());
        }
        let data = GroupData {
            version: GroupData::VERSION,
            nostr_group_id: self.random()?,
            name: new.name,
            description: new.description,
            admins,
            relays: new.relays,
            image_hash: None,
            image_key: None,
            image_nonce: None,
            image_upload_key: None,
        };
        let id: [u8; ID_LENGTH] = self.random()?;
        let extensions = extensions(&data, invitees)?;
        let mut mls = self.mls.create_group(&self.identity(creator)?, id.to_vec(), extensions)?;
        if invitees.is_empty() {
            return Ok((Group::around(self, mls)?, Vec::new()));
        }
        let key_packages = invitees.iter().map(|invitee| invitee.key_package.clone());
        let mut staged = key_packages.fold(mls.commit(), |b, k| b.add_member(k)).stage()?;
        let welcome = staged.messages.welcome.take();
        let welcome = welcome.ok_or(Error::Internal("an Add without a Welcome"))?;
        mls.merge(staged)?;
        let relays = data.relays.iter().cloned();
        let welcomes = self.welcome_rumors(creator, &welcome, invitees, relays)?;
        Ok((Group::around(self, mls)?, welcomes))
    }
}

/// Those of a new GroupContext. SelfRemove is required if all who are invited have it: a group of one
/// may still invite somebody who hasn't.
fn extensions(data: &GroupData, invitees: &[KeyPackageEvent]) -> Result<Extensions> {
    let has_self_remove =
        !invitees.is_empty() && invitees.iter().all(KeyPackageEvent::has_self_remove);
    let required = RequiredCapabilities {
        extension_types: vec![GROUP_DATA],
        proposal_types: if has_self_remove { vec![ProposalType::SELF_REMOVE] } else { Vec::new() },
        credential_types: Vec::new(),
    };
    let mut extensions = Extensions::new();
    extensions.put(data)?;
    extensions.put(&required)?;
    Ok(extensions)
}
