//! Ed25519 and ML-DSA (FIPS 204), by libcrux.

use crypto_api::{CryptoError, Random, Secret, primitives::SignatureScheme, rules};
use libcrux_ml_dsa::{ml_dsa_44, ml_dsa_65, ml_dsa_87};
use zeroize::Zeroizing;

/// Ed25519.
pub struct Ed25519;

impl SignatureScheme for Ed25519 {
    type SigningKey = Zeroizing<[u8; 32]>;
    type VerifyingKey = [u8; 32];

    fn generate(random: &dyn Random) -> Result<Secret, CryptoError> {
        Secret::try_from_fn(32, |out| random.fill(out))
    }

    fn signing_key(private: &[u8]) -> Result<(Self::SigningKey, Vec<u8>), CryptoError> {
        let key = Zeroizing::new(private.try_into().map_err(|_| CryptoError::Rejected)?);
        let mut public = [0; 32];
        libcrux_ed25519::secret_to_public(&mut public, &key);
        Ok((key, public.to_vec()))
    }

    fn verifying_key(public: &[u8]) -> Result<Self::VerifyingKey, CryptoError> {
        let public: &[u8; 32] = public.try_into().map_err(|_| CryptoError::Rejected)?;
        rules::ed25519_point(public)?;
        Ok(*public)
    }

    fn sign(key: &Self::SigningKey, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
        let signature = libcrux_ed25519::sign(message, key).map_err(|_| CryptoError::Internal)?;
        Ok(signature.to_vec())
    }

    fn verify(
        key: &Self::VerifyingKey,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), CryptoError> {
        let signature = rules::ed25519_signature(signature)?;
        libcrux_ed25519::verify(message, key, signature).map_err(|_| CryptoError::Rejected)
    }
}

macro_rules! ml_dsas {
    ($($(#[$doc:meta])*
        $name:ident = $module:ident, $private:ident, $public:ident, $signature:ident;
    )+) => {$(
        $(#[$doc])*
        ///
        /// The private key is the seed of FIPS 204 algorithm 6. Signing is its deterministic variant,
        /// with an empty context.
        pub struct $name;

        impl SignatureScheme for $name {
            type SigningKey = $module::$private;
            type VerifyingKey = $module::$public;

            fn generate(random: &dyn Random) -> Result<Secret, CryptoError> {
                Secret::try_from_fn(32, |out| random.fill(out))
            }

            fn signing_key(private: &[u8]) -> Result<(Self::SigningKey, Vec<u8>), CryptoError> {
                let seed = private.try_into().map_err(|_| CryptoError::Rejected)?;
                let pair = $module::generate_key_pair(seed);
                Ok((pair.signing_key, pair.verification_key.as_ref().to_vec()))
            }

            fn verifying_key(public: &[u8]) -> Result<Self::VerifyingKey, CryptoError> {
                let public = public.try_into().map_err(|_| CryptoError::Rejected)?;
                Ok($module::$public::new(public))
            }

            fn sign(key: &Self::SigningKey, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
                let signature = $module::sign(key, message, b"", [0; 32])
                    .map_err(|_| CryptoError::Internal)?;
                Ok(signature.as_ref().to_vec())
            }

            fn verify(
                key: &Self::VerifyingKey,
                message: &[u8],
                signature: &[u8],
            ) -> Result<(), CryptoError> {
                let signature = signature.try_into().map_err(|_| CryptoError::Rejected)?;
                $module::verify(key, message, b"", &$module::$signature::new(signature))
                    .map_err(|_| CryptoError::Rejected)
            }
        }
    )+};
}

ml_dsas! {
    /// ML-DSA-44.
    MlDsa44 = ml_dsa_44, MLDSA44SigningKey, MLDSA44VerificationKey, MLDSA44Signature;
    /// ML-DSA-65.
    MlDsa65 = ml_dsa_65, MLDSA65SigningKey, MLDSA65VerificationKey, MLDSA65Signature;
    /// ML-DSA-87.
    MlDsa87 = ml_dsa_87, MLDSA87SigningKey, MLDSA87VerificationKey, MLDSA87Signature;
}
