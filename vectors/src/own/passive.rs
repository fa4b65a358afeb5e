//! Welcomes, commits and messages for one client whose private keys are given, as data.

use serde::{Deserialize, Serialize};

use super::{Reason, Verdict};

/// A client with its keys, and what it is given, each time from the same place on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// What sets it apart, with the cipher suite.
    pub name: String,
    /// In words.
    pub what: String,
    /// The cipher suite of all of it.
    pub cipher_suite: u16,
    /// The MLSMessage with the client's key package.
    pub key_package: String,
    /// Its private keys, as the working group's passive clients have them.
    pub signature_priv: String,
    /// Belongs to the leaf's encryption_key.
    pub encryption_priv: String,
    /// Belongs to the init_key.
    pub init_priv: String,
    /// The PSKs that the client has.
    pub external_psks: Vec<ExternalPsk>,
    /// The Welcome that it joins by; none if the cases are Welcomes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub welcome: Option<String>,
    /// The messages that it then receives; all are good.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// The epoch authenticator that the client then has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch_authenticator: Option<String>,
    /// What the client is given, each on its own.
    pub cases: Vec<PassiveCase>,
    /// What it has to accept after what it had to refuse.
    pub then: Then,
}

/// An external PSK.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExternalPsk {
    /// Its `psk_id`.
    pub psk_id: String,
    /// The key.
    pub psk: String,
}

/// A message, and what has to become of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PassiveCase {
    /// What sets it apart in its scene.
    pub name: String,
    /// In words.
    pub what: String,
    /// The number of the pitfall that it is about, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pitfall: Option<u8>,
    /// The section of RFC 9420 that says so.
    pub section: String,
    /// The messages before it; all are good.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// More messages before it. Whether they are taken is for the client to decide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offered: Vec<String>,
    /// The Welcome or message that is judged.
    pub message: String,
    /// The ratchet tree beside a Welcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratchet_tree: Option<String>,
    /// What has to become of it.
    pub verdict: Verdict,
    /// Why it has to be refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The case without what is wrong with this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
    /// The epoch authenticator after an accepted message; none if it removes the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch_authenticator: Option<String>,
    /// The application data in an accepted message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application_data: Option<String>,
}

/// What comes after a refusal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Then {
    /// A Welcome, or messages.
    pub messages: Vec<String>,
    /// The epoch authenticator after them.
    pub epoch_authenticator: String,
}

/// One file of scenes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Welcomes, with the GroupInfos and trees in them.
    Welcomes,
    /// Commits, with their proposals.
    Commits,
    /// Messages as such: framing, encryption and who may send what.
    Messages,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Welcomes, Self::Commits, Self::Messages];

    /// The name of the file.
    #[must_use]
    pub fn file(self) -> &'static str {
        match self {
            Self::Welcomes => "welcomes.json",
            Self::Commits => "commits.json",
            Self::Messages => "messages.json",
        }
    }

    /// The file in the repository.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Welcomes => include_str!("../../data/welcomes.json"),
            Self::Commits => include_str!("../../data/commits.json"),
            Self::Messages => include_str!("../../data/messages.json"),
        }
    }

    /// The scenes in the repository.
    ///
    /// # Errors
    /// If the data in the repository isn't what it should be.
    pub fn scenes(self) -> serde_json::Result<Vec<Scene>> {
        serde_json::from_str(self.text())
    }
}
