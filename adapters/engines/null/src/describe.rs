//! What the tables say of `null`.

use engine_api::{Capabilities, Description, Layer, Spans, Support, Threads, WireProfile, Work};

engine_api::locked_packages!();

pub(crate) const DESCRIPTION: Description = Description {
    name: "null",
    packages: PACKAGES,
    wire_profile: WireProfile::Other("null"),
    cipher_suites: &[],
    crypto: "none",
    layer: Layer::Core,
    storage: "none",
    threads: Threads::One,
    spans: Spans::uniform(&[Work::NoCryptography]),
    capabilities: Capabilities {
        fork: Support::Yes,
        snapshot: Support::Yes,
        rename: Support::Yes,
        any_member_commits: Support::Yes,
    },
    notes: &[
        "Not an engine to compare with: it shows what the harness itself costs.",
        "Messages end in a checksum against accidents; nothing is secret and nobody is \
         authenticated.",
    ],
    deviations: &[],
};
