//! Committing (section 12.4.1).

use crypto_api::Suite;

use super::{
    Group, Identity, KeyUse,
    draft::{Draft, Made, PathDraft},
    proposal_list::{Applied, Committer, apply},
    psks::{KnownPsks, fresh_id},
    rules,
    selection::{best_of, select},
    transition::{Changes, Transition},
    welcome::{GroupInfoDraft, welcome},
};
use crate::{
    CallerError, Error, PeerError, Result,
    codec::Encode,
    framing::{MlsMessage, Sender},
    schedule::PskSecret,
    tree::{LeafDescription, NewPath},
    types::{
        Extensions, KeyPackage, LeafIndex, Proposal, ProposalOrRef, Psk, ReInit, ResumptionPskUsage,
    },
};

/// What to commit. By default: all proposals of the epoch that can go together, and a path.
#[derive(Debug)]
#[must_use = "nothing is committed before it is staged"]
pub struct CommitBuilder<'a> {
    group: &'a mut Group,
    by_value: Vec<Proposal>,
    psks: Vec<Psk>,
    references: References,
    is_path_wanted: bool,
    identity: Option<Identity>,
    authenticated_data: Vec<u8>,
    is_group_info_wanted: bool,
    successor: Option<(ResumptionPskUsage, &'a Group)>,
}

#[derive(Debug)]
enum References {
    All,
    These(Vec<Vec<u8>>),
}

/// What is to be sent when a commit is.
#[derive(Debug, Clone)]
pub struct CommitMessages {
    /// The commit: an encoded MLSMessage.
    pub message: Vec<u8>,
    /// The Welcome for the members that it adds: an encoded MLSMessage. Send it when the commit has
    /// been accepted.
    pub welcome: Option<Vec<u8>>,
    /// The tree that goes with the Welcome, if it isn't inside: an encoded ratchet_tree.
    pub ratchet_tree: Option<Vec<u8>>,
    /// The new epoch's GroupInfo, if it was asked for: an encoded MLSMessage.
    pub group_info: Option<Vec<u8>>,
    /// The key that the commit is encrypted with, if it is: to be stored before it is sent.
    pub key_use: Option<KeyUse>,
}

/// A list that can be committed.
struct Plan {
    entries: Vec<ProposalOrRef>,
    applied: Applied,
    psk_secret: PskSecret,
}

/// A commit of ours that hasn't been accepted yet. Merge it when it has been, drop it when another
/// one was.
#[derive(Debug)]
#[must_use = "a staged commit changes nothing before it is merged"]
pub struct StagedCommit {
    /// What is to be sent.
    pub messages: CommitMessages,
    pub(super) transition: Transition,
}

impl StagedCommit {
    /// What it changes.
    #[must_use]
    pub fn changes(&self) -> &Changes {
        &self.transition.changes
    }
}

impl Group {
    /// A commit to be made.
    pub fn commit(&mut self) -> CommitBuilder<'_> {
        CommitBuilder {
            group: self,
            by_value: Vec::new(),
            psks: Vec::new(),
            references: References::All,
            is_path_wanted: true,
            identity: None,
            authenticated_data: Vec::new(),
            is_group_info_wanted: false,
            successor: None,
        }
    }

    /// Enters the epoch that a commit of ours starts.
    ///
    /// # Errors
    ///
    /// [`CallerError::Outdated`] if the epoch has changed since it was staged.
    pub fn merge(&mut self, staged: StagedCommit) -> Result<()> {
        self.check_base(&staged.transition)?;
        self.enter(staged.transition);
        Ok(())
    }
}

impl<'a> CommitBuilder<'a> {
    /// Adds the owner of a key package.
    pub fn add_member(mut self, key_package: KeyPackage) -> Self {
        self.by_value.push(Proposal::Add(Box::new(key_package)));
        self
    }

    /// Removes a member.
    pub fn remove_member(mut self, leaf: LeafIndex) -> Self {
        self.by_value.push(Proposal::Remove(leaf));
        self
    }

    /// Puts a pre-shared key into the new epoch.
    pub fn psk(mut self, psk: Psk) -> Self {
        self.psks.push(psk);
        self
    }

    /// Replaces the extensions of the GroupContext, all of them.
    pub fn group_context_extensions(mut self, extensions: Extensions) -> Self {
        let proposal = Proposal::GroupContextExtensions(extensions);
        self.by_value.push(proposal);
        self
    }

    /// Ends the group in favour of another one (section 11.2).
    pub fn reinit(mut self, reinit: ReInit) -> Self {
        self.by_value.push(Proposal::ReInit(reinit));
        self
    }

    /// Any proposal, by value.
    pub fn proposal(mut self, proposal: Proposal) -> Self {
        self.by_value.push(proposal);
        self
    }

    /// Commits, of the proposals of the epoch, those with these references and no others.
    pub fn only(mut self, references: Vec<Vec<u8>>) -> Self {
        self.references = References::These(references);
        self
    }

    /// Leaves the path out if the proposals allow it: cheaper, and without fresh secrets of the
    /// committer's.
    pub fn without_path(mut self) -> Self {
        self.is_path_wanted = false;
        self
    }

    /// Gives the committer's new leaf another signature key, credential or capabilities.
    pub fn identity(mut self, identity: Identity) -> Self {
        self.identity = Some(identity);
        self
    }

    /// Data that goes with the commit unencrypted.
    pub fn authenticated_data(mut self, authenticated_data: Vec<u8>) -> Self {
        self.authenticated_data = authenticated_data;
        self
    }

    /// Makes the GroupInfo of the new epoch, too, for external joiners.
    pub fn group_info(mut self) -> Self {
        self.is_group_info_wanted = true;
        self
    }

    /// For the first commit of a group that comes from another one.
    pub(super) fn successor_of(mut self, usage: ResumptionPskUsage, origin: &'a Group) -> Self {
        self.psks.push(Psk::Resumption {
            usage,
            psk_group_id: origin.group_id().to_vec(),
            psk_epoch: origin.epoch(),
        });
        self.successor = Some((usage, origin));
        self
    }

    /// Makes the commit. The group stays in its epoch, and the same as it was but for one thing: if
    /// the commit is encrypted, its key is used up, so that no other message can have it.
    ///
    /// # Errors
    ///
    /// [`CallerError`] if the proposals can't be committed together, or not by this member.
    pub fn stage(mut self) -> Result<StagedCommit> {
        self.group.check_active()?;
        let client = self.group.client.clone();
        let suite = client.suite(self.group.cipher_suite())?;
        let mut plan = self.plan(suite)?;
        let applied = &plan.applied;
        let has_path = self.is_path_wanted || applied.is_path_required || self.identity.is_some();
        let made = self.make(suite, &mut plan, has_path)?;
        let Plan { applied, psk_secret, .. } = plan;
        let mut messages = self.joiner_messages(&applied, &made, &psk_secret)?;
        let changes = Changes::new(&applied, self.group.own_leaf(), has_path);
        let keys = match made.path {
            Some(path) => path.into_private_keys(),
            None => {
                let mut keys = self.group.epoch.keys.clone();
                keys.retain(&applied.tree);
                keys
            }
        };
        let limits = client.config().ratchet_limits;
        let scheduled = made.scheduled;
        let next = scheduled.into_epoch(suite, applied.tree, keys, limits)?;
        let wire_format = client.config().handshake_format.into();
        let sent = self.group.protect(suite, made.signed, wire_format)?;
        messages.message = sent.protected.message;
        messages.key_use = sent.key_use;
        Ok(StagedCommit {
            messages,
            transition: Transition {
                base: self.group.epoch.interim_transcript_hash,
                next: Some(next),
                signer: self.identity.map(|new| new.signer),
                changes,
            },
        })
    }

    /// Chooses the commit's list: what was proposed before, then what is proposed by it. If nobody
    /// said which, whatever can't be committed is left out, so that no member can block all commits
    /// by proposing something that is valid by itself and nowhere else. The search has an end, after
    /// which it may leave out more than it has to ([`best_of`]).
    fn plan(&mut self, suite: &dyn Suite) -> Result<Plan> {
        let mut by_value = std::mem::take(&mut self.by_value);
        for psk in std::mem::take(&mut self.psks) {
            by_value.push(Proposal::PreSharedKey(fresh_id(suite, psk)?));
        }
        let candidates = match std::mem::replace(&mut self.references, References::All) {
            References::These(references) => return self.try_list(suite, &references, &by_value),
            References::All => select(self.group, &by_value),
        };
        best_of(candidates, |references| self.try_list(suite, references, &by_value))
    }

    /// Checks a list as far as that goes without the path.
    fn try_list(
        &self,
        suite: &dyn Suite,
        references: &[Vec<u8>],
        by_value: &[Proposal],
    ) -> Result<Plan> {
        let references = references.iter().cloned().map(ProposalOrRef::Reference);
        let by_value = by_value.iter().cloned().map(ProposalOrRef::Proposal);
        let entries: Vec<_> = references.chain(by_value).collect();
        let sender = Sender::Member(self.group.own_leaf());
        let view = self.group.view(suite);
        let list = match self.group.proposals.list(&view, entries.clone(), sender) {
            Err(Error::Peer(PeerError::UnknownProposal)) => {
                return Err(CallerError::Invalid("a proposal that is not there").into());
            }
            other => other.map_err(Error::into_callers)?,
        };
        let usage = self.successor.map(|(usage, _)| usage);
        let committer = Committer::Member(self.group.own_leaf());
        let applied = apply(&view, &list, committer, usage).map_err(Error::into_callers)?;
        self.check_added(&applied)?;
        let checked = applied.check_tree(&view, None);
        checked.map_err(Error::into_callers)?;
        let psks = KnownPsks {
            application: self.group.client.application(),
            group: Some(&*self.group),
            origin: self.successor.map(|(_, origin)| origin),
        };
        let psk_secret = psks.psk_secret(suite, &applied.psks)?;
        Ok(Plan { entries, applied, psk_secret })
    }

    fn make(&mut self, suite: &dyn Suite, plan: &mut Plan, has_path: bool) -> Result<Made> {
        let path = has_path.then(|| self.path_draft()).transpose()?;
        let authenticated_data = std::mem::take(&mut self.authenticated_data);
        let view = self.group.view(suite);
        let epoch = &self.group.epoch;
        let own_leaf = epoch.own_leaf();
        let made = Draft {
            view,
            frame: epoch.frame(suite),
            interim_transcript_hash: &epoch.interim_transcript_hash,
            sender: Sender::Member(own_leaf),
            signer: &self.group.signer,
            wire_format: self.group.client.config().handshake_format.into(),
            authenticated_data,
            proposals: std::mem::take(&mut plan.entries),
            path,
            init_secret: &epoch.secrets.init_secret,
            psk_secret: &plan.psk_secret,
        }
        .make(&mut plan.applied)?;
        if has_path {
            let checked = plan.applied.check_committer(&view, own_leaf);
            checked.map_err(Error::into_callers)?;
        }
        Ok(made)
    }

    /// What is asked of those whom one invites, and not of those who are there (sections 7.3 and
    /// 11.1). A proposal may have been received a while ago, so that its lifetime is looked at again.
    fn check_added(&self, applied: &Applied) -> Result<()> {
        let suite = self.group.suite()?;
        for (_, key_package) in &applied.added {
            if !key_package.leaf_node.lists_suite(suite) {
                return Err(CallerError::Invalid(
                    "11.1: a key package's capabilities lack the version or the cipher suite",
                )
                .into());
            }
            rules::check_leaf_lifetime(self.group.client.application(), &key_package.leaf_node)
                .map_err(Error::into_callers)?;
        }
        Ok(())
    }

    fn path_draft(&self) -> Result<PathDraft> {
        let leaf = self.group.own_leaf();
        let old = self.group.own_leaf_node()?;
        let (description, signer) = match &self.identity {
            Some(new) if new.cipher_suite != self.group.cipher_suite() => {
                return Err(CallerError::BadKey.into());
            }
            Some(new) => (new.description.clone(), new.signer.clone()),
            None => (LeafDescription::from(old), self.group.signer.clone()),
        };
        Ok(PathDraft { leaf, description, signer })
    }

    /// Everything but the commit itself. Nothing is signed for nobody.
    fn joiner_messages(
        &self,
        applied: &Applied,
        made: &Made,
        psk_secret: &PskSecret,
    ) -> Result<CommitMessages> {
        let suite = self.group.suite()?;
        let tree_in_welcome = self.group.client.config().tree_in_welcome;
        let signer = self.identity.as_ref().map(|new| &new.signer);
        let draft = |external_pub| GroupInfoDraft {
            context: &made.scheduled.context,
            confirmation_tag: made.scheduled.confirmation_tag.as_slice(),
            tree: tree_in_welcome.then_some(&applied.tree),
            external_pub,
            signer_leaf: self.group.own_leaf(),
            signer: signer.unwrap_or(&self.group.signer),
        };
        let mut messages = CommitMessages {
            message: Vec::new(),
            welcome: None,
            ratchet_tree: None,
            group_info: None,
            key_use: None,
        };
        if !applied.added.is_empty() {
            let group_info = draft(None).sign(suite)?;
            let path: Option<&NewPath> = made.path.as_ref();
            let scheduled = &made.scheduled;
            let welcome = welcome(suite, applied, scheduled, psk_secret, path, &group_info)?;
            messages.welcome = Some(MlsMessage::Welcome(welcome).to_bytes()?);
            if !tree_in_welcome {
                messages.ratchet_tree = Some(applied.tree.to_bytes()?);
            }
        }
        if self.is_group_info_wanted {
            let external_pub = made.scheduled.external_pub(suite)?;
            messages.group_info = Some(draft(Some(external_pub)).message(suite)?);
        }
        Ok(messages)
    }
}
