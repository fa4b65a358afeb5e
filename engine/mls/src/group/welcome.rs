//! GroupInfos and Welcomes that we make (sections 12.4.3 and 12.4.3.1).

use crypto_api::{SealTo, SigningKey, Suite};
use zeroize::Zeroizing;

use super::{Group, epoch::Scheduled, proposal_list::Applied};
use crate::{
    Error, Result,
    codec::Encode,
    crypto::encrypt_with_label_batch,
    framing::MlsMessage,
    schedule::PskSecret,
    tree::{NewPath, RatchetTree},
    types::{
        EncryptedGroupSecrets, Extensions, ExternalPub, GroupContext, GroupInfo, GroupInfoContent,
        GroupSecrets, LeafIndex, PathSecret, Welcome,
    },
};

/// What a GroupInfo says.
pub(super) struct GroupInfoDraft<'a> {
    pub(super) context: &'a GroupContext,
    pub(super) confirmation_tag: &'a [u8],
    /// To be put into it.
    pub(super) tree: Option<&'a RatchetTree>,
    /// To be put into it.
    pub(super) external_pub: Option<Vec<u8>>,
    pub(super) signer_leaf: LeafIndex,
    pub(super) signer: &'a SigningKey,
}

impl GroupInfoDraft<'_> {
    pub(super) fn sign(self, suite: &dyn Suite) -> Result<GroupInfo> {
        let mut extensions = Extensions::new();
        if let Some(tree) = self.tree {
            extensions.insert(tree.to_extension()?);
        }
        if let Some(external_pub) = self.external_pub {
            extensions.put(&ExternalPub { external_pub: external_pub.into() })?;
        }
        let content = GroupInfoContent {
            group_context: self.context.clone(),
            extensions,
            confirmation_tag: self.confirmation_tag.to_vec(),
            signer: self.signer_leaf,
        };
        content.sign(suite, self.signer)
    }

    /// The same as an encoded MLSMessage.
    pub(super) fn message(self, suite: &dyn Suite) -> Result<Vec<u8>> {
        let group_info = Box::new(self.sign(suite)?);
        Ok(MlsMessage::GroupInfo(group_info).to_bytes()?)
    }
}

/// The Welcome for all members that a commit adds.
pub(super) fn welcome(
    suite: &dyn Suite,
    applied: &Applied,
    scheduled: &Scheduled,
    psk_secret: &PskSecret,
    path: Option<&NewPath>,
    group_info: &GroupInfo,
) -> Result<Welcome> {
    let joiner_secret = scheduled.joiner_secret.as_ref();
    let joiner_secret = joiner_secret.ok_or(Error::Internal("a Welcome to epoch 0"))?;
    let welcome_secret = joiner_secret.welcome_secret(suite, psk_secret)?;
    let encrypted_group_info = welcome_secret.encrypt_group_info(suite, group_info.as_bytes())?;
    let mut plaintexts = Vec::with_capacity(applied.added.len());
    for (leaf, _) in &applied.added {
        let path_secret = path.map(|path| path.path_secret_for(*leaf));
        let secrets = GroupSecrets {
            joiner_secret: joiner_secret.as_secret().clone(),
            path_secret: path_secret.flatten().cloned().map(PathSecret),
            psks: applied.psks.clone(),
        };
        plaintexts.push(Zeroizing::new(secrets.to_bytes()?));
    }
    let recipients: Vec<_> = applied
        .added
        .iter()
        .zip(&plaintexts)
        .map(|((_, key_package), plaintext)| SealTo {
            public: key_package.init_key.as_slice(),
            plaintext,
        })
        .collect();
    let sealed = encrypt_with_label_batch(suite, &recipients, b"Welcome", &encrypted_group_info)?;
    let secrets = applied.added.iter().zip(sealed);
    let secrets = secrets.map(|((_, key_package), encrypted_group_secrets)| {
        Ok(EncryptedGroupSecrets {
            new_member: key_package.reference(suite)?.as_slice().to_vec(),
            encrypted_group_secrets,
        })
    });
    Ok(Welcome {
        cipher_suite: suite.cipher_suite(),
        secrets: secrets.collect::<Result<_>>()?,
        encrypted_group_info,
    })
}

impl Group {
    /// The GroupInfo of the current epoch, with which others can join by an external commit: an
    /// encoded MLSMessage. The tree is in it if it would be in a Welcome.
    ///
    /// # Errors
    ///
    /// [`crate::CallerError`] if this client isn't a member any more.
    pub fn group_info(&self) -> Result<Vec<u8>> {
        self.check_active()?;
        let suite = self.suite()?;
        let external_secret = &self.epoch.secrets.external_secret;
        let in_welcome = self.client.config().tree_in_welcome;
        GroupInfoDraft {
            context: &self.epoch.context,
            confirmation_tag: &self.epoch.confirmation_tag,
            tree: in_welcome.then_some(&self.epoch.tree),
            external_pub: Some(external_secret.key_pair(suite)?.public().to_vec()),
            signer_leaf: self.own_leaf(),
            signer: &self.signer,
        }
        .message(suite)
    }
}
