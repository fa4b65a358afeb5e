//! AES-GCM and ChaCha20-Poly1305, by graviola.

use crypto_api::{CryptoError, primitives::Aead};
use graviola::aead;

macro_rules! aeads {
    ($($(#[$doc:meta])* $name:ident = $cipher:expr, $nk:literal, $aead_id:literal;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl Aead for $name {
            const AEAD_ID: u16 = $aead_id;
            const NK: usize = $nk;

            fn seal(
                key: &[u8],
                nonce: &[u8],
                aad: &[u8],
                buffer: &mut Vec<u8>,
            ) -> Result<(), CryptoError> {
                let key: &[u8; $nk] = key.try_into().map_err(|_| CryptoError::Rejected)?;
                let nonce = nonce.try_into().map_err(|_| CryptoError::Rejected)?;
                let mut tag = [0; 16];
                $cipher(key).encrypt(nonce, aad, buffer, &mut tag);
                buffer.extend_from_slice(&tag);
                Ok(())
            }

            fn open(
                key: &[u8],
                nonce: &[u8],
                aad: &[u8],
                buffer: &mut Vec<u8>,
            ) -> Result<(), CryptoError> {
                let key: &[u8; $nk] = key.try_into().map_err(|_| CryptoError::Rejected)?;
                let nonce = nonce.try_into().map_err(|_| CryptoError::Rejected)?;
                let (text, tag) = buffer.split_last_chunk_mut::<16>().ok_or(CryptoError::Rejected)?;
                $cipher(key)
                    .decrypt(nonce, aad, text, tag)
                    .map_err(|_| CryptoError::Rejected)?;
                buffer.truncate(buffer.len() - 16);
                Ok(())
            }
        }
    )+};
}

aeads! {
    /// AES-128-GCM.
    Aes128Gcm = |key: &[u8; 16]| aead::AesGcm::new(key), 16, 1;
    /// AES-256-GCM.
    Aes256Gcm = |key: &[u8; 32]| aead::AesGcm::new(key), 32, 2;
    /// ChaCha20-Poly1305.
    ChaCha20Poly1305 = |key: &[u8; 32]| aead::ChaCha20Poly1305::new(*key), 32, 3;
}
