//! Commits of a member who checks nothing. Signatures, tags and keys are right.

use crypto_api::Digest;

use crate::{
    codec::Encode,
    framing::{Content, EpochContext, Sender, SignedContent, WireFormat, sign},
    group::{
        Client, Group, Identity,
        draft::{Draft, PathDraft},
        proposal_list::{Committer, apply_unchecked},
        proposals::{ProposalCache, View},
    },
    schedule::{InitSecret, PskSecret, interim_transcript_hash},
    tree::{LeafDescription, UnverifiedRatchetTree},
    types::{Commit, ExternalPub, GroupInfo, Proposal, ProposalOrRef},
};

pub(super) fn by_value(proposals: Vec<Proposal>) -> Vec<ProposalOrRef> {
    proposals.into_iter().map(ProposalOrRef::Proposal).collect()
}

/// A commit of this list, without a path and with any tag: for what is refused before that matters.
pub(super) fn bare(group: &mut Group, entries: Vec<ProposalOrRef>) -> Vec<u8> {
    let client = group.client.clone();
    let suite = client.suite(group.cipher_suite()).unwrap();
    bare_with_tag(group, entries, suite.hash(&[b"any"]))
}

pub(super) fn bare_with_tag(
    group: &mut Group,
    entries: Vec<ProposalOrRef>,
    tag: Digest,
) -> Vec<u8> {
    let client = group.client.clone();
    let suite = client.suite(group.cipher_suite()).unwrap();
    let commit = Content::Commit(Commit { proposals: entries, path: None });
    let signed = sign_as_member(group, commit).confirm(&tag).unwrap();
    let format = client.config().handshake_format.into();
    group.protect(suite, signed, format).unwrap().protected.message
}

/// A proposal that nobody has checked.
pub(super) fn proposal(group: &mut Group, proposal: Proposal) -> Vec<u8> {
    let client = group.client.clone();
    let suite = client.suite(group.cipher_suite()).unwrap();
    let signed = sign_as_member(group, Content::Proposal(proposal));
    let format = client.config().handshake_format.into();
    group.protect(suite, signed, format).unwrap().protected.message
}

/// A SelfRemove, whoever doesn't support it; always in the clear.
pub(super) fn forged_self_remove(group: &mut Group) -> Vec<u8> {
    let client = group.client.clone();
    let suite = client.suite(group.cipher_suite()).unwrap();
    let content = Content::Proposal(Proposal::SelfRemove);
    let (format, sender) = (WireFormat::PublicMessage, Sender::Member(group.own_leaf()));
    let frame = group.epoch.frame(suite);
    let signed = sign(&frame, &group.signer, format, sender, Vec::new(), content).unwrap();
    group.protect(suite, signed, format).unwrap().protected.message
}

fn sign_as_member(group: &Group, content: Content) -> SignedContent {
    let suite = group.suite().unwrap();
    let format = group.client.config().handshake_format.into();
    let sender = Sender::Member(group.own_leaf());
    let frame = group.epoch.frame(suite);
    sign(&frame, &group.signer, format, sender, Vec::new(), content).unwrap()
}

/// A whole commit, right in all but that nobody has looked at its list and at the tree.
pub(super) fn complete(
    group: &mut Group,
    entries: Vec<ProposalOrRef>,
    has_path: bool,
    description: Option<LeafDescription>,
) -> Vec<u8> {
    let client = group.client.clone();
    let suite = client.suite(group.cipher_suite()).unwrap();
    let own_leaf = group.own_leaf();
    let sender = Sender::Member(own_leaf);
    let view = group.view(suite);
    let list = group.proposals.list(&view, entries.clone(), sender).unwrap();
    let mut applied = apply_unchecked(&view, &list, Committer::Member(own_leaf)).unwrap();
    let own = LeafDescription::from(group.own_leaf_node().unwrap());
    let format: WireFormat = client.config().handshake_format.into();
    let made = Draft {
        view,
        frame: group.epoch.frame(suite),
        interim_transcript_hash: &group.epoch.interim_transcript_hash,
        sender,
        signer: &group.signer,
        wire_format: format,
        authenticated_data: Vec::new(),
        proposals: entries,
        path: has_path.then(|| PathDraft {
            leaf: own_leaf,
            description: description.unwrap_or(own),
            signer: group.signer.clone(),
        }),
        init_secret: &group.epoch.secrets.init_secret,
        psk_secret: &PskSecret::none(suite),
    }
    .make(&mut applied)
    .unwrap();
    group.protect(suite, made.signed, format).unwrap().protected.message
}

/// The list of an external commit.
pub(super) struct External {
    pub(super) has_init: usize,
    pub(super) others: Vec<ProposalOrRef>,
}

/// An external commit, right in all but its list.
pub(super) fn external(
    client: &Client,
    identity: &Identity,
    info: &GroupInfo,
    members: &Group,
    list: External,
) -> Vec<u8> {
    let suite = client.suite(identity.cipher_suite).unwrap();
    let tree = crate::codec::Decode::decode_exact(&members.tree().to_bytes().unwrap());
    let tree = UnverifiedRatchetTree::trust(tree.unwrap());
    let context = &info.group_context;
    let view = View { suite, application: client.application(), context, tree: &tree };
    let external_pub: ExternalPub = info.extensions.find().unwrap().unwrap();
    let (kem_output, init_secret) =
        InitSecret::send_external(suite, &external_pub.external_pub).unwrap();
    let init = ProposalOrRef::Proposal(Proposal::ExternalInit(kem_output));
    let mut entries = vec![init; list.has_init];
    entries.extend(list.others);
    // What is by reference, a member knows.
    let cache: &ProposalCache = &members.proposals;
    let checked = cache.list(&view, entries.clone(), Sender::NewMemberCommit).unwrap();
    let mut applied = apply_unchecked(&view, &checked, Committer::New).unwrap();
    let leaf = applied.tree.make_room().unwrap();
    let encoded = context.to_bytes().unwrap();
    let frame = EpochContext {
        suite,
        group_id: &context.group_id,
        epoch: context.epoch,
        group_context: &encoded,
    };
    let transcript = &context.confirmed_transcript_hash;
    let interim = interim_transcript_hash(suite, transcript, &info.confirmation_tag).unwrap();
    let made = Draft {
        view,
        frame,
        interim_transcript_hash: &interim,
        sender: Sender::NewMemberCommit,
        signer: &identity.signer,
        wire_format: WireFormat::PublicMessage,
        authenticated_data: Vec::new(),
        proposals: entries,
        path: Some(PathDraft {
            leaf,
            description: identity.description.clone(),
            signer: identity.signer.clone(),
        }),
        init_secret: &init_secret,
        psk_secret: &PskSecret::none(suite),
    }
    .make(&mut applied)
    .unwrap();
    let protected = made.signed.into_public_message_from_outside(&frame);
    protected.unwrap().message
}
