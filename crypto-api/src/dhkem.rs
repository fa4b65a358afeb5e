//! DHKEM (RFC 9180 section 4.1) over a [`Dh`] group.

use std::marker::PhantomData;

use crate::{
    CryptoError, Random, Secret,
    hpke::{labeled_expand, labeled_extract},
    primitives::{Dh, Hash, Kem, KeyPair},
};

/// `DHKEM(Group, KDF)`, with the KDF that belongs to the group.
pub struct DhKem<G>(PhantomData<fn() -> G>);

impl<G: Dh> DhKem<G> {
    /// The `suite_id` that the KEM's own labels go with.
    const SUITE_ID: [u8; 5] = {
        let [high, low] = G::KEM_ID.to_be_bytes();
        [b'K', b'E', b'M', high, low]
    };

    /// `Encap` with the ephemeral key chosen by the caller, as known-answer tests need it.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a bad public key.
    pub fn encap_with(
        public: &[u8],
        ephemeral: &G::PrivateKey,
    ) -> Result<(Secret, Vec<u8>), CryptoError> {
        let kem_output = G::public_key(ephemeral)?;
        let dh = G::agree(ephemeral, public)?;
        Ok((Self::extract_and_expand(&dh, &kem_output, public)?, kem_output))
    }

    /// `ExtractAndExpand(dh, concat(enc, pkRm))`: the shared secret, for whoever has done the
    /// Diffie-Hellman already.
    ///
    /// # Errors
    ///
    /// None for the KDFs there are.
    pub fn extract_and_expand(
        dh: &Secret,
        enc: &[u8],
        public: &[u8],
    ) -> Result<Secret, CryptoError> {
        let eae_prk = labeled_extract::<G::Hash>(&Self::SUITE_ID, b"", b"eae_prk", dh.as_slice());
        Secret::try_from_fn(G::Hash::LENGTH, |out| {
            let kem_context = [enc, public];
            labeled_expand::<G::Hash>(
                &Self::SUITE_ID,
                &eae_prk,
                b"shared_secret",
                &kem_context,
                out,
            )
        })
    }

    /// The private key of `DeriveKeyPair(ikm)`, where every string is a key: for whoever does the
    /// rest in bulk.
    ///
    /// # Errors
    ///
    /// None for the KDFs there are.
    pub fn derive_private(ikm: &[u8]) -> Result<Secret, CryptoError> {
        let dkp_prk = Self::dkp_prk(ikm);
        Secret::try_from_fn(G::NSK, |out| {
            labeled_expand::<G::Hash>(&Self::SUITE_ID, &dkp_prk, b"sk", &[], out)
        })
    }

    fn dkp_prk(ikm: &[u8]) -> Secret {
        labeled_extract::<G::Hash>(&Self::SUITE_ID, b"", b"dkp_prk", ikm)
    }

    /// A private key by rejection sampling from `candidates`, which fills the bytes of one try.
    fn first_key(
        mut candidates: impl FnMut(u8, &mut [u8]) -> Result<(), CryptoError>,
    ) -> Result<(Secret, G::PrivateKey), CryptoError> {
        for counter in 0..=u8::MAX {
            let candidate = Secret::try_from_fn(G::NSK, |out| {
                candidates(counter, out)?;
                if let (Some(mask), Some(first)) = (G::CANDIDATE_MASK, out.first_mut()) {
                    *first &= mask;
                }
                Ok(())
            })?;
            if let Ok(key) = G::private_key(candidate.as_slice()) {
                return Ok((candidate, key));
            }
        }
        Err(CryptoError::Rejected)
    }

    fn with_public(
        private: Secret,
        key: G::PrivateKey,
    ) -> Result<KeyPair<G::PrivateKey>, CryptoError> {
        let public = G::public_key(&key)?;
        Ok(KeyPair { private, key, public })
    }

    fn generate(random: &dyn Random) -> Result<(Secret, G::PrivateKey), CryptoError> {
        // Distributed as DeriveKeyPair(random(Nsk)) is, without its hashing.
        Self::first_key(|_, out| random.fill(out))
    }
}

/// A fresh private key of a group, serialised.
///
/// # Errors
///
/// [`CryptoError::Internal`] if there is no randomness.
pub fn generate_private<G: Dh>(random: &dyn Random) -> Result<Secret, CryptoError> {
    DhKem::<G>::generate(random).map(|(private, _)| private)
}

impl<G: Dh> Kem for DhKem<G> {
    const KEM_ID: u16 = G::KEM_ID;
    type PrivateKey = G::PrivateKey;

    fn generate_key_pair(random: &dyn Random) -> Result<KeyPair<G::PrivateKey>, CryptoError> {
        let (private, key) = Self::generate(random)?;
        Self::with_public(private, key)
    }

    fn derive_key_pair(ikm: &[u8]) -> Result<KeyPair<G::PrivateKey>, CryptoError> {
        let (private, key) = if G::CANDIDATE_MASK.is_some() {
            let dkp_prk = Self::dkp_prk(ikm);
            Self::first_key(|counter, out| {
                let label = b"candidate";
                labeled_expand::<G::Hash>(&Self::SUITE_ID, &dkp_prk, label, &[&[counter]], out)
            })?
        } else {
            let private = Self::derive_private(ikm)?;
            let key = G::private_key(private.as_slice())?;
            (private, key)
        };
        Self::with_public(private, key)
    }

    fn private_key(private: &[u8]) -> Result<KeyPair<G::PrivateKey>, CryptoError> {
        let key = G::private_key(private)?;
        Self::with_public(Secret::copy_from(private), key)
    }

    fn check_public_key(public: &[u8]) -> Result<(), CryptoError> {
        G::check_public_key(public)
    }

    fn encap(public: &[u8], random: &dyn Random) -> Result<(Secret, Vec<u8>), CryptoError> {
        let (_, ephemeral) = Self::generate(random)?;
        Self::encap_with(public, &ephemeral)
    }

    fn decap(
        kem_output: &[u8],
        private: &G::PrivateKey,
        public: &[u8],
    ) -> Result<Secret, CryptoError> {
        let dh = G::agree(private, kem_output)?;
        Self::extract_and_expand(&dh, kem_output, public)
    }
}
