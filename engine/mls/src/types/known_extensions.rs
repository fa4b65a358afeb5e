//! The extensions that the engine reads, but for `ratchet_tree`, which is the tree's.

use super::{
    Capabilities, Credential, CredentialType, ExtensionType, KnownExtension, ProposalType,
};
use crate::{
    codec::{Decode, DecodeError, Encode, EncodeError, Reader},
    codec_newtype, codec_struct,
    crypto::{HpkePublicKey, SignaturePublicKey},
};

/// `application_id` (section 5.3.3): what the application calls a client. Not authenticated by
/// anything but the member's own signature.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ApplicationId(pub Vec<u8>);
codec_newtype!(ApplicationId);

impl KnownExtension for ApplicationId {
    const TYPE: ExtensionType = ExtensionType::APPLICATION_ID;
}

/// `required_capabilities` (section 11.1).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct RequiredCapabilities {
    /// Extension types that each member must have.
    pub extension_types: Vec<ExtensionType>,
    /// Proposal types that each member must have.
    pub proposal_types: Vec<ProposalType>,
    /// Credential types that each member must have.
    pub credential_types: Vec<CredentialType>,
}
codec_struct!(RequiredCapabilities { extension_types, proposal_types, credential_types });

impl KnownExtension for RequiredCapabilities {
    const TYPE: ExtensionType = ExtensionType::REQUIRED_CAPABILITIES;
}

impl RequiredCapabilities {
    /// Whether a client with `capabilities` has them all.
    #[must_use]
    pub fn are_met_by(&self, capabilities: &Capabilities) -> bool {
        let extensions = &mut self.extension_types.iter();
        let proposals = &mut self.proposal_types.iter();
        let credentials = &mut self.credential_types.iter();
        extensions.all(|t| capabilities.has_extension(*t))
            && proposals.all(|t| capabilities.has_proposal(*t))
            && credentials.all(|t| capabilities.has_credential(*t))
    }
}

/// `external_pub` (section 12.4.3.2).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExternalPub {
    /// The key that an external commit's init secret is exported to.
    pub external_pub: HpkePublicKey,
}
codec_struct!(ExternalPub { external_pub });

impl KnownExtension for ExternalPub {
    const TYPE: ExtensionType = ExtensionType::EXTERNAL_PUB;
}

/// `ExternalSender` (section 12.1.8.1).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExternalSender {
    /// The key that its proposals are signed with.
    pub signature_key: SignaturePublicKey,
    /// Who it is.
    pub credential: Credential,
}
codec_struct!(ExternalSender { signature_key, credential });

/// `external_senders` (section 12.1.8.1).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ExternalSenders(pub Vec<ExternalSender>);
codec_newtype!(ExternalSenders);

impl KnownExtension for ExternalSenders {
    const TYPE: ExtensionType = ExtensionType::EXTERNAL_SENDERS;
}

/// `last_resort`: the key package may be used more than once. It has no content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LastResort;

impl Encode for LastResort {
    fn encoded_len(&self) -> usize {
        0
    }

    fn encode(&self, _: &mut Vec<u8>) -> Result<(), EncodeError> {
        Ok(())
    }
}

impl Decode for LastResort {
    fn decode(_: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self)
    }
}

impl KnownExtension for LastResort {
    const TYPE: ExtensionType = ExtensionType::LAST_RESORT;
}
