//! What an engine said of itself when it was measured.

use serde::{Deserialize, Serialize};

/// An engine in a run: its description, word for word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// Its name in the rows.
    pub name: String,
    /// For the second entry of an A/A pair, the name of the first.
    pub again: Option<String>,
    /// The packages that do the work.
    pub packages: Vec<Package>,
    /// Features that those packages were built with, as `package/feature`.
    pub features: Vec<String>,
    /// Which bytes it speaks.
    pub wire_profile: String,
    /// The suite that was benched.
    pub cipher_suite: String,
    /// The library that computes. Engines with the same word here, on the same suite, are a
    /// same-crypto pair.
    pub crypto: String,
    /// Where state goes.
    pub storage: String,
    /// `core`, `memory` or `sqlite`.
    pub layer: String,
    /// `1` or `all`.
    pub threads: String,
    /// What each operation includes beyond the baseline.
    pub spans: Spans,
    /// What it can't do, as `capability: reason`.
    pub missing: Vec<String>,
    /// What a reader of a table must know.
    pub notes: Vec<String>,
    /// Where it is known not to keep the contract.
    pub deviations: Vec<Deviation>,
}

/// A package and its version out of the lockfile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// What each operation includes beyond the baseline, in words; sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spans {
    /// Of `create_group`.
    pub create_group: Vec<String>,
    /// Of `join_welcome`.
    pub join_welcome: Vec<String>,
    /// Of `send`.
    pub send: Vec<String>,
    /// Of `ingest_app`.
    pub ingest_app: Vec<String>,
    /// Of `commit`.
    pub commit: Vec<String>,
    /// Of `ingest_commit`.
    pub ingest_commit: Vec<String>,
}

impl Spans {
    /// Of the operation with this name; nothing for an unknown one.
    #[must_use]
    pub fn of(&self, operation: &str) -> &[String] {
        match operation {
            "create_group" => &self.create_group,
            "join_welcome" => &self.join_welcome,
            "send" => &self.send,
            "ingest_app" => &self.ingest_app,
            "commit" => &self.commit,
            "ingest_commit" => &self.ingest_commit,
            _ => &[],
        }
    }
}

/// A check that the engine is known to fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// The scenario.
    pub scenario: String,
    /// The check in it.
    pub check: String,
    /// What the engine does instead.
    pub why: String,
}
