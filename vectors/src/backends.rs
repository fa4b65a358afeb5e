//! The crypto backends that vectors are run on.

use std::sync::Arc;

use crypto_api::{CryptoBackend, PqSuites};
use crypto_aws_lc::AwsLc;
use crypto_libcrux::Libcrux;
use crypto_rustcrypto::RustCrypto;

/// Those that the working group's vectors are run on.
#[must_use]
pub fn backends() -> [Arc<dyn CryptoBackend>; 2] {
    [Arc::new(RustCrypto::new()), Arc::new(AwsLc::new())]
}

/// Those that have post-quantum suites.
#[must_use]
pub fn post_quantum_backends() -> [Arc<dyn CryptoBackend>; 3] {
    let suites = PqSuites::default();
    [
        Arc::new(RustCrypto::with_post_quantum(&suites, Arc::new(crypto_rustcrypto::SystemRandom))),
        Arc::new(AwsLc::with_post_quantum(&suites, Arc::new(crypto_aws_lc::SystemRandom))),
        Arc::new(Libcrux::with_post_quantum(&suites, Arc::new(crypto_libcrux::SystemRandom))),
    ]
}
