//! Takes the exact versions from the lockfile. `src/lib.rs` relies on the order.

fn main() {
    engine_lockfile::emit(&["rustls", "aws-lc-rs", "aws-lc-sys"]);
}
