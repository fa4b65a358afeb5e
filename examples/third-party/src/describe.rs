//! What is printed beside the numbers.

use engine_api::{
    Capabilities, CipherSuite, Description, Layer, Spans, Support, Threads, WireProfile,
};

engine_api::locked_packages!();

pub(crate) fn describe() -> Description {
    Description {
        name: "flat",
        packages: PACKAGES,
        wire_profile: WireProfile::Other("flat"),
        // The registered suite with these primitives; nothing else of it is used.
        cipher_suites: &[CipherSuite(3)],
        crypto: "dalek, RustCrypto",
        layer: Layer::Core,
        storage: "none",
        threads: Threads::One,
        spans: Spans::default(),
        capabilities: Capabilities {
            fork: Support::Yes,
            snapshot: Support::Yes,
            rename: Support::No("groups have no name"),
            any_member_commits: Support::Yes,
        },
        notes: &[
            "An example, not a proposal: no tree, one wrapped secret per member in every commit.",
            "X25519, HKDF-SHA256, ChaCha20-Poly1305 and Ed25519.",
            "Commits are signed and not encrypted: whoever carries them reads the member list.",
        ],
        deviations: &[],
    }
}
