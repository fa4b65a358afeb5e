//! Falcon by `fn-dsa`, as it was submitted in the third round, which is what liboqs has. (Its version
//! 0.4 only has a draft of FN-DSA that agrees with no other library.) The private key is a seed, of
//! which each library makes another key.

use std::sync::{Mutex, PoisonError};

use crypto_api::{CryptoError, Random, Secret, primitives::SignatureScheme};
use crypto_rustcrypto::SystemRandom;
use fn_dsa::{
    CryptoRng, DOMAIN_NONE, FN_DSA_LOGN_512, FN_DSA_LOGN_1024, HASH_ID_ORIGINAL_FALCON,
    KeyPairGenerator, KeyPairGeneratorStandard, RngCore, RngError, SHAKE256, SigningKey as _,
    SigningKeyStandard, VerifyingKey as _, VerifyingKeyStandard, sign_key_size, signature_size,
    vrfy_key_size,
};
use zeroize::Zeroizing;

/// A seed, stretched.
struct FromSeed(SHAKE256);

impl FromSeed {
    fn new(seed: &[u8]) -> Self {
        let mut shake = SHAKE256::new();
        shake.inject(seed);
        shake.flip();
        Self(shake)
    }
}

impl CryptoRng for FromSeed {}

impl RngCore for FromSeed {
    fn next_u32(&mut self) -> u32 {
        rand_core_word(self)
    }

    fn next_u64(&mut self) -> u64 {
        u64::from(rand_core_word(self)) << 32 | u64::from(rand_core_word(self))
    }

    fn fill_bytes(&mut self, out: &mut [u8]) {
        self.0.extract(out);
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), RngError> {
        self.fill_bytes(out);
        Ok(())
    }
}

fn rand_core_word(random: &mut FromSeed) -> u32 {
    let mut bytes = [0; 4];
    random.fill_bytes(&mut bytes);
    u32::from_le_bytes(bytes)
}

macro_rules! falcons {
    ($($name:ident = $degree:ident;)+) => {$(
        pub(super) struct $name;

        impl SignatureScheme for $name {
            /// Signing changes it: its buffers are in it.
            type SigningKey = Mutex<SigningKeyStandard>;
            type VerifyingKey = VerifyingKeyStandard;

            fn generate(random: &dyn Random) -> Result<Secret, CryptoError> {
                Secret::try_from_fn(48, |out| random.fill(out))
            }

            fn signing_key(private: &[u8]) -> Result<(Self::SigningKey, Vec<u8>), CryptoError> {
                let mut encoded = Zeroizing::new([0; sign_key_size($degree)]);
                let mut public = vec![0; vrfy_key_size($degree)];
                KeyPairGeneratorStandard::default().keygen(
                    $degree,
                    &mut FromSeed::new(private),
                    &mut *encoded,
                    &mut public,
                );
                let key = SigningKeyStandard::decode(&*encoded).ok_or(CryptoError::Internal)?;
                Ok((Mutex::new(key), public))
            }

            fn verifying_key(public: &[u8]) -> Result<Self::VerifyingKey, CryptoError> {
                VerifyingKeyStandard::decode(public).ok_or(CryptoError::Rejected)
            }

            fn sign(key: &Self::SigningKey, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
                let mut seed = Zeroizing::new([0; 48]);
                SystemRandom.fill(&mut *seed)?;
                let mut signature = vec![0; signature_size($degree)];
                let mut key = key.lock().unwrap_or_else(PoisonError::into_inner);
                key.sign(
                    &mut FromSeed::new(&*seed),
                    &DOMAIN_NONE,
                    &HASH_ID_ORIGINAL_FALCON,
                    message,
                    &mut signature,
                );
                Ok(signature)
            }

            fn verify(
                key: &Self::VerifyingKey,
                message: &[u8],
                signature: &[u8],
            ) -> Result<(), CryptoError> {
                // Its signatures are of one length. A shorter one is the same with zeros behind it.
                let mut padded = [0; signature_size($degree)];
                let start = padded.get_mut(..signature.len()).ok_or(CryptoError::Rejected)?;
                start.copy_from_slice(signature);
                if key.verify(&padded, &DOMAIN_NONE, &HASH_ID_ORIGINAL_FALCON, message) {
                    Ok(())
                } else {
                    Err(CryptoError::Rejected)
                }
            }
        }
    )+};
}

falcons! {
    Falcon512 = FN_DSA_LOGN_512;
    Falcon1024 = FN_DSA_LOGN_1024;
}
