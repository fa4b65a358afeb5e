//! The sum of a handshake's public-key operations beside the whole.

use bench_results::tables::{self, Figure};
use tls_api::{Part, Prepared, TlsError};

/// How often each part is timed, for its median.
const ROUNDS: usize = 9;

/// About how long each of those is, in nanoseconds.
const TURN_NS: f64 = 300_000.0;

/// ML-DSA signs by trying until it fits: so many are the least to be averaged.
const AT_LEAST: f64 = 20.0;

/// What the sum doesn't hold.
pub(super) const NOT_IN_IT: &str = "In `its primitives` are, each the median of the same operation \
    through the same library, the client's key share, both halves of the key exchange, the signature \
    and two verifications. Not in it, and hence in `the rest`: the key schedule (HKDF), the \
    transcript's hash, AES-GCM on the records, making and reading messages, parsing the certificate \
    and finding its path, the hash of the certificate, and memory; \
    in OpenSSL, and for curves in BoringSSL, also reading the peer's key share.";

/// The parts of a cell, in nanoseconds for all that a handshake does of each.
///
/// # Errors
///
/// As [`Prepared::time_part`].
pub(super) fn parts(prepared: &mut dyn Prepared) -> Result<Vec<Figure>, TlsError> {
    let mut figures = Vec::new();
    let mut sum = 0.0;
    for part in Part::ALL {
        let once = prepared.time_part(part, 3)?.max(1.0);
        let count = (TURN_NS / once).clamp(AT_LEAST, 1e6) as u32;
        let times = (0..ROUNDS).map(|_| prepared.time_part(part, count));
        let times = times.collect::<Result<Vec<_>, _>>()?;
        let (median, ..) = tables::statistics::interval(&times);
        let whole = median * f64::from(part.times());
        let name = match part.times() {
            1 => part.name().into(),
            times => format!("{times} x {}", part.name()),
        };
        figures.push(nanoseconds(name, whole));
        sum += whole;
    }
    figures.push(nanoseconds("its primitives".into(), sum));
    Ok(figures)
}

/// What of the whole is not in the sum that ends these.
pub(super) fn rest(whole_ns: f64, parts: &[Figure]) -> Option<Figure> {
    parts.last().map(|sum| nanoseconds("the rest".into(), whole_ns - sum.value))
}

fn nanoseconds(name: String, value: f64) -> Figure {
    Figure { name, value: (value * 100.0).round() / 100.0, unit: "ns".into() }
}
