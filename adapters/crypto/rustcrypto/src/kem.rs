//! ML-KEM (FIPS 203) and the hybrids with it, by `ml-kem`, `sha3` and `shake`.

use crypto_api::{
    CryptoError, Secret,
    hybrid::{Hybrid, MlKem768P256 as WithP256, MlKem768X25519, MlKem1024P384 as WithP384},
    seed_kem::FromSeed,
};
use ml_kem::{Decapsulate, KeyExport};
use shake::{ExtendableOutput, Shake256, Update, XofReader};

use crate::{
    dh::{P256, P384, X25519},
    hash::Sha3,
};

/// X-Wing.
pub type XWing = Hybrid<MlKem768X25519, MlKem768, X25519, Sha3>;
/// MLKEM768-P256.
pub type MlKem768P256 = Hybrid<WithP256, MlKem768, P256, Sha3>;
/// MLKEM1024-P384.
pub type MlKem1024P384 = Hybrid<WithP384, MlKem1024, P384, Sha3>;

macro_rules! ml_kems {
    ($($(#[$doc:meta])* $name:ident = $module:ident, $kem_id:literal;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl $name {
            /// FIPS 203 section 7.2: encapsulation is defined for checked keys only.
            fn checked(
                public: &[u8],
            ) -> Result<ml_kem::$module::EncapsulationKey, CryptoError> {
                let public = public.try_into().map_err(|_| CryptoError::Rejected)?;
                ml_kem::$module::EncapsulationKey::new(public).map_err(|_| CryptoError::Rejected)
            }
        }

        impl FromSeed for $name {
            const KEM_ID: u16 = $kem_id;
            const NSK: usize = 64;
            const RANDOMNESS: usize = 32;
            type PrivateKey = ml_kem::$module::DecapsulationKey;

            fn shake256(input: &[u8], out: &mut [u8]) {
                let mut state = Shake256::default();
                state.update(input);
                state.finalize_xof().read(out);
            }

            fn key_pair(seed: &[u8]) -> Result<(Self::PrivateKey, Vec<u8>), CryptoError> {
                let seed = ml_kem::Seed::try_from(seed).map_err(|_| CryptoError::Rejected)?;
                let private = ml_kem::$module::DecapsulationKey::from_seed(seed);
                let public = private.encapsulation_key().to_bytes().to_vec();
                Ok((private, public))
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
                let (kem_output, shared) = public.encapsulate_deterministic(randomness);
                Ok((Secret::copy_from(&shared), kem_output.to_vec()))
            }

            fn decap(kem_output: &[u8], private: &Self::PrivateKey) -> Result<Secret, CryptoError> {
                let kem_output = kem_output.try_into().map_err(|_| CryptoError::Rejected)?;
                Ok(Secret::copy_from(&private.decapsulate(kem_output)))
            }
        }
    )+};
}

ml_kems! {
    /// ML-KEM-512.
    MlKem512 = ml_kem_512, 0x0040;
    /// ML-KEM-768.
    MlKem768 = ml_kem_768, 0x0041;
    /// ML-KEM-1024.
    MlKem1024 = ml_kem_1024, 0x0042;
}
