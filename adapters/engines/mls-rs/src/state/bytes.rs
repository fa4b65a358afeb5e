//! A whole client as bytes: length-prefixed fields, then a digest over them.
//!
//! The digest means that damaged bytes are refused before mls-rs decodes any of them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use engine_api::{Declared, EngineError, GroupId, SnapshotBytes};
use mls_rs::CipherSuiteProvider;
use mls_rs::group::CommitSecrets;
use mls_rs::mls_rs_codec::{MlsDecode, MlsEncode};
use mls_rs_core::key_package::KeyPackageData;
use zeroize::Zeroizing;

use super::{
    GroupStore, Held, KeyPackages, Keys, Outbox, Secret, Staged, Told, Written, lock,
    random_number, suite,
};
use crate::client::MlsRs;
use crate::describe::Backend;

const FORMAT: &[u8] = b"adapter-mls-rs client 3";

impl<B: Backend> MlsRs<B> {
    /// The client as bytes.
    pub(crate) fn to_bytes(&self) -> Result<SnapshotBytes, EngineError> {
        let mut out = Writer::default();
        out.bytes(FORMAT)?;
        out.bytes(B::NAME.as_bytes())?;
        out.bytes(self.keys.identity().as_slice())?;
        out.bytes(self.keys.signing.signature_key.as_bytes())?;
        out.bytes(self.keys.secret.as_bytes())?;
        self.told.write(&mut out)?;
        self.key_packages.write(&mut out)?;
        out.number(self.groups.len() as u64);
        for (group, held) in &self.groups {
            out.bytes(group.as_slice())?;
            let mut held = held.borrow_mut();
            held.write(&self.outbox)?.write(&mut out)?;
            write_staged(held.staged.as_ref(), &mut out)?;
        }
        let digest = digest::<B>(&out.0)?;
        out.put(&digest);
        Ok(SnapshotBytes::new(std::mem::take(&mut *out.0)))
    }

    /// The client that [`to_bytes`](Self::to_bytes) made the bytes of.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, EngineError> {
        let mut reader = Reader(undamaged::<B>(bytes)?);
        if reader.bytes()? != FORMAT || reader.bytes()? != B::NAME.as_bytes() {
            return Err(EngineError::storage("not a client of this engine"));
        }
        let identity = reader.bytes()?.to_vec();
        let public = reader.bytes()?.to_vec().into();
        let keys = Keys::new(identity, public, reader.bytes()?.to_vec().into());
        let told = Told::read(&mut reader)?;
        let key_packages = KeyPackages::read(&mut reader)?;
        let outbox = Outbox::default();
        let mut groups = BTreeMap::new();
        for _ in 0..reader.number()? {
            let id = GroupId::new(reader.bytes()?.to_vec());
            let store = GroupStore::holding(Written::read(&mut reader)?, &outbox);
            let client = keys.client::<B>(&key_packages, store, &told);
            let group = client.load_group(id.as_slice()).map_err(EngineError::storage)?;
            let staged = read_staged(&mut reader)?;
            groups.insert(id, RefCell::new(Held::new(group, staged)));
        }
        reader.end()?;
        Ok(Self {
            client: keys.client(&key_packages, GroupStore::new(&outbox), &told),
            told,
            keys,
            key_packages,
            outbox,
            groups,
            stages: random_number::<B>()?,
        })
    }
}

impl Told {
    fn write(&self, out: &mut Writer) -> Result<(), EngineError> {
        out.number(u64::from(u16::from(self.suite)));
        for list in [&self.declared.extensions, &self.declared.proposals] {
            out.number(list.len() as u64);
            list.iter().for_each(|number| out.number(u64::from(*number)));
        }
        let psks = self.psks.all();
        out.number(psks.len() as u64);
        for (id, psk) in &psks {
            out.bytes(id)?;
            out.bytes(psk)?;
        }
        Ok(())
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, EngineError> {
        let told = Self {
            suite: reader.short()?.into(),
            declared: Declared { extensions: reader.shorts()?, proposals: reader.shorts()? },
            ..Self::default()
        };
        for _ in 0..reader.number()? {
            let id = reader.bytes()?;
            told.psks.keep(id, reader.bytes()?);
        }
        Ok(told)
    }
}

impl KeyPackages {
    fn write(&self, out: &mut Writer) -> Result<(), EngineError> {
        let held = lock(&self.0);
        out.number(held.len() as u64);
        for (reference, data) in held.iter() {
            out.bytes(reference)?;
            let data = data.mls_encode_to_vec().map_err(EngineError::internal)?;
            out.bytes(&Zeroizing::new(data))?;
        }
        Ok(())
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, EngineError> {
        let this = Self::default();
        for _ in 0..reader.number()? {
            let reference = reader.bytes()?.to_vec();
            let data = KeyPackageData::mls_decode_exhaustive(reader.bytes()?);
            lock(&this.0).insert(reference, data.map_err(EngineError::storage)?);
        }
        Ok(this)
    }
}

impl Written {
    fn write(&self, out: &mut Writer) -> Result<(), EngineError> {
        out.bytes(&self.state)?;
        out.number(self.past.len() as u64);
        for (epoch, bytes) in &self.past {
            out.number(*epoch);
            out.bytes(bytes)?;
        }
        Ok(())
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, EngineError> {
        let state = Secret::new(reader.bytes()?.to_vec());
        let mut past = BTreeMap::new();
        for _ in 0..reader.number()? {
            let epoch = reader.number()?;
            past.insert(epoch, Arc::new(Secret::new(reader.bytes()?.to_vec())));
        }
        Ok(Self { state, past, inserted: Vec::new(), updated: Vec::new() })
    }
}

/// The number of staged commits, none or one, and the commit.
fn write_staged(staged: Option<&Staged>, out: &mut Writer) -> Result<(), EngineError> {
    out.number(u64::from(staged.is_some()));
    if let Some(Staged { stage, secrets }) = staged {
        out.number(*stage);
        let secrets = secrets.to_bytes().map_err(EngineError::internal)?;
        out.bytes(&Zeroizing::new(secrets))?;
    }
    Ok(())
}

fn read_staged(reader: &mut Reader<'_>) -> Result<Option<Staged>, EngineError> {
    match reader.number()? {
        0 => Ok(None),
        1 => Ok(Some(Staged {
            stage: reader.number()?,
            secrets: CommitSecrets::from_bytes(reader.bytes()?).map_err(EngineError::storage)?,
        })),
        _ => Err(EngineError::storage("more than one staged commit")),
    }
}

/// What stands before the digest, if the digest is right.
pub(crate) fn undamaged<B: Backend>(bytes: &[u8]) -> Result<&[u8], EngineError> {
    let len = digest::<B>(&[])?.len();
    let split = bytes.len().checked_sub(len);
    let fields = split.and_then(|split| bytes.split_at_checked(split));
    match fields {
        Some((fields, found)) if digest::<B>(fields)? == found => Ok(fields),
        _ => Err(EngineError::storage("damaged, or no client at all")),
    }
}

pub(crate) fn digest<B: Backend>(fields: &[u8]) -> Result<Vec<u8>, EngineError> {
    let digest = suite::<B>()?.hash(fields);
    digest.map_err(|why| EngineError::internal(format_args!("{why:?}")))
}

#[derive(Default)]
pub(crate) struct Writer(pub(crate) Secret);

impl Writer {
    pub(crate) fn number(&mut self, number: u64) {
        self.put(&number.to_be_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), EngineError> {
        let len = u32::try_from(bytes.len()).map_err(EngineError::storage)?;
        self.put(&len.to_be_bytes());
        self.put(bytes);
        Ok(())
    }

    /// A `Vec` that grows leaves its old buffer behind as it is; here it is wiped.
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        let len = self.0.len() + bytes.len();
        if len > self.0.capacity() {
            let mut larger = Secret::new(Vec::with_capacity(len.next_power_of_two()));
            larger.extend_from_slice(&self.0);
            self.0 = larger;
        }
        self.0.extend_from_slice(bytes);
    }
}

pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn number(&mut self) -> Result<u64, EngineError> {
        self.array().map(u64::from_be_bytes)
    }

    fn short(&mut self) -> Result<u16, EngineError> {
        u16::try_from(self.number()?).map_err(EngineError::storage)
    }

    fn shorts(&mut self) -> Result<Vec<u16>, EngineError> {
        let mut numbers = Vec::new();
        for _ in 0..self.number()? {
            numbers.push(self.short()?);
        }
        Ok(numbers)
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], EngineError> {
        let len = self.array().map(u32::from_be_bytes)?;
        let len = usize::try_from(len).map_err(EngineError::storage)?;
        let (bytes, rest) = self.0.split_at_checked(len).ok_or_else(truncated)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], EngineError> {
        let (array, rest) = self.0.split_first_chunk().ok_or_else(truncated)?;
        self.0 = rest;
        Ok(*array)
    }

    pub(crate) fn end(self) -> Result<(), EngineError> {
        if self.0.is_empty() { Ok(()) } else { Err(EngineError::storage("bytes left over")) }
    }
}

fn truncated() -> EngineError {
    EngineError::storage("truncated")
}
