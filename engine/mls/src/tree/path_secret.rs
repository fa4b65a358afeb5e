//! Path secrets (section 7.4).

use crypto_api::{HpkePrivateKey, Secret, Suite};

use crate::{Result, crypto::derive_secret};

/// The label that a path secret is sealed with (section 7.6).
pub(super) const LABEL: &[u8] = b"UpdatePathNode";

/// The path secret of the next node up.
pub(super) fn next(suite: &dyn Suite, path_secret: &Secret) -> Result<Secret> {
    derive_secret(suite, path_secret, b"path")
}

/// The key pair of the node that a path secret is of.
///
/// # Errors
///
/// If the library failed.
pub fn node_key(suite: &dyn Suite, path_secret: &Secret) -> Result<HpkePrivateKey> {
    Ok(suite.derive_key_pair(node_secret(suite, path_secret)?.as_slice())?)
}

/// [`node_key`] of each, in order, in one batch.
pub(super) fn node_keys<'a>(
    suite: &dyn Suite,
    path_secrets: impl Iterator<Item = &'a Secret>,
) -> Result<Vec<HpkePrivateKey>> {
    let node_secrets =
        path_secrets.map(|secret| node_secret(suite, secret)).collect::<Result<Vec<_>>>()?;
    let node_secrets: Vec<_> = node_secrets.iter().map(Secret::as_slice).collect();
    Ok(suite.derive_key_pair_batch(&node_secrets)?)
}

fn node_secret(suite: &dyn Suite, path_secret: &Secret) -> Result<Secret> {
    derive_secret(suite, path_secret, b"node")
}
