//! SHA-2 and HMAC, by libsodium, which uses no SHA instructions.

use crypto_api::primitives::Hash;

use crate::library::{self, Mac256, Mac512};

/// SHA-256.
pub struct Sha256;

impl Hash for Sha256 {
    const LENGTH: usize = 32;
    const KDF_ID: u16 = 1;
    type MacKey = Mac256;

    fn hash(parts: &[&[u8]], out: &mut [u8]) {
        out.copy_from_slice(&library::sha256(parts));
    }

    fn mac_key(key: &[u8]) -> Mac256 {
        Mac256::new(key)
    }

    fn mac(key: &Mac256, parts: &[&[u8]], out: &mut [u8]) {
        out.copy_from_slice(&key.of(parts));
    }
}

/// SHA-512.
pub struct Sha512;

impl Hash for Sha512 {
    const LENGTH: usize = 64;
    const KDF_ID: u16 = 3;
    type MacKey = Mac512;

    fn hash(parts: &[&[u8]], out: &mut [u8]) {
        out.copy_from_slice(&library::sha512(parts));
    }

    fn mac_key(key: &[u8]) -> Mac512 {
        Mac512::new(key)
    }

    fn mac(key: &Mac512, parts: &[&[u8]], out: &mut [u8]) {
        out.copy_from_slice(&key.of(parts));
    }
}
