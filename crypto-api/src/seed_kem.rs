//! KEMs whose private key is a seed: ML-KEM (FIPS 203) and X-Wing, as `draft-ietf-hpke-pq` puts them
//! into HPKE.

use std::marker::PhantomData;

use zeroize::Zeroizing;

use crate::{
    CryptoError, Random, Secret,
    primitives::{Kem, KeyPair},
};

/// A KEM whose keys come from a seed and whose encapsulation is a function of random bytes: what a
/// library provides for [`SeedKem`].
pub trait FromSeed: Send + Sync + 'static {
    /// Its number in HPKE.
    const KEM_ID: u16;
    /// The seed's length, which is the serialised private key's.
    const NSK: usize;
    /// How many random bytes encapsulating takes.
    const RANDOMNESS: usize;
    /// A private key, expanded.
    type PrivateKey: Send + Sync + 'static;

    /// SHAKE256 of the input, into `out`.
    fn shake256(input: &[u8], out: &mut [u8]);

    /// The private key, expanded, and the public key of a seed.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for another length.
    fn key_pair(seed: &[u8]) -> Result<(Self::PrivateKey, Vec<u8>), CryptoError>;

    /// As [`crate::Suite::check_public_key`] says.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for bytes that are no key.
    fn check_public_key(public: &[u8]) -> Result<(), CryptoError>;

    /// The shared secret and the `kem_output` that these random bytes lead to.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a bad public key or another number of random bytes.
    fn encap_with(public: &[u8], randomness: &[u8]) -> Result<(Secret, Vec<u8>), CryptoError>;

    /// The shared secret. ML-KEM makes one up for a `kem_output` that isn't genuine.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a `kem_output` of another length.
    fn decap(kem_output: &[u8], private: &Self::PrivateKey) -> Result<Secret, CryptoError>;
}

/// The [`Kem`] of HPKE over a [`FromSeed`].
pub struct SeedKem<K>(PhantomData<fn() -> K>);

impl<K: FromSeed> SeedKem<K> {
    /// The private key of `DeriveKeyPair(ikm)`: `LabeledDerive(ikm, "DeriveKeyPair", "", Nsk)` with
    /// SHAKE256.
    #[must_use]
    pub fn derive_private(ikm: &[u8]) -> Secret {
        const LABEL: &[u8] = b"DeriveKeyPair";
        let [high, low] = K::KEM_ID.to_be_bytes();
        let label_length = (LABEL.len() as u16).to_be_bytes();
        let length = (K::NSK as u16).to_be_bytes();
        let suite_id = [b'K', b'E', b'M', high, low];
        let parts: [&[u8]; 6] = [ikm, b"HPKE-v1", &suite_id, &label_length, LABEL, &length];
        let mut input =
            Zeroizing::new(Vec::with_capacity(parts.iter().map(|part| part.len()).sum()));
        parts.iter().for_each(|part| input.extend_from_slice(part));
        Secret::from_fn(K::NSK, |out| K::shake256(&input, out))
    }

    fn pair(private: Secret) -> Result<KeyPair<K::PrivateKey>, CryptoError> {
        let (key, public) = K::key_pair(private.as_slice())?;
        Ok(KeyPair { private, key, public })
    }
}

impl<K: FromSeed> Kem for SeedKem<K> {
    const KEM_ID: u16 = K::KEM_ID;
    type PrivateKey = K::PrivateKey;

    fn generate_key_pair(random: &dyn Random) -> Result<KeyPair<K::PrivateKey>, CryptoError> {
        Self::pair(Secret::try_from_fn(K::NSK, |out| random.fill(out))?)
    }

    fn derive_key_pair(ikm: &[u8]) -> Result<KeyPair<K::PrivateKey>, CryptoError> {
        Self::pair(Self::derive_private(ikm))
    }

    fn private_key(private: &[u8]) -> Result<KeyPair<K::PrivateKey>, CryptoError> {
        Self::pair(Secret::copy_from(private))
    }

    fn check_public_key(public: &[u8]) -> Result<(), CryptoError> {
        K::check_public_key(public)
    }

    fn encap(public: &[u8], random: &dyn Random) -> Result<(Secret, Vec<u8>), CryptoError> {
        let randomness = Secret::try_from_fn(K::RANDOMNESS, |out| random.fill(out))?;
        K::encap_with(public, randomness.as_slice())
    }

    fn decap(kem_output: &[u8], private: &K::PrivateKey, _: &[u8]) -> Result<Secret, CryptoError> {
        K::decap(kem_output, private)
    }
}
