//! Takes the versions of OpenMLS and of what computes for it from the lockfile: first the list of
//! `openmls/rustcrypto`, then that of `openmls/libcrux`. `src/describe.rs` splits them.

fn main() {
    engine_lockfile::emit(&[
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
        //
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
    ]);
}
