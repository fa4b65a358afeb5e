//! ChaCha20-Poly1305 and AES-256-GCM, by libsodium.

use crypto_api::{CryptoError, primitives::Aead};

use crate::library;

macro_rules! aeads {
    ($($(#[$doc:meta])* $name:ident, $id:literal, $seal:ident, $open:ident, $available:expr;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl Aead for $name {
            const AEAD_ID: u16 = $id;
            const NK: usize = 32;

            fn seal(
                key: &[u8],
                nonce: &[u8],
                aad: &[u8],
                buffer: &mut Vec<u8>,
            ) -> Result<(), CryptoError> {
                let tag = library::$seal(array(key)?, array(nonce)?, aad, available(buffer, $available)?)?;
                buffer.extend_from_slice(&tag);
                Ok(())
            }

            fn open(
                key: &[u8],
                nonce: &[u8],
                aad: &[u8],
                buffer: &mut Vec<u8>,
            ) -> Result<(), CryptoError> {
                let (text, tag) =
                    buffer.split_last_chunk_mut::<16>().ok_or(CryptoError::Rejected)?;
                let text = available(text, $available)?;
                library::$open(array(key)?, array(nonce)?, aad, text, tag)?;
                buffer.truncate(buffer.len() - 16);
                Ok(())
            }

            fn seal_slice(
                key: &[u8],
                nonce: &[u8],
                aad: &[u8],
                in_out: &mut [u8],
            ) -> Result<(), CryptoError> {
                let (text, tag) =
                    in_out.split_last_chunk_mut::<16>().ok_or(CryptoError::Rejected)?;
                let text = available(text, $available)?;
                *tag = library::$seal(array(key)?, array(nonce)?, aad, text)?;
                Ok(())
            }

            fn open_slice(
                key: &[u8],
                nonce: &[u8],
                aad: &[u8],
                in_out: &mut [u8],
            ) -> Result<usize, CryptoError> {
                let (text, tag) =
                    in_out.split_last_chunk_mut::<16>().ok_or(CryptoError::Rejected)?;
                let text = available(text, $available)?;
                library::$open(array(key)?, array(nonce)?, aad, text, tag)?;
                Ok(text.len())
            }
        }
    )+};
}

aeads! {
    /// ChaCha20-Poly1305.
    ChaCha20Poly1305, 3, chacha20poly1305_seal, chacha20poly1305_open, true;
    /// AES-256-GCM, on processors with AES instructions.
    Aes256Gcm, 2, aes256gcm_seal, aes256gcm_open, library::has_aes256gcm();
}

fn array<const N: usize>(bytes: &[u8]) -> Result<&[u8; N], CryptoError> {
    bytes.try_into().map_err(|_| CryptoError::Rejected)
}

/// The text, unless the processor can't.
fn available(text: &mut [u8], available: bool) -> Result<&mut [u8], CryptoError> {
    if available { Ok(text) } else { Err(CryptoError::Unsupported) }
}
