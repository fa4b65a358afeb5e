//! From outside: joining by an external commit, and external proposals (sections 12.1.8 and
//! 12.4.3.2).

use crypto_api::{CipherSuite, SigningKey, Suite};

use super::{
    Client, Group, Identity, KeyPackageSecrets,
    draft::{Draft, PathDraft},
    epoch::Senders,
    proposal_list::{Applied, Committer, apply},
    proposals::{CachedProposal, ProposalCache, View},
    psks::{KnownPsks, fresh_id},
    rules,
};
use crate::{
    CallerError, Error, Result,
    codec::Encode,
    framing::{Content, EpochContext, PublicMessage, Sender, WireFormat, sign},
    schedule::{InitSecret, PskSecret, interim_transcript_hash},
    tree::{RatchetTree, UnverifiedRatchetTree},
    types::{
        AppDataUpdate, ExternalPub, GroupInfo, KeyPackage, LeafIndex, Proposal, ProposalOrRef, Psk,
    },
};

/// How to join by a GroupInfo.
#[derive(Debug)]
#[must_use = "nobody joins before it is staged"]
pub struct ExternalJoinBuilder<'a> {
    client: Client,
    identity: &'a Identity,
    group_info: &'a GroupInfo,
    ratchet_tree: Option<UnverifiedRatchetTree>,
    replaces: Option<LeafIndex>,
    psks: Vec<Psk>,
    app_data_updates: Vec<AppDataUpdate>,
    self_removes: Vec<PublicMessage>,
    before: Option<&'a Group>,
    authenticated_data: Vec<u8>,
}

/// An external commit that hasn't been accepted yet.
#[derive(Debug)]
#[must_use = "the commit is to be sent"]
pub struct ExternalJoin {
    /// The commit: an encoded MLSMessage, always in the clear.
    pub message: Vec<u8>,
    /// The group as it is for us once the commit has been accepted. If another one was, drop it.
    pub group: Group,
}

impl Client {
    /// Joins the group of a GroupInfo by an external commit.
    pub fn join_externally<'a>(
        &self,
        identity: &'a Identity,
        group_info: &'a GroupInfo,
    ) -> ExternalJoinBuilder<'a> {
        ExternalJoinBuilder {
            client: self.clone(),
            identity,
            group_info,
            ratchet_tree: None,
            replaces: None,
            psks: Vec::new(),
            app_data_updates: Vec::new(),
            self_removes: Vec::new(),
            before: None,
            authenticated_data: Vec::new(),
        }
    }

    /// Proposes to a group that the owner of a key package be added to it: an encoded MLSMessage.
    ///
    /// # Errors
    ///
    /// If the backend doesn't have the suite.
    pub fn propose_own_add(
        &self,
        secrets: &KeyPackageSecrets,
        group_id: &[u8],
        epoch: u64,
    ) -> Result<Vec<u8>> {
        let suite = self.suite(secrets.cipher_suite())?;
        let key_package = KeyPackage::clone(&secrets.key_package);
        let proposal = Proposal::Add(Box::new(key_package));
        let sender = Sender::NewMemberProposal;
        propose(suite, &secrets.signer, sender, group_id, epoch, proposal)
    }
}

impl<'a> ExternalJoinBuilder<'a> {
    /// The tree, if it isn't in the GroupInfo.
    pub fn ratchet_tree(mut self, ratchet_tree: UnverifiedRatchetTree) -> Self {
        self.ratchet_tree = Some(ratchet_tree);
        self
    }

    /// Takes the place of an old version of ourselves, which is removed.
    pub fn replaces(mut self, leaf: LeafIndex) -> Self {
        self.replaces = Some(leaf);
        self
    }

    /// Puts a pre-shared key into the new epoch.
    pub fn psk(mut self, psk: Psk) -> Self {
        self.psks.push(psk);
        self
    }

    /// Updates application data in the GroupContext.
    pub fn app_data_update(mut self, update: AppDataUpdate) -> Self {
        self.app_data_updates.push(update);
        self
    }

    /// An old state of the group, which knows resumption PSKs.
    pub fn before(mut self, group: &'a Group) -> Self {
        self.before = Some(group);
        self
    }

    /// A SelfRemove of the epoch, which has to be committed.
    pub fn self_remove(mut self, message: PublicMessage) -> Self {
        self.self_removes.push(message);
        self
    }

    /// Data that goes with the commit.
    pub fn authenticated_data(mut self, authenticated_data: Vec<u8>) -> Self {
        self.authenticated_data = authenticated_data;
        self
    }

    /// Makes the commit.
    ///
    /// # Errors
    ///
    /// [`crate::PeerError`] if the GroupInfo isn't valid, [`CallerError`] if it can't be joined.
    pub fn stage(mut self) -> Result<ExternalJoin> {
        let client = self.client.clone();
        let suite = client.suite(self.identity.cipher_suite)?;
        let ratchet_tree = self.ratchet_tree.take();
        let tree = client.verify_group_info(suite, self.group_info, ratchet_tree)?;
        let context = &self.group_info.group_context;
        let external_pub: Option<ExternalPub> = self.group_info.extensions.find()?;
        let external_pub =
            external_pub.ok_or(CallerError::Invalid("a GroupInfo without an external_pub"))?;
        let encoded_context = context.to_bytes()?;
        let frame = EpochContext {
            suite,
            group_id: &context.group_id,
            epoch: context.epoch,
            group_context: &encoded_context,
        };
        let view = View { suite, application: client.application(), context, tree: &tree };
        let transcript = &context.confirmed_transcript_hash;
        let tag = &self.group_info.confirmation_tag;
        let interim_transcript_hash = interim_transcript_hash(suite, transcript, tag)?;
        let (kem_output, init_secret) =
            InitSecret::send_external(suite, &external_pub.external_pub)?;
        let (cache, proposals) = self.proposals(&view, &frame, kem_output)?;
        let list = cache.list(&view, proposals.clone(), Sender::NewMemberCommit);
        let list = list.map_err(Error::into_callers)?;
        let mut applied = apply(&view, &list, Committer::New, None).map_err(Error::into_callers)?;
        let leaf = applied.tree.make_room()?;
        let psk_secret = self.psk_secret(suite, &applied)?;
        let made = Draft {
            view,
            frame,
            interim_transcript_hash: &interim_transcript_hash,
            sender: Sender::NewMemberCommit,
            signer: &self.identity.signer,
            wire_format: WireFormat::PublicMessage,
            authenticated_data: std::mem::take(&mut self.authenticated_data),
            proposals,
            path: Some(PathDraft {
                leaf,
                description: self.identity.description.clone(),
                signer: self.identity.signer.clone(),
            }),
            init_secret: &init_secret,
            psk_secret: &psk_secret,
        }
        .make(&mut applied)?;
        let checked = applied.check_tree(&view, Some(leaf));
        checked.map_err(Error::into_callers)?;
        self.check_own_leaf(&applied, leaf).map_err(Error::into_callers)?;
        let path = made.path.ok_or(Error::Internal("a path was lost"))?;
        let keys = path.into_private_keys();
        let limits = client.config().ratchet_limits;
        let epoch = made.scheduled.into_epoch(suite, applied.tree, keys, limits)?;
        let protected = made.signed.into_public_message_from_outside(&frame)?;
        Ok(ExternalJoin {
            message: protected.message,
            group: Group::new(client.clone(), self.identity.signer.clone(), epoch),
        })
    }

    /// The commit's list, and the proposals that it refers to.
    fn proposals(
        &mut self,
        view: &View<'_>,
        frame: &EpochContext<'_>,
        kem_output: Vec<u8>,
    ) -> Result<(ProposalCache, Vec<ProposalOrRef>)> {
        let mut cache = ProposalCache::default();
        let senders = Senders { suite: view.suite, tree: view.tree, extensions: None };
        for message in std::mem::take(&mut self.self_removes) {
            let content = message.unprotect_as_outsider(frame, &senders)?;
            let (Content::Proposal(Proposal::SelfRemove), sender) =
                (content.content(), content.sender())
            else {
                return Err(CallerError::Invalid("a proposal that is no SelfRemove").into());
            };
            let checked = view.check_all(vec![(Proposal::SelfRemove, sender)])?.pop();
            let checked = checked.ok_or(Error::Internal("a proposal was lost"))?;
            cache.insert(CachedProposal::new(view.suite, content, checked)?);
        }
        let mut by_value = vec![Proposal::ExternalInit(kem_output)];
        by_value.extend(self.replaces.map(Proposal::Remove));
        for psk in std::mem::take(&mut self.psks) {
            by_value.push(Proposal::PreSharedKey(fresh_id(view.suite, psk)?));
        }
        let updates = std::mem::take(&mut self.app_data_updates).into_iter();
        by_value.extend(updates.map(Proposal::AppDataUpdate));
        let references = cache.iter().map(|cached| cached.reference);
        let references =
            references.map(|reference| ProposalOrRef::Reference(reference.as_slice().to_vec()));
        let entries = references.chain(by_value.into_iter().map(ProposalOrRef::Proposal));
        let entries = entries.collect();
        Ok((cache, entries))
    }

    fn psk_secret(&self, suite: &dyn Suite, applied: &Applied) -> Result<PskSecret> {
        let psks =
            KnownPsks { application: self.client.application(), group: None, origin: self.before };
        psks.psk_secret(suite, &applied.psks)
    }

    /// What the members will check of us.
    fn check_own_leaf(&self, applied: &Applied, leaf: LeafIndex) -> Result<()> {
        let tree: &RatchetTree = &applied.tree;
        let own = tree.leaf(leaf);
        let own = own.ok_or(Error::Internal("our own leaf is blank"))?;
        let suite = self.client.suite(self.identity.cipher_suite)?;
        if !own.lists_suite(suite) {
            return Err(Error::invalid(
                "11.1: the leaf's capabilities lack the version or the cipher suite",
            ));
        }
        rules::check_credential(self.client.application(), own)?;
        match &applied.replaced {
            Some(old) => rules::check_replacement(self.client.application(), old, own),
            None => Ok(()),
        }
    }
}

/// One who isn't a member, and may propose to a group that names it in its `external_senders`.
#[derive(Debug, Clone)]
pub struct ExternalProposer {
    client: Client,
    cipher_suite: CipherSuite,
    signer: SigningKey,
    sender_index: u32,
}

impl ExternalProposer {
    /// The sender at this index of a group's `external_senders`.
    #[must_use]
    pub fn new(
        client: &Client,
        cipher_suite: CipherSuite,
        signer: SigningKey,
        sender_index: u32,
    ) -> Self {
        Self { client: client.clone(), cipher_suite, signer, sender_index }
    }

    /// A proposal to a group, of an Add, a Remove, a PreSharedKey, a ReInit,
    /// GroupContextExtensions or an AppDataUpdate: an encoded MLSMessage.
    ///
    /// # Errors
    ///
    /// [`CallerError::Invalid`] for another type.
    pub fn propose(&self, group_id: &[u8], epoch: u64, proposal: Proposal) -> Result<Vec<u8>> {
        let suite = self.client.suite(self.cipher_suite)?;
        let sender = Sender::External(self.sender_index);
        propose(suite, &self.signer, sender, group_id, epoch, proposal)
    }
}

fn propose(
    suite: &dyn Suite,
    signer: &SigningKey,
    sender: Sender,
    group_id: &[u8],
    epoch: u64,
    proposal: Proposal,
) -> Result<Vec<u8>> {
    let frame = EpochContext {
        suite,
        group_id,
        epoch,
        // Section 6.1: from outside, the signature doesn't cover it.
        group_context: b"",
    };
    let content = Content::Proposal(proposal);
    let wire_format = WireFormat::PublicMessage;
    let signed = sign(&frame, signer, wire_format, sender, Vec::new(), content)?;
    Ok(signed.into_public_message_from_outside(&frame)?.message)
}
