//! Ed25519 as a signature scheme.

use crypto_api::{CryptoError, Random, Secret, primitives::SignatureScheme};
use zeroize::Zeroizing;

use crate::ed25519::{SigningKey, VerifyingKey};

/// Ed25519.
pub struct Ed25519;

impl SignatureScheme for Ed25519 {
    type SigningKey = SigningKey;
    type VerifyingKey = VerifyingKey;

    fn generate(random: &dyn Random) -> Result<Secret, CryptoError> {
        Secret::try_from_fn(32, |out| random.fill(out))
    }

    fn signing_key(private: &[u8]) -> Result<(SigningKey, Vec<u8>), CryptoError> {
        let seed = Zeroizing::new(private.try_into().map_err(|_| CryptoError::Rejected)?);
        let key = SigningKey::from_seed(&seed);
        let public = key.public().to_vec();
        Ok((key, public))
    }

    fn verifying_key(public: &[u8]) -> Result<VerifyingKey, CryptoError> {
        VerifyingKey::from_bytes(public.try_into().map_err(|_| CryptoError::Rejected)?)
    }

    fn sign(key: &SigningKey, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
        Ok(key.sign(message).to_vec())
    }

    fn verify(key: &VerifyingKey, message: &[u8], signature: &[u8]) -> Result<(), CryptoError> {
        key.verify(message, signature)
    }
}
