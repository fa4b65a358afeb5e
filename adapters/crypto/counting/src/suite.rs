//! One cipher suite whose calls are counted.

use std::sync::Arc;

use crypto_api::{
    CipherSuite, CryptoBackend, CryptoError, Digest, HpkeCiphertext, HpkePrivateKey, SealTo,
    Secret, Signed, SigningKey, Suite, VerifyingKey,
};
use operation_counts::{Operation, record, record_many};

/// A suite of `B`'s. It is looked up in each call: a reference into the backend can't be kept beside
/// the backend.
pub(crate) struct CountingSuite<B> {
    backend: Arc<B>,
    cipher_suite: CipherSuite,
    lengths: Lengths,
}

/// What the suite says of itself, asked once.
struct Lengths {
    kdf_nh: usize,
    hash: usize,
    aead_nk: usize,
    aead_nn: usize,
    aead_nt: usize,
}

impl<B: CryptoBackend> CountingSuite<B> {
    /// A suite that the backend has.
    pub(crate) fn new(backend: &Arc<B>, cipher_suite: CipherSuite) -> Option<Self> {
        let suite = backend.suite(cipher_suite).ok()?;
        let lengths = Lengths {
            kdf_nh: suite.kdf_nh(),
            hash: suite.hash_length(),
            aead_nk: suite.aead_nk(),
            aead_nn: suite.aead_nn(),
            aead_nt: suite.aead_nt(),
        };
        Some(Self { backend: Arc::clone(backend), cipher_suite, lengths })
    }

    fn inner(&self) -> Result<&dyn Suite, CryptoError> {
        self.backend.suite(self.cipher_suite)
    }
}

fn length(parts: &[&[u8]]) -> usize {
    parts.iter().map(|part| part.len()).sum()
}

/// Where a call can't fail and the backend has lost a suite that it had: an empty digest, which is
/// equal to no other.
fn no_digest() -> Digest {
    Digest::from_fn(0, |_| ())
}

impl<B: CryptoBackend> Suite for CountingSuite<B> {
    fn cipher_suite(&self) -> CipherSuite {
        self.cipher_suite
    }

    fn kdf_nh(&self) -> usize {
        self.lengths.kdf_nh
    }

    fn hash_length(&self) -> usize {
        self.lengths.hash
    }

    fn aead_nk(&self) -> usize {
        self.lengths.aead_nk
    }

    fn aead_nn(&self) -> usize {
        self.lengths.aead_nn
    }

    fn aead_nt(&self) -> usize {
        self.lengths.aead_nt
    }

    fn random(&self, out: &mut [u8]) -> Result<(), CryptoError> {
        record(Operation::Random, out.len());
        self.inner()?.random(out)
    }

    fn hash(&self, parts: &[&[u8]]) -> Digest {
        record(Operation::Hash, length(parts));
        self.inner().map_or_else(|_| no_digest(), |suite| suite.hash(parts))
    }

    fn mac(&self, key: &[u8], parts: &[&[u8]]) -> Digest {
        record(Operation::Mac, length(parts));
        self.inner().map_or_else(|_| no_digest(), |suite| suite.mac(key, parts))
    }

    fn extract(&self, salt: &[u8], ikm: &[&[u8]]) -> Secret {
        record(Operation::KdfExtract, length(ikm));
        self.inner().map_or_else(|_| Secret::zero(0), |suite| suite.extract(salt, ikm))
    }

    fn expand(&self, prk: &[u8], info: &[&[u8]], out: &mut [u8]) -> Result<(), CryptoError> {
        record(Operation::KdfExpand, out.len());
        self.inner()?.expand(prk, info, out)
    }

    fn aead_seal(
        &self,
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
        buffer: &mut Vec<u8>,
    ) -> Result<(), CryptoError> {
        record(Operation::AeadSeal, buffer.len());
        self.inner()?.aead_seal(key, nonce, aad, buffer)
    }

    fn aead_open(
        &self,
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
        buffer: &mut Vec<u8>,
    ) -> Result<(), CryptoError> {
        record(Operation::AeadOpen, buffer.len());
        self.inner()?.aead_open(key, nonce, aad, buffer)
    }

    fn aead_seal_slice(
        &self,
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
        in_out: &mut [u8],
    ) -> Result<(), CryptoError> {
        record(Operation::AeadSeal, in_out.len().saturating_sub(self.aead_nt()));
        self.inner()?.aead_seal_slice(key, nonce, aad, in_out)
    }

    fn aead_open_slice(
        &self,
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
        in_out: &mut [u8],
    ) -> Result<usize, CryptoError> {
        record(Operation::AeadOpen, in_out.len());
        self.inner()?.aead_open_slice(key, nonce, aad, in_out)
    }

    fn generate_key_pair(&self) -> Result<HpkePrivateKey, CryptoError> {
        record(Operation::KemGenerate, 0);
        self.inner()?.generate_key_pair()
    }

    fn derive_key_pair(&self, ikm: &[u8]) -> Result<HpkePrivateKey, CryptoError> {
        record(Operation::KemDerive, ikm.len());
        self.inner()?.derive_key_pair(ikm)
    }

    fn derive_key_pair_batch(&self, ikms: &[&[u8]]) -> Result<Vec<HpkePrivateKey>, CryptoError> {
        record_many(Operation::KemDerive, ikms.len(), length(ikms));
        self.inner()?.derive_key_pair_batch(ikms)
    }

    fn private_key(&self, private: &[u8]) -> Result<HpkePrivateKey, CryptoError> {
        self.inner()?.private_key(private)
    }

    fn check_public_key(&self, public: &[u8]) -> Result<(), CryptoError> {
        self.inner()?.check_public_key(public)
    }

    fn seal_base(
        &self,
        public: &[u8],
        info: &[&[u8]],
        aad: &[u8],
        plaintext: &[u8],
    ) -> Result<HpkeCiphertext, CryptoError> {
        record(Operation::KemEncap, plaintext.len());
        self.inner()?.seal_base(public, info, aad, plaintext)
    }

    fn seal_base_batch(
        &self,
        recipients: &[SealTo<'_>],
        info: &[&[u8]],
        aad: &[u8],
    ) -> Result<Vec<HpkeCiphertext>, CryptoError> {
        let bytes = recipients.iter().map(|to| to.plaintext.len()).sum();
        record_many(Operation::KemEncap, recipients.len(), bytes);
        self.inner()?.seal_base_batch(recipients, info, aad)
    }

    fn open_base(
        &self,
        private: &HpkePrivateKey,
        ciphertext: &HpkeCiphertext,
        info: &[&[u8]],
        aad: &[u8],
    ) -> Result<Secret, CryptoError> {
        record(Operation::KemDecap, ciphertext.ciphertext.len());
        self.inner()?.open_base(private, ciphertext, info, aad)
    }

    fn send_export(
        &self,
        public: &[u8],
        info: &[&[u8]],
        exporter_context: &[u8],
        length: usize,
    ) -> Result<(Vec<u8>, Secret), CryptoError> {
        record(Operation::KemEncap, 0);
        self.inner()?.send_export(public, info, exporter_context, length)
    }

    fn receive_export(
        &self,
        private: &HpkePrivateKey,
        kem_output: &[u8],
        info: &[&[u8]],
        exporter_context: &[u8],
        length: usize,
    ) -> Result<Secret, CryptoError> {
        record(Operation::KemDecap, 0);
        self.inner()?.receive_export(private, kem_output, info, exporter_context, length)
    }

    fn generate_signing_key(&self) -> Result<SigningKey, CryptoError> {
        record(Operation::SignatureKeyGenerate, 0);
        self.inner()?.generate_signing_key()
    }

    fn signing_key(&self, private: &[u8]) -> Result<SigningKey, CryptoError> {
        self.inner()?.signing_key(private)
    }

    fn verifying_key(&self, public: &[u8]) -> Result<VerifyingKey, CryptoError> {
        self.inner()?.verifying_key(public)
    }

    fn sign(&self, key: &SigningKey, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
        record(Operation::Sign, message.len());
        self.inner()?.sign(key, message)
    }

    fn verify(
        &self,
        key: &VerifyingKey,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), CryptoError> {
        record(Operation::Verify, message.len());
        self.inner()?.verify(key, message, signature)
    }

    fn verify_batch(&self, signed: &[Signed<'_>]) -> Result<(), CryptoError> {
        let bytes = signed.iter().map(|one| one.message.len()).sum();
        record_many(Operation::Verify, signed.len(), bytes);
        self.inner()?.verify_batch(signed)
    }
}
