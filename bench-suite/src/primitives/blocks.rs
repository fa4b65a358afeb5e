//! HMAC-SHA-256 on RustCrypto's compression function (`sha2::block_api`), with the two states of a key
//! kept: what HKDF costs at the least with that code. It is in the rows of HMAC and HKDF beside the
//! backends, and a backend of nobody.

use crypto_api::primitives::Hash;
use sha2::{Digest, Sha256, block_api::compress256};
use zeroize::{Zeroize, Zeroizing};

const BLOCK: usize = 64;

/// SHA-256's initial state (FIPS 180-4 section 5.3.3).
const INITIAL: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// SHA-256, whose HMAC keeps the states of its key.
pub(super) struct OnBlocks;

/// The states after the inner and the outer block of the key.
pub(super) struct States([[u32; 8]; 2]);

impl Drop for States {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl Hash for OnBlocks {
    const LENGTH: usize = 32;
    const KDF_ID: u16 = 1;
    type MacKey = States;

    fn hash(parts: &[&[u8]], out: &mut [u8]) {
        let mut hash = Sha256::new();
        parts.iter().for_each(|part| hash.update(part));
        out.copy_from_slice(&hash.finalize());
    }

    fn mac_key(key: &[u8]) -> States {
        let mut padded = Zeroizing::new([0; BLOCK]);
        match padded.get_mut(..key.len()) {
            Some(start) => start.copy_from_slice(key),
            None => Self::hash(&[key], &mut padded[..32]),
        }
        States([0x36, 0x5c].map(|pad| {
            let mut state = INITIAL;
            compress256(&mut state, &[padded.map(|byte| byte ^ pad)]);
            state
        }))
    }

    fn mac(States([inner, outer]): &States, parts: &[&[u8]], out: &mut [u8]) {
        let digest = Zeroizing::new(finish(*inner, parts));
        out.copy_from_slice(&finish(*outer, &[&*digest]));
    }
}

/// The hash of one block, whose state is given, and of these parts.
fn finish(mut state: [u32; 8], parts: &[&[u8]]) -> [u8; 32] {
    let (mut block, mut filled, mut length) = ([0; BLOCK], 0, BLOCK);
    for part in parts {
        length += part.len();
        let mut rest = *part;
        while !rest.is_empty() {
            let taken = rest.len().min(BLOCK - filled);
            let (now, later) = rest.split_at(taken);
            block[filled..filled + taken].copy_from_slice(now);
            (rest, filled) = (later, filled + taken);
            if filled == BLOCK {
                compress256(&mut state, &[block]);
                filled = 0;
            }
        }
    }
    block[filled] = 0x80;
    block[filled + 1..].fill(0);
    if filled + 1 > BLOCK - 8 {
        compress256(&mut state, &[block]);
        block.fill(0);
    }
    block[BLOCK - 8..].copy_from_slice(&(8 * length as u64).to_be_bytes());
    compress256(&mut state, &[block]);
    let mut out = [0; 32];
    for (bytes, word) in out.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    out
}
