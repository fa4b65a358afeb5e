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
pub mod command;
mod hash;
mod hpke;
mod kem;
mod measure;
mod signature;

pub use measure::{Measured, Plan, Ratio, Timed, measure};

/// The libraries, in the order of the rows.
pub const LIBRARIES: [&str; 6] = ["aws-lc", "rustcrypto", "fiat", "graviola", "libcrux", "dryoc"];

/// One operation, on every library that has it.
pub struct Row {
    /// What is done: the algorithm, then the operation, then the size.
    pub name: String,
    /// How many bytes of message that is, if the row is about throughput.
    pub bytes: Option<usize>,
    /// How many operations are the least to be averaged: more than one where their time is chance.
    pub at_least: u32,
    /// Those that do it.
    pub entries: Vec<Entry>,
    /// Those that don't.
    pub absent: Vec<Absent>,
}

/// One library in a row.
pub struct Entry {
    /// Its name.
    pub library: &'static str,
    /// Does it once.
    pub operation: Operation,
}

/// A library that is not in a row.
#[derive(Clone, Copy, Debug)]
pub struct Absent {
    /// Its name.
    pub library: &'static str,
    /// Why.
    pub reason: &'static str,
}

/// Something to be timed. It ends with its result in a black box.
pub type Operation = Box<dyn FnMut()>;

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
    hpke::add(&mut rows)?;
    aead::add(&mut rows)?;
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
            let entry = Entry { library: contender.library, operation };
            if let Some(row) = rows.iter_mut().find(|row| row.name == name) {
                row.entries.push(entry);
                continue;
            }
            let (at_least, absent) = (at_least(&name), absent.to_vec());
            rows.push(Row { name, bytes, at_least, entries: vec![entry], absent });
        }
    }
    for row in &mut rows[first..] {
        for &library in &libraries {
            if row.entries.iter().all(|entry| entry.library != library) {
                row.absent.push(Absent { library, reason: NO_OPERATION });
            }
        }
    }
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
        let reason = reasons.iter().find(|(name, _)| *name == library);
        let (_, reason) = reason.ok_or_else(|| format!("no reason why {library} is missing"))?;
        absent.push(Absent { library, reason });
    }
    Ok(absent)
}

const NO_OPERATION: &str = "the library does it in no such way";
const OTHER_LIBRARY: &str = "the same code as rustcrypto's";
const NO_CURVE: &str = "the library doesn't have the curve";
const NO_CIPHER: &str = "the library doesn't have the cipher";
const NO_HASH: &str = "the library doesn't have the hash";
const NO_KEM: &str = "the library doesn't have the KEM";
const NO_SCHEME: &str = "the library doesn't have the scheme";
const NO_NONCE: &str = "signs only with a nonce that the caller chooses";
const NOT_BUILT: &str = "in crates of its own, which are not built here";
const HIDDEN: &str = "its seeds and fixed randomness are outside its documented interface";

fn graviola() -> bool {
    crypto_graviola::is_supported()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// Each library is in each row, with an operation or with a reason; and the libraries agree, or
    /// there would be no rows.
    #[test]
    fn every_row_accounts_for_every_library() {
        let rows = rows().unwrap();
        for row in &rows {
            for library in LIBRARIES {
                let entries = row.entries.iter().filter(|entry| entry.library == library).count();
                let absent = row.absent.iter().filter(|absent| absent.library == library).count();
                assert_eq!(entries + absent, 1, "{}: {library}", row.name);
            }
        }
        assert!(rows.len() > 150);
    }
}
