//! Path secrets (section 7.4).

use crypto_api::{Digest, HpkePrivateKey, Secret, Suite};
use smallvec::SmallVec;
use zeroize::Zeroizing;

use crate::{
    Error, Result,
    crypto::{derive_secret, expand_with_label_into},
};

/// The label that a path secret is sealed with (section 7.6).
pub(super) const LABEL: &[u8] = b"UpdatePathNode";

/// The path secrets of some nodes, from the lowest up, and the secret after the last of them.
pub(super) struct PathSecrets {
    pub(super) secrets: Vec<Secret>,
    pub(super) commit_secret: Secret,
}

impl PathSecrets {
    /// Those of `count` nodes, of the lowest of which `first` is.
    pub(super) fn derive(suite: &dyn Suite, first: Secret, count: usize) -> Result<Self> {
        let mut secrets = Vec::with_capacity(count);
        let mut commit_secret = first;
        for _ in 0..count {
            let next = derive_secret(suite, &commit_secret, PATH)?;
            secrets.push(std::mem::replace(&mut commit_secret, next));
        }
        Ok(Self { secrets, commit_secret })
    }
}

/// The key pair of the node that a path secret is of.
///
/// # Errors
///
/// If the library failed.
pub fn node_key(suite: &dyn Suite, path_secret: &Secret) -> Result<HpkePrivateKey> {
    Ok(suite.derive_key_pair(derive_secret(suite, path_secret, NODE)?.as_slice())?)
}

/// [`node_key`] of each, in order, in one batch.
pub(super) fn node_keys(suite: &dyn Suite, path_secrets: &[Secret]) -> Result<Vec<HpkePrivateKey>> {
    let length = suite.kdf_nh();
    let node_secrets = Secret::try_from_fn(path_secrets.len() * length, |out| -> Result<()> {
        let mut places = path_secrets.iter().zip(out.chunks_exact_mut(length));
        places.try_for_each(|(secret, place)| {
            expand_with_label_into(suite, secret.as_slice(), NODE, b"", place)
        })
    })?;
    key_pairs(suite, &node_secrets)
}

/// The keys of `count` nodes, of the lowest of which `path_secret` is, which becomes the secret after
/// the last of them.
pub(super) fn climb(
    suite: &dyn Suite,
    path_secret: &mut Secret,
    count: usize,
) -> Result<Vec<HpkePrivateKey>> {
    let length = suite.kdf_nh();
    let mut on_stack = Zeroizing::new([0; Digest::MAX_LENGTH]);
    let next = on_stack.get_mut(..length);
    let next = next.ok_or(Error::Internal("a KDF with so long an output"))?;
    let node_secrets = Secret::try_from_fn(count * length, |out| -> Result<()> {
        out.chunks_exact_mut(length).try_for_each(|place| {
            expand_with_label_into(suite, path_secret.as_slice(), NODE, b"", place)?;
            expand_with_label_into(suite, path_secret.as_slice(), PATH, b"", next)?;
            path_secret.replace(next);
            Ok(())
        })
    })?;
    key_pairs(suite, &node_secrets)
}

/// Those of node secrets that stand one behind the other.
fn key_pairs(suite: &dyn Suite, node_secrets: &Secret) -> Result<Vec<HpkePrivateKey>> {
    let node_secrets = node_secrets.as_slice().chunks_exact(suite.kdf_nh());
    let node_secrets: SmallVec<[_; 16]> = node_secrets.collect();
    Ok(suite.derive_key_pair_batch(&node_secrets)?)
}

const NODE: &[u8] = b"node";
const PATH: &[u8] = b"path";
