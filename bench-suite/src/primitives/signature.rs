//! Signatures: keygen, sign and verify.

use std::hint::black_box;

use crypto_api::primitives::SignatureScheme;
use crypto_aws_lc::signature as aws_lc;
use crypto_dryoc::signature as dryoc;
use crypto_fiat::signature as fiat;
use crypto_graviola::signature as graviola;
use crypto_libcrux::signature as libcrux;
use crypto_rustcrypto::{SystemRandom, signature as rustcrypto};

use super::{
    Contender, NO_CURVE, NO_NONCE, NO_SCHEME, Operations, Row, absent, fn_dsa, into_rows, nobody,
    slh_dsa,
};

/// The messages' lengths.
const MESSAGES: [usize; 2] = [64, 256];

/// What is done with them.
const OPERATIONS: [&str; 9] = [
    "keygen",
    "sign/from-seed/64",
    "sign/expanded/64",
    "verify/from-bytes/64",
    "verify/parsed/64",
    "sign/from-seed/256",
    "sign/expanded/256",
    "verify/from-bytes/256",
    "verify/parsed/256",
];

/// Whether two libraries' signatures of one message by one key are the same.
#[derive(Clone, Copy, PartialEq)]
enum Signing {
    Deterministic,
    Randomised,
    /// Nor are the keys that are made of the private key.
    OwnKeys,
}

/// The signature of a message.
type Sign = Box<dyn Fn(&[u8]) -> Option<Vec<u8>>>;
/// Whether this key, this message and this signature belong together.
type Verify = Box<dyn Fn(&[u8], &[u8], &[u8]) -> bool>;

/// A library with one private key, the same for all.
struct Signer {
    library: &'static str,
    public: Vec<u8>,
    signing: Signing,
    sign: Sign,
    verify: Verify,
    operations: Operations,
}

pub(super) fn add(rows: &mut Vec<Row>) -> Result<(), String> {
    use Signing::{Deterministic, Randomised};
    let classic = [("fiat", NO_CURVE), ("libcrux", NO_NONCE), ("dryoc", NO_CURVE)];
    let elsewhere = [("graviola", NO_CURVE), ("libcrux", NO_CURVE), ("aws-lc", NO_CURVE)];
    let cpu = [("graviola", "doesn't run on this processor")];
    let reasons = |some: &[(&'static str, &'static str)]| [&classic, some].concat();

    let seed = [7; 32];
    let mut signers = vec![
        #[cfg(feature = "sodium")]
        signer::<crypto_sodium::signature::Ed25519>("sodium", &seed, Deterministic)?,
        signer::<aws_lc::Ed25519>("aws-lc", &seed, Deterministic)?,
        signer::<rustcrypto::Ed25519>("rustcrypto", &seed, Deterministic)?,
        signer::<fiat::Ed25519>("fiat", &seed, Deterministic)?,
        signer::<libcrux::Ed25519>("libcrux", &seed, Deterministic)?,
        signer::<dryoc::Ed25519>("dryoc", &seed, Deterministic)?,
    ];
    if super::graviola() {
        signers.push(signer::<graviola::Ed25519>("graviola", &seed, Deterministic)?);
    }
    finish(rows, "ed25519", signers, &cpu)?;

    let mut signers = vec![
        signer::<aws_lc::EcdsaP256>("aws-lc", &seed, Randomised)?,
        signer::<rustcrypto::EcdsaP256>("rustcrypto", &seed, Deterministic)?,
    ];
    if super::graviola() {
        signers.push(signer::<graviola::EcdsaP256>("graviola", &seed, Randomised)?);
    }
    finish(rows, "ecdsa-p256", signers, &reasons(&cpu))?;
    let mut signers = vec![
        signer::<aws_lc::EcdsaP384>("aws-lc", &[7; 48], Randomised)?,
        signer::<rustcrypto::EcdsaP384>("rustcrypto", &[7; 48], Deterministic)?,
    ];
    if super::graviola() {
        signers.push(signer::<graviola::EcdsaP384>("graviola", &[7; 48], Randomised)?);
    }
    finish(rows, "ecdsa-p384", signers, &reasons(&cpu))?;
    let mut scalar = [7; 66];
    scalar[0] = 0;
    let signers = vec![
        signer::<aws_lc::EcdsaP521>("aws-lc", &scalar, Randomised)?,
        signer::<rustcrypto::EcdsaP521>("rustcrypto", &scalar, Deterministic)?,
    ];
    finish(rows, "ecdsa-p521", signers, &reasons(&elsewhere))?;
    let signers = vec![signer::<rustcrypto::Ed448>("rustcrypto", &[7; 57], Deterministic)?];
    finish(rows, "ed448", signers, &[&elsewhere[..], &classic].concat())?;

    post_quantum(rows)
}

/// ML-DSA, SLH-DSA, SPHINCS+ and Falcon.
fn post_quantum(rows: &mut Vec<Row>) -> Result<(), String> {
    use Signing::{Deterministic, OwnKeys, Randomised};
    let seed = [7; 96];
    let none = ["aws-lc", "rustcrypto", "fiat", "graviola", "libcrux", "dryoc"]
        .map(|library| (library, NO_SCHEME));
    macro_rules! ml_dsas {
        ($($name:literal = $scheme:ident;)+) => {$(
            let signers = vec![
                signer::<aws_lc::$scheme>("aws-lc", &seed[..32], Randomised)?,
                signer::<rustcrypto::$scheme>("rustcrypto", &seed[..32], Deterministic)?,
                signer::<libcrux::$scheme>("libcrux", &seed[..32], Deterministic)?,
                #[cfg(feature = "oqs")]
                signer::<crypto_oqs::signature::$scheme>("oqs", &seed[..32], Deterministic)?,
            ];
            finish(rows, $name, signers, &none)?;
        )+};
    }
    ml_dsas! {
        "ml-dsa-44" = MlDsa44;
        "ml-dsa-65" = MlDsa65;
        "ml-dsa-87" = MlDsa87;
    }
    macro_rules! slh_dsas {
        ($($name:literal = $scheme:ident, $length:literal;)+) => {$(
            let signers = vec![signer::<slh_dsa::$scheme>("rustcrypto", &seed[..$length], Deterministic)?];
            finish(rows, $name, signers, &none)?;
        )+};
    }
    slh_dsas! {
        "slh-dsa-sha2-128s" = SlhDsaSha2128s, 48;
        "slh-dsa-sha2-128f" = SlhDsaSha2128f, 48;
        "slh-dsa-sha2-192f" = SlhDsaSha2192f, 72;
        "slh-dsa-sha2-256f" = SlhDsaSha2256f, 96;
    }
    // What FIPS 205 was made from: the same keys, and the same work for other leaves.
    macro_rules! sphincs {
        ($($name:literal = $scheme:ident, $length:literal;)+) => {$(
            let signers = vec![
                #[cfg(feature = "oqs")]
                signer::<crypto_oqs::signature::$scheme>("oqs", &seed[..$length], Deterministic)?,
            ];
            finish(rows, $name, signers, &none)?;
        )+};
    }
    sphincs! {
        "sphincs-sha2-128s" = SphincsSha2128s, 48;
        "sphincs-sha2-128f" = SphincsSha2128f, 48;
        "sphincs-sha2-192f" = SphincsSha2192f, 72;
        "sphincs-sha2-256f" = SphincsSha2256f, 96;
    }
    macro_rules! falcons {
        ($($name:literal = $scheme:ident;)+) => {$(
            let signers = vec![
                signer::<fn_dsa::$scheme>("fn-dsa", &seed[..48], OwnKeys)?,
                #[cfg(feature = "oqs")]
                signer::<crypto_oqs::signature::$scheme>("oqs", &seed[..48], OwnKeys)?,
            ];
            finish(rows, $name, signers, &none)?;
        )+};
    }
    falcons! {
        "falcon-512" = Falcon512;
        "falcon-1024" = Falcon1024;
    }
    Ok(())
}

fn signer<S: SignatureScheme>(
    library: &'static str,
    private: &[u8],
    signing: Signing,
) -> Result<Signer, String> {
    let failed = |_| format!("{library} refuses a private key");
    let (key, public) = S::signing_key(private).map_err(failed)?;
    Ok(Signer {
        library,
        operations: operations::<S>(private, &public).map_err(failed)?,
        public,
        signing,
        sign: Box::new(move |message| S::sign(&key, message).ok()),
        verify: Box::new(|public, message, signature| {
            S::verifying_key(public).is_ok_and(|key| S::verify(&key, message, signature).is_ok())
        }),
    })
}

fn operations<S: SignatureScheme>(
    private: &[u8],
    public: &[u8],
) -> Result<Operations, crypto_api::CryptoError> {
    let mut operations: Operations = vec![(
        "keygen".into(),
        None,
        Box::new(|| {
            let private = S::generate(&SystemRandom);
            let _ = black_box(private.and_then(|private| S::signing_key(private.as_slice())));
        }),
    )];
    for length in MESSAGES {
        let message = vec![0x5a; length];
        let (seed, mut text) = (private.to_vec(), message.clone());
        operations.push((
            format!("sign/from-seed/{length}"),
            None,
            Box::new(move || {
                change(&mut text);
                let key = S::signing_key(black_box(&seed));
                let _ = black_box(key.and_then(|(key, _)| S::sign(&key, &text)));
            }),
        ));
        let (key, mut text) = (S::signing_key(private)?.0, message.clone());
        let signature = S::sign(&key, &message)?;
        operations.push((
            format!("sign/expanded/{length}"),
            None,
            Box::new(move || {
                change(&mut text);
                let _ = black_box(S::sign(black_box(&key), &text));
            }),
        ));
        let (bytes, text, good) = (public.to_vec(), message.clone(), signature.clone());
        operations.push((
            format!("verify/from-bytes/{length}"),
            None,
            Box::new(move || {
                let key = S::verifying_key(black_box(&bytes));
                let _ = black_box(key.and_then(|key| S::verify(&key, &text, &good)));
            }),
        ));
        let key = S::verifying_key(public)?;
        operations.push((
            format!("verify/parsed/{length}"),
            None,
            Box::new(move || {
                let _ = black_box(S::verify(black_box(&key), &message, &signature));
            }),
        ));
    }
    Ok(operations)
}

/// Makes another message of it: how long some schemes take depends on it.
fn change(message: &mut [u8]) {
    for byte in message.iter_mut().take(8) {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            break;
        }
    }
}

/// Has every library verify every other's signatures, and puts them into rows.
fn finish(
    rows: &mut Vec<Row>,
    algorithm: &str,
    signers: Vec<Signer>,
    reasons: &[(&'static str, &'static str)],
) -> Result<(), String> {
    for length in MESSAGES {
        agree(&signers, &vec![0x5a; length]).map_err(|why| format!("{algorithm}: {why}"))?;
    }
    if signers.is_empty() {
        return nobody(rows, algorithm, &OPERATIONS, reasons);
    }
    let contenders: Vec<_> = signers
        .into_iter()
        .map(|signer| Contender { library: signer.library, operations: signer.operations })
        .collect();
    let absent = absent(&contenders, reasons)?;
    into_rows(rows, algorithm, contenders, &absent);
    Ok(())
}

/// Whether they do on this message: each verifies what each signed, and refuses it for another message.
fn agree(signers: &[Signer], message: &[u8]) -> Result<(), String> {
    let signed = |signer: &Signer| (signer.sign)(message).ok_or_else(|| signer.library.to_owned());
    let signatures: Result<Vec<_>, _> = signers.iter().map(signed).collect();
    let signatures = signatures.map_err(|library| format!("{library} doesn't sign"))?;
    for (one, signature) in signers.iter().zip(&signatures) {
        for (other, also) in signers.iter().zip(&signatures) {
            let both = format!("{} and {}", one.library, other.library);
            let kinds = [one.signing, other.signing];
            if one.public != other.public && !kinds.contains(&Signing::OwnKeys) {
                return Err(format!("{both} derive different public keys"));
            }
            if !(other.verify)(&one.public, message, signature) {
                return Err(format!("{both} disagree on a good signature"));
            }
            if (other.verify)(&one.public, &message[1..], signature) {
                return Err(format!("{both} disagree on a bad signature"));
            }
            if kinds == [Signing::Deterministic; 2] && signature != also {
                return Err(format!("{both} sign differently"));
            }
        }
    }
    Ok(())
}
