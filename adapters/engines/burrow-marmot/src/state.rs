//! A client's configuration, how it is copied, and how it becomes bytes.
//!
//! The bytes are fields in the encoding of RFC 9420, then a digest over them, so that damaged ones
//! are refused before anything of them is decoded.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use burrow::codec::{Decode, Encode, Reader};
use burrow::group::KeyPackageSecrets;
use burrow_marmot::event::{EventId, Rumor};
use burrow_marmot::group::{Group, Kept};
use burrow_marmot::{Client, Clock, Config, Keys};
use crypto_api::Suite;
use engine_api::{EngineError, GroupId, SnapshotBytes};
use zeroize::Zeroizing;

use crate::client::Marmot;
use crate::describe::{Backend, Mode};
use crate::ingest::ours;
use crate::store::{Store, Stored};

const FORMAT: &[u8] = b"adapter-burrow-marmot client 1";

struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
    }
}

/// A client of burrow-marmot, configured as the crate documentation says.
pub(crate) fn new_client<B: Backend, M: Mode>() -> Client {
    let config = Config { event_signatures: M::EVENT_SIGNATURES, ..Config::default() };
    Client::new(Arc::new(B::default()), Arc::new(SystemClock), config)
}

impl<B: Backend, M: Mode> Marmot<B, M> {
    /// An independent copy.
    pub(crate) fn copied(&self) -> Result<Self, EngineError> {
        let client = new_client::<B, M>();
        let copy = |(id, group): (&GroupId, &Group)| {
            Ok((id.clone(), group.duplicate_for(&client).map_err(ours)?))
        };
        Ok(Self {
            keys: self.keys.clone(),
            key_packages: self.key_packages.clone(),
            groups: self.groups.iter().map(copy).collect::<Result<_, EngineError>>()?,
            store: self.store.clone(),
            retracted: self.retracted.clone(),
            client,
            configuration: PhantomData,
        })
    }

    /// The client as its store has it, or as it is where there is none.
    pub(crate) fn to_bytes(&self) -> Result<SnapshotBytes, EngineError> {
        let mut out = Writer::default();
        out.put(&FORMAT.to_vec())?;
        out.put(&B::NAME.as_bytes().to_vec())?;
        out.put(&*self.keys.secret())?;
        out.put(&(self.store.key_packages.len() as u64))?;
        for secrets in self.store.key_packages.values() {
            out.put(&**secrets)?;
        }
        out.put(&(self.groups.len() as u64))?;
        for (id, group) in &self.groups {
            let stored = self.store.groups.get(id);
            out.put(stored.map_or(group.kept(), |stored| &stored.kept))?;
            let messages = stored.map(|stored| &stored.messages);
            out.put(&(messages.map_or(0, BTreeMap::len) as u64))?;
            for (event, rumor) in messages.into_iter().flatten() {
                out.put(event)?;
                out.put(&rumor.to_json())?;
            }
        }
        let digest = suite(&self.client)?.hash(&[&out.0]);
        out.extend(digest.as_slice());
        Ok(SnapshotBytes::new(std::mem::take(&mut *out.0)))
    }

    /// The client that [`to_bytes`](Self::to_bytes) made the bytes of.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, EngineError> {
        let client = new_client::<B, M>();
        let mut reader = Reader::new(undamaged(suite(&client)?, bytes)?);
        if opaque(&mut reader)? != FORMAT || opaque(&mut reader)? != B::NAME.as_bytes() {
            return Err(EngineError::storage("not a client of this engine"));
        }
        let secret = Zeroizing::new(read::<[u8; 32]>(&mut reader)?);
        let keys = Keys::from_secret(&secret).map_err(EngineError::storage)?;
        let mut store = Store::default();
        let mut key_packages = BTreeMap::new();
        for _ in 0..read::<u64>(&mut reader)? {
            let written = Zeroizing::new(opaque(&mut reader)?.to_vec());
            let secrets = key_package(&client, &written)?;
            let reference = secrets.key_package().reference(suite(&client)?);
            let reference = reference.map_err(EngineError::storage)?.as_slice().to_vec();
            store.key_packages.insert(reference.clone(), written);
            key_packages.insert(reference, secrets);
        }
        let mut groups = BTreeMap::new();
        for _ in 0..read::<u64>(&mut reader)? {
            let stored = read_stored(&client, &mut reader)?;
            let group = client.restore(stored.kept.clone()).map_err(EngineError::storage)?;
            warm_up(&client, &group)?;
            let id = GroupId::new(group.id().to_vec());
            if M::KEEPS {
                store.groups.insert(id.clone(), stored);
            }
            groups.insert(id, group);
        }
        reader.finish().map_err(EngineError::storage)?;
        let retracted = BTreeMap::new();
        Ok(Self {
            client,
            keys,
            key_packages,
            groups,
            store,
            retracted,
            configuration: PhantomData,
        })
    }
}

fn key_package(client: &Client, written: &[u8]) -> Result<KeyPackageSecrets, EngineError> {
    client.read_key_package_secrets(written).map_err(EngineError::storage)
}

fn read_stored(client: &Client, reader: &mut Reader<'_>) -> Result<Stored, EngineError> {
    let kept: Kept = read(reader)?;
    let mut messages = BTreeMap::new();
    for _ in 0..read::<u64>(reader)? {
        let event: EventId = read(reader)?;
        let rumor = Rumor::from_json(suite(client)?, opaque(reader)?);
        messages.insert(event, rumor.map_err(EngineError::storage)?);
    }
    Ok(Stored { kept, messages })
}

/// Has a restored group compute what it would have by now if it had been running, so that no timed
/// operation does.
fn warm_up(client: &Client, group: &Group) -> Result<(), EngineError> {
    let suite = suite(client)?;
    group.mls().tree().tree_hash(suite).map_err(EngineError::internal)?;
    for (_, leaf) in group.mls().members() {
        leaf.verifying_key(suite).map_err(EngineError::internal)?;
    }
    Ok(())
}

fn suite(client: &Client) -> Result<&dyn Suite, EngineError> {
    client.suite().map_err(ours)
}

/// What stands before the digest, if the digest is right.
fn undamaged<'a>(suite: &dyn Suite, bytes: &'a [u8]) -> Result<&'a [u8], EngineError> {
    let split = bytes.len().checked_sub(suite.hash_length());
    match split.and_then(|split| bytes.split_at_checked(split)) {
        Some((fields, found)) if suite.hash(&[fields]).matches(found) => Ok(fields),
        _ => Err(EngineError::storage("damaged, or no client at all")),
    }
}

fn read<T: Decode>(reader: &mut Reader<'_>) -> Result<T, EngineError> {
    reader.read().map_err(EngineError::storage)
}

fn opaque<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8], EngineError> {
    reader.opaque().map_err(EngineError::storage)
}

#[derive(Default)]
struct Writer(Zeroizing<Vec<u8>>);

impl Writer {
    fn put(&mut self, value: &impl Encode) -> Result<(), EngineError> {
        let mut field = Zeroizing::new(Vec::with_capacity(value.encoded_len()));
        value.encode(&mut field).map_err(EngineError::internal)?;
        self.extend(&field);
        Ok(())
    }

    /// A `Vec` that grows leaves its old buffer behind as it is; here it is wiped.
    fn extend(&mut self, bytes: &[u8]) {
        let len = self.0.len() + bytes.len();
        if len > self.0.capacity() {
            let mut larger = Zeroizing::new(Vec::with_capacity(len.next_power_of_two()));
            larger.extend_from_slice(&self.0);
            self.0 = larger;
        }
        self.0.extend_from_slice(bytes);
    }
}
