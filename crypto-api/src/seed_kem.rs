//! KEMs whose private key is a seed: ML-KEM (FIPS 203) and the hybrids, as `draft-ietf-hpke-pq` puts
//! them into HPKE.

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
    /// [`CryptoError::Rejected`] for a bad public key or another number of random bytes;
    /// [`CryptoError::Unsupported`] if the library only takes its own randomness.
    fn encap_with(public: &[u8], randomness: &[u8]) -> Result<(Secret, Vec<u8>), CryptoError>;

    /// [`Self::encap_with`] fresh random bytes. A library that only takes its own overrides it.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a bad public key.
    fn encap(public: &[u8], random: &dyn Random) -> Result<(Secret, Vec<u8>), CryptoError> {
        let randomness = Secret::try_from_fn(Self::RANDOMNESS, |out| random.fill(out))?;
        Self::encap_with(public, randomness.as_slice())
    }

    /// The shared secret. ML-KEM makes one up for a `kem_output` that isn't genuine.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a `kem_output` of another length.
    fn decap(kem_output: &[u8], private: &Self::PrivateKey) -> Result<Secret, CryptoError>;
}

/// The rule by which `DeriveKeyPair` makes a seed of its input.
pub trait SeedRule: Send + Sync + 'static {
    /// The seed of this input, into `out`.
    fn derive<K: FromSeed>(ikm: &[u8], out: &mut [u8]);
}

/// The rule of `draft-ietf-hpke-pq`: `LabeledDerive(ikm, "DeriveKeyPair", "", Nsk)` with SHAKE256.
pub struct Labelled;

impl SeedRule for Labelled {
    fn derive<K: FromSeed>(ikm: &[u8], out: &mut [u8]) {
        const LABEL: &[u8] = b"DeriveKeyPair";
        let [high, low] = K::KEM_ID.to_be_bytes();
        let label_length = (LABEL.len() as u16).to_be_bytes();
        let length = (out.len() as u16).to_be_bytes();
        let suite_id = [b'K', b'E', b'M', high, low];
        let parts: [&[u8]; 6] = [ikm, b"HPKE-v1", &suite_id, &label_length, LABEL, &length];
        let mut input =
            Zeroizing::new(Vec::with_capacity(parts.iter().map(|part| part.len()).sum()));
        parts.iter().for_each(|part| input.extend_from_slice(part));
        K::shake256(&input, out);
    }
}

/// The rule of the drafts before it, `SHAKE256(ikm, Nsk)`, which OpenMLS has kept.
pub struct Unlabelled;

impl SeedRule for Unlabelled {
    fn derive<K: FromSeed>(ikm: &[u8], out: &mut [u8]) {
        K::shake256(ikm, out);
    }
}

/// The [`Kem`] of HPKE over a [`FromSeed`].
pub struct SeedKem<K, R = Labelled>(PhantomData<fn() -> (K, R)>);

impl<K: FromSeed, R: SeedRule> SeedKem<K, R> {
    /// The private key of `DeriveKeyPair(ikm)`.
    #[must_use]
    pub fn derive_private(ikm: &[u8]) -> Secret {
        Secret::from_fn(K::NSK, |out| R::derive::<K>(ikm, out))
    }

    fn pair(private: Secret) -> Result<KeyPair<K::PrivateKey>, CryptoError> {
        let (key, public) = K::key_pair(private.as_slice())?;
        Ok(KeyPair { private, key, public })
    }
}

impl<K: FromSeed, R: SeedRule> Kem for SeedKem<K, R> {
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
        K::encap(public, random)
    }

    fn decap(kem_output: &[u8], private: &K::PrivateKey, _: &[u8]) -> Result<Secret, CryptoError> {
        K::decap(kem_output, private)
    }
}
