//! Where a message belongs, without decoding the rest of it.

use super::{ContentType, Sender, WireFormat};
use crate::{
    codec::{DecodeError, Reader},
    types::ProtocolVersion,
};
use crypto_api::CipherSuite;

/// What an encoded MLSMessage says about itself: enough to find its group and the epoch's keys, or
/// to route it. Nothing of it is verified, and the rest of the message may not even decode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageHeader<'a> {
    /// What kind of message it is.
    pub wire_format: WireFormat,
    /// Where it belongs; nowhere, for a Welcome and a KeyPackage.
    pub group: Option<GroupHeader<'a>>,
}

/// Where in a group a message belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupHeader<'a> {
    /// The group.
    pub group_id: &'a [u8],
    /// The epoch.
    pub epoch: u64,
    /// The kind of its content; none for a GroupInfo.
    pub content_type: Option<ContentType>,
}

impl<'a> MessageHeader<'a> {
    /// Reads it from the start of a message.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] if the message starts with none.
    pub fn peek(message: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(message);
        let wire_format = read_start(&mut reader)?;
        let group = match wire_format {
            WireFormat::PublicMessage => Some(peek_public(&mut reader)?),
            WireFormat::PrivateMessage => {
                let mut group = peek_group(&mut reader)?;
                group.content_type = Some(reader.read()?);
                Some(group)
            }
            WireFormat::GroupInfo => {
                reader.read::<ProtocolVersion>()?;
                reader.read::<CipherSuite>()?;
                Some(peek_group(&mut reader)?)
            }
            WireFormat::Welcome | WireFormat::KeyPackage => None,
        };
        Ok(Self { wire_format, group })
    }
}

/// Reads the version, which has to be `mls10`, and the wire format of an MLSMessage.
pub(super) fn read_start(reader: &mut Reader<'_>) -> Result<WireFormat, DecodeError> {
    if reader.read::<ProtocolVersion>()? != ProtocolVersion::MLS10 {
        return Err(DecodeError::InvalidValue("ProtocolVersion"));
    }
    reader.read()
}

fn peek_public<'a>(reader: &mut Reader<'a>) -> Result<GroupHeader<'a>, DecodeError> {
    let mut group = peek_group(reader)?;
    reader.read::<Sender>()?;
    let _authenticated_data = reader.opaque()?;
    group.content_type = Some(reader.read()?);
    Ok(group)
}

fn peek_group<'a>(reader: &mut Reader<'a>) -> Result<GroupHeader<'a>, DecodeError> {
    Ok(GroupHeader { group_id: reader.opaque()?, epoch: reader.read()?, content_type: None })
}
