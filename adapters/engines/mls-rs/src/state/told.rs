//! What a client was told beside its keys: its cipher suite, what it lists in its capabilities, its
//! external PSKs, and where the tree of its next commit goes.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use engine_api::Declared;
use mls_rs::client_builder::PaddingMode;
use mls_rs::group::{GroupContext, Roster};
use mls_rs::mls_rules::{
    CommitDirection, CommitOptions, CommitSource, EncryptionOptions, ProposalBundle,
};
use mls_rs::{CipherSuite, MlsRules, PreSharedKeyStorage};
use mls_rs_core::psk::{ExternalPskId, PreSharedKey};

use super::{SUITE, lock};

/// All clones share the PSKs and the place of the tree: a group has them in its configuration, and
/// mls-rs can't give a group another one. So a fork isn't independent in these two.
#[derive(Clone)]
pub(crate) struct Told {
    pub(crate) suite: CipherSuite,
    pub(crate) declared: Declared,
    pub(crate) psks: Psks,
    pub(crate) rules: Rules,
}

impl Default for Told {
    fn default() -> Self {
        Self {
            suite: SUITE,
            declared: Declared::default(),
            psks: Psks::default(),
            rules: Rules::default(),
        }
    }
}

/// External PSKs.
#[derive(Clone, Default)]
pub(crate) struct Psks(Arc<Mutex<BTreeMap<Vec<u8>, PreSharedKey>>>);

impl Psks {
    pub(crate) fn keep(&self, id: &[u8], psk: &[u8]) {
        lock(&self.0).insert(id.to_vec(), PreSharedKey::new(psk.to_vec()));
    }

    pub(crate) fn all(&self) -> BTreeMap<Vec<u8>, PreSharedKey> {
        lock(&self.0).clone()
    }
}

impl PreSharedKeyStorage for Psks {
    type Error = Infallible;

    fn get(&self, id: &ExternalPskId) -> Result<Option<PreSharedKey>, Infallible> {
        Ok(lock(&self.0).get(&**id).cloned())
    }
}

/// Every commit has a path, handshake messages are private and nothing is padded. The tree is in
/// the Welcome unless a commit is to have it apart.
#[derive(Clone, Default)]
pub(crate) struct Rules {
    tree_apart: Arc<AtomicBool>,
}

impl Rules {
    /// For the commits from now on.
    pub(crate) fn keep_tree_apart(&self, apart: bool) {
        self.tree_apart.store(apart, Ordering::Relaxed);
    }
}

impl MlsRules for Rules {
    type Error = Infallible;

    fn filter_proposals(
        &self,
        _: CommitDirection,
        _: CommitSource,
        _: &Roster<'_>,
        _: &GroupContext,
        proposals: ProposalBundle,
    ) -> Result<ProposalBundle, Infallible> {
        Ok(proposals)
    }

    fn commit_options(
        &self,
        _: &Roster<'_>,
        _: &GroupContext,
        _: &ProposalBundle,
    ) -> Result<CommitOptions, Infallible> {
        Ok(CommitOptions::new()
            .with_path_required(true)
            .with_ratchet_tree_extension(!self.tree_apart.load(Ordering::Relaxed))
            .with_single_welcome_message(true))
    }

    fn encryption_options(
        &self,
        _: &Roster<'_>,
        _: &GroupContext,
    ) -> Result<EncryptionOptions, Infallible> {
        Ok(EncryptionOptions::new(true, PaddingMode::None))
    }
}
