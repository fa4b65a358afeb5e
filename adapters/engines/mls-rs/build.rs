//! Takes the engine's exact versions from the lockfile. `src/describe.rs` relies on the order.

fn main() {
    let mut packages = vec![
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
    ];
    if std::env::var_os("CARGO_FEATURE_SQLITE").is_some() {
        packages.extend(["mls-rs-provider-sqlite", "rusqlite", "libsqlite3-sys"]);
    }
    engine_lockfile::emit(&packages);
}
