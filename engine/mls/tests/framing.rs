//! Signing, PublicMessages and who may send what (sections 6, 6.1, 6.2).
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod backends;
mod framing_group;

use backends::backends;
use burrow::{
    CallerError, Error, PeerError, Result,
    codec::{Decode, DecodeError, Encode},
    crypto::make_proposal_ref,
    framing::{
        AuthenticatedContent, Content, ContentType, EpochContext, MessageHeader, MlsMessage,
        Padding, Protected, Sender, VerifiedContent, WireFormat, sign,
    },
    schedule::RatchetType,
    types::{Commit, LeafIndex, Proposal, ProposalOrRef},
};
use crypto_api::{CipherSuite, CryptoBackend, Digest, SigningKey, Suite};
use crypto_rustcrypto::RustCrypto;
use framing_group::{
    ByHand, EPOCH, Encryption, GROUP_ID, Group, commit, group_context, key_package, public,
    update_leaf,
};

const BAD_MAC: Error = Error::Peer(PeerError::BadMac);
const BAD_SIGNATURE: Error = Error::Peer(PeerError::BadSignature);
const PUBLIC: WireFormat = WireFormat::PublicMessage;
const PRIVATE: WireFormat = WireFormat::PrivateMessage;

fn with_group(check: impl FnOnce(&Group<'_>)) {
    check(&Group::new(RustCrypto::new().suite(CipherSuite(1)).unwrap()));
}

fn remove() -> Content {
    Content::Proposal(Proposal::Remove(LeafIndex(0)))
}

fn add(suite: &dyn Suite, signer: &SigningKey) -> Content {
    Content::Proposal(Proposal::Add(Box::new(key_package(suite, signer))))
}

fn tag(suite: &dyn Suite) -> Digest {
    suite.mac(b"confirmation_key", &[b"transcript"])
}

fn is_invalid<T: std::fmt::Debug>(result: Result<T>, section: &str) -> bool {
    let error = result.unwrap_err();
    matches!(error, Error::Peer(PeerError::Invalid(rule)) if rule.starts_with(section))
}

/// Signs and protects as one who isn't a member.
fn from_outside(
    group: &Group<'_>,
    signer: &SigningKey,
    sender: Sender,
    content: Content,
) -> Result<Protected> {
    let signed = sign(&group.epoch(), signer, PUBLIC, sender, b"data".to_vec(), content)?;
    let signed = match sender {
        Sender::NewMemberCommit => signed.confirm(&tag(group.suite))?,
        _ => signed,
    };
    signed.into_public_message_from_outside(&group.epoch())
}

fn from_member(group: &Group<'_>, wire_format: WireFormat, content: Content) -> Result<Protected> {
    let is_commit = matches!(content, Content::Commit(_));
    let sender = Sender::Member(LeafIndex(1));
    let epoch = group.epoch();
    let mut signed = sign(&epoch, group.signer(1), wire_format, sender, b"data".to_vec(), content)?;
    if is_commit {
        signed = signed.confirm(&tag(group.suite))?;
    }
    if wire_format == PUBLIC {
        return signed.into_public_message(&epoch, &group.secrets.membership_key);
    }
    let (secret, mut tree) = (&group.secrets.sender_data_secret, group.tree());
    let protected = signed.into_private_message(&epoch, secret, &mut tree, Padding::None);
    protected.map(|(protected, _)| protected)
}

/// Every kind of sender on every suite of every backend: what is sent is what is received, and what
/// both keep of it is the same.
#[test]
fn every_kind_of_sender() {
    for (backend, suites) in backends() {
        for number in suites {
            let suite = backend.suite(CipherSuite(*number)).unwrap();
            let group = &Group::new(suite);
            let joiner = suite.generate_signing_key().unwrap();
            let external = &group.external;
            let commit_of = |key| Content::Commit(commit(suite, key));
            for (signer, sender, content) in [
                (external, Sender::External(0), remove()),
                (&joiner, Sender::NewMemberProposal, add(suite, &joiner)),
                (&joiner, Sender::NewMemberCommit, commit_of(&joiner)),
            ] {
                let sent = from_outside(group, signer, sender, content.clone()).unwrap();
                check_sent(group, sent, PUBLIC, sender, &content);
            }
            let sender = Sender::Member(LeafIndex(1));
            for content in [remove(), commit_of(group.signer(1))] {
                let sent = from_member(group, PUBLIC, content.clone()).unwrap();
                check_sent(group, sent, PUBLIC, sender, &content);
                let sent = from_member(group, PRIVATE, content.clone()).unwrap();
                check_sent(group, sent, PRIVATE, sender, &content);
            }
            let content = Content::Application(b"hello".to_vec());
            let sent = from_member(group, PRIVATE, content.clone()).unwrap();
            check_sent(group, sent, PRIVATE, sender, &content);
        }
    }
}

fn check_sent(
    group: &Group<'_>,
    sent: Protected,
    wire_format: WireFormat,
    sender: Sender,
    content: &Content,
) {
    let header = MessageHeader::peek(&sent.message).unwrap();
    assert_eq!(header.wire_format, wire_format);
    let place = header.group.unwrap();
    assert_eq!((place.group_id, place.epoch), (GROUP_ID, EPOCH));
    assert_eq!(place.content_type, Some(content.content_type()));
    let received = match wire_format {
        WireFormat::PrivateMessage => {
            let mut tree = group.tree();
            let (content, advance) = group.unprotect_private(&tree, &sent.message).unwrap();
            assert_eq!(advance.consumed().generation, 0);
            tree.advance(group.suite, advance).unwrap();
            content
        }
        _ => group.unprotect_public(&sent.message).unwrap(),
    };
    assert_eq!(received.sender(), sender);
    assert_eq!(received.content(), content);
    assert_eq!(received.authenticated_data(), b"data");
    assert_eq!((received.group_id(), received.epoch()), (GROUP_ID, EPOCH));
    assert_eq!(received.wire_format(), wire_format);
    let is_commit = content.content_type() == ContentType::Commit;
    let expected = tag(group.suite);
    let expected = is_commit.then_some(expected.as_slice());
    assert_eq!(received.confirmation_tag(), expected);
    assert_eq!(received, sent.content);
    check_kept(group.suite, &received);
    assert_eq!(&received.into_framed_content().content, content);
}

/// The parts of the encoding that hashes are taken of are what sections 5.2 and 8.2 say.
fn check_kept(suite: &dyn Suite, received: &VerifiedContent) {
    let framed = received.clone().into_framed_content().to_bytes().unwrap();
    let signature = received.signature().to_bytes().unwrap();
    let wire_format = received.wire_format().to_bytes().unwrap();
    let input = [wire_format, framed, signature].concat();
    assert_eq!(received.confirmed_transcript_hash_input(), input);
    let tag = received.confirmation_tag().map(<[u8]>::to_vec);
    let tag = tag.map_or(Vec::new(), |tag| tag.to_bytes().unwrap());
    let all = [input, tag].concat();
    assert_eq!(received.as_bytes(), all);
    let reference = received.proposal_ref(suite).unwrap();
    assert_eq!(reference, make_proposal_ref(suite, &all).unwrap());
    // Stored and read again.
    let stored = AuthenticatedContent::decode_exact(&received.to_bytes().unwrap()).unwrap();
    assert_eq!(&VerifiedContent::trusted(stored), received);
}

#[test]
fn messages_by_hand_are_understood() {
    for (backend, suites) in backends() {
        for number in suites {
            let group = &Group::new(backend.suite(CipherSuite(*number)).unwrap());
            let path = commit(group.suite, group.signer(1));
            for content in [remove(), Content::Commit(path)] {
                let message = ByHand::new(group, 1, content.clone()).public();
                let received = group.unprotect_public(&message).unwrap();
                assert_eq!(received.content(), &content);
                let message = ByHand::new(group, 2, content.clone());
                let message = message.private(&Encryption::of_leaf_1());
                let (received, _) = group.unprotect_private(&group.tree(), &message).unwrap();
                assert_eq!(received.content(), &content);
            }
        }
    }
}

#[test]
fn pitfall_17_tags_and_signatures_are_over_the_epoch_of_sending() {
    with_group(|group| {
        let later = group_context(group.suite, EPOCH + 1);
        let commit = Content::Commit(commit(group.suite, group.signer(1)));
        for content in [commit, remove()] {
            let message = from_member(group, PUBLIC, content).unwrap().message;
            let with_later = EpochContext { group_context: &later, ..group.epoch() };
            let key = &group.secrets.membership_key;
            let result = public(&message).unwrap().unprotect(&with_later, key, group);
            assert_eq!(result, Err(BAD_MAC));
            // Without the tag, which is the outsider's way, the signature says the same.
            let message = public(&message).unwrap();
            let result = message.unprotect_as_outsider(&with_later, group);
            assert_eq!(result, Err(BAD_SIGNATURE));
        }
    });
}

#[test]
fn pitfall_25_an_external_commit_has_a_path_and_no_membership_tag() {
    with_group(|group| {
        let joiner = &group.suite.generate_signing_key().unwrap();
        let other = &group.suite.generate_signing_key().unwrap();
        let by_hand = |signer, content| ByHand {
            sender: Sender::NewMemberCommit,
            signer,
            ..ByHand::new(group, 1, content)
        };
        let with_path = || Content::Commit(commit(group.suite, joiner));
        assert!(group.unprotect_public(&by_hand(joiner, with_path()).public()).is_ok());

        // Signed by another key than that of the path's leaf.
        let result = group.unprotect_public(&by_hand(other, with_path()).public());
        assert_eq!(result, Err(BAD_SIGNATURE));
        // Over another epoch: its signature does cover the GroupContext.
        let message = public(&by_hand(joiner, with_path()).public()).unwrap();
        let later = group_context(group.suite, EPOCH + 1);
        let with_later = EpochContext { group_context: &later, ..group.epoch() };
        let key = &group.secrets.membership_key;
        assert_eq!(message.unprotect(&with_later, key, group), Err(BAD_SIGNATURE));

        let without = || {
            Content::Commit(Commit {
                proposals: vec![ProposalOrRef::Proposal(Proposal::ExternalInit(vec![1]))],
                path: None,
            })
        };
        let result = group.unprotect_public(&by_hand(joiner, without()).public());
        assert!(is_invalid(result, "12.4.3.2"));
        let result = from_outside(group, joiner, Sender::NewMemberCommit, without());
        assert_eq!(result.unwrap_err().fault(), "caller");

        let result = group.unprotect_public(&by_hand(joiner, remove()).public());
        assert!(is_invalid(result, "6.1"));
        let with_tag = by_hand(joiner, with_path()).public_with(Some(&[0; 32]));
        let trailing = PeerError::Malformed(DecodeError::TrailingBytes);
        assert_eq!(group.unprotect_public(&with_tag), Err(trailing.into()));
    });
}

#[test]
fn pitfall_27_external_senders_send_some_proposals_only() {
    with_group(|group| {
        let suite = group.suite;
        let by_hand = |content| ByHand {
            sender: Sender::External(0),
            signer: &group.external,
            ..ByHand::new(group, 1, content)
        };
        let joiner = suite.generate_signing_key().unwrap();
        let update = || Content::Proposal(Proposal::Update(update_leaf(suite, group.signer(1))));
        let external_init = || Content::Proposal(Proposal::ExternalInit(vec![1]));
        let self_remove = || Content::Proposal(Proposal::SelfRemove);
        for content in [remove(), add(suite, &joiner)] {
            assert!(group.unprotect_public(&by_hand(content).public()).is_ok());
        }
        for content in [update(), external_init(), self_remove()] {
            let result = group.unprotect_public(&by_hand(content.clone()).public());
            assert!(is_invalid(result, "12.1.8"));
            let result = from_outside(group, &group.external, Sender::External(0), content);
            assert_eq!(result.unwrap_err().fault(), "caller");
        }
        let commit = Content::Commit(commit(suite, &group.external));
        let result = group.unprotect_public(&by_hand(commit).public());
        assert!(is_invalid(result, "6.1"));

        // The key is that of the index, and of no other sender.
        let mut unknown = by_hand(remove());
        unknown.sender = Sender::External(1);
        assert!(is_invalid(group.unprotect_public(&unknown.public()), "6.1"));
        let mut other = by_hand(remove());
        other.signer = group.signer(1);
        assert_eq!(group.unprotect_public(&other.public()), Err(BAD_SIGNATURE));
    });
}

#[test]
fn pitfall_27_outsiders_sign_without_a_group_context_and_in_public() {
    with_group(|group| {
        let joiner = &group.suite.generate_signing_key().unwrap();
        let outsiders = [
            (&group.external, Sender::External(0), remove()),
            (joiner, Sender::NewMemberProposal, add(group.suite, joiner)),
        ];
        for (signer, sender, content) in outsiders {
            let message = from_outside(group, signer, sender, content.clone()).unwrap().message;
            let without_context = EpochContext { group_context: b"", ..group.epoch() };
            let message = public(&message).unwrap();
            let key = &group.secrets.membership_key;
            assert!(message.unprotect(&without_context, key, group).is_ok());
            let result = sign(&group.epoch(), signer, PRIVATE, sender, Vec::new(), content);
            assert_eq!(result.unwrap_err().fault(), "caller");
        }
    });
}

#[test]
fn a_new_member_proposes_to_add_itself() {
    with_group(|group| {
        let joiner = &group.suite.generate_signing_key().unwrap();
        let other = &group.suite.generate_signing_key().unwrap();
        let by_hand = |signer, content| ByHand {
            sender: Sender::NewMemberProposal,
            signer,
            ..ByHand::new(group, 1, content)
        };
        let result = group.unprotect_public(&by_hand(other, add(group.suite, joiner)).public());
        assert_eq!(result, Err(BAD_SIGNATURE));
        let commit = Content::Commit(commit(group.suite, joiner));
        for content in [remove(), commit] {
            let result = group.unprotect_public(&by_hand(joiner, content).public());
            assert!(is_invalid(result, "6.1"));
        }
    });
}

/// GHSA-8x3w-qj7j-gqhf was a membership tag of length zero that passed.
#[test]
fn pitfall_38_a_membership_tag_is_all_there_or_no_good() {
    with_group(|group| {
        let by_hand = ByHand::new(group, 1, remove());
        let message = by_hand.public();
        assert!(group.unprotect_public(&message).is_ok());
        let tag = &message[message.len() - 32..];
        // Ed25519 signs the same twice, so that this is the tag of the next message as well.
        assert_eq!(by_hand.public_with(Some(tag)), message);
        for length in 0..32 {
            let result = group.unprotect_public(&by_hand.public_with(Some(&tag[..length])));
            assert_eq!(result, Err(BAD_MAC), "{length} bytes");
        }
        let longer = [tag, &[0]].concat();
        assert_eq!(group.unprotect_public(&by_hand.public_with(Some(&longer))), Err(BAD_MAC));
        let missing = PeerError::Malformed(DecodeError::EndOfInput);
        assert_eq!(group.unprotect_public(&by_hand.public_with(None)), Err(missing.into()));
    });
}

#[test]
fn pitfall_43_application_data_is_never_public() {
    with_group(|group| {
        let content = Content::Application(b"hello".to_vec());
        let result = group.unprotect_public(&ByHand::new(group, 1, content.clone()).public());
        assert!(is_invalid(result, "6:"));
        let result = from_member(group, PUBLIC, content);
        assert_eq!(result.unwrap_err().fault(), "caller");
    });
}

#[test]
fn a_blank_leaf_sends_nothing() {
    with_group(|group| {
        for leaf in [2, 4, u32::MAX] {
            let message = ByHand {
                sender: Sender::Member(LeafIndex(leaf)),
                ..ByHand::new(group, 1, remove())
            };
            assert!(is_invalid(group.unprotect_public(&message.public()), "6.1"));
        }
    });
}

/// No bit of a PublicMessage can be changed.
#[test]
fn every_bit_of_a_public_message_is_protected() {
    with_group(|group| {
        let commit = Content::Commit(commit(group.suite, group.signer(1)));
        for content in [remove(), commit] {
            let message = from_member(group, PUBLIC, content).unwrap().message;
            for at in 0..message.len() {
                for bit in [0x01, 0x80] {
                    let mut changed = message.clone();
                    changed[at] ^= bit;
                    let decoded = MlsMessage::decode_exact(&changed);
                    if let Ok(MlsMessage::PublicMessage(message)) = decoded {
                        let key = &group.secrets.membership_key;
                        assert!(message.unprotect(&group.epoch(), key, group).is_err());
                    } else {
                        // Not even of the same wire format, or of none.
                        assert!(decoded.is_err() || at < 4);
                    }
                }
            }
        }
    });
}

#[test]
fn a_message_of_another_group_or_epoch_is_refused() {
    with_group(|group| {
        let messages = [PUBLIC, PRIVATE].map(|wire_format| {
            let protected = from_member(group, wire_format, remove());
            MlsMessage::decode_exact(&protected.unwrap().message).unwrap()
        });
        let others = [
            EpochContext { group_id: b"another", ..group.epoch() },
            EpochContext { epoch: EPOCH + 1, ..group.epoch() },
        ];
        for epoch in others {
            for message in messages.clone() {
                let refused = match message {
                    MlsMessage::PublicMessage(message) => {
                        let key = &group.secrets.membership_key;
                        is_invalid(message.unprotect(&epoch, key, group), "6:")
                    }
                    MlsMessage::PrivateMessage(message) => {
                        let secret = &group.secrets.sender_data_secret;
                        is_invalid(message.unprotect(&epoch, secret, &group.tree(), group), "6:")
                    }
                    other => panic!("{other:?}"),
                };
                assert!(refused);
            }
        }
    });
}

/// Draft MLS extensions: a joiner from outside checks all of a SelfRemove but the membership tag.
#[test]
fn a_self_remove_is_public() {
    with_group(|group| {
        let content = Content::Proposal(Proposal::SelfRemove);
        let message = from_member(group, PUBLIC, content.clone()).unwrap().message;
        let verified = group.unprotect_public(&message).unwrap();
        let by_outsider = public(&message).unwrap().unprotect_as_outsider(&group.epoch(), group);
        assert_eq!(by_outsider.unwrap(), verified);

        let result = from_member(group, PRIVATE, content.clone());
        assert_eq!(result.unwrap_err().fault(), "caller");
        let by_hand = ByHand::new(group, 2, content).private(&Encryption::of_leaf_1());
        let result = group.unprotect_private(&group.tree(), &by_hand);
        assert!(is_invalid(result, "a SelfRemove"));
    });
}

#[test]
fn a_signed_content_goes_out_as_it_was_signed_or_not_at_all() {
    with_group(|group| {
        let epoch = group.epoch();
        let signed = |wire_format, sender, content| {
            sign(&epoch, group.signer(1), wire_format, sender, Vec::new(), content).unwrap()
        };
        let member = Sender::Member(LeafIndex(1));
        let key = &group.secrets.membership_key;
        let secret = &group.secrets.sender_data_secret;
        let caller = |result: Result<Protected>, rule| {
            assert_eq!(result.unwrap_err(), Error::Caller(CallerError::Invalid(rule)));
        };

        let mut tree = group.tree();
        let before = tree.to_bytes().unwrap();
        let mut privately = |signed: burrow::framing::SignedContent, epoch: &EpochContext<'_>| {
            let result = signed.into_private_message(epoch, secret, &mut tree, Padding::None);
            result.map(|(protected, _)| protected)
        };
        let wrong = "signed for the other wire format";
        caller(privately(signed(PUBLIC, member, remove()), &epoch), wrong);
        caller(signed(PRIVATE, member, remove()).into_public_message(&epoch, key), wrong);

        let untagged = "a commit without its confirmation tag";
        let commit = || Content::Commit(commit(group.suite, group.signer(1)));
        caller(privately(signed(PRIVATE, member, commit()), &epoch), untagged);
        caller(signed(PUBLIC, member, commit()).into_public_message(&epoch, key), untagged);

        let later = EpochContext { epoch: EPOCH + 1, ..epoch };
        let other = "signed for another epoch";
        caller(privately(signed(PRIVATE, member, remove()), &later), other);
        caller(signed(PUBLIC, member, remove()).into_public_message(&later, key), other);
        assert_eq!(tree.to_bytes().unwrap(), before);
        assert_eq!(tree.next_generation(LeafIndex(1), RatchetType::Handshake), 0);

        let outside = signed(PUBLIC, Sender::External(0), remove());
        let no_member = "a membership tag of one who is no member";
        caller(outside.into_public_message(&epoch, key), no_member);
        let inside = signed(PUBLIC, member, remove());
        let no_tag = "a member without a membership tag";
        caller(inside.into_public_message_from_outside(&epoch), no_tag);

        let tag = tag(group.suite);
        assert!(signed(PUBLIC, member, remove()).confirm(&tag).is_err());
        let confirmed = signed(PUBLIC, member, commit()).confirm(&tag).unwrap();
        assert!(confirmed.confirm(&tag).is_err());
        let sender = Sender::Member(LeafIndex(1));
        let result = sign(&epoch, group.signer(1), WireFormat::Welcome, sender, vec![], remove());
        assert_eq!(result.unwrap_err().fault(), "caller");
    });
}

/// An AuthenticatedContent of a wire format that has none doesn't decode.
#[test]
fn an_authenticated_content_is_public_or_private() {
    with_group(|group| {
        for wire_format in 0..=6 {
            let mut by_hand = ByHand::new(group, 1, remove()).authenticated().to_bytes().unwrap();
            by_hand[1] = wire_format;
            let decoded = AuthenticatedContent::decode_exact(&by_hand);
            assert_eq!(decoded.is_ok(), matches!(wire_format, 1 | 2));
        }
    });
}
