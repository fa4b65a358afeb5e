//! Framing by hand (section 6).

use burrow::Result;
use burrow::crypto::{expand_with_label, sign_with_label};
use crypto_api::{SigningKey, Suite};

use super::bytes::{opaque, struct_of};
use super::group::Group;

/// `ContentType`.
pub(in super::super) const APPLICATION: u8 = 1;
pub(in super::super) const PROPOSAL: u8 = 2;
pub(in super::super) const COMMIT: u8 = 3;

const PUBLIC_MESSAGE: u16 = 1;
const PRIVATE_MESSAGE: u16 = 2;

/// `Sender`.
#[derive(Clone, Copy)]
pub(in super::super) enum Sender {
    Member(u32),
    External(u32),
    NewMemberProposal,
    NewMemberCommit,
}

impl Sender {
    fn encoded(self) -> Vec<u8> {
        match self {
            Self::Member(leaf) => struct_of(&[&[1], &leaf.to_be_bytes()]),
            Self::External(index) => struct_of(&[&[2], &index.to_be_bytes()]),
            Self::NewMemberProposal => vec![3],
            Self::NewMemberCommit => vec![4],
        }
    }
}

/// A FramedContent, and what else a message is made of.
#[derive(Clone)]
pub(in super::super) struct Frame {
    pub(in super::super) version: u16,
    pub(in super::super) group_id: Vec<u8>,
    pub(in super::super) epoch: u64,
    pub(in super::super) sender: Sender,
    pub(in super::super) authenticated_data: Vec<u8>,
    pub(in super::super) content_type: u8,
    /// Encoded, with its length if it is application data.
    pub(in super::super) content: Vec<u8>,
    pub(in super::super) signer: SigningKey,
    /// The wire_format that is signed, if not the right one.
    pub(in super::super) signed_wire_format: Option<u16>,
    /// If not as a PublicMessage, how as a PrivateMessage.
    pub(in super::super) private: Option<PrivateFrame>,
    /// What is done to the signature, the tag of a commit and the tag of a PublicMessage, each
    /// before it is authenticated by the next.
    pub(in super::super) on_signature: fn(&mut Vec<u8>),
    pub(in super::super) on_confirmation_tag: fn(&mut Option<Vec<u8>>),
    pub(in super::super) on_membership_tag: fn(&mut Option<Vec<u8>>),
}

/// What a PrivateMessage has beside.
#[derive(Clone)]
pub(in super::super) struct PrivateFrame {
    pub(in super::super) leaf: u32,
    /// The leaf that the sender data name, if not the key's.
    pub(in super::super) sender_leaf: Option<u32>,
    pub(in super::super) generation: u32,
    /// How far the key is derived, if not as far as the generation says.
    pub(in super::super) key_generation: u32,
    pub(in super::super) ratchet: &'static [u8],
    pub(in super::super) reuse_guard: [u8; 4],
    /// What the nonce is changed with.
    pub(in super::super) applied_guard: [u8; 4],
    pub(in super::super) padding: Vec<u8>,
    /// What the header says, if not what is encrypted.
    pub(in super::super) outer: fn(&mut Header),
    /// What is done to the ciphertext in the end, the sender data already being right.
    pub(in super::super) on_ciphertext: fn(&mut Vec<u8>),
}

/// What a PrivateMessage has in the clear.
pub(in super::super) struct Header {
    pub(in super::super) content_type: u8,
    pub(in super::super) authenticated_data: Vec<u8>,
}

/// What authenticates a FramedContent.
pub(in super::super) struct Signed {
    pub(in super::super) frame: Frame,
    signature: Vec<u8>,
}

impl PrivateFrame {
    pub(in super::super) fn new(leaf: u32, generation: u32, content_type: u8) -> Self {
        let guard = [0xa1, 0xb2, 0xc3, 0xd4];
        Self {
            leaf,
            sender_leaf: None,
            generation,
            key_generation: generation,
            ratchet: if content_type == APPLICATION { b"application" } else { b"handshake" },
            reuse_guard: guard,
            applied_guard: guard,
            padding: Vec::new(),
            outer: |_| (),
            on_ciphertext: |_| (),
        }
    }
}

impl Frame {
    /// A PublicMessage of the epoch, with nothing wrong.
    pub(in super::super) fn new(
        group: &Group<'_>,
        (sender, signer): (Sender, SigningKey),
        content_type: u8,
        content: Vec<u8>,
    ) -> Self {
        Self {
            version: 1,
            group_id: group.group_id.clone(),
            epoch: group.epoch,
            sender,
            authenticated_data: Vec::new(),
            content_type,
            content,
            signer,
            signed_wire_format: None,
            private: None,
            on_signature: |_| (),
            on_confirmation_tag: |_| (),
            on_membership_tag: |_| (),
        }
    }

    fn encoded(&self) -> Result<Vec<u8>> {
        Ok(struct_of(&[
            &opaque(&self.group_id)?,
            &self.epoch.to_be_bytes(),
            &self.sender.encoded(),
            &opaque(&self.authenticated_data)?,
            &[self.content_type],
            &self.content,
        ]))
    }

    fn wire_format(&self) -> u16 {
        if self.private.is_some() { PRIVATE_MESSAGE } else { PUBLIC_MESSAGE }
    }

    /// `FramedContentTBS` (section 6.1).
    fn tbs(&self, group: &Group<'_>, wire_format: u16) -> Result<Vec<u8>> {
        let mut tbs =
            struct_of(&[&self.version.to_be_bytes(), &wire_format.to_be_bytes(), &self.encoded()?]);
        if let Sender::Member(_) | Sender::NewMemberCommit = self.sender {
            tbs.extend(group.context()?);
        }
        Ok(tbs)
    }

    /// Section 6.1.
    pub(in super::super) fn sign(self, group: &Group<'_>) -> Result<Signed> {
        let tbs = self.tbs(group, self.signed_wire_format.unwrap_or(self.wire_format()))?;
        let signature = sign_with_label(group.suite, &self.signer, b"FramedContentTBS", &[&tbs])?;
        let mut signature = signature.as_slice().to_vec();
        (self.on_signature)(&mut signature);
        Ok(Signed { frame: self, signature })
    }
}

impl Signed {
    /// `ConfirmedTranscriptHashInput` (section 8.2).
    pub(in super::super) fn transcript_hash_input(&self) -> Result<Vec<u8>> {
        Ok(struct_of(&[
            &self.frame.wire_format().to_be_bytes(),
            &self.frame.encoded()?,
            &opaque(&self.signature)?,
        ]))
    }

    /// The MLSMessage, protected with the secrets of `group`, and the ProposalRef that it has if it
    /// is a proposal.
    pub(in super::super) fn protect(
        &self,
        group: &Group<'_>,
        confirmation_tag: Option<Vec<u8>>,
    ) -> Result<Vec<u8>> {
        let mut tag = confirmation_tag;
        (self.frame.on_confirmation_tag)(&mut tag);
        let tag = tag.map(|tag| opaque(&tag)).transpose()?.unwrap_or_default();
        let auth = struct_of(&[&opaque(&self.signature)?, &tag]);
        match &self.frame.private {
            None => self.public(group, &auth),
            Some(private) => self.private(group, private, &auth),
        }
    }

    /// The ProposalRef (section 5.2).
    pub(in super::super) fn reference(&self, suite: &dyn Suite) -> Result<Vec<u8>> {
        // Of a proposal, this is the AuthenticatedContent.
        let content = self.transcript_hash_input()?;
        Ok(burrow::crypto::make_proposal_ref(suite, &content)?.as_slice().to_vec())
    }

    /// Section 6.2.
    fn public(&self, group: &Group<'_>, auth: &[u8]) -> Result<Vec<u8>> {
        let mut membership_tag = match self.frame.sender {
            Sender::Member(_) => {
                let key = group.secret(b"membership")?;
                let tbs = self.frame.tbs(group, PUBLIC_MESSAGE)?;
                let tag = group.suite.mac(key.as_slice(), &[&tbs, auth]);
                Some(tag.as_slice().to_vec())
            }
            _ => None,
        };
        (self.frame.on_membership_tag)(&mut membership_tag);
        let tag = membership_tag.map(|tag| opaque(&tag)).transpose()?.unwrap_or_default();
        Ok(struct_of(&[
            &self.frame.version.to_be_bytes(),
            &PUBLIC_MESSAGE.to_be_bytes(),
            &self.frame.encoded()?,
            auth,
            &tag,
        ]))
    }

    /// Section 6.3.
    fn private(&self, group: &Group<'_>, private: &PrivateFrame, auth: &[u8]) -> Result<Vec<u8>> {
        let (suite, frame) = (group.suite, &self.frame);
        let [key, nonce] =
            group.message_key(private.leaf, private.ratchet, private.key_generation)?;
        let mut nonce = nonce.as_slice().to_vec();
        for (byte, guard) in nonce.iter_mut().zip(private.applied_guard) {
            *byte ^= guard;
        }
        let mut header = Header {
            content_type: frame.content_type,
            authenticated_data: frame.authenticated_data.clone(),
        };
        let place = struct_of(&[&opaque(&frame.group_id)?, &frame.epoch.to_be_bytes()]);
        let aad = |header: &Header| -> Result<Vec<u8>> {
            let data = opaque(&header.authenticated_data)?;
            Ok(struct_of(&[&place, &[header.content_type], &data]))
        };
        let mut ciphertext = struct_of(&[&frame.content, auth, &private.padding]);
        suite.aead_seal(key.as_slice(), &nonce, &aad(&header)?, &mut ciphertext)?;
        (private.outer)(&mut header);
        let sender_data = struct_of(&[
            &private.sender_leaf.unwrap_or(private.leaf).to_be_bytes(),
            &private.generation.to_be_bytes(),
            &private.reuse_guard,
        ]);
        let sender_data_aad = struct_of(&[&place, &[header.content_type]]);
        let sender_data = seal_sender_data(group, &ciphertext, sender_data, &sender_data_aad)?;
        (private.on_ciphertext)(&mut ciphertext);
        Ok(struct_of(&[
            &frame.version.to_be_bytes(),
            &PRIVATE_MESSAGE.to_be_bytes(),
            &aad(&header)?,
            &opaque(&sender_data)?,
            &opaque(&ciphertext)?,
        ]))
    }
}

/// Section 6.3.2.
fn seal_sender_data(
    group: &Group<'_>,
    ciphertext: &[u8],
    mut sender_data: Vec<u8>,
    aad: &[u8],
) -> Result<Vec<u8>> {
    let suite = group.suite;
    let sample = &ciphertext[..ciphertext.len().min(suite.kdf_nh())];
    let secret = group.secret(b"sender data")?;
    let key = expand_with_label(suite, &secret, b"key", sample, suite.aead_nk())?;
    let nonce = expand_with_label(suite, &secret, b"nonce", sample, suite.aead_nn())?;
    suite.aead_seal(key.as_slice(), nonce.as_slice(), aad, &mut sender_data)?;
    Ok(sender_data)
}
