//! MLSMessage: whatever is sent (section 6).

use super::{
    ContentType, PrivateMessage, PublicMessage, WireFormat, authenticated_content::write_start,
    header::read_start,
};
use crate::{
    codec::{Decode, DecodeError, Encode, EncodeError, Reader},
    types::{GroupInfo, KeyPackage, Welcome},
};

/// `MLSMessage` of version `mls10`, as received: nothing of it is verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MlsMessage {
    /// `mls_public_message`.
    PublicMessage(Box<PublicMessage>),
    /// `mls_private_message`.
    PrivateMessage(Box<PrivateMessage>),
    /// `mls_welcome`.
    Welcome(Welcome),
    /// `mls_group_info`.
    GroupInfo(Box<GroupInfo>),
    /// `mls_key_package`.
    KeyPackage(Box<KeyPackage>),
}

impl MlsMessage {
    /// What kind of message it is.
    #[must_use]
    pub const fn wire_format(&self) -> WireFormat {
        match self {
            Self::PublicMessage(_) => WireFormat::PublicMessage,
            Self::PrivateMessage(_) => WireFormat::PrivateMessage,
            Self::Welcome(_) => WireFormat::Welcome,
            Self::GroupInfo(_) => WireFormat::GroupInfo,
            Self::KeyPackage(_) => WireFormat::KeyPackage,
        }
    }

    /// The group that it claims to be of; none for a Welcome and a KeyPackage.
    #[must_use]
    pub fn group_id(&self) -> Option<&[u8]> {
        match self {
            Self::PublicMessage(message) => Some(message.group_id()),
            Self::PrivateMessage(message) => Some(message.group_id()),
            Self::GroupInfo(group_info) => Some(&group_info.group_context.group_id),
            Self::Welcome(_) | Self::KeyPackage(_) => None,
        }
    }

    /// The epoch that it claims to be of; none for a Welcome and a KeyPackage.
    #[must_use]
    pub fn epoch(&self) -> Option<u64> {
        match self {
            Self::PublicMessage(message) => Some(message.epoch()),
            Self::PrivateMessage(message) => Some(message.epoch()),
            Self::GroupInfo(group_info) => Some(group_info.group_context.epoch),
            Self::Welcome(_) | Self::KeyPackage(_) => None,
        }
    }

    /// The kind of its content, if it has one.
    #[must_use]
    pub fn content_type(&self) -> Option<ContentType> {
        match self {
            Self::PublicMessage(message) => Some(message.content_type()),
            Self::PrivateMessage(message) => Some(message.content_type()),
            Self::Welcome(_) | Self::GroupInfo(_) | Self::KeyPackage(_) => None,
        }
    }
}

impl Encode for MlsMessage {
    fn encoded_len(&self) -> usize {
        4 + match self {
            Self::PublicMessage(message) => message.encoded_len(),
            Self::PrivateMessage(message) => message.encoded_len(),
            Self::Welcome(welcome) => welcome.encoded_len(),
            Self::GroupInfo(group_info) => group_info.encoded_len(),
            Self::KeyPackage(key_package) => key_package.encoded_len(),
        }
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        write_start(self.wire_format(), out);
        match self {
            Self::PublicMessage(message) => message.encode(out),
            Self::PrivateMessage(message) => message.encode(out),
            Self::Welcome(welcome) => welcome.encode(out),
            Self::GroupInfo(group_info) => group_info.encode(out),
            Self::KeyPackage(key_package) => key_package.encode(out),
        }
    }
}

impl Decode for MlsMessage {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match read_start(reader)? {
            WireFormat::PublicMessage => reader.read().map(Self::PublicMessage),
            WireFormat::PrivateMessage => reader.read().map(Self::PrivateMessage),
            WireFormat::Welcome => reader.read().map(Self::Welcome),
            WireFormat::GroupInfo => reader.read().map(Self::GroupInfo),
            WireFormat::KeyPackage => reader.read().map(Self::KeyPackage),
        }
    }
}
