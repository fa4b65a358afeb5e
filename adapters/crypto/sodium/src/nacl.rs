//! What libsodium is known for and MLS has no use of: boxes, its KDF, and Argon2id.

use crypto_api::{CryptoError, Secret};

use crate::library;

/// What a box is longer than what is in it.
pub const BOX_OVERHEAD: usize = 16;

/// `crypto_secretbox`: XSalsa20-Poly1305, into `sealed` of 16 bytes more, the tag first.
///
/// # Errors
///
/// [`CryptoError::Rejected`] if `sealed` has another length.
pub fn secretbox_seal(
    key: &[u8; 32],
    nonce: &[u8; 24],
    text: &[u8],
    sealed: &mut [u8],
) -> Result<(), CryptoError> {
    library::secretbox_seal(key, nonce, text, sealed)
}

/// Opens it, into `text` of 16 bytes less.
///
/// # Errors
///
/// [`CryptoError::Rejected`] if it isn't genuine, or `text` has another length.
pub fn secretbox_open(
    key: &[u8; 32],
    nonce: &[u8; 24],
    sealed: &[u8],
    text: &mut [u8],
) -> Result<(), CryptoError> {
    library::secretbox_open(key, nonce, sealed, text)
}

/// `crypto_box_beforenm`: the key that two share, which is then a secretbox's.
///
/// # Errors
///
/// [`CryptoError::Rejected`] for a public key of small order.
pub fn box_key(public: &[u8; 32], private: &[u8; 32]) -> Result<Secret, CryptoError> {
    library::box_key(public, private).map(|key| Secret::copy_from(&*key))
}

/// `crypto_kdf`, of BLAKE2b: the 32-byte subkey of that number.
///
/// # Errors
///
/// [`CryptoError::Internal`] if the library failed.
pub fn subkey(key: &[u8; 32], context: &[u8; 8], number: u64) -> Result<Secret, CryptoError> {
    library::subkey(key, context, number).map(|key| Secret::copy_from(&*key))
}

/// `crypto_pwhash`: Argon2id with one lane. `memory` is in bytes.
///
/// # Errors
///
/// [`CryptoError::Rejected`] for limits that the library doesn't take, and without memory.
pub fn argon2id(
    password: &[u8],
    salt: &[u8; 16],
    passes: u64,
    memory: usize,
    out: &mut [u8],
) -> Result<(), CryptoError> {
    library::argon2id(password, salt, passes, memory, out)
}
