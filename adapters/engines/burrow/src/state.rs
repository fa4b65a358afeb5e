//! A client's configuration and keys, how it is copied, and how it becomes bytes.
//!
//! The bytes are fields in the encoding of RFC 9420, then a digest over them, so that damaged ones
//! are refused before burrow decodes any.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use burrow::codec::{Decode, Encode, Reader};
use burrow::crypto::SignaturePublicKey;
use burrow::framing::Sender;
use burrow::group::{Application, Client, Config, Group, Identity, KeyPackageSecrets};
use burrow::schedule::RatchetLimits;
use burrow::tree::LeafDescription;
use burrow::types::{Credential, Extensions, LeafNode, Lifetime, Proposal};
use crypto_api::{CipherSuite, Secret, Suite};
use engine_api::{EngineError, GroupId, SnapshotBytes};
use zeroize::Zeroizing;

use crate::client::{Burrow, Held};
use crate::describe::Backend;
use crate::ingest::ours;

/// The suite of every client here.
const SUITE: CipherSuite = CipherSuite::MLS_128_DHKEMX25519_AES128GCM_SHA256_ED25519;

/// How many past epochs a message may come from.
const PAST_EPOCHS: usize = 5;
/// How many generations a message may come late, and how many early.
const OUT_OF_ORDER: u32 = 100;
const FORWARD: u32 = 1000;

/// How long ago a new key package has become valid: OpenMLS 0.8.3 refuses one that did so in the
/// present second.
const VALID_SINCE: Duration = Duration::from_secs(3600);
/// How long it will be: with the hour before, the longest that OpenMLS finds acceptable.
const VALID_FOR: Duration = Duration::from_secs(28 * 3 * 24 * 3600);

const FORMAT: &[u8] = b"adapter-burrow client 2";

/// External PSKs. All clones are one; [`Psks::copied`] is another.
#[derive(Clone, Default)]
pub(crate) struct Psks(Arc<Mutex<BTreeMap<Vec<u8>, Secret>>>);

impl Psks {
    pub(crate) fn keep(&self, id: &[u8], psk: &[u8]) {
        self.held().insert(id.to_vec(), Secret::copy_from(psk));
    }

    /// An independent copy.
    fn copied(&self) -> Self {
        Self(Arc::new(Mutex::new(self.held().clone())))
    }

    /// Nothing panics while holding the lock, so a poisoned one holds nothing broken.
    fn held(&self) -> MutexGuard<'_, BTreeMap<Vec<u8>, Secret>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The lab's side of the engine: everybody is who it says.
struct Lab {
    psks: Psks,
    time: Time,
}

/// Which time it is for a client.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Time {
    /// The machine's.
    Present,
    /// That of a recording: whatever it shows was accepted then.
    Recorded,
}

impl Application for Lab {
    fn now(&self) -> Option<u64> {
        (self.time == Time::Present).then(seconds_now)
    }

    fn is_credential_valid(&self, credential: &Credential, _: &SignaturePublicKey) -> bool {
        matches!(credential, Credential::Basic(_))
    }

    fn may_replace(&self, old: &LeafNode, new: &LeafNode) -> bool {
        self.time == Time::Recorded || old.credential == new.credential
    }

    fn may_propose(&self, sender: Sender, _: &Proposal) -> bool {
        self.time == Time::Recorded || sender != Sender::NewMemberProposal
    }

    fn external_psk(&self, psk_id: &[u8]) -> Option<Secret> {
        self.psks.held().get(psk_id).cloned()
    }

    /// mls-rs' key packages last a year.
    fn is_lifetime_acceptable(&self, lifetime: Lifetime) -> bool {
        lifetime.total().is_some()
    }
}

fn seconds_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// A client of burrow, configured as the crate documentation says.
pub(crate) fn new_client<B: Backend>(psks: &Psks, time: Time) -> Client {
    let config = Config {
        past_epochs: PAST_EPOCHS,
        // The default, if these limits were not to be had.
        ratchet_limits: RatchetLimits::new(OUT_OF_ORDER, FORWARD).unwrap_or_default(),
        ..Config::default()
    };
    Client::new(Arc::new(B::default()), Arc::new(Lab { psks: psks.clone(), time }), config)
}

/// A fresh signature key, under a basic credential.
pub(crate) fn new_identity(client: &Client, name: &str) -> Result<Identity, EngineError> {
    let credential = Credential::Basic(name.as_bytes().to_vec());
    client.generate_identity(SUITE, credential, lifetime_now()).map_err(ours)
}

/// The identity for leaves that are made now.
pub(crate) fn present_identity(identity: &Identity) -> Identity {
    Identity { lifetime: lifetime_now(), ..identity.clone() }
}

pub(crate) fn lifetime_now() -> Lifetime {
    let now = seconds_now();
    Lifetime {
        not_before: now.saturating_sub(VALID_SINCE.as_secs()),
        not_after: now.saturating_add(VALID_FOR.as_secs()),
    }
}

fn suite(client: &Client) -> Result<&dyn Suite, EngineError> {
    client.suite(SUITE).map_err(ours)
}

/// Random bytes.
pub(crate) fn random(client: &Client, length: usize) -> Result<Vec<u8>, EngineError> {
    let mut bytes = vec![0; length];
    suite(client)?.random(&mut bytes).map_err(EngineError::internal)?;
    Ok(bytes)
}

/// Where a client starts to number its staged commits.
pub(crate) fn random_number(client: &Client) -> Result<u64, EngineError> {
    let mut bytes = [0; size_of::<u64>()];
    suite(client)?.random(&mut bytes).map_err(EngineError::internal)?;
    Ok(u64::from_be_bytes(bytes))
}

impl<B: Backend> Burrow<B> {
    /// An independent copy.
    pub(crate) fn copied(&self) -> Result<Self, EngineError> {
        let psks = self.psks.copied();
        let client = new_client::<B>(&psks, self.time);
        let copy = |(id, held): (&GroupId, &Held)| Ok((id.clone(), held.copied(&client)?));
        Ok(Self {
            identity: self.identity.clone(),
            key_packages: self.key_packages.clone(),
            groups: self.groups.iter().map(copy).collect::<Result<_, EngineError>>()?,
            psks,
            time: self.time,
            stages: random_number(&self.client)?,
            client,
            backend: PhantomData,
        })
    }

    /// The client as bytes.
    pub(crate) fn to_bytes(&self) -> Result<SnapshotBytes, EngineError> {
        let mut out = Writer::default();
        out.put(&FORMAT.to_vec())?;
        out.put(&B::NAME.as_bytes().to_vec())?;
        out.put(&u8::from(self.time == Time::Recorded))?;
        out.put(&self.identity.cipher_suite)?;
        out.put(&self.identity.description.credential)?;
        out.put(&self.identity.description.capabilities)?;
        out.put(self.identity.signer.private())?;
        let psks = self.psks.held().clone();
        out.put(&(psks.len() as u64))?;
        for (id, psk) in &psks {
            out.put(id)?;
            out.put(psk)?;
        }
        out.put(&(self.key_packages.len() as u64))?;
        for secrets in self.key_packages.values() {
            out.put(&*secrets.write().map_err(ours)?)?;
        }
        out.put(&(self.groups.len() as u64))?;
        for held in self.groups.values() {
            let (group, staged) = held.write()?;
            out.put(&*group)?;
            out.put(&staged.as_ref().map(|(stage, _)| *stage))?;
            if let Some((_, staged)) = &staged {
                out.put(&**staged)?;
            }
        }
        let digest = suite(&self.client)?.hash(&[&out.0]);
        out.extend(digest.as_slice());
        Ok(SnapshotBytes::new(std::mem::take(&mut *out.0)))
    }

    /// The client that [`to_bytes`](Self::to_bytes) made the bytes of.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, EngineError> {
        let psks = Psks::default();
        let present = new_client::<B>(&psks, Time::Present);
        let mut reader = Reader::new(undamaged(suite(&present)?, bytes)?);
        if opaque(&mut reader)? != FORMAT || opaque(&mut reader)? != B::NAME.as_bytes() {
            return Err(EngineError::storage("not a client of this engine"));
        }
        let (time, client) = match read::<u8>(&mut reader)? {
            0 => (Time::Present, present),
            _ => (Time::Recorded, new_client::<B>(&psks, Time::Recorded)),
        };
        let identity = read_identity(&client, &mut reader)?;
        for _ in 0..read::<u64>(&mut reader)? {
            let id = opaque(&mut reader)?;
            psks.keep(id, opaque(&mut reader)?);
        }
        let mut key_packages = BTreeMap::new();
        for _ in 0..read::<u64>(&mut reader)? {
            let secrets = KeyPackageSecrets::read(&client, opaque(&mut reader)?);
            let secrets = secrets.map_err(EngineError::storage)?;
            let suite = client.suite(secrets.cipher_suite()).map_err(EngineError::storage)?;
            let reference = secrets.key_package().reference(suite);
            let reference = reference.map_err(EngineError::storage)?;
            key_packages.insert(reference.as_slice().to_vec(), secrets);
        }
        let mut groups = BTreeMap::new();
        for _ in 0..read::<u64>(&mut reader)? {
            let group = opaque(&mut reader)?;
            let stage: Option<u64> = read(&mut reader)?;
            let staged = stage.map(|stage| Ok((stage, opaque(&mut reader)?))).transpose()?;
            let held = Held::restore(&client, group, staged)?;
            groups.insert(GroupId::new(held.group.group_id().to_vec()), held);
        }
        reader.finish().map_err(EngineError::storage)?;
        let stages = random_number(&client)?;
        Ok(Self {
            client,
            identity,
            key_packages,
            groups,
            psks,
            time,
            stages,
            backend: PhantomData,
        })
    }
}

type Written = Zeroizing<Vec<u8>>;

impl Held {
    pub(crate) fn write(&self) -> Result<(Written, Option<(u64, Written)>), EngineError> {
        let staged = self.staged.as_ref();
        let staged = staged.map(|(stage, staged)| Ok((*stage, staged.write().map_err(ours)?)));
        Ok((self.group.write().map_err(ours)?, staged.transpose()?))
    }

    pub(crate) fn restore(
        client: &Client,
        group: &[u8],
        staged: Option<(u64, &[u8])>,
    ) -> Result<Self, EngineError> {
        let group = client.restore(group, &[]).map_err(EngineError::storage)?;
        let restored = |(stage, staged)| {
            Ok((stage, group.restore_staged(staged).map_err(EngineError::storage)?))
        };
        let staged = staged.map(restored).transpose()?;
        warm_up(&group)?;
        Ok(Self { group, staged })
    }

    fn copied(&self, client: &Client) -> Result<Self, EngineError> {
        let staged = self.staged.as_ref();
        let staged = staged.map(|(stage, staged)| {
            Ok((*stage, self.group.duplicate_staged(staged).map_err(ours)?))
        });
        Ok(Self {
            group: self.group.duplicate_for(client).map_err(ours)?,
            staged: staged.transpose()?,
        })
    }
}

/// Has a restored group compute what it would have by now if it had been running, so that no timed
/// operation does.
pub(crate) fn warm_up(group: &Group) -> Result<(), EngineError> {
    let suite = group.client().suite(group.cipher_suite()).map_err(ours)?;
    group.tree().tree_hash(suite).map_err(ours)?;
    for (_, leaf) in group.members() {
        leaf.verifying_key(suite).map_err(ours)?;
    }
    Ok(())
}

fn read_identity(client: &Client, reader: &mut Reader<'_>) -> Result<Identity, EngineError> {
    let cipher_suite = read(reader)?;
    let credential = read(reader)?;
    let capabilities = read(reader)?;
    let private: Secret = read(reader)?;
    let suite = client.suite(cipher_suite).map_err(EngineError::storage)?;
    let signer = suite.signing_key(private.as_slice()).map_err(EngineError::storage)?;
    let description = LeafDescription { credential, capabilities, extensions: Extensions::new() };
    Ok(Identity { cipher_suite, signer, description, lifetime: lifetime_now() })
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
struct Writer(Written);

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
            let mut larger = Written::new(Vec::with_capacity(len.next_power_of_two()));
            larger.extend_from_slice(&self.0);
            self.0 = larger;
        }
        self.0.extend_from_slice(bytes);
    }
}
