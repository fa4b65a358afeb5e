//! Key handles: decoded once, used often.
//!
//! A handle carries what the library made of the key (a decompressed point, an expanded secret)
//! as an opaque value that only the suite that made it can use. Cloning one copies a pointer.

use std::{any::Any, fmt, sync::Arc};

use crate::{CryptoError, Secret};

type Parsed = Arc<dyn Any + Send + Sync>;

/// An HPKE key pair, ready to open with.
#[derive(Clone)]
pub struct HpkePrivateKey {
    private: Secret,
    public: Arc<[u8]>,
    parsed: Parsed,
}

impl HpkePrivateKey {
    /// Wraps what a library made of a private key.
    pub fn new<T: Any + Send + Sync>(private: Secret, public: &[u8], parsed: T) -> Self {
        Self { private, public: Arc::from(public), parsed: Arc::new(parsed) }
    }

    /// The private key as serialised: a scalar, or a seed.
    #[must_use]
    pub fn private(&self) -> &Secret {
        &self.private
    }

    /// The public key as serialised.
    #[must_use]
    pub fn public(&self) -> &[u8] {
        &self.public
    }

    /// What the library made of it.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] if another library or another algorithm made it.
    pub fn parsed<T: Any>(&self) -> Result<&T, CryptoError> {
        self.parsed.downcast_ref().ok_or(CryptoError::Rejected)
    }
}

impl fmt::Debug for HpkePrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HpkePrivateKey").finish_non_exhaustive()
    }
}

/// `HPKECiphertext` of RFC 9420 section 7.6.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HpkeCiphertext {
    /// The encapsulated key (`enc` in RFC 9180).
    pub kem_output: Vec<u8>,
    /// The AEAD's output, tag included.
    pub ciphertext: Vec<u8>,
}

/// A signature private key, expanded once.
#[derive(Clone)]
pub struct SigningKey {
    private: Secret,
    public: Arc<[u8]>,
    parsed: Parsed,
}

impl SigningKey {
    /// Wraps what a library made of a private key.
    pub fn new<T: Any + Send + Sync>(private: Secret, public: &[u8], parsed: T) -> Self {
        Self { private, public: Arc::from(public), parsed: Arc::new(parsed) }
    }

    /// The private key as serialised: Ed25519's and Ed448's seed, ECDSA's scalar.
    #[must_use]
    pub fn private(&self) -> &Secret {
        &self.private
    }

    /// The public key, as a leaf node shows it.
    #[must_use]
    pub fn public(&self) -> &[u8] {
        &self.public
    }

    /// What the library made of it.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] if another library or another algorithm made it.
    pub fn parsed<T: Any>(&self) -> Result<&T, CryptoError> {
        self.parsed.downcast_ref().ok_or(CryptoError::Rejected)
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").finish_non_exhaustive()
    }
}

/// A signature public key, decoded and checked once.
#[derive(Clone)]
pub struct VerifyingKey {
    parsed: Parsed,
}

impl VerifyingKey {
    /// Wraps what a library made of a public key.
    pub fn new<T: Any + Send + Sync>(parsed: T) -> Self {
        Self { parsed: Arc::new(parsed) }
    }

    /// What the library made of it.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] if another library or another algorithm made it.
    pub fn parsed<T: Any>(&self) -> Result<&T, CryptoError> {
        self.parsed.downcast_ref().ok_or(CryptoError::Rejected)
    }
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerifyingKey").finish_non_exhaustive()
    }
}
