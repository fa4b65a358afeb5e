//! HKDF (RFC 5869) over [`Hash`].

use zeroize::Zeroizing;

use crate::{CryptoError, Digest, Secret, primitives::Hash};

/// `Extract(salt, ikm)`.
#[must_use]
pub fn extract<H: Hash>(salt: &[u8], ikm: &[&[u8]]) -> Secret {
    Secret::from_fn(H::LENGTH, |prk| H::mac(&H::mac_key(salt), ikm, prk))
}

/// `Expand(prk, info, out.len())`.
///
/// # Errors
///
/// [`CryptoError::Rejected`] for more than 255 blocks of output.
pub fn expand<H: Hash>(prk: &[u8], info: &[&[u8]], out: &mut [u8]) -> Result<(), CryptoError> {
    if out.len() > 255 * H::LENGTH {
        return Err(CryptoError::Rejected);
    }
    let key = H::mac_key(prk);
    let mut block = Zeroizing::new([0; Digest::MAX_LENGTH]);
    let mut previous = 0; // length of T(n-1): T(0) is empty
    for (counter, chunk) in (1..=u8::MAX).zip(out.chunks_mut(H::LENGTH)) {
        let mut next = Zeroizing::new([0; Digest::MAX_LENGTH]);
        mac_with_ends::<H>(&key, &block[..previous], info, counter, &mut next[..H::LENGTH]);
        chunk.copy_from_slice(&next[..chunk.len()]);
        block = next;
        previous = H::LENGTH;
    }
    Ok(())
}

/// The most slices that [`mac_with_ends`] puts together without allocating.
const FEW: usize = 12;

fn mac_with_ends<H: Hash>(
    key: &H::MacKey,
    first: &[u8],
    middle: &[&[u8]],
    last: u8,
    out: &mut [u8],
) {
    let last = [last];
    let count = middle.len() + 2;
    if count <= FEW {
        let mut parts: [&[u8]; FEW] = [&[]; FEW];
        parts[0] = first;
        parts[1..count - 1].copy_from_slice(middle);
        parts[count - 1] = &last;
        H::mac(key, &parts[..count], out);
    } else {
        let parts: Vec<&[u8]> = std::iter::once(first)
            .chain(middle.iter().copied())
            .chain(std::iter::once(&last[..]))
            .collect();
        H::mac(key, &parts, out);
    }
}
