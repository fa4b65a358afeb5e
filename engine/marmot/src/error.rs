//! Errors, by whose fault it is.

/// The engine's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call failed. The group is in the epoch that it was in, with the members that it had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A peer's event is at fault.
    #[error("peer: {0}")]
    Peer(#[from] PeerError),
    /// The caller is at fault.
    #[error("caller: {0}")]
    Caller(#[from] CallerError),
    /// The MLS engine failed: [`burrow::Error::fault`] says whose fault it is.
    #[error("MLS: {0}")]
    Mls(#[from] burrow::Error),
    /// The crypto library failed on good inputs: no randomness, say.
    #[error("crypto: {0}")]
    Crypto(#[from] crypto_api::CryptoError),
    /// The engine is at fault.
    #[error("internal: {0}")]
    Internal(&'static str),
}

/// What a peer did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PeerError {
    /// The bytes are no JSON of an event.
    #[error("no event: {0}")]
    Json(&'static str),
    /// The `id` is not that of what stands in the event (NIP-01).
    #[error("an event's id is not that of its content")]
    WrongId,
    /// The signature is not the author's on the event.
    #[error("an event's signature doesn't verify")]
    BadSignature,
    /// An event of a kind that doesn't belong here.
    #[error("an event of kind {0}")]
    WrongKind(u16),
    /// A tag that has to be there and isn't, is there twice, or says something else.
    #[error("tag {0}")]
    BadTag(&'static str),
    /// Content that is no base64.
    #[error("content that is not base64")]
    Base64,
    /// Content too short for a nonce and a tag (MIP-03).
    #[error("content too short to be encrypted")]
    TooShort,
    /// An event that is older, or more in the future, than is accepted.
    #[error("an event of another time")]
    WrongTime,
    /// An event of another group.
    #[error("an event of another group")]
    OtherGroup,
    /// A group without the group data extension (MIP-01).
    #[error("a group without group data")]
    NoGroupData,
    /// What is inside doesn't decode.
    #[error("malformed: {0}")]
    Malformed(burrow::codec::DecodeError),
    /// Something else inside than there should be.
    #[error("{0}")]
    Unexpected(&'static str),
    /// A credential that isn't that of the event's author, or of the message's sender.
    #[error("{0} is not who sent it")]
    WrongAuthor(&'static str),
    /// A Welcome for none of the key packages given.
    #[error("a Welcome for somebody else")]
    NotForUs,
    /// A file, or what is said of it, is no good (MIP-04).
    #[error("media: {0}")]
    Media(&'static str),
    /// A commit that its author may not make (MIP-03).
    #[error("a commit of a member who is no admin")]
    NotAdmin,
    /// A commit that leaves no admin among the members (MIP-03).
    #[error("a commit after which no member is an admin")]
    NoAdminLeft,
    /// A commit of one who isn't a member.
    #[error("a commit from outside of the group")]
    ExternalCommit,
}

/// What the caller did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallerError {
    /// This member was removed from the group.
    #[error("this member was removed from the group")]
    Removed,
    /// Only an admin may do that (MIP-03).
    #[error("only an admin may do that")]
    NotAdmin,
    /// Nobody of those who would be left is an admin.
    #[error("no member would be an admin")]
    NoAdminLeft,
    /// An admin has to give that up before leaving.
    #[error("an admin can't leave")]
    AdminLeaves,
    /// A commit of this member's is waiting to be published.
    #[error("a commit is pending")]
    CommitPending,
    /// There is none.
    #[error("no commit is pending")]
    NoCommitPending,
    /// Nobody of these is a member.
    #[error("no such member")]
    NoSuchMember,
    /// A rumor with another author than the member who sends it.
    #[error("a rumor of somebody else's")]
    NotOurRumor,
    /// A private key that is none.
    #[error("a private key is no good")]
    BadKey,
    /// A relay that is no `ws:` or `wss:` URL, or none at all.
    #[error("a relay's URL is no good")]
    BadRelay,
    /// What was stored is damaged, or of another layout.
    #[error("stored: {0}")]
    Stored(&'static str),
    /// A rule of the interface is broken; the text names it.
    #[error("{0}")]
    Invalid(&'static str),
}

impl From<burrow::codec::DecodeError> for Error {
    fn from(error: burrow::codec::DecodeError) -> Self {
        Self::Peer(PeerError::Malformed(error))
    }
}

impl From<burrow::codec::EncodeError> for Error {
    fn from(error: burrow::codec::EncodeError) -> Self {
        Self::Mls(error.into())
    }
}

impl Error {
    /// Whose fault it is, in one word.
    #[must_use]
    pub fn fault(&self) -> &'static str {
        match self {
            Self::Peer(_) => "peer",
            Self::Caller(_) => "caller",
            Self::Mls(error) => error.fault(),
            Self::Crypto(_) => "crypto",
            Self::Internal(_) => "internal",
        }
    }
}
