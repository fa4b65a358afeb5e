//! What the members of a group agree on (section 8.1).

use crypto_api::CipherSuite;

use super::{Extensions, ProtocolVersion};
use crate::codec_struct;

/// `GroupContext`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupContext {
    /// Of this version only `mls10` is a group that the engine takes part in.
    pub version: ProtocolVersion,
    /// The group's cipher suite.
    pub cipher_suite: CipherSuite,
    /// The application's name of the group.
    pub group_id: Vec<u8>,
    /// The current version of the group.
    pub epoch: u64,
    /// The tree hash of the root.
    pub tree_hash: Vec<u8>,
    /// The hash of the messages that led here; empty in epoch 0.
    pub confirmed_transcript_hash: Vec<u8>,
    /// The group's parameters.
    pub extensions: Extensions,
}
codec_struct!(GroupContext {
    version,
    cipher_suite,
    group_id,
    epoch,
    tree_hash,
    confirmed_transcript_hash,
    extensions
});
