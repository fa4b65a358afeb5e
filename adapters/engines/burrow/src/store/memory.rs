//! The store in memory.

use std::collections::BTreeMap;

use burrow::codec::Reader;
use engine_api::{EngineError, GroupId, Layer};

use super::{Contents, Entry, Kept, Secrets, Store};

#[derive(Clone, Default)]
pub(crate) struct Memory {
    identity: Secrets,
    key_packages: BTreeMap<Vec<u8>, Secrets>,
    groups: BTreeMap<GroupId, Written>,
}

#[derive(Clone, Default)]
struct Written {
    group: Secrets,
    /// One record after the other.
    uses: Vec<u8>,
    staged: Option<(u64, Secrets)>,
}

impl Store for Memory {
    const LAYER: Layer = Layer::Memory;
    const STORAGE: &'static str = "memory (maps of the adapter's; groups as Group::write has them)";

    fn open() -> Result<Self, EngineError> {
        Ok(Self::default())
    }

    fn copied(&self) -> Result<Self, EngineError> {
        Ok(self.clone())
    }

    fn keep(&mut self, entries: &[Entry]) -> Result<(), EngineError> {
        for entry in entries {
            self.keep_one(entry);
        }
        Ok(())
    }

    fn contents(&self) -> Result<Contents, EngineError> {
        let kept = |(id, written): (&GroupId, &Written)| {
            let mut uses = Vec::new();
            let mut reader = Reader::new(&written.uses);
            while !reader.is_empty() {
                uses.push(reader.read().map_err(EngineError::storage)?);
            }
            let Written { group, staged, .. } = written.clone();
            Ok(Kept { id: id.clone(), group, uses, staged })
        };
        let key_packages = self.key_packages.iter();
        Ok(Contents {
            identity: self.identity.clone(),
            key_packages: key_packages.map(|(id, secrets)| (id.clone(), secrets.clone())).collect(),
            groups: self.groups.iter().map(kept).collect::<Result<_, EngineError>>()?,
        })
    }
}

impl Memory {
    fn keep_one(&mut self, entry: &Entry) {
        match entry {
            Entry::Identity(secrets) => self.identity = secrets.clone(),
            Entry::KeyPackage(reference, secrets) => {
                self.key_packages.insert(reference.clone(), secrets.clone());
            }
            Entry::KeyPackageUsed(reference) => drop(self.key_packages.remove(reference)),
            Entry::Group(id, group) => {
                let written = Written { group: group.clone(), ..Written::default() };
                self.groups.insert(id.clone(), written);
            }
            Entry::KeyUse(id, record) => {
                self.groups.entry(id.clone()).or_default().uses.extend_from_slice(record);
            }
            Entry::Staged(id, stage, commit) => {
                self.groups.entry(id.clone()).or_default().staged = Some((*stage, commit.clone()));
            }
            Entry::Unstaged(id) => self.groups.entry(id.clone()).or_default().staged = None,
            Entry::Left(id) => drop(self.groups.remove(id)),
        }
    }
}
