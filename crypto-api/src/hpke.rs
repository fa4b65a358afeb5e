//! HPKE (RFC 9180) in base mode over a [`Kem`], a [`Hash`] and an [`Aead`].
//!
//! Only single-shot encryption and export, which is all that MLS uses: a context encrypts one
//! message, so its sequence number is always 0 and its nonce is `base_nonce`.

use std::marker::PhantomData;

use zeroize::Zeroizing;

use crate::{
    CryptoError, Digest, HpkeCiphertext, Random, SealTo, Secret, hkdf,
    primitives::{Aead, Hash, Kem},
};

const VERSION: &[u8] = b"HPKE-v1";
const MODE_BASE: u8 = 0;

/// `LabeledExtract(salt, label, ikm)` under `suite_id`.
#[must_use]
pub fn labeled_extract<H: Hash>(suite_id: &[u8], salt: &[u8], label: &[u8], ikm: &[u8]) -> Secret {
    hkdf::extract::<H>(salt, &[VERSION, suite_id, label, ikm])
}

/// `LabeledExpand(prk, label, info, out.len())` under `suite_id`.
///
/// # Errors
///
/// [`CryptoError::Rejected`] for more output than HKDF can give.
pub fn labeled_expand<H: Hash>(
    suite_id: &[u8],
    prk: &Secret,
    label: &[u8],
    info: &[&[u8]],
    out: &mut [u8],
) -> Result<(), CryptoError> {
    let length = u16::try_from(out.len()).map_err(|_| CryptoError::Rejected)?.to_be_bytes();
    match info {
        [] => hkdf::expand::<H>(prk.as_slice(), &[&length, VERSION, suite_id, label], out),
        [one] => hkdf::expand::<H>(prk.as_slice(), &[&length, VERSION, suite_id, label, one], out),
        [one, two] => {
            let parts: [&[u8]; 6] = [&length, VERSION, suite_id, label, one, two];
            hkdf::expand::<H>(prk.as_slice(), &parts, out)
        }
        _ => {
            let mut parts: Vec<&[u8]> = vec![&length, VERSION, suite_id, label];
            parts.extend_from_slice(info);
            hkdf::expand::<H>(prk.as_slice(), &parts, out)
        }
    }
}

/// HPKE with one choice of algorithms.
pub struct Hpke<K, H, A> {
    suite_id: [u8; 10],
    /// `LabeledExtract("", "psk_id_hash", "")`, the same for every message in base mode.
    psk_id_hash: Digest,
    algorithms: PhantomData<(K, H, A)>,
}

/// `LabeledExtract("", "info_hash", info)`: what the messages of a batch share.
struct InfoHash(Digest);

impl<K: Kem, H: Hash, A: Aead> Hpke<K, H, A> {
    /// Computes what doesn't depend on a message.
    #[must_use]
    pub fn new() -> Self {
        let [kem, kdf, aead] = [K::KEM_ID, H::KDF_ID, A::AEAD_ID].map(u16::to_be_bytes);
        let mut suite_id = *b"HPKE\0\0\0\0\0\0";
        suite_id[4..6].copy_from_slice(&kem);
        suite_id[6..8].copy_from_slice(&kdf);
        suite_id[8..].copy_from_slice(&aead);
        Self {
            psk_id_hash: Digest::from_fn(H::LENGTH, |out| {
                H::mac(&H::mac_key(b""), &[VERSION, &suite_id, b"psk_id_hash"], out);
            }),
            suite_id,
            algorithms: PhantomData,
        }
    }

    /// `SealBase`.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a bad public key.
    pub fn seal_base(
        &self,
        public: &[u8],
        info: &[&[u8]],
        aad: &[u8],
        plaintext: &[u8],
        random: &dyn Random,
    ) -> Result<HpkeCiphertext, CryptoError> {
        let (shared_secret, kem_output) = K::encap(public, random)?;
        self.seal(&shared_secret, kem_output, &self.info_hash(info), aad, plaintext)
    }

    /// `SealBase` to many, with `info` hashed once.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] if one of the public keys is bad.
    pub fn seal_base_batch(
        &self,
        recipients: &[SealTo<'_>],
        info: &[&[u8]],
        aad: &[u8],
        random: &dyn Random,
    ) -> Result<Vec<HpkeCiphertext>, CryptoError> {
        let info_hash = self.info_hash(info);
        let publics: Vec<&[u8]> = recipients.iter().map(|to| to.public).collect();
        K::encap_batch(&publics, random)?
            .into_iter()
            .zip(recipients)
            .map(|((shared_secret, kem_output), to)| {
                self.seal(&shared_secret, kem_output, &info_hash, aad, to.plaintext)
            })
            .collect()
    }

    /// `OpenBase`; `public` is the private key's.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] if it doesn't open.
    pub fn open_base(
        &self,
        private: &K::PrivateKey,
        public: &[u8],
        ciphertext: &HpkeCiphertext,
        info: &[&[u8]],
        aad: &[u8],
    ) -> Result<Secret, CryptoError> {
        let shared_secret = K::decap(&ciphertext.kem_output, private, public)?;
        let (key, nonce) = self.key_and_nonce(&shared_secret, &self.info_hash(info))?;
        let mut buffer = Zeroizing::new(ciphertext.ciphertext.clone());
        A::open(key.as_slice(), nonce.as_slice(), aad, &mut buffer)?;
        Ok(Secret::copy_from(&buffer))
    }

    /// `SetupBaseS`, then `Export`: the `kem_output` and the exported secret.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a bad public key or an absurd length.
    pub fn send_export(
        &self,
        public: &[u8],
        info: &[&[u8]],
        exporter_context: &[u8],
        length: usize,
        random: &dyn Random,
    ) -> Result<(Vec<u8>, Secret), CryptoError> {
        let (shared_secret, kem_output) = K::encap(public, random)?;
        let exported = self.export(&shared_secret, info, exporter_context, length)?;
        Ok((kem_output, exported))
    }

    /// `SetupBaseR`, then `Export`.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a bad `kem_output` or an absurd length.
    pub fn receive_export(
        &self,
        private: &K::PrivateKey,
        public: &[u8],
        kem_output: &[u8],
        info: &[&[u8]],
        exporter_context: &[u8],
        length: usize,
    ) -> Result<Secret, CryptoError> {
        let shared_secret = K::decap(kem_output, private, public)?;
        self.export(&shared_secret, info, exporter_context, length)
    }

    fn seal(
        &self,
        shared_secret: &Secret,
        kem_output: Vec<u8>,
        info_hash: &InfoHash,
        aad: &[u8],
        plaintext: &[u8],
    ) -> Result<HpkeCiphertext, CryptoError> {
        let (key, nonce) = self.key_and_nonce(shared_secret, info_hash)?;
        // Room for the tag: a reallocation would leave the plaintext behind.
        let mut ciphertext = Vec::with_capacity(plaintext.len() + A::NT);
        ciphertext.extend_from_slice(plaintext);
        A::seal(key.as_slice(), nonce.as_slice(), aad, &mut ciphertext)?;
        Ok(HpkeCiphertext { kem_output, ciphertext })
    }

    fn export(
        &self,
        shared_secret: &Secret,
        info: &[&[u8]],
        exporter_context: &[u8],
        length: usize,
    ) -> Result<Secret, CryptoError> {
        let info_hash = self.info_hash(info);
        let exporter_secret = Secret::try_from_fn(H::LENGTH, |out| {
            self.expand_schedule(&self.secret(shared_secret), &info_hash, b"exp", out)
        })?;
        Secret::try_from_fn(length, |out| {
            let context = [exporter_context];
            labeled_expand::<H>(&self.suite_id, &exporter_secret, b"sec", &context, out)
        })
    }

    fn key_and_nonce(
        &self,
        shared_secret: &Secret,
        info_hash: &InfoHash,
    ) -> Result<(Secret, Secret), CryptoError> {
        let secret = self.secret(shared_secret);
        let key = Secret::try_from_fn(A::NK, |out| {
            self.expand_schedule(&secret, info_hash, b"key", out)
        })?;
        let nonce = Secret::try_from_fn(A::NN, |out| {
            self.expand_schedule(&secret, info_hash, b"base_nonce", out)
        })?;
        Ok((key, nonce))
    }

    fn info_hash(&self, info: &[&[u8]]) -> InfoHash {
        let mut parts: Vec<&[u8]> = vec![VERSION, &self.suite_id, b"info_hash"];
        parts.extend_from_slice(info);
        InfoHash(Digest::from_fn(H::LENGTH, |out| {
            H::mac(&H::mac_key(b""), &parts, out);
        }))
    }

    fn secret(&self, shared_secret: &Secret) -> Secret {
        labeled_extract::<H>(&self.suite_id, shared_secret.as_slice(), b"secret", b"")
    }

    /// `LabeledExpand(secret, label, key_schedule_context, out.len())`.
    fn expand_schedule(
        &self,
        secret: &Secret,
        InfoHash(info_hash): &InfoHash,
        label: &[u8],
        out: &mut [u8],
    ) -> Result<(), CryptoError> {
        let mut context = [0; 1 + 2 * Digest::MAX_LENGTH];
        let length = 1 + 2 * H::LENGTH;
        context[0] = MODE_BASE;
        context[1..=H::LENGTH].copy_from_slice(self.psk_id_hash.as_slice());
        context[1 + H::LENGTH..length].copy_from_slice(info_hash.as_slice());
        labeled_expand::<H>(&self.suite_id, secret, label, &[&context[..length]], out)
    }
}

impl<K: Kem, H: Hash, A: Aead> Default for Hpke<K, H, A> {
    fn default() -> Self {
        Self::new()
    }
}
