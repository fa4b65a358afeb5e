//! `messages.json`: each struct decodes, and encodes to the same bytes.

use burrow::codec::{Decode, Encode};
use burrow::framing::{ContentType, FramedContent, MessageHeader, MlsMessage, WireFormat};
use burrow::tree::UnverifiedRatchetTree;
use burrow::types::{
    Commit, Extensions, GroupSecrets, LeafIndex, LeafNode, PreSharedKeyId, Proposal, ProposalType,
    ReInit,
};
use serde::Deserialize;
use serde_json::Value;

use crate::hex::RoundTrip;
use crate::{Stop, Tally};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    mls_welcome: RoundTrip,
    mls_group_info: RoundTrip,
    mls_key_package: RoundTrip,
    ratchet_tree: RoundTrip,
    group_secrets: RoundTrip,
    add_proposal: RoundTrip,
    update_proposal: RoundTrip,
    remove_proposal: RoundTrip,
    pre_shared_key_proposal: RoundTrip,
    re_init_proposal: RoundTrip,
    external_init_proposal: RoundTrip,
    group_context_extensions_proposal: RoundTrip,
    commit: RoundTrip,
    public_message_application: RoundTrip,
    public_message_proposal: RoundTrip,
    public_message_commit: RoundTrip,
    private_message: RoundTrip,
}

pub(crate) fn check(case: &Value, tally: &mut Tally) -> Result<(), Stop> {
    let case: Case = super::read(case, tally)?;
    check_messages(&case, tally)?;
    check_proposals(&case, tally)?;
    check_contents(&case, tally)?;
    round_trip::<Commit>("commit", &case.commit, tally)?;
    round_trip::<GroupSecrets>("group_secrets", &case.group_secrets, tally)?;
    round_trip::<UnverifiedRatchetTree>("ratchet_tree", &case.ratchet_tree, tally)?;
    Ok(())
}

fn round_trip<T: Decode + Encode>(
    what: &str,
    bytes: &RoundTrip,
    tally: &mut Tally,
) -> Result<T, Stop> {
    let value = tally.step(what, T::decode_exact(bytes.given()))?;
    let encoded = tally.step(what, value.to_bytes())?;
    tally.same("encoded length", encoded.len(), value.encoded_len());
    tally.equal(what, encoded, bytes.expected());
    Ok(value)
}

fn check_messages(case: &Case, tally: &mut Tally) -> Result<(), Stop> {
    let public = WireFormat::PublicMessage;
    let application = Some(ContentType::Application);
    let proposal = Some(ContentType::Proposal);
    let commit = Some(ContentType::Commit);
    for (what, bytes, wire_format, content_type) in [
        ("mls_welcome", &case.mls_welcome, WireFormat::Welcome, None),
        ("mls_group_info", &case.mls_group_info, WireFormat::GroupInfo, None),
        ("mls_key_package", &case.mls_key_package, WireFormat::KeyPackage, None),
        ("public_message_application", &case.public_message_application, public, application),
        ("public_message_proposal", &case.public_message_proposal, public, proposal),
        ("public_message_commit", &case.public_message_commit, public, commit),
        ("private_message", &case.private_message, WireFormat::PrivateMessage, None),
    ] {
        tally.place(what);
        let message: MlsMessage = round_trip("encoding", bytes, tally)?;
        tally.same("wire format", message.wire_format(), wire_format);
        check_header(bytes, &message, tally)?;
        if let MlsMessage::PublicMessage(message) = &message {
            tally.same("content type", Some(message.content_type()), content_type);
            // What is read from the message also says it in full: not only the bytes kept of it.
            let content = message.unverified_content();
            let framed = FramedContent {
                group_id: message.group_id().to_vec(),
                epoch: message.epoch(),
                sender: message.sender(),
                authenticated_data: content.authenticated_data().to_vec(),
                content: content.content().clone(),
            };
            let framed = tally.step("framed content", framed.to_bytes())?;
            let theirs = bytes.expected().get(4..4 + framed.len());
            tally.same("framed content", Some(&*framed), theirs);
        }
    }
    Ok(())
}

/// What can be said of a message without decoding it agrees with what decoding says.
fn check_header(bytes: &RoundTrip, message: &MlsMessage, tally: &mut Tally) -> Result<(), Stop> {
    let header = tally.step("header", MessageHeader::peek(bytes.given()))?;
    tally.same("wire format in the header", header.wire_format, message.wire_format());
    let group = header.group;
    let group_id = group.map(|group| group.group_id);
    tally.holds("group in the header", group_id == message.group_id());
    tally.same("epoch in the header", group.map(|group| group.epoch), message.epoch());
    let content_type = group.and_then(|group| group.content_type);
    tally.same("content type in the header", content_type, message.content_type());
    Ok(())
}

/// The vectors have proposals without their type; with it they are the RFC's `Proposal`.
fn check_proposals(case: &Case, tally: &mut Tally) -> Result<(), Stop> {
    for (what, bytes, proposal_type) in [
        ("add_proposal", &case.add_proposal, ProposalType::ADD),
        ("update_proposal", &case.update_proposal, ProposalType::UPDATE),
        ("remove_proposal", &case.remove_proposal, ProposalType::REMOVE),
        ("pre_shared_key_proposal", &case.pre_shared_key_proposal, ProposalType::PSK),
        ("re_init_proposal", &case.re_init_proposal, ProposalType::REINIT),
        ("external_init_proposal", &case.external_init_proposal, ProposalType::EXTERNAL_INIT),
        (
            "group_context_extensions_proposal",
            &case.group_context_extensions_proposal,
            ProposalType::GROUP_CONTEXT_EXTENSIONS,
        ),
    ] {
        tally.place(what);
        let prefix = tally.step("type", proposal_type.to_bytes())?;
        let given = [&prefix, bytes.given()].concat();
        let proposal = tally.step("decoding", Proposal::decode_exact(&given))?;
        let encoded = tally.step("encoding", proposal.to_bytes())?;
        tally.equal("encoding", encoded, [&prefix, bytes.expected()].concat());
        tally.same("type", proposal.proposal_type(), proposal_type);
    }
    Ok(())
}

/// And without it they are the struct that the RFC puts into each.
fn check_contents(case: &Case, tally: &mut Tally) -> Result<(), Stop> {
    tally.place("the content of a proposal");
    round_trip::<LeafNode>("update_proposal", &case.update_proposal, tally)?;
    round_trip::<LeafIndex>("remove_proposal", &case.remove_proposal, tally)?;
    let psk = &case.pre_shared_key_proposal;
    round_trip::<PreSharedKeyId>("pre_shared_key_proposal", psk, tally)?;
    round_trip::<ReInit>("re_init_proposal", &case.re_init_proposal, tally)?;
    round_trip::<Vec<u8>>("external_init_proposal", &case.external_init_proposal, tally)?;
    let extensions = &case.group_context_extensions_proposal;
    round_trip::<Extensions>("group_context_extensions_proposal", extensions, tally)?;
    Ok(())
}
