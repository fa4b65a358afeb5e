//! rustls on aws-lc-rs, with all groups that its provider has.
#![forbid(unsafe_code)]

use rustls::crypto::{CryptoProvider, aws_lc_rs};
use tls_rustls::Rustls;

engine_api::locked_packages!();

/// The stack.
#[must_use]
pub fn stack() -> Rustls {
    Rustls::new("rustls/aws-lc", PACKAGES, provider())
}

/// Its provider, with the groups that it has but doesn't offer unless asked.
fn provider() -> CryptoProvider {
    CryptoProvider { kx_groups: aws_lc_rs::ALL_KX_GROUPS.to_vec(), ..aws_lc_rs::default_provider() }
}
