//! Proposals (section 12.1), what they do to a tree, and PSKs (section 8.4).

use burrow::Result;
use burrow::crypto::expand_with_label;
use crypto_api::{Secret, Suite};

use super::bytes::{opaque, struct_of};
use super::group::Group;
use super::tree::PlacedLeaf;
use crate::own::forge::{Draft, Leaf, extensions};

/// A PreSharedKeyID and its key.
#[derive(Clone)]
pub(in super::super) struct Psk {
    /// All of the PreSharedKeyID but its nonce.
    pub(in super::super) id: Vec<u8>,
    pub(in super::super) nonce: Vec<u8>,
    pub(in super::super) secret: Secret,
}

impl Psk {
    /// An external one.
    pub(in super::super) fn external(id: &[u8], nonce: Vec<u8>, secret: Secret) -> Result<Self> {
        Ok(Self { id: struct_of(&[&[1], &opaque(id)?]), nonce, secret })
    }

    /// One of an epoch of a group: usage 1 is application, 2 reinit, 3 branch.
    pub(in super::super) fn resumption(
        usage: u8,
        (group_id, epoch): (&[u8], u64),
        nonce: Vec<u8>,
        secret: Secret,
    ) -> Result<Self> {
        let id = struct_of(&[&[2, usage], &opaque(group_id)?, &epoch.to_be_bytes()]);
        Ok(Self { id, nonce, secret })
    }

    pub(in super::super) fn encoded(&self) -> Result<Vec<u8>> {
        Ok(struct_of(&[&self.id, &opaque(&self.nonce)?]))
    }
}

/// `psk_secret` (section 8.4), whatever the lengths.
pub(in super::super) fn psk_secret(suite: &dyn Suite, psks: &[Psk]) -> Result<Secret> {
    let zero = Secret::zero(suite.kdf_nh());
    let count = u16::try_from(psks.len()).unwrap_or(u16::MAX);
    let mut psk_secret = zero.clone();
    for (index, psk) in (0..count).zip(psks) {
        let label = struct_of(&[&psk.encoded()?, &index.to_be_bytes(), &count.to_be_bytes()]);
        let extracted = suite.extract(zero.as_slice(), &[psk.secret.as_slice()]);
        let input = expand_with_label(suite, &extracted, b"derived psk", &label, suite.kdf_nh())?;
        psk_secret = suite.extract(input.as_slice(), &[psk_secret.as_slice()]);
    }
    Ok(psk_secret)
}

/// What a proposal asks for.
#[derive(Clone)]
pub(in super::super) enum Change {
    Add(Draft),
    /// Of the member at this leaf.
    Update(u32, Leaf),
    Remove(u32),
    Psk(Psk),
    /// The body, encoded.
    ReInit(Vec<u8>),
    ExternalInit(Vec<u8>),
    Extensions(Vec<(u16, Vec<u8>)>),
    /// A whole proposal that does nothing.
    Raw(Vec<u8>),
}

impl Change {
    /// `Proposal`.
    pub(in super::super) fn encoded(&self, suite: &dyn Suite) -> Result<Vec<u8>> {
        let (number, body) = match self {
            Self::Add(draft) => (1_u16, draft.encoded(suite)?),
            Self::Update(_, leaf) => (2, leaf.encoded(suite)?),
            Self::Remove(leaf) => (3, leaf.to_be_bytes().to_vec()),
            Self::Psk(psk) => (4, psk.encoded()?),
            Self::ReInit(body) => (5, body.clone()),
            Self::ExternalInit(kem_output) => (6, opaque(kem_output)?),
            Self::Extensions(list) => {
                let mut body = Vec::new();
                extensions(list, &mut body)?;
                (7, body)
            }
            Self::Raw(proposal) => return Ok(proposal.clone()),
        };
        Ok([number.to_be_bytes().to_vec(), body].concat())
    }
}

/// An entry of a commit's list.
#[derive(Clone)]
pub(in super::super) struct Entry {
    pub(in super::super) change: Change,
    /// Its ProposalRef, if it is by reference.
    pub(in super::super) reference: Option<Vec<u8>>,
}

impl Entry {
    /// `ProposalOrRef`.
    pub(in super::super) fn encoded(&self, suite: &dyn Suite) -> Result<Vec<u8>> {
        match &self.reference {
            Some(reference) => Ok(struct_of(&[&[2], &opaque(reference)?])),
            None => Ok(struct_of(&[&[1], &self.change.encoded(suite)?])),
        }
    }
}

/// What a list has brought in.
#[derive(Default)]
pub(in super::super) struct Applied {
    pub(in super::super) added: Vec<(u32, Draft)>,
    pub(in super::super) psks: Vec<Psk>,
}

/// Applies a list in the order of section 12.3, whatever it asks for.
pub(in super::super) fn apply(group: &mut Group<'_>, entries: &[Entry]) -> Result<Applied> {
    let mut applied = Applied::default();
    let changes = || entries.iter().map(|entry| &entry.change);
    for change in changes() {
        match change {
            Change::Extensions(list) => group.extensions.clone_from(list),
            Change::Update(leaf, draft) => {
                group.tree.update(*leaf, PlacedLeaf::new(draft.clone(), group.suite)?);
                group.signers.insert(*leaf, draft.signer.clone());
            }
            _ => {}
        }
    }
    for change in changes() {
        if let Change::Remove(leaf) = change
            && group.tree.leaf(*leaf).is_some()
        {
            group.tree.remove(*leaf);
            group.signers.remove(leaf);
        }
    }
    for change in changes() {
        match change {
            Change::Add(draft) => {
                let leaf = group.tree.add(PlacedLeaf::new(draft.leaf.clone(), group.suite)?);
                group.signers.insert(leaf, draft.signer.clone());
                applied.added.push((leaf, draft.clone()));
            }
            Change::Psk(psk) => applied.psks.push(psk.clone()),
            _ => {}
        }
    }
    Ok(applied)
}
