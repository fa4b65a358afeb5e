//! What is the client's own choice.

use crate::{
    framing::{Padding, WireFormat},
    schedule::RatchetLimits,
};

/// How a client's groups behave. Members need not agree on it.
#[derive(Debug, Clone)]
pub struct Config {
    /// For how many past epochs application messages are still read. Their keys are kept as long,
    /// at the cost of forward secrecy.
    pub past_epochs: usize,
    /// For how many past epochs the resumption PSK is kept.
    pub resumption_epochs: usize,
    /// How many proposals of an epoch are kept, which bounds the memory that a member or an external
    /// sender can fill, given that the transport bounds a message. One more is refused with
    /// [`crate::PeerError::TooManyProposals`], and a commit that refers to it with
    /// [`crate::PeerError::UnknownProposal`]. Keep the refused ones: once others are dropped
    /// ([`super::Group::drop_proposal`]), they and then the commit can be given again. Members should
    /// agree on the number. It also bounds how many lists a committer tries when some of the
    /// proposals can't be committed: this many, and a constant.
    pub max_proposals: usize,
    /// How far out of order messages may come. A group that is restored with a larger window reports
    /// keys that were dropped under the old one as used up, not as too old.
    pub ratchet_limits: RatchetLimits,
    /// How much PrivateMessages are padded.
    pub padding: Padding,
    /// How commits and proposals are sent.
    pub handshake_format: HandshakeFormat,
    /// Whether a Welcome has the ratchet tree in it; otherwise it is given beside it.
    pub tree_in_welcome: bool,
    /// Whether a group with a member whose key package has expired since it was added can't be
    /// joined (section 7.3 recommends it).
    pub reject_expired_members: bool,
}

impl Default for Config {
    /// Two past epochs, sixteen resumption PSKs, 1024 proposals, no padding, handshake messages as
    /// PrivateMessages, and the tree in the Welcome.
    fn default() -> Self {
        Self {
            past_epochs: 2,
            resumption_epochs: 16,
            max_proposals: 1024,
            ratchet_limits: RatchetLimits::default(),
            padding: Padding::None,
            handshake_format: HandshakeFormat::Private,
            tree_in_welcome: true,
            reject_expired_members: true,
        }
    }
}

/// How commits and proposals are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandshakeFormat {
    /// As PublicMessage: readable to the Delivery Service.
    Public,
    /// As PrivateMessage.
    Private,
}

impl From<HandshakeFormat> for WireFormat {
    fn from(format: HandshakeFormat) -> Self {
        match format {
            HandshakeFormat::Public => Self::PublicMessage,
            HandshakeFormat::Private => Self::PrivateMessage,
        }
    }
}
