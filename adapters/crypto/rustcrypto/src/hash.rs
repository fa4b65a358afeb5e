//! SHA-2, SHA-3 and HMAC, by `sha2`, `sha3` and `hmac`.

use crypto_api::{hybrid, primitives::Hash};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Digest;

macro_rules! hashes {
    ($($(#[$doc:meta])* $name:ident = $sha:ty, $length:literal, $kdf_id:literal;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl Hash for $name {
            const LENGTH: usize = $length;
            const KDF_ID: u16 = $kdf_id;
            type MacKey = Hmac<$sha>;

            fn hash(parts: &[&[u8]], out: &mut [u8]) {
                let mut state = <$sha>::new();
                for part in parts {
                    Digest::update(&mut state, part);
                }
                out.copy_from_slice(&Digest::finalize(state));
            }

            fn mac_key(key: &[u8]) -> Hmac<$sha> {
                // A key longer than a block is hashed first (RFC 2104), so that what is left can't
                // be too long for `new`, which takes exactly one block.
                let mut block = zeroize::Zeroizing::new(hmac::digest::common::Key::<Hmac<$sha>>::default());
                if let Some(start) = block.get_mut(..key.len()) {
                    start.copy_from_slice(key);
                } else {
                    block[..$length].copy_from_slice(&<$sha>::digest(key));
                }
                Hmac::new(&block)
            }

            fn mac(key: &Hmac<$sha>, parts: &[&[u8]], out: &mut [u8]) {
                let mut state = key.clone();
                for part in parts {
                    Mac::update(&mut state, part);
                }
                out.copy_from_slice(&state.finalize().into_bytes());
            }
        }
    )+};
}

hashes! {
    /// SHA-256.
    Sha256 = sha2::Sha256, 32, 1;
    /// SHA-384.
    Sha384 = sha2::Sha384, 48, 2;
    /// SHA-512.
    Sha512 = sha2::Sha512, 64, 3;
}

/// SHA-3.
pub struct Sha3;

impl hybrid::Sha3 for Sha3 {
    fn sha3_256(input: &[u8], out: &mut [u8; 32]) {
        *out = sha3::Sha3_256::digest(input).into();
    }
}
