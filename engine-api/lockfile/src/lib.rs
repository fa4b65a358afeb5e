//! For an adapter's build script: takes the exact versions of the engine's packages from the
//! `Cargo.lock` that the build uses, so that nobody types them.
//!
//! ```no_run
//! // in the `main` of build.rs
//! engine_lockfile::emit(&["openmls", "openmls_rust_crypto"]);
//! ```
//!
//! `engine_api::locked_packages!()` in the adapter then defines `PACKAGES`.
#![forbid(unsafe_code)]

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::{env, fmt::Write as _, fs};

use serde::Deserialize;

/// Writes `$OUT_DIR/locked_packages.rs` with the named packages, in the order given.
///
/// Where the lockfile holds several versions of a package, the one nearest to the calling crate
/// in the dependency graph is taken.
///
/// # Panics
/// Outside a build script, and where no lockfile or no such package is found: a build without
/// exact versions is not to succeed.
#[expect(clippy::panic, reason = "a build script fails by panicking")]
pub fn emit(packages: &[&str]) {
    let own = variable("CARGO_PKG_NAME");
    let (path, lock) = find_lockfile(&own);
    println!("cargo:rerun-if-changed={}", path.display());
    let mut source = String::from(
        "/// The engine's packages, from the lockfile.\n\
         const PACKAGES: &[::engine_api::Package] = &[\n",
    );
    for name in packages {
        let Some(version) = lock.nearest(&own, name) else {
            panic!("{own} doesn't depend on {name} in {}", path.display());
        };
        let _ = writeln!(
            source,
            "    ::engine_api::Package {{ name: {name:?}, version: {version:?} }},"
        );
    }
    source.push_str("];\n");
    let target = Path::new(&variable("OUT_DIR")).join("locked_packages.rs");
    if let Err(why) = fs::write(&target, source) {
        panic!("{}: {why}", target.display());
    }
}

/// The lockfile of the build: the one that `CGKA_LOCKFILE` names, or the nearest one that lists
/// the calling crate, searched upwards from the build's output folder (the workspace that is being
/// built), then from the crate's own. A build whose target folder lies outside its workspace, of an
/// adapter that has a lockfile of its own, must say which: the adapter's is not what is built.
#[expect(clippy::panic, reason = "a build script fails by panicking")]
fn find_lockfile(own: &str) -> (PathBuf, Lockfile) {
    println!("cargo:rerun-if-env-changed=CGKA_LOCKFILE");
    let starts = [variable("OUT_DIR"), variable("CARGO_MANIFEST_DIR")];
    let folders = starts.iter().flat_map(|start| Path::new(start).ancestors());
    let found = folders.map(|folder| folder.join("Cargo.lock"));
    let named = env::var_os("CGKA_LOCKFILE").map(PathBuf::from);
    for path in named.into_iter().chain(found) {
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        match Lockfile::parse(&text) {
            Ok(lock) if lock.lists(own) => return (path, lock),
            Ok(_) => {}
            Err(why) => panic!("{}: {why}", path.display()),
        }
    }
    panic!("no Cargo.lock that lists {own}, above the output folder or the crate");
}

#[expect(clippy::panic, reason = "a build script fails by panicking")]
fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|why| panic!("{name}: {why}"))
}

#[derive(Deserialize)]
struct Lockfile {
    #[serde(default)]
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    #[serde(default)]
    dependencies: Vec<String>,
}

impl Lockfile {
    fn parse(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }

    fn lists(&self, name: &str) -> bool {
        self.package.iter().any(|locked| locked.name == name)
    }

    /// Breadth first over the dependency graph, from `root` to the first package called `name`.
    fn nearest(&self, root: &str, name: &str) -> Option<&str> {
        let mut seen = BTreeMap::new();
        let mut queue: VecDeque<&Locked> = self.package.iter().filter(|p| p.name == root).collect();
        while let Some(package) = queue.pop_front() {
            if package.name == name {
                return Some(&package.version);
            }
            if seen.insert((&package.name, &package.version), ()).is_none() {
                queue.extend(package.dependencies.iter().filter_map(|d| self.resolve(d)));
            }
        }
        None
    }

    /// A dependency line is `name`, `name version` or `name version (source)`.
    fn resolve(&self, dependency: &str) -> Option<&Locked> {
        let mut words = dependency.split(' ');
        let name = words.next()?;
        let version = words.next();
        let matches = |p: &&Locked| p.name == name && version.is_none_or(|v| p.version == v);
        self.package.iter().find(matches)
    }
}

#[cfg(test)]
mod tests {
    use super::Lockfile;

    const LOCK: &str = r#"
        version = 4
        [[package]]
        name = "adapter"
        version = "0.1.0"
        dependencies = ["engine", "dalek 3.0.0"]
        [[package]]
        name = "dalek"
        version = "2.2.0"
        [[package]]
        name = "dalek"
        version = "3.0.0"
        [[package]]
        name = "engine"
        version = "1.2.3"
        dependencies = ["dalek 2.2.0"]
        [[package]]
        name = "stranger"
        version = "9.9.9"
    "#;

    #[test]
    fn takes_the_version_nearest_to_the_adapter() -> Result<(), toml::de::Error> {
        let lock = Lockfile::parse(LOCK)?;
        assert_eq!(lock.nearest("adapter", "dalek"), Some("3.0.0"));
        assert_eq!(lock.nearest("engine", "dalek"), Some("2.2.0"));
        assert_eq!(lock.nearest("adapter", "engine"), Some("1.2.3"));
        assert_eq!(lock.nearest("adapter", "stranger"), None);
        Ok(())
    }
}
