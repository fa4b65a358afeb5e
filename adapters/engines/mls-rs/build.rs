//! Takes the engine's exact versions from the lockfile. `src/describe.rs` relies on the order.

fn main() {
    engine_lockfile::emit(&[
        "mls-rs",
        "mls-rs-core",
        "mls-rs-crypto-hpke",
        "mls-rs-crypto-awslc",
        "aws-lc-rs",
        "aws-lc-sys",
        "mls-rs-crypto-rustcrypto",
        "ed25519-dalek",
        "x25519-dalek",
        "curve25519-dalek",
    ]);
}
