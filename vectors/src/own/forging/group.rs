//! An epoch of a group, with all of its secrets (sections 8 and 9).

use std::collections::BTreeMap;

use burrow::Result;
use burrow::crypto::{derive_secret, derive_tree_secret, expand_with_label};
use burrow::schedule::interim_transcript_hash;
use crypto_api::{HpkePrivateKey, Secret, SigningKey, Suite};

use super::bytes::{opaque, struct_of};
use super::tree::{PlacedLeaf, Tree};
use crate::own::forge::{Draft, extensions};

/// The group's id in all cases.
pub(in super::super) const GROUP_ID: &[u8] = b"a group";

/// An epoch.
#[derive(Clone)]
pub(in super::super) struct Group<'a> {
    pub(in super::super) suite: &'a dyn Suite,
    pub(in super::super) version: u16,
    pub(in super::super) cipher_suite: u16,
    pub(in super::super) group_id: Vec<u8>,
    pub(in super::super) epoch: u64,
    pub(in super::super) tree: Tree,
    pub(in super::super) confirmed_transcript_hash: Vec<u8>,
    pub(in super::super) extensions: Vec<(u16, Vec<u8>)>,
    pub(in super::super) confirmation_tag: Vec<u8>,
    pub(in super::super) epoch_secret: Secret,
    /// The keys that the members sign with.
    pub(in super::super) signers: BTreeMap<u32, SigningKey>,
}

impl<'a> Group<'a> {
    /// A group of these, who have just been added and know nothing but their own keys.
    pub(in super::super) fn of(suite: &'a dyn Suite, drafts: &[Draft]) -> Result<Self> {
        let mut tree = Tree { nodes: vec![None] };
        let mut signers = BTreeMap::new();
        for draft in drafts {
            let leaf = tree.add(PlacedLeaf::new(draft.leaf.clone(), suite)?);
            signers.insert(leaf, draft.signer.clone());
        }
        let mut group = Self {
            suite,
            version: 1,
            cipher_suite: suite.cipher_suite().0,
            group_id: GROUP_ID.to_vec(),
            epoch: 1,
            tree,
            confirmed_transcript_hash: suite.hash(&[b"before"]).as_slice().to_vec(),
            extensions: Vec::new(),
            confirmation_tag: Vec::new(),
            epoch_secret: random(suite)?,
            signers,
        };
        group.confirmation_tag = group.right_confirmation_tag()?;
        Ok(group)
    }

    /// `GroupContext`, encoded.
    pub(in super::super) fn context(&self) -> Result<Vec<u8>> {
        let mut list = Vec::new();
        extensions(&self.extensions, &mut list)?;
        Ok(struct_of(&[
            &self.version.to_be_bytes(),
            &self.cipher_suite.to_be_bytes(),
            &opaque(&self.group_id)?,
            &self.epoch.to_be_bytes(),
            &opaque(&self.tree.tree_hash(self.suite)?)?,
            &opaque(&self.confirmed_transcript_hash)?,
            &list,
        ]))
    }

    /// A secret of the epoch (section 8, table 4).
    pub(in super::super) fn secret(&self, label: &[u8]) -> Result<Secret> {
        derive_secret(self.suite, &self.epoch_secret, label)
    }

    pub(in super::super) fn epoch_authenticator(&self) -> Result<Vec<u8>> {
        Ok(self.secret(b"authentication")?.as_slice().to_vec())
    }

    pub(in super::super) fn right_confirmation_tag(&self) -> Result<Vec<u8>> {
        let key = self.secret(b"confirm")?;
        let tag = self.suite.mac(key.as_slice(), &[&self.confirmed_transcript_hash]);
        Ok(tag.as_slice().to_vec())
    }

    pub(in super::super) fn interim_transcript_hash(&self) -> Result<Vec<u8>> {
        let confirmed = &self.confirmed_transcript_hash;
        let hash = interim_transcript_hash(self.suite, confirmed, &self.confirmation_tag)?;
        Ok(hash.as_slice().to_vec())
    }

    /// The key pair that external commits are encrypted to.
    pub(in super::super) fn external_key(&self) -> Result<HpkePrivateKey> {
        Ok(self.suite.derive_key_pair(self.secret(b"external")?.as_slice())?)
    }

    /// Section 8: the JoinerSecret of this epoch, whose GroupContext is complete.
    pub(in super::super) fn joiner_secret(&self, init: &Secret, commit: &Secret) -> Result<Secret> {
        let extracted = self.suite.extract(init.as_slice(), &[commit.as_slice()]);
        expand_with_label(self.suite, &extracted, b"joiner", &self.context()?, self.suite.kdf_nh())
    }

    /// Section 8: what the epoch's secrets are derived from, and the welcome_secret.
    pub(in super::super) fn enter(
        &mut self,
        joiner: &Secret,
        psk_secret: &Secret,
    ) -> Result<Secret> {
        let member = self.suite.extract(joiner.as_slice(), &[psk_secret.as_slice()]);
        let length = self.suite.kdf_nh();
        self.epoch_secret =
            expand_with_label(self.suite, &member, b"epoch", &self.context()?, length)?;
        self.confirmation_tag = self.right_confirmation_tag()?;
        derive_secret(self.suite, &member, b"welcome")
    }

    /// Section 9: the key and the nonce of a generation.
    pub(in super::super) fn message_key(
        &self,
        leaf: u32,
        ratchet: &[u8],
        generation: u32,
    ) -> Result<[Secret; 2]> {
        let suite = self.suite;
        let expand = |secret: &Secret, label: &[u8], context: &[u8]| {
            expand_with_label(suite, secret, label, context, suite.kdf_nh())
        };
        let mut secret = self.secret(b"encryption")?;
        for step in self.tree.direct_path(leaf).iter().rev() {
            // What is beside the way is to the right of the node if the way goes to the left.
            let side: &[u8] = if step.copath > step.node { b"left" } else { b"right" };
            secret = expand(&secret, b"tree", side)?;
        }
        secret = expand(&secret, ratchet, b"")?;
        for passed in 0..generation {
            secret = derive_tree_secret(suite, &secret, b"secret", passed, suite.kdf_nh())?;
        }
        Ok([
            derive_tree_secret(suite, &secret, b"key", generation, suite.aead_nk())?,
            derive_tree_secret(suite, &secret, b"nonce", generation, suite.aead_nn())?,
        ])
    }
}

/// A fresh secret.
pub(in super::super) fn random(suite: &dyn Suite) -> Result<Secret> {
    Ok(Secret::try_from_fn(suite.kdf_nh(), |out| suite.random(out))?)
}
