//! burrow in groups with other implementations.
//!
//! The tests are what this is for. Beside them it has a [`Provider`] for OpenMLS 0.9 over this lab's
//! crypto contract: the published providers of that version pin libraries that don't resolve beside
//! those of OpenMLS 0.8, and none has all of the post-quantum suites. With it the engine is OpenMLS's,
//! and the cryptography, key derivation included, is that of the backend.
#![forbid(unsafe_code)]

use std::sync::Arc;

use crypto_api::{
    CipherSuite, CryptoBackend, CryptoError as Fault, HpkeCiphertext as Sealed, SigningKey, Suite,
};
use openmls_memory_storage_0_6::MemoryStorage;
use openmls_traits_0_6::{
    OpenMlsProvider,
    crypto::OpenMlsCrypto,
    random::OpenMlsRand,
    signatures::{Signer as OpenMlsSigner, SignerError},
    types::{
        AeadType, Ciphersuite, CryptoError, ExporterSecret, HashType, HpkeCiphertext, HpkeConfig,
        HpkeKeyPair, KemOutput, SignatureScheme,
    },
};

/// The cryptography of one cipher suite.
#[derive(Clone)]
pub struct Crypto {
    backend: Arc<dyn CryptoBackend>,
    suite: CipherSuite,
}

/// What OpenMLS 0.9 runs on: one cipher suite of a backend, and its own store in memory.
pub struct Provider {
    crypto: Crypto,
    storage: MemoryStorage,
}

/// Who signs for a client of OpenMLS.
pub struct Signer {
    crypto: Crypto,
    key: SigningKey,
    scheme: SignatureScheme,
}

/// There was no randomness, or the backend has lost its suite.
#[derive(Debug, thiserror::Error)]
#[error("no randomness: {0}")]
pub struct NoRandomness(Fault);

impl Provider {
    /// For clients of this cipher suite.
    ///
    /// # Errors
    ///
    /// [`Fault::Unsupported`] if the backend or OpenMLS doesn't have it.
    pub fn new(backend: Arc<dyn CryptoBackend>, suite: CipherSuite) -> Result<Self, Fault> {
        backend.suite(suite)?;
        Ciphersuite::try_from(suite.0).map_err(|_| Fault::Unsupported)?;
        Ok(Self { crypto: Crypto { backend, suite }, storage: MemoryStorage::default() })
    }

    /// A signer with a fresh key.
    ///
    /// # Errors
    ///
    /// [`Fault::Internal`] if there is no randomness.
    pub fn signer(&self) -> Result<Signer, Fault> {
        let suite = Ciphersuite::try_from(self.crypto.suite.0).map_err(|_| Fault::Unsupported)?;
        Ok(Signer {
            key: self.crypto.suite()?.generate_signing_key()?,
            scheme: suite.signature_algorithm(),
            crypto: self.crypto.clone(),
        })
    }
}

impl Signer {
    /// The public key.
    #[must_use]
    pub fn public(&self) -> &[u8] {
        self.key.public()
    }
}

impl OpenMlsSigner for Signer {
    fn sign(&self, payload: &[u8]) -> Result<Vec<u8>, SignerError> {
        let suite = self.crypto.suite().map_err(|_| SignerError::SigningError)?;
        suite.sign(&self.key, payload).map_err(|_| SignerError::SigningError)
    }

    fn signature_scheme(&self) -> SignatureScheme {
        self.scheme
    }
}

impl OpenMlsProvider for Provider {
    type CryptoProvider = Crypto;
    type RandProvider = Crypto;
    type StorageProvider = MemoryStorage;

    fn storage(&self) -> &MemoryStorage {
        &self.storage
    }

    fn crypto(&self) -> &Crypto {
        &self.crypto
    }

    fn rand(&self) -> &Crypto {
        &self.crypto
    }
}

impl Crypto {
    fn suite(&self) -> Result<&dyn Suite, Fault> {
        self.backend.suite(self.suite)
    }

    fn or(&self, error: CryptoError) -> Result<&dyn Suite, CryptoError> {
        self.suite().map_err(|_| error)
    }

    /// The suite, if that is its hash.
    fn with_hash(&self, hash: HashType) -> Result<&dyn Suite, CryptoError> {
        let suite = self.or(CryptoError::UnsupportedHashAlgorithm)?;
        let is_ours = suite.hash_length() == hash.size();
        is_ours.then_some(suite).ok_or(CryptoError::UnsupportedHashAlgorithm)
    }
}

impl OpenMlsRand for Crypto {
    type Error = NoRandomness;

    fn random_array<const N: usize>(&self) -> Result<[u8; N], NoRandomness> {
        let mut bytes = [0; N];
        self.backend.random(&mut bytes).map_err(NoRandomness)?;
        Ok(bytes)
    }

    fn random_vec(&self, length: usize) -> Result<Vec<u8>, NoRandomness> {
        let mut bytes = vec![0; length];
        self.backend.random(&mut bytes).map_err(NoRandomness)?;
        Ok(bytes)
    }
}

/// What OpenMLS keeps secrets in, of a crate that it doesn't hand on.
type SecretBytes = openmls_0_9::prelude::tls_codec::SecretVLBytes;

impl OpenMlsCrypto for Crypto {
    fn supports(&self, suite: Ciphersuite) -> Result<(), CryptoError> {
        let is_ours = u16::from(suite) == self.suite.0;
        is_ours.then_some(()).ok_or(CryptoError::UnsupportedCiphersuite)
    }

    fn supported_ciphersuites(&self) -> Vec<Ciphersuite> {
        Ciphersuite::try_from(self.suite.0).into_iter().collect()
    }

    fn hkdf_extract(
        &self,
        hash: HashType,
        salt: &[u8],
        ikm: &[u8],
    ) -> Result<SecretBytes, CryptoError> {
        Ok(self.with_hash(hash)?.extract(salt, &[ikm]).as_slice().into())
    }

    fn hmac(&self, hash: HashType, key: &[u8], data: &[u8]) -> Result<SecretBytes, CryptoError> {
        Ok(self.with_hash(hash)?.mac(key, &[data]).as_slice().into())
    }

    fn hkdf_expand(
        &self,
        hash: HashType,
        prk: &[u8],
        info: &[u8],
        length: usize,
    ) -> Result<SecretBytes, CryptoError> {
        let suite = self.with_hash(hash)?;
        let mut out = vec![0; length];
        suite.expand(prk, &[info], &mut out).map_err(|_| CryptoError::HkdfOutputLengthInvalid)?;
        Ok(out.into())
    }

    fn hash(&self, hash: HashType, data: &[u8]) -> Result<Vec<u8>, CryptoError> {
        Ok(self.with_hash(hash)?.hash(&[data]).as_slice().to_vec())
    }

    fn aead_encrypt(
        &self,
        _: AeadType,
        key: &[u8],
        data: &[u8],
        nonce: &[u8],
        aad: &[u8],
    ) -> Result<Vec<u8>, CryptoError> {
        let suite = self.or(CryptoError::UnsupportedAeadAlgorithm)?;
        let mut buffer = data.to_vec();
        let sealed = suite.aead_seal(key, nonce, aad, &mut buffer);
        sealed.map_err(|_| CryptoError::CryptoLibraryError)?;
        Ok(buffer)
    }

    fn aead_decrypt(
        &self,
        _: AeadType,
        key: &[u8],
        ciphertext: &[u8],
        nonce: &[u8],
        aad: &[u8],
    ) -> Result<Vec<u8>, CryptoError> {
        let suite = self.or(CryptoError::UnsupportedAeadAlgorithm)?;
        let mut buffer = ciphertext.to_vec();
        let opened = suite.aead_open(key, nonce, aad, &mut buffer);
        opened.map_err(|_| CryptoError::AeadDecryptionError)?;
        Ok(buffer)
    }

    fn signature_key_gen(&self, _: SignatureScheme) -> Result<(Vec<u8>, Vec<u8>), CryptoError> {
        let suite = self.or(CryptoError::UnsupportedSignatureScheme)?;
        let key = suite.generate_signing_key().map_err(|_| CryptoError::InsufficientRandomness)?;
        Ok((key.private().as_slice().to_vec(), key.public().to_vec()))
    }

    fn verify_signature(
        &self,
        _: SignatureScheme,
        data: &[u8],
        public: &[u8],
        signature: &[u8],
    ) -> Result<(), CryptoError> {
        let suite = self.or(CryptoError::UnsupportedSignatureScheme)?;
        let key = suite.verifying_key(public).map_err(|_| CryptoError::InvalidPublicKey)?;
        suite.verify(&key, data, signature).map_err(|_| CryptoError::InvalidSignature)
    }

    fn sign(
        &self,
        _: SignatureScheme,
        data: &[u8],
        private: &[u8],
    ) -> Result<Vec<u8>, CryptoError> {
        let suite = self.or(CryptoError::UnsupportedSignatureScheme)?;
        let signed = suite.signing_key(private).and_then(|key| suite.sign(&key, data));
        signed.map_err(|_| CryptoError::SigningError)
    }

    fn hpke_seal(
        &self,
        _: HpkeConfig,
        public: &[u8],
        info: &[u8],
        aad: &[u8],
        plaintext: &[u8],
    ) -> Result<HpkeCiphertext, CryptoError> {
        let suite = self.or(CryptoError::HpkeEncryptionError)?;
        let sealed = suite.seal_base(public, &[info], aad, plaintext);
        let sealed = sealed.map_err(|_| CryptoError::HpkeEncryptionError)?;
        let (kem_output, ciphertext) = (sealed.kem_output.into(), sealed.ciphertext.into());
        Ok(HpkeCiphertext { kem_output, ciphertext })
    }

    fn hpke_open(
        &self,
        _: HpkeConfig,
        input: &HpkeCiphertext,
        private: &[u8],
        info: &[u8],
        aad: &[u8],
    ) -> Result<Vec<u8>, CryptoError> {
        let suite = self.or(CryptoError::HpkeDecryptionError)?;
        let sealed = Sealed {
            kem_output: input.kem_output.as_slice().to_vec(),
            ciphertext: input.ciphertext.as_slice().to_vec(),
        };
        let opened =
            suite.private_key(private).and_then(|key| suite.open_base(&key, &sealed, &[info], aad));
        let opened = opened.map_err(|_| CryptoError::HpkeDecryptionError)?;
        Ok(opened.as_slice().to_vec())
    }

    fn hpke_setup_sender_and_export(
        &self,
        _: HpkeConfig,
        public: &[u8],
        info: &[u8],
        context: &[u8],
        length: usize,
    ) -> Result<(KemOutput, ExporterSecret), CryptoError> {
        let suite = self.or(CryptoError::SenderSetupError)?;
        let (output, exported) = suite
            .send_export(public, &[info], context, length)
            .map_err(|_| CryptoError::SenderSetupError)?;
        Ok((output, exported.as_slice().to_vec().into()))
    }

    fn hpke_setup_receiver_and_export(
        &self,
        _: HpkeConfig,
        kem_output: &[u8],
        private: &[u8],
        info: &[u8],
        context: &[u8],
        length: usize,
    ) -> Result<ExporterSecret, CryptoError> {
        let suite = self.or(CryptoError::ReceiverSetupError)?;
        let exported = suite
            .private_key(private)
            .and_then(|key| suite.receive_export(&key, kem_output, &[info], context, length));
        let exported = exported.map_err(|_| CryptoError::ReceiverSetupError)?;
        Ok(exported.as_slice().to_vec().into())
    }

    fn derive_hpke_keypair(&self, _: HpkeConfig, ikm: &[u8]) -> Result<HpkeKeyPair, CryptoError> {
        let suite = self.or(CryptoError::CryptoLibraryError)?;
        let key = suite.derive_key_pair(ikm).map_err(|_| CryptoError::CryptoLibraryError)?;
        Ok(HpkeKeyPair { private: key.private().as_slice().into(), public: key.public().to_vec() })
    }
}
