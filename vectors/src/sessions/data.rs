//! Sessions as data.

use crypto_api::{CipherSuite, CryptoBackend};
use crypto_rustcrypto::RustCrypto;
use engine_api::{KeyPackageBytes, PassiveClient};
use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use zeroize::Zeroizing;

use crate::formats::private_key;
use crate::hex::Hex;

/// A file of sessions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// Where they come from.
    pub provenance: Provenance,
    /// The sessions.
    pub sessions: Vec<Session>,
}

/// Where sessions come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// What wrote the file.
    pub made_by: String,
    /// The engines at work, and the packages that they are made of.
    pub engines: Vec<String>,
    /// SHA-256 of `sessions`, as JSON without white space.
    pub sha256: String,
}

/// What one member saw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// What sets it apart.
    pub name: String,
    /// In words.
    pub what: String,
    /// The engines of the others, in the order in which they came.
    pub engines: Vec<String>,
    /// The cipher suite.
    pub cipher_suite: u16,
    /// The MLSMessage with the member's key package. All bytes are hexadecimal.
    pub key_package: String,
    /// Its private keys, as the working group's passive clients have them.
    pub signature_priv: String,
    /// Belongs to the leaf's `encryption_key`.
    pub encryption_priv: String,
    /// Belongs to the `init_key`.
    pub init_priv: String,
    /// What it has of external PSKs.
    pub external_psks: Vec<ExternalPsk>,
    /// The MLSMessage with the Welcome.
    pub welcome: String,
    /// The tree, if it isn't in the Welcome.
    pub ratchet_tree: Option<String>,
    /// What the member is in when it has joined.
    pub joined: State,
    /// What it receives then.
    pub steps: Vec<Step>,
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

/// An epoch of the group, as the others have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Its number; none in the working group's files.
    pub epoch: Option<u64>,
    /// Its authenticator.
    pub epoch_authenticator: String,
    /// The names of the members in leaf order; none in the working group's files.
    pub members: Option<Vec<String>>,
}

/// A message, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Who sends what, in words.
    pub what: String,
    /// The MLSMessage.
    pub message: String,
    /// What becomes of it.
    pub expected: Expected,
}

/// What becomes of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Expected {
    /// It is a proposal of this type; of any in the working group's files.
    Proposal(Option<u16>),
    /// It is a commit that leads there.
    Commit(State),
    /// It is an application message.
    Application {
        /// Who sent it.
        sender: String,
        /// What it says.
        payload: String,
    },
    /// It is a commit that removes the member.
    Removed,
}

/// The recordings in the repository, by file name.
///
/// # Errors
/// If the data in the repository isn't what it should be.
pub fn recordings() -> serde_json::Result<Vec<(&'static str, Recording)>> {
    const FILES: [(&str, &str); 1] =
        [("sessions-mixed.json", include_str!("../../data/sessions-mixed.json"))];
    FILES.into_iter().map(|(name, text)| Ok((name, serde_json::from_str(text)?))).collect()
}

impl Recording {
    /// The digest that the provenance has to have.
    ///
    /// # Errors
    /// If the sessions can't be written as JSON, or SHA-256 can't be had.
    pub fn digest(&self) -> Result<String, Box<dyn std::error::Error>> {
        let backend = RustCrypto::new();
        let sha256 = backend.suite(CipherSuite::MLS_128_DHKEMX25519_AES128GCM_SHA256_ED25519)?;
        Ok(to_hex(sha256.hash(&[&serde_json::to_vec(&self.sessions)?]).as_slice()))
    }
}

impl Session {
    /// A case of the working group's passive clients.
    ///
    /// # Errors
    /// If it isn't one.
    pub fn from_working_group(name: &str, case: &Value) -> serde_json::Result<Self> {
        let case: WorkingGroupCase = serde_json::from_value(case.clone())?;
        let state = |epoch_authenticator| State { epoch: None, epoch_authenticator, members: None };
        let mut steps = Vec::new();
        for (number, epoch) in case.epochs.into_iter().enumerate() {
            let what = format!("epoch {number}");
            steps.extend(epoch.proposals.into_iter().map(|message| Step {
                what: what.clone(),
                message,
                expected: Expected::Proposal(None),
            }));
            let expected = Expected::Commit(state(epoch.epoch_authenticator));
            steps.push(Step { what, message: epoch.commit, expected });
        }
        Ok(Self {
            name: name.into(),
            what: "the working group's".into(),
            engines: Vec::new(),
            cipher_suite: case.cipher_suite,
            key_package: case.key_package,
            signature_priv: case.signature_priv,
            encryption_priv: case.encryption_priv,
            init_priv: case.init_priv,
            external_psks: case.external_psks,
            welcome: case.welcome,
            ratchet_tree: case.ratchet_tree,
            joined: state(case.initial_epoch_authenticator),
            steps,
        })
    }

    /// The member, to be imported.
    ///
    /// # Errors
    /// If something isn't hexadecimal.
    pub fn client(&self) -> serde_json::Result<PassiveClient> {
        let private =
            |text: &str| Ok(Zeroizing::new(private_key(self.cipher_suite, &bytes(text)?)));
        let psk = |psk: &ExternalPsk| Ok((bytes(&psk.psk_id)?, Zeroizing::new(bytes(&psk.psk)?)));
        Ok(PassiveClient {
            cipher_suite: self.cipher_suite,
            key_package: KeyPackageBytes::new(bytes(&self.key_package)?),
            signature_priv: private(&self.signature_priv)?,
            encryption_priv: private(&self.encryption_priv)?,
            init_priv: private(&self.init_priv)?,
            external_psks: self.external_psks.iter().map(psk).collect::<Result<_, _>>()?,
        })
    }
}

/// Bytes from hexadecimal.
pub(super) fn bytes(text: &str) -> serde_json::Result<Vec<u8>> {
    let hex: Hex = serde_json::from_value(Value::String(text.into()))?;
    if text.bytes().any(|digit| digit.is_ascii_uppercase()) {
        return Err(serde_json::Error::custom("hexadecimal in capitals"));
    }
    Ok(hex.0)
}

/// Bytes as the files write them.
#[must_use]
pub fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkingGroupCase {
    cipher_suite: u16,
    external_psks: Vec<ExternalPsk>,
    key_package: String,
    signature_priv: String,
    encryption_priv: String,
    init_priv: String,
    welcome: String,
    ratchet_tree: Option<String>,
    initial_epoch_authenticator: String,
    epochs: Vec<WorkingGroupEpoch>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkingGroupEpoch {
    proposals: Vec<String>,
    commit: String,
    epoch_authenticator: String,
}
