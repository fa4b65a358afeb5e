//! Rules that need the application: credentials and lifetimes.

use super::Application;
use crate::{
    Error, Result,
    crypto::SignaturePublicKey,
    types::{
        AppDataDictionary, Credential, Extensions, ExternalSenders, LeafNode, LeafNodeSource,
        Lifetime,
    },
};

/// Section 5.3.1: the credential is valid and speaks for the signature key.
pub(super) fn check_credential(application: &dyn Application, leaf: &LeafNode) -> Result<()> {
    if is_credential_valid(application, &leaf.credential, &leaf.signature_key)? {
        Ok(())
    } else {
        Err(Error::invalid("5.3.1: a credential is not valid"))
    }
}

/// Section 5.3.1, and of X.509 what section 5.3 asks for without knowing certificates.
fn is_credential_valid(
    application: &dyn Application,
    credential: &Credential,
    signature_key: &SignaturePublicKey,
) -> Result<bool> {
    if let Credential::X509(chain) = credential {
        if chain.is_empty() {
            return Err(Error::invalid("5.3: an X.509 credential without a certificate"));
        }
        if application.certified_key(chain).is_some_and(|certified| certified != *signature_key) {
            return Err(Error::invalid("5.3: a certificate is for another signature key"));
        }
    }
    Ok(application.is_credential_valid(credential, signature_key))
}

/// Sections 5.3.1 and 7.3, for a leaf that takes the place of another one of the same member. What
/// didn't change was checked before.
pub(super) fn check_replacement(
    application: &dyn Application,
    old: &LeafNode,
    new: &LeafNode,
) -> Result<()> {
    if old.encryption_key == new.encryption_key {
        return Err(Error::invalid(
            "7.3: a member's new leaf has the encryption_key of its old one",
        ));
    }
    if old.credential == new.credential && old.signature_key == new.signature_key {
        return Ok(());
    }
    check_credential(application, new)?;
    if application.may_replace(old, new) {
        Ok(())
    } else {
        Err(Error::invalid("5.3.1: a member's new credential is none that may follow its old one"))
    }
}

/// Section 7.3, for leaves that come from a key package.
pub(super) fn check_leaf_lifetime(application: &dyn Application, leaf: &LeafNode) -> Result<()> {
    match &leaf.leaf_node_source {
        LeafNodeSource::KeyPackage(lifetime) => check_lifetime(application, *lifetime),
        LeafNodeSource::Update | LeafNodeSource::Commit(_) => Ok(()),
    }
}

pub(super) fn check_lifetime(application: &dyn Application, lifetime: Lifetime) -> Result<()> {
    if !application.is_lifetime_acceptable(lifetime) {
        return Err(Error::invalid("7.2: a lifetime is too long"));
    }
    check_not_expired(application, lifetime)
}

/// For a leaf that has been in the tree for a while: its total was for others to judge.
pub(super) fn check_not_expired(application: &dyn Application, lifetime: Lifetime) -> Result<()> {
    if application.now().is_none_or(|now| lifetime.contains(now)) {
        Ok(())
    } else {
        Err(Error::invalid("7.3: a leaf is not valid at this time"))
    }
}

/// The extensions of a GroupContext by themselves: those that the engine reads have to decode, and
/// the credentials of external senders have to be valid (section 5.3.1).
pub(super) fn check_group_extensions(
    application: &dyn Application,
    extensions: &Extensions,
) -> Result<()> {
    let _: Option<AppDataDictionary> = extensions.find()?;
    let senders: Option<ExternalSenders> = extensions.find()?;
    let senders = senders.unwrap_or_default();
    for sender in &senders.0 {
        if !is_credential_valid(application, &sender.credential, &sender.signature_key)? {
            return Err(Error::invalid("5.3.1: the credential of an external sender is not valid"));
        }
    }
    Ok(())
}
