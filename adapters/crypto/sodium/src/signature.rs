//! Ed25519, by libsodium.

use crypto_api::{CryptoError, Random, Secret, primitives::SignatureScheme, rules};
use zeroize::Zeroizing;

use crate::library;

/// Ed25519.
pub struct Ed25519;

impl SignatureScheme for Ed25519 {
    type SigningKey = Zeroizing<[u8; 64]>;
    /// Serialised: libsodium keeps no decoded key.
    type VerifyingKey = [u8; 32];

    fn generate(random: &dyn Random) -> Result<Secret, CryptoError> {
        Secret::try_from_fn(32, |out| random.fill(out))
    }

    fn signing_key(private: &[u8]) -> Result<(Self::SigningKey, Vec<u8>), CryptoError> {
        let seed = private.try_into().map_err(|_| CryptoError::Rejected)?;
        library::ed25519_key_pair(seed).map(|(private, public)| (private, public.to_vec()))
    }

    fn verifying_key(public: &[u8]) -> Result<Self::VerifyingKey, CryptoError> {
        let public: &[u8; 32] = public.try_into().map_err(|_| CryptoError::Rejected)?;
        rules::ed25519_point(public)?;
        Ok(*public)
    }

    fn sign(key: &Self::SigningKey, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
        library::ed25519_sign(key, message).map(|signature| signature.to_vec())
    }

    fn verify(
        key: &Self::VerifyingKey,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), CryptoError> {
        library::ed25519_verify(key, message, rules::ed25519_signature(signature)?)
    }
}
