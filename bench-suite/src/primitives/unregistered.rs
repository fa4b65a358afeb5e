//! KEMs that HPKE has no number for, by liboqs alone: Classic McEliece, and FrodoKEM with AES and with
//! SHAKE, whose difference is what hardware for AES is worth.

use super::{NO_KEM, Row, absent, into_rows, nobody};

pub(super) fn add(rows: &mut Vec<Row>) -> Result<(), String> {
    for name in NAMES {
        let contenders = contenders(name)?;
        let reasons = super::LIBRARIES.map(|library| (library, NO_KEM));
        if contenders.is_empty() {
            nobody(rows, name, &["keygen", "encaps", "decaps"], &reasons)?;
            continue;
        }
        let absent = absent(&contenders, &reasons)?;
        into_rows(rows, name, contenders, &absent);
    }
    Ok(())
}

const NAMES: [&str; 12] = [
    "classic-mceliece-348864",
    "classic-mceliece-460896",
    "classic-mceliece-460896f",
    "classic-mceliece-6688128",
    "classic-mceliece-6960119",
    "classic-mceliece-8192128",
    "frodokem-640-aes",
    "frodokem-640-shake",
    "frodokem-976-aes",
    "frodokem-976-shake",
    "frodokem-1344-aes",
    "frodokem-1344-shake",
];

#[cfg(not(feature = "oqs"))]
fn contenders(_: &str) -> Result<Vec<super::Contender>, String> {
    Ok(Vec::new())
}

#[cfg(feature = "oqs")]
pub(super) use by_liboqs::kems;

#[cfg(feature = "oqs")]
use by_liboqs::contenders;

#[cfg(feature = "oqs")]
mod by_liboqs {
    use std::{hint::black_box, sync::Arc};

    use crypto_oqs::kem::{Algorithm, Unregistered};

    use crate::primitives::{Contender, Operations};

    /// The KEMs with their names.
    pub(in crate::primitives) fn kems() -> [(&'static str, Algorithm); 12] {
        let algorithms = [
            Algorithm::ClassicMcEliece348864,
            Algorithm::ClassicMcEliece460896,
            Algorithm::ClassicMcEliece460896f,
            Algorithm::ClassicMcEliece6688128,
            Algorithm::ClassicMcEliece6960119,
            Algorithm::ClassicMcEliece8192128,
            Algorithm::FrodoKem640Aes,
            Algorithm::FrodoKem640Shake,
            Algorithm::FrodoKem976Aes,
            Algorithm::FrodoKem976Shake,
            Algorithm::FrodoKem1344Aes,
            Algorithm::FrodoKem1344Shake,
        ];
        std::array::from_fn(|at| (super::NAMES[at], algorithms[at]))
    }

    pub(super) fn contenders(name: &str) -> Result<Vec<Contender>, String> {
        let failed = |why| format!("{name}: oqs: {why}");
        let found = kems().into_iter().find(|(known, _)| *known == name);
        let (_, algorithm) = found.ok_or_else(|| format!("{name} is no KEM of liboqs"))?;
        let kem = Arc::new(Unregistered::new(algorithm).map_err(failed)?);
        let (private, public) = kem.generate_key_pair().map_err(failed)?;
        let (shared, kem_output) = kem.encap(&public).map_err(failed)?;
        if kem.decap(&kem_output, &private).map_err(failed)? != shared {
            return Err(format!("{name}: oqs doesn't open what it made"));
        }
        let [for_keygen, for_encaps] = [&kem, &kem].map(Arc::clone);
        let operations: Operations = vec![
            (
                "keygen".into(),
                None,
                Box::new(move || {
                    let _ = black_box(for_keygen.generate_key_pair());
                }),
            ),
            (
                "encaps".into(),
                None,
                Box::new(move || {
                    let _ = black_box(for_encaps.encap(black_box(&public)));
                }),
            ),
            (
                "decaps".into(),
                None,
                Box::new(move || {
                    let _ = black_box(kem.decap(black_box(&kem_output), &private));
                }),
            ),
        ];
        Ok(vec![Contender { library: "oqs", operations }])
    }
}
