//! Proposals, each by itself: checked when they come in, and kept until their epoch ends.

use std::collections::HashMap;

use crypto_api::Suite;

use super::{Application, app_data, rules};
use crate::{
    Error, PeerError, Result,
    crypto::HashReference,
    framing::{Content, Sender, VerifiedContent},
    tree::RatchetTree,
    types::{
        AppDataUpdate, CustomProposal, Extensions, GroupContext, KeyPackage, LeafIndex,
        LeafNodeUse, PreSharedKeyId, Proposal, ProposalOrRef, ProposalType, ReInit,
        VerifiedKeyPackage, VerifiedLeafNode,
    },
};

/// The epoch that proposals are for, as everybody knows it who may commit: a member, or one who
/// joins from outside.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) suite: &'a dyn Suite,
    pub(super) application: &'a dyn Application,
    pub(super) context: &'a GroupContext,
    pub(super) tree: &'a RatchetTree,
}

/// A proposal that is valid by itself (section 12.1).
#[derive(Debug, Clone)]
pub(super) enum Checked {
    Add(VerifiedKeyPackage),
    Update(LeafIndex, VerifiedLeafNode),
    Remove(LeafIndex),
    Psk(PreSharedKeyId),
    ReInit(ReInit),
    ExternalInit(Vec<u8>),
    Extensions(Extensions),
    AppDataUpdate(AppDataUpdate),
    SelfRemove(LeafIndex),
    Custom(Sender, CustomProposal),
}

impl Checked {
    /// Its type, if not every client has it.
    pub(super) fn special_type(&self) -> Option<ProposalType> {
        match self {
            Self::AppDataUpdate(_) => Some(ProposalType::APP_DATA_UPDATE),
            Self::SelfRemove(_) => Some(ProposalType::SELF_REMOVE),
            Self::Custom(_, custom) => Some(custom.proposal_type),
            _ => None,
        }
    }
}

/// An entry of a commit's list.
#[derive(Debug, Clone)]
pub(super) struct Listed {
    pub(super) checked: Checked,
    pub(super) by_reference: bool,
    pub(super) is_path_required: bool,
}

impl View<'_> {
    /// Whether a commit of the proposal needs a path (sections 12.4 and 17.4).
    fn is_path_required(&self, proposal: &Proposal) -> bool {
        match proposal {
            Proposal::Custom(custom) => self.application.is_path_required(custom.proposal_type),
            other => other.is_path_required(),
        }
    }

    /// Checks proposals by themselves, the signatures of all key packages in one batch.
    pub(super) fn check_all(&self, proposals: Vec<(Proposal, Sender)>) -> Result<Vec<Checked>> {
        let mut key_packages = Vec::new();
        let mut others = Vec::with_capacity(proposals.len());
        for (proposal, sender) in proposals {
            if !self.application.may_propose(sender, &proposal) {
                return Err(Error::invalid("12.2: the application rejects a proposal"));
            }
            others.push(match proposal {
                Proposal::Add(key_package) => {
                    key_packages.push(*key_package);
                    None
                }
                other => Some(self.check_other(other, sender)?),
            });
        }
        let mut key_packages = self.check_key_packages(key_packages)?.into_iter();
        let checked =
            others.into_iter().map(|other| other.or_else(|| key_packages.next().map(Checked::Add)));
        let checked: Option<Vec<_>> = checked.collect();
        checked.ok_or(Error::Internal("a key package was lost"))
    }

    fn check_key_packages(&self, packages: Vec<KeyPackage>) -> Result<Vec<VerifiedKeyPackage>> {
        let verified = KeyPackage::verify_batch(self.suite, packages)?;
        for key_package in &verified {
            rules::check_leaf_lifetime(self.application, &key_package.leaf_node)?;
            rules::check_credential(self.application, &key_package.leaf_node)?;
        }
        Ok(verified)
    }

    fn check_other(&self, proposal: Proposal, sender: Sender) -> Result<Checked> {
        Ok(match proposal {
            Proposal::Add(_) => return Err(Error::Internal("an Add among others")),
            Proposal::Update(leaf_node) => {
                let Sender::Member(leaf) = sender else {
                    return Err(Error::invalid("12.1.2: an Update that no member sends"));
                };
                let old = self.tree.leaf(leaf).ok_or(SENDER_IS_BLANK)?;
                let group_id = &self.context.group_id;
                let verified = leaf_node.verify(self.suite, LeafNodeUse::Update, group_id, leaf)?;
                rules::check_replacement(self.application, old, &verified)?;
                Checked::Update(leaf, verified)
            }
            Proposal::Remove(leaf) => {
                if self.tree.leaf(leaf).is_none() {
                    return Err(Error::invalid("12.1.3: removed is not a non-blank leaf"));
                }
                Checked::Remove(leaf)
            }
            Proposal::PreSharedKey(psk) => {
                if psk.psk_nonce.len() != self.suite.kdf_nh() {
                    return Err(Error::invalid("12.1.4: a psk_nonce is not KDF.Nh bytes long"));
                }
                Checked::Psk(psk)
            }
            Proposal::ReInit(reinit) => {
                if reinit.version < self.context.version {
                    return Err(Error::invalid("12.1.5: a ReInit to a version before the group's"));
                }
                Checked::ReInit(reinit)
            }
            Proposal::ExternalInit(kem_output) => Checked::ExternalInit(kem_output),
            Proposal::GroupContextExtensions(extensions) => {
                rules::check_group_extensions(self.application, &extensions)?;
                Checked::Extensions(extensions)
            }
            Proposal::AppDataUpdate(update) => {
                app_data::check(self, &update)?;
                Checked::AppDataUpdate(update)
            }
            Proposal::Custom(custom) => {
                if !custom.proposal_type.is_private() {
                    return Err(Error::invalid("17.4: a custom proposal of a registered type"));
                }
                Checked::Custom(sender, custom)
            }
            Proposal::SelfRemove => match sender {
                Sender::Member(leaf) => Checked::SelfRemove(leaf),
                _ => return Err(Error::invalid("a SelfRemove that no member sends")),
            },
        })
    }
}

const SENDER_IS_BLANK: Error = Error::Peer(PeerError::Invalid("6.1: the sender's leaf is blank"));

/// A proposal of the current epoch.
#[derive(Debug, Clone)]
pub(super) struct CachedProposal {
    pub(super) reference: HashReference,
    /// As it was sent, to be stored.
    pub(super) content: VerifiedContent,
    checked: Checked,
}

impl CachedProposal {
    pub(super) fn new(
        suite: &dyn Suite,
        content: VerifiedContent,
        checked: Checked,
    ) -> Result<Self> {
        Ok(Self { reference: content.proposal_ref(suite)?, content, checked })
    }

    pub(super) fn proposal(&self) -> Option<&Proposal> {
        match self.content.content() {
            Content::Proposal(proposal) => Some(proposal),
            Content::Application(_) | Content::Commit(_) => None,
        }
    }

    pub(super) fn checked(&self) -> &Checked {
        &self.checked
    }

    fn listed(&self, view: &View<'_>) -> Listed {
        Listed {
            checked: self.checked.clone(),
            by_reference: true,
            is_path_required: self
                .proposal()
                .is_none_or(|proposal| view.is_path_required(proposal)),
        }
    }
}

/// The proposals of the current epoch, in the order they came in.
#[derive(Debug, Clone, Default)]
pub(super) struct ProposalCache {
    proposals: Vec<CachedProposal>,
    places: HashMap<Vec<u8>, usize>,
}

impl ProposalCache {
    pub(super) fn contains(&self, reference: &HashReference) -> bool {
        self.places.contains_key(reference.as_slice())
    }

    pub(super) fn insert(&mut self, proposal: CachedProposal) {
        let reference = proposal.reference.as_slice().to_vec();
        if !self.places.contains_key(&reference) {
            self.places.insert(reference, self.proposals.len());
            self.proposals.push(proposal);
        }
    }

    /// Takes one out; whether it was there.
    pub(super) fn remove(&mut self, reference: &[u8]) -> bool {
        let Some(place) = self.places.get(reference).copied() else {
            return false;
        };
        let mut kept = std::mem::take(self).proposals;
        kept.remove(place);
        kept.into_iter().for_each(|proposal| self.insert(proposal));
        true
    }

    pub(super) fn is_empty(&self) -> bool {
        self.proposals.is_empty()
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, CachedProposal> {
        self.proposals.iter()
    }

    pub(super) fn get(&self, reference: &[u8]) -> Option<&CachedProposal> {
        self.proposals.get(*self.places.get(reference)?)
    }

    /// The list of a commit of `sender`.
    pub(super) fn list(
        &self,
        view: &View<'_>,
        entries: Vec<ProposalOrRef>,
        sender: Sender,
    ) -> Result<Vec<Listed>> {
        let mut by_value = Vec::new();
        let mut list = Vec::with_capacity(entries.len());
        for entry in entries {
            list.push(match entry {
                ProposalOrRef::Reference(reference) => {
                    let cached = self.get(&reference).ok_or(PeerError::UnknownProposal)?;
                    Ok(cached.listed(view))
                }
                ProposalOrRef::Proposal(proposal) => {
                    let is_path_required = view.is_path_required(&proposal);
                    by_value.push((check_by_value(proposal)?, sender));
                    Err(is_path_required)
                }
            });
        }
        let mut checked = view.check_all(by_value)?.into_iter();
        let list = list.into_iter().map(|entry| match entry {
            Ok(listed) => Some(listed),
            Err(is_path_required) => {
                Some(Listed { checked: checked.next()?, by_reference: false, is_path_required })
            }
        });
        let list: Option<Vec<_>> = list.collect();
        list.ok_or(Error::Internal("a proposal was lost"))
    }
}

/// What is never by value, whatever it says.
fn check_by_value(proposal: Proposal) -> Result<Proposal> {
    match proposal {
        Proposal::Update(_) => Err(Error::invalid("12.2: an Update of the committer's")),
        Proposal::SelfRemove => Err(Error::invalid("a SelfRemove that is not by reference")),
        other => Ok(other),
    }
}
