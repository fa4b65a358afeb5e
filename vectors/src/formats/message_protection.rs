//! `message-protection.json`: messages unprotected, and protected again.

use burrow::codec::{Decode, Encode};
use burrow::framing::{
    Content, EpochContext, MlsMessage, Padding, Protected, Sender, SenderKeys, SignedContent,
    VerifiedContent, WireFormat, sign,
};
use burrow::schedule::{
    EncryptionSecret, MembershipKey, RatchetLimits, SecretTree, SenderDataSecret,
};
use burrow::types::{Extensions, GroupContext, LeafIndex, ProtocolVersion};
use crypto_api::{CipherSuite, Digest, Secret, SigningKey, Suite, VerifyingKey};
use serde::Deserialize;
use serde_json::Value;

use crate::hex::Hex;
use crate::run::Bench;
use crate::{Stop, Tally};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    cipher_suite: u16,
    group_id: Hex,
    epoch: u64,
    tree_hash: Hex,
    confirmed_transcript_hash: Hex,
    signature_priv: Hex,
    signature_pub: Hex,
    encryption_secret: Hex,
    sender_data_secret: Hex,
    membership_key: Hex,
    proposal: Hex,
    proposal_pub: Hex,
    proposal_priv: Hex,
    commit: Hex,
    commit_pub: Hex,
    commit_priv: Hex,
    application: Hex,
    application_priv: Hex,
}

/// The sender in all of the vectors.
const SENDER: LeafIndex = LeafIndex(1);

/// A message as the file has it, and what is in it.
struct Message<'a> {
    name: &'static str,
    wire_format: WireFormat,
    encoded: &'a Hex,
    content: &'a Content,
    raw: &'a Hex,
}

pub(crate) fn check(bench: &Bench<'_>, case: &Value, tally: &mut Tally) -> Result<(), Stop> {
    let case: Case = super::read(case, tally)?;
    let group = Group::new(bench.suite, &case, tally)?;
    let proposal = tally.step("proposal", Decode::decode_exact(&case.proposal.0))?;
    let proposal = Content::Proposal(proposal);
    let commit = tally.step("commit", Decode::decode_exact(&case.commit.0))?;
    let commit = Content::Commit(commit);
    let application = Content::Application(case.application.0.clone());
    let public = WireFormat::PublicMessage;
    let private = WireFormat::PrivateMessage;
    for (name, wire_format, encoded, content, raw) in [
        ("proposal_pub", public, &case.proposal_pub, &proposal, &case.proposal),
        ("proposal_priv", private, &case.proposal_priv, &proposal, &case.proposal),
        ("commit_pub", public, &case.commit_pub, &commit, &case.commit),
        ("commit_priv", private, &case.commit_priv, &commit, &case.commit),
        ("application_priv", private, &case.application_priv, &application, &case.application),
    ] {
        let message = Message { name, wire_format, encoded, content, raw };
        check_message(&group, &message, tally)?;
    }
    let unsafe_application = group.sign(public, &application);
    tally.refused("application data as a PublicMessage", unsafe_application);
    Ok(())
}

fn check_message(group: &Group<'_>, v: &Message<'_>, tally: &mut Tally) -> Result<(), Stop> {
    tally.place(v.name);
    let theirs = group.unprotect(&v.encoded.0, tally)?;
    check_content(&theirs, v, tally)?;

    tally.place(format_args!("our {}", v.name));
    let ours = group.protect(v.wire_format, v.content, tally)?;
    let received = group.unprotect(&ours.message, tally)?;
    check_content(&received, v, tally)?;
    tally.holds("our own view of it", received == ours.content);
    Ok(())
}

fn check_content(
    verified: &VerifiedContent,
    v: &Message<'_>,
    tally: &mut Tally,
) -> Result<(), Stop> {
    tally.same("wire format", verified.wire_format(), v.wire_format);
    tally.same("sender", verified.sender(), Sender::Member(SENDER));
    tally.holds("content", verified.content() == v.content);
    let inside = match verified.content() {
        Content::Application(data) => data.clone(),
        Content::Proposal(proposal) => tally.step("proposal", proposal.to_bytes())?,
        Content::Commit(commit) => tally.step("commit", commit.to_bytes())?,
    };
    tally.equal("raw content", inside, &v.raw.0);
    let has_tag = verified.confirmation_tag().is_some();
    tally.same("confirmation tag", has_tag, matches!(v.content, Content::Commit(_)));
    Ok(())
}

/// The group as the case describes it.
struct Group<'a> {
    suite: &'a dyn Suite,
    case: &'a Case,
    group_context: Vec<u8>,
    signer: SigningKey,
    membership_key: MembershipKey,
    sender_data_secret: SenderDataSecret,
}

impl SenderKeys for Group<'_> {
    fn member(&self, leaf_index: LeafIndex) -> burrow::Result<Option<VerifyingKey>> {
        let key = self.suite.verifying_key(&self.case.signature_pub.0)?;
        Ok((leaf_index == SENDER).then_some(key))
    }

    fn external(&self, _: u32) -> burrow::Result<Option<VerifyingKey>> {
        Ok(None)
    }
}

impl<'a> Group<'a> {
    fn new(suite: &'a dyn Suite, case: &'a Case, tally: &mut Tally) -> Result<Self, Stop> {
        let context = GroupContext {
            version: ProtocolVersion::MLS10,
            cipher_suite: CipherSuite(case.cipher_suite),
            group_id: case.group_id.0.clone(),
            epoch: case.epoch,
            tree_hash: case.tree_hash.0.clone(),
            confirmed_transcript_hash: case.confirmed_transcript_hash.0.clone(),
            extensions: Extensions::default(),
        };
        let signer = super::private_key(case.cipher_suite, &case.signature_priv.0);
        let signer = tally.step("signature_priv", suite.signing_key(&signer))?;
        tally.equal("signature_pub", signer.public(), &case.signature_pub.0);
        Ok(Self {
            suite,
            case,
            group_context: tally.step("GroupContext", context.to_bytes())?,
            signer,
            membership_key: Secret::copy_from(&case.membership_key.0).into(),
            sender_data_secret: Secret::copy_from(&case.sender_data_secret.0).into(),
        })
    }

    fn epoch(&self) -> EpochContext<'_> {
        EpochContext {
            suite: self.suite,
            group_id: &self.case.group_id.0,
            epoch: self.case.epoch,
            group_context: &self.group_context,
        }
    }

    fn secret_tree(&self) -> SecretTree {
        let secret = Secret::copy_from(&self.case.encryption_secret.0);
        SecretTree::new(EncryptionSecret::from(secret), 2, RatchetLimits::default())
    }

    fn unprotect(&self, message: &[u8], tally: &mut Tally) -> Result<VerifiedContent, Stop> {
        match tally.step("message", MlsMessage::decode_exact(message))? {
            MlsMessage::PublicMessage(message) => {
                let content = message.unprotect(&self.epoch(), &self.membership_key, self);
                tally.must("unprotecting", content)
            }
            MlsMessage::PrivateMessage(message) => {
                let mut tree = self.secret_tree();
                let secret = &self.sender_data_secret;
                let opened = message.unprotect(&self.epoch(), secret, &tree, self);
                let (content, advance) = tally.must("unprotecting", opened)?;
                tally.step("using the key", tree.advance(self.suite, advance))?;
                Ok(content)
            }
            _ => tally.some("a message to a group", None),
        }
    }

    fn sign(&self, wire_format: WireFormat, content: &Content) -> burrow::Result<SignedContent> {
        let sender = Sender::Member(SENDER);
        let data = b"authenticated data".to_vec();
        sign(&self.epoch(), &self.signer, wire_format, sender, data, content.clone())
    }

    fn protect(
        &self,
        wire_format: WireFormat,
        content: &Content,
        tally: &mut Tally,
    ) -> Result<Protected, Stop> {
        let mut signed = tally.step("signing", self.sign(wire_format, content))?;
        if let Content::Commit(_) = content {
            let tag = Digest::from_fn(self.suite.kdf_nh(), |out| out.fill(0x77));
            signed = tally.step("confirming", signed.confirm(&tag))?;
        }
        let epoch = self.epoch();
        if wire_format == WireFormat::PublicMessage {
            let protected = signed.into_public_message(&epoch, &self.membership_key);
            return tally.step("protecting", protected);
        }
        let (mut tree, secret) = (self.secret_tree(), &self.sender_data_secret);
        let sealed = signed.into_private_message(&epoch, secret, &mut tree, Padding::None);
        let (protected, consumed) = tally.step("protecting", sealed)?;
        tally.same("our generation", (consumed.leaf, consumed.generation), (SENDER, 0));
        Ok(protected)
    }
}
