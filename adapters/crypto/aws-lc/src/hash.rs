//! SHA-2 and SHA-3, by AWS-LC, and HMAC (RFC 2104) over SHA-2.
//!
//! HMAC is written out here: AWS-LC's own keeps its state on the heap, which takes longer to set up
//! than the short inputs of a key schedule take to hash.

use aws_lc_rs::digest::{self, Algorithm, Digest};
use crypto_api::{hybrid, primitives::Hash};
use zeroize::{Zeroize, Zeroizing};

/// What is hashed together is put together on the stack up to this length, which takes one call and
/// no allocation.
const SHORT: usize = 256;

/// An HMAC key, filled up with zeros to the hash's block length.
pub struct MacKey<const BLOCK: usize>(Zeroizing<[u8; BLOCK]>);

impl<const BLOCK: usize> MacKey<BLOCK> {
    fn new(algorithm: &'static Algorithm, key: &[u8]) -> Self {
        let mut block = Zeroizing::new([0; BLOCK]);
        if let Some(start) = block.get_mut(..key.len()) {
            start.copy_from_slice(key);
        } else {
            let hash = digest::digest(algorithm, key);
            block[..hash.as_ref().len()].copy_from_slice(hash.as_ref());
        }
        Self(block)
    }

    fn mac(&self, algorithm: &'static Algorithm, parts: &[&[u8]]) -> Digest {
        const INNER: u8 = 0x36;
        const OUTER: u8 = 0x5c;
        let mut input = Short::new();
        input.put(&*self.0);
        input.change(INNER);
        let hash = if input.has_room_for(parts) {
            parts.iter().for_each(|part| input.put(part));
            input.hash(algorithm)
        } else {
            let mut state = digest::Context::new(algorithm);
            state.update(input.as_slice());
            parts.iter().for_each(|part| state.update(part));
            state.finish()
        };
        input.cut(BLOCK);
        input.change(INNER ^ OUTER);
        input.put(hash.as_ref());
        input.hash(algorithm)
    }
}

fn hash(algorithm: &'static Algorithm, parts: &[&[u8]]) -> Digest {
    if let [whole] = parts {
        return digest::digest(algorithm, whole);
    }
    let mut input = Short::new();
    if input.has_room_for(parts) {
        parts.iter().for_each(|part| input.put(part));
        return input.hash(algorithm);
    }
    let mut state = digest::Context::new(algorithm);
    parts.iter().for_each(|part| state.update(part));
    state.finish()
}

/// An input to hash, wiped when dropped.
struct Short {
    bytes: [u8; SHORT],
    length: usize,
    /// The greatest `length` so far.
    used: usize,
}

impl Short {
    fn new() -> Self {
        Self { bytes: [0; SHORT], length: 0, used: 0 }
    }

    fn has_room_for(&self, parts: &[&[u8]]) -> bool {
        let more: usize = parts.iter().map(|part| part.len()).sum();
        more <= SHORT - self.length
    }

    fn put(&mut self, part: &[u8]) {
        let end = self.length + part.len();
        self.bytes[self.length..end].copy_from_slice(part);
        self.length = end;
        self.used = self.used.max(end);
    }

    fn change(&mut self, by: u8) {
        self.bytes[..self.length].iter_mut().for_each(|byte| *byte ^= by);
    }

    fn cut(&mut self, length: usize) {
        self.length = length;
    }

    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    fn hash(&self, algorithm: &'static Algorithm) -> Digest {
        digest::digest(algorithm, self.as_slice())
    }
}

impl Drop for Short {
    fn drop(&mut self) {
        self.bytes[..self.used].zeroize();
    }
}

macro_rules! hashes {
    ($($(#[$doc:meta])*
        $name:ident = $sha:ident, $length:literal, $block:literal, $kdf_id:literal;
    )+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl Hash for $name {
            const LENGTH: usize = $length;
            const KDF_ID: u16 = $kdf_id;
            type MacKey = MacKey<$block>;

            fn hash(parts: &[&[u8]], out: &mut [u8]) {
                out.copy_from_slice(hash(&digest::$sha, parts).as_ref());
            }

            fn mac_key(key: &[u8]) -> Self::MacKey {
                MacKey::new(&digest::$sha, key)
            }

            fn mac(key: &Self::MacKey, parts: &[&[u8]], out: &mut [u8]) {
                out.copy_from_slice(key.mac(&digest::$sha, parts).as_ref());
            }
        }
    )+};
}

hashes! {
    /// SHA-256.
    Sha256 = SHA256, 32, 64, 1;
    /// SHA-384.
    Sha384 = SHA384, 48, 128, 2;
    /// SHA-512.
    Sha512 = SHA512, 64, 128, 3;
}

/// SHA-3.
pub struct Sha3;

impl hybrid::Sha3 for Sha3 {
    fn sha3_256(input: &[u8], out: &mut [u8; 32]) {
        out.copy_from_slice(digest::digest(&digest::SHA3_256, input).as_ref());
    }
}
