//! SHA-2, HMAC with its key absorbed and from the key, and HKDF.

use std::hint::black_box;

use crypto_api::{hkdf, primitives::Hash};
use crypto_aws_lc::hash as aws_lc;
use crypto_dryoc::hash as dryoc;
use crypto_graviola::hash as graviola;
use crypto_libcrux::hash as libcrux;
use crypto_rustcrypto::hash as rustcrypto;

use super::{
    Contender, NO_HASH, OTHER_LIBRARY, Operation, Operations, Row, absent, blocks::OnBlocks,
    into_rows,
};

const SIZES: [usize; 4] = [64, 1 << 10, 16 << 10, 256 << 10];
/// As long as what MLS puts into `Expand`.
const INFO: [u8; 24] = [7; 24];

/// What a library makes of the inputs.
struct Hasher {
    library: &'static str,
    results: Vec<Vec<u8>>,
    operations: Operations,
}

pub(super) fn add(rows: &mut Vec<Row>) -> Result<(), String> {
    let reasons = [
        ("fiat", OTHER_LIBRARY),
        ("dryoc", NO_HASH),
        ("graviola", "doesn't run on this processor"),
    ];
    let mut hashers = vec![
        hasher::<aws_lc::Sha256>("aws-lc")?,
        hasher::<rustcrypto::Sha256>("rustcrypto")?,
        hasher::<libcrux::Sha256>("libcrux")?,
        hasher::<dryoc::Sha256>("dryoc")?,
        #[cfg(feature = "sodium")]
        hasher::<crypto_sodium::hash::Sha256>("sodium")?,
    ];
    if super::graviola() {
        hashers.push(hasher::<graviola::Sha256>("graviola")?);
    }
    let mut blocks = hasher::<OnBlocks>("sha2-blocks")?;
    blocks.operations.retain(|(name, ..)| !name.starts_with("hash/"));
    hashers.push(blocks);
    finish(rows, "sha-256", hashers, &reasons)?;
    let mut hashers = vec![
        hasher::<aws_lc::Sha384>("aws-lc")?,
        hasher::<rustcrypto::Sha384>("rustcrypto")?,
        hasher::<libcrux::Sha384>("libcrux")?,
    ];
    if super::graviola() {
        hashers.push(hasher::<graviola::Sha384>("graviola")?);
    }
    finish(rows, "sha-384", hashers, &reasons)?;
    let mut hashers = vec![
        hasher::<aws_lc::Sha512>("aws-lc")?,
        hasher::<rustcrypto::Sha512>("rustcrypto")?,
        hasher::<libcrux::Sha512>("libcrux")?,
        hasher::<dryoc::Sha512>("dryoc")?,
        #[cfg(feature = "sodium")]
        hasher::<crypto_sodium::hash::Sha512>("sodium")?,
    ];
    if super::graviola() {
        hashers.push(hasher::<graviola::Sha512>("graviola")?);
    }
    finish(rows, "sha-512", hashers, &reasons)
}

fn hasher<H: Hash>(library: &'static str) -> Result<Hasher, String> {
    let failed = |_| format!("{library} doesn't expand");
    let key = vec![3; H::LENGTH];
    let mut hasher = Hasher { library, results: Vec::new(), operations: Vec::new() };
    for size in SIZES {
        let text: Vec<u8> = (0..size).map(|at| at as u8).collect();
        let mut out = vec![0; H::LENGTH];
        H::hash(&[&text], &mut out);
        hasher.results.push(out.clone());
        let operation: Operation = Box::new(move || {
            H::hash(&[black_box(&text)], &mut out);
            black_box(&out);
        });
        hasher.operations.push((format!("hash/{size}"), Some(size), operation));
    }
    let mut out = vec![0; H::LENGTH];
    H::mac(&H::mac_key(&key), &[&INFO], &mut out);
    hasher.results.push(out.clone());
    hasher.results.push(hkdf::extract::<H>(&key, &[&INFO]).as_slice().to_vec());
    let mut expanded = [0; 32];
    hkdf::expand::<H>(&key, &[&INFO], &mut expanded).map_err(failed)?;
    hasher.results.push(expanded.to_vec());
    hasher.operations.extend(keyed::<H>(key));
    Ok(hasher)
}

/// The operations with a key.
fn keyed<H: Hash>(key: Vec<u8>) -> [(String, Option<usize>, Operation); 4] {
    let absorbed = H::mac_key(&key);
    let (for_mac, for_extract, for_expand) = (key.clone(), key.clone(), key);
    let (mut one, mut two) = (vec![0; H::LENGTH], vec![0; H::LENGTH]);
    let mut expanded = [0; 32];
    let kept: Operation = Box::new(move || {
        H::mac(&absorbed, &[black_box(&INFO)], &mut one);
        black_box(&one);
    });
    let whole: Operation = Box::new(move || {
        H::mac(&H::mac_key(black_box(&for_mac)), &[&INFO], &mut two);
        black_box(&two);
    });
    let extract: Operation = Box::new(move || {
        black_box(hkdf::extract::<H>(black_box(&for_extract), &[&INFO]));
    });
    let expand: Operation = Box::new(move || {
        let _ = black_box(hkdf::expand::<H>(black_box(&for_expand), &[&INFO], &mut expanded));
        black_box(&expanded);
    });
    [
        ("hmac/key-absorbed/24".into(), None, kept),
        ("hmac/from-key/24".into(), None, whole),
        ("hkdf/extract/24".into(), None, extract),
        ("hkdf/expand/32".into(), None, expand),
    ]
}

fn finish(
    rows: &mut Vec<Row>,
    algorithm: &str,
    hashers: Vec<Hasher>,
    reasons: &[(&'static str, &'static str)],
) -> Result<(), String> {
    for pair in hashers.windows(2) {
        if pair[0].results != pair[1].results {
            let [one, other] = [pair[0].library, pair[1].library];
            return Err(format!("{algorithm}: {one} and {other} compute different hashes"));
        }
    }
    let contenders: Vec<_> = hashers
        .into_iter()
        .map(|hasher| Contender { library: hasher.library, operations: hasher.operations })
        .collect();
    let absent = absent(&contenders, reasons)?;
    into_rows(rows, algorithm, contenders, &absent);
    Ok(())
}
