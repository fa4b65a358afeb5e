//! Credentials (section 5.3).

use std::fmt;

use crate::{
    codec::{Decode, DecodeError, Encode, EncodeError, Reader},
    codec_newtype,
};

/// `CredentialType`; values that this engine doesn't know are kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CredentialType(pub u16);
codec_newtype!(CredentialType);

impl CredentialType {
    /// `basic`.
    pub const BASIC: Self = Self(1);
    /// `x509`.
    pub const X509: Self = Self(2);
}

impl fmt::Debug for CredentialType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CredentialType(0x{:04x})", self.0)
    }
}

/// A DER certificate of a chain; the engine doesn't look inside.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Certificate(pub Vec<u8>);
codec_newtype!(Certificate);

/// Who a member says to be. Whether that is so is the Authentication Service's to say.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Credential {
    /// A bare assertion.
    Basic(Vec<u8>),
    /// A chain, the member's own certificate first.
    X509(Vec<Certificate>),
    /// Another type. Its content has no length of its own in the RFC; all types registered so far
    /// are one vector, and so a content that is none doesn't decode.
    Other(CredentialType, Vec<u8>),
}

impl Credential {
    /// Its type.
    #[must_use]
    pub fn credential_type(&self) -> CredentialType {
        match self {
            Self::Basic(_) => CredentialType::BASIC,
            Self::X509(_) => CredentialType::X509,
            Self::Other(credential_type, _) => *credential_type,
        }
    }
}

impl Encode for Credential {
    fn encoded_len(&self) -> usize {
        2 + match self {
            Self::Basic(content) | Self::Other(_, content) => content.encoded_len(),
            Self::X509(certificates) => certificates.encoded_len(),
        }
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.credential_type().encode(out)?;
        match self {
            Self::Basic(content) | Self::Other(_, content) => content.encode(out),
            Self::X509(certificates) => certificates.encode(out),
        }
    }
}

impl Decode for Credential {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.read()? {
            CredentialType::BASIC => reader.read().map(Self::Basic),
            CredentialType::X509 => reader.read().map(Self::X509),
            // Section 17.5 reserves it.
            CredentialType(0) => Err(DecodeError::InvalidValue("CredentialType")),
            other => Ok(Self::Other(other, reader.read()?)),
        }
    }
}
