//! AES-GCM and ChaCha20-Poly1305, by AWS-LC.

use aws_lc_rs::aead::{self, Aad, LessSafeKey, Nonce, UnboundKey};
use crypto_api::{CryptoError, primitives::Aead};

macro_rules! aeads {
    ($($(#[$doc:meta])* $name:ident = $cipher:ident, $nk:literal, $aead_id:literal;)+) => {$(
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
                let (key, nonce) = key_and_nonce(&aead::$cipher, key, nonce)?;
                key.seal_in_place_append_tag(nonce, Aad::from(aad), buffer)
                    .map_err(|_| CryptoError::Rejected)
            }

            fn open(
                key: &[u8],
                nonce: &[u8],
                aad: &[u8],
                buffer: &mut Vec<u8>,
            ) -> Result<(), CryptoError> {
                let (key, nonce) = key_and_nonce(&aead::$cipher, key, nonce)?;
                let length = key
                    .open_in_place(nonce, Aad::from(aad), buffer)
                    .map_err(|_| CryptoError::Rejected)?
                    .len();
                buffer.truncate(length);
                Ok(())
            }

            fn seal_slice(
                key: &[u8],
                nonce: &[u8],
                aad: &[u8],
                in_out: &mut [u8],
            ) -> Result<(), CryptoError> {
                let (key, nonce) = key_and_nonce(&aead::$cipher, key, nonce)?;
                let length = in_out.len().checked_sub(Self::NT).ok_or(CryptoError::Rejected)?;
                let (plaintext, room) = in_out.split_at_mut(length);
                let tag = key
                    .seal_in_place_separate_tag(nonce, Aad::from(aad), plaintext)
                    .map_err(|_| CryptoError::Rejected)?;
                room.copy_from_slice(tag.as_ref());
                Ok(())
            }

            fn open_slice(
                key: &[u8],
                nonce: &[u8],
                aad: &[u8],
                in_out: &mut [u8],
            ) -> Result<usize, CryptoError> {
                let (key, nonce) = key_and_nonce(&aead::$cipher, key, nonce)?;
                let plaintext = key.open_in_place(nonce, Aad::from(aad), in_out);
                plaintext.map(|plaintext| plaintext.len()).map_err(|_| CryptoError::Rejected)
            }
        }
    )+};
}

aeads! {
    /// AES-128-GCM.
    Aes128Gcm = AES_128_GCM, 16, 1;
    /// AES-256-GCM.
    Aes256Gcm = AES_256_GCM, 32, 2;
    /// ChaCha20-Poly1305.
    ChaCha20Poly1305 = CHACHA20_POLY1305, 32, 3;
}

fn key_and_nonce(
    algorithm: &'static aead::Algorithm,
    key: &[u8],
    nonce: &[u8],
) -> Result<(LessSafeKey, Nonce), CryptoError> {
    let key = UnboundKey::new(algorithm, key).map_err(|_| CryptoError::Rejected)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| CryptoError::Rejected)?;
    Ok((LessSafeKey::new(key), nonce))
}
