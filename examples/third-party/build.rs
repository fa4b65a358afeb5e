//! Takes the exact versions of the engine and of its primitives from the lockfile.

fn main() {
    engine_lockfile::emit(&[
        "third-party-engine",
        "x25519-dalek",
        "ed25519-dalek",
        "chacha20poly1305",
        "hkdf",
        "sha2",
    ]);
}
