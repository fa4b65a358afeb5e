//! A client's state: where mls-rs keeps it, how it is copied, and how it becomes bytes.
//!
//! mls-rs' own in-memory stores are shared by all clones of a group, so that two forks would meet
//! in them: after one is written the other can't go on (`InvalidEpoch`). Here each group has its
//! store to itself, and a clone of it is a copy.

pub(crate) mod bytes;
mod told;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine_api::{EngineError, GroupId, Identity};
use mls_rs::client_builder::{
    BaseConfig, MakeConfig, WithCryptoProvider, WithGroupStateStorage, WithIdentityProvider,
    WithKeyPackageRepo, WithMlsRules, WithPskStore,
};
use mls_rs::crypto::{SignaturePublicKey, SignatureSecretKey};
use mls_rs::group::CommitSecrets;
use mls_rs::identity::SigningIdentity;
use mls_rs::identity::basic::{BasicCredential, BasicIdentityProvider};
use mls_rs::{
    CipherSuite, CipherSuiteProvider, Client, Group, GroupStateStorage, KeyPackageRef,
    KeyPackageStorage,
};
use mls_rs_core::extension::ExtensionType;
use mls_rs_core::group::{EpochRecord, GroupState, ProposalType};
use mls_rs_core::key_package::KeyPackageData;
use zeroize::Zeroizing;

use crate::client::MlsRs;
use crate::describe::Backend;
use crate::ingest::ours;
pub(crate) use told::Told;
use told::{Psks, Rules};

/// How many past epochs a message may come from.
pub(crate) const PAST_EPOCHS: u64 = 5;

/// The suite of every client that isn't told another.
pub(crate) const SUITE: CipherSuite = CipherSuite::CURVE25519_AES128;

/// mls-rs' type for a client configured as here.
pub(crate) type Config<B> = MakeConfig<
    WithMlsRules<
        Rules,
        WithCryptoProvider<
            B,
            WithIdentityProvider<
                BasicIdentityProvider,
                WithPskStore<
                    Psks,
                    WithGroupStateStorage<GroupStore, WithKeyPackageRepo<KeyPackages, BaseConfig>>,
                >,
            >,
        >,
    >,
>;

pub(crate) type Secret = Zeroizing<Vec<u8>>;

/// A client's long-term signing keys.
#[derive(Clone)]
pub(crate) struct Keys {
    pub(crate) signing: SigningIdentity,
    secret: SignatureSecretKey,
}

impl Keys {
    /// Fresh ones, under a basic credential.
    pub(crate) fn generate<B: Backend>(
        name: &str,
        number: CipherSuite,
    ) -> Result<Self, EngineError> {
        let (secret, public) = suite_of::<B>(number)?
            .signature_key_generate()
            .map_err(|why| EngineError::internal(format_args!("{why:?}")))?;
        Ok(Self::new(name.as_bytes().to_vec(), public, secret))
    }

    /// Those that are given.
    pub(crate) fn new(
        name: Vec<u8>,
        public: SignaturePublicKey,
        secret: SignatureSecretKey,
    ) -> Self {
        let credential = BasicCredential::new(name).into_credential();
        Self { signing: SigningIdentity::new(credential, public), secret }
    }

    /// The name in the credential.
    pub(crate) fn identity(&self) -> Identity {
        let basic = self.signing.credential.as_basic();
        Identity::new(basic.map_or_else(Vec::new, |basic| basic.identifier().to_vec()))
    }

    /// An mls-rs client that signs with these keys.
    pub(crate) fn client<B: Backend>(
        &self,
        key_packages: &KeyPackages,
        store: GroupStore,
        told: &Told,
    ) -> Client<Config<B>> {
        let proposals = told.declared.proposals.iter().copied().map(ProposalType::new);
        let extensions = told.declared.extensions.iter().copied().map(ExtensionType::new);
        Client::builder()
            .key_package_repo(key_packages.clone())
            .group_state_storage(store)
            .psk_store(told.psks.clone())
            .identity_provider(BasicIdentityProvider)
            .crypto_provider(B::offering(told.suite))
            .mls_rules(told.rules.clone())
            .extension_types(extensions)
            .custom_proposal_types(proposals)
            .signing_identity(self.signing.clone(), self.secret.clone(), told.suite)
            .build()
    }
}

fn suite<B: Backend>() -> Result<B::CipherSuiteProvider, EngineError> {
    suite_of::<B>(SUITE)
}

fn suite_of<B: Backend>(number: CipherSuite) -> Result<B::CipherSuiteProvider, EngineError> {
    B::default()
        .cipher_suite_provider(number)
        .ok_or_else(|| EngineError::internal("the provider doesn't have the cipher suite"))
}

/// Where a client starts to number its staged commits.
pub(crate) fn random_number<B: Backend>() -> Result<u64, EngineError> {
    let mut bytes = [0; size_of::<u64>()];
    let filled = suite::<B>()?.random_bytes(&mut bytes);
    filled.map_err(|why| EngineError::internal(format_args!("{why:?}")))?;
    Ok(u64::from_be_bytes(bytes))
}

/// A group that this client is in.
#[derive(Clone)]
pub(crate) struct Held<B: Backend> {
    pub(crate) group: Group<Config<B>>,
    /// A commit of one's own for the present epoch; gone as soon as the group leaves it.
    pub(crate) staged: Option<Staged>,
    /// The epoch in which it was last written, or entered.
    written: u64,
}

/// What merging a commit takes, and the number that its author knows it by.
#[derive(Clone)]
pub(crate) struct Staged {
    pub(crate) stage: u64,
    pub(crate) secrets: CommitSecrets,
}

impl<B: Backend> Held<B> {
    /// A group that was just entered, or loaded.
    pub(crate) fn new(group: Group<Config<B>>, staged: Option<Staged>) -> Self {
        Self { written: group.current_epoch(), group, staged }
    }

    /// Has mls-rs write the group to its store, which also drops the past epochs that are not kept.
    pub(crate) fn write(&mut self, outbox: &Outbox) -> Result<Written, EngineError> {
        self.group.write_to_storage().map_err(ours)?;
        self.written = self.group.current_epoch();
        let written = lock(&outbox.0).take();
        written.ok_or_else(|| EngineError::internal("mls-rs wrote nothing"))
    }

    /// As [`write`](Self::write), for a store that has nothing of the group yet.
    pub(crate) fn write_all(&mut self, outbox: &Outbox) -> Result<Written, EngineError> {
        let mut written = self.write(outbox)?;
        written.inserted = written.past.keys().copied().collect();
        written.updated = Vec::new();
        Ok(written)
    }

    /// How many past epochs mls-rs holds in memory for want of a write.
    fn unwritten(&self) -> u64 {
        self.group.current_epoch().saturating_sub(self.written)
    }
}

/// One group as mls-rs writes it.
#[derive(Clone)]
pub(crate) struct Written {
    /// The present epoch.
    state: Secret,
    /// The past epochs that are kept, by number.
    past: BTreeMap<u64, Arc<Secret>>,
    /// The past epochs that came with this write, new ones and changed ones.
    inserted: Vec<u64>,
    updated: Vec<u64>,
}

impl Written {
    /// As it is loaded.
    #[cfg(feature = "sqlite")]
    pub(crate) fn new(state: Secret, past: impl IntoIterator<Item = (u64, Secret)>) -> Self {
        let past = past.into_iter().map(|(epoch, bytes)| (epoch, Arc::new(bytes))).collect();
        Self { state, past, inserted: Vec::new(), updated: Vec::new() }
    }

    /// As mls-rs hands it to a store: the group, and the new and the changed ones of its past epochs.
    #[cfg(feature = "sqlite")]
    pub(crate) fn parts(&self, id: &GroupId) -> (GroupState, Vec<EpochRecord>, Vec<EpochRecord>) {
        let records = |epochs: &[u64]| {
            let kept = epochs.iter().filter_map(|id| Some((*id, self.past.get(id)?)));
            kept.map(|(id, bytes)| EpochRecord { id, data: Secret::clone(bytes) }).collect()
        };
        let group = GroupState { id: id.as_slice().to_vec(), data: self.state.clone() };
        (group, records(&self.inserted), records(&self.updated))
    }

    /// How many bytes came with this write: the group, and the new and the changed past epochs.
    pub(crate) fn changed_len(&self) -> usize {
        let changed = self.inserted.iter().chain(&self.updated);
        let past = changed.filter_map(|epoch| self.past.get(epoch));
        self.state.len() + past.map(|epoch| epoch.len()).sum::<usize>()
    }

    /// How many bytes that is.
    pub(crate) fn len(&self) -> usize {
        let past = self.past.values().map(|epoch| epoch.len());
        self.state.len() + past.sum::<usize>()
    }
}

/// Where a group leaves what it writes, for whoever told it to write. One for a client and all its
/// groups and copies: each call that makes a group write empties it again.
#[derive(Clone, Default)]
pub(crate) struct Outbox(Arc<Mutex<Option<Written>>>);

/// The store of one group, as mls-rs sees it.
#[derive(Clone, Default)]
pub(crate) struct GroupStore {
    /// Handed out once, when the group is loaded.
    state: Arc<Mutex<Option<Secret>>>,
    past: BTreeMap<u64, Arc<Secret>>,
    outbox: Outbox,
}

impl GroupStore {
    /// The store of a group that was never written.
    pub(crate) fn new(outbox: &Outbox) -> Self {
        Self { outbox: outbox.clone(), ..Self::default() }
    }

    /// The store that a group is loaded from.
    fn holding(written: Written, outbox: &Outbox) -> Self {
        Self {
            state: Arc::new(Mutex::new(Some(written.state))),
            past: written.past,
            outbox: outbox.clone(),
        }
    }
}

impl GroupStateStorage for GroupStore {
    type Error = Infallible;

    fn state(&self, _: &[u8]) -> Result<Option<Secret>, Infallible> {
        Ok(lock(&self.state).take())
    }

    fn epoch(&self, _: &[u8], epoch: u64) -> Result<Option<Secret>, Infallible> {
        Ok(self.past.get(&epoch).map(|bytes| Secret::clone(bytes)))
    }

    fn write(
        &mut self,
        state: GroupState,
        inserts: Vec<EpochRecord>,
        updates: Vec<EpochRecord>,
    ) -> Result<(), Infallible> {
        let inserted = inserts.iter().map(|record| record.id).collect();
        let updated = updates.iter().map(|record| record.id).collect();
        for record in inserts.into_iter().chain(updates) {
            self.past.insert(record.id, Arc::new(record.data));
        }
        while self.past.len() as u64 > PAST_EPOCHS {
            self.past.pop_first();
        }
        let (state, past) = (state.data, self.past.clone());
        *lock(&self.outbox.0) = Some(Written { state, past, inserted, updated });
        Ok(())
    }

    fn max_epoch_id(&self, _: &[u8]) -> Result<Option<u64>, Infallible> {
        Ok(self.past.last_key_value().map(|(epoch, _)| *epoch))
    }
}

/// The key packages that a client published and that nobody has used yet. All clones are one.
#[derive(Clone, Default)]
pub(crate) struct KeyPackages(Arc<Mutex<BTreeMap<Vec<u8>, KeyPackageData>>>);

impl KeyPackages {
    /// The first of these references that is one of this client's.
    pub(crate) fn first_of(&self, references: &[&KeyPackageRef]) -> Option<Vec<u8>> {
        let held = lock(&self.0);
        let mut references = references.iter().map(|reference| &***reference);
        references.find(|reference| held.contains_key(*reference)).map(<[u8]>::to_vec)
    }

    /// All references.
    pub(crate) fn references(&self) -> Vec<Vec<u8>> {
        lock(&self.0).keys().cloned().collect()
    }

    /// Forgets a key package that was used.
    pub(crate) fn forget(&self, reference: &[u8]) {
        lock(&self.0).remove(reference);
    }

    /// An independent copy.
    pub(crate) fn copied(&self) -> Self {
        Self(Arc::new(Mutex::new(lock(&self.0).clone())))
    }
}

impl KeyPackageStorage for KeyPackages {
    type Error = Infallible;

    fn delete(&mut self, id: &[u8]) -> Result<(), Infallible> {
        self.forget(id);
        Ok(())
    }

    fn insert(&mut self, id: Vec<u8>, key_package: KeyPackageData) -> Result<(), Infallible> {
        lock(&self.0).insert(id, key_package);
        Ok(())
    }

    fn get(&self, id: &[u8]) -> Result<Option<KeyPackageData>, Infallible> {
        Ok(lock(&self.0).get(id).cloned())
    }
}

/// Nothing panics while holding these locks, so a poisoned one holds nothing broken.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<B: Backend> MlsRs<B> {
    /// Takes up a group that was written.
    pub(crate) fn load(&mut self, id: &GroupId, written: Written) -> Result<(), EngineError> {
        let store = GroupStore::holding(written, &self.outbox);
        let client = self.keys.client::<B>(&self.key_packages, store, &self.told);
        let group = client.load_group(id.as_slice()).map_err(EngineError::storage)?;
        self.groups.insert(id.clone(), RefCell::new(Held::new(group, None)));
        Ok(())
    }

    /// An independent copy: its own key packages and, with each group, its own store.
    ///
    /// A group that has gone through many epochs without being written is written first: mls-rs
    /// holds them all in memory, and each copy would copy and drop them.
    pub(crate) fn copied(&self) -> Result<Self, EngineError> {
        for held in self.groups.values() {
            let mut held = held.borrow_mut();
            if held.unwritten() > PAST_EPOCHS {
                held.write(&self.outbox)?;
            }
        }
        let key_packages = self.key_packages.copied();
        Ok(Self {
            client: self.keys.client(&key_packages, GroupStore::new(&self.outbox), &self.told),
            key_packages,
            told: self.told.clone(),
            keys: self.keys.clone(),
            outbox: self.outbox.clone(),
            groups: self.groups.clone(),
            stages: random_number::<B>()?,
        })
    }
}
