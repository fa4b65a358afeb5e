//! AWS-LC's ML-KEM and ML-DSA, which its backend doesn't offer to engines.
//!
//! Its ML-KEM takes neither seeds nor randomness from outside, its ML-DSA no randomness: it draws its
//! own for both.

use std::hint::black_box;

use aws_lc_rs::{
    kem::{Algorithm, AlgorithmId, Ciphertext, DecapsulationKey, EncapsulationKey},
    signature::{self, ParsedPublicKey, PqdsaKeyPair, PqdsaSigningAlgorithm},
};
use crypto_api::{CryptoError, Random, Secret, primitives::SignatureScheme};

use super::{Operations, kem::Receiver};

pub(super) use aws_lc_rs::kem::{ML_KEM_512, ML_KEM_768, ML_KEM_1024};

pub(super) fn kem(algorithm: &'static Algorithm<AlgorithmId>) -> Result<Receiver, String> {
    receiver(algorithm).ok_or_else(|| "aws-lc makes no ML-KEM key".into())
}

fn receiver(algorithm: &'static Algorithm<AlgorithmId>) -> Option<Receiver> {
    let key = DecapsulationKey::generate(algorithm).ok()?;
    let public = key.encapsulation_key().ok()?.key_bytes().ok()?.as_ref().to_vec();
    let bytes = key.key_bytes().ok()?;
    let again = DecapsulationKey::new(algorithm, bytes.as_ref()).ok()?;
    let encap = move |public: &[u8]| {
        let public = EncapsulationKey::new(algorithm, public).ok()?;
        let (kem_output, shared) = public.encapsulate().ok()?;
        Some((shared.as_ref().to_vec(), kem_output.as_ref().to_vec()))
    };
    let decap = |key: &DecapsulationKey, kem_output: &[u8]| {
        key.decapsulate(Ciphertext::from(kem_output)).ok().map(|shared| shared.as_ref().to_vec())
    };
    let (_, kem_output) = encap(&public)?;
    let to = public.clone();
    let operations: Operations = vec![
        (
            "keygen".into(),
            None,
            Box::new(move || {
                let key = DecapsulationKey::generate(algorithm);
                let public = key.as_ref().map(DecapsulationKey::encapsulation_key);
                let _ = black_box(public.map(|public| public.and_then(|key| key.key_bytes())));
            }),
        ),
        (
            "encaps".into(),
            None,
            Box::new(move || {
                let _ = black_box(encap(black_box(&to)));
            }),
        ),
        (
            "decaps".into(),
            None,
            Box::new(move || {
                let _ = black_box(decap(&again, black_box(&kem_output)));
            }),
        ),
    ];
    Some(Receiver {
        library: "aws-lc",
        public,
        encap: Box::new(encap),
        decap: Box::new(move |kem_output| decap(&key, kem_output)),
        operations,
    })
}

macro_rules! ml_dsas {
    ($($name:ident = $signing:ident, $verifying:ident, $length:literal;)+) => {$(
        pub(super) struct $name;

        impl SignatureScheme for $name {
            type SigningKey = PqdsaKeyPair;
            type VerifyingKey = ParsedPublicKey;

            fn generate(random: &dyn Random) -> Result<Secret, CryptoError> {
                Secret::try_from_fn(32, |out| random.fill(out))
            }

            fn signing_key(private: &[u8]) -> Result<(PqdsaKeyPair, Vec<u8>), CryptoError> {
                key_pair(&signature::$signing, private)
            }

            fn verifying_key(public: &[u8]) -> Result<ParsedPublicKey, CryptoError> {
                ParsedPublicKey::new(&signature::$verifying, public)
                    .map_err(|_| CryptoError::Rejected)
            }

            fn sign(key: &PqdsaKeyPair, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
                let mut signature = vec![0; $length];
                let length =
                    key.sign(message, &mut signature).map_err(|_| CryptoError::Internal)?;
                signature.truncate(length);
                Ok(signature)
            }

            fn verify(
                key: &ParsedPublicKey,
                message: &[u8],
                signature: &[u8],
            ) -> Result<(), CryptoError> {
                key.verify_sig(message, signature).map_err(|_| CryptoError::Rejected)
            }
        }
    )+};
}

ml_dsas! {
    MlDsa44 = ML_DSA_44_SIGNING, ML_DSA_44, 2420;
    MlDsa65 = ML_DSA_65_SIGNING, ML_DSA_65, 3309;
    MlDsa87 = ML_DSA_87_SIGNING, ML_DSA_87, 4627;
}

fn key_pair(
    algorithm: &'static PqdsaSigningAlgorithm,
    seed: &[u8],
) -> Result<(PqdsaKeyPair, Vec<u8>), CryptoError> {
    use signature::KeyPair;
    let pair = PqdsaKeyPair::from_seed(algorithm, seed).map_err(|_| CryptoError::Rejected)?;
    let public = pair.public_key().as_ref().to_vec();
    Ok((pair, public))
}
