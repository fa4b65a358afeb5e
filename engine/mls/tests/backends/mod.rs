//! The crypto backends that tests run on.

use crypto_api::CryptoBackend;
use crypto_aws_lc::AwsLc;
use crypto_rustcrypto::RustCrypto;

/// The backends, with the suites that each has to have.
pub(crate) fn backends() -> [(Box<dyn CryptoBackend>, &'static [u16]); 2] {
    [
        (Box::new(RustCrypto::new()), &[1, 2, 3, 4, 5, 6, 7]),
        (Box::new(AwsLc::new()), &[1, 2, 3, 5, 7]),
    ]
}
