//! mls-rs over a provider that counts: what `cgka-bench counts` runs, and nothing that is timed.

use engine_api::{CipherSuite as SuiteNumber, Package, Registration};
use mls_rs::{CipherSuite, CipherSuiteProvider, CryptoProvider};
use mls_rs_core::crypto::{
    HpkeCiphertext, HpkePsk, HpkePublicKey, HpkeSecretKey, SignaturePublicKey, SignatureSecretKey,
};
use mls_rs_crypto_awslc::AwsLcCryptoProvider;
use mls_rs_crypto_rustcrypto::RustCryptoProvider;
use operation_counts::{Operation, record};
use zeroize::Zeroizing;

use crate::client::MlsRs;
use crate::describe::Backend;

/// A provider, or a cipher suite of one, that counts what `P` is asked for.
#[derive(Clone, Default)]
pub(crate) struct Counting<P>(P);

/// The engines of [`engines`](crate::engines) with their calls counted, each under its twin's name
/// and `/counted`.
#[inline(never)]
#[must_use]
pub fn counted() -> Vec<Registration> {
    vec![
        Registration::of::<MlsRs<Counting<AwsLcCryptoProvider>>>().renamed("mls-rs/aws-lc/counted"),
        Registration::of::<MlsRs<Counting<RustCryptoProvider>>>()
            .renamed("mls-rs/rustcrypto/counted"),
    ]
}

/// Those of [`on_request`](crate::on_request).
#[inline(never)]
#[must_use]
pub fn counted_on_request() -> Vec<Registration> {
    crate::post_quantum::counted()
}

impl<P: Backend> Backend for Counting<P> {
    const NAME: &'static str = P::NAME;
    const CRYPTO: &'static str = P::CRYPTO;
    const PACKAGES: &'static [Package] = P::PACKAGES;
    const CIPHER_SUITES: &'static [SuiteNumber] = P::CIPHER_SUITES;
    const NOTES: &'static [&'static str] = P::NOTES;

    fn offering(suite: CipherSuite) -> Self {
        Self(P::offering(suite))
    }
}

impl<P: CryptoProvider> CryptoProvider for Counting<P> {
    type CipherSuiteProvider = Counting<P::CipherSuiteProvider>;

    fn supported_cipher_suites(&self) -> Vec<CipherSuite> {
        self.0.supported_cipher_suites()
    }

    fn cipher_suite_provider(
        &self,
        cipher_suite: CipherSuite,
    ) -> Option<Self::CipherSuiteProvider> {
        self.0.cipher_suite_provider(cipher_suite).map(Counting)
    }
}

type Bytes<S> = Result<Vec<u8>, <S as CipherSuiteProvider>::Error>;
type SecretBytes<S> = Result<Zeroizing<Vec<u8>>, <S as CipherSuiteProvider>::Error>;

impl<S: CipherSuiteProvider> CipherSuiteProvider for Counting<S> {
    type Error = S::Error;
    type HpkeContextS = S::HpkeContextS;
    type HpkeContextR = S::HpkeContextR;

    fn cipher_suite(&self) -> CipherSuite {
        self.0.cipher_suite()
    }

    fn hash(&self, data: &[u8]) -> Bytes<S> {
        record(Operation::Hash, data.len());
        self.0.hash(data)
    }

    fn mac(&self, key: &[u8], data: &[u8]) -> Bytes<S> {
        record(Operation::Mac, data.len());
        self.0.mac(key, data)
    }

    fn aead_seal(&self, key: &[u8], data: &[u8], aad: Option<&[u8]>, nonce: &[u8]) -> Bytes<S> {
        record(Operation::AeadSeal, data.len());
        self.0.aead_seal(key, data, aad, nonce)
    }

    fn aead_open(
        &self,
        key: &[u8],
        ciphertext: &[u8],
        aad: Option<&[u8]>,
        nonce: &[u8],
    ) -> SecretBytes<S> {
        record(Operation::AeadOpen, ciphertext.len());
        self.0.aead_open(key, ciphertext, aad, nonce)
    }

    fn aead_key_size(&self) -> usize {
        self.0.aead_key_size()
    }

    fn aead_nonce_size(&self) -> usize {
        self.0.aead_nonce_size()
    }

    fn kdf_extract(&self, salt: &[u8], ikm: &[u8]) -> SecretBytes<S> {
        record(Operation::KdfExtract, ikm.len());
        self.0.kdf_extract(salt, ikm)
    }

    fn kdf_expand(&self, prk: &[u8], info: &[u8], len: usize) -> SecretBytes<S> {
        record(Operation::KdfExpand, len);
        self.0.kdf_expand(prk, info, len)
    }

    fn kdf_extract_size(&self) -> usize {
        self.0.kdf_extract_size()
    }

    fn hpke_seal(
        &self,
        remote_key: &HpkePublicKey,
        info: &[u8],
        aad: Option<&[u8]>,
        pt: &[u8],
    ) -> Result<HpkeCiphertext, S::Error> {
        record(Operation::KemEncap, pt.len());
        self.0.hpke_seal(remote_key, info, aad, pt)
    }

    fn hpke_seal_psk(
        &self,
        remote_key: &HpkePublicKey,
        info: &[u8],
        aad: Option<&[u8]>,
        pt: &[u8],
        psk: HpkePsk<'_>,
    ) -> Result<HpkeCiphertext, S::Error> {
        record(Operation::KemEncap, pt.len());
        self.0.hpke_seal_psk(remote_key, info, aad, pt, psk)
    }

    fn hpke_open(
        &self,
        ciphertext: &HpkeCiphertext,
        local_secret: &HpkeSecretKey,
        local_public: &HpkePublicKey,
        info: &[u8],
        aad: Option<&[u8]>,
    ) -> SecretBytes<S> {
        record(Operation::KemDecap, ciphertext.ciphertext.len());
        self.0.hpke_open(ciphertext, local_secret, local_public, info, aad)
    }

    fn hpke_open_psk(
        &self,
        ciphertext: &HpkeCiphertext,
        local_secret: &HpkeSecretKey,
        local_public: &HpkePublicKey,
        info: &[u8],
        aad: Option<&[u8]>,
        psk: HpkePsk<'_>,
    ) -> SecretBytes<S> {
        record(Operation::KemDecap, ciphertext.ciphertext.len());
        self.0.hpke_open_psk(ciphertext, local_secret, local_public, info, aad, psk)
    }

    fn hpke_setup_s(
        &self,
        remote_key: &HpkePublicKey,
        info: &[u8],
    ) -> Result<(Vec<u8>, Self::HpkeContextS), S::Error> {
        record(Operation::KemEncap, 0);
        self.0.hpke_setup_s(remote_key, info)
    }

    fn hpke_setup_r(
        &self,
        kem_output: &[u8],
        local_secret: &HpkeSecretKey,
        local_public: &HpkePublicKey,
        info: &[u8],
    ) -> Result<Self::HpkeContextR, S::Error> {
        record(Operation::KemDecap, 0);
        self.0.hpke_setup_r(kem_output, local_secret, local_public, info)
    }

    fn kem_derive(&self, ikm: &[u8]) -> Result<(HpkeSecretKey, HpkePublicKey), S::Error> {
        record(Operation::KemDerive, ikm.len());
        self.0.kem_derive(ikm)
    }

    fn kem_generate(&self) -> Result<(HpkeSecretKey, HpkePublicKey), S::Error> {
        record(Operation::KemGenerate, 0);
        self.0.kem_generate()
    }

    fn kem_public_key_validate(&self, key: &HpkePublicKey) -> Result<(), S::Error> {
        self.0.kem_public_key_validate(key)
    }

    fn random_bytes(&self, out: &mut [u8]) -> Result<(), S::Error> {
        record(Operation::Random, out.len());
        self.0.random_bytes(out)
    }

    fn signature_key_generate(&self) -> Result<(SignatureSecretKey, SignaturePublicKey), S::Error> {
        record(Operation::SignatureKeyGenerate, 0);
        self.0.signature_key_generate()
    }

    fn signature_key_derive_public(
        &self,
        secret_key: &SignatureSecretKey,
    ) -> Result<SignaturePublicKey, S::Error> {
        self.0.signature_key_derive_public(secret_key)
    }

    fn sign(&self, secret_key: &SignatureSecretKey, data: &[u8]) -> Bytes<S> {
        record(Operation::Sign, data.len());
        self.0.sign(secret_key, data)
    }

    fn verify(
        &self,
        public_key: &SignaturePublicKey,
        signature: &[u8],
        data: &[u8],
    ) -> Result<(), S::Error> {
        record(Operation::Verify, data.len());
        self.0.verify(public_key, signature, data)
    }
}
