//! Timing the parts of a handshake, for the adapters.

use std::fmt::Display;
use std::hint::black_box;
use std::time::Instant;

use crate::TlsError;

/// What a server signs in `CertificateVerify` has this length: 64 spaces, the context string with the
/// zero behind it, and the transcript's SHA-256 (RFC 8446 section 4.4.3).
pub const SIGNED: usize = 64 + 34 + 32;

/// Nanoseconds for one operation, over so many.
///
/// # Errors
///
/// [`TlsError::Stack`] if one fails.
pub fn timed<T, E: Display>(
    count: u32,
    mut operation: impl FnMut() -> Result<T, E>,
) -> Result<f64, TlsError> {
    let start = Instant::now();
    for _ in 0..count {
        black_box(operation()).map_err(TlsError::stack)?;
    }
    Ok(start.elapsed().as_nanos() as f64 / f64::from(count.max(1)))
}

/// Changes a message: how long ML-DSA takes depends on it.
pub fn another(message: &mut [u8]) {
    for byte in message.iter_mut().rev() {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            break;
        }
    }
}
