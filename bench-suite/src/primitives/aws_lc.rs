//! AWS-LC's own ML-KEM: the backend's makes key pairs of seeds with another library, since AWS-LC takes
//! neither seeds nor randomness from outside.

use std::hint::black_box;

use aws_lc_rs::kem::{Algorithm, AlgorithmId, Ciphertext, DecapsulationKey, EncapsulationKey};

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
