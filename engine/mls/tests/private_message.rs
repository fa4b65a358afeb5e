//! PrivateMessages (section 6.3), against messages that are made by hand.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod backends;
mod framing_group;

use std::{collections::BTreeSet, num::NonZeroU16};

use backends::backends;
use burrow::{
    Error, PeerError, Result,
    codec::{Decode, Encode},
    framing::{
        Content, ContentType, Data, Padding, PrivateMessageRef, Sender, WireFormat,
        protect_application, sign,
    },
    schedule::{
        Consumed, RatchetLimits, RatchetType, SecretTree, SenderDataSecret, StoredSecretTree,
    },
    types::{LeafIndex, Proposal},
};
use crypto_api::{CipherSuite, CryptoBackend, Secret};
use crypto_rustcrypto::RustCrypto;
use framing_group::{ByHand, EPOCH, Encryption, GROUP_ID, Group, commit, private};

const UNDECRYPTABLE: Error = Error::Peer(PeerError::Undecryptable);
const BAD_SIGNATURE: Error = Error::Peer(PeerError::BadSignature);

fn with_group(check: impl FnOnce(&Group<'_>)) {
    check(&Group::new(RustCrypto::new().suite(CipherSuite(1)).unwrap()));
}

fn hello() -> Content {
    Content::Application(b"hello".to_vec())
}

/// Application data goes both ways, the short one and that of all other contents: they take as many
/// bytes, and leave the same tree behind.
fn send(group: &Group<'_>, tree: &mut SecretTree, content: Content, padding: Padding) -> Vec<u8> {
    let (epoch, secret) = (group.epoch(), &group.secrets.sender_data_secret);
    let sender = Sender::Member(LeafIndex(1));
    let short = match &content {
        Content::Application(application) => {
            let mut copy = copy(group, tree);
            let data = Data { data: application, authenticated: b"data", padding };
            let (signer, own_leaf) = (group.signer(1), LeafIndex(1));
            let sent = protect_application(&epoch, signer, own_leaf, &data, secret, &mut copy);
            Some((sent.unwrap(), copy))
        }
        _ => None,
    };
    let wire_format = WireFormat::PrivateMessage;
    let data = b"data".to_vec();
    let signed = sign(&epoch, group.signer(1), wire_format, sender, data, content).unwrap();
    let sent = signed.into_private_message(&epoch, secret, tree, padding);
    let (protected, consumed) = sent.unwrap();
    let Some(((message, consumed_shortly), copy)) = short else {
        return protected.message;
    };
    assert_eq!(consumed_shortly, consumed);
    assert_eq!(message.len(), protected.message.len());
    assert_eq!(copy.to_bytes().unwrap(), tree.to_bytes().unwrap());
    message
}

/// Another tree in the same state.
fn copy(group: &Group<'_>, tree: &SecretTree) -> SecretTree {
    let stored = StoredSecretTree::decode_exact(&tree.to_bytes().unwrap()).unwrap();
    let own_leaf = LeafIndex(1);
    let next = tree.next_generations(own_leaf);
    stored.resume(group.suite, RatchetLimits::default(), own_leaf, next, &[]).unwrap()
}

/// The short way, if the message is of application data.
fn open_application(
    group: &Group<'_>,
    tree: &mut SecretTree,
    message: &[u8],
) -> Option<Result<Content>> {
    let secret = &group.secrets.sender_data_secret;
    let message = PrivateMessageRef::in_message(message).unwrap().unwrap();
    (message.content_type() == ContentType::Application).then(|| {
        let nobody = LeafIndex(2);
        let opened = message.open_application(&group.epoch(), nobody, secret, tree, group);
        opened.map(|opened| Content::Application(opened.data))
    })
}

/// Opens a message and uses its key up.
fn receive(group: &Group<'_>, tree: &mut SecretTree, message: &[u8]) -> Result<Content> {
    let mut copied = copy(group, tree);
    let shortly = open_application(group, &mut copied, message);
    let opened = group.unprotect_private(tree, message).and_then(|(content, advance)| {
        tree.advance(group.suite, advance)?;
        Ok(content.into_framed_content().content)
    });
    if let Some(shortly) = shortly {
        assert_eq!(shortly, opened);
        assert_eq!(copied.to_bytes().unwrap(), tree.to_bytes().unwrap());
    }
    opened
}

/// A message that has to fail, and to leave the tree as it was.
#[track_caller]
fn refused(group: &Group<'_>, tree: &SecretTree, message: &[u8]) -> Error {
    let before = tree.to_bytes().unwrap();
    let error = group.unprotect_private(tree, message).unwrap_err();
    assert_eq!(tree.to_bytes().unwrap(), before);
    let mut copied = copy(group, tree);
    if let Some(shortly) = open_application(group, &mut copied, message) {
        assert_eq!(shortly.unwrap_err(), error);
        assert_eq!(copied.to_bytes().unwrap(), before);
    }
    error
}

/// What one has sent oneself was used up when it was sent; if it opens all the same, it is from a
/// second copy of this member.
#[test]
fn application_data_of_a_twin_is_refused() {
    with_group(|group| {
        let message = send(group, &mut group.tree(), hello(), Padding::None);
        let mut tree = group.tree();
        let before = tree.to_bytes().unwrap();
        let secret = &group.secrets.sender_data_secret;
        let message = PrivateMessageRef::in_message(&message).unwrap().unwrap();
        let open = |own_leaf, tree: &mut SecretTree| {
            message.open_application(&group.epoch(), own_leaf, secret, tree, group)
        };
        let twin = open(LeafIndex(1), &mut tree).unwrap_err();
        assert_eq!(
            twin,
            Error::Peer(PeerError::Invalid("9.1: a message of our own that we didn't send"))
        );
        assert_eq!(tree.to_bytes().unwrap(), before);
        assert_eq!(open(LeafIndex(0), &mut tree).unwrap().data, b"hello");
        assert_eq!(open(LeafIndex(0), &mut tree).unwrap_err(), Error::Peer(PeerError::KeyUsedUp));
    });
}

#[test]
fn pitfall_39_the_sample_is_as_long_as_a_hash() {
    for (backend, suites) in backends() {
        for number in suites {
            let group = &Group::new(backend.suite(CipherSuite(*number)).unwrap());
            let message = ByHand::new(group, 2, hello());
            let sampled = |sample| {
                message.private(&Encryption { sample: Some(sample), ..Encryption::of_leaf_1() })
            };
            let nh = group.suite.kdf_nh();
            let mut tree = group.tree();
            for other in [0, 16, 32, 48, 64, 1 << 16] {
                if other != nh {
                    assert_eq!(refused(group, &tree, &sampled(other)), UNDECRYPTABLE);
                }
            }
            assert_eq!(receive(group, &mut tree, &sampled(nh)), Ok(hello()));
        }
    }
}

#[test]
fn pitfall_39_the_sample_of_a_short_ciphertext_is_all_of_it() {
    with_group(|group| {
        let secret = &group.secrets.sender_data_secret;
        let sample = |ciphertext: &[u8]| secret.key_and_nonce(group.suite, ciphertext).unwrap();
        let long = [7; 64];
        assert_eq!(sample(&long), sample(&long[..32]));
        assert_ne!(sample(&long), sample(&long[..31]));
        // Shorter than the sample, or even than a tag: refused for what it is.
        let message = ByHand::new(group, 2, hello());
        for length in [0, 1, 15, 16, 31] {
            let short = Encryption { ciphertext: Some(&long[..length]), ..Encryption::of_leaf_1() };
            let short = message.private(&short);
            assert!(private(&short).unwrap().sender_data(&group.epoch(), secret).is_ok());
            assert_eq!(refused(group, &group.tree(), &short), UNDECRYPTABLE);
        }
    });
}

#[test]
fn pitfall_40_the_aads_are_what_the_header_says() {
    with_group(|group| {
        let message = ByHand::new(group, 2, hello());
        let mut sender_data_aad = GROUP_ID.to_vec().to_bytes().unwrap();
        sender_data_aad.extend_from_slice(&EPOCH.to_be_bytes());
        sender_data_aad.push(1);
        let aad = [&sender_data_aad[..], &b"data".to_vec().to_bytes().unwrap()].concat();
        let with = |aad, sender_data_aad| {
            message.private(&Encryption {
                aad: Some(aad),
                sender_data_aad: Some(sender_data_aad),
                ..Encryption::of_leaf_1()
            })
        };
        let mut tree = group.tree();
        for wrong in [
            with(b"".as_slice(), &sender_data_aad[..]),
            with(&sender_data_aad, &sender_data_aad),
            with(&aad, b""),
            with(&aad, &aad),
        ] {
            assert_eq!(refused(group, &tree, &wrong), UNDECRYPTABLE);
        }
        let right = with(&aad, &sender_data_aad);
        // The authenticated data is between the header's start and the ciphertexts.
        let at = 4 + sender_data_aad.len() + 1;
        assert_eq!(&right[at..at + 4], b"data");
        let mut altered = right.clone();
        altered[at] ^= 0x20;
        assert_eq!(refused(group, &tree, &altered), UNDECRYPTABLE);
        assert_eq!(receive(group, &mut tree, &right), Ok(hello()));
    });
}

#[test]
fn pitfall_41_the_reuse_guard_goes_into_the_nonce() {
    with_group(|group| {
        let message = ByHand::new(group, 2, hello());
        let guarded = |reuse_guard, nonce_guard| {
            message.private(&Encryption {
                reuse_guard,
                nonce_guard: Some(nonce_guard),
                ..Encryption::of_leaf_1()
            })
        };
        let mut tree = group.tree();
        for (said, used) in
            [([1, 2, 3, 4], [0; 4]), ([0; 4], [1, 2, 3, 4]), ([1, 2, 3, 4], [4, 3, 2, 1])]
        {
            assert_eq!(refused(group, &tree, &guarded(said, used)), UNDECRYPTABLE);
        }
        let right = guarded([0xff, 0, 0x80, 1], [0xff, 0, 0x80, 1]);
        assert_eq!(receive(group, &mut tree, &right), Ok(hello()));
    });
}

#[test]
fn pitfall_41_each_message_has_a_guard_of_its_own() {
    with_group(|group| {
        let mut guards = BTreeSet::new();
        for _ in 0..64 {
            let mut tree = group.tree();
            let message = private(&send(group, &mut tree, hello(), Padding::None)).unwrap();
            let secret = &group.secrets.sender_data_secret;
            let sender_data = message.sender_data(&group.epoch(), secret).unwrap();
            assert_eq!(sender_data.leaf_index, LeafIndex(1));
            assert_eq!(sender_data.generation, 0);
            guards.insert(sender_data.reuse_guard);
        }
        // 64 of 2^32: a collision is a one in two million chance.
        assert_eq!(guards.len(), 64);
    });
}

#[test]
fn pitfall_42_padding_is_all_zero() {
    with_group(|group| {
        let message = ByHand::new(group, 2, hello());
        let padded =
            |padding: &[u8]| message.private(&Encryption { padding, ..Encryption::of_leaf_1() });
        for length in [0, 1, 2, 63, 64, 1000, 70_000] {
            let mut tree = group.tree();
            let zeros = vec![0; length];
            assert_eq!(receive(group, &mut tree, &padded(&zeros)), Ok(hello()));
            for at in [0, length / 2, length.wrapping_sub(1)] {
                let mut padding = zeros.clone();
                if let Some(byte) = padding.get_mut(at) {
                    *byte = 1;
                    let error = refused(group, &group.tree(), &padded(&padding));
                    assert_eq!(error, Error::invalid("6.3.1: padding that is not all zero"));
                }
            }
        }
    });
}

#[test]
fn padding_hides_the_length() {
    with_group(|group| {
        let mut tree = group.tree();
        let mut received_by = group.tree();
        let step = Padding::ToMultipleOf(NonZeroU16::new(256).unwrap());
        let mut lengths = BTreeSet::new();
        for length in [0, 1, 50, 100, 180] {
            let content = Content::Application(vec![7; length]);
            let message = send(group, &mut tree, content.clone(), step);
            lengths.insert(message.len());
            assert_eq!(receive(group, &mut received_by, &message), Ok(content));
        }
        assert_eq!(lengths.len(), 1);
        let unpadded = send(group, &mut tree, hello(), Padding::None);
        assert!(unpadded.len() < *lengths.first().unwrap());
    });
}

#[test]
fn pitfall_43_the_sender_is_a_member() {
    with_group(|group| {
        let message = ByHand::new(group, 2, hello());
        for leaf in [2, 4, 1 << 31, u32::MAX] {
            let from = message.private(&Encryption { leaf, ..Encryption::of_leaf_1() });
            let error = refused(group, &group.tree(), &from);
            assert_eq!(error, Error::invalid("6.1: the sender's leaf is blank"));
        }
        // A member who says to be another one gets no further than the signature.
        let posing = message.private(&Encryption { leaf: 3, ..Encryption::of_leaf_1() });
        assert_eq!(refused(group, &group.tree(), &posing), BAD_SIGNATURE);
    });
}

/// A member can encrypt for any leaf. What it can't sign, it can't use up either.
#[test]
fn pitfall_44_a_forged_signature_uses_nothing_up() {
    with_group(|group| {
        let mut tree = group.tree();
        let genuine = send(group, &mut group.tree(), hello(), Padding::None);
        for generation in [0, 1, 500, 1000] {
            let forged = ByHand { signer: group.signer(3), ..ByHand::new(group, 2, hello()) };
            let forged = forged.private(&Encryption { generation, ..Encryption::of_leaf_1() });
            assert_eq!(refused(group, &tree, &forged), BAD_SIGNATURE);
        }
        assert_eq!(receive(group, &mut tree, &genuine), Ok(hello()));
        let replayed = refused(group, &tree, &genuine);
        assert_eq!(replayed, Error::Peer(PeerError::KeyUsedUp));
    });
}

#[test]
fn pitfall_44_damage_anywhere_is_found_and_harmless() {
    with_group(|group| {
        let mut tree = group.tree();
        let message = send(group, &mut group.tree(), hello(), Padding::None);
        for at in 0..message.len() {
            for bit in [0x01, 0x80] {
                let mut damaged = message.clone();
                damaged[at] ^= bit;
                let before = tree.to_bytes().unwrap();
                let decoded = burrow::codec::Decode::decode_exact(&damaged);
                if let Ok(burrow::framing::MlsMessage::PrivateMessage(message)) = decoded {
                    let secret = &group.secrets.sender_data_secret;
                    let result = message.unprotect(&group.epoch(), secret, &tree, group);
                    let error = result.unwrap_err();
                    if let Some(shortly) = open_application(group, &mut tree, &damaged) {
                        assert_eq!(shortly.unwrap_err(), error, "byte {at}");
                    }
                }
                assert_eq!(tree.to_bytes().unwrap(), before);
            }
        }
        assert_eq!(receive(group, &mut tree, &message), Ok(hello()));
    });
}

#[test]
fn pitfall_44_absurd_generations_cost_nothing() {
    with_group(|group| {
        let message = ByHand::new(group, 2, hello());
        for generation in [1001, 1 << 20, u32::MAX] {
            let far = message.private(&Encryption { generation, ..Encryption::of_leaf_1() });
            let error = refused(group, &group.tree(), &far);
            assert_eq!(error, Error::Peer(PeerError::TooFarAhead));
        }
    });
}

#[test]
fn messages_in_any_order() {
    with_group(|group| {
        let mut sent_by = group.tree();
        let messages: Vec<_> = (0..20)
            .map(|number: u8| {
                let content = if number.is_multiple_of(3) {
                    Content::Proposal(Proposal::Remove(LeafIndex(number.into())))
                } else {
                    Content::Application(vec![number])
                };
                let message = send(group, &mut sent_by, content.clone(), Padding::None);
                (content, message)
            })
            .collect();
        let next = sent_by.next_generations(LeafIndex(1));
        assert_eq!((next.handshake, next.application), (7, 13));
        let mut tree = group.tree();
        for step in [7, 13, 19] {
            // Each step goes through a part of the messages; some were delivered before.
            for number in (0..20).map(|number| number * step % 20).take(14) {
                let (content, message) = &messages[number];
                match receive(group, &mut tree, message) {
                    Ok(received) => assert_eq!(&received, content),
                    Err(error) => assert_eq!(error, Error::Peer(PeerError::KeyUsedUp)),
                }
            }
        }
        for (_, message) in &messages {
            refused(group, &tree, message);
        }
        assert_eq!(tree.secrets_held()[2], 0);
        assert_eq!(tree.next_generations(LeafIndex(1)), next);
    });
}

/// The sender's leaf has another owner in the next epoch: an old message is still the old one's.
#[test]
fn pitfall_45_a_reused_leaf_does_not_change_who_sent() {
    with_group(|group| {
        let message = send(group, &mut group.tree(), hello(), Padding::None);
        let mut reused = Group::new(group.suite);
        reused.members[0] = group.members[0].clone();
        let (tree, secret) = (group.tree(), &group.secrets.sender_data_secret);
        let unprotect = |senders: &dyn burrow::framing::SenderKeys| {
            let message = private(&message).unwrap();
            let result = message.unprotect(&group.epoch(), secret, &tree, senders);
            result.map(|(content, _)| content.sender())
        };
        assert_eq!(unprotect(&reused), Err(BAD_SIGNATURE));
        assert_eq!(unprotect(group), Ok(Sender::Member(LeafIndex(1))));
    });
}

/// Members can encrypt what is no content at all.
#[test]
fn garbage_inside_is_refused() {
    with_group(|group| {
        let tree = group.tree();
        let path = commit(group.suite, group.signer(1));
        for content in [hello(), Content::Commit(path)] {
            let message = ByHand::new(group, 2, content);
            for garbage in [&b""[..], &[0], &[0xff; 40], &[0; 300], &[0xbf, 0xff, 0xff, 0xff]] {
                let garbled = message
                    .private(&Encryption { plaintext: Some(garbage), ..Encryption::of_leaf_1() });
                let error = refused(group, &tree, &garbled);
                let malformed = matches!(error, Error::Peer(PeerError::Malformed(_)));
                // All zero is an empty content with an empty signature.
                assert!(malformed || error == BAD_SIGNATURE);
            }
        }
        // A commit under the header of a proposal.
        let proposal = Content::Proposal(Proposal::Remove(LeafIndex(0)));
        let inside = commit(group.suite, group.signer(1)).to_bytes().unwrap();
        let mixed = ByHand::new(group, 2, proposal)
            .private(&Encryption { plaintext: Some(&inside), ..Encryption::of_leaf_1() });
        let error = refused(group, &tree, &mixed);
        assert!(matches!(error, Error::Peer(PeerError::Malformed(_))));
    });
}

#[test]
fn sender_data_has_one_length() {
    with_group(|group| {
        let message = ByHand::new(group, 2, hello());
        let longer =
            message.private(&Encryption { after_sender_data: &[0], ..Encryption::of_leaf_1() });
        assert_eq!(refused(group, &group.tree(), &longer), UNDECRYPTABLE);
        let other = Secret::copy_from(&[9; 32]);
        let other = SenderDataSecret::from(other);
        let right = private(&message.private(&Encryption::of_leaf_1())).unwrap();
        let result = right.sender_data(&group.epoch(), &other);
        assert_eq!(result.unwrap_err(), UNDECRYPTABLE);
    });
}

#[test]
fn what_is_sent_is_used_up() {
    with_group(|group| {
        let mut tree = group.tree();
        for generation in 0..3_u32 {
            let message = send(group, &mut tree, hello(), Padding::None);
            // Our own copy can't be opened any more, by us.
            let error = refused(group, &tree, &message);
            assert_eq!(error, Error::Peer(PeerError::KeyUsedUp));
            let mut theirs = group.tree();
            let (content, advance) = group.unprotect_private(&theirs, &message).unwrap();
            let expected =
                Consumed { leaf: LeafIndex(1), ratchet_type: RatchetType::Application, generation };
            assert_eq!(advance.consumed(), expected);
            theirs.advance(group.suite, advance).unwrap();
            assert_eq!(content.content(), &hello());
        }
    });
}
