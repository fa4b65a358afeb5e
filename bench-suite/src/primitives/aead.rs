//! AEADs over a ladder of sizes, the key's setup included: MLS uses a key once. `open` includes the copy
//! of the ciphertext that it works on.

use std::hint::black_box;

use crypto_api::primitives::Aead;
use crypto_aws_lc::aead as aws_lc;
use crypto_dryoc::aead as dryoc;
use crypto_graviola::aead as graviola;
use crypto_libcrux::aead as libcrux;
use crypto_rustcrypto::aead as rustcrypto;

use super::{Contender, NO_CIPHER, OTHER_LIBRARY, Operation, Operations, Row, absent, into_rows};

/// Half as much again and twice as much in turn, where libraries overtake each other; then doubling.
pub(super) const SIZES: [usize; 21] = [
    64,
    96,
    128,
    192,
    256,
    384,
    512,
    768,
    1 << 10,
    3 << 9,
    2 << 10,
    3 << 10,
    4 << 10,
    6 << 10,
    8 << 10,
    12 << 10,
    16 << 10,
    32 << 10,
    64 << 10,
    128 << 10,
    256 << 10,
];
const AAD: &[u8] = b"additional data";

/// What a library makes of the message of each size.
struct Cipher {
    library: &'static str,
    sealed: Vec<Vec<u8>>,
    operations: Operations,
}

pub(super) fn add(rows: &mut Vec<Row>) -> Result<(), String> {
    let reasons = [
        ("fiat", OTHER_LIBRARY),
        ("dryoc", NO_CIPHER),
        ("graviola", "doesn't run on this processor"),
    ];
    let mut ciphers = vec![
        cipher::<aws_lc::Aes128Gcm>("aws-lc")?,
        cipher::<rustcrypto::Aes128Gcm>("rustcrypto")?,
        cipher::<libcrux::Aes128Gcm>("libcrux")?,
    ];
    if super::graviola() {
        ciphers.push(cipher::<graviola::Aes128Gcm>("graviola")?);
    }
    finish(rows, "aes-128-gcm", ciphers, &reasons)?;
    let mut ciphers = vec![
        cipher::<aws_lc::Aes256Gcm>("aws-lc")?,
        cipher::<rustcrypto::Aes256Gcm>("rustcrypto")?,
        cipher::<libcrux::Aes256Gcm>("libcrux")?,
    ];
    if super::graviola() {
        ciphers.push(cipher::<graviola::Aes256Gcm>("graviola")?);
    }
    #[cfg(feature = "sodium")]
    if crypto_sodium::has_aes256gcm() {
        ciphers.push(cipher::<crypto_sodium::aead::Aes256Gcm>("sodium")?);
    }
    finish(rows, "aes-256-gcm", ciphers, &reasons)?;
    let mut ciphers = vec![
        cipher::<aws_lc::ChaCha20Poly1305>("aws-lc")?,
        cipher::<rustcrypto::ChaCha20Poly1305>("rustcrypto")?,
        cipher::<libcrux::ChaCha20Poly1305>("libcrux")?,
        cipher::<dryoc::ChaCha20Poly1305>("dryoc")?,
        #[cfg(feature = "sodium")]
        cipher::<crypto_sodium::aead::ChaCha20Poly1305>("sodium")?,
    ];
    if super::graviola() {
        ciphers.push(cipher::<graviola::ChaCha20Poly1305>("graviola")?);
    }
    finish(rows, "chacha20-poly1305", ciphers, &reasons)
}

fn cipher<A: Aead>(library: &'static str) -> Result<Cipher, String> {
    let failed = |_| format!("{library} doesn't encrypt");
    let (key, nonce) = (vec![3; A::NK], vec![5; A::NN]);
    let mut cipher = Cipher { library, sealed: Vec::new(), operations: Vec::new() };
    for size in SIZES {
        let text: Vec<u8> = (0..size).map(|at| at as u8).collect();
        let mut sealed = text.clone();
        A::seal(&key, &nonce, AAD, &mut sealed).map_err(failed)?;
        let mut opened = sealed.clone();
        A::open(&key, &nonce, AAD, &mut opened).map_err(failed)?;
        if opened != text {
            return Err(format!("{library} doesn't decrypt what it encrypted"));
        }
        cipher.sealed.push(sealed.clone());
        let mut buffer = Vec::with_capacity(size + A::NT);
        let (for_seal, for_open) = ((key.clone(), nonce.clone()), (key.clone(), nonce.clone()));
        let seal: Operation = Box::new(move || {
            let (key, nonce) = &for_seal;
            buffer.resize(size, 0);
            let _ = black_box(A::seal(key, nonce, AAD, black_box(&mut buffer)));
        });
        let mut buffer = Vec::with_capacity(size + A::NT);
        let open: Operation = Box::new(move || {
            let (key, nonce) = &for_open;
            buffer.clear();
            buffer.extend_from_slice(&sealed);
            let _ = black_box(A::open(key, nonce, AAD, black_box(&mut buffer)));
        });
        cipher.operations.push((format!("seal/{size}"), Some(size), seal));
        cipher.operations.push((format!("open/{size}"), Some(size), open));
    }
    Ok(cipher)
}

fn finish(
    rows: &mut Vec<Row>,
    algorithm: &str,
    ciphers: Vec<Cipher>,
    reasons: &[(&'static str, &'static str)],
) -> Result<(), String> {
    for pair in ciphers.windows(2) {
        if pair[0].sealed != pair[1].sealed {
            let [one, other] = [pair[0].library, pair[1].library];
            return Err(format!("{algorithm}: {one} and {other} encrypt differently"));
        }
    }
    let contenders: Vec<_> = ciphers
        .into_iter()
        .map(|cipher| Contender { library: cipher.library, operations: cipher.operations })
        .collect();
    let absent = absent(&contenders, reasons)?;
    into_rows(rows, algorithm, contenders, &absent);
    Ok(())
}
