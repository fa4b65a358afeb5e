//! Writes the package's version, as locked, for `describe()`.

fn main() {
    engine_lockfile::emit(&["adapter-null"]);
}
