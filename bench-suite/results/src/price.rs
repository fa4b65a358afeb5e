//! The primitives of a row alone, at the price that this run found for the row's own backend.
//!
//! How often each is needed stands in the row's floor; the floor's own prices are those of the fastest
//! backend, which may be another one on one suite than on the other.

use crate::format::{Engine, FloorTerm, Primitive, Row, Run};
use crate::migration::suites::{BASELINE, named};

/// A row's floor at the prices of the engine's own backend, in nanoseconds.
///
/// # Errors
/// Why there is none.
pub fn own_floor(run: &Run, row: &Row, engine: &Engine) -> Result<f64, String> {
    if engine.crypto.contains(" + ") || engine.crypto.contains(", signing with ") {
        return Err(format!("{} stands on several libraries", engine.name));
    }
    let backend = priced_as(&engine.crypto, &engine.cipher_suite);
    let Some(floor) = &row.floor else {
        return Err(format!("{} has no floor: its primitives were not priced", engine.name));
    };
    let price = |term: &FloorTerm| {
        let mut prices = run.primitives.iter();
        let price = prices.find(|p| p.name == term.primitive && p.backend == backend);
        let price = price.ok_or_else(|| format!("this run has no prices of {backend}"))?;
        Ok(each(price, term.bytes) * real(term.count))
    };
    let prices: Result<Vec<f64>, String> = floor.terms.iter().map(price).collect();
    Ok(prices?.iter().sum())
}

/// The backend's name beside a price: of a suite other than 0x0001 with the suite behind it.
///
/// An engine's crypto is that name, and maybe more of who else computes.
#[must_use]
pub fn priced_as(crypto: &str, cipher_suite: &str) -> String {
    let name = crypto.split([',', ';', ' ']).next().unwrap_or(crypto);
    match named(cipher_suite) {
        Some(suite) if suite.number == BASELINE => name.into(),
        _ => format!("{name}, {cipher_suite}"),
    }
}

fn each(price: &Primitive, bytes: u64) -> f64 {
    price.median_ns + price.per_byte_ns * real(bytes.saturating_sub(price.bytes))
}

#[expect(clippy::cast_precision_loss, reason = "counts and sizes of one operation")]
fn real(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engines_library_is_the_first_that_it_names() {
        for crypto in ["aws-lc", "aws-lc; events: libsecp256k1", "aws-lc, signing with dalek"] {
            assert_eq!(priced_as(crypto, "0x0001"), "aws-lc");
        }
        assert_eq!(priced_as("libcrux", "0x004D"), "libcrux, 0x004D");
    }
}
