//! Sender data: who sent a PrivateMessage, and under which key (section 6.3.2).

use crypto_api::Suite;
use zeroize::Zeroizing;

use crate::{
    Error, PeerError, Result,
    codec::Decode,
    codec_struct,
    schedule::{KeyAndNonce, SenderDataSecret},
    types::LeafIndex,
};

/// `SenderData`. That it decrypts proves no more than that a member wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SenderData {
    /// Who says to have sent the message.
    pub leaf_index: LeafIndex,
    /// The generation of the sender's ratchet that the message is encrypted with.
    pub generation: u32,
    /// What the nonce is changed with.
    pub reuse_guard: [u8; 4],
}

codec_struct!(SenderData { leaf_index, generation, reuse_guard });

impl SenderData {
    /// How long its encoding always is.
    const LENGTH: usize = 12;
    /// With the longest tag that there is.
    const MAX_ENCRYPTED: usize = Self::LENGTH + 32;

    /// How long its encryption always is.
    pub(super) fn encrypted_len(suite: &dyn Suite) -> usize {
        Self::LENGTH + suite.aead_nt()
    }

    /// Encrypts it for the message with this ciphertext, into `out` of [`Self::encrypted_len`] bytes.
    /// `aad` is the encoded SenderDataAAD.
    pub(super) fn encrypt(
        &self,
        suite: &dyn Suite,
        secret: &SenderDataSecret,
        aad: &[u8],
        ciphertext: &[u8],
        out: &mut [u8],
    ) -> Result<()> {
        let mut key = KeyAndNonce::zero(suite)?;
        secret.expand(suite, ciphertext, &mut key)?;
        let Some((plaintext, _)) = out.split_first_chunk_mut::<{ Self::LENGTH }>() else {
            return Err(Error::Internal("no room for the sender data"));
        };
        let (leaf, rest) = plaintext.split_at_mut(4);
        let (generation, guard) = rest.split_at_mut(4);
        leaf.copy_from_slice(&self.leaf_index.0.to_be_bytes());
        generation.copy_from_slice(&self.generation.to_be_bytes());
        guard.copy_from_slice(&self.reuse_guard);
        Ok(suite.aead_seal_slice(key.key(), key.nonce(), aad, out)?)
    }

    /// Decrypts that of the message with this ciphertext.
    pub(super) fn decrypt(
        suite: &dyn Suite,
        secret: &SenderDataSecret,
        aad: &[u8],
        ciphertext: &[u8],
        encrypted_sender_data: &[u8],
    ) -> Result<Self> {
        if encrypted_sender_data.len() != Self::encrypted_len(suite) {
            return Err(PeerError::Undecryptable.into());
        }
        let mut key = KeyAndNonce::zero(suite)?;
        secret.expand(suite, ciphertext, &mut key)?;
        let mut buffer = Zeroizing::new([0; Self::MAX_ENCRYPTED]);
        let Some(buffer) = buffer.get_mut(..encrypted_sender_data.len()) else {
            return Err(Error::Unsupported("an AEAD with so long a tag"));
        };
        buffer.copy_from_slice(encrypted_sender_data);
        let length = suite
            .aead_open_slice(key.key(), key.nonce(), aad, buffer)
            .map_err(Error::of_peer(PeerError::Undecryptable))?;
        Ok(Self::decode_exact(&buffer[..length])?)
    }
}
