//! Ed25519, by dryoc.

use crypto_api::{CryptoError, Random, Secret, primitives::SignatureScheme, rules};
use dryoc::classic::crypto_sign;
use zeroize::Zeroizing;

/// Ed25519.
pub struct Ed25519;

impl SignatureScheme for Ed25519 {
    type SigningKey = Zeroizing<crypto_sign::SecretKey>;
    type VerifyingKey = crypto_sign::PublicKey;

    fn generate(random: &dyn Random) -> Result<Secret, CryptoError> {
        Secret::try_from_fn(32, |out| random.fill(out))
    }

    fn signing_key(private: &[u8]) -> Result<(Self::SigningKey, Vec<u8>), CryptoError> {
        let seed = private.try_into().map_err(|_| CryptoError::Rejected)?;
        let (public, key) = crypto_sign::crypto_sign_seed_keypair(seed);
        Ok((Zeroizing::new(key), public.to_vec()))
    }

    fn verifying_key(public: &[u8]) -> Result<Self::VerifyingKey, CryptoError> {
        let public: &[u8; 32] = public.try_into().map_err(|_| CryptoError::Rejected)?;
        rules::ed25519_point(public)?;
        Ok(*public)
    }

    fn sign(key: &Self::SigningKey, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
        let mut signature = [0; 64];
        crypto_sign::crypto_sign_detached(&mut signature, message, key)
            .map_err(|_| CryptoError::Internal)?;
        Ok(signature.to_vec())
    }

    fn verify(
        key: &Self::VerifyingKey,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), CryptoError> {
        let signature = rules::ed25519_signature(signature)?;
        crypto_sign::crypto_sign_verify_detached(signature, message, key)
            .map_err(|_| CryptoError::Rejected)
    }
}
