//! One cipher suite of one library: what the engine calls.

use std::fmt;

use crate::{
    CryptoError, Digest, HpkeCiphertext, HpkePrivateKey, Secret, SigningKey, VerifyingKey,
};

/// A cipher suite's number (RFC 9420 section 17.1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CipherSuite(pub u16);

impl CipherSuite {
    /// `MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519`, which every client has.
    pub const MLS_128_DHKEMX25519_AES128GCM_SHA256_ED25519: Self = Self(1);
    /// `MLS_128_DHKEMP256_AES128GCM_SHA256_P256`.
    pub const MLS_128_DHKEMP256_AES128GCM_SHA256_P256: Self = Self(2);
    /// `MLS_128_DHKEMX25519_CHACHA20POLY1305_SHA256_Ed25519`.
    pub const MLS_128_DHKEMX25519_CHACHA20POLY1305_SHA256_ED25519: Self = Self(3);
    /// `MLS_256_DHKEMX448_AES256GCM_SHA512_Ed448`.
    pub const MLS_256_DHKEMX448_AES256GCM_SHA512_ED448: Self = Self(4);
    /// `MLS_256_DHKEMP521_AES256GCM_SHA512_P521`.
    pub const MLS_256_DHKEMP521_AES256GCM_SHA512_P521: Self = Self(5);
    /// `MLS_256_DHKEMX448_CHACHA20POLY1305_SHA512_Ed448`.
    pub const MLS_256_DHKEMX448_CHACHA20POLY1305_SHA512_ED448: Self = Self(6);
    /// `MLS_256_DHKEMP384_AES256GCM_SHA384_P384`.
    pub const MLS_256_DHKEMP384_AES256GCM_SHA384_P384: Self = Self(7);
}

impl fmt::Debug for CipherSuite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CipherSuite(0x{:04x})", self.0)
    }
}

/// One recipient of [`Suite::seal_base_batch`].
#[derive(Clone, Copy)]
pub struct SealTo<'a> {
    /// The recipient's public key.
    pub public: &'a [u8],
    /// What it is to receive.
    pub plaintext: &'a [u8],
}

/// One signature for [`Suite::verify_batch`].
#[derive(Clone, Copy)]
pub struct Signed<'a> {
    /// The signer's key.
    pub key: &'a VerifyingKey,
    /// What was signed.
    pub message: &'a [u8],
    /// The signature.
    pub signature: &'a [u8],
}

/// One cipher suite of one library.
///
/// Inputs that are hashed come as slices of slices, concatenated in order, so that a caller needs
/// no buffer to put a label in front of a context. All failures on foreign bytes are
/// [`CryptoError::Rejected`].
pub trait Suite: Send + Sync + 'static {
    /// Which cipher suite this is.
    fn cipher_suite(&self) -> CipherSuite;

    /// `KDF.Nh`, which is also the length of a MAC and of [`Self::hash`] in all suites so far.
    fn kdf_nh(&self) -> usize;

    /// The length of [`Self::hash`].
    fn hash_length(&self) -> usize;

    /// `AEAD.Nk`.
    fn aead_nk(&self) -> usize;

    /// `AEAD.Nn`.
    fn aead_nn(&self) -> usize;

    /// `AEAD.Nt`: how much longer a ciphertext is than its plaintext.
    fn aead_nt(&self) -> usize;

    /// Random bytes.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Internal`] if the source failed.
    fn random(&self, out: &mut [u8]) -> Result<(), CryptoError>;

    /// The suite's hash.
    fn hash(&self, parts: &[&[u8]]) -> Digest;

    /// The suite's MAC: HMAC with its hash. Compare with `==` or [`Digest::matches`], which are
    /// constant-time.
    fn mac(&self, key: &[u8], parts: &[&[u8]]) -> Digest;

    /// `KDF.Extract(salt, ikm)`.
    fn extract(&self, salt: &[u8], ikm: &[&[u8]]) -> Secret;

    /// `KDF.Expand(prk, info, out.len())`.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for more than 255 blocks of output.
    fn expand(&self, prk: &[u8], info: &[&[u8]], out: &mut [u8]) -> Result<(), CryptoError>;

    /// AEAD encryption: `buffer` holds the plaintext, then the ciphertext with its tag.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a key or nonce of the wrong length. `buffer` may be garbled.
    fn aead_seal(
        &self,
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
        buffer: &mut Vec<u8>,
    ) -> Result<(), CryptoError>;

    /// AEAD decryption: `buffer` holds the ciphertext with its tag, then the plaintext.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] if the tag doesn't fit, or for a key or nonce of the wrong length.
    /// `buffer` may be garbled: keep a copy if the message is to be tried again.
    fn aead_open(
        &self,
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
        buffer: &mut Vec<u8>,
    ) -> Result<(), CryptoError>;

    /// [`Self::aead_seal`] within a message: the last [`Self::aead_nt`] bytes of `in_out` are room for
    /// the tag.
    ///
    /// # Errors
    ///
    /// As `aead_seal`, and [`CryptoError::Rejected`] if there is no room.
    fn aead_seal_slice(
        &self,
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
        in_out: &mut [u8],
    ) -> Result<(), CryptoError>;

    /// [`Self::aead_open`] within a message. Returns the length of the plaintext that `in_out` begins
    /// with; what is behind it means nothing.
    ///
    /// # Errors
    ///
    /// As `aead_open`.
    fn aead_open_slice(
        &self,
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
        in_out: &mut [u8],
    ) -> Result<usize, CryptoError>;

    /// HPKE `GenerateKeyPair()`.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Internal`] if there is no randomness.
    fn generate_key_pair(&self) -> Result<HpkePrivateKey, CryptoError>;

    /// HPKE `DeriveKeyPair(ikm)`.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] if the KEM finds no key in 256 tries, which doesn't happen by
    /// chance.
    fn derive_key_pair(&self, ikm: &[u8]) -> Result<HpkePrivateKey, CryptoError>;

    /// [`Self::derive_key_pair`] of each, in order: a library may work on several at a time.
    ///
    /// # Errors
    ///
    /// As `derive_key_pair`: there is no partial result.
    fn derive_key_pair_batch(&self, ikms: &[&[u8]]) -> Result<Vec<HpkePrivateKey>, CryptoError> {
        ikms.iter().map(|ikm| self.derive_key_pair(ikm)).collect()
    }

    /// HPKE `DeserializePrivateKey`, with the public key recomputed: for a stored key. The two above
    /// hand out keys that are decoded already.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a wrong length, or a scalar that is zero or not below the
    /// group's order.
    fn private_key(&self, private: &[u8]) -> Result<HpkePrivateKey, CryptoError>;

    /// HPKE `DeserializePublicKey`, and no more than that: whether one could seal to the key.
    ///
    /// For P-256, P-384 and P-521: an uncompressed point on the curve. For X25519 and X448 the
    /// length, and that the key is not of small order, so that a leaf which nobody can encrypt to
    /// is found when it is read and not in the middle of a commit. For ML-KEM the encapsulation
    /// key check of FIPS 203; for a hybrid, both checks.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] if not.
    fn check_public_key(&self, public: &[u8]) -> Result<(), CryptoError>;

    /// HPKE `SealBase(public, info, aad, plaintext)`.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a bad public key.
    fn seal_base(
        &self,
        public: &[u8],
        info: &[&[u8]],
        aad: &[u8],
        plaintext: &[u8],
    ) -> Result<HpkeCiphertext, CryptoError>;

    /// [`Self::seal_base`] to many recipients under one `info` and `aad`, in order. `info` is
    /// hashed once, and a library may work on several recipients at a time.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] if one of the public keys is bad: there is no partial result.
    fn seal_base_batch(
        &self,
        recipients: &[SealTo<'_>],
        info: &[&[u8]],
        aad: &[u8],
    ) -> Result<Vec<HpkeCiphertext>, CryptoError>;

    /// HPKE `OpenBase(kem_output, private, info, aad, ciphertext)`.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] if it doesn't open.
    fn open_base(
        &self,
        private: &HpkePrivateKey,
        ciphertext: &HpkeCiphertext,
        info: &[&[u8]],
        aad: &[u8],
    ) -> Result<Secret, CryptoError>;

    /// HPKE `SetupBaseS(public, info)` and `context.export(exporter_context, length)`: the
    /// `kem_output` and the exported secret.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a bad public key or an absurd length.
    fn send_export(
        &self,
        public: &[u8],
        info: &[&[u8]],
        exporter_context: &[u8],
        length: usize,
    ) -> Result<(Vec<u8>, Secret), CryptoError>;

    /// HPKE `SetupBaseR(kem_output, private, info)` and `context.export(exporter_context, length)`.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a bad `kem_output` or an absurd length.
    fn receive_export(
        &self,
        private: &HpkePrivateKey,
        kem_output: &[u8],
        info: &[&[u8]],
        exporter_context: &[u8],
        length: usize,
    ) -> Result<Secret, CryptoError>;

    /// A fresh signature key.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Internal`] if there is no randomness.
    fn generate_signing_key(&self) -> Result<SigningKey, CryptoError>;

    /// Decodes a signature private key and recomputes its public key.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a wrong length or a scalar out of range.
    fn signing_key(&self, private: &[u8]) -> Result<SigningKey, CryptoError>;

    /// Decodes a signature public key.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a key that [`Self::verify`] says is no good.
    fn verifying_key(&self, public: &[u8]) -> Result<VerifyingKey, CryptoError>;

    /// `Signature.Sign`.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a key of another suite; [`CryptoError::Internal`] if the
    /// library failed.
    fn sign(&self, key: &SigningKey, message: &[u8]) -> Result<Vec<u8>, CryptoError>;

    /// `Signature.Verify`. All backends give the same verdict:
    ///
    /// - Ed25519: RFC 8032 section 5.1.7 without the cofactor (`[S]B = R + [k]A`), `S` below the
    ///   group's order, `A` a canonical encoding, neither `A` nor `R` of small order. See
    ///   [`crate::rules`].
    /// - Ed448: the same equation; `S` below the order, `A` and `R` canonical and in the prime-order
    ///   subgroup, where the cofactor makes no difference.
    /// - ECDSA: strict DER with both integers in `1..order`, no preference for a low `s`; the key
    ///   an uncompressed point on the curve.
    /// - ML-DSA: FIPS 204 algorithm 3, not the pre-hashed variant, with an empty context.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] if the signature isn't this key's on this message.
    fn verify(
        &self,
        key: &VerifyingKey,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), CryptoError>;

    /// Whether [`Self::verify`] accepts every one of these; true of none at all.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] if it doesn't; verify singly to learn which.
    fn verify_batch(&self, signed: &[Signed<'_>]) -> Result<(), CryptoError>;
}
