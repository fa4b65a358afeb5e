//! SHA-2 and HMAC, by AWS-LC.

use aws_lc_rs::{digest, hmac};
use crypto_api::primitives::Hash;

macro_rules! hashes {
    ($($(#[$doc:meta])*
        $name:ident = $sha:ident, $hmac:ident, $length:literal, $kdf_id:literal;
    )+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl Hash for $name {
            const LENGTH: usize = $length;
            const KDF_ID: u16 = $kdf_id;
            type MacKey = hmac::Key;

            fn hash(parts: &[&[u8]], out: &mut [u8]) {
                let mut state = digest::Context::new(&digest::$sha);
                for part in parts {
                    state.update(part);
                }
                out.copy_from_slice(state.finish().as_ref());
            }

            fn mac_key(key: &[u8]) -> hmac::Key {
                hmac::Key::new(hmac::$hmac, key)
            }

            fn mac(key: &hmac::Key, parts: &[&[u8]], out: &mut [u8]) {
                let mut state = hmac::Context::with_key(key);
                for part in parts {
                    state.update(part);
                }
                out.copy_from_slice(state.sign().as_ref());
            }
        }
    )+};
}

hashes! {
    /// SHA-256.
    Sha256 = SHA256, HMAC_SHA256, 32, 1;
    /// SHA-384.
    Sha384 = SHA384, HMAC_SHA384, 48, 2;
    /// SHA-512.
    Sha512 = SHA512, HMAC_SHA512, 64, 3;
}
