//! A group as framing sees it, and messages for it that are made by hand, with whatever fault a
//! test asks for.
#![allow(dead_code, reason = "each test uses a part of it")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use burrow::{
    Result,
    codec::{Decode, encode_opaque},
    crypto::sign_with_label,
    framing::{
        AuthenticatedContent, Content, EpochContext, MlsMessage, PrivateMessage, PublicMessage,
        Sender, SenderKeys, VerifiedContent,
    },
    schedule::{
        Advance, EncryptionSecret, EpochSecret, EpochSecrets, RatchetLimits, RatchetType,
        SecretTree,
    },
    types::{
        Capabilities, Commit, Credential, CredentialType, Extensions, GroupContext, KeyPackage,
        KeyPackageContent, LeafIndex, LeafNode, LeafNodeContent, LeafNodeSource, Lifetime,
        ProtocolVersion, UpdatePath,
    },
};
use crypto_api::{Secret, SigningKey, Suite, VerifyingKey};

pub(crate) const GROUP_ID: &[u8] = b"a group";
pub(crate) const EPOCH: u64 = 7;

pub(crate) struct Group<'a> {
    pub(crate) suite: &'a dyn Suite,
    pub(crate) group_context: Vec<u8>,
    pub(crate) secrets: EpochSecrets,
    encryption_secret: Secret,
    /// The members' keys by leaf; leaf 2 is blank.
    pub(crate) members: Vec<Option<SigningKey>>,
    pub(crate) external: SigningKey,
}

impl<'a> Group<'a> {
    pub(crate) fn new(suite: &'a dyn Suite) -> Self {
        let (secrets, encryption_secret) =
            EpochSecret::random(suite).unwrap().schedule(suite).unwrap();
        let key = || suite.generate_signing_key().unwrap();
        Self {
            suite,
            group_context: group_context(suite, EPOCH),
            secrets,
            encryption_secret: encryption_secret.as_secret().clone(),
            members: vec![Some(key()), Some(key()), None, Some(key())],
            external: key(),
        }
    }

    pub(crate) fn epoch(&self) -> EpochContext<'_> {
        EpochContext {
            suite: self.suite,
            group_id: GROUP_ID,
            epoch: EPOCH,
            group_context: &self.group_context,
        }
    }

    pub(crate) fn tree(&self) -> SecretTree {
        let secret = EncryptionSecret::from(self.encryption_secret.clone());
        SecretTree::new(secret, 4, RatchetLimits::default())
    }

    pub(crate) fn signer(&self, leaf: u32) -> &SigningKey {
        self.members[leaf as usize].as_ref().unwrap()
    }

    pub(crate) fn unprotect_public(&self, message: &[u8]) -> Result<VerifiedContent> {
        let key = &self.secrets.membership_key;
        public(message)?.unprotect(&self.epoch(), key, self)
    }

    pub(crate) fn unprotect_private(
        &self,
        tree: &SecretTree,
        message: &[u8],
    ) -> Result<(VerifiedContent, Advance)> {
        let secret = &self.secrets.sender_data_secret;
        private(message)?.unprotect(&self.epoch(), secret, tree, self)
    }
}

impl SenderKeys for Group<'_> {
    fn member(&self, leaf_index: LeafIndex) -> Result<Option<VerifyingKey>> {
        let key = self.members.get(leaf_index.as_usize());
        key.and_then(Option::as_ref)
            .map(|key| Ok(self.suite.verifying_key(key.public())?))
            .transpose()
    }

    fn external(&self, sender_index: u32) -> Result<Option<VerifyingKey>> {
        let key = self.suite.verifying_key(self.external.public())?;
        Ok((sender_index == 0).then_some(key))
    }
}

pub(crate) fn group_context(suite: &dyn Suite, epoch: u64) -> Vec<u8> {
    let context = GroupContext {
        version: ProtocolVersion::MLS10,
        cipher_suite: suite.cipher_suite(),
        group_id: GROUP_ID.to_vec(),
        epoch,
        tree_hash: vec![1; suite.hash_length()],
        confirmed_transcript_hash: vec![2; suite.hash_length()],
        extensions: Extensions::default(),
    };
    burrow::codec::Encode::to_bytes(&context).unwrap()
}

pub(crate) fn public(message: &[u8]) -> Result<PublicMessage> {
    match MlsMessage::decode_exact(message)? {
        MlsMessage::PublicMessage(message) => Ok(*message),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn private(message: &[u8]) -> Result<PrivateMessage> {
    match MlsMessage::decode_exact(message)? {
        MlsMessage::PrivateMessage(message) => Ok(*message),
        other => panic!("{other:?}"),
    }
}

/// A message by hand, following section 6 and not the engine.
pub(crate) struct ByHand<'a> {
    pub(crate) group: &'a Group<'a>,
    pub(crate) wire_format: u8,
    pub(crate) sender: Sender,
    pub(crate) authenticated_data: &'a [u8],
    pub(crate) content: Content,
    pub(crate) signer: &'a SigningKey,
    pub(crate) confirmation_tag: &'a [u8],
}

impl<'a> ByHand<'a> {
    /// From the member at leaf 1.
    pub(crate) fn new(group: &'a Group<'a>, wire_format: u8, content: Content) -> Self {
        Self {
            group,
            wire_format,
            sender: Sender::Member(LeafIndex(1)),
            authenticated_data: b"data",
            content,
            signer: group.signer(1),
            confirmation_tag: b"tag",
        }
    }

    /// `version || wire_format || FramedContent`.
    fn framed(&self) -> Vec<u8> {
        let mut bytes = vec![0, 1, 0, self.wire_format];
        encode_opaque(GROUP_ID, &mut bytes).unwrap();
        bytes.extend_from_slice(&EPOCH.to_be_bytes());
        match self.sender {
            Sender::Member(leaf) => {
                bytes.push(1);
                bytes.extend_from_slice(&leaf.0.to_be_bytes());
            }
            Sender::External(index) => {
                bytes.push(2);
                bytes.extend_from_slice(&index.to_be_bytes());
            }
            Sender::NewMemberProposal => bytes.push(3),
            Sender::NewMemberCommit => bytes.push(4),
        }
        encode_opaque(self.authenticated_data, &mut bytes).unwrap();
        bytes.push(self.content_type());
        bytes.extend(self.body());
        bytes
    }

    fn content_type(&self) -> u8 {
        match self.content {
            Content::Application(_) => 1,
            Content::Proposal(_) => 2,
            Content::Commit(_) => 3,
        }
    }

    fn body(&self) -> Vec<u8> {
        let bytes = burrow::codec::Encode::to_bytes(&self.content).unwrap();
        bytes[1..].to_vec()
    }

    fn context(&self) -> &[u8] {
        match self.sender {
            Sender::Member(_) | Sender::NewMemberCommit => &self.group.group_context,
            Sender::External(_) | Sender::NewMemberProposal => b"",
        }
    }

    /// FramedContentAuthData.
    fn auth(&self) -> Vec<u8> {
        let content = [&self.framed()[..], self.context()];
        let suite = self.group.suite;
        let signature = sign_with_label(suite, self.signer, b"FramedContentTBS", &content).unwrap();
        let mut auth = Vec::new();
        encode_opaque(signature.as_slice(), &mut auth).unwrap();
        if let Content::Commit(_) = self.content {
            encode_opaque(self.confirmation_tag, &mut auth).unwrap();
        }
        auth
    }

    /// A PublicMessage with this in the place of its membership tag.
    pub(crate) fn public_with(&self, membership_tag: Option<&[u8]>) -> Vec<u8> {
        let mut message = self.framed();
        message.extend(self.auth());
        if let Some(tag) = membership_tag {
            encode_opaque(tag, &mut message).unwrap();
        }
        message
    }

    /// A PublicMessage with its membership tag, if its sender has one.
    pub(crate) fn public(&self) -> Vec<u8> {
        let Sender::Member(_) = self.sender else {
            return self.public_with(None);
        };
        // Signatures may be randomised: the tag has to be over this very one.
        let (framed, auth) = (self.framed(), self.auth());
        let tbm = [&framed[..], self.context(), &auth];
        let key = self.group.secrets.membership_key.as_secret();
        let tag = self.group.suite.mac(key.as_slice(), &tbm);
        let mut message = [framed, auth].concat();
        encode_opaque(tag.as_slice(), &mut message).unwrap();
        message
    }

    /// AuthenticatedContent.
    pub(crate) fn authenticated(&self) -> AuthenticatedContent {
        let bytes = [&self.framed()[2..], &self.auth()].concat();
        AuthenticatedContent::decode_exact(&bytes).unwrap()
    }

    /// A PrivateMessage.
    pub(crate) fn private(&self, how: &Encryption<'_>) -> Vec<u8> {
        let plaintext = match how.plaintext {
            Some(plaintext) => plaintext.to_vec(),
            None => [&self.body()[..], &self.auth(), how.padding].concat(),
        };
        self.encrypt(how, plaintext)
    }

    fn encrypt(&self, how: &Encryption<'_>, plaintext: Vec<u8>) -> Vec<u8> {
        let suite = self.group.suite;
        let mut message = vec![0, 1, 0, 2];
        encode_opaque(GROUP_ID, &mut message).unwrap();
        message.extend_from_slice(&EPOCH.to_be_bytes());
        message.push(self.content_type());
        let sender_data_aad = message[4..].to_vec();
        encode_opaque(self.authenticated_data, &mut message).unwrap();

        let (key, mut nonce) = self.key_and_nonce(how);
        for (byte, guard) in nonce.iter_mut().zip(how.nonce_guard.unwrap_or(how.reuse_guard)) {
            *byte ^= guard;
        }
        let mut ciphertext = plaintext;
        let aad = how.aad.unwrap_or(&message[4..]);
        suite.aead_seal(&key, &nonce, aad, &mut ciphertext).unwrap();
        if let Some(instead) = how.ciphertext {
            ciphertext = instead.to_vec();
        }

        let sample = &ciphertext[..how.sample.unwrap_or(suite.kdf_nh()).min(ciphertext.len())];
        let secret = self.group.secrets.sender_data_secret.as_secret();
        let expand = |label, length| {
            burrow::crypto::expand_with_label(suite, secret, label, sample, length).unwrap()
        };
        let mut sender_data = how.leaf.to_be_bytes().to_vec();
        sender_data.extend_from_slice(&how.generation.to_be_bytes());
        sender_data.extend_from_slice(&how.reuse_guard);
        sender_data.extend_from_slice(how.after_sender_data);
        let key = expand(b"key".as_slice(), suite.aead_nk());
        let nonce = expand(b"nonce", suite.aead_nn());
        let aad = how.sender_data_aad.unwrap_or(&sender_data_aad);
        suite.aead_seal(key.as_slice(), nonce.as_slice(), aad, &mut sender_data).unwrap();
        encode_opaque(&sender_data, &mut message).unwrap();
        encode_opaque(&ciphertext, &mut message).unwrap();
        message
    }

    fn key_and_nonce(&self, how: &Encryption<'_>) -> (Vec<u8>, Vec<u8>) {
        let ratchet = match self.content {
            Content::Application(_) => RatchetType::Application,
            _ => RatchetType::Handshake,
        };
        let generation = how.generation.min(1000);
        let leaf = LeafIndex(how.leaf.min(3));
        let tree = self.group.tree();
        let pending = tree.peek(self.group.suite, leaf, ratchet, generation);
        let key = pending.unwrap().key().clone();
        (key.key().as_slice().to_vec(), key.nonce().as_slice().to_vec())
    }
}

/// How a PrivateMessage is encrypted. Where it says `None`, as section 6.3 has it.
#[derive(Default)]
pub(crate) struct Encryption<'a> {
    pub(crate) leaf: u32,
    pub(crate) generation: u32,
    pub(crate) reuse_guard: [u8; 4],
    pub(crate) padding: &'a [u8],
    /// In the place of the PrivateMessageContent.
    pub(crate) plaintext: Option<&'a [u8]>,
    /// In the place of the ciphertext.
    pub(crate) ciphertext: Option<&'a [u8]>,
    /// Really XORed into the nonce.
    pub(crate) nonce_guard: Option<[u8; 4]>,
    pub(crate) aad: Option<&'a [u8]>,
    pub(crate) sender_data_aad: Option<&'a [u8]>,
    /// How much of the ciphertext is sampled.
    pub(crate) sample: Option<usize>,
    /// Behind the SenderData, under the same encryption.
    pub(crate) after_sender_data: &'a [u8],
}

impl Encryption<'_> {
    /// As the member at leaf 1 would.
    pub(crate) fn of_leaf_1() -> Self {
        Self { leaf: 1, reuse_guard: [1, 2, 3, 4], ..Self::default() }
    }
}

pub(crate) fn key_package(suite: &dyn Suite, signer: &SigningKey) -> KeyPackage {
    let init_key = suite.generate_key_pair().unwrap().public().to_vec();
    let lifetime = Lifetime { not_before: 0, not_after: u64::MAX };
    let leaf = leaf_content(suite, signer, LeafNodeSource::KeyPackage(lifetime));
    let extensions = Extensions::default();
    let package = KeyPackageContent::sign(suite, signer, init_key.into(), leaf, extensions);
    (**package.as_ref().unwrap()).clone()
}

pub(crate) fn update_leaf(suite: &dyn Suite, signer: &SigningKey) -> LeafNode {
    let leaf = leaf_content(suite, signer, LeafNodeSource::Update);
    leaf.sign(suite, signer, GROUP_ID, LeafIndex(1)).unwrap()
}

/// A commit without proposals, with a path for a leaf of this key.
pub(crate) fn commit(suite: &dyn Suite, signer: &SigningKey) -> Commit {
    let leaf = leaf_content(suite, signer, LeafNodeSource::Commit(Vec::new()));
    Commit {
        proposals: Vec::new(),
        path: Some(UpdatePath {
            leaf_node: leaf.sign(suite, signer, GROUP_ID, LeafIndex(3)).unwrap(),
            nodes: Vec::new(),
        }),
    }
}

fn leaf_content(
    suite: &dyn Suite,
    signer: &SigningKey,
    leaf_node_source: LeafNodeSource,
) -> LeafNodeContent {
    let encryption_key = suite.generate_key_pair().unwrap().public().to_vec();
    LeafNodeContent {
        encryption_key: encryption_key.into(),
        signature_key: signer.public().to_vec().into(),
        credential: Credential::Basic(b"someone".to_vec()),
        capabilities: Capabilities {
            versions: vec![ProtocolVersion::MLS10],
            cipher_suites: vec![suite.cipher_suite()],
            credentials: vec![CredentialType::BASIC],
            ..Capabilities::default()
        },
        leaf_node_source,
        extensions: Extensions::default(),
    }
}
