//! AES-GCM and ChaCha20-Poly1305, by `aes-gcm` and `chacha20poly1305`.

use aes_gcm::aead::{AeadInOut, KeyInit};
use crypto_api::{CryptoError, primitives::Aead};

macro_rules! aeads {
    ($($(#[$doc:meta])* $name:ident = $cipher:ty, $nk:literal, $aead_id:literal;)+) => {$(
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
                let cipher = <$cipher>::new_from_slice(key).map_err(|_| CryptoError::Rejected)?;
                let nonce = nonce.try_into().map_err(|_| CryptoError::Rejected)?;
                cipher
                    .encrypt_in_place(nonce, aad, buffer)
                    .map_err(|_| CryptoError::Rejected)
            }

            fn open(
                key: &[u8],
                nonce: &[u8],
                aad: &[u8],
                buffer: &mut Vec<u8>,
            ) -> Result<(), CryptoError> {
                let cipher = <$cipher>::new_from_slice(key).map_err(|_| CryptoError::Rejected)?;
                let nonce = nonce.try_into().map_err(|_| CryptoError::Rejected)?;
                cipher
                    .decrypt_in_place(nonce, aad, buffer)
                    .map_err(|_| CryptoError::Rejected)
            }

            fn seal_slice(
                key: &[u8],
                nonce: &[u8],
                aad: &[u8],
                in_out: &mut [u8],
            ) -> Result<(), CryptoError> {
                let cipher = <$cipher>::new_from_slice(key).map_err(|_| CryptoError::Rejected)?;
                let nonce = nonce.try_into().map_err(|_| CryptoError::Rejected)?;
                let length = in_out.len().checked_sub(Self::NT).ok_or(CryptoError::Rejected)?;
                let (plaintext, room) = in_out.split_at_mut(length);
                let tag = cipher
                    .encrypt_inout_detached(nonce, aad, plaintext.into())
                    .map_err(|_| CryptoError::Rejected)?;
                room.copy_from_slice(&tag);
                Ok(())
            }

            fn open_slice(
                key: &[u8],
                nonce: &[u8],
                aad: &[u8],
                in_out: &mut [u8],
            ) -> Result<usize, CryptoError> {
                let cipher = <$cipher>::new_from_slice(key).map_err(|_| CryptoError::Rejected)?;
                let nonce = nonce.try_into().map_err(|_| CryptoError::Rejected)?;
                let length = in_out.len().checked_sub(Self::NT).ok_or(CryptoError::Rejected)?;
                let (ciphertext, tag) = in_out.split_at_mut(length);
                let tag = (&*tag).try_into().map_err(|_| CryptoError::Rejected)?;
                cipher
                    .decrypt_inout_detached(nonce, aad, ciphertext.into(), tag)
                    .map_err(|_| CryptoError::Rejected)?;
                Ok(length)
            }
        }
    )+};
}

aeads! {
    /// AES-128-GCM.
    Aes128Gcm = aes_gcm::Aes128Gcm, 16, 1;
    /// AES-256-GCM.
    Aes256Gcm = aes_gcm::Aes256Gcm, 32, 2;
    /// ChaCha20-Poly1305.
    ChaCha20Poly1305 = chacha20poly1305::ChaCha20Poly1305, 32, 3;
}
