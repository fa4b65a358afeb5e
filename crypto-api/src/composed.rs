//! A suite put together from a library's primitives.

use std::{marker::PhantomData, sync::Arc};

use crate::{
    CipherSuite, CryptoError, Digest, HpkeCiphertext, HpkePrivateKey, Random, SealTo, Secret,
    Signed, SigningKey, Suite, VerifyingKey, hkdf,
    hpke::Hpke,
    primitives::{Aead, Hash, Kem, KeyPair, SignatureScheme},
};

/// The [`Suite`] of a KEM, a hash, an AEAD and a signature scheme.
pub struct Composed<K, H, A, S> {
    cipher_suite: CipherSuite,
    random: Arc<dyn Random>,
    hpke: Hpke<K, H, A>,
    signature: PhantomData<fn() -> S>,
}

impl<K: Kem, H: Hash, A: Aead, S: SignatureScheme> Composed<K, H, A, S> {
    /// The suite that goes by this number.
    #[must_use]
    pub fn new(cipher_suite: CipherSuite, random: Arc<dyn Random>) -> Self {
        Self { cipher_suite, random, hpke: Hpke::new(), signature: PhantomData }
    }
}

impl<K: Kem, H: Hash, A: Aead, S: SignatureScheme> Suite for Composed<K, H, A, S> {
    fn cipher_suite(&self) -> CipherSuite {
        self.cipher_suite
    }

    fn kdf_nh(&self) -> usize {
        H::LENGTH
    }

    fn hash_length(&self) -> usize {
        H::LENGTH
    }

    fn aead_nk(&self) -> usize {
        A::NK
    }

    fn aead_nn(&self) -> usize {
        A::NN
    }

    fn aead_nt(&self) -> usize {
        A::NT
    }

    fn random(&self, out: &mut [u8]) -> Result<(), CryptoError> {
        self.random.fill(out)
    }

    fn hash(&self, parts: &[&[u8]]) -> Digest {
        Digest::from_fn(H::LENGTH, |out| H::hash(parts, out))
    }

    fn mac(&self, key: &[u8], parts: &[&[u8]]) -> Digest {
        Digest::from_fn(H::LENGTH, |out| H::mac(&H::mac_key(key), parts, out))
    }

    fn extract(&self, salt: &[u8], ikm: &[&[u8]]) -> Secret {
        hkdf::extract::<H>(salt, ikm)
    }

    fn expand(&self, prk: &[u8], info: &[&[u8]], out: &mut [u8]) -> Result<(), CryptoError> {
        hkdf::expand::<H>(prk, info, out)
    }

    fn aead_seal(
        &self,
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
        buffer: &mut Vec<u8>,
    ) -> Result<(), CryptoError> {
        A::seal(key, nonce, aad, buffer)
    }

    fn aead_open(
        &self,
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
        buffer: &mut Vec<u8>,
    ) -> Result<(), CryptoError> {
        A::open(key, nonce, aad, buffer)
    }

    fn aead_seal_slice(
        &self,
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
        in_out: &mut [u8],
    ) -> Result<(), CryptoError> {
        A::seal_slice(key, nonce, aad, in_out)
    }

    fn aead_open_slice(
        &self,
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
        in_out: &mut [u8],
    ) -> Result<usize, CryptoError> {
        A::open_slice(key, nonce, aad, in_out)
    }

    fn generate_key_pair(&self) -> Result<HpkePrivateKey, CryptoError> {
        K::generate_key_pair(&*self.random).map(handle)
    }

    fn derive_key_pair(&self, ikm: &[u8]) -> Result<HpkePrivateKey, CryptoError> {
        K::derive_key_pair(ikm).map(handle)
    }

    fn derive_key_pair_batch(&self, ikms: &[&[u8]]) -> Result<Vec<HpkePrivateKey>, CryptoError> {
        Ok(K::derive_key_pair_batch(ikms)?.into_iter().map(handle).collect())
    }

    fn private_key(&self, private: &[u8]) -> Result<HpkePrivateKey, CryptoError> {
        K::private_key(private).map(handle)
    }

    fn check_public_key(&self, public: &[u8]) -> Result<(), CryptoError> {
        K::check_public_key(public)
    }

    fn seal_base(
        &self,
        public: &[u8],
        info: &[&[u8]],
        aad: &[u8],
        plaintext: &[u8],
    ) -> Result<HpkeCiphertext, CryptoError> {
        self.hpke.seal_base(public, info, aad, plaintext, &*self.random)
    }

    fn seal_base_batch(
        &self,
        recipients: &[SealTo<'_>],
        info: &[&[u8]],
        aad: &[u8],
    ) -> Result<Vec<HpkeCiphertext>, CryptoError> {
        self.hpke.seal_base_batch(recipients, info, aad, &*self.random)
    }

    fn open_base(
        &self,
        private: &HpkePrivateKey,
        ciphertext: &HpkeCiphertext,
        info: &[&[u8]],
        aad: &[u8],
    ) -> Result<Secret, CryptoError> {
        let key = private.parsed::<K::PrivateKey>()?;
        self.hpke.open_base(key, private.public(), ciphertext, info, aad)
    }

    fn send_export(
        &self,
        public: &[u8],
        info: &[&[u8]],
        exporter_context: &[u8],
        length: usize,
    ) -> Result<(Vec<u8>, Secret), CryptoError> {
        self.hpke.send_export(public, info, exporter_context, length, &*self.random)
    }

    fn receive_export(
        &self,
        private: &HpkePrivateKey,
        kem_output: &[u8],
        info: &[&[u8]],
        exporter_context: &[u8],
        length: usize,
    ) -> Result<Secret, CryptoError> {
        let key = private.parsed::<K::PrivateKey>()?;
        let public = private.public();
        self.hpke.receive_export(key, public, kem_output, info, exporter_context, length)
    }

    fn generate_signing_key(&self) -> Result<SigningKey, CryptoError> {
        self.signing_key(S::generate(&*self.random)?.as_slice())
    }

    fn signing_key(&self, private: &[u8]) -> Result<SigningKey, CryptoError> {
        let (key, public) = S::signing_key(private)?;
        Ok(SigningKey::new(Secret::copy_from(private), &public, key))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<VerifyingKey, CryptoError> {
        Ok(VerifyingKey::new(S::verifying_key(public)?))
    }

    fn sign(&self, key: &SigningKey, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
        S::sign(key.parsed::<S::SigningKey>()?, message)
    }

    fn verify(
        &self,
        key: &VerifyingKey,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), CryptoError> {
        S::verify(key.parsed::<S::VerifyingKey>()?, message, signature)
    }

    fn verify_batch(&self, signed: &[Signed<'_>]) -> Result<(), CryptoError> {
        let signed = signed
            .iter()
            .map(|one| Ok((one.key.parsed::<S::VerifyingKey>()?, one.message, one.signature)))
            .collect::<Result<Vec<_>, CryptoError>>()?;
        S::verify_batch(&signed)
    }
}

fn handle<K: Send + Sync + 'static>(pair: KeyPair<K>) -> HpkePrivateKey {
    HpkePrivateKey::new(pair.private, &pair.public, pair.key)
}
