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
    let node_secret = derive_secret(suite, path_secret, b"node")?;
    Ok(suite.derive_key_pair(node_secret.as_slice())?)
}
