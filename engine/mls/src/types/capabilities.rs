//! What a client says that it can do (section 7.2).

use std::fmt;

use crypto_api::CipherSuite;

use super::{CredentialType, ExtensionType};
use crate::{codec_newtype, codec_struct};

/// `ProtocolVersion`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProtocolVersion(pub u16);
codec_newtype!(ProtocolVersion);

impl ProtocolVersion {
    /// `mls10`, RFC 9420.
    pub const MLS10: Self = Self(1);
}

impl fmt::Debug for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProtocolVersion({})", self.0)
    }
}

/// `ProposalType`; values that this engine doesn't know are kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProposalType(pub u16);
codec_newtype!(ProposalType);

impl ProposalType {
    /// `add`.
    pub const ADD: Self = Self(1);
    /// `update`.
    pub const UPDATE: Self = Self(2);
    /// `remove`.
    pub const REMOVE: Self = Self(3);
    /// `psk`.
    pub const PSK: Self = Self(4);
    /// `reinit`.
    pub const REINIT: Self = Self(5);
    /// `external_init`.
    pub const EXTERNAL_INIT: Self = Self(6);
    /// `group_context_extensions`.
    pub const GROUP_CONTEXT_EXTENSIONS: Self = Self(7);
    /// `app_data_update` of the MLS extensions draft.
    pub const APP_DATA_UPDATE: Self = Self(0x0008);
    /// `self_remove` of the MLS extensions draft.
    pub const SELF_REMOVE: Self = Self(0x000a);

    /// Whether every client has it, so that capabilities don't list it (section 7.2).
    #[must_use]
    pub const fn is_default(self) -> bool {
        matches!(self.0, 1..=7)
    }

    /// Whether the registry leaves it to applications (section 17.4).
    #[must_use]
    pub const fn is_private(self) -> bool {
        self.0 >= 0xf000
    }
}

impl fmt::Debug for ProposalType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProposalType(0x{:04x})", self.0)
    }
}

/// `Capabilities`.
///
/// The default proposal and extension types must not be listed, which binds who makes it; a list
/// that has them all the same is read as if it hadn't.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Capabilities {
    /// Protocol versions.
    pub versions: Vec<ProtocolVersion>,
    /// Cipher suites.
    pub cipher_suites: Vec<CipherSuite>,
    /// Extension types but the default ones.
    pub extensions: Vec<ExtensionType>,
    /// Proposal types but the default ones.
    pub proposals: Vec<ProposalType>,
    /// Credential types; there are no default ones.
    pub credentials: Vec<CredentialType>,
}
codec_struct!(Capabilities { versions, cipher_suites, extensions, proposals, credentials });

impl Capabilities {
    /// Whether the client has this version.
    #[must_use]
    pub fn has_version(&self, version: ProtocolVersion) -> bool {
        self.versions.contains(&version)
    }

    /// Whether the client has this cipher suite.
    #[must_use]
    pub fn has_cipher_suite(&self, cipher_suite: CipherSuite) -> bool {
        self.cipher_suites.contains(&cipher_suite)
    }

    /// Whether the client has this extension type, by default or by its list.
    #[must_use]
    pub fn has_extension(&self, extension_type: ExtensionType) -> bool {
        extension_type.is_default() || self.extensions.contains(&extension_type)
    }

    /// Whether the client has this proposal type, by default or by its list.
    #[must_use]
    pub fn has_proposal(&self, proposal_type: ProposalType) -> bool {
        proposal_type.is_default() || self.proposals.contains(&proposal_type)
    }

    /// Whether the client has this credential type.
    #[must_use]
    pub fn has_credential(&self, credential_type: CredentialType) -> bool {
        self.credentials.contains(&credential_type)
    }
}
