//! The working group's `message-protection.json`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod backends;
mod conformance;
mod vectors;

use burrow::{
    codec::{Decode, Encode},
    framing::{
        Content, EpochContext, MlsMessage, Padding, Protected, Sender, SenderKeys, SignedContent,
        VerifiedContent, WireFormat, sign,
    },
    schedule::{EncryptionSecret, MembershipKey, RatchetLimits, SecretTree, SenderDataSecret},
    types::{Extensions, GroupContext, LeafIndex, ProtocolVersion},
};
use conformance::{Floor, Tally};
use crypto_api::{CipherSuite, Digest, Secret, SigningKey, Suite, VerifyingKey};
use serde::Deserialize;
use vectors::Hex;

#[derive(Deserialize)]
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

#[test]
fn message_protection() {
    // Unprotect 2 + 2 + 1 messages (5 checks each), protect as many (6 checks each), one refusal.
    let floor = Floor {
        cases: 12,
        checks: 12 * (5 * 5 + 5 * 6 + 1),
    };
    let suite_of = |case: &Case| case.cipher_suite;
    conformance::run("message-protection.json", &floor, suite_of, check);
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

/// The P-521 key of the vectors is one byte short: written as an integer without its leading zero,
/// and not as a field element, as the description of the vectors has it.
fn signer(suite: &dyn Suite, case: &Case) -> SigningKey {
    let mut private = case.signature_priv.0.clone();
    if case.cipher_suite == 5 {
        let missing = 66 - private.len();
        private.splice(..0, vec![0; missing]);
    }
    let signer = suite.signing_key(&private).unwrap();
    assert_eq!(signer.public(), case.signature_pub.0);
    signer
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
    fn new(suite: &'a dyn Suite, case: &'a Case) -> Self {
        let group_context = GroupContext {
            version: ProtocolVersion::MLS10,
            cipher_suite: CipherSuite(case.cipher_suite),
            group_id: case.group_id.0.clone(),
            epoch: case.epoch,
            tree_hash: case.tree_hash.0.clone(),
            confirmed_transcript_hash: case.confirmed_transcript_hash.0.clone(),
            extensions: Extensions::default(),
        };
        Self {
            suite,
            case,
            group_context: group_context.to_bytes().unwrap(),
            signer: signer(suite, case),
            membership_key: Secret::copy_from(&case.membership_key.0).into(),
            sender_data_secret: Secret::copy_from(&case.sender_data_secret.0).into(),
        }
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

    fn unprotect(&self, message: &[u8]) -> VerifiedContent {
        match MlsMessage::decode_exact(message).unwrap() {
            MlsMessage::PublicMessage(message) => message
                .unprotect(&self.epoch(), &self.membership_key, self)
                .unwrap(),
            MlsMessage::PrivateMessage(message) => {
                let mut tree = self.secret_tree();
                let (content, advance) = message
                    .unprotect(&self.epoch(), &self.sender_data_secret, &tree, self)
                    .unwrap();
                tree.advance(self.suite, advance).unwrap();
                content
            }
            other => panic!("{other:?}"),
        }
    }

    fn sign(&self, wire_format: WireFormat, content: &Content) -> burrow::Result<SignedContent> {
        let sender = Sender::Member(SENDER);
        let data = b"authenticated data".to_vec();
        let content = content.clone();
        sign(
            &self.epoch(),
            &self.signer,
            wire_format,
            sender,
            data,
            content,
        )
    }

    fn protect(&self, wire_format: WireFormat, content: &Content) -> Protected {
        let mut signed = self.sign(wire_format, content).unwrap();
        if let Content::Commit(_) = content {
            let tag = Digest::from_fn(self.suite.kdf_nh(), |out| out.fill(0x77));
            signed = signed.confirm(&tag).unwrap();
        }
        if wire_format == WireFormat::PublicMessage {
            let protected = signed.into_public_message(&self.epoch(), &self.membership_key);
            return protected.unwrap();
        }
        let mut tree = self.secret_tree();
        let (protected, consumed) = signed
            .into_private_message(
                &self.epoch(),
                &self.sender_data_secret,
                &mut tree,
                Padding::None,
            )
            .unwrap();
        assert_eq!((consumed.leaf, consumed.generation), (SENDER, 0));
        protected
    }
}

fn check(suite: &dyn Suite, case: &Case, tally: &mut Tally) {
    let group = Group::new(suite, case);
    let proposal = Content::Proposal(decode(&case.proposal));
    let commit = Content::Commit(decode(&case.commit));
    let application = Content::Application(case.application.0.clone());
    let public = WireFormat::PublicMessage;
    let private = WireFormat::PrivateMessage;
    for (wire_format, message, content, raw) in [
        (public, &case.proposal_pub, &proposal, &case.proposal),
        (private, &case.proposal_priv, &proposal, &case.proposal),
        (public, &case.commit_pub, &commit, &case.commit),
        (private, &case.commit_priv, &commit, &case.commit),
        (
            private,
            &case.application_priv,
            &application,
            &case.application,
        ),
    ] {
        let theirs = group.unprotect(&message.0);
        check_content(&theirs, wire_format, content, raw, tally);

        let ours = group.protect(wire_format, content);
        let received = group.unprotect(&ours.message);
        check_content(&received, wire_format, content, raw, tally);
        tally.holds("our own view of it", received == ours.content);
    }
    tally.holds(
        "application data as a PublicMessage",
        group.sign(public, &application).is_err(),
    );
}

fn check_content(
    verified: &VerifiedContent,
    wire_format: WireFormat,
    content: &Content,
    raw: &Hex,
    tally: &mut Tally,
) {
    tally.holds("wire format", verified.wire_format() == wire_format);
    tally.holds("sender", verified.sender() == Sender::Member(SENDER));
    tally.holds("content", verified.content() == content);
    let inside = match verified.content() {
        Content::Application(data) => data.clone(),
        Content::Proposal(proposal) => proposal.to_bytes().unwrap(),
        Content::Commit(commit) => commit.to_bytes().unwrap(),
    };
    tally.equal("raw content", inside, &raw.0);
    let has_tag = verified.confirmation_tag().is_some();
    tally.holds("tag", has_tag == matches!(content, Content::Commit(_)));
}

fn decode<T: Decode>(hex: &Hex) -> T {
    T::decode_exact(&hex.0).unwrap()
}
