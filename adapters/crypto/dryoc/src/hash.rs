//! SHA-2 and HMAC, by dryoc.
//!
//! Its HMAC states can't be copied, so that a key is absorbed anew each time.

use crypto_api::primitives::Hash;
use dryoc::classic::crypto_hash;
use dryoc::classic::{crypto_auth_hmacsha256 as hmac256, crypto_auth_hmacsha512 as hmac512};
use zeroize::Zeroizing;

macro_rules! hashes {
    ($($(#[$doc:meta])*
        $name:ident, $length:literal, $block:literal, $kdf_id:literal,
        $init:ident $update:ident $final:ident,
        $mac:ident $mac_init:ident $mac_update:ident $mac_final:ident;
    )+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl Hash for $name {
            const LENGTH: usize = $length;
            const KDF_ID: u16 = $kdf_id;
            /// Filled up with zeros to the hash's block length.
            type MacKey = Zeroizing<[u8; $block]>;

            fn hash(parts: &[&[u8]], out: &mut [u8]) {
                let mut state = crypto_hash::$init();
                parts.iter().for_each(|part| crypto_hash::$update(&mut state, part));
                let mut digest = [0; $length];
                crypto_hash::$final(state, &mut digest);
                out.copy_from_slice(&digest);
            }

            fn mac_key(key: &[u8]) -> Self::MacKey {
                let mut block = Zeroizing::new([0; $block]);
                if let Some(start) = block.get_mut(..key.len()) {
                    start.copy_from_slice(key);
                } else {
                    Self::hash(&[key], &mut block[..$length]);
                }
                block
            }

            fn mac(key: &Self::MacKey, parts: &[&[u8]], out: &mut [u8]) {
                let mut state = $mac::$mac_init(&**key);
                parts.iter().for_each(|part| $mac::$mac_update(&mut state, part));
                let mut digest = [0; $length];
                $mac::$mac_final(state, &mut digest);
                out.copy_from_slice(&digest);
            }
        }
    )+};
}

hashes! {
    /// SHA-256.
    Sha256, 32, 64, 1,
    crypto_hash_sha256_init crypto_hash_sha256_update crypto_hash_sha256_final,
    hmac256 crypto_auth_hmacsha256_init crypto_auth_hmacsha256_update
        crypto_auth_hmacsha256_final;
    /// SHA-512.
    Sha512, 64, 128, 3,
    crypto_hash_sha512_init crypto_hash_sha512_update crypto_hash_sha512_final,
    hmac512 crypto_auth_hmacsha512_init crypto_auth_hmacsha512_update
        crypto_auth_hmacsha512_final;
}
