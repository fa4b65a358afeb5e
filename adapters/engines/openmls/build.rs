//! Takes the versions of OpenMLS and of what works for it from the lockfile: first the list of
//! `openmls/rustcrypto`, then what stores to SQLite if that is built, then the list of
//! `openmls/libcrux`. `src/describe.rs` splits them.

fn main() {
    let rustcrypto = [
        "openmls",
        "openmls_basic_credential",
        "openmls_memory_storage",
        "openmls_rust_crypto",
        "hpke-rs",
        "hpke-rs-rust-crypto",
        "x25519-dalek",
        "ed25519-dalek",
        "aes-gcm",
        "sha2",
    ];
    let sqlite: &[&str] = match std::env::var_os("CARGO_FEATURE_SQLITE") {
        Some(_) => &["mdk-sqlite-storage", "rusqlite", "libsqlite3-sys"],
        None => &[],
    };
    let libcrux = [
        "openmls",
        "openmls_basic_credential",
        "openmls_memory_storage",
        "openmls_libcrux_crypto",
        "hpke-rs",
        "hpke-rs-libcrux",
        "libcrux-ecdh",
        "libcrux-ed25519",
        "ed25519-dalek",
        "libcrux-aead",
        "libcrux-sha2",
    ];
    engine_lockfile::emit(&[&rustcrypto, sqlite, &libcrux].concat());
}
