//! Takes the exact versions from the lockfile. `src/lib.rs` relies on the order.

fn main() {
    engine_lockfile::emit(&["boring", "boring-sys"]);
}
