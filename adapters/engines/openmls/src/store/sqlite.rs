//! The store in a SQLite file.
//!
//! OpenMLS' own provider (openmls_sqlite_storage 0.2, the one for these traits) wants rusqlite 0.32;
//! MDK's and mls-rs' want 0.37, and one binary links one SQLite. MDK's store is a provider for
//! OpenMLS, too, and the one that OpenMLS is in use with, so it is that.

use std::cell::OnceCell;
use std::collections::HashMap;

use engine_api::{EngineError, GroupId, Identity, Layer, SnapshotBytes};
use mdk_sqlite_storage::{EncryptionConfig, MdkSqliteStorage};
use openmls::key_packages::KeyPackageBundle;
use openmls::prelude::KeyPackageRef;
use openmls::prelude::tls_codec::{Deserialize as _, Serialize as _};
use openmls_basic_credential::SignatureKeyPair;
use openmls_traits::OpenMlsProvider as _;
use openmls_traits::storage::StorageProvider as _;
use sqlite_file::DatabaseFile;

use super::Store;
use crate::client::{Group, OpenMls};
use crate::describe::Backend;
use crate::profile::Profile;
use crate::signing::Signing;
use crate::state::{DIGEST_LEN, Decoder, Encoder, Provider, damaged, digest};

/// `mdk-sqlite-storage`, of which OpenMLS' half is used.
pub(crate) struct Sqlite {
    // Closed before the file is deleted.
    storage: MdkSqliteStorage,
    file: DatabaseFile,
}

/// The first bytes of a snapshot.
const FORMAT: &[u8] = b"adapter-openmls sqlite snapshot 1";

/// OpenMLS' tables in MDK's store, each with the column of its values.
const VALUES: [(&str, &str); 8] = [
    ("openmls_group_data", "group_data"),
    ("openmls_proposals", "proposal"),
    ("openmls_own_leaf_nodes", "leaf_node"),
    ("openmls_key_packages", "key_package"),
    ("openmls_psks", "psk_bundle"),
    ("openmls_signature_keys", "signature_key"),
    ("openmls_encryption_keys", "key_pair"),
    ("openmls_epoch_key_pairs", "key_pairs"),
];

thread_local! {
    /// A database that has seen MDK's migrations and nothing else. They are many, and each is a
    /// transaction, so a new client starts from a copy.
    static EMPTY: OnceCell<Sqlite> = const { OnceCell::new() };
}

impl Sqlite {
    fn over(file: DatabaseFile) -> Result<Self, EngineError> {
        let key = EncryptionConfig::new(*file.key());
        let storage = MdkSqliteStorage::new_with_key(file.path(), key);
        Ok(Self { storage: storage.map_err(EngineError::storage)?, file })
    }
}

impl Store for Sqlite {
    type Storage = MdkSqliteStorage;
    type Unused = HashMap<KeyPackageRef, KeyPackageBundle>;

    const LAYER: Layer = Layer::Sqlite;
    const STORAGE: &'static str = sqlite_file::storage!("mdk-sqlite-storage, postcard");

    fn open() -> Result<Self, EngineError> {
        EMPTY.with(|empty| match empty.get() {
            Some(store) => store.copied(),
            None => {
                let file = DatabaseFile::create().map_err(EngineError::storage)?;
                let store = Self::over(file)?;
                let copy = store.copied();
                let _ = empty.set(store);
                copy
            }
        })
    }

    fn storage(&self) -> &MdkSqliteStorage {
        &self.storage
    }

    fn copied(&self) -> Result<Self, EngineError> {
        Self::over(self.file.copy().map_err(EngineError::storage)?)
    }

    fn publish<B: Backend>(
        provider: &Provider<B, Self>,
        unused: &mut Self::Unused,
        make: impl FnOnce(&Provider<B, Self>) -> Result<KeyPackageBundle, EngineError>,
    ) -> Result<KeyPackageBundle, EngineError> {
        let made = make(provider)?;
        let reference = made.key_package().hash_ref(provider.crypto());
        unused.insert(reference.map_err(EngineError::internal)?, made.clone());
        Ok(made)
    }

    fn put_back<B: Backend>(
        provider: &Provider<B, Self>,
        unused: &Self::Unused,
    ) -> Result<(), EngineError> {
        for (reference, bundle) in unused {
            if stored(provider, reference)?.is_none() {
                let written = provider.storage().write_key_package(reference, bundle);
                written.map_err(EngineError::storage)?;
            }
        }
        Ok(())
    }

    fn forget_used<B: Backend>(
        provider: &Provider<B, Self>,
        unused: &mut Self::Unused,
    ) -> Result<(), EngineError> {
        for reference in unused.keys().cloned().collect::<Vec<_>>() {
            if stored(provider, &reference)?.is_none() {
                unused.remove(&reference);
            }
        }
        Ok(())
    }

    fn values_len(&self) -> Result<usize, EngineError> {
        let connection = self.file.open().map_err(EngineError::storage)?;
        let mut sum = 0;
        for (table, value) in VALUES {
            let question = format!("SELECT coalesce(sum(length({value})), 0) FROM {table}");
            let length = connection.query_row(&question, [], |row| row.get::<_, i64>(0));
            let length = usize::try_from(length.map_err(EngineError::storage)?);
            sum += length.map_err(EngineError::storage)?;
        }
        Ok(sum)
    }

    /// The file with its key, and what is not in it: names, numbers, which key packages are unused.
    fn snapshot<B: Backend>(client: &OpenMls<B, Self>) -> Result<SnapshotBytes, EngineError> {
        let file = &client.provider.store.file;
        let database = file.bytes().map_err(EngineError::storage)?;
        // With enough room that no reallocation leaves the key behind.
        let mut out = Encoder(Vec::with_capacity(2 * database.len() + (1 << 16)));
        out.bytes(FORMAT);
        out.bytes(B::NAME.as_bytes());
        out.bytes(client.identity.as_slice());
        out.bytes(&client.signer.to_public_vec());
        out.bytes(&client.profile.to_bytes());
        // In order, so that equal clients give equal bytes.
        let mut groups: Vec<_> =
            client.groups.iter().map(|(id, group)| (id, group.staged)).collect();
        groups.sort_unstable();
        out.length(groups.len());
        for (id, staged) in groups {
            out.bytes(id.as_slice());
            out.length(staged.iter().len());
            staged.iter().for_each(|stage| out.number(*stage));
        }
        let unused = client.unused.keys().map(KeyPackageRef::tls_serialize_detached);
        let mut unused: Vec<_> = unused.collect::<Result<_, _>>().map_err(EngineError::internal)?;
        unused.sort_unstable();
        out.length(unused.len());
        unused.iter().for_each(|reference| out.bytes(reference));
        out.bytes(file.key());
        out.bytes(&database);
        let digest = digest(client.provider.crypto(), &out.0)?;
        out.0.extend_from_slice(&digest);
        Ok(SnapshotBytes::new(out.0))
    }

    fn restore<B: Backend>(snapshot: &SnapshotBytes) -> Result<OpenMls<B, Self>, EngineError> {
        let bytes = snapshot.as_slice();
        let boundary = bytes.len().checked_sub(DIGEST_LEN).ok_or_else(damaged)?;
        let (body, expected) = bytes.split_at(boundary);
        if digest(&B::open()?, body)? != expected {
            return Err(damaged());
        }
        let mut rest = Decoder(body);
        if rest.bytes()? != FORMAT || rest.bytes()? != B::NAME.as_bytes() {
            return Err(EngineError::storage("not a snapshot of this engine's"));
        }
        let identity = Identity::new(rest.bytes()?.to_vec());
        let signature_key = rest.bytes()?;
        let profile = Profile::from_bytes(rest.bytes()?).ok_or_else(damaged)?;
        let listed = rest.list(|rest| {
            let group = GroupId::new(rest.bytes()?.to_vec());
            Ok((group, rest.list(Decoder::number)?.pop()))
        })?;
        let references = rest.list(Decoder::bytes)?;
        let key = rest.bytes()?.try_into().map_err(|_| damaged())?;
        let file = DatabaseFile::of_bytes(rest.bytes()?, key).map_err(EngineError::storage)?;
        let provider = Provider::<B, Self>::over(Self::over(file)?)?;

        let scheme = profile.suite.signature_algorithm();
        let signer = SignatureKeyPair::read(provider.storage(), signature_key, scheme);
        let signer = Signing::new(signer.ok_or_else(damaged)?);
        let mut groups = HashMap::new();
        for (id, staged) in listed {
            let mls = provider.load(&id)?;
            groups.insert(id, Group { mls, staged });
        }
        let mut unused = HashMap::new();
        for reference in references {
            let reference = KeyPackageRef::tls_deserialize_exact(reference);
            let reference = reference.map_err(EngineError::storage)?;
            let bundle = stored(&provider, &reference)?.ok_or_else(damaged)?;
            unused.insert(reference, bundle);
        }
        let stages = provider.random_number()?;
        Ok(OpenMls { provider, signer, identity, unused, groups, stages, profile })
    }
}

fn stored<B: Backend>(
    provider: &Provider<B, Sqlite>,
    reference: &KeyPackageRef,
) -> Result<Option<KeyPackageBundle>, EngineError> {
    provider.storage().key_package(reference).map_err(EngineError::storage)
}

#[cfg(test)]
mod tests;
