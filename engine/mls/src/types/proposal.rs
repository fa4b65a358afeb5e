//! Proposals (section 12.1).

use crypto_api::CipherSuite;

use super::{
    AppDataUpdate, Extensions, KeyPackage, LeafIndex, LeafNode, PreSharedKeyId, ProposalType,
    ProtocolVersion,
};
use crate::{
    codec::{Decode, DecodeError, Encode, EncodeError, Reader},
    codec_struct,
};

/// `Proposal`. One of an unknown type doesn't decode, since its content has no length of its own,
/// unless the type is one for private use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proposal {
    /// `Add`: its `key_package`.
    Add(Box<KeyPackage>),
    /// `Update`: its `leaf_node`.
    Update(LeafNode),
    /// `Remove`: its `removed`.
    Remove(LeafIndex),
    /// `PreSharedKey`: its `psk`.
    PreSharedKey(PreSharedKeyId),
    /// `ReInit`.
    ReInit(ReInit),
    /// `ExternalInit`: its `kem_output`.
    ExternalInit(Vec<u8>),
    /// `GroupContextExtensions`: its `extensions`.
    GroupContextExtensions(Extensions),
    /// `AppDataUpdate` of the MLS extensions draft.
    AppDataUpdate(AppDataUpdate),
    /// `SelfRemove` of the MLS extensions draft: removes its sender.
    SelfRemove,
    /// A type of the application's.
    Custom(CustomProposal),
}

/// A proposal of a type for private use (section 17.4). What it means is the application's to say;
/// its content is an `opaque<V>`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CustomProposal {
    /// Its type: [`ProposalType::is_private`].
    pub proposal_type: ProposalType,
    /// Its content.
    pub data: Vec<u8>,
}
codec_struct!(CustomProposal { proposal_type, data });

/// `ReInit`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ReInit {
    /// The new group's id.
    pub group_id: Vec<u8>,
    /// The new group's version.
    pub version: ProtocolVersion,
    /// The new group's cipher suite.
    pub cipher_suite: CipherSuite,
    /// The new group's extensions.
    pub extensions: Extensions,
}
codec_struct!(ReInit { group_id, version, cipher_suite, extensions });

impl Proposal {
    /// Its type.
    #[must_use]
    pub const fn proposal_type(&self) -> ProposalType {
        match self {
            Self::Add(_) => ProposalType::ADD,
            Self::Update(_) => ProposalType::UPDATE,
            Self::Remove(_) => ProposalType::REMOVE,
            Self::PreSharedKey(_) => ProposalType::PSK,
            Self::ReInit(_) => ProposalType::REINIT,
            Self::ExternalInit(_) => ProposalType::EXTERNAL_INIT,
            Self::GroupContextExtensions(_) => ProposalType::GROUP_CONTEXT_EXTENSIONS,
            Self::AppDataUpdate(_) => ProposalType::APP_DATA_UPDATE,
            Self::SelfRemove => ProposalType::SELF_REMOVE,
            Self::Custom(custom) => custom.proposal_type,
        }
    }

    /// Whether a commit that covers it needs a path (section 17.4). Of a custom one the application
    /// may say otherwise.
    #[must_use]
    pub const fn is_path_required(&self) -> bool {
        !matches!(
            self,
            Self::Add(_) | Self::PreSharedKey(_) | Self::ReInit(_) | Self::AppDataUpdate(_)
        )
    }

    /// Whether an external sender may send it (section 17.4).
    #[must_use]
    pub const fn is_allowed_from_external(&self) -> bool {
        matches!(
            self,
            Self::Add(_)
                | Self::Remove(_)
                | Self::PreSharedKey(_)
                | Self::ReInit(_)
                | Self::GroupContextExtensions(_)
                | Self::AppDataUpdate(_)
        )
    }
}

impl Encode for Proposal {
    fn encoded_len(&self) -> usize {
        2 + match self {
            Self::Add(key_package) => key_package.encoded_len(),
            Self::Update(leaf_node) => leaf_node.encoded_len(),
            Self::Remove(removed) => removed.encoded_len(),
            Self::PreSharedKey(psk) => psk.encoded_len(),
            Self::ReInit(reinit) => reinit.encoded_len(),
            Self::ExternalInit(kem_output) => kem_output.encoded_len(),
            Self::GroupContextExtensions(extensions) => extensions.encoded_len(),
            Self::AppDataUpdate(update) => update.encoded_len(),
            Self::SelfRemove => 0,
            Self::Custom(custom) => custom.data.encoded_len(),
        }
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.proposal_type().encode(out)?;
        match self {
            Self::Add(key_package) => key_package.encode(out),
            Self::Update(leaf_node) => leaf_node.encode(out),
            Self::Remove(removed) => removed.encode(out),
            Self::PreSharedKey(psk) => psk.encode(out),
            Self::ReInit(reinit) => reinit.encode(out),
            Self::ExternalInit(kem_output) => kem_output.encode(out),
            Self::GroupContextExtensions(extensions) => extensions.encode(out),
            Self::AppDataUpdate(update) => update.encode(out),
            Self::SelfRemove => Ok(()),
            Self::Custom(custom) => custom.data.encode(out),
        }
    }
}

impl Decode for Proposal {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.read()? {
            ProposalType::ADD => reader.read().map(Self::Add),
            ProposalType::UPDATE => reader.read().map(Self::Update),
            ProposalType::REMOVE => reader.read().map(Self::Remove),
            ProposalType::PSK => reader.read().map(Self::PreSharedKey),
            ProposalType::REINIT => reader.read().map(Self::ReInit),
            ProposalType::EXTERNAL_INIT => reader.read().map(Self::ExternalInit),
            ProposalType::GROUP_CONTEXT_EXTENSIONS => {
                reader.read().map(Self::GroupContextExtensions)
            }
            ProposalType::APP_DATA_UPDATE => reader.read().map(Self::AppDataUpdate),
            ProposalType::SELF_REMOVE => Ok(Self::SelfRemove),
            proposal_type if proposal_type.is_private() => {
                Ok(Self::Custom(CustomProposal { proposal_type, data: reader.read()? }))
            }
            _ => Err(DecodeError::InvalidValue("ProposalType")),
        }
    }
}

/// `ProposalOrRef`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProposalOrRef {
    /// A proposal of the committer's, by value.
    Proposal(Proposal),
    /// A proposal sent before, by its ProposalRef.
    Reference(Vec<u8>),
}

const PROPOSAL: u8 = 1;
const REFERENCE: u8 = 2;

impl Encode for ProposalOrRef {
    fn encoded_len(&self) -> usize {
        1 + match self {
            Self::Proposal(proposal) => proposal.encoded_len(),
            Self::Reference(reference) => reference.encoded_len(),
        }
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self {
            Self::Proposal(proposal) => {
                PROPOSAL.encode(out)?;
                proposal.encode(out)
            }
            Self::Reference(reference) => {
                REFERENCE.encode(out)?;
                reference.encode(out)
            }
        }
    }
}

impl Decode for ProposalOrRef {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.read::<u8>()? {
            PROPOSAL => reader.read().map(Self::Proposal),
            REFERENCE => reader.read().map(Self::Reference),
            _ => Err(DecodeError::InvalidValue("ProposalOrRefType")),
        }
    }
}
