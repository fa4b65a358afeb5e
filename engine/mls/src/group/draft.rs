//! A commit being made (section 12.4.1), by a member or by one who joins by it.

use crypto_api::{Digest, SigningKey};

use super::{
    epoch::{ScheduleInputs, Scheduled},
    proposal_list::Applied,
    proposals::View,
};
use crate::{
    Error, Result,
    codec::Encode,
    framing::{Content, EpochContext, Sender, SignedContent, WireFormat, sign},
    schedule::{InitSecret, PskSecret, confirmed_transcript_hash},
    tree::{LeafDescription, NewPath, RatchetTree},
    types::{Commit, GroupContext, LeafIndex, ProposalOrRef},
};

/// What a commit is made of.
pub(super) struct Draft<'a> {
    pub(super) view: View<'a>,
    pub(super) frame: EpochContext<'a>,
    pub(super) interim_transcript_hash: &'a Digest,
    pub(super) sender: Sender,
    /// Signs the commit: of a member, it is the key of its old leaf.
    pub(super) signer: &'a SigningKey,
    pub(super) wire_format: WireFormat,
    pub(super) authenticated_data: Vec<u8>,
    pub(super) proposals: Vec<ProposalOrRef>,
    pub(super) path: Option<PathDraft>,
    pub(super) init_secret: &'a InitSecret,
    pub(super) psk_secret: &'a PskSecret,
}

/// What a path is made of.
pub(super) struct PathDraft {
    pub(super) leaf: LeafIndex,
    pub(super) description: LeafDescription,
    /// The key of the new leaf.
    pub(super) signer: SigningKey,
}

/// A commit that is made, and the epoch that it starts.
pub(super) struct Made {
    pub(super) signed: SignedContent,
    pub(super) scheduled: Scheduled,
    pub(super) path: Option<NewPath>,
}

impl Draft<'_> {
    /// Makes it, the path in the tree of `applied`. What comes out has not been checked.
    pub(super) fn make(self, applied: &mut Applied) -> Result<Made> {
        let suite = self.view.suite;
        let group_id = &self.view.context.group_id;
        let path = self.path.map(|path| {
            let tree = &mut applied.tree;
            tree.rekey_path(suite, path.leaf, path.description, &path.signer, group_id)
        });
        let path = path.transpose()?;
        let mut context = provisional_context(&self.view, applied, &applied.tree)?;
        let mut encoded = Vec::with_capacity(context.encoded_len() + suite.hash_length());
        let update_path = match &path {
            Some(path) => {
                context.encode(&mut encoded)?;
                Some(path.seal(suite, &applied.tree, &applied.added_leaves(), &encoded)?)
            }
            None => None,
        };
        let commit = Commit { proposals: self.proposals, path: update_path };
        let signed = sign(
            &self.frame,
            self.signer,
            self.wire_format,
            self.sender,
            self.authenticated_data,
            Content::Commit(commit),
        )?;
        let before = self.interim_transcript_hash.as_slice();
        let transcript =
            confirmed_transcript_hash(suite, before, signed.confirmed_transcript_hash_input());
        set_transcript(&mut context, transcript.as_slice());
        encoded.clear();
        context.encode(&mut encoded)?;
        let inputs = ScheduleInputs {
            init_secret: self.init_secret,
            commit_secret: path.as_ref().map(NewPath::commit_secret),
            psk_secret: self.psk_secret,
        };
        let scheduled = Scheduled::next(suite, (context, encoded), &inputs)?;
        let signed = signed.confirm(&scheduled.confirmation_tag)?;
        Ok(Made { signed, scheduled, path })
    }
}

/// The provisional GroupContext (section 12.4.1): new in all but the transcript.
pub(super) fn provisional_context(
    view: &View<'_>,
    applied: &Applied,
    tree: &RatchetTree,
) -> Result<GroupContext> {
    let old = view.context;
    let epoch = old.epoch.checked_add(1);
    Ok(GroupContext {
        version: old.version,
        cipher_suite: old.cipher_suite,
        group_id: old.group_id.clone(),
        epoch: epoch.ok_or(Error::Unsupported("an epoch after 2^64 - 1"))?,
        tree_hash: tree.tree_hash(view.suite)?.as_slice().to_vec(),
        confirmed_transcript_hash: old.confirmed_transcript_hash.clone(),
        extensions: applied.extensions.clone(),
    })
}

/// Completes a provisional GroupContext; the transcript hash takes the place of the old one.
pub(super) fn set_transcript(context: &mut GroupContext, confirmed_transcript_hash: &[u8]) {
    context.confirmed_transcript_hash.clear();
    context.confirmed_transcript_hash.extend_from_slice(confirmed_transcript_hash);
}
