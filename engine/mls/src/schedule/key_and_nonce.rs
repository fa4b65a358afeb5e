//! A key and a nonce for one message (sections 6.3.2 and 9.1).

use crypto_api::Suite;
use zeroize::Zeroizing;

use crate::{Error, Result, crypto::expand_with_label_into};

/// A key and a nonce on the stack, wiped when dropped: to be filled where they stay, because what is
/// moved leaves a copy behind that nobody wipes.
pub struct KeyAndNonce {
    bytes: Zeroizing<[u8; MAX_KEY + MAX_NONCE]>,
    key: usize,
    nonce: usize,
}

const MAX_KEY: usize = 32;
const MAX_NONCE: usize = 24;

impl KeyAndNonce {
    /// One of zeros, as long as the suite's AEAD has them.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] for an AEAD with longer ones than any in use.
    pub fn zero(suite: &dyn Suite) -> Result<Self> {
        let (key, nonce) = (suite.aead_nk(), suite.aead_nn());
        if key > MAX_KEY || nonce > MAX_NONCE {
            return Err(Error::Unsupported("an AEAD with so long a key or nonce"));
        }
        Ok(Self { bytes: Zeroizing::new([0; MAX_KEY + MAX_NONCE]), key, nonce })
    }

    /// `ExpandWithLabel` of both, with the labels "key" and "nonce".
    pub(super) fn expand(
        &mut self,
        suite: &dyn Suite,
        secret: &[u8],
        context: &[u8],
    ) -> Result<()> {
        let (key, nonce) = self.bytes.split_at_mut(MAX_KEY);
        let [key, nonce] = [&mut key[..self.key], &mut nonce[..self.nonce]];
        expand_with_label_into(suite, secret, b"key", context, key)?;
        expand_with_label_into(suite, secret, b"nonce", context, nonce)
    }

    /// Those of a key that was kept.
    pub(super) fn copy(&mut self, key: &[u8], nonce: &[u8]) -> Result<()> {
        if key.len() != self.key || nonce.len() != self.nonce {
            return Err(Error::Internal("a message key of another AEAD"));
        }
        self.bytes[..key.len()].copy_from_slice(key);
        self.bytes[MAX_KEY..MAX_KEY + nonce.len()].copy_from_slice(nonce);
        Ok(())
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &[u8] {
        &self.bytes[..self.key]
    }

    /// The nonce.
    #[must_use]
    pub fn nonce(&self) -> &[u8] {
        &self.bytes[MAX_KEY..MAX_KEY + self.nonce]
    }

    /// Puts a reuse guard into the nonce's first four bytes (section 6.3.1).
    pub fn guard(&mut self, reuse_guard: [u8; 4]) {
        let nonce = self.bytes[MAX_KEY..MAX_KEY + self.nonce].iter_mut();
        nonce.zip(reuse_guard).for_each(|(byte, guard)| *byte ^= guard);
    }
}
