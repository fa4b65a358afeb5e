//! What the two configurations are.

use crypto_api::CryptoBackend;
use crypto_aws_lc::AwsLc;
use crypto_rustcrypto::RustCrypto;
use engine_api::{
    Capabilities, CipherSuite, Description, Package, Spans, Support, Threads, WireProfile,
};

engine_api::locked_packages!();

/// A crypto library under burrow: all in which the two engines differ.
pub(crate) trait Backend: CryptoBackend + Default {
    /// The configuration's name.
    const NAME: &'static str;
    /// The library that computes.
    const CRYPTO: &'static str;
    /// The packages that do the work.
    const PACKAGES: &'static [Package];
    /// What the library offers, the benched one first.
    const CIPHER_SUITES: &'static [CipherSuite];
    /// What a reader of a table must know.
    const NOTES: &'static [&'static str];
}

/// Where the second list of `build.rs` begins.
const SPLIT: usize = 5;

impl Backend for AwsLc {
    const NAME: &'static str = "burrow/aws-lc";
    const CRYPTO: &'static str = "aws-lc";
    const PACKAGES: &'static [Package] = PACKAGES.split_at(SPLIT).0;
    const CIPHER_SUITES: &'static [CipherSuite] =
        &[CipherSuite(1), CipherSuite(2), CipherSuite(3), CipherSuite(5), CipherSuite(7)];
    const NOTES: &'static [&'static str] = &[
        PROFILE,
        PAST,
        WRITES,
        "AWS-LC tests its entropy source at the first use in a process, before anything is timed.",
    ];
}

impl Backend for RustCrypto {
    const NAME: &'static str = "burrow/rustcrypto";
    const CRYPTO: &'static str = "rustcrypto";
    const PACKAGES: &'static [Package] = PACKAGES.split_at(SPLIT).1;
    const CIPHER_SUITES: &'static [CipherSuite] = &[
        CipherSuite(1),
        CipherSuite(2),
        CipherSuite(3),
        CipherSuite(4),
        CipherSuite(5),
        CipherSuite(6),
        CipherSuite(7),
    ];
    const NOTES: &'static [&'static str] = &[PROFILE, PAST, WRITES];
}

const PROFILE: &str = "Commits are private messages and always carry an update path, nothing is \
                       padded: burrow's defaults.";
const PAST: &str = "Messages of the last 5 epochs are read, up to 100 generations out of order and \
                    1000 ahead.";
const WRITES: &str = "State is not written: burrow leaves that to the application, and offers for \
                      each message a record of 17 bytes instead of the whole group.";

pub(crate) fn describe<B: Backend>() -> Description {
    Description {
        name: B::NAME,
        packages: B::PACKAGES,
        wire_profile: WireProfile::Mls,
        cipher_suites: B::CIPHER_SUITES,
        crypto: B::CRYPTO,
        storage: "none (state in memory; Group::write is not called)",
        threads: Threads::One,
        spans: Spans::uniform(&[]),
        capabilities: Capabilities {
            fork: Support::Yes,
            snapshot: Support::Yes,
            rename: Support::No("burrow has no group name of its own"),
            any_member_commits: Support::Yes,
        },
        notes: B::NOTES,
        deviations: &[],
    }
}
