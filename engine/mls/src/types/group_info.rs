//! What is published about an epoch (section 12.4.3).

use std::ops::Deref;

use crypto_api::{SigningKey, Suite, VerifyingKey};

use super::{Extensions, GroupContext, LeafIndex, signed::SignedStruct};
use crate::{
    Result, codec_newtype, codec_struct,
    crypto::{sign_with_label, verify_with_label},
};

const LABEL: &[u8] = b"GroupInfoTBS";

/// A GroupInfo without its signature: `GroupInfoTBS`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupInfoContent {
    /// The epoch's context.
    pub group_context: GroupContext,
    /// For joiners: the tree, the external key.
    pub extensions: Extensions,
    /// The epoch's confirmation tag.
    pub confirmation_tag: Vec<u8>,
    /// Who signed.
    pub signer: LeafIndex,
}
codec_struct!(GroupInfoContent { group_context, extensions, confirmation_tag, signer });

impl GroupInfoContent {
    /// Signs it.
    ///
    /// # Errors
    ///
    /// If it is too long to encode, or the key is of another suite.
    pub fn sign(self, suite: &dyn Suite, signer: &SigningKey) -> Result<GroupInfo> {
        SignedStruct::sign(self, |content| sign_with_label(suite, signer, LABEL, &[content]))
            .map(GroupInfo)
    }
}

/// `GroupInfo`, as made or as received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupInfo(SignedStruct<GroupInfoContent>);
codec_newtype!(GroupInfo);

impl GroupInfo {
    /// The encoding.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Whether `key`, which is that of the leaf [`GroupInfoContent::signer`] in the tree that the
    /// GroupInfo comes with, signed it.
    ///
    /// # Errors
    ///
    /// [`crate::PeerError::BadSignature`] if not.
    pub fn verify(&self, suite: &dyn Suite, key: &VerifyingKey) -> Result<()> {
        let content = self.0.signed_bytes();
        verify_with_label(suite, key, LABEL, &[content], self.0.signature())
    }
}

impl Deref for GroupInfo {
    type Target = GroupInfoContent;

    fn deref(&self) -> &GroupInfoContent {
        &self.0
    }
}
