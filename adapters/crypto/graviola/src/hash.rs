//! SHA-2 and HMAC, by graviola.

use crypto_api::primitives::Hash;
use graviola::hashing::{self, Hash as _, HashContext as _, hmac::Hmac};

macro_rules! hashes {
    ($($(#[$doc:meta])* $name:ident, $length:literal, $kdf_id:literal;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl Hash for $name {
            const LENGTH: usize = $length;
            const KDF_ID: u16 = $kdf_id;
            type MacKey = Hmac<hashing::$name>;

            fn hash(parts: &[&[u8]], out: &mut [u8]) {
                let mut state = hashing::$name::new();
                parts.iter().for_each(|part| state.update(part));
                out.copy_from_slice(state.finish().as_ref());
            }

            fn mac_key(key: &[u8]) -> Self::MacKey {
                Hmac::new(key)
            }

            fn mac(key: &Self::MacKey, parts: &[&[u8]], out: &mut [u8]) {
                let mut state = key.clone();
                parts.iter().for_each(|part| state.update(part));
                out.copy_from_slice(state.finish().as_ref());
            }
        }
    )+};
}

hashes! {
    /// SHA-256.
    Sha256, 32, 1;
    /// SHA-384.
    Sha384, 48, 2;
    /// SHA-512.
    Sha512, 64, 3;
}
