//! ML-KEM (FIPS 203) and X-Wing, by libcrux.

use crypto_api::{
    CryptoError, Secret,
    hybrid::{Hybrid, MlKem768X25519},
    seed_kem::FromSeed,
};
use libcrux_ml_kem::{mlkem512, mlkem768, mlkem1024};

use crate::{dh::X25519, hash::Sha3};

/// X-Wing.
pub type XWing = Hybrid<MlKem768X25519, MlKem768, X25519, Sha3>;

macro_rules! ml_kems {
    ($($(#[$doc:meta])*
        $name:ident = $module:ident, $private:ident, $public:ident, $kem_id:literal;
    )+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl $name {
            /// FIPS 203 section 7.2: encapsulation is defined for checked keys only.
            fn checked(public: &[u8]) -> Result<$module::$public, CryptoError> {
                let public = public.try_into().map_err(|_| CryptoError::Rejected)?;
                if $module::validate_public_key(&public) {
                    Ok(public)
                } else {
                    Err(CryptoError::Rejected)
                }
            }
        }

        impl FromSeed for $name {
            const KEM_ID: u16 = $kem_id;
            const NSK: usize = libcrux_ml_kem::KEY_GENERATION_SEED_SIZE;
            const RANDOMNESS: usize = libcrux_ml_kem::SHARED_SECRET_SIZE;
            type PrivateKey = $module::$private;

            fn shake256(input: &[u8], out: &mut [u8]) {
                libcrux_sha3::shake256_ema(out, input);
            }

            fn key_pair(seed: &[u8]) -> Result<(Self::PrivateKey, Vec<u8>), CryptoError> {
                let seed = seed.try_into().map_err(|_| CryptoError::Rejected)?;
                let (private, public) = $module::generate_key_pair(seed).into_parts();
                Ok((private, public.as_slice().to_vec()))
            }

            fn check_public_key(public: &[u8]) -> Result<(), CryptoError> {
                Self::checked(public).map(|_| ())
            }

            fn encap_with(
                public: &[u8],
                randomness: &[u8],
            ) -> Result<(Secret, Vec<u8>), CryptoError> {
                let public = Self::checked(public)?;
                let randomness = randomness.try_into().map_err(|_| CryptoError::Rejected)?;
                let (kem_output, shared) = $module::encapsulate(&public, randomness);
                Ok((Secret::copy_from(&shared), kem_output.as_slice().to_vec()))
            }

            fn decap(kem_output: &[u8], private: &Self::PrivateKey) -> Result<Secret, CryptoError> {
                let kem_output = kem_output.try_into().map_err(|_| CryptoError::Rejected)?;
                Ok(Secret::copy_from(&$module::decapsulate(private, &kem_output)))
            }
        }
    )+};
}

ml_kems! {
    /// ML-KEM-512.
    MlKem512 = mlkem512, MlKem512PrivateKey, MlKem512PublicKey, 0x0040;
    /// ML-KEM-768.
    MlKem768 = mlkem768, MlKem768PrivateKey, MlKem768PublicKey, 0x0041;
    /// ML-KEM-1024.
    MlKem1024 = mlkem1024, MlKem1024PrivateKey, MlKem1024PublicKey, 0x0042;
}
