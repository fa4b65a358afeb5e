//! Takes the versions of burrow and of what works for it from the lockfile: first the list of
//! `burrow/aws-lc`, then that of `burrow/rustcrypto`, each followed by what stores to SQLite if that is
//! built, then those of `burrow/lanes` and `burrow/fiat`, then what the post-quantum suites take on
//! AWS-LC, on RustCrypto and on libcrux. `src/describe.rs` splits them.

fn main() {
    let aws_lc = ["burrow", "crypto-api", "crypto-aws-lc", "aws-lc-rs", "aws-lc-sys"];
    let rustcrypto = [
        "burrow",
        "crypto-api",
        "crypto-rustcrypto",
        "ed25519-dalek",
        "x25519-dalek",
        "curve25519-dalek",
        "aes-gcm",
        "sha2",
    ];
    let sqlite: &[&str] = match std::env::var_os("CARGO_FEATURE_SQLITE") {
        Some(_) => &["rusqlite", "libsqlite3-sys"],
        None => &[],
    };
    let lanes = [
        "burrow",
        "crypto-api",
        "crypto-lanes",
        "curve25519x8",
        "ed25519-dalek",
        "curve25519-dalek",
        "sha2",
        "aws-lc-rs",
        "aws-lc-sys",
    ];
    let fiat = ["burrow", "crypto-api", "crypto-fiat", "fiat-crypto", "aes-gcm", "sha2"];
    let pq_aws_lc = [&aws_lc[..], &["libcrux-ml-kem", "libcrux-sha3"]].concat();
    let pq_rustcrypto = [&rustcrypto[..], &["p256", "p384", "ml-kem", "ml-dsa", "sha3"]].concat();
    let libcrux = [
        "burrow",
        "crypto-api",
        "crypto-libcrux",
        "libcrux-curve25519",
        "libcrux-ed25519",
        "libcrux-aesgcm",
        "libcrux-chacha20poly1305",
        "libcrux-sha2",
        "libcrux-ml-kem",
        "libcrux-ml-dsa",
        "libcrux-sha3",
    ];
    let post_quantum = [&pq_aws_lc[..], &pq_rustcrypto, &libcrux].concat();
    let all = [&aws_lc[..], sqlite, &rustcrypto, sqlite, &lanes, &fiat, &post_quantum].concat();
    engine_lockfile::emit(&all);
}
