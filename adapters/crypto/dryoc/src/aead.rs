//! ChaCha20-Poly1305, by dryoc.

use crypto_api::{CryptoError, primitives::Aead};
use dryoc::classic::crypto_aead_chacha20poly1305_ietf as chacha;

/// ChaCha20-Poly1305.
pub struct ChaCha20Poly1305;

impl Aead for ChaCha20Poly1305 {
    const AEAD_ID: u16 = 3;
    const NK: usize = 32;

    fn seal(key: &[u8], nonce: &[u8], aad: &[u8], buffer: &mut Vec<u8>) -> Result<(), CryptoError> {
        let key = key.try_into().map_err(|_| CryptoError::Rejected)?;
        let nonce = nonce.try_into().map_err(|_| CryptoError::Rejected)?;
        let mut tag = [0; 16];
        chacha::crypto_aead_chacha20poly1305_ietf_encrypt_detached_inplace(
            buffer,
            &mut tag,
            Some(aad),
            nonce,
            key,
        )
        .map_err(|_| CryptoError::Rejected)?;
        buffer.extend_from_slice(&tag);
        Ok(())
    }

    fn open(key: &[u8], nonce: &[u8], aad: &[u8], buffer: &mut Vec<u8>) -> Result<(), CryptoError> {
        let key = key.try_into().map_err(|_| CryptoError::Rejected)?;
        let nonce = nonce.try_into().map_err(|_| CryptoError::Rejected)?;
        let (text, tag) = buffer.split_last_chunk_mut::<16>().ok_or(CryptoError::Rejected)?;
        chacha::crypto_aead_chacha20poly1305_ietf_decrypt_detached_inplace(
            text,
            tag,
            Some(aad),
            nonce,
            key,
        )
        .map_err(|_| CryptoError::Rejected)?;
        buffer.truncate(buffer.len() - 16);
        Ok(())
    }
}
