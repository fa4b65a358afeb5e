//! Who may send what, and how (sections 6, 6.1 and 12.1.8).

use super::{Content, FramedContent, Sender, WireFormat};
use crate::types::Proposal;

/// Checks a content by itself; what a proposal may ask for is the group's to say. On failure, the
/// rule that is broken.
pub(super) fn check(wire_format: WireFormat, content: &FramedContent) -> Result<(), &'static str> {
    check_wire_format(wire_format, content)?;
    match (content.sender, &content.content) {
        (Sender::Member(_), _) => Ok(()),
        (Sender::External(_), Content::Proposal(proposal)) => {
            if proposal.is_allowed_from_external() {
                Ok(())
            } else {
                Err("12.1.8: an external sender may not send this type of proposal")
            }
        }
        (Sender::External(_), _) => Err("6.1: an external sender sends proposals only"),
        (Sender::NewMemberProposal, Content::Proposal(Proposal::Add(_))) => Ok(()),
        (Sender::NewMemberProposal, _) => {
            Err("6.1: a new_member_proposal sender sends Add proposals only")
        }
        (Sender::NewMemberCommit, Content::Commit(commit)) => {
            if commit.path.is_some() {
                Ok(())
            } else {
                Err("12.4.3.2: an external commit without a path")
            }
        }
        (Sender::NewMemberCommit, _) => Err("6.1: a new_member_commit sender sends commits only"),
    }
}

fn check_wire_format(wire_format: WireFormat, content: &FramedContent) -> Result<(), &'static str> {
    match (wire_format, content.sender, &content.content) {
        (WireFormat::PublicMessage, _, Content::Application(_)) => {
            Err("6: application data outside of a PrivateMessage")
        }
        (WireFormat::PublicMessage, ..) => Ok(()),
        // Draft MLS extensions: joiners from outside must be able to read it.
        (WireFormat::PrivateMessage, _, Content::Proposal(Proposal::SelfRemove)) => {
            Err("a SelfRemove proposal outside of a PublicMessage")
        }
        (WireFormat::PrivateMessage, Sender::Member(_), _) => Ok(()),
        (WireFormat::PrivateMessage, ..) => Err("6.3.2: a PrivateMessage that no member sends"),
        _ => Err("6: a wire format that has no FramedContent"),
    }
}
