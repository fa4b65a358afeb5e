//! SHA-2 and SHA-3, by libcrux, and HMAC (RFC 2104) over SHA-2.
//!
//! HMAC is written out here: libcrux's own takes its input in one piece and keeps nothing of its key.
//! Nothing that keeps a state is wiped: libcrux offers no access to it.

use crypto_api::{hybrid, primitives::Hash};
use libcrux_sha2::Digest;
use zeroize::Zeroizing;

/// As much as libcrux takes at a time, and less than what it stops the process at.
const PIECE: usize = 1 << 30;

/// HMAC with its key absorbed into both states.
pub struct MacKey<S> {
    inner: S,
    outer: S,
}

macro_rules! hashes {
    ($($(#[$doc:meta])* $name:ident, $length:literal, $block:literal, $kdf_id:literal;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl Hash for $name {
            const LENGTH: usize = $length;
            const KDF_ID: u16 = $kdf_id;
            type MacKey = MacKey<libcrux_sha2::$name>;

            fn hash(parts: &[&[u8]], out: &mut [u8]) {
                let mut state = libcrux_sha2::$name::default();
                update(&mut state, parts);
                out.copy_from_slice(&finish(&state));
            }

            fn mac_key(key: &[u8]) -> Self::MacKey {
                let mut block = Zeroizing::new([0; $block]);
                if let Some(start) = block.get_mut(..key.len()) {
                    start.copy_from_slice(key);
                } else {
                    Self::hash(&[key], &mut block[..$length]);
                }
                let padded = |pad: u8| {
                    let block = Zeroizing::new(block.map(|byte| byte ^ pad));
                    let mut state = libcrux_sha2::$name::default();
                    state.update(&*block);
                    state
                };
                MacKey { inner: padded(0x36), outer: padded(0x5c) }
            }

            fn mac(key: &Self::MacKey, parts: &[&[u8]], out: &mut [u8]) {
                let mut state = key.inner.clone();
                update(&mut state, parts);
                let hash = finish(&state);
                state = key.outer.clone();
                state.update(&hash);
                out.copy_from_slice(&finish(&state));
            }
        }
    )+};
}

hashes! {
    /// SHA-256.
    Sha256, 32, 64, 1;
    /// SHA-384.
    Sha384, 48, 128, 2;
    /// SHA-512.
    Sha512, 64, 128, 3;
}

/// SHA-3.
pub struct Sha3;

impl hybrid::Sha3 for Sha3 {
    fn sha3_256(input: &[u8], out: &mut [u8; 32]) {
        libcrux_sha3::sha256_ema(out, input);
    }
}

fn update<const N: usize>(state: &mut impl Digest<N>, parts: &[&[u8]]) {
    for piece in parts.iter().flat_map(|part| part.chunks(PIECE)) {
        state.update(piece);
    }
}

fn finish<const N: usize>(state: &impl Digest<N>) -> [u8; N] {
    let mut hash = [0; N];
    state.finish(&mut hash);
    hash
}
