//! rustls on ring.
#![forbid(unsafe_code)]

use rustls::crypto::{CryptoProvider, ring};
use tls_rustls::Rustls;

engine_api::locked_packages!();

/// The stack.
#[must_use]
pub fn stack() -> Rustls {
    let provider =
        CryptoProvider { kx_groups: ring::ALL_KX_GROUPS.to_vec(), ..ring::default_provider() };
    Rustls::new("rustls/ring", PACKAGES, provider)
}
