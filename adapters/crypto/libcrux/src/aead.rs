//! AES-128-GCM and ChaCha20-Poly1305, by libcrux.

use crypto_api::{CryptoError, primitives::Aead};
use libcrux_aesgcm::{AeadConsts as _, aes_gcm_128, aes_gcm_256};
use zeroize::Zeroizing;

/// The tag's length.
const TAG: usize = 16;

macro_rules! aes_gcm {
    ($($(#[$doc:meta])* $name:ident = $module:ident, $cipher:ident, $nk:literal, $aead_id:literal;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl Aead for $name {
            const AEAD_ID: u16 = $aead_id;
            const NK: usize = $module::$cipher::KEY_LEN;

            fn seal(
                key: &[u8],
                nonce: &[u8],
                aad: &[u8],
                buffer: &mut Vec<u8>,
            ) -> Result<(), CryptoError> {
                let (key, nonce) = (bytes::<$nk>(key)?, bytes::<12>(nonce)?);
                let text = Zeroizing::new(std::mem::take(buffer));
                let mut sealed = vec![0; text.len() + TAG];
                let (ciphertext, tag) = sealed.split_at_mut(text.len());
                let mut whole = $module::Tag::from([0; TAG]);
                $module::Key::from(key)
                    .encrypt(ciphertext, &mut whole, &nonce.into(), aad, &text)
                    .map_err(|_| CryptoError::Rejected)?;
                tag.copy_from_slice(whole.as_ref());
                *buffer = sealed;
                Ok(())
            }

            fn open(
                key: &[u8],
                nonce: &[u8],
                aad: &[u8],
                buffer: &mut Vec<u8>,
            ) -> Result<(), CryptoError> {
                let (key, nonce) = (bytes::<$nk>(key)?, bytes::<12>(nonce)?);
                let (text, tag) = buffer.split_last_chunk::<TAG>().ok_or(CryptoError::Rejected)?;
                let mut opened = vec![0; text.len()];
                $module::Key::from(key)
                    .decrypt(&mut opened, &nonce.into(), aad, text, &(*tag).into())
                    .map_err(|_| CryptoError::Rejected)?;
                *buffer = opened;
                Ok(())
            }
        }
    )+};
}

aes_gcm! {
    /// AES-128-GCM.
    Aes128Gcm = aes_gcm_128, AesGcm128, 16, 1;
    /// AES-256-GCM.
    Aes256Gcm = aes_gcm_256, AesGcm256, 32, 2;
}

/// ChaCha20-Poly1305.
pub struct ChaCha20Poly1305;

impl Aead for ChaCha20Poly1305 {
    const AEAD_ID: u16 = 3;
    const NK: usize = 32;

    fn seal(key: &[u8], nonce: &[u8], aad: &[u8], buffer: &mut Vec<u8>) -> Result<(), CryptoError> {
        let (key, nonce) = (Zeroizing::new(bytes(key)?), bytes(nonce)?);
        let text = Zeroizing::new(std::mem::take(buffer));
        let mut sealed = vec![0; text.len() + TAG];
        libcrux_chacha20poly1305::encrypt(&key, &text, &mut sealed, aad, &nonce)
            .map_err(|_| CryptoError::Rejected)?;
        *buffer = sealed;
        Ok(())
    }

    fn open(key: &[u8], nonce: &[u8], aad: &[u8], buffer: &mut Vec<u8>) -> Result<(), CryptoError> {
        let (key, nonce) = (Zeroizing::new(bytes(key)?), bytes(nonce)?);
        let length = buffer.len().checked_sub(TAG).ok_or(CryptoError::Rejected)?;
        let mut opened = vec![0; length];
        libcrux_chacha20poly1305::decrypt(&key, &mut opened, buffer, aad, &nonce)
            .map_err(|_| CryptoError::Rejected)?;
        *buffer = opened;
        Ok(())
    }
}

fn bytes<const N: usize>(slice: &[u8]) -> Result<[u8; N], CryptoError> {
    slice.try_into().map_err(|_| CryptoError::Rejected)
}
