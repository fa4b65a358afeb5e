//! ML-KEM-768 and X-Wing, by dryoc.

use crypto_api::{CryptoError, Secret, seed_kem::FromSeed};
use dryoc::classic::crypto_kem_mlkem768 as mlkem;
use dryoc::classic::crypto_kem_xwing as xwing;
use dryoc::classic::crypto_xof::crypto_xof_shake256;
use zeroize::Zeroizing;

macro_rules! kems {
    ($($(#[$doc:meta])*
        $name:ident = $module:ident, $kem_id:literal, $nsk:literal, $randomness:literal,
        $length:literal, $seed_keypair:ident, $enc:ident, $dec:ident;
    )+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl FromSeed for $name {
            const KEM_ID: u16 = $kem_id;
            const NSK: usize = $nsk;
            const RANDOMNESS: usize = $randomness;
            type PrivateKey = Zeroizing<$module::SecretKey>;

            fn shake256(input: &[u8], out: &mut [u8]) {
                crypto_xof_shake256(out, input);
            }

            fn key_pair(seed: &[u8]) -> Result<(Self::PrivateKey, Vec<u8>), CryptoError> {
                let seed = seed.try_into().map_err(|_| CryptoError::Rejected)?;
                let (public, private) = $module::$seed_keypair(seed);
                Ok((Zeroizing::new(private), public.to_vec()))
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
                let mut kem_output = [0; $length];
                let mut shared = Zeroizing::new([0; 32]);
                $module::$enc(&mut kem_output, &mut shared, public, randomness)
                    .map_err(|_| CryptoError::Rejected)?;
                Ok((Secret::copy_from(&*shared), kem_output.to_vec()))
            }

            fn decap(kem_output: &[u8], private: &Self::PrivateKey) -> Result<Secret, CryptoError> {
                let kem_output = kem_output.try_into().map_err(|_| CryptoError::Rejected)?;
                let mut shared = Zeroizing::new([0; 32]);
                kems!(@$dec $module, &mut shared, kem_output, private);
                Ok(Secret::copy_from(&*shared))
            }
        }
    )+};
    (@crypto_kem_mlkem768_dec $module:ident, $shared:expr, $kem_output:expr, $private:expr) => {
        $module::crypto_kem_mlkem768_dec($shared, $kem_output, $private)
    };
    (@crypto_kem_xwing_dec $module:ident, $shared:expr, $kem_output:expr, $private:expr) => {
        $module::crypto_kem_xwing_dec($shared, $kem_output, $private)
            .map_err(|_| CryptoError::Rejected)?
    };
}

kems! {
    /// ML-KEM-768.
    MlKem768 = mlkem, 0x0041, 64, 32, 1088, crypto_kem_mlkem768_seed_keypair,
        crypto_kem_mlkem768_enc_deterministic, crypto_kem_mlkem768_dec;
    /// X-Wing.
    XWing = xwing, 0x647a, 32, 64, 1120, crypto_kem_xwing_seed_keypair,
        crypto_kem_xwing_enc_deterministic, crypto_kem_xwing_dec;
}
