//! Takes the exact versions of MDK's packages from the lockfile.

fn main() {
    engine_lockfile::emit(&[
        "mdk-core",
        "mdk-memory-storage",
        "openmls",
        "openmls_rust_crypto",
        "nostr",
    ]);
}
