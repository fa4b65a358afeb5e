//! What is left of an epoch once it is over: what opens its late application messages.

use std::collections::{BTreeMap, BTreeSet};

use crypto_api::{Suite, VerifyingKey};

use super::{
    Member,
    state::{Parts, Restoring},
};
use crate::{
    Error, PeerError, Result,
    codec::DecodeError,
    codec_struct,
    crypto::SignaturePublicKey,
    framing::SenderKeys,
    schedule::{SecretTree, SenderDataSecret},
    tree::RatchetTree,
    types::{Credential, LeafIndex},
};

/// An epoch that is over.
#[derive(Debug)]
pub(super) struct PastEpoch {
    pub(super) epoch: u64,
    pub(super) encoded_context: Vec<u8>,
    pub(super) own_leaf: LeafIndex,
    pub(super) members: PastMembers,
    pub(super) sender_data_secret: SenderDataSecret,
    pub(super) secret_tree: SecretTree,
}

/// Who was a member, so that a leaf which has a new owner isn't taken for the old one: a tree, with
/// the members at some leaves replaced. Until a group comes back from storage the tree is that of the
/// epoch, which shares with the current one whatever hasn't changed since.
#[derive(Debug, Clone)]
pub(super) struct PastMembers {
    tree: RatchetTree,
    /// Nobody was there.
    absent: BTreeSet<LeafIndex>,
    /// Somebody else was there.
    others: BTreeMap<LeafIndex, PastMember>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PastMember {
    signature_key: SignaturePublicKey,
    credential: Credential,
}
codec_struct!(PastMember { signature_key, credential });

#[derive(Debug)]
struct PlacedMember {
    leaf: LeafIndex,
    member: PastMember,
}
codec_struct!(PlacedMember { leaf, member });

impl PastEpoch {
    /// What is to be stored, beside the current tree.
    pub(super) fn parts<'a>(&'a self, current: &RatchetTree, parts: &mut Parts<'a>) {
        let (absent, others) = self.members.differences(current);
        parts.push(Box::new(self.epoch));
        parts.push(Box::new(&self.encoded_context));
        parts.push(Box::new(self.own_leaf));
        parts.push(Box::new(absent));
        parts.push(Box::new(others));
        parts.push(Box::new(&self.sender_data_secret));
        parts.push(Box::new(&self.secret_tree));
    }

    pub(super) fn restore(restoring: &mut Restoring<'_>, current: &RatchetTree) -> Result<Self> {
        let epoch = restoring.reader.read()?;
        let encoded_context = restoring.reader.read()?;
        let own_leaf = restoring.reader.read()?;
        let absent: Vec<LeafIndex> = restoring.reader.read()?;
        let others: Vec<PlacedMember> = restoring.reader.read()?;
        let is_sorted = absent.is_sorted_by(|one, next| one < next)
            && others.is_sorted_by(|one, next| one.leaf < next.leaf);
        if !is_sorted {
            return Err(DecodeError::InvalidValue("stored members of a past epoch").into());
        }
        Ok(Self {
            epoch,
            encoded_context,
            own_leaf,
            members: PastMembers {
                tree: current.clone(),
                absent: absent.into_iter().collect(),
                others: others.into_iter().map(|other| (other.leaf, other.member)).collect(),
            },
            sender_data_secret: restoring.reader.read()?,
            secret_tree: restoring.secret_tree(epoch, own_leaf)?,
        })
    }
}

impl PastMembers {
    /// The members of this tree.
    pub(super) fn of(tree: RatchetTree) -> Self {
        Self { tree, absent: BTreeSet::new(), others: BTreeMap::new() }
    }

    pub(super) fn senders<'a>(&'a self, suite: &'a dyn Suite) -> PastSenders<'a> {
        PastSenders { suite, members: self }
    }

    pub(super) fn get(&self, leaf: LeafIndex) -> Option<Member<'_>> {
        match self.others.get(&leaf) {
            Some(PastMember { signature_key, credential }) => {
                Some(Member { signature_key, credential })
            }
            None if self.absent.contains(&leaf) => None,
            None => self.tree.leaf(leaf).map(Member::from),
        }
    }

    /// Where the current tree has another member or one too many: the rest need not be stored.
    fn differences(&self, current: &RatchetTree) -> (Vec<LeafIndex>, Vec<PlacedMember>) {
        let is_new = |leaf: &LeafIndex| self.get(*leaf).is_none();
        let absent = current.members().map(|(leaf, _)| leaf).filter(is_new).collect();
        let from_tree = self.tree.members().map(|(leaf, _)| leaf);
        let leaves: BTreeSet<_> = from_tree.chain(self.others.keys().copied()).collect();
        let others = leaves.into_iter().filter_map(|leaf| {
            let member = self.get(leaf)?;
            let is_same = current.leaf(leaf).map(Member::from) == Some(member);
            (!is_same).then(|| PlacedMember { leaf, member: member.into() })
        });
        (absent, others.collect())
    }
}

impl From<Member<'_>> for PastMember {
    fn from(member: Member<'_>) -> Self {
        Self { signature_key: member.signature_key.clone(), credential: member.credential.clone() }
    }
}

/// Who may have sent in a past epoch. Nobody from outside sends into one.
pub(super) struct PastSenders<'a> {
    suite: &'a dyn Suite,
    members: &'a PastMembers,
}

impl SenderKeys for PastSenders<'_> {
    fn member(&self, leaf_index: LeafIndex) -> Result<Option<VerifyingKey>> {
        let members = self.members;
        if let Some(other) = members.others.get(&leaf_index) {
            let key = self.suite.verifying_key(other.signature_key.as_slice());
            return key.map(Some).map_err(Error::of_peer(PeerError::BadKey));
        }
        let leaf = members.tree.leaf(leaf_index);
        let leaf = leaf.filter(|_| !members.absent.contains(&leaf_index));
        leaf.map(|leaf| leaf.verifying_key(self.suite).cloned()).transpose()
    }

    fn external(&self, _: u32) -> Result<Option<VerifyingKey>> {
        Ok(None)
    }
}
