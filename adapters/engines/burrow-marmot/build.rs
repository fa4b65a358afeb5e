//! Takes the versions of burrow and of what works for it from the lockfile: the list of
//! `burrow-marmot/aws-lc`, that of `burrow-marmot/rustcrypto`, then that of `burrow-marmot/lanes`.
//! `src/describe.rs` splits them.

fn main() {
    let marmot = ["burrow-marmot", "burrow", "secp256k1", "serde_json", "crypto-api"];
    let aws_lc = ["crypto-aws-lc", "aws-lc-rs", "aws-lc-sys"];
    let rustcrypto = [
        "crypto-rustcrypto",
        "ed25519-dalek",
        "x25519-dalek",
        "curve25519-dalek",
        "aes-gcm",
        "sha2",
    ];
    let lanes = ["crypto-lanes", "curve25519x8", "curve25519-dalek", "aws-lc-rs", "aws-lc-sys"];
    engine_lockfile::emit(&[&marmot[..], &aws_lc, &marmot, &rustcrypto, &marmot, &lanes].concat());
}
