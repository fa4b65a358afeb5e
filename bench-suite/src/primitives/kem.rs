//! KEMs: keygen, encaps and decaps. `keygen` and `encaps` draw their own randomness; `decaps` has its
//! key expanded.

use std::hint::black_box;

use crypto_api::{
    CryptoError,
    primitives::Kem,
    seed_kem::{FromSeed, SeedKem},
};
use crypto_aws_lc::kem as with_aws_lc;
use crypto_dryoc::kem as dryoc;
use crypto_libcrux::kem as libcrux;
use crypto_rustcrypto::{SystemRandom, kem as rustcrypto};

use super::{
    Contender, HIDDEN, NO_KEM, Operations, Row, absent,
    aws_lc::{ML_KEM_512, ML_KEM_768, ML_KEM_1024, kem as aws_lc},
    into_rows,
};

/// A shared secret and what leads to it.
pub(super) type Encapsulated = (Vec<u8>, Vec<u8>);

/// To a public key.
pub(super) type Encap = Box<dyn Fn(&[u8]) -> Option<Encapsulated>>;
/// From what it was encapsulated in.
pub(super) type Decap = Box<dyn Fn(&[u8]) -> Option<Vec<u8>>>;

/// A library with a key pair of its own.
pub(super) struct Receiver {
    pub(super) library: &'static str,
    pub(super) public: Vec<u8>,
    pub(super) encap: Encap,
    pub(super) decap: Decap,
    pub(super) operations: Operations,
}

pub(super) fn add(rows: &mut Vec<Row>) -> Result<(), String> {
    let none = ["fiat", "graviola", "libcrux", "dryoc"].map(|library| (library, NO_KEM));
    let ml_kem_768 = [("fiat", NO_KEM), ("graviola", HIDDEN)];
    let receivers = vec![
        aws_lc(&ML_KEM_512)?,
        receiver::<rustcrypto::MlKem512>("rustcrypto")?,
        receiver::<libcrux::MlKem512>("libcrux")?,
        #[cfg(feature = "oqs")]
        receiver::<crypto_oqs::kem::MlKem512>("oqs")?,
    ];
    finish(rows, "ml-kem-512", receivers, &none)?;
    let receivers = vec![
        aws_lc(&ML_KEM_768)?,
        receiver::<rustcrypto::MlKem768>("rustcrypto")?,
        receiver::<libcrux::MlKem768>("libcrux")?,
        receiver::<dryoc::MlKem768>("dryoc")?,
        #[cfg(feature = "oqs")]
        receiver::<crypto_oqs::kem::MlKem768>("oqs")?,
        #[cfg(feature = "sodium")]
        receiver::<crypto_sodium::kem::MlKem768>("sodium")?,
    ];
    finish(rows, "ml-kem-768", receivers, &ml_kem_768)?;
    let receivers = vec![
        aws_lc(&ML_KEM_1024)?,
        receiver::<rustcrypto::MlKem1024>("rustcrypto")?,
        receiver::<libcrux::MlKem1024>("libcrux")?,
        #[cfg(feature = "oqs")]
        receiver::<crypto_oqs::kem::MlKem1024>("oqs")?,
    ];
    finish(rows, "ml-kem-1024", receivers, &none)?;
    let receivers = vec![
        receiver::<with_aws_lc::XWing>("aws-lc")?,
        receiver::<rustcrypto::XWing>("rustcrypto")?,
        receiver::<libcrux::XWing>("libcrux")?,
        receiver::<dryoc::XWing>("dryoc")?,
        #[cfg(feature = "oqs")]
        receiver::<crypto_oqs::kem::XWing>("oqs")?,
        #[cfg(feature = "sodium")]
        receiver::<crypto_sodium::kem::XWing>("sodium")?,
    ];
    finish(rows, "x-wing", receivers, &none)?;
    let receivers = vec![
        receiver::<with_aws_lc::MlKem768P256>("aws-lc")?,
        receiver::<rustcrypto::MlKem768P256>("rustcrypto")?,
        #[cfg(feature = "oqs")]
        receiver::<crypto_oqs::kem::MlKem768P256>("oqs")?,
    ];
    finish(rows, "mlkem768-p256", receivers, &none)?;
    let receivers = vec![
        receiver::<with_aws_lc::MlKem1024P384>("aws-lc")?,
        receiver::<rustcrypto::MlKem1024P384>("rustcrypto")?,
        #[cfg(feature = "oqs")]
        receiver::<crypto_oqs::kem::MlKem1024P384>("oqs")?,
    ];
    finish(rows, "mlkem1024-p384", receivers, &none)
}

fn receiver<K: FromSeed>(library: &'static str) -> Result<Receiver, String> {
    make::<K>(library).map_err(|why| format!("{library}: {why}"))
}

fn make<K: FromSeed>(library: &'static str) -> Result<Receiver, CryptoError> {
    let seed = vec![7; K::NSK];
    let (key, public) = K::key_pair(&seed)?;
    let (again, _) = K::key_pair(&seed)?;
    let (_, kem_output) = K::encap(&public, &SystemRandom)?;
    let to = public.clone();
    let operations: Operations = vec![
        (
            "keygen".into(),
            None,
            Box::new(|| {
                let _ = black_box(<SeedKem<K> as Kem>::generate_key_pair(&SystemRandom));
            }),
        ),
        (
            "keygen/from-seed".into(),
            None,
            Box::new(move || {
                let _ = black_box(K::key_pair(black_box(&seed)));
            }),
        ),
        (
            "encaps".into(),
            None,
            Box::new(move || {
                let _ = black_box(K::encap(black_box(&to), &SystemRandom));
            }),
        ),
        (
            "decaps".into(),
            None,
            Box::new(move || {
                let _ = black_box(K::decap(black_box(&kem_output), &key));
            }),
        ),
    ];
    Ok(Receiver {
        library,
        public,
        encap: Box::new(|public| {
            let (shared, kem_output) = K::encap(public, &SystemRandom).ok()?;
            Some((shared.as_slice().to_vec(), kem_output))
        }),
        decap: Box::new(move |kem_output| {
            K::decap(kem_output, &again).ok().map(|shared| shared.as_slice().to_vec())
        }),
        operations,
    })
}

/// Has every library open what every other makes for it, and puts them into rows.
fn finish(
    rows: &mut Vec<Row>,
    algorithm: &str,
    receivers: Vec<Receiver>,
    reasons: &[(&'static str, &'static str)],
) -> Result<(), String> {
    for one in &receivers {
        for other in &receivers {
            let both = format!("{algorithm}: {} and {}", one.library, other.library);
            let (shared, kem_output) =
                (one.encap)(&other.public).ok_or_else(|| format!("{both} don't encapsulate"))?;
            if (other.decap)(&kem_output).as_ref() != Some(&shared) {
                return Err(format!("{both} disagree on a secret"));
            }
        }
    }
    let contenders: Vec<_> = receivers
        .into_iter()
        .map(|receiver| Contender { library: receiver.library, operations: receiver.operations })
        .collect();
    let absent = absent(&contenders, reasons)?;
    into_rows(rows, algorithm, contenders, &absent);
    Ok(())
}
