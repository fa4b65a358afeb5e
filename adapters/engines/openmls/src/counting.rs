//! OpenMLS over a provider that counts: what `cgka-bench counts` runs, and nothing that is timed.

use engine_api::{EngineError, Package, Registration};
use openmls::prelude::tls_codec::SecretVLBytes;
use openmls_rust_crypto::RustCrypto;
use openmls_traits::crypto::OpenMlsCrypto;
use openmls_traits::random::OpenMlsRand;
use openmls_traits::types::{
    AeadType, Ciphersuite, CryptoError, ExporterSecret, HashType, HpkeCiphertext, HpkeConfig,
    HpkeKeyPair, KemOutput, SignatureScheme,
};
use operation_counts::{Operation, record};

use crate::client::OpenMls;
use crate::describe::Backend;

/// A backend that counts what `B` is asked for.
pub(crate) struct Counting<B>(B);

/// The engines of [`engines`](crate::engines) with their calls counted, each under its twin's name
/// and `/counted`.
#[inline(never)]
#[must_use]
pub fn counted() -> Vec<Registration> {
    type Libcrux = openmls_libcrux_crypto::CryptoProvider;
    vec![
        Registration::of::<OpenMls<Counting<RustCrypto>>>().renamed("openmls/rustcrypto/counted"),
        Registration::of::<OpenMls<Counting<Libcrux>>>().renamed("openmls/libcrux/counted"),
    ]
}

/// Those of [`on_request`](crate::on_request).
#[inline(never)]
#[must_use]
pub fn counted_on_request() -> Vec<Registration> {
    vec![crate::xwing::counted()]
}

impl<B: Backend> Backend for Counting<B> {
    const NAME: &'static str = B::NAME;
    const CRYPTO: &'static str = B::CRYPTO;

    fn packages() -> &'static [Package] {
        B::packages()
    }

    fn open() -> Result<Self, EngineError> {
        B::open().map(Self)
    }

    fn about_to_sign(payload: &[u8]) {
        record(Operation::Sign, payload.len());
    }
}

impl<B: Backend> OpenMlsRand for Counting<B> {
    type Error = <B as OpenMlsRand>::Error;

    fn random_array<const N: usize>(&self) -> Result<[u8; N], Self::Error> {
        record(Operation::Random, N);
        self.0.random_array()
    }

    fn random_vec(&self, len: usize) -> Result<Vec<u8>, Self::Error> {
        record(Operation::Random, len);
        self.0.random_vec(len)
    }
}

impl<B: Backend> OpenMlsCrypto for Counting<B> {
    fn supports(&self, ciphersuite: Ciphersuite) -> Result<(), CryptoError> {
        self.0.supports(ciphersuite)
    }

    fn supported_ciphersuites(&self) -> Vec<Ciphersuite> {
        self.0.supported_ciphersuites()
    }

    fn hkdf_extract(
        &self,
        hash_type: HashType,
        salt: &[u8],
        ikm: &[u8],
    ) -> Result<SecretVLBytes, CryptoError> {
        record(Operation::KdfExtract, ikm.len());
        self.0.hkdf_extract(hash_type, salt, ikm)
    }

    fn hmac(
        &self,
        hash_type: HashType,
        key: &[u8],
        message: &[u8],
    ) -> Result<SecretVLBytes, CryptoError> {
        record(Operation::Mac, message.len());
        self.0.hmac(hash_type, key, message)
    }

    fn hkdf_expand(
        &self,
        hash_type: HashType,
        prk: &[u8],
        info: &[u8],
        okm_len: usize,
    ) -> Result<SecretVLBytes, CryptoError> {
        record(Operation::KdfExpand, okm_len);
        self.0.hkdf_expand(hash_type, prk, info, okm_len)
    }

    fn hash(&self, hash_type: HashType, data: &[u8]) -> Result<Vec<u8>, CryptoError> {
        record(Operation::Hash, data.len());
        self.0.hash(hash_type, data)
    }

    fn aead_encrypt(
        &self,
        alg: AeadType,
        key: &[u8],
        data: &[u8],
        nonce: &[u8],
        aad: &[u8],
    ) -> Result<Vec<u8>, CryptoError> {
        record(Operation::AeadSeal, data.len());
        self.0.aead_encrypt(alg, key, data, nonce, aad)
    }

    fn aead_decrypt(
        &self,
        alg: AeadType,
        key: &[u8],
        ct_tag: &[u8],
        nonce: &[u8],
        aad: &[u8],
    ) -> Result<Vec<u8>, CryptoError> {
        record(Operation::AeadOpen, ct_tag.len());
        self.0.aead_decrypt(alg, key, ct_tag, nonce, aad)
    }

    fn signature_key_gen(&self, alg: SignatureScheme) -> Result<(Vec<u8>, Vec<u8>), CryptoError> {
        record(Operation::SignatureKeyGenerate, 0);
        self.0.signature_key_gen(alg)
    }

    fn verify_signature(
        &self,
        alg: SignatureScheme,
        data: &[u8],
        pk: &[u8],
        signature: &[u8],
    ) -> Result<(), CryptoError> {
        record(Operation::Verify, data.len());
        self.0.verify_signature(alg, data, pk, signature)
    }

    fn sign(&self, alg: SignatureScheme, data: &[u8], key: &[u8]) -> Result<Vec<u8>, CryptoError> {
        record(Operation::Sign, data.len());
        self.0.sign(alg, data, key)
    }

    fn hpke_seal(
        &self,
        config: HpkeConfig,
        pk_r: &[u8],
        info: &[u8],
        aad: &[u8],
        ptxt: &[u8],
    ) -> Result<HpkeCiphertext, CryptoError> {
        record(Operation::KemEncap, ptxt.len());
        self.0.hpke_seal(config, pk_r, info, aad, ptxt)
    }

    fn hpke_open(
        &self,
        config: HpkeConfig,
        input: &HpkeCiphertext,
        sk_r: &[u8],
        info: &[u8],
        aad: &[u8],
    ) -> Result<Vec<u8>, CryptoError> {
        record(Operation::KemDecap, input.ciphertext.as_slice().len());
        self.0.hpke_open(config, input, sk_r, info, aad)
    }

    fn hpke_setup_sender_and_export(
        &self,
        config: HpkeConfig,
        pk_r: &[u8],
        info: &[u8],
        exporter_context: &[u8],
        exporter_length: usize,
    ) -> Result<(KemOutput, ExporterSecret), CryptoError> {
        record(Operation::KemEncap, 0);
        self.0.hpke_setup_sender_and_export(config, pk_r, info, exporter_context, exporter_length)
    }

    fn hpke_setup_receiver_and_export(
        &self,
        config: HpkeConfig,
        enc: &[u8],
        sk_r: &[u8],
        info: &[u8],
        exporter_context: &[u8],
        exporter_length: usize,
    ) -> Result<ExporterSecret, CryptoError> {
        record(Operation::KemDecap, 0);
        self.0.hpke_setup_receiver_and_export(
            config,
            enc,
            sk_r,
            info,
            exporter_context,
            exporter_length,
        )
    }

    fn derive_hpke_keypair(
        &self,
        config: HpkeConfig,
        ikm: &[u8],
    ) -> Result<HpkeKeyPair, CryptoError> {
        record(Operation::KemDerive, ikm.len());
        self.0.derive_hpke_keypair(config, ikm)
    }
}
