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
    /// How far out of order messages may come.
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
    /// Two past epochs, sixteen resumption PSKs, no padding, handshake messages as PrivateMessages,
    /// and the tree in the Welcome.
    fn default() -> Self {
        Self {
            past_epochs: 2,
            resumption_epochs: 16,
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
