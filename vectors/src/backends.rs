//! The crypto backends that vectors are run on.

use std::sync::Arc;

use crypto_api::CryptoBackend;
use crypto_aws_lc::AwsLc;
use crypto_rustcrypto::RustCrypto;

/// Every backend there is.
#[must_use]
pub fn backends() -> [Arc<dyn CryptoBackend>; 2] {
    [Arc::new(RustCrypto::new()), Arc::new(AwsLc::new())]
}
