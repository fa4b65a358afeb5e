//! One who holds a member's keys, and signs, tags and encrypts whatever is to be tried.

use std::collections::HashMap;

use burrow::{
    codec::{Encode, Reader, encode_opaque},
    crypto::sign_with_label,
    group::Group,
    schedule::{
        EpochSecrets, NextGenerations, RatchetLimits, RatchetType, SecretTree, StoredSecretTree,
        interim_transcript_hash,
    },
    tree::{RatchetTree, UnverifiedRatchetTree},
    types::{GroupContext, LeafIndex},
};
use crypto_api::{Digest, Secret, SigningKey, Suite};

use crate::{
    Failure,
    shape::Name,
    value::{Value, content_tag, sender_index, sender_tag},
};

/// Signature keys by their public keys: all that the members and their friends have.
#[derive(Debug, Clone, Default)]
pub struct Ring(HashMap<Vec<u8>, SigningKey>);

impl Ring {
    /// Adds one.
    pub fn add(&mut self, key: &SigningKey) {
        self.0.insert(key.public().to_vec(), key.clone());
    }

    /// The private key of a public one.
    #[must_use]
    pub fn get(&self, public: &[u8]) -> Option<&SigningKey> {
        self.0.get(public)
    }
}

/// Where a leaf is, for its signature.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The group.
    pub group_id: &'a [u8],
    /// The leaf.
    pub leaf: u32,
}

/// A member's keys in one epoch, taken out of the stored state.
#[derive(Debug)]
pub struct Insider {
    /// The epoch's context.
    pub context: GroupContext,
    /// The same, encoded.
    pub encoded_context: Vec<u8>,
    /// What the member signs with.
    pub signer: SigningKey,
    /// The tree.
    pub tree: RatchetTree,
    /// The member's leaf.
    pub leaf: LeafIndex,
    /// All secrets of the epoch.
    pub secrets: EpochSecrets,
    /// Its message keys, with which it can look further ahead than others do.
    pub secret_tree: SecretTree,
    /// What the next commit's transcript starts from.
    pub interim_transcript_hash: Digest,
}

impl Insider {
    /// That member. It reads what [`Group::write`] writes, which is nobody's interface: there is no
    /// other way to a group's secrets.
    ///
    /// # Errors
    ///
    /// If the layout isn't the one that this was written for.
    pub fn of(group: &Group) -> Result<Self, Failure> {
        let written = group.write()?;
        let suite = group.client().suite(group.cipher_suite())?;
        let mut reader = Reader::new(&written);
        let _layout: u8 = reader.read()?;
        let context: GroupContext = reader.read()?;
        let _signer: Secret = reader.read()?;
        let tree = reader.read::<UnverifiedRatchetTree>()?.trust();
        let confirmation_tag: Vec<u8> = reader.read()?;
        let leaf: LeafIndex = reader.read()?;
        let _leaf_key: Secret = reader.read()?;
        for _ in 0..reader.read::<u32>()? {
            let (_node, _key): (u32, Secret) = (reader.read()?, reader.read()?);
        }
        let secrets = reader.read()?;
        let stored: StoredSecretTree = reader.read()?;
        // Two generations more than the receiver lets in can be reached, so that it has to refuse.
        let limits = RatchetLimits::new(100, 1200)?;
        let next = NextGenerations::default();
        let transcript = &context.confirmed_transcript_hash;
        Ok(Self {
            interim_transcript_hash: interim_transcript_hash(suite, transcript, &confirmation_tag)?,
            encoded_context: context.to_bytes()?,
            context,
            signer: group.signer().clone(),
            tree,
            leaf,
            secrets,
            secret_tree: stored.resume(suite, limits, leaf, next, &[])?,
        })
    }

    /// The key of whom a FramedContent says it is from, or else our own.
    fn signer_of<'a>(&'a self, framed: &Value, ring: &'a Ring) -> &'a SigningKey {
        let leaf = sender_index(framed).and_then(|leaf| u32::try_from(leaf).ok());
        let leaf = leaf.and_then(|leaf| self.tree.leaf(LeafIndex(leaf)));
        let key = leaf.and_then(|leaf| ring.get(leaf.signature_key.as_slice()));
        key.unwrap_or(&self.signer)
    }

    /// FramedContentTBS but for the context, which is there if the sender knows it.
    fn sign(
        &self,
        suite: &dyn Suite,
        wire_format: u16,
        framed: &Value,
        signer: &SigningKey,
    ) -> Result<(Vec<u8>, Vec<u8>), Failure> {
        let mut start = vec![0, 1];
        start.extend_from_slice(&wire_format.to_be_bytes());
        framed.write(&mut start);
        let context: &[u8] = match sender_tag(framed) {
            Some(1 | 4) => &self.encoded_context,
            _ => b"",
        };
        let signature = sign_with_label(suite, signer, b"FramedContentTBS", &[&start, context])?;
        Ok((start, signature.as_slice().to_vec()))
    }

    /// FramedContentAuthData of a content, with this tag if it is a commit.
    fn auth(
        &self,
        suite: &dyn Suite,
        framed: &Value,
        signature: &[u8],
        sealing: &Sealing<'_>,
    ) -> Vec<u8> {
        let mut auth = Vec::new();
        let _ = encode_opaque(signature, &mut auth);
        if content_tag(framed) == Some(3) {
            let mut input = sealing.wire_format.to_be_bytes().to_vec();
            framed.write(&mut input);
            input.extend_from_slice(&auth);
            let tag = (sealing.tag)(&input).unwrap_or_else(|| suite.hash(&[&input]));
            let _ = encode_opaque(tag.as_slice(), &mut auth);
        }
        auth
    }

    /// Whatever this is, as a PublicMessage whose signature and membership tag are right.
    ///
    /// # Errors
    ///
    /// If it can't be signed.
    pub fn public(
        &self,
        suite: &dyn Suite,
        framed: &Value,
        sealing: &Sealing<'_>,
    ) -> Result<Vec<u8>, Failure> {
        let signer = sealing.signer.unwrap_or_else(|| self.signer_of(framed, sealing.ring));
        let (mut message, signature) = self.sign(suite, sealing.wire_format, framed, signer)?;
        let auth = self.auth(suite, framed, &signature, sealing);
        let key = &self.secrets.membership_key;
        let membership_tag = key.membership_tag(suite, &[&message, &self.encoded_context, &auth]);
        message.extend_from_slice(&auth);
        if sender_tag(framed) == Some(1) {
            encode_opaque(membership_tag.as_slice(), &mut message)?;
        }
        Ok(message)
    }

    /// Whatever this is, as a PrivateMessage that decrypts and whose signature is right. `opened` is
    /// of the shape [`crate::shape::OPENED_PRIVATE`].
    ///
    /// # Errors
    ///
    /// If it can't be signed or encrypted: if it has no SenderData, say.
    pub fn private(
        &self,
        suite: &dyn Suite,
        opened: &Value,
        sealing: &Sealing<'_>,
    ) -> Result<Vec<u8>, Failure> {
        let (framed, sender_data) =
            opened.field(0).zip(opened.field(1)).ok_or("no content or no sender data")?;
        let signer = self.signer_of(framed, sealing.ring);
        let (_, signature) = self.sign(suite, sealing.wire_format, framed, signer)?;
        let auth = self.auth(suite, framed, &signature, sealing);
        let content_type = content_tag(framed).unwrap_or(0).to_be_bytes()[7];

        let mut sender_data_aad = Vec::new();
        framed.field(0).into_iter().for_each(|id| id.write(&mut sender_data_aad));
        framed.field(1).into_iter().for_each(|epoch| epoch.write(&mut sender_data_aad));
        sender_data_aad.push(content_type);
        let mut aad = sender_data_aad.clone();
        framed.field(3).into_iter().for_each(|data| data.write(&mut aad));

        let mut buffer = Vec::new();
        framed
            .field(4)
            .and_then(|content| content.field(1))
            .into_iter()
            .for_each(|body| body.write(&mut buffer));
        buffer.extend_from_slice(&auth);
        buffer.extend_from_slice(opened.field(2).and_then(Value::bytes).unwrap_or_default());

        let [leaf, generation, guard] =
            [0, 1, 2].map(|at| sender_data.field(at).and_then(Value::int).unwrap_or(0) as u32);
        let ratchet_type =
            if content_type == 1 { RatchetType::Application } else { RatchetType::Handshake };
        // One that can't be reached is encrypted with the first: the receiver has to find out.
        let leaf_index = LeafIndex(leaf);
        let pending = self
            .secret_tree
            .peek(suite, leaf_index, ratchet_type, generation)
            .or_else(|_| self.secret_tree.peek(suite, self.leaf, ratchet_type, 0))?;
        let mut nonce = pending.key().nonce().as_slice().to_vec();
        nonce.iter_mut().zip(guard.to_be_bytes()).for_each(|(byte, guard)| *byte ^= guard);
        suite.aead_seal(pending.key().key().as_slice(), &nonce, &aad, &mut buffer)?;

        let mut encrypted = sender_data.to_bytes();
        let (key, nonce) = self.secrets.sender_data_secret.key_and_nonce(suite, &buffer)?;
        suite.aead_seal(key.as_slice(), nonce.as_slice(), &sender_data_aad, &mut encrypted)?;
        let mut message = vec![0, 1, 0, 2];
        message.extend_from_slice(&aad);
        encode_opaque(&encrypted, &mut message)?;
        encode_opaque(&buffer, &mut message)?;
        Ok(message)
    }
}

/// How a content is to be sealed.
pub struct Sealing<'a> {
    /// What the signature is for: 1 or 2, if it is to be right.
    pub wire_format: u16,
    /// Who signs; whoever it is said to be from, if not given.
    pub signer: Option<&'a SigningKey>,
    /// Everybody's keys.
    pub ring: &'a Ring,
    /// The confirmation tag for a ConfirmedTranscriptHashInput, if it can be told.
    pub tag: &'a dyn Fn(&[u8]) -> Option<Digest>,
}

/// Signs all leaves and key packages inside of a value anew, as far as their keys are there.
pub fn sign_inside(suite: &dyn Suite, value: &mut Value, ring: &Ring, place: Place<'_>) {
    let Value::Struct(name, fields) = value else {
        if let Value::List(items, _) = value {
            items.iter_mut().for_each(|item| sign_inside(suite, item, ring, place));
        }
        return;
    };
    let name = *name;
    fields.iter_mut().for_each(|field| sign_inside(suite, field, ring, place));
    let (label, public): (&[u8], _) = match name {
        Name::LeafNode => (b"LeafNodeTBS", fields.get(1).and_then(Value::bytes)),
        Name::KeyPackage => {
            let leaf = fields.get(3);
            (b"KeyPackageTBS", leaf.and_then(|leaf| leaf.field(1)).and_then(Value::bytes))
        }
        _ => return,
    };
    let Some(signer) = public.and_then(|public| ring.get(public)).cloned() else {
        return;
    };
    let source = fields.get(4).and_then(|source| source.field(0)).and_then(Value::int);
    let Some((signature, content)) = fields.split_last_mut() else {
        return;
    };
    let mut tbs = Vec::new();
    content.iter().for_each(|field| field.write(&mut tbs));
    if name == Name::LeafNode && source != Some(1) {
        let _ = encode_opaque(place.group_id, &mut tbs);
        tbs.extend_from_slice(&place.leaf.to_be_bytes());
    }
    if let Ok(signed) = sign_with_label(suite, &signer, label, &[&tbs]) {
        *signature = Value::opaque(signed.as_slice());
    }
}

/// The same for a ratchet tree, where each leaf's place is another one.
pub fn sign_tree(suite: &dyn Suite, tree: &mut Value, ring: &Ring, group_id: &[u8]) {
    if let Value::List(nodes, _) = tree {
        for (leaf, node) in (0_u32..).zip(nodes.iter_mut().step_by(2)) {
            sign_inside(suite, node, ring, Place { group_id, leaf });
        }
    }
}
