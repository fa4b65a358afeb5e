//! rustls on graviola.
#![forbid(unsafe_code)]

use tls_api::TlsError;
use tls_rustls::Rustls;

engine_api::locked_packages!();

/// The stack.
///
/// # Errors
///
/// [`TlsError::Unsupported`] on a processor that graviola doesn't run on: it would end the process.
pub fn stack() -> Result<Rustls, TlsError> {
    if !crypto_graviola::is_supported() {
        return Err(TlsError::Unsupported("graviola doesn't run on this processor".into()));
    }
    Ok(Rustls::new("rustls/graviola", PACKAGES, rustls_graviola::default_provider()))
}
