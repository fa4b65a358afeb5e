//! Application messages: encrypted under the sender's chain, then signed.

use ed25519_dalek::SigningKey;
use engine_api::{EngineError, Rejection};

use super::crypto::{Secret, sign, unauthenticated, verify};
use super::epoch::Epoch;
use super::wire::{Kind, Reader, Writer};

/// An application message as decoded.
pub(crate) struct App<'a> {
    pub(crate) group: [u8; 32],
    pub(crate) epoch: u64,
    pub(crate) sender: u32,
    pub(crate) generation: u32,
    sealed: &'a [u8],
    signature: [u8; 64],
    /// All that comes before `sealed`, which authenticates it.
    header: &'a [u8],
    signed: &'a [u8],
}

impl<'a> App<'a> {
    /// Encrypts and signs `payload` as the next message of `sender`.
    pub(crate) fn seal(
        epoch: &mut Epoch,
        sender: u32,
        signer: &SigningKey,
        payload: &[u8],
    ) -> Result<Vec<u8>, EngineError> {
        let chain = epoch.chains.get_mut(&sender);
        let chain = chain.ok_or_else(|| EngineError::internal("the sender has no chain"))?;
        let (generation, key) = chain.step()?;
        let mut writer = Writer::new(Kind::App);
        writer.fixed(&epoch.roster.group);
        writer.u64(epoch.roster.epoch);
        writer.u32(sender);
        writer.u32(generation);
        let sealed = key.seal(writer.written(), payload)?;
        writer.variable(&sealed);
        let signature = sign(signer, b"app", writer.written());
        writer.fixed(&signature);
        Ok(writer.finish())
    }

    pub(crate) fn decode(bytes: &'a [u8]) -> Result<Self, Rejection> {
        let mut reader = Reader::new(bytes, Kind::App)?;
        let group = reader.array()?;
        let epoch = reader.u64()?;
        let sender = reader.u32()?;
        let generation = reader.u32()?;
        let header = reader.read();
        let sealed = reader.variable()?;
        let signed = reader.read();
        let signature = reader.array()?;
        reader.finish()?;
        Ok(Self { group, epoch, sender, generation, sealed, signature, header, signed })
    }

    /// Whether the sender that it names wrote it; returns that sender's identity.
    pub(crate) fn authenticate<'e>(&self, epoch: &'e Epoch) -> Result<&'e [u8], Rejection> {
        let sender = epoch.roster.leaves.get(&self.sender);
        let sender = sender.ok_or_else(|| unauthenticated("nobody has the sender's leaf"))?;
        verify(&sender.signature_key, b"app", self.signed, &self.signature)?;
        Ok(&sender.identity)
    }

    pub(crate) fn open(&self, key: &Secret) -> Result<Vec<u8>, Rejection> {
        key.open(self.header, self.sealed)
    }
}
