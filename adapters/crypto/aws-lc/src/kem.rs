//! ML-KEM (FIPS 203) and the hybrids with it, by AWS-LC.
//!
//! `aws-lc-rs` takes neither a seed for a key pair nor randomness for encapsulating, and has no SHAKE.
//! So libcrux makes key pairs of their seeds and computes SHAKE256, AWS-LC gets the expanded private
//! key and does the rest, and what it encapsulates doesn't follow from [`Random`].

use aws_lc_rs::kem::{
    Ciphertext, DecapsulationKey, EncapsulationKey, ML_KEM_512, ML_KEM_768, ML_KEM_1024,
};
use crypto_api::{
    CryptoError, Random, Secret,
    hybrid::{Hybrid, MlKem768P256 as WithP256, MlKem768X25519, MlKem1024P384 as WithP384},
    seed_kem::FromSeed,
};
use libcrux_ml_kem::{mlkem512, mlkem768, mlkem1024};
use zeroize::Zeroizing;

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
    ($($(#[$doc:meta])*
        $name:ident = $algorithm:ident, $module:ident, $public:ident, $nsk:literal, $kem_id:literal;
    )+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl FromSeed for $name {
            const KEM_ID: u16 = $kem_id;
            const NSK: usize = libcrux_ml_kem::KEY_GENERATION_SEED_SIZE;
            const RANDOMNESS: usize = libcrux_ml_kem::SHARED_SECRET_SIZE;
            type PrivateKey = DecapsulationKey;

            fn shake256(input: &[u8], out: &mut [u8]) {
                libcrux_sha3::shake256_ema(out, input);
            }

            fn key_pair(seed: &[u8]) -> Result<(DecapsulationKey, Vec<u8>), CryptoError> {
                let seed = seed.try_into().map_err(|_| CryptoError::Rejected)?;
                let (private, public) = $module::generate_key_pair(seed).into_parts();
                let private = Zeroizing::new(<[u8; $nsk]>::from(private));
                let private = DecapsulationKey::new(&$algorithm, &*private)
                    .map_err(|_| CryptoError::Internal)?;
                Ok((private, public.as_slice().to_vec()))
            }

            fn check_public_key(public: &[u8]) -> Result<(), CryptoError> {
                let public: $module::$public =
                    public.try_into().map_err(|_| CryptoError::Rejected)?;
                // AWS-LC checks a key when it encapsulates to it.
                if $module::validate_public_key(&public) {
                    Ok(())
                } else {
                    Err(CryptoError::Rejected)
                }
            }

            fn encap_with(_: &[u8], _: &[u8]) -> Result<(Secret, Vec<u8>), CryptoError> {
                Err(CryptoError::Unsupported)
            }

            fn encap(public: &[u8], _: &dyn Random) -> Result<(Secret, Vec<u8>), CryptoError> {
                let public = EncapsulationKey::new(&$algorithm, public)
                    .map_err(|_| CryptoError::Rejected)?;
                let (kem_output, shared) =
                    public.encapsulate().map_err(|_| CryptoError::Rejected)?;
                Ok((Secret::copy_from(shared.as_ref()), kem_output.as_ref().to_vec()))
            }

            fn decap(kem_output: &[u8], private: &DecapsulationKey) -> Result<Secret, CryptoError> {
                let shared = private
                    .decapsulate(Ciphertext::from(kem_output))
                    .map_err(|_| CryptoError::Rejected)?;
                Ok(Secret::copy_from(shared.as_ref()))
            }
        }
    )+};
}

ml_kems! {
    /// ML-KEM-512.
    MlKem512 = ML_KEM_512, mlkem512, MlKem512PublicKey, 1632, 0x0040;
    /// ML-KEM-768.
    MlKem768 = ML_KEM_768, mlkem768, MlKem768PublicKey, 2400, 0x0041;
    /// ML-KEM-1024.
    MlKem1024 = ML_KEM_1024, mlkem1024, MlKem1024PublicKey, 3168, 0x0042;
}
