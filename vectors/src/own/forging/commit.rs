//! Commits (section 12.4), by a member or by one who joins by it.

use burrow::Result;
use burrow::crypto::{HpkePublicKey, derive_secret, encrypt_with_label};
use crypto_api::{HpkeCiphertext, Secret, SigningKey, Suite};

use super::bytes::{opaque, optional, struct_of, vector};
use super::frame::{COMMIT, Frame, Sender};
use super::group::{Group, random};
use super::proposals::{Applied, Change, Entry, Psk, apply, psk_secret};
use super::tree::{Node, Parent, PlacedLeaf};
use crate::own::forge::{Draft, Leaf, Source};

type Hook<'h, T> = Box<dyn FnOnce(&mut T) + 'h>;

/// A node of a path, before it is in the tree.
#[derive(Clone)]
pub(in super::super) struct Path {
    pub(in super::super) node: usize,
    pub(in super::super) path_secret: Secret,
    pub(in super::super) encryption_key: Vec<u8>,
}

/// `UpdatePathNode`.
#[derive(Clone)]
pub(in super::super) struct PathNode {
    pub(in super::super) encryption_key: Vec<u8>,
    pub(in super::super) encrypted_path_secret: Vec<HpkeCiphertext>,
}

/// A commit to be made. Each hook changes what it is given before anything is computed from it.
pub(in super::super) struct Commit<'a> {
    group: Group<'a>,
    sender: Sender,
    signer: SigningKey,
    /// The leaf that the path starts from, but for its keys.
    leaf: Leaf,
    init_secret: Secret,
    entries: Vec<Entry>,
    has_path: bool,
    /// The lowest path secret, if it isn't to be a fresh one.
    path_secret: Option<Secret>,
    /// The context of the path's ciphertexts, if it isn't to be the right one.
    sealing_context: Option<Vec<u8>>,
    on_leaf: Hook<'a, Leaf>,
    on_path: Hook<'a, Vec<Path>>,
    on_sealing: Hook<'a, Vec<Path>>,
    on_nodes: Hook<'a, Vec<PathNode>>,
    on_content: Hook<'a, Vec<u8>>,
    on_frame: Hook<'a, Frame>,
}

/// A commit, and the epoch that it starts.
pub(in super::super) struct Made<'a> {
    pub(in super::super) message: Vec<u8>,
    pub(in super::super) group: Group<'a>,
    pub(in super::super) joiner_secret: Secret,
    pub(in super::super) psks: Vec<Psk>,
    pub(in super::super) path: Vec<Path>,
    pub(in super::super) added: Vec<(u32, Draft)>,
    pub(in super::super) committer: u32,
}

impl<'a> Group<'a> {
    /// A commit of a member, with nothing wrong.
    pub(in super::super) fn commit(&self, leaf: u32) -> Result<Commit<'a>> {
        let placed = self.tree.leaf(leaf).ok_or(burrow::Error::Internal("no such leaf"))?;
        let init_secret = self.secret(b"init")?;
        let draft = placed.draft.clone();
        Ok(Commit::new(self, (Sender::Member(leaf), draft.signer.clone()), draft, init_secret))
    }

    /// An external commit (section 12.4.3.2) of the client that the draft is of.
    pub(in super::super) fn external_commit(&self, draft: &Draft) -> Result<Commit<'a>> {
        let external = self.external_key()?;
        let length = self.suite.kdf_nh();
        let label = b"MLS 1.0 external init secret";
        let (kem_output, init) = self.suite.send_export(external.public(), &[], label, length)?;
        let sender = (Sender::NewMemberCommit, draft.signer.clone());
        let commit = Commit::new(self, sender, draft.leaf.clone(), init);
        Ok(commit.with(Change::ExternalInit(kem_output)))
    }
}

impl<'a> Commit<'a> {
    fn new(
        group: &Group<'a>,
        (sender, signer): (Sender, SigningKey),
        leaf: Leaf,
        init_secret: Secret,
    ) -> Self {
        Self {
            group: group.clone(),
            sender,
            signer,
            leaf,
            init_secret,
            entries: Vec::new(),
            has_path: true,
            path_secret: None,
            sealing_context: None,
            on_leaf: Box::new(|_| ()),
            on_path: Box::new(|_| ()),
            on_sealing: Box::new(|_| ()),
            on_nodes: Box::new(|_| ()),
            on_content: Box::new(|_| ()),
            on_frame: Box::new(|_| ()),
        }
    }

    /// Commits this by value.
    pub(in super::super) fn with(mut self, change: Change) -> Self {
        self.entries.push(Entry { change, reference: None });
        self
    }

    /// Commits this by reference.
    pub(in super::super) fn by_reference(mut self, change: Change, reference: Vec<u8>) -> Self {
        self.entries.push(Entry { change, reference: Some(reference) });
        self
    }

    pub(in super::super) fn without_path(mut self) -> Self {
        self.has_path = false;
        self
    }

    /// Starts the path from this secret.
    pub(in super::super) fn path_secret(mut self, secret: Secret) -> Self {
        self.path_secret = Some(secret);
        self
    }

    /// Computes the epoch from this init_secret.
    pub(in super::super) fn init_secret(mut self, secret: Secret) -> Self {
        self.init_secret = secret;
        self
    }

    /// Encrypts the path under this GroupContext.
    pub(in super::super) fn sealing_context(mut self, context: Vec<u8>) -> Self {
        self.sealing_context = Some(context);
        self
    }

    /// Leaves the list empty.
    pub(in super::super) fn without_proposals(mut self) -> Self {
        self.entries.clear();
        self
    }

    /// The committer's new leaf, before it is signed.
    pub(in super::super) fn leaf(mut self, hook: impl FnOnce(&mut Leaf) + 'a) -> Self {
        self.on_leaf = Box::new(hook);
        self
    }

    /// The keys of the path, before they are in the tree.
    pub(in super::super) fn path(mut self, hook: impl FnOnce(&mut Vec<Path>) + 'a) -> Self {
        self.on_path = Box::new(hook);
        self
    }

    /// The secrets of the path, before they are encrypted.
    pub(in super::super) fn sealing(mut self, hook: impl FnOnce(&mut Vec<Path>) + 'a) -> Self {
        self.on_sealing = Box::new(hook);
        self
    }

    /// The nodes of the UpdatePath.
    pub(in super::super) fn nodes(mut self, hook: impl FnOnce(&mut Vec<PathNode>) + 'a) -> Self {
        self.on_nodes = Box::new(hook);
        self
    }

    /// The encoded Commit.
    pub(in super::super) fn content(mut self, hook: impl FnOnce(&mut Vec<u8>) + 'a) -> Self {
        self.on_content = Box::new(hook);
        self
    }

    /// The frame, before it is signed.
    pub(in super::super) fn frame(mut self, hook: impl FnOnce(&mut Frame) + 'a) -> Self {
        self.on_frame = Box::new(hook);
        self
    }

    pub(in super::super) fn make(mut self) -> Result<Made<'a>> {
        let old = self.group.clone();
        let mut group = self.group.clone();
        let suite = group.suite;
        let Applied { added, psks } = apply(&mut group, &self.entries)?;
        let committer = match self.sender {
            Sender::Member(leaf) => leaf,
            _ => group.tree.make_room(),
        };
        group.epoch += 1;
        let (path, update_path, commit_secret) = if self.has_path {
            let new: Vec<u32> = added.iter().map(|(leaf, _)| *leaf).collect();
            self.make_path(&mut group, committer, &new)?
        } else {
            (Vec::new(), None, Secret::zero(suite.kdf_nh()))
        };
        let list: Vec<_> =
            self.entries.iter().map(|entry| entry.encoded(suite)).collect::<Result<_>>()?;
        let mut content = struct_of(&[&vector(&list)?, &optional(update_path)]);
        (self.on_content)(&mut content);
        let mut frame = Frame::new(&old, (self.sender, self.signer), COMMIT, content);
        (self.on_frame)(&mut frame);
        let signed = frame.sign(&old)?;
        let input = signed.transcript_hash_input()?;
        group.confirmed_transcript_hash =
            suite.hash(&[&old.interim_transcript_hash()?, &input]).as_slice().to_vec();
        let joiner_secret = group.joiner_secret(&self.init_secret, &commit_secret)?;
        group.enter(&joiner_secret, &psk_secret(suite, &psks)?)?;
        let message = signed.protect(&old, Some(group.confirmation_tag.clone()))?;
        Ok(Made { message, group, joiner_secret, psks, path, added, committer })
    }

    /// Sections 7.4 and 7.5: puts a path into the tree. Its path secrets, the UpdatePath, and the
    /// commit_secret.
    fn make_path(
        &mut self,
        group: &mut Group<'_>,
        committer: u32,
        new: &[u32],
    ) -> Result<(Vec<Path>, Option<Vec<u8>>, Secret)> {
        let suite = group.suite;
        let mut path = Vec::new();
        let mut path_secret = match self.path_secret.take() {
            Some(secret) => secret,
            None => random(suite)?,
        };
        for step in group.tree.filtered_direct_path(committer) {
            let encryption_key = path_key(suite, &path_secret)?;
            let next = derive_secret(suite, &path_secret, b"path")?;
            path.push(Path { node: step.node, path_secret, encryption_key });
            path_secret = next;
        }
        take(&mut self.on_path)(&mut path);
        group.tree.blank_path(committer);
        for Path { node, encryption_key, .. } in &path {
            group.tree.nodes[*node] = Some(Node::Parent(Parent {
                encryption_key: encryption_key.clone(),
                parent_hash: Vec::new(),
                unmerged_leaves: Vec::new(),
            }));
        }
        let mut leaf = self.leaf.clone();
        leaf.encryption_key = suite.generate_key_pair()?.public().to_vec();
        leaf.source = Source::Commit(group.tree.set_parent_hashes(suite, committer)?);
        leaf.place = (group.group_id.clone(), committer);
        take(&mut self.on_leaf)(&mut leaf);
        let placed = PlacedLeaf::new(leaf, suite)?;
        let encoded_leaf = placed.encoded.clone();
        group.signers.insert(committer, placed.draft.signer.clone());
        group.tree.put(committer, placed);
        let mut sealed = path.clone();
        take(&mut self.on_sealing)(&mut sealed);
        let mut nodes = self.seal(group, committer, &sealed, new)?;
        take(&mut self.on_nodes)(&mut nodes);
        let nodes: Vec<_> = nodes.iter().map(PathNode::encoded).collect::<Result<_>>()?;
        let update_path = struct_of(&[&encoded_leaf, &vector(&nodes)?]);
        Ok((path, Some(update_path), path_secret))
    }

    /// Section 12.4.1: encrypts each path secret to the other side of its node.
    fn seal(
        &self,
        group: &Group<'_>,
        committer: u32,
        path: &[Path],
        new: &[u32],
    ) -> Result<Vec<PathNode>> {
        let context = match &self.sealing_context {
            Some(context) => context.clone(),
            None => group.context()?,
        };
        let steps = group.tree.filtered_direct_path(committer);
        let mut nodes = Vec::new();
        for (step, secret) in steps.iter().zip(path) {
            let mut recipients = group.tree.resolution(step.copath);
            recipients.retain(|node| !new.iter().any(|leaf| 2 * *leaf as usize == *node));
            let sealed = recipients.iter().map(|node| {
                let key = HpkePublicKey::from(group.tree.encryption_key(*node).to_vec());
                let plaintext = secret.path_secret.as_slice();
                encrypt_with_label(group.suite, &key, b"UpdatePathNode", &context, plaintext)
            });
            nodes.push(PathNode {
                encryption_key: secret.encryption_key.clone(),
                encrypted_path_secret: sealed.collect::<Result<_>>()?,
            });
        }
        Ok(nodes)
    }
}

fn take<'h, T>(hook: &mut Hook<'h, T>) -> Hook<'h, T> {
    std::mem::replace(hook, Box::new(|_| ()))
}

/// The public key of the node that has this path secret (section 7.4).
pub(in super::super) fn path_key(suite: &dyn Suite, path_secret: &Secret) -> Result<Vec<u8>> {
    let node_secret = derive_secret(suite, path_secret, b"node")?;
    Ok(suite.derive_key_pair(node_secret.as_slice())?.public().to_vec())
}

impl PathNode {
    fn encoded(&self) -> Result<Vec<u8>> {
        let sealed = self.encrypted_path_secret.iter();
        let sealed: Vec<_> = sealed
            .map(|sealed| Ok([opaque(&sealed.kem_output)?, opaque(&sealed.ciphertext)?].concat()))
            .collect::<Result<_>>()?;
        Ok([opaque(&self.encryption_key)?, vector(&sealed)?].concat())
    }
}
