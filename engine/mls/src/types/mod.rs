//! The structs of RFC 9420 that are neither nodes of the tree nor framing.
//!
//! Decoding checks syntax. What a signature covers keeps the bytes that it was read from, and
//! turns into its verified type, [`VerifiedLeafNode`] or [`VerifiedKeyPackage`], in one way only:
//! by being verified. A [`GroupInfo`] is checked by [`GroupInfo::verify`].

mod app_data;
mod capabilities;
mod commit;
mod credential;
mod extension;
mod group_context;
mod group_info;
mod key_package;
mod known_extensions;
mod leaf_index;
mod leaf_node;
mod lifetime;
mod proposal;
mod psk;
mod signed;
mod welcome;

pub use app_data::{
    AppDataDictionary, AppDataUpdate, AppDataUpdateOperation, ComponentData, ComponentId,
};
pub use capabilities::{Capabilities, ProposalType, ProtocolVersion};
pub use commit::{Commit, HpkeCiphertexts, UpdatePath, UpdatePathNode};
pub use credential::{Certificate, Credential, CredentialType};
pub use extension::{Extension, ExtensionType, Extensions, KnownExtension};
pub use group_context::GroupContext;
pub use group_info::{GroupInfo, GroupInfoContent};
pub use key_package::{KeyPackage, KeyPackageContent, VerifiedKeyPackage};
pub use known_extensions::{
    ApplicationId, ExternalPub, ExternalSender, ExternalSenders, LastResort, RequiredCapabilities,
};
pub use leaf_index::LeafIndex;
pub use leaf_node::{LeafNode, LeafNodeContent, LeafNodeSource, LeafNodeUse, VerifiedLeafNode};
pub use lifetime::Lifetime;
pub use proposal::{CustomProposal, Proposal, ProposalOrRef, ReInit};
pub use psk::{PreSharedKeyId, Psk, ResumptionPskUsage};
pub use welcome::{EncryptedGroupSecrets, GroupSecrets, PathSecret, Welcome};

/// Whether a value is one that section 13.5 sets aside for GREASE. Only for making objects: a
/// received one is an unknown value like any other.
#[must_use]
pub const fn is_grease(value: u16) -> bool {
    value & 0x0f0f == 0x0a0a && value >> 8 == value & 0xff && value < 0xf000
}
