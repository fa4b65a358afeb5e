//! Message framing (section 6).
//!
//! What comes in is decoded into an [`MlsMessage`], which nobody has checked: it says where it
//! claims to belong, and no more. [`PublicMessage::unprotect`] and [`PrivateMessage::unprotect`]
//! are the ways to its [`VerifiedContent`]. What goes out is signed with [`sign`] and then
//! protected by [`SignedContent`].
//!
//! The encoding that is signed is kept. Tags, transcript hashes and references are taken of its
//! parts, and nothing is encoded twice.

mod application;
mod authenticated_content;
mod content;
mod header;
mod mls_message;
mod private_message;
mod public_message;
mod rules;
mod sender_data;
mod signed_content;
mod unsealed;

pub use application::{Data, OpenedApplication, protect_application};
pub use authenticated_content::{AuthenticatedContent, VerifiedContent};
pub use content::{Content, ContentType, FramedContent, Sender, WireFormat};
pub use header::{GroupHeader, MessageHeader};
pub use mls_message::MlsMessage;
pub use private_message::{PrivateMessage, PrivateMessageRef};
pub use public_message::PublicMessage;
pub use sender_data::SenderData;
pub use signed_content::{Padding, Protected, SignedContent, sign};

use crypto_api::{Suite, VerifyingKey};

use crate::{Error, Result, types::LeafIndex};

/// The epoch that a message has to be of.
#[derive(Clone, Copy)]
pub struct EpochContext<'a> {
    /// The group's cipher suite.
    pub suite: &'a dyn Suite,
    /// The group's id.
    pub group_id: &'a [u8],
    /// The epoch's number.
    pub epoch: u64,
    /// The epoch's GroupContext, encoded: for a commit, of the epoch that it is sent in and not of
    /// the one that it starts. Who sends a `new_member_proposal` needs none.
    pub group_context: &'a [u8],
}

impl EpochContext<'_> {
    fn check(&self, group_id: &[u8], epoch: u64) -> Result<()> {
        if group_id != self.group_id {
            return Err(Error::invalid("6: the message is of another group"));
        }
        if epoch != self.epoch {
            return Err(Error::invalid("6: the message is of another epoch"));
        }
        Ok(())
    }
}

/// Who may send in an epoch: its tree and its external senders. For a message of a past epoch they
/// have to be those of that epoch, or a leaf that has a new owner gives away the old one's name.
pub trait SenderKeys {
    /// The signature key of a member; `None` if the leaf is blank or outside of the tree.
    ///
    /// # Errors
    ///
    /// If the key doesn't decode.
    fn member(&self, leaf_index: LeafIndex) -> Result<Option<VerifyingKey>>;

    /// The signature key of an entry in the `external_senders` extension; `None` if there is none.
    ///
    /// # Errors
    ///
    /// If the key or the extension doesn't decode.
    fn external(&self, sender_index: u32) -> Result<Option<VerifyingKey>>;
}
