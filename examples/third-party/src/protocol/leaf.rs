//! A member as the others see it; alone and framed, it is a key package.

use ed25519_dalek::{SigningKey, VerifyingKey};
use engine_api::Rejection;

use super::crypto::{check_public_key, digest, sign, verify};
use super::wire::{Kind, Reader, Writer, malformed};

/// The longest identity, in bytes.
pub(crate) const IDENTITY_MAX: usize = 1024;

/// Who a member is, and its two public keys, signed with one of them.
#[derive(Clone)]
pub(crate) struct Leaf {
    pub(crate) identity: Vec<u8>,
    pub(crate) signature_key: VerifyingKey,
    pub(crate) encryption_key: [u8; 32],
    signature: [u8; 64],
}

impl Leaf {
    pub(crate) fn new(identity: &[u8], signer: &SigningKey, encryption_key: [u8; 32]) -> Self {
        let mut leaf = Self {
            identity: identity.to_vec(),
            signature_key: signer.verifying_key(),
            encryption_key,
            signature: [0; 64],
        };
        leaf.signature = sign(signer, b"leaf", &leaf.signed());
        leaf
    }

    /// Checks the keys and the leaf's own signature: decoding doesn't.
    pub(crate) fn verify(&self) -> Result<(), Rejection> {
        check_public_key(&self.encryption_key)?;
        verify(&self.signature_key, b"leaf", &self.signed(), &self.signature)
    }

    fn signed(&self) -> Vec<u8> {
        let mut writer = Writer::headless();
        self.encode_unsigned(&mut writer);
        writer.finish()
    }

    fn encode_unsigned(&self, writer: &mut Writer) {
        writer.variable(&self.identity);
        writer.fixed(self.signature_key.as_bytes());
        writer.fixed(&self.encryption_key);
    }

    pub(crate) fn encode(&self, writer: &mut Writer) {
        self.encode_unsigned(writer);
        writer.fixed(&self.signature);
    }

    pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Self, Rejection> {
        let identity = reader.variable()?.to_vec();
        if identity.is_empty() || identity.len() > IDENTITY_MAX {
            return Err(malformed("an identity of that length"));
        }
        let signature_key = VerifyingKey::from_bytes(&reader.array()?)
            .map_err(|_| malformed("not an Ed25519 key"))?;
        Ok(Self {
            identity,
            signature_key,
            encryption_key: reader.array()?,
            signature: reader.array()?,
        })
    }

    pub(crate) fn to_key_package(&self) -> Vec<u8> {
        let mut writer = Writer::new(Kind::KeyPackage);
        self.encode(&mut writer);
        writer.finish()
    }

    /// Decodes and verifies a key package.
    pub(crate) fn from_key_package(bytes: &[u8]) -> Result<Self, Rejection> {
        let mut reader = Reader::new(bytes, Kind::KeyPackage)?;
        let leaf = Self::decode(&mut reader)?;
        reader.finish()?;
        leaf.verify()?;
        Ok(leaf)
    }

    /// The name that a Welcome calls this key package by.
    pub(crate) fn reference(&self) -> [u8; 32] {
        digest(b"key package", &[&self.to_key_package()])
    }
}
