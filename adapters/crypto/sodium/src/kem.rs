//! ML-KEM-768 and X-Wing, by libsodium.

use crypto_api::{CryptoError, Secret, seed_kem::FromSeed};

use crate::library::{self, ml_kem_768, x_wing};

macro_rules! kems {
    ($($(#[$doc:meta])* $name:ident = $module:ident, $kem_id:literal, $nsk:literal,
        $randomness:literal;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl FromSeed for $name {
            const KEM_ID: u16 = $kem_id;
            const NSK: usize = $nsk;
            const RANDOMNESS: usize = $randomness;
            type PrivateKey = $module::Private;

            fn shake256(input: &[u8], out: &mut [u8]) {
                if library::shake256(input, out).is_err() {
                    // It has no reason to fail; what it would leave is not to be taken for an output.
                    out.fill(0);
                }
            }

            fn key_pair(seed: &[u8]) -> Result<(Self::PrivateKey, Vec<u8>), CryptoError> {
                let seed = seed.try_into().map_err(|_| CryptoError::Rejected)?;
                $module::key_pair(seed).map(|(private, public)| (private, public.to_vec()))
            }

            fn check_public_key(public: &[u8]) -> Result<(), CryptoError> {
                // The library checks a key when it encapsulates to it.
                Self::encap_with(public, &[0; $randomness]).map(|_| ())
            }

            fn encap_with(
                public: &[u8],
                randomness: &[u8],
            ) -> Result<(Secret, Vec<u8>), CryptoError> {
                let public = public.try_into().map_err(|_| CryptoError::Rejected)?;
                let randomness = randomness.try_into().map_err(|_| CryptoError::Rejected)?;
                let (shared, kem_output) = $module::encap(public, randomness)?;
                Ok((Secret::copy_from(&*shared), kem_output.to_vec()))
            }

            fn decap(kem_output: &[u8], private: &Self::PrivateKey) -> Result<Secret, CryptoError> {
                let kem_output = kem_output.try_into().map_err(|_| CryptoError::Rejected)?;
                Ok(Secret::copy_from(&*$module::decap(kem_output, private)?))
            }
        }
    )+};
}

kems! {
    /// ML-KEM-768.
    MlKem768 = ml_kem_768, 0x0041, 64, 32;
    /// X-Wing.
    XWing = x_wing, 0x647a, 32, 64;
}
