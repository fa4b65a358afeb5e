//! The working group's `messages.json`: each struct decodes, and encodes to the same bytes; and
//! what is no struct any more doesn't decode, and doesn't panic.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod backends;
mod conformance;
mod vectors;

use burrow::{
    codec::{Decode, Encode, Reader},
    framing::{Content, ContentType, FramedContent, MessageHeader, MlsMessage, WireFormat},
    tree::UnverifiedRatchetTree,
    types::{
        Commit, Extensions, GroupSecrets, LeafIndex, LeafNode, PreSharedKeyId, Proposal,
        ProposalType, ReInit,
    },
};
use conformance::{Floor, Tally};
use serde::Deserialize;
use vectors::Hex;

#[derive(Deserialize)]
struct Case {
    mls_welcome: Hex,
    mls_group_info: Hex,
    mls_key_package: Hex,
    ratchet_tree: Hex,
    group_secrets: Hex,
    add_proposal: Hex,
    update_proposal: Hex,
    remove_proposal: Hex,
    pre_shared_key_proposal: Hex,
    re_init_proposal: Hex,
    external_init_proposal: Hex,
    group_context_extensions_proposal: Hex,
    commit: Hex,
    public_message_application: Hex,
    public_message_proposal: Hex,
    public_message_commit: Hex,
    private_message: Hex,
}

impl Case {
    fn messages(&self) -> [(&Hex, WireFormat, Option<ContentType>); 7] {
        let public = WireFormat::PublicMessage;
        [
            (&self.mls_welcome, WireFormat::Welcome, None),
            (&self.mls_group_info, WireFormat::GroupInfo, None),
            (&self.mls_key_package, WireFormat::KeyPackage, None),
            (
                &self.public_message_application,
                public,
                Some(ContentType::Application),
            ),
            (
                &self.public_message_proposal,
                public,
                Some(ContentType::Proposal),
            ),
            (
                &self.public_message_commit,
                public,
                Some(ContentType::Commit),
            ),
            (&self.private_message, WireFormat::PrivateMessage, None),
        ]
    }

    fn proposals(&self) -> [(&Hex, ProposalType); 7] {
        [
            (&self.add_proposal, ProposalType::ADD),
            (&self.update_proposal, ProposalType::UPDATE),
            (&self.remove_proposal, ProposalType::REMOVE),
            (&self.pre_shared_key_proposal, ProposalType::PSK),
            (&self.re_init_proposal, ProposalType::REINIT),
            (&self.external_init_proposal, ProposalType::EXTERNAL_INIT),
            (
                &self.group_context_extensions_proposal,
                ProposalType::GROUP_CONTEXT_EXTENSIONS,
            ),
        ]
    }
}

fn load() -> Option<Vec<Case>> {
    vectors::load("messages.json")
}

#[test]
fn messages() {
    let Some(cases) = load() else {
        return;
    };
    let mut tally = Tally::default();
    for (index, case) in cases.iter().enumerate() {
        tally.case(format!("messages.json[{index}]"));
        check_messages(case, &mut tally);
        check_proposals(case, &mut tally);
        same::<Commit>(&case.commit, &mut tally);
        same::<GroupSecrets>(&case.group_secrets, &mut tally);
        same::<UnverifiedRatchetTree>(&case.ratchet_tree, &mut tally);
    }
    let floor = Floor {
        cases: 300,
        checks: 300 * (7 + 7 * 4 + 3 * 2 + 2 + 1),
    };
    tally.finish("messages.json", &floor);
}

fn same<T: Decode + Encode>(hex: &Hex, tally: &mut Tally) -> T {
    let value = T::decode_exact(&hex.0).unwrap();
    let encoded = value.to_bytes().unwrap();
    assert_eq!(encoded.len(), value.encoded_len());
    tally.equal("encoding", encoded, &hex.0);
    value
}

fn check_messages(case: &Case, tally: &mut Tally) {
    for (hex, wire_format, content_type) in case.messages() {
        let message: MlsMessage = same(hex, tally);
        tally.holds("wire format", message.wire_format() == wire_format);
        let header = MessageHeader::peek(&hex.0).unwrap();
        tally.holds(
            "wire format in the header",
            header.wire_format == wire_format,
        );
        let group = header.group;
        let agrees = group.map(|group| group.group_id) == message.group_id()
            && group.map(|group| group.epoch) == message.epoch()
            && group.and_then(|group| group.content_type) == message.content_type();
        tally.holds("header", agrees);
        if let MlsMessage::PublicMessage(message) = &message {
            tally.holds("content type", Some(message.content_type()) == content_type);
            // What is read from the message also says it in full: not only the bytes kept of it.
            let content = message.unverified_content();
            let framed = FramedContent {
                group_id: message.group_id().to_vec(),
                epoch: message.epoch(),
                sender: message.sender(),
                authenticated_data: content.authenticated_data().to_vec(),
                content: content.content().clone(),
            };
            let framed = framed.to_bytes().unwrap();
            tally.equal("framed content", &hex.0[4..4 + framed.len()], framed);
        }
    }
}

/// The vectors have proposals without their type; with it they are the RFC's `Proposal`, too.
fn check_proposals(case: &Case, tally: &mut Tally) {
    for (hex, proposal_type) in case.proposals() {
        let mut bytes = proposal_type.to_bytes().unwrap();
        bytes.extend_from_slice(&hex.0);
        let proposal = Proposal::decode_exact(&bytes).unwrap();
        tally.equal("proposal", proposal.to_bytes().unwrap(), &bytes);
        assert_eq!(proposal.proposal_type(), proposal_type);
    }
    assert!(LeafNode::decode_exact(&case.update_proposal.0).is_ok());
    assert!(LeafIndex::decode_exact(&case.remove_proposal.0).is_ok());
    assert!(PreSharedKeyId::decode_exact(&case.pre_shared_key_proposal.0).is_ok());
    assert!(ReInit::decode_exact(&case.re_init_proposal.0).is_ok());
    assert!(Vec::<u8>::decode_exact(&case.external_init_proposal.0).is_ok());
    assert!(Extensions::decode_exact(&case.group_context_extensions_proposal.0).is_ok());
}

/// Every message of some cases, cut at each byte, extended and with each byte changed: an error or
/// another message, which still encodes to what it was read from.
#[test]
fn pitfall_47_cut_extended_and_changed_messages() {
    let Some(cases) = load() else {
        return;
    };
    let mut refused = 0_usize;
    for case in cases.iter().step_by(30) {
        for (hex, _, _) in case.messages() {
            let bytes = &hex.0[..];
            for end in 0..bytes.len() {
                assert!(
                    MlsMessage::decode_exact(&bytes[..end]).is_err(),
                    "cut at {end}"
                );
                // May do with less than all of the message; must not panic.
                refused += usize::from(MessageHeader::peek(&bytes[..end]).is_err());
            }
            let longer = [bytes, &[0]].concat();
            assert!(MlsMessage::decode_exact(&longer).is_err());
            for at in 0..bytes.len() {
                let mut changed = bytes.to_vec();
                changed[at] ^= 0xff;
                match MlsMessage::decode_exact(&changed) {
                    Ok(message) => assert_eq!(message.to_bytes().unwrap(), changed),
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert!(refused > 1000);
}

/// Lengths that the input doesn't bear out: nothing is allocated for them.
#[test]
fn absurd_lengths_are_refused() {
    for wire_format in 1..=5_u8 {
        for length in [[0xbf, 0xff, 0xff, 0xff], [0x80, 0x01, 0x00, 0x00]] {
            let mut bytes = vec![0, 1, 0, wire_format];
            for _ in 0..4 {
                bytes.extend_from_slice(&length);
            }
            assert!(MlsMessage::decode_exact(&bytes).is_err());
        }
    }
}

#[test]
fn unknown_enum_values_are_refused() {
    for wire_format in [0_u16, 6, 0x0a0a, 0xffff] {
        let bytes = [&[0, 1], &wire_format.to_be_bytes()[..], &[0; 40]].concat();
        assert!(MlsMessage::decode_exact(&bytes).is_err());
        assert!(MessageHeader::peek(&bytes).is_err());
    }
    for version in [0_u16, 2, 0xffff] {
        let bytes = [&version.to_be_bytes()[..], &[0, 2], &[0; 40]].concat();
        assert!(MlsMessage::decode_exact(&bytes).is_err());
        assert!(MessageHeader::peek(&bytes).is_err());
    }
    for content_type in [0, 4, 0xff] {
        assert!(Content::decode(&mut Reader::new(&[content_type, 0])).is_err());
    }
}
