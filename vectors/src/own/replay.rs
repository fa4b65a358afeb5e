//! Replaying the key packages on an engine.

use std::sync::Arc;

use burrow::codec::Decode;
use burrow::crypto::SignaturePublicKey;
use burrow::framing::MlsMessage;
use burrow::group::{Application, Client, Config, StagedCommit};
use burrow::types::{Credential, Extensions, Lifetime};
use crypto_api::{CipherSuite, CryptoBackend};
use engine_api::{EngineError, KeyPackageBytes, Registration};
use serde::Deserialize;
use serde_json::Value;

use super::forge::LIFETIME;
use super::{KeyPackageCase, Reason, Verdict};
use crate::hex::Hex;

/// What came of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The engine gave the verdict that it had to.
    Agrees,
    /// It gave another one, or for another reason.
    Differs(String),
    /// It couldn't be asked.
    Unsupported(String),
}

/// Replays a case on burrow itself, where the reason can be checked as well.
#[must_use]
pub fn on_burrow(backend: &Arc<dyn CryptoBackend>, case: &KeyPackageCase) -> Outcome {
    let suite = CipherSuite(case.cipher_suite);
    if backend.suite(suite).is_err() {
        return Outcome::Unsupported(format!("{} doesn't have {suite:?}", backend.name()));
    }
    let Some(messages) = messages(case) else {
        return Outcome::Differs("the case isn't hexadecimal".into());
    };
    let added = add_to_group(Arc::clone(backend), suite, &messages);
    let error = match (added, case.verdict) {
        (Ok(_), Verdict::Accept) => return Outcome::Agrees,
        (Ok(_), Verdict::Reject) => return Outcome::Differs("accepted".into()),
        (Err(error), Verdict::Accept) => return Outcome::Differs(error.to_string()),
        (Err(error), Verdict::Reject) => error.to_string(),
    };
    let fits = case.reason.is_some_and(|reason| reason.fits(&case.section, &error));
    if fits { Outcome::Agrees } else { Outcome::Differs(error) }
}

impl Reason {
    /// Whether it is the one that burrow's words give.
    pub(super) fn fits(self, section: &str, error: &str) -> bool {
        let words = match self {
            Self::Malformed => "malformed",
            Self::Key => "key is no good",
            Self::Signature => "a signature doesn't verify",
            Self::Mac => "a MAC doesn't fit",
            Self::Decryption => "a ciphertext doesn't open",
            Self::Psk => "a pre-shared key is not there",
            Self::UnknownProposal => "a commit refers to a proposal that is not known",
            Self::TooFarAhead => "a message's generation is too far ahead",
            Self::Misdirected => "caller: ",
            Self::Ignored => "ignored: ",
            // burrow names the rule by its section.
            Self::Rule => return error.contains(&format!(" {section}: ")),
        };
        error.contains(words)
    }
}

fn add_to_group(
    backend: Arc<dyn CryptoBackend>,
    suite: CipherSuite,
    messages: &[Vec<u8>],
) -> burrow::Result<StagedCommit> {
    let client = Client::new(backend, Arc::new(Open), Config::default());
    let lifetime = Lifetime { not_before: LIFETIME.0, not_after: LIFETIME.1 };
    let founder =
        client.generate_identity(suite, Credential::Basic(b"founder".to_vec()), lifetime)?;
    let mut group = client.create_group(&founder, b"group".to_vec(), Extensions::new())?;
    let mut commit = group.commit();
    for message in messages {
        let MlsMessage::KeyPackage(key_package) = MlsMessage::decode_exact(message)? else {
            return Err(burrow::Error::invalid("6: not a key package"));
        };
        commit = commit.add_member(*key_package);
    }
    commit.stage()
}

/// An application with a clock of its own that leaves the rest to the engine.
struct Open;

impl Application for Open {
    fn now(&self) -> Option<u64> {
        Some(1_800_000_000)
    }

    fn is_credential_valid(&self, _: &Credential, _: &SignaturePublicKey) -> bool {
        true
    }

    fn is_lifetime_acceptable(&self, _: Lifetime) -> bool {
        true
    }
}

/// Replays all cases on any engine: it founds a group with each case's key packages. Of why an
/// engine refuses something the contract says only whose fault it is. An engine that refuses the
/// plain key package can't be asked about the others.
#[must_use]
pub fn on_engine(engine: &Registration, cases: &[KeyPackageCase]) -> Vec<Outcome> {
    let suites = engine.describe().cipher_suites;
    let refused = cases
        .iter()
        .filter(|case| case.name == "plain")
        .map(|case| (case.cipher_suite, found_group(engine, case)))
        .filter_map(|(suite, founded)| Some((suite, founded.err()?.to_string())))
        .collect::<std::collections::BTreeMap<_, _>>();
    let replay = |case: &KeyPackageCase| {
        if !suites.iter().any(|suite| suite.0 == case.cipher_suite) {
            let why = format!("the engine doesn't have cipher suite {}", case.cipher_suite);
            return Outcome::Unsupported(why);
        }
        if let Some(why) = refused.get(&case.cipher_suite) {
            return Outcome::Unsupported(format!("the plain key package is refused: {why}"));
        }
        match (found_group(engine, case), case.verdict) {
            (Ok(()), Verdict::Accept) => Outcome::Agrees,
            (Err(EngineError::Peer(_)), Verdict::Reject) => Outcome::Agrees,
            (Ok(()), Verdict::Reject) => Outcome::Differs("accepted".into()),
            (Err(error), _) => Outcome::Differs(error.to_string()),
        }
    };
    cases.iter().map(replay).collect()
}

fn found_group(engine: &Registration, case: &KeyPackageCase) -> Result<(), EngineError> {
    let mut client = engine.new_client("founder")?;
    let messages = messages(case).ok_or_else(|| EngineError::caller("not hexadecimal"))?;
    let invitees: Vec<_> = messages.into_iter().map(KeyPackageBytes::new).collect();
    client.create_group(&invitees).map(drop)
}

fn messages(case: &KeyPackageCase) -> Option<Vec<Vec<u8>>> {
    let bytes = |text: &String| Hex::deserialize(Value::from(&**text)).ok().map(|hex| hex.0);
    case.key_packages.iter().map(bytes).collect()
}
