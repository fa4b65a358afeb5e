//! Sender data: who sent a PrivateMessage, and under which key (section 6.3.2).

use crypto_api::Suite;
use zeroize::Zeroizing;

use crate::{
    Error, PeerError, Result,
    codec::{Decode, Encode},
    codec_struct,
    schedule::SenderDataSecret,
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

    /// Encrypts it for the message with this ciphertext. `aad` is the encoded SenderDataAAD.
    pub(super) fn encrypt(
        &self,
        suite: &dyn Suite,
        secret: &SenderDataSecret,
        aad: &[u8],
        ciphertext: &[u8],
    ) -> Result<Vec<u8>> {
        let (key, nonce) = secret.key_and_nonce(suite, ciphertext)?;
        let mut buffer = Vec::with_capacity(Self::LENGTH + suite.aead_nt());
        self.encode(&mut buffer)?;
        suite.aead_seal(key.as_slice(), nonce.as_slice(), aad, &mut buffer)?;
        Ok(buffer)
    }

    /// Decrypts that of the message with this ciphertext.
    pub(super) fn decrypt(
        suite: &dyn Suite,
        secret: &SenderDataSecret,
        aad: &[u8],
        ciphertext: &[u8],
        encrypted_sender_data: &[u8],
    ) -> Result<Self> {
        if encrypted_sender_data.len() != Self::LENGTH + suite.aead_nt() {
            return Err(PeerError::Undecryptable.into());
        }
        let (key, nonce) = secret.key_and_nonce(suite, ciphertext)?;
        let mut buffer = Zeroizing::new(encrypted_sender_data.to_vec());
        suite
            .aead_open(key.as_slice(), nonce.as_slice(), aad, &mut buffer)
            .map_err(Error::of_peer(PeerError::Undecryptable))?;
        Ok(Self::decode_exact(&buffer)?)
    }
}
