//! Going on as another group: branches (section 11.3) and reinitialisation (section 11.2).

use super::{CommitMessages, Group, Identity, Status};
use crate::{
    CallerError, Error, Result,
    types::{Extensions, KeyPackage, ProtocolVersion, ResumptionPskUsage},
};

/// A group that comes from another one, in its epoch 1.
#[derive(Debug)]
pub struct Successor {
    /// The group.
    pub group: Group,
    /// The Welcome for the others, with what goes with it. The commit was for nobody.
    pub messages: CommitMessages,
}

impl Group {
    /// A group of some of the members of this one, with fresh key packages of theirs, and linked to
    /// it by a resumption PSK.
    ///
    /// # Errors
    ///
    /// [`CallerError`] if somebody isn't a member, or the identity is none of this group's suite.
    pub fn branch(
        &self,
        identity: &Identity,
        group_id: Vec<u8>,
        extensions: Extensions,
        key_packages: Vec<KeyPackage>,
    ) -> Result<Successor> {
        if identity.cipher_suite != self.cipher_suite() {
            return Err(CallerError::Invalid("11.3: a branch with another cipher suite").into());
        }
        self.check_active()?;
        let usage = ResumptionPskUsage::Branch;
        let successor = self.start(usage, identity, group_id, extensions, key_packages)?;
        let (new, old) = (successor.group.tree(), self.tree());
        let checked = self.client.check_all_in(new, old);
        checked.map_err(Error::into_callers)?;
        Ok(successor)
    }

    /// The group that takes over from this one as the ReInit says that was committed, with fresh key
    /// packages of all other members. Any member may create it.
    ///
    /// # Errors
    ///
    /// [`CallerError`] if this group wasn't reinitialised, or somebody is missing.
    pub fn reinitialize(
        &self,
        identity: &Identity,
        key_packages: Vec<KeyPackage>,
    ) -> Result<Successor> {
        let Status::Reinitialized(reinit) = &self.status else {
            return Err(CallerError::Invalid("11.2: the group was not reinitialised").into());
        };
        if reinit.version != ProtocolVersion::MLS10 {
            return Err(Error::Unsupported("a version of MLS other than 1.0"));
        }
        if identity.cipher_suite != reinit.cipher_suite {
            return Err(CallerError::Invalid(
                "11.2: an identity of another suite than the ReInit's",
            )
            .into());
        }
        let usage = ResumptionPskUsage::Reinit;
        let (group_id, extensions) = (reinit.group_id.clone(), reinit.extensions.clone());
        let successor = self.start(usage, identity, group_id, extensions, key_packages)?;
        let (new, old) = (successor.group.tree(), self.tree());
        let checked = self.client.check_all_in(old, new);
        checked.map_err(Error::into_callers)?;
        Ok(successor)
    }

    pub(super) fn start(
        &self,
        usage: ResumptionPskUsage,
        identity: &Identity,
        group_id: Vec<u8>,
        extensions: Extensions,
        key_packages: Vec<KeyPackage>,
    ) -> Result<Successor> {
        let client = &self.client;
        let mut group = client.create_group(identity, group_id, extensions)?;
        let builder = group.commit().successor_of(usage, self);
        let builder = key_packages
            .into_iter()
            .fold(builder, |builder, key_package| builder.add_member(key_package));
        let staged = builder.stage()?;
        let messages = staged.messages.clone();
        group.merge(staged)?;
        Ok(Successor { group, messages })
    }
}
