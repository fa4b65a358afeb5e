//! Takes the versions of burrow and of what computes for it from the lockfile: first the list of
//! `burrow/aws-lc`, then that of `burrow/rustcrypto`. `src/describe.rs` splits them.

fn main() {
    engine_lockfile::emit(&[
        "burrow",
        "crypto-api",
        "crypto-aws-lc",
        "aws-lc-rs",
        "aws-lc-sys",
        //
        "burrow",
        "crypto-api",
        "crypto-rustcrypto",
        "ed25519-dalek",
        "x25519-dalek",
        "curve25519-dalek",
        "aes-gcm",
        "sha2",
    ]);
}
