//! Crypto libraries head to head, below any engine: the same operation on the same input, through
//! [`crypto_api::primitives`].
//!
//! Before a row can be timed, its libraries have agreed on it: byte for byte where the result is
//! determined, otherwise each has opened or verified what every other made ([`rows`] fails if not).
//! A library that doesn't have an algorithm is in the row with the reason.
//!
//! The two shapes of a key are rows of their own. `sign/from-seed` and `verify/from-bytes` include what
//! is done once for a key, `sign/expanded` and `verify/parsed` don't.

mod aead;
mod agreement;
mod aws_lc;
mod blocks;
pub mod command;
mod crossover;
mod fn_dsa;
pub mod hardware;
mod hash;
pub mod heap;
mod hpke;
mod kem;
mod nacl;
pub mod objects;
mod signature;
mod slh_dsa;
mod unregistered;

use crate::side_by_side::{Absent, Entry, Repeated, Row};

/// The libraries, in the order of the rows.
///
/// What has a single algorithm is in that algorithm's rows only: `fn-dsa` and `sha2-blocks`.
pub const LIBRARIES: [&str; 8] =
    ["aws-lc", "rustcrypto", "fiat", "graviola", "libcrux", "dryoc", "oqs", "sodium"];

/// Something to be timed. It ends with its result in a black box.
type Operation = Box<dyn FnMut()>;

/// All rows.
///
/// # Errors
///
/// Who disagrees with whom on what.
pub fn rows() -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    signature::add(&mut rows)?;
    agreement::add(&mut rows)?;
    kem::add(&mut rows)?;
    unregistered::add(&mut rows)?;
    hpke::add(&mut rows)?;
    aead::add(&mut rows)?;
    nacl::add(&mut rows)?;
    hash::add(&mut rows)?;
    Ok(rows)
}

/// Operations by name, with the length of the message where there is one.
type Operations = Vec<(String, Option<usize>, Operation)>;

/// What a family of algorithms puts into rows: for each library, its operations, in one order.
struct Contender {
    library: &'static str,
    operations: Operations,
}

/// Turns the contenders' lists into rows.
fn into_rows(rows: &mut Vec<Row>, algorithm: &str, contenders: Vec<Contender>, absent: &[Absent]) {
    let first = rows.len();
    let libraries: Vec<_> = contenders.iter().map(|contender| contender.library).collect();
    for contender in contenders {
        for (name, bytes, operation) in contender.operations {
            let name = format!("{algorithm}/{name}");
            let entry = Entry {
                name: contender.library.into(),
                work: Box::new(Repeated(operation)),
                figures: Vec::new(),
            };
            if let Some(row) = rows.iter_mut().find(|row| row.name == name) {
                row.entries.push(entry);
                continue;
            }
            let (at_least, absent) = (at_least(&name), absent.to_vec());
            let headline = is_headline(&name, bytes);
            rows.push(Row {
                name,
                bytes,
                at_least,
                headline,
                equal: false,
                entries: vec![entry],
                absent,
            });
        }
    }
    for row in &mut rows[first..] {
        for &library in &libraries {
            if row.entries.iter().all(|entry| entry.name != library) {
                row.absent.push(missing(library, NO_OPERATION));
            }
        }
    }
}

/// Rows with nobody in them, which say who is missing and why.
fn nobody(
    rows: &mut Vec<Row>,
    algorithm: &str,
    operations: &[&str],
    reasons: &[(&'static str, &'static str)],
) -> Result<(), String> {
    for operation in operations {
        rows.push(Row {
            name: format!("{algorithm}/{operation}"),
            bytes: None,
            at_least: 1,
            headline: false,
            equal: false,
            entries: Vec::new(),
            absent: absent(&[], reasons)?,
        });
    }
    Ok(())
}

fn missing(library: &str, reason: &str) -> Absent {
    Absent { name: library.into(), reason: reason.into() }
}

/// Of a ladder of sizes one step, and of the shapes of a key the one that is ready.
fn is_headline(name: &str, bytes: Option<usize>) -> bool {
    let other = ["/256", "/from-seed/64", "/from-bytes/64", "/from-key/24"];
    bytes.is_none_or(|bytes| bytes == 1024) && !other.iter().any(|end| name.ends_with(end))
}

/// ML-DSA signs by trying until it fits, four times or so.
fn at_least(name: &str) -> u32 {
    if name.starts_with("ml-dsa") && name.contains("/sign/") { 50 } else { 1 }
}

/// The libraries that are in none of the contenders, with what `reasons` says of them.
fn absent(
    contenders: &[Contender],
    reasons: &[(&'static str, &'static str)],
) -> Result<Vec<Absent>, String> {
    let mut absent = Vec::new();
    for library in LIBRARIES {
        if contenders.iter().any(|contender| contender.library == library) {
            continue;
        }
        let reason = on_request(library)
            .or_else(|| Some(reasons.iter().find(|(name, _)| *name == library)?.1))
            .ok_or_else(|| format!("no reason why {library} is missing"))?;
        absent.push(missing(library, reason));
    }
    Ok(absent)
}

/// Why one of the libraries that are compiled on request is missing.
fn on_request(library: &str) -> Option<&'static str> {
    let compiled = match library {
        "oqs" => cfg!(feature = "oqs"),
        "sodium" => cfg!(feature = "sodium"),
        _ => return None,
    };
    Some(if compiled { NOT_THERE } else { NOT_COMPILED })
}

const NOT_THERE: &str = "the library doesn't have it";
const NOT_COMPILED: &str = "compiled on request: the feature of that name";

const NO_OPERATION: &str = "the library does it in no such way";
const OTHER_LIBRARY: &str = "the same code as rustcrypto's";
const NO_CURVE: &str = "the library doesn't have the curve";
const NO_CIPHER: &str = "the library doesn't have the cipher";
const NO_HASH: &str = "the library doesn't have the hash";
const NO_KEM: &str = "the library doesn't have the KEM";
const NO_SCHEME: &str = "the library doesn't have the scheme";
const NO_NONCE: &str = "signs only with a nonce that the caller chooses";
const HIDDEN: &str = "its seeds and fixed randomness are outside its documented interface";

fn graviola() -> bool {
    crypto_graviola::is_supported()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// What older benches had, by its name here: `docs/crypto-libraries.md` says which bench had what.
    const OLDER: [&str; 7] = [
        "x25519/base x25519/derive ed25519/sign/expanded/256 ed25519/verify/from-bytes/256",
        "ed25519/sign/expanded/64 ed25519/sign/from-seed/64 ed25519/verify/from-bytes/64 \
         box/beforenm blake2b-kdf/subkey/32 argon2id/64-mib/2-passes",
        "xsalsa20-poly1305/seal/64 xsalsa20-poly1305/seal/1024 xsalsa20-poly1305/seal/16384 \
         xsalsa20-poly1305/seal/262144 xsalsa20-poly1305/open/64 xsalsa20-poly1305/open/1024 \
         xsalsa20-poly1305/open/16384 xsalsa20-poly1305/open/262144",
        "ml-kem-512/encaps ml-kem-768/encaps ml-kem-1024/encaps x-wing/encaps mlkem768-p256/encaps",
        "classic-mceliece-348864/decaps classic-mceliece-460896/decaps \
         classic-mceliece-460896f/decaps classic-mceliece-6688128/decaps \
         classic-mceliece-6960119/decaps classic-mceliece-8192128/decaps frodokem-640-aes/keygen \
         frodokem-640-shake/keygen frodokem-976-aes/keygen frodokem-976-shake/keygen \
         frodokem-1344-aes/keygen frodokem-1344-shake/keygen",
        "ml-dsa-44/sign/expanded/64 ml-dsa-65/sign/expanded/64 ml-dsa-87/sign/expanded/64 \
         falcon-512/keygen falcon-1024/verify/parsed/64",
        "slh-dsa-sha2-128s/sign/expanded/64 slh-dsa-sha2-128f/sign/expanded/64 \
         slh-dsa-sha2-192f/keygen slh-dsa-sha2-256f/verify/from-bytes/256 \
         sphincs-sha2-128s/sign/expanded/64 sphincs-sha2-256f/keygen ecdh-p256/derive",
    ];

    /// Each library is in each row, with an operation or with a reason; and the libraries agree, or
    /// there would be no rows.
    #[test]
    fn every_row_accounts_for_every_library() {
        let rows = rows().unwrap();
        for row in &rows {
            for library in LIBRARIES {
                let entries = row.entries.iter().filter(|entry| entry.name == library).count();
                let absent = row.absent.iter().filter(|absent| absent.name == library).count();
                assert_eq!(entries + absent, 1, "{}: {library}", row.name);
            }
        }
        for name in OLDER.iter().flat_map(|names| names.split_whitespace()) {
            assert!(rows.iter().any(|row| row.name == name), "no row {name}");
        }
    }
}
