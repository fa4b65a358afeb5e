//! SLH-DSA by RustCrypto's `slh-dsa`, with the three seeds of FIPS 205 algorithm 18 as the private key,
//! and deterministic signing.

use crypto_api::{CryptoError, Random, Secret, primitives::SignatureScheme};
use slh_dsa::{Sha2_128f, Sha2_128s, Sha2_192f, Sha2_256f, Signature, SigningKey, VerifyingKey};

macro_rules! schemes {
    ($($name:ident = $set:ident, $n:literal;)+) => {$(
        pub(super) struct $name;

        impl SignatureScheme for $name {
            type SigningKey = SigningKey<$set>;
            type VerifyingKey = VerifyingKey<$set>;

            fn generate(random: &dyn Random) -> Result<Secret, CryptoError> {
                Secret::try_from_fn(3 * $n, |out| random.fill(out))
            }

            fn signing_key(private: &[u8]) -> Result<(Self::SigningKey, Vec<u8>), CryptoError> {
                if private.len() != 3 * $n {
                    return Err(CryptoError::Rejected);
                }
                let (seed, rest) = private.split_at($n);
                let (prf, public_seed) = rest.split_at($n);
                let key = SigningKey::<$set>::slh_keygen_internal(seed, prf, public_seed);
                // The public key is the second half of the private key.
                let public = key.to_vec().split_off(2 * $n);
                Ok((key, public))
            }

            fn verifying_key(public: &[u8]) -> Result<Self::VerifyingKey, CryptoError> {
                VerifyingKey::try_from(public).map_err(|_| CryptoError::Rejected)
            }

            fn sign(key: &Self::SigningKey, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
                let signature = key
                    .try_sign_with_context(message, b"", None)
                    .map_err(|_| CryptoError::Internal)?;
                Ok(signature.to_bytes().to_vec())
            }

            fn verify(
                key: &Self::VerifyingKey,
                message: &[u8],
                signature: &[u8],
            ) -> Result<(), CryptoError> {
                let signature =
                    Signature::<$set>::try_from(signature).map_err(|_| CryptoError::Rejected)?;
                key.try_verify_with_context(message, b"", &signature)
                    .map_err(|_| CryptoError::Rejected)
            }
        }
    )+};
}

schemes! {
    SlhDsaSha2128s = Sha2_128s, 16;
    SlhDsaSha2128f = Sha2_128f, 16;
    SlhDsaSha2192f = Sha2_192f, 24;
    SlhDsaSha2256f = Sha2_256f, 32;
}
