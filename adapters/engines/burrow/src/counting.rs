//! burrow over a backend that counts: what `cgka-bench counts` runs, and nothing that is timed.

use crypto_aws_lc::AwsLc;
use crypto_counting::Counting;
use crypto_lanes::Lanes;
use crypto_rustcrypto::RustCrypto;
use engine_api::{CipherSuite, Package, Registration};

use crate::client::Burrow;
use crate::describe::Backend;

impl<B: Backend> Backend for Counting<B> {
    const NAME: &'static str = B::NAME;
    const CRYPTO: &'static str = B::CRYPTO;
    const PACKAGES: &'static [Package] = B::PACKAGES;
    const CIPHER_SUITES: &'static [CipherSuite] = B::CIPHER_SUITES;

    fn notes() -> &'static [&'static str] {
        B::notes()
    }
}

/// Those of [`post_quantum`](crate::post_quantum()).
#[inline(never)]
#[must_use]
pub fn counted_post_quantum() -> Vec<Registration> {
    crate::post_quantum::counted()
}

/// The engines of [`engines`](crate::engines) with their calls counted, each under its twin's name
/// and `/counted`.
#[inline(never)]
#[must_use]
pub fn counted() -> Vec<Registration> {
    vec![
        Registration::of::<Burrow<Counting<AwsLc>>>().renamed("burrow/aws-lc/counted"),
        Registration::of::<Burrow<Counting<Lanes>>>().renamed("burrow/lanes/counted"),
        Registration::of::<Burrow<Counting<RustCrypto>>>().renamed("burrow/rustcrypto/counted"),
    ]
}
