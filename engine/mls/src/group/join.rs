//! Joining by a Welcome (section 12.4.3.1).

use crypto_api::Suite;

use super::{Client, Group, KeyPackageSecrets, Status, epoch::Scheduled, psks::KnownPsks, rules};
use crate::{
    CallerError, Error, PeerError, Result,
    codec::Decode,
    crypto::decrypt_with_label,
    schedule::JoinerSecret,
    tree::{GroupRequirements, RatchetTree, TreePrivateKeys, UnverifiedRatchetTree},
    types::{
        GroupInfo, GroupSecrets, LeafNodeSource, PreSharedKeyId, ProtocolVersion, Psk,
        ResumptionPskUsage, Welcome,
    },
};

/// What a joiner has besides the Welcome.
#[derive(Debug, Default)]
pub struct JoinOptions<'a> {
    /// The tree, if it isn't in the Welcome.
    pub ratchet_tree: Option<UnverifiedRatchetTree>,
    /// The group that this one is a branch or the reinitialisation of.
    pub origin: Option<&'a Group>,
}

impl Client {
    /// Joins a group by a Welcome that has everything in it. That the group isn't one that the
    /// client is in already is for the caller to check, by [`Group::group_id`].
    ///
    /// # Errors
    ///
    /// [`PeerError`] if the Welcome or what is in it isn't valid.
    pub fn join(&self, welcome: &Welcome, secrets: &KeyPackageSecrets) -> Result<Group> {
        self.join_with(welcome, secrets, JoinOptions::default())
    }

    /// Joins a group by a Welcome and something else.
    ///
    /// # Errors
    ///
    /// [`PeerError`] if the Welcome or what is in it isn't valid.
    pub fn join_with(
        &self,
        welcome: &Welcome,
        secrets: &KeyPackageSecrets,
        options: JoinOptions<'_>,
    ) -> Result<Group> {
        if welcome.cipher_suite != secrets.cipher_suite() {
            return Err(Error::invalid(
                "12.4.3.1: a Welcome's cipher suite is not the key package's",
            ));
        }
        let suite = self.suite(secrets.cipher_suite())?;
        let group_secrets = open_group_secrets(suite, welcome, secrets)?;
        check_usages(&group_secrets.psks)?;
        let psks =
            KnownPsks { application: self.application(), group: None, origin: options.origin };
        let psk_secret = psks.psk_secret(suite, &group_secrets.psks)?;
        let joiner_secret = JoinerSecret::from(group_secrets.joiner_secret);
        let welcome_secret = joiner_secret.welcome_secret(suite, &psk_secret)?;
        let encoded = welcome_secret.decrypt_group_info(suite, &welcome.encrypted_group_info)?;
        let group_info = GroupInfo::decode_exact(&encoded)?;
        let tree = self.verify_group_info(suite, &group_info, options.ratchet_tree)?;
        self.check_origin(&group_info, &tree, &group_secrets.psks, options.origin)?;

        let own = &secrets.key_package.leaf_node;
        let leaf = tree.member_with_encryption_key(&own.encryption_key);
        let leaf = leaf.filter(|leaf| tree.leaf(*leaf) == Some(own));
        let leaf =
            leaf.ok_or(Error::invalid("12.4.3.1: the key package's leaf is not in the tree"))?;
        let path_secret = group_secrets.path_secret.as_ref().map(|secret| &secret.0);
        let keys = TreePrivateKeys::join(
            suite,
            &tree,
            leaf,
            secrets.leaf_key.clone(),
            group_info.signer,
            path_secret,
        )?;
        let context = group_info.group_context.clone();
        let scheduled = Scheduled::joined(suite, context, &joiner_secret, &psk_secret)?;
        scheduled.check_tag(&group_info.confirmation_tag)?;
        let epoch = scheduled.into_epoch(suite, tree, keys, self.config().ratchet_limits)?;
        Ok(Group::new(self.clone(), secrets.signer.clone(), epoch))
    }

    /// Checks a GroupInfo and the tree that is in it or that is given beside it.
    pub(super) fn verify_group_info(
        &self,
        suite: &dyn Suite,
        group_info: &GroupInfo,
        tree: Option<UnverifiedRatchetTree>,
    ) -> Result<RatchetTree> {
        let context = &group_info.group_context;
        if context.version != ProtocolVersion::MLS10 || context.cipher_suite != suite.cipher_suite()
        {
            return Err(Error::invalid(
                "12.4.3.1: a group's version or cipher suite is not that of its Welcome",
            ));
        }
        let tree = match tree {
            Some(tree) => tree,
            None => group_info.extensions.find()?.ok_or(CallerError::Invalid(
                "the tree is neither in the GroupInfo nor beside it",
            ))?,
        };
        let signer = tree.leaf(group_info.signer);
        let signer =
            signer.ok_or(Error::invalid("12.4.3.1: the signer of a GroupInfo is no member"))?;
        group_info.verify(suite, signer.verifying_key(suite)?)?;
        let tree_hash = tree.tree_hash(suite)?;
        if !tree_hash.matches(&context.tree_hash) {
            return Err(Error::invalid("12.4.3.1: the tree hash is not that of the GroupContext"));
        }
        let requirements = GroupRequirements::new(&context.extensions)?;
        let tree = tree.verify(suite, &context.group_id, &requirements)?;
        rules::check_group_extensions(self.application(), &context.extensions)?;
        for (_, leaf) in tree.members() {
            rules::check_credential(self.application(), leaf)?;
            if let LeafNodeSource::KeyPackage(lifetime) = &leaf.leaf_node_source
                && self.config().reject_expired_members
            {
                rules::check_not_expired(self.application(), *lifetime)?;
            }
        }
        Ok(tree)
    }

    /// Sections 11.2, 11.3 and 12.4.3.1: a successor is what its origin says.
    fn check_origin(
        &self,
        group_info: &GroupInfo,
        tree: &RatchetTree,
        psks: &[PreSharedKeyId],
        origin: Option<&Group>,
    ) -> Result<()> {
        let usage = psks.iter().find_map(|id| match &id.psk {
            Psk::Resumption { usage: ResumptionPskUsage::Application, .. }
            | Psk::External { .. } => None,
            Psk::Resumption { usage, psk_group_id, psk_epoch } => {
                Some((*usage, psk_group_id, *psk_epoch))
            }
        });
        let (usage, group_id, epoch, origin) = match (usage, origin) {
            (Some((usage, group_id, epoch)), Some(origin)) => (usage, group_id, epoch, origin),
            (None, None) => return Ok(()),
            (Some(_), None) => {
                return Err(CallerError::Invalid(
                    "the group that this one comes from is to be given",
                )
                .into());
            }
            (None, Some(_)) => {
                return Err(Error::invalid(
                    "11: a group that doesn't come from the one that it should",
                ));
            }
        };
        let context = &group_info.group_context;
        if context.epoch != 1 || group_id != origin.group_id() {
            return Err(Error::invalid(
                "11: a group that comes from another one is not in epoch 1, or of that group",
            ));
        }
        if usage == ResumptionPskUsage::Branch {
            return self.check_branch(group_info, tree, origin);
        }
        let Status::Reinitialized(reinit) = &origin.status else {
            return Err(Error::invalid("11.2: the old group was not reinitialised"));
        };
        let is_as_proposed = epoch == origin.epoch()
            && context.group_id == reinit.group_id
            && context.version == reinit.version
            && context.cipher_suite == reinit.cipher_suite
            && context.extensions == reinit.extensions;
        if !is_as_proposed {
            return Err(Error::invalid("11.2: a group is not as its ReInit says"));
        }
        self.check_all_in(origin.tree(), tree)
    }

    fn check_branch(&self, info: &GroupInfo, tree: &RatchetTree, origin: &Group) -> Result<()> {
        let (new, old) = (&info.group_context, origin.context());
        if new.version != old.version || new.cipher_suite != old.cipher_suite {
            return Err(Error::invalid(
                "11.3: a branch's version or cipher suite is not the old group's",
            ));
        }
        self.check_all_in(tree, origin.tree())
    }

    /// Checks that all members of one tree are in the other, according to the application.
    pub(super) fn check_all_in(&self, some: &RatchetTree, all: &RatchetTree) -> Result<()> {
        let application = self.application();
        for (_, leaf) in some.members() {
            let mut others = all.members();
            if !others.any(|(_, other)| application.is_same_member(leaf, other)) {
                return Err(Error::invalid(
                    "11: the members of a group don't match those of the one it comes from",
                ));
            }
        }
        Ok(())
    }
}

fn open_group_secrets(
    suite: &dyn Suite,
    welcome: &Welcome,
    secrets: &KeyPackageSecrets,
) -> Result<GroupSecrets> {
    let reference = secrets.key_package.reference(suite)?;
    let mut entries = welcome.secrets.iter();
    let entry = entries.find(|entry| reference.matches(&entry.new_member));
    let entry = entry.ok_or(CallerError::Invalid("a Welcome that is not for this key package"))?;
    let opened = decrypt_with_label(
        suite,
        &secrets.init_key,
        b"Welcome",
        &welcome.encrypted_group_info,
        &entry.encrypted_group_secrets,
    )?;
    Ok(GroupSecrets::decode_exact(opened.as_slice())?)
}

/// Section 12.4.3.1: of PSKs for a reinitialisation or a branch there is at most one.
fn check_usages(psks: &[PreSharedKeyId]) -> Result<()> {
    let special = psks.iter().filter(|id| {
        matches!(
            id.psk,
            Psk::Resumption { usage: ResumptionPskUsage::Reinit | ResumptionPskUsage::Branch, .. }
        )
    });
    if special.count() > 1 {
        return Err(Error::Peer(PeerError::Invalid(
            "12.4.3.1: more than one PSK for a reinitialisation or a branch",
        )));
    }
    Ok(())
}
