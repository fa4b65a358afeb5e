//! What messages say, and who says it.

use crate::{
    codec::{Decode, DecodeError, Encode, EncodeError, Reader},
    schedule::RatchetType,
    types::{Commit, LeafIndex, Proposal},
};

/// An enum that is its number on the wire.
macro_rules! wire_enum {
    ($(#[$doc:meta])* $name:ident: $int:ty { $($(#[$value_doc:meta])* $value:ident = $number:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$value_doc])* $value = $number,)+
        }

        impl Encode for $name {
            fn encoded_len(&self) -> usize {
                size_of::<$int>()
            }

            fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
                (*self as $int).encode(out)
            }
        }

        impl Decode for $name {
            fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                match reader.read::<$int>()? {
                    $($number => Ok(Self::$value),)+
                    _ => Err(DecodeError::InvalidValue(stringify!($name))),
                }
            }
        }
    };
}

wire_enum! {
    /// `WireFormat`.
    WireFormat: u16 {
        /// `mls_public_message`.
        PublicMessage = 1,
        /// `mls_private_message`.
        PrivateMessage = 2,
        /// `mls_welcome`.
        Welcome = 3,
        /// `mls_group_info`.
        GroupInfo = 4,
        /// `mls_key_package`.
        KeyPackage = 5,
    }
}

wire_enum! {
    /// `ContentType`.
    ContentType: u8 {
        /// `application`.
        Application = 1,
        /// `proposal`.
        Proposal = 2,
        /// `commit`.
        Commit = 3,
    }
}

impl ContentType {
    /// The ratchet that keys for it come from.
    #[must_use]
    pub const fn ratchet_type(self) -> RatchetType {
        match self {
            Self::Application => RatchetType::Application,
            Self::Proposal | Self::Commit => RatchetType::Handshake,
        }
    }
}

/// `Sender`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sender {
    /// `member`, by its leaf.
    Member(LeafIndex),
    /// `external`, by its index in the `external_senders` extension.
    External(u32),
    /// `new_member_proposal`: who wants to be added.
    NewMemberProposal,
    /// `new_member_commit`: who adds itself.
    NewMemberCommit,
}

impl Sender {
    /// Whether the sender's signature covers the GroupContext (section 6.1): whether it has one.
    pub(super) fn knows_group_context(self) -> bool {
        matches!(self, Self::Member(_) | Self::NewMemberCommit)
    }
}

impl Encode for Sender {
    fn encoded_len(&self) -> usize {
        match self {
            Self::Member(_) | Self::External(_) => 5,
            Self::NewMemberProposal | Self::NewMemberCommit => 1,
        }
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self {
            Self::Member(leaf_index) => {
                1_u8.encode(out)?;
                leaf_index.encode(out)
            }
            Self::External(sender_index) => {
                2_u8.encode(out)?;
                sender_index.encode(out)
            }
            Self::NewMemberProposal => 3_u8.encode(out),
            Self::NewMemberCommit => 4_u8.encode(out),
        }
    }
}

impl Decode for Sender {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.read::<u8>()? {
            1 => reader.read().map(Self::Member),
            2 => reader.read().map(Self::External),
            3 => Ok(Self::NewMemberProposal),
            4 => Ok(Self::NewMemberCommit),
            _ => Err(DecodeError::InvalidValue("SenderType")),
        }
    }
}

/// What a message says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// `application_data`: the application's own.
    Application(Vec<u8>),
    /// `proposal`.
    Proposal(Proposal),
    /// `commit`.
    Commit(Commit),
}

impl Content {
    /// Its type.
    #[must_use]
    pub const fn content_type(&self) -> ContentType {
        match self {
            Self::Application(_) => ContentType::Application,
            Self::Proposal(_) => ContentType::Proposal,
            Self::Commit(_) => ContentType::Commit,
        }
    }
}

/// Its type and then the content, as in a FramedContent.
impl Encode for Content {
    fn encoded_len(&self) -> usize {
        1 + match self {
            Self::Application(application_data) => application_data.encoded_len(),
            Self::Proposal(proposal) => proposal.encoded_len(),
            Self::Commit(commit) => commit.encoded_len(),
        }
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.content_type().encode(out)?;
        match self {
            Self::Application(application_data) => application_data.encode(out),
            Self::Proposal(proposal) => proposal.encode(out),
            Self::Commit(commit) => commit.encode(out),
        }
    }
}

impl Decode for Content {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.read()? {
            ContentType::Application => reader.read().map(Self::Application),
            ContentType::Proposal => reader.read().map(Self::Proposal),
            ContentType::Commit => reader.read().map(Self::Commit),
        }
    }
}

/// `FramedContent`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FramedContent {
    /// The group.
    pub group_id: Vec<u8>,
    /// The epoch that it is sent in.
    pub epoch: u64,
    /// Who sends it.
    pub sender: Sender,
    /// The application's, in the clear.
    pub authenticated_data: Vec<u8>,
    /// What it says.
    pub content: Content,
}

crate::codec_struct!(FramedContent { group_id, epoch, sender, authenticated_data, content });
