//! What a library provides: the parts that a [`crate::Composed`] suite is made of.

use zeroize::Zeroizing;

use crate::{CryptoError, Random, Secret};

/// A hash function and HMAC with it, hence HKDF.
pub trait Hash: Send + Sync + 'static {
    /// The output's length, at most [`crate::Digest::MAX_LENGTH`]: `KDF.Nh`.
    const LENGTH: usize;
    /// HKDF's number in HPKE (RFC 9180 section 7.2).
    const KDF_ID: u16;
    /// HMAC with its key already absorbed.
    type MacKey;

    /// The hash of the parts' concatenation, into `out` of [`Self::LENGTH`] bytes.
    fn hash(parts: &[&[u8]], out: &mut [u8]);

    /// Absorbs an HMAC key.
    fn mac_key(key: &[u8]) -> Self::MacKey;

    /// HMAC of the parts' concatenation, into `out` of [`Self::LENGTH`] bytes.
    fn mac(key: &Self::MacKey, parts: &[&[u8]], out: &mut [u8]);
}

/// An AEAD whose ciphertext ends in its tag.
pub trait Aead: Send + Sync + 'static {
    /// Its number in HPKE (RFC 9180 section 7.3).
    const AEAD_ID: u16;
    /// The key's length.
    const NK: usize;
    /// The nonce's length.
    const NN: usize = 12;
    /// The tag's length.
    const NT: usize = 16;

    /// Encrypts in place and appends the tag.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a key or nonce of the wrong length.
    fn seal(key: &[u8], nonce: &[u8], aad: &[u8], buffer: &mut Vec<u8>) -> Result<(), CryptoError>;

    /// Decrypts in place and takes the tag off.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] if the tag doesn't fit or a length is wrong.
    fn open(key: &[u8], nonce: &[u8], aad: &[u8], buffer: &mut Vec<u8>) -> Result<(), CryptoError>;

    /// [`Self::seal`] within a message: the last [`Self::NT`] bytes are room for the tag. A library
    /// that can do it without a buffer of its own overrides it.
    ///
    /// # Errors
    ///
    /// As `seal`, and [`CryptoError::Rejected`] if there is no room.
    fn seal_slice(
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
        in_out: &mut [u8],
    ) -> Result<(), CryptoError> {
        let length = in_out.len().checked_sub(Self::NT).ok_or(CryptoError::Rejected)?;
        let mut buffer = Zeroizing::new(Vec::with_capacity(in_out.len()));
        buffer.extend_from_slice(&in_out[..length]);
        Self::seal(key, nonce, aad, &mut buffer)?;
        in_out.copy_from_slice(&buffer);
        Ok(())
    }

    /// [`Self::open`] within a message. Returns the plaintext's length; what is behind it means
    /// nothing.
    ///
    /// # Errors
    ///
    /// As `open`.
    fn open_slice(
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
        in_out: &mut [u8],
    ) -> Result<usize, CryptoError> {
        let mut buffer = Zeroizing::new(in_out.to_vec());
        Self::open(key, nonce, aad, &mut buffer)?;
        in_out[..buffer.len()].copy_from_slice(&buffer);
        Ok(buffer.len())
    }
}

/// A key pair of a [`Kem`]: the private key serialised and decoded, and the public key.
pub struct KeyPair<K> {
    /// The private key, serialised.
    pub private: Secret,
    /// The private key, decoded.
    pub key: K,
    /// The public key, serialised.
    pub public: Vec<u8>,
}

/// A KEM as HPKE wants it (RFC 9180 section 4).
pub trait Kem: Send + Sync + 'static {
    /// Its number in HPKE (RFC 9180 section 7.1).
    const KEM_ID: u16;
    /// A private key, decoded.
    type PrivateKey: Send + Sync + 'static;

    /// `GenerateKeyPair()`.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Internal`] if there is no randomness.
    fn generate_key_pair(random: &dyn Random) -> Result<KeyPair<Self::PrivateKey>, CryptoError>;

    /// `DeriveKeyPair(ikm)`.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] if no key is found.
    fn derive_key_pair(ikm: &[u8]) -> Result<KeyPair<Self::PrivateKey>, CryptoError>;

    /// [`Self::derive_key_pair`] of each, in order: a library with a batched ladder overrides it.
    ///
    /// # Errors
    ///
    /// As `derive_key_pair`.
    fn derive_key_pair_batch(
        ikms: &[&[u8]],
    ) -> Result<Vec<KeyPair<Self::PrivateKey>>, CryptoError> {
        ikms.iter().map(|ikm| Self::derive_key_pair(ikm)).collect()
    }

    /// `DeserializePrivateKey`, and the public key.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for bytes that are no key.
    fn private_key(private: &[u8]) -> Result<KeyPair<Self::PrivateKey>, CryptoError>;

    /// As [`crate::Suite::check_public_key`] says.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for bytes that are no key.
    fn check_public_key(public: &[u8]) -> Result<(), CryptoError>;

    /// `Encap(public)`: the shared secret and the `kem_output`.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a bad public key.
    fn encap(public: &[u8], random: &dyn Random) -> Result<(Secret, Vec<u8>), CryptoError>;

    /// [`Self::encap`] to each, in order: a library with a batched ladder overrides it.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] if one of the public keys is bad.
    fn encap_batch(
        publics: &[&[u8]],
        random: &dyn Random,
    ) -> Result<Vec<(Secret, Vec<u8>)>, CryptoError> {
        publics.iter().map(|public| Self::encap(public, random)).collect()
    }

    /// `Decap(kem_output, private)`; `public` is the private key's.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a bad `kem_output`.
    fn decap(
        kem_output: &[u8],
        private: &Self::PrivateKey,
        public: &[u8],
    ) -> Result<Secret, CryptoError>;
}

/// A Diffie-Hellman group for [`crate::dhkem::DhKem`].
pub trait Dh: Send + Sync + 'static {
    /// The number of its DHKEM in HPKE.
    const KEM_ID: u16;
    /// The private key's length.
    const NSK: usize;
    /// What `DeriveKeyPair` masks the first byte of a candidate with: `Some` for the NIST curves,
    /// whose private keys are found by rejection; `None` where every string is a key.
    const CANDIDATE_MASK: Option<u8>;
    /// The KEM's hash.
    type Hash: Hash;
    /// A private key, decoded.
    type PrivateKey: Send + Sync + 'static;

    /// Decodes a private key.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a wrong length, or a scalar that is zero or not below the
    /// order.
    fn private_key(private: &[u8]) -> Result<Self::PrivateKey, CryptoError>;

    /// The public key, serialised.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Internal`] if the library failed.
    fn public_key(private: &Self::PrivateKey) -> Result<Vec<u8>, CryptoError>;

    /// As [`crate::Suite::check_public_key`] says.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for bytes that are no key.
    fn check_public_key(public: &[u8]) -> Result<(), CryptoError>;

    /// The shared secret.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for bytes that are no key, or if the result is all zero or the
    /// point at infinity.
    fn agree(private: &Self::PrivateKey, public: &[u8]) -> Result<Secret, CryptoError>;
}

/// A signature scheme, under the rules that [`crate::Suite::verify`] lists.
pub trait SignatureScheme: Send + Sync + 'static {
    /// A private key, expanded.
    type SigningKey: Send + Sync + 'static;
    /// A public key, decoded.
    type VerifyingKey: Send + Sync + 'static;

    /// A fresh private key, serialised.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Internal`] if there is no randomness.
    fn generate(random: &dyn Random) -> Result<Secret, CryptoError>;

    /// Decodes a private key and recomputes its public key, serialised.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for bytes that are no key.
    fn signing_key(private: &[u8]) -> Result<(Self::SigningKey, Vec<u8>), CryptoError>;

    /// Decodes a public key.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for bytes that are no key.
    fn verifying_key(public: &[u8]) -> Result<Self::VerifyingKey, CryptoError>;

    /// Signs.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Internal`] if the library failed.
    fn sign(key: &Self::SigningKey, message: &[u8]) -> Result<Vec<u8>, CryptoError>;

    /// Verifies.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] if the signature is no good.
    fn verify(
        key: &Self::VerifyingKey,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), CryptoError>;

    /// Verifies all of them: the verdict is that of [`Self::verify`] on each.
    ///
    /// Ed25519's usual batch equation does not give that verdict: it is blind, with a chance of one
    /// in eight, to a signer who hides a small-order component in `R`. Two members could then
    /// disagree on one signature, so a faster implementation must rule that out some other way.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] if one of them is no good.
    fn verify_batch(signed: &[(&Self::VerifyingKey, &[u8], &[u8])]) -> Result<(), CryptoError> {
        signed
            .iter()
            .try_for_each(|(key, message, signature)| Self::verify(key, message, signature))
    }
}
