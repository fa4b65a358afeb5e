//! Leaf nodes (sections 7.2 and 7.3).

use std::{ops::Deref, sync::Arc, sync::OnceLock};

use crypto_api::{Signed, SigningKey, Suite, VerifyingKey};

use super::{
    Capabilities, Credential, Extensions, LeafIndex, Lifetime, ProtocolVersion,
    signed::SignedStruct,
};
use crate::{
    Error, PeerError, Result,
    codec::{Decode, DecodeError, Encode, EncodeError, LengthHeader, Reader},
    codec_struct,
    crypto::{HpkePublicKey, SignContent, Signature, SignaturePublicKey, sign_with_label},
};

const LABEL: &[u8] = b"LeafNodeTBS";

/// `LeafNodeSource` with what it selects.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum LeafNodeSource {
    /// Made before its owner knew the group.
    KeyPackage(Lifetime),
    /// From an Update proposal.
    Update,
    /// From a commit's path: its `parent_hash`.
    Commit(Vec<u8>),
}

const KEY_PACKAGE: u8 = 1;
const UPDATE: u8 = 2;
const COMMIT: u8 = 3;

impl Encode for LeafNodeSource {
    fn encoded_len(&self) -> usize {
        1 + match self {
            Self::KeyPackage(lifetime) => lifetime.encoded_len(),
            Self::Update => 0,
            Self::Commit(parent_hash) => parent_hash.encoded_len(),
        }
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self {
            Self::KeyPackage(lifetime) => {
                KEY_PACKAGE.encode(out)?;
                lifetime.encode(out)
            }
            Self::Update => UPDATE.encode(out),
            Self::Commit(parent_hash) => {
                COMMIT.encode(out)?;
                parent_hash.encode(out)
            }
        }
    }
}

impl Decode for LeafNodeSource {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.read::<u8>()? {
            KEY_PACKAGE => reader.read().map(Self::KeyPackage),
            UPDATE => Ok(Self::Update),
            COMMIT => reader.read().map(Self::Commit),
            _ => Err(DecodeError::InvalidValue("LeafNodeSource")),
        }
    }
}

/// A LeafNode without its signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeafNodeContent {
    /// The key that the member alone has the private key of.
    pub encryption_key: HpkePublicKey,
    /// The key that the member signs with.
    pub signature_key: SignaturePublicKey,
    /// Who the member says to be.
    pub credential: Credential,
    /// What the member can do.
    pub capabilities: Capabilities,
    /// How the leaf came into the tree.
    pub leaf_node_source: LeafNodeSource,
    /// More about the member.
    pub extensions: Extensions,
}
codec_struct!(LeafNodeContent {
    encryption_key,
    signature_key,
    credential,
    capabilities,
    leaf_node_source,
    extensions
});

impl LeafNodeContent {
    /// Signs it. `group_id` and `leaf_index` say where it is going to be; a leaf of source
    /// `key_package` doesn't depend on them.
    ///
    /// # Errors
    ///
    /// If it is too long to encode, or the key is of another suite.
    pub fn sign(
        self,
        suite: &dyn Suite,
        signer: &SigningKey,
        group_id: &[u8],
        leaf_index: LeafIndex,
    ) -> Result<LeafNode> {
        let place = Place::new(&self.leaf_node_source, group_id, leaf_index)?;
        let signed = SignedStruct::sign(self, |content| {
            sign_with_label(suite, signer, LABEL, &place.tbs(content, group_id))
        })?;
        Ok(LeafNode::new(signed))
    }
}

/// The end of a LeafNodeTBS: where the leaf is, for the sources that know.
struct Place {
    is_signed: bool,
    group_id_header: LengthHeader,
    leaf_index: [u8; 4],
}

impl Place {
    fn new(
        source: &LeafNodeSource,
        group_id: &[u8],
        leaf_index: LeafIndex,
    ) -> Result<Self, EncodeError> {
        Ok(Self {
            is_signed: !matches!(source, LeafNodeSource::KeyPackage(_)),
            group_id_header: LengthHeader::new(group_id.len())?,
            leaf_index: leaf_index.0.to_be_bytes(),
        })
    }

    fn tbs<'a>(&'a self, content: &'a [u8], group_id: &'a [u8]) -> [&'a [u8]; 4] {
        if self.is_signed {
            let header = self.group_id_header.as_slice();
            [content, header, group_id, &self.leaf_index]
        } else {
            [content, b"", b"", b""]
        }
    }
}

/// `LeafNode`, as made or as received. Cheap to clone.
#[derive(Debug, Clone)]
pub struct LeafNode(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    signed: SignedStruct<LeafNodeContent>,
    verifying_key: OnceLock<VerifyingKey>,
}

/// What a received leaf is for (section 7.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeafNodeUse {
    /// In a key package.
    KeyPackage,
    /// In an Update proposal.
    Update,
    /// In a commit's path.
    Commit,
    /// In a tree, where it may have come from any of these.
    Tree,
}

impl LeafNode {
    fn new(signed: SignedStruct<LeafNodeContent>) -> Self {
        Self(Arc::new(Inner { signed, verifying_key: OnceLock::new() }))
    }

    /// The signature.
    #[must_use]
    pub fn signature(&self) -> &Signature {
        self.0.signed.signature()
    }

    /// The encoding.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.signed.as_bytes()
    }

    /// The parent hash, in a leaf that has one.
    #[must_use]
    pub fn parent_hash(&self) -> Option<&[u8]> {
        match &self.leaf_node_source {
            LeafNodeSource::Commit(parent_hash) => Some(parent_hash),
            _ => None,
        }
    }

    /// The signature key, decoded; the first call does the work.
    ///
    /// # Errors
    ///
    /// [`PeerError::BadKey`] if it is no key of the suite.
    pub fn verifying_key(&self, suite: &dyn Suite) -> Result<&VerifyingKey> {
        if let Some(key) = self.0.verifying_key.get() {
            return Ok(key);
        }
        let key = suite
            .verifying_key(self.signature_key.as_slice())
            .map_err(Error::of_peer(PeerError::BadKey))?;
        Ok(self.0.verifying_key.get_or_init(|| key))
    }

    /// Takes over the decoded signature key of another leaf if it has the same one: that of the
    /// member's old leaf, say, which has been used before.
    pub fn share_verifying_key(&self, other: &Self) {
        if self.signature_key == other.signature_key
            && let Some(key) = other.0.verifying_key.get()
        {
            // If it has one already, it is the same.
            let _ = self.0.verifying_key.set(key.clone());
        }
    }

    /// What the signature has to be over.
    ///
    /// # Errors
    ///
    /// If it is too long to encode.
    pub fn sign_content(&self, group_id: &[u8], leaf_index: LeafIndex) -> Result<SignContent> {
        let place = Place::new(&self.leaf_node_source, group_id, leaf_index)?;
        let content = self.0.signed.signed_bytes();
        Ok(SignContent::new(LABEL, &place.tbs(content, group_id))?)
    }

    /// Whether its capabilities have MLS 1.0 and this cipher suite, as section 11.1 has it "at a
    /// minimum". For leaves that are made or invited; section 7.3 doesn't ask it of a received one,
    /// and members whose leaf doesn't list the suite that they use are in real trees: those of the
    /// working group's own vectors for suite 7.
    #[must_use]
    pub fn lists_suite(&self, suite: &dyn Suite) -> bool {
        self.capabilities.has_version(ProtocolVersion::MLS10)
            && self.capabilities.has_cipher_suite(suite.cipher_suite())
    }

    /// All that section 7.3 asks of the leaf by itself, but for the signature: its source, its keys,
    /// and that it can do what it does.
    ///
    /// # Errors
    ///
    /// [`PeerError`] if it doesn't hold.
    pub fn check(&self, suite: &dyn Suite, use_as: LeafNodeUse) -> Result<()> {
        let source_fits = match use_as {
            LeafNodeUse::KeyPackage => {
                matches!(self.leaf_node_source, LeafNodeSource::KeyPackage(_))
            }
            LeafNodeUse::Update => matches!(self.leaf_node_source, LeafNodeSource::Update),
            LeafNodeUse::Commit => matches!(self.leaf_node_source, LeafNodeSource::Commit(_)),
            LeafNodeUse::Tree => true,
        };
        if !source_fits {
            return Err(Error::invalid("7.3: leaf_node_source is not that of the leaf's use"));
        }
        self.check_capabilities()?;
        suite
            .check_public_key(self.encryption_key.as_slice())
            .map_err(Error::of_peer(PeerError::BadKey))?;
        self.verifying_key(suite).map(|_| ())
    }

    fn check_capabilities(&self) -> Result<()> {
        let capabilities = &self.capabilities;
        if !capabilities.has_credential(self.credential.credential_type()) {
            return Err(Error::invalid("7.2: a leaf's capabilities lack its own credential type"));
        }
        if !self.extensions.types().all(|t| capabilities.has_extension(t)) {
            return Err(Error::invalid(
                "7.3: a leaf's capabilities lack one of its own extensions",
            ));
        }
        Ok(())
    }

    /// Checks the leaf by itself and its signature. Whether it fits into a group is the tree's to
    /// say.
    ///
    /// # Errors
    ///
    /// [`PeerError`] if it isn't valid.
    pub fn verify(
        self,
        suite: &dyn Suite,
        use_as: LeafNodeUse,
        group_id: &[u8],
        leaf_index: LeafIndex,
    ) -> Result<VerifiedLeafNode> {
        self.check(suite, use_as)?;
        let content = self.sign_content(group_id, leaf_index)?;
        suite
            .verify(self.verifying_key(suite)?, content.as_slice(), self.signature().as_slice())
            .map_err(Error::of_peer(PeerError::BadSignature))?;
        Ok(VerifiedLeafNode(self))
    }

    /// Its entry in a batch of signatures over `content`, which is its [`Self::sign_content`].
    ///
    /// # Errors
    ///
    /// [`PeerError::BadKey`] if its signature key is none.
    pub fn signed<'a>(&'a self, suite: &dyn Suite, content: &'a SignContent) -> Result<Signed<'a>> {
        Ok(Signed {
            key: self.verifying_key(suite)?,
            message: content.as_slice(),
            signature: self.signature().as_slice(),
        })
    }
}

impl Deref for LeafNode {
    type Target = LeafNodeContent;

    fn deref(&self) -> &LeafNodeContent {
        &self.0.signed
    }
}

impl PartialEq for LeafNode {
    fn eq(&self, other: &Self) -> bool {
        self.0.signed == other.0.signed
    }
}

impl Eq for LeafNode {}

impl Encode for LeafNode {
    fn encoded_len(&self) -> usize {
        self.0.signed.encoded_len()
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.0.signed.encode(out)
    }
}

impl Decode for LeafNode {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.read().map(Self::new)
    }
}

/// A LeafNode that may be put into a tree: verified, or our own. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedLeafNode(LeafNode);

impl VerifiedLeafNode {
    /// Takes a leaf on trust: one that this client made itself, or that it verified before it
    /// stored it.
    #[must_use]
    pub fn trusted(leaf_node: LeafNode) -> Self {
        Self(leaf_node)
    }

    /// As one that can be encoded and sent.
    #[must_use]
    pub fn into_leaf_node(self) -> LeafNode {
        self.0
    }
}

impl Deref for VerifiedLeafNode {
    type Target = LeafNode;

    fn deref(&self) -> &LeafNode {
        &self.0
    }
}
