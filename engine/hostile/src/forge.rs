//! Commits of one who checks nothing: any list of proposals, a path, and the tag that goes with what
//! comes out of them. Nearly all of them break a rule, and all of them are right in all else.

use std::{cell::RefCell, collections::HashMap};

use burrow::{
    codec::{Decode, Encode},
    framing::{Content, FramedContent, Sender},
    schedule::{InitSecret, JoinerSecret, PskSecret, confirmed_transcript_hash},
    tree::{LeafDescription, RatchetTree},
    types::{
        Commit, Extensions, GroupContext, LeafIndex, PreSharedKeyId, Proposal, ProposalOrRef, Psk,
        VerifiedLeafNode,
    },
};
use crypto_api::{Digest, Secret, SigningKey, Suite};

use crate::{Failure, insider::Insider};

/// The one external pre-shared key that all have.
pub const PSK_ID: &[u8] = b"psk";
/// What it is.
pub const PSK: &[u8] = b"a pre-shared key";

/// What a forger remembers of what it has made.
#[derive(Debug, Default)]
pub struct Book {
    /// Commit secrets by the encryption key of the path's leaf.
    commit_secrets: RefCell<HashMap<Vec<u8>, Secret>>,
    /// Init secrets by the `kem_output`.
    init_secrets: RefCell<HashMap<Vec<u8>, InitSecret>>,
    /// The epoch's proposals by reference.
    pub known: HashMap<Vec<u8>, (Proposal, Sender)>,
    /// Resumption PSKs of the group.
    pub resumption: HashMap<u64, Secret>,
}

/// A path to be made.
#[derive(Debug, Clone)]
pub struct PathPlan {
    /// Of the new leaf.
    pub description: LeafDescription,
    /// Of the new leaf.
    pub signer: SigningKey,
}

/// A commit, and the secret that those get who join by it.
pub struct Forged {
    /// The content.
    pub framed: FramedContent,
    /// The next epoch's context, but for its transcript.
    pub context: GroupContext,
    /// The tree after it.
    pub tree: RatchetTree,
    /// The commit secret.
    pub commit_secret: Option<Secret>,
    /// The path secrets of those who are added, in their order.
    pub path_secrets: Vec<Option<Secret>>,
    /// The pre-shared keys in it.
    pub psks: Vec<PreSharedKeyId>,
}

/// What a list does, without a question asked.
struct Applied {
    tree: RatchetTree,
    extensions: Extensions,
    added: Vec<LeafIndex>,
    psks: Vec<PreSharedKeyId>,
    kem_output: Option<Vec<u8>>,
}

impl Applied {
    fn new(insider: &Insider, book: &Book, sender: Sender, list: &[ProposalOrRef]) -> Self {
        let mut applied = Self {
            tree: insider.tree.clone(),
            extensions: insider.context.extensions.clone(),
            added: Vec::new(),
            psks: Vec::new(),
            kem_output: None,
        };
        let list: Vec<_> = list
            .iter()
            .filter_map(|entry| match entry {
                ProposalOrRef::Proposal(proposal) => Some((proposal, sender)),
                ProposalOrRef::Reference(reference) => {
                    book.known.get(reference).map(|(proposal, sender)| (proposal, *sender))
                }
            })
            .collect();
        // Section 12.3: Updates, Removes, Adds.
        for (proposal, sender) in &list {
            if let (Proposal::Update(leaf), Sender::Member(at)) = (proposal, sender) {
                let _ = applied.tree.update_leaf(*at, VerifiedLeafNode::trusted(leaf.clone()));
            }
        }
        for (proposal, sender) in &list {
            match (proposal, sender) {
                (Proposal::Remove(at), _) | (Proposal::SelfRemove, Sender::Member(at)) => {
                    let _ = applied.tree.remove_leaf(*at);
                }
                _ => {}
            }
        }
        list.into_iter().for_each(|(proposal, _)| applied.apply_other(proposal));
        applied.added.sort_unstable();
        applied
    }

    fn apply_other(&mut self, proposal: &Proposal) {
        match proposal {
            Proposal::Add(key_package) => {
                let leaf = VerifiedLeafNode::trusted(key_package.leaf_node.clone());
                self.added.extend(self.tree.add_leaf(leaf));
            }
            Proposal::PreSharedKey(id) => self.psks.push(id.clone()),
            Proposal::GroupContextExtensions(extensions) => self.extensions = extensions.clone(),
            Proposal::ExternalInit(kem_output) => self.kem_output = Some(kem_output.clone()),
            _ => {}
        }
    }

    fn context(&self, insider: &Insider, suite: &dyn Suite) -> Result<GroupContext, Failure> {
        let mut context = insider.context.clone();
        context.epoch = context.epoch.wrapping_add(1);
        context.tree_hash = self.tree.tree_hash(suite)?.as_slice().to_vec();
        context.extensions = self.extensions.clone();
        Ok(context)
    }
}

/// Makes a commit of these proposals.
///
/// # Errors
///
/// If the path can't be made.
pub fn commit(
    insider: &Insider,
    book: &Book,
    suite: &dyn Suite,
    sender: Sender,
    proposals: Vec<ProposalOrRef>,
    path: Option<PathPlan>,
) -> Result<Forged, Failure> {
    let mut applied = Applied::new(insider, book, sender, &proposals);
    let committer = match sender {
        Sender::Member(leaf) => leaf,
        _ => applied.tree.make_room()?,
    };
    if applied.tree.size().leaf_count() <= committer.0 {
        return Err("the committer's place was cut off".into());
    }
    let group_id = &insider.context.group_id;
    let new_path = path.map(|path| {
        applied.tree.rekey_path(suite, committer, path.description, &path.signer, group_id)
    });
    let new_path = new_path.transpose()?;
    let context = applied.context(insider, suite)?;
    let update_path = new_path
        .as_ref()
        .map(|path| path.seal(suite, &applied.tree, &applied.added, &context.to_bytes()?));
    let update_path = update_path.transpose()?;
    if let Some(path) = &new_path {
        let key = path.leaf_node().encryption_key.as_slice().to_vec();
        book.commit_secrets.borrow_mut().insert(key, path.commit_secret().clone());
    }
    let secret_for =
        |leaf: &LeafIndex| new_path.as_ref().and_then(|path| path.path_secret_for(*leaf).cloned());
    Ok(Forged {
        framed: FramedContent {
            group_id: group_id.clone(),
            epoch: insider.context.epoch,
            sender,
            authenticated_data: Vec::new(),
            content: Content::Commit(Commit { proposals, path: update_path }),
        },
        path_secrets: applied.added.iter().map(secret_for).collect(),
        commit_secret: new_path.as_ref().map(|path| path.commit_secret().clone()),
        tree: applied.tree,
        psks: applied.psks,
        context,
    })
}

/// An ExternalInit for the epoch.
///
/// # Errors
///
/// If the library fails.
pub fn external_init(
    insider: &Insider,
    book: &Book,
    suite: &dyn Suite,
) -> Result<Proposal, Failure> {
    let key_pair = insider.secrets.external_secret.key_pair(suite)?;
    let external_pub = key_pair.public().to_vec().into();
    let (kem_output, init_secret) = InitSecret::send_external(suite, &external_pub)?;
    book.init_secrets.borrow_mut().insert(kem_output.clone(), init_secret);
    Ok(Proposal::ExternalInit(kem_output))
}

impl Book {
    /// Forgets what was made for a single input.
    pub fn forget(&self, kept: &Kept) {
        self.commit_secrets.borrow_mut().clone_from(&kept.commit_secrets);
        self.init_secrets.borrow_mut().clone_from(&kept.init_secrets);
    }

    /// How many secrets it remembers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.commit_secrets.borrow().len() + self.init_secrets.borrow().len()
    }

    /// Whether it remembers none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What it remembers now.
    #[must_use]
    pub fn keep(&self) -> Kept {
        Kept {
            commit_secrets: self.commit_secrets.borrow().clone(),
            init_secrets: self.init_secrets.borrow().clone(),
        }
    }

    /// The `psk_secret` of these, if all are known.
    #[must_use]
    pub fn psk_secret(&self, suite: &dyn Suite, ids: &[PreSharedKeyId]) -> Option<PskSecret> {
        let secrets: Option<Vec<_>> = ids.iter().map(|id| self.psk(&id.psk)).collect();
        let secrets = secrets?;
        let psks: Vec<_> = ids.iter().zip(&secrets).collect();
        PskSecret::derive(suite, &psks).ok()
    }

    fn psk(&self, psk: &Psk) -> Option<Secret> {
        match psk {
            Psk::External { psk_id } => (psk_id == PSK_ID).then(|| Secret::copy_from(PSK)),
            Psk::Resumption { psk_epoch, .. } => self.resumption.get(psk_epoch).cloned(),
        }
    }
}

/// What a [`Book`] remembered at some time.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    commit_secrets: HashMap<Vec<u8>, Secret>,
    init_secrets: HashMap<Vec<u8>, InitSecret>,
}

/// The joiner secret of a forged commit and its confirmed transcript hash, given its
/// ConfirmedTranscriptHashInput.
///
/// # Errors
///
/// If the library fails.
pub fn joiner_secret(
    insider: &Insider,
    suite: &dyn Suite,
    context: &mut GroupContext,
    init_secret: Option<&InitSecret>,
    commit_secret: Option<&Secret>,
    input: &[u8],
) -> Result<JoinerSecret, Failure> {
    let before = insider.interim_transcript_hash.as_slice();
    let transcript = confirmed_transcript_hash(suite, before, input);
    context.confirmed_transcript_hash = transcript.as_slice().to_vec();
    let init_secret = init_secret.unwrap_or(&insider.secrets.init_secret);
    Ok(JoinerSecret::derive(suite, init_secret, commit_secret, &context.to_bytes()?)?)
}

/// The confirmation tag of an epoch.
///
/// # Errors
///
/// If the library fails.
pub fn epoch_tag(
    suite: &dyn Suite,
    joiner_secret: &JoinerSecret,
    psk_secret: &PskSecret,
    context: &GroupContext,
) -> Result<Digest, Failure> {
    let epoch_secret = joiner_secret.epoch_secret(suite, psk_secret, &context.to_bytes()?)?;
    let (secrets, _) = epoch_secret.schedule(suite)?;
    let transcript = &context.confirmed_transcript_hash;
    Ok(secrets.confirmation_key.confirmation_tag(suite, transcript))
}

/// The confirmation tag that goes with a content, whatever has been done to it, if it still reads as
/// a commit and its secrets are known. `input` is its ConfirmedTranscriptHashInput.
#[must_use]
pub fn tag(
    insider: &Insider,
    book: &Book,
    suite: &dyn Suite,
    framed: &[u8],
    input: &[u8],
) -> Option<Digest> {
    let framed = FramedContent::decode_exact(framed).ok()?;
    let Content::Commit(commit) = &framed.content else {
        return None;
    };
    let mut applied = Applied::new(insider, book, framed.sender, &commit.proposals);
    let committer = match framed.sender {
        Sender::Member(leaf) => leaf,
        _ => applied.tree.make_room().ok()?,
    };
    let mut commit_secret = None;
    if let Some(path) = &commit.path {
        let key = path.leaf_node.encryption_key.as_slice();
        commit_secret = Some(book.commit_secrets.borrow().get(key)?.clone());
        let leaf = VerifiedLeafNode::trusted(path.leaf_node.clone());
        if !applied.tree.size().has_leaf(committer) {
            return None;
        }
        applied.tree.merge_path(suite, committer, leaf, &path.nodes, &applied.added).ok()?;
    }
    let init_secret = match &applied.kem_output {
        Some(kem_output) => Some(book.init_secrets.borrow().get(kem_output)?.clone()),
        None => None,
    };
    let psk_secret = book.psk_secret(suite, &applied.psks)?;
    let mut context = applied.context(insider, suite).ok()?;
    let joiner_secret = joiner_secret(
        insider,
        suite,
        &mut context,
        init_secret.as_ref(),
        commit_secret.as_ref(),
        input,
    );
    epoch_tag(suite, &joiner_secret.ok()?, &psk_secret, &context).ok()
}
