//! Takes the versions of burrow and of what works for it from the lockfile: first the list of
//! `burrow/aws-lc`, then that of `burrow/rustcrypto`, each followed by what stores to SQLite if that is
//! built, then those of `burrow/lanes` and `burrow/fiat`. `src/describe.rs` splits them.

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
    engine_lockfile::emit(&[&aws_lc[..], sqlite, &rustcrypto, sqlite, &lanes, &fiat].concat());
}
