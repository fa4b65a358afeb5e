//! The key packages, as data.

use serde::{Deserialize, Serialize};

/// Key packages that one `create_group` is given, and what has to become of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyPackageCase {
    /// What sets it apart.
    pub name: String,
    /// In words.
    pub what: String,
    /// The number of the pitfall that it is about, if it is about one.
    pub pitfall: Option<u8>,
    /// The section of RFC 9420 that says so.
    pub section: String,
    /// The cipher suite of the group.
    pub cipher_suite: u16,
    /// MLSMessages, in hexadecimal.
    pub key_packages: Vec<String>,
    /// Whether they may be added to a group.
    pub verdict: Verdict,
    /// Why not.
    pub reason: Option<Reason>,
}

/// Whether something is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It has to be accepted.
    Accept,
    /// It has to be refused.
    Reject,
}

/// What is wrong with something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// It doesn't parse.
    Malformed,
    /// A public key is none.
    Key,
    /// A signature doesn't verify.
    Signature,
    /// A rule of the protocol is broken.
    Rule,
    /// A confirmation tag or a membership tag doesn't fit.
    Mac,
    /// A ciphertext doesn't open.
    Decryption,
    /// A pre-shared key isn't there.
    Psk,
    /// A commit refers to a proposal that isn't there: the client hasn't got it, or has refused it.
    UnknownProposal,
    /// A key is further ahead in its ratchet than anybody has to derive keys.
    TooFarAhead,
    /// It is for somebody else, or doesn't have all that it takes.
    Misdirected,
    /// There is nothing to be done about it: it is of another epoch, or was received before.
    Ignored,
}

/// The cases in the repository.
///
/// # Errors
/// If the data in the repository isn't what it should be.
pub fn key_packages() -> serde_json::Result<Vec<KeyPackageCase>> {
    serde_json::from_str(include_str!("../../data/key-packages.json"))
}
