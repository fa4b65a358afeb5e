//! Another's commit (section 12.4.2).

use crypto_api::{Digest, Suite};

use super::{
    Group, KeyUse, OwnUpdate,
    departures::self_removed,
    draft::{provisional_context, set_transcript},
    epoch::{Epoch, ScheduleInputs, Scheduled},
    proposal_list::{Applied, Committer, apply},
    proposals::View,
    psks::KnownPsks,
    receive::key_use,
    rules,
    transition::{Changes, Transition},
};
use crate::{
    CallerError, Error, Result,
    codec::Encode,
    framing::{Content, FramedContent, Sender, VerifiedContent},
    schedule::{Advance, InitSecret, confirmed_transcript_hash},
    tree::{MergedPath, TreePrivateKeys},
    types::{Commit, GroupContext, LeafIndex, LeafNodeUse, UpdatePath},
};

/// A commit of another member, or of one who joins by it, that is valid and not yet merged.
#[derive(Debug)]
#[must_use = "a commit changes nothing before it is merged"]
pub struct StagedRemoteCommit {
    pub(super) transition: Transition,
    pub(super) advance: Option<Advance>,
    /// The epoch that it ends.
    epoch: u64,
    authenticated_data: Vec<u8>,
    pub(super) self_removed: Vec<LeafIndex>,
}

impl StagedRemoteCommit {
    /// What it changes.
    #[must_use]
    pub fn changes(&self) -> &Changes {
        &self.transition.changes
    }

    /// Whether it removes us. Such a commit can be checked less than others: the tag that proves its
    /// outcome is made with secrets that we don't get any more.
    #[must_use]
    pub fn removes_us(&self) -> bool {
        self.transition.next.is_none()
    }

    /// The data that came with it in the clear.
    #[must_use]
    pub fn authenticated_data(&self) -> &[u8] {
        &self.authenticated_data
    }

    /// The key that merging it uses up, if it was encrypted.
    #[must_use]
    pub fn key_use(&self) -> Option<KeyUse> {
        let advance = self.advance.as_ref();
        advance.map(|advance| key_use(self.epoch, advance))
    }

    /// The members of the new epoch; none if it removes us.
    #[must_use]
    pub fn tree(&self) -> Option<&crate::tree::RatchetTree> {
        self.transition.next.as_ref().map(|next| &next.tree)
    }
}

/// A commit's proposals and path in the tree, and no secrets yet.
struct Public {
    applied: Applied,
    committer: LeafIndex,
    self_removed: Vec<LeafIndex>,
    /// Our keys, as far as the proposals leave them.
    keys: Option<TreePrivateKeys>,
    path: Option<(MergedPath, UpdatePath)>,
}

impl Group {
    pub(super) fn stage_remote(
        &self,
        content: VerifiedContent,
        advance: Option<Advance>,
    ) -> Result<StagedRemoteCommit> {
        self.check_active()?;
        let suite = self.suite()?;
        let transcript = confirmed_transcript_hash(
            suite,
            self.epoch.interim_transcript_hash.as_slice(),
            content.confirmed_transcript_hash_input(),
        );
        let (content, tag) = content.into_content_and_tag();
        let tag = tag.unwrap_or_default();
        let FramedContent { sender, authenticated_data, content: Content::Commit(commit), .. } =
            content
        else {
            return Err(Error::Internal("a commit that is none"));
        };
        let view = self.view(suite);
        let mut public = self.apply_public(&view, sender, commit)?;
        let self_removed = std::mem::take(&mut public.self_removed);
        let has_path = public.path.is_some();
        let changes = Changes::new(&public.applied, public.committer, has_path);
        let update = self.committed_update(&public.applied);
        let signer = update.map(|update| update.signer.clone());
        let next = match public.keys {
            Some(_) => Some(self.next_epoch(&view, public, transcript, &tag)?),
            None => None,
        };
        Ok(StagedRemoteCommit {
            transition: Transition {
                base: self.epoch.interim_transcript_hash,
                next,
                signer,
                changes,
            },
            advance,
            epoch: self.epoch(),
            authenticated_data,
            self_removed,
        })
    }

    fn apply_public(&self, view: &View<'_>, sender: Sender, commit: Commit) -> Result<Public> {
        let who = match sender {
            Sender::Member(leaf) => Committer::Member(leaf),
            Sender::NewMemberCommit => Committer::New,
            _ => return Err(Error::Internal("a rule for senders wasn't checked")),
        };
        let list = self.proposals.list(view, commit.proposals, sender)?;
        let self_removed = self_removed(&list);
        let mut applied = apply(view, &list, who, None)?;
        if commit.path.is_none() && applied.is_path_required {
            return Err(Error::invalid("12.4: a commit without a path that its proposals require"));
        }
        let keys = self.remaining_keys(&applied)?;
        let committer = match who {
            Committer::Member(leaf) => leaf,
            Committer::New => applied.tree.make_room()?,
        };
        let path = match commit.path {
            Some(path) => {
                let merged = merge_path(view, &mut applied, who, committer, &path)?;
                Some((merged, path))
            }
            None => None,
        };
        applied.check_tree(view, path.as_ref().map(|_| committer))?;
        Ok(Public { applied, committer, self_removed, keys, path })
    }

    /// The keys that we still have when the proposals are applied; none if they remove us.
    fn remaining_keys(&self, applied: &Applied) -> Result<Option<TreePrivateKeys>> {
        let own_leaf = self.own_leaf();
        if applied.removed.contains(&own_leaf) {
            return Ok(None);
        }
        let mut keys = self.epoch.keys.clone();
        if applied.updated.contains(&own_leaf) {
            let update = self.committed_update(applied);
            let update = update
                .ok_or(CallerError::Invalid("an Update of ours whose private key is not there"))?;
            keys.set_leaf_key(update.leaf_key.clone());
        }
        keys.retain(&applied.tree);
        Ok(Some(keys))
    }

    /// The Update of ours that a commit has in it.
    fn committed_update(&self, applied: &Applied) -> Option<&OwnUpdate> {
        let own_leaf = self.own_leaf();
        if !applied.updated.contains(&own_leaf) {
            return None;
        }
        let leaf = applied.tree.leaf(own_leaf)?;
        let key = leaf.encryption_key.as_slice();
        let mut updates = self.own_updates.iter();
        updates.find(|update| update.leaf_key.public() == key)
    }

    fn next_epoch(
        &self,
        view: &View<'_>,
        public: Public,
        transcript: Digest,
        tag: &[u8],
    ) -> Result<Epoch> {
        let suite = view.suite;
        let Public { applied, keys, path, .. } = public;
        let keys = keys.ok_or(Error::Internal("an epoch that we are not in"))?;
        let mut context = provisional_context(view, &applied, &applied.tree)?;
        let mut encoded = Vec::with_capacity(context.encoded_len() + transcript.as_slice().len());
        let (keys, commit_secret) = match &path {
            Some((merged, path)) => {
                context.encode(&mut encoded)?;
                let tree = &applied.tree;
                let received = keys.into_received(suite, tree, merged, &path.nodes, &encoded)?;
                (received.private_keys, Some(received.commit_secret))
            }
            None => (keys, None),
        };
        set_transcript(&mut context, transcript.as_slice());
        encoded.clear();
        context.encode(&mut encoded)?;
        let context = (context, encoded);
        let scheduled = self.schedule(suite, context, &applied, commit_secret.as_ref())?;
        scheduled.check_tag(tag)?;
        let limits = self.client.config().ratchet_limits;
        scheduled.into_epoch(suite, applied.tree, keys, limits)
    }

    fn schedule(
        &self,
        suite: &dyn Suite,
        context: (GroupContext, Vec<u8>),
        applied: &Applied,
        commit_secret: Option<&crypto_api::Secret>,
    ) -> Result<Scheduled> {
        let psks =
            KnownPsks { application: self.client.application(), group: Some(self), origin: None };
        let psk_secret = psks.psk_secret(suite, &applied.psks)?;
        let secrets = &self.epoch.secrets;
        let external = applied.external_init.as_ref().map(|kem_output| {
            InitSecret::receive_external(suite, &secrets.external_secret, kem_output)
        });
        let external = external.transpose()?;
        let inputs = ScheduleInputs {
            init_secret: external.as_ref().unwrap_or(&secrets.init_secret),
            commit_secret,
            psk_secret: &psk_secret,
        };
        Scheduled::next(suite, context, &inputs)
    }
}

/// Checks the committer's leaf and merges the path (sections 7.5 and 12.4.2).
fn merge_path(
    view: &View<'_>,
    applied: &mut Applied,
    who: Committer,
    committer: LeafIndex,
    path: &UpdatePath,
) -> Result<MergedPath> {
    let suite = view.suite;
    let group_id = &view.context.group_id;
    let leaf = path.leaf_node.clone();
    if let Some(old) = view.tree.leaf(committer) {
        leaf.share_verifying_key(old);
    }
    let leaf = leaf.verify(suite, LeafNodeUse::Commit, group_id, committer)?;
    match who {
        Committer::Member(_) => {
            let old = view.tree.leaf(committer);
            let old = old.ok_or(Error::invalid("6.1: the sender's leaf is blank"))?;
            rules::check_replacement(view.application, old, &leaf)?;
        }
        Committer::New => {
            rules::check_credential(view.application, &leaf)?;
            if let Some(replaced) = &applied.replaced {
                rules::check_replacement(view.application, replaced, &leaf)?;
            }
            if !view.application.may_join(&leaf, applied.replaced.as_ref()) {
                return Err(Error::invalid("12.4.3.2: the application rejects an external commit"));
            }
        }
    }
    let added = applied.added_leaves();
    let tree = &mut applied.tree;
    tree.merge_path(suite, committer, leaf, &path.nodes, &added)
}
