//! Takes the exact versions of MDK's packages from the lockfile; `src/describe.rs` relies on the
//! order.

fn main() {
    let mut packages =
        vec!["mdk-core", "mdk-memory-storage", "openmls", "openmls_rust_crypto", "nostr"];
    if std::env::var_os("CARGO_FEATURE_SQLITE").is_some() {
        packages.extend(["mdk-sqlite-storage", "rusqlite", "libsqlite3-sys"]);
    }
    engine_lockfile::emit(&packages);
}
