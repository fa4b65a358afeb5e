//! Giving the scenes to engines.

use std::collections::HashMap;
use std::sync::Arc;

use burrow::codec::Decode;
use burrow::crypto::SignaturePublicKey;
use burrow::framing::{MlsMessage, Sender};
use burrow::group::{
    Application, Client, Config, Group, JoinOptions, KeyPackageSecrets, Received, Status,
};
use burrow::tree::UnverifiedRatchetTree;
use burrow::types::{Credential, Lifetime, Proposal};
use crypto_api::{CipherSuite, CryptoBackend, Secret};
use engine_api::{
    AnyMlsClient, EngineError, GroupId, Ingested, KeyPackageBytes, MlsEffect, MlsRegistration,
    PassiveClient, RatchetTreeBytes, WelcomeBytes,
};
use serde::Deserialize;
use serde_json::Value;
use zeroize::Zeroizing;

use super::{Outcome, PassiveCase, Scene, Verdict};
use crate::hex::Hex;

/// What became of the message that is judged.
enum Fate {
    /// It took effect. What the client then has, and what it read.
    Taken { epoch_authenticator: Option<Vec<u8>>, application_data: Option<Vec<u8>> },
    /// It didn't, for this reason.
    Refused(String),
}

/// Why a scene can't begin.
enum Stopped {
    Unsupported(String),
    Refused(String),
}

impl From<String> for Stopped {
    fn from(why: String) -> Self {
        Self::Refused(why)
    }
}

/// A client that a scene has begun for.
trait Judge {
    /// Takes the client's keys.
    fn begin(&mut self, scene: &Scene) -> Result<(), Stopped>;

    /// Joins, with the tree beside the Welcome if there is one.
    fn join(&mut self, welcome: &[u8], ratchet_tree: Option<&[u8]>) -> Result<(), String>;

    /// Receives a message; the application data, if it has any.
    fn receive(&mut self, message: &[u8]) -> Result<Option<Vec<u8>>, String>;

    /// None once the client is removed.
    fn epoch_authenticator(&self) -> Result<Option<Vec<u8>>, String>;
}

/// The case and its section, where burrow names another section than the one that has the rule for
/// this use.
const ELSEWHERE: [(&str, &str, &str); 5] = [
    ("path-secret-wrong", "12.4.3.1", "7.5"),
    ("path-secret-of-next-node", "12.4.3.1", "7.5"),
    ("parent-key-of-leaf", "12.4.3.1", "7.3"),
    ("path-key-of-new-leaf", "12.4.2", "7.3"),
    ("path-keys-same", "12.4.2", "7.3"),
];

/// Gives all cases of a scene to burrow itself, where the reason can be checked as well.
#[must_use]
pub fn judge_burrow(backend: &Arc<dyn CryptoBackend>, scene: &Scene) -> Vec<Outcome> {
    let suite = CipherSuite(scene.cipher_suite);
    if backend.suite(suite).is_err() {
        let why = format!("{} doesn't have {suite:?}", backend.name());
        return scene.cases.iter().map(|_| Outcome::Unsupported(why.clone())).collect();
    }
    let judge = |case: &PassiveCase| {
        let mut judge = OnBurrow { backend: Arc::clone(backend), state: None };
        let mut elsewhere = ELSEWHERE.iter();
        let elsewhere =
            elsewhere.find(|(name, section, _)| *name == case.name && *section == case.section);
        let section = elsewhere.map_or(&*case.section, |(.., section)| section);
        let fits = |error: &str| case.reason.is_some_and(|reason| reason.fits(section, error));
        outcome(&mut judge, scene, case, fits)
    };
    scene.cases.iter().map(judge).collect()
}

/// Gives all cases of a scene to any engine. Why it refuses something is its own affair.
#[must_use]
pub fn judge_engine(engine: &MlsRegistration, scene: &Scene) -> Vec<Outcome> {
    let suites = engine.engine().describe().cipher_suites;
    if !suites.iter().any(|suite| suite.0 == scene.cipher_suite) {
        let why = format!("the engine doesn't have cipher suite {}", scene.cipher_suite);
        return scene.cases.iter().map(|_| Outcome::Unsupported(why.clone())).collect();
    }
    let judge = |case: &PassiveCase| {
        let mut judge = OnEngine { engine: *engine, client: None, group: None };
        outcome(&mut judge, scene, case, |_| true)
    };
    scene.cases.iter().map(judge).collect()
}

fn outcome(
    judge: &mut dyn Judge,
    scene: &Scene,
    case: &PassiveCase,
    fits: impl FnOnce(&str) -> bool,
) -> Outcome {
    match judge.begin(scene) {
        Ok(()) => {}
        Err(Stopped::Unsupported(why)) => return Outcome::Unsupported(why),
        Err(Stopped::Refused(why)) => return Outcome::Differs(format!("import: {why}")),
    }
    match run(judge, scene, case, fits) {
        Ok(()) => Outcome::Agrees,
        Err(why) => Outcome::Differs(why),
    }
}

fn run(
    judge: &mut dyn Judge,
    scene: &Scene,
    case: &PassiveCase,
    fits: impl FnOnce(&str) -> bool,
) -> Result<(), String> {
    begin(judge, scene)?;
    for message in &case.before {
        judge.receive(&bytes(message)?).map_err(|why| format!("a message before it: {why}"))?;
    }
    for message in &case.offered {
        // To take it or not is the client's choice.
        let _ = judge.receive(&bytes(message)?);
    }
    match (fate(judge, scene, case)?, case.verdict) {
        (Fate::Taken { epoch_authenticator, application_data }, Verdict::Accept) => {
            let expected = case.epoch_authenticator.as_deref().map(bytes).transpose()?;
            let data = case.application_data.as_deref().map(bytes).transpose()?;
            same("epoch authenticator", &epoch_authenticator, &expected)?;
            same("application data", &application_data, &data)
        }
        (Fate::Taken { .. }, Verdict::Reject) => Err("accepted".into()),
        (Fate::Refused(why), Verdict::Accept) => Err(why),
        (Fate::Refused(why), Verdict::Reject) => {
            go_on(judge, scene).map_err(|then| format!("after \"{why}\": {then}"))?;
            if fits(&why) { Ok(()) } else { Err(why) }
        }
    }
}

/// To where the scene's cases begin.
fn begin(judge: &mut dyn Judge, scene: &Scene) -> Result<(), String> {
    let Some(welcome) = &scene.welcome else { return Ok(()) };
    judge.join(&bytes(welcome)?, None).map_err(|why| format!("the scene's Welcome: {why}"))?;
    for message in &scene.before {
        judge.receive(&bytes(message)?).map_err(|why| format!("the scene's message: {why}"))?;
    }
    let expected = scene.epoch_authenticator.as_deref().map(bytes).transpose()?;
    same("the scene's epoch authenticator", &judge.epoch_authenticator()?, &expected)
}

fn fate(judge: &mut dyn Judge, scene: &Scene, case: &PassiveCase) -> Result<Fate, String> {
    let message = bytes(&case.message)?;
    let taken = if scene.welcome.is_some() {
        judge.receive(&message)
    } else {
        let tree = case.ratchet_tree.as_deref().map(bytes).transpose()?;
        judge.join(&message, tree.as_deref()).map(|()| None)
    };
    match taken {
        Ok(application_data) => {
            let epoch_authenticator = judge.epoch_authenticator()?;
            Ok(Fate::Taken { epoch_authenticator, application_data })
        }
        Err(why) => Ok(Fate::Refused(why)),
    }
}

/// What the client has to accept after a refusal.
fn go_on(judge: &mut dyn Judge, scene: &Scene) -> Result<(), String> {
    for message in &scene.then.messages {
        let message = bytes(message)?;
        if scene.welcome.is_some() {
            judge.receive(&message).map(drop)
        } else {
            judge.join(&message, None)
        }
        .map_err(|why| format!("what is good is refused: {why}"))?;
    }
    let expected = Some(bytes(&scene.then.epoch_authenticator)?);
    same("epoch authenticator", &judge.epoch_authenticator()?, &expected)
}

fn same(what: &str, ours: &Option<Vec<u8>>, expected: &Option<Vec<u8>>) -> Result<(), String> {
    if ours == expected { Ok(()) } else { Err(format!("another {what}")) }
}

fn bytes(text: impl AsRef<str>) -> Result<Vec<u8>, String> {
    let hex = Hex::deserialize(Value::from(text.as_ref()));
    hex.map(|hex| hex.0).map_err(|_| "the case isn't hexadecimal".into())
}

struct OnBurrow {
    backend: Arc<dyn CryptoBackend>,
    state: Option<(Client, KeyPackageSecrets, Option<Group>)>,
}

impl Judge for OnBurrow {
    fn begin(&mut self, scene: &Scene) -> Result<(), Stopped> {
        let psks = scene.external_psks.iter();
        let psks = psks.map(|psk| Ok((bytes(&psk.psk_id)?, bytes(&psk.psk)?)));
        let application = Passive(psks.collect::<Result<_, String>>()?);
        let backend = Arc::clone(&self.backend);
        let client = Client::new(backend, Arc::new(application), Config::default());
        let secret = |text: &String| Ok::<_, String>(Secret::new(bytes(text)?));
        let (init, encryption, signature) = (
            secret(&scene.init_priv)?,
            secret(&scene.encryption_priv)?,
            secret(&scene.signature_priv)?,
        );
        let secrets = || -> burrow::Result<KeyPackageSecrets> {
            let suite = client.suite(CipherSuite(scene.cipher_suite))?;
            let message = bytes(&scene.key_package).unwrap_or_default();
            match MlsMessage::decode_exact(&message)? {
                MlsMessage::KeyPackage(package) => {
                    KeyPackageSecrets::from_parts(suite, *package, &init, &encryption, &signature)
                }
                _ => Err(burrow::Error::invalid("6: not a key package")),
            }
        };
        let secrets = secrets().map_err(|error| error.to_string())?;
        self.state = Some((client, secrets, None));
        Ok(())
    }

    fn join(&mut self, welcome: &[u8], ratchet_tree: Option<&[u8]>) -> Result<(), String> {
        let (client, secrets, group) = self.state.as_mut().ok_or("no client")?;
        let join = || {
            let MlsMessage::Welcome(welcome) = MlsMessage::decode_exact(welcome)? else {
                return Err(burrow::Error::invalid("6: not a Welcome"));
            };
            let ratchet_tree = ratchet_tree.map(UnverifiedRatchetTree::decode_exact).transpose()?;
            client.join_with(&welcome, secrets, JoinOptions { ratchet_tree, origin: None })
        };
        *group = Some(join().map_err(|error| error.to_string())?);
        Ok(())
    }

    fn receive(&mut self, message: &[u8]) -> Result<Option<Vec<u8>>, String> {
        let (_, _, group) = self.state.as_mut().ok_or("no client")?;
        let group = group.as_mut().ok_or("no group")?;
        match group.receive(message).map_err(|error| error.to_string())? {
            Received::Application(message) => Ok(Some(message.data)),
            Received::Proposal(_) => Ok(None),
            Received::Commit(staged) => {
                group.merge_remote(*staged).map_err(|error| error.to_string())?;
                Ok(None)
            }
            Received::Ignored(why) => Err(format!("ignored: {why:?}")),
        }
    }

    fn epoch_authenticator(&self) -> Result<Option<Vec<u8>>, String> {
        let (_, _, group) = self.state.as_ref().ok_or("no client")?;
        let group = group.as_ref().ok_or("no group")?;
        let ours = group.epoch_authenticator().as_secret().as_slice().to_vec();
        Ok(Some(ours).filter(|_| *group.status() != Status::Removed))
    }
}

/// What the scenes need of an application: their PSKs and a clock. Nobody is turned away.
struct Passive(HashMap<Vec<u8>, Vec<u8>>);

impl Application for Passive {
    fn now(&self) -> Option<u64> {
        Some(1_800_000_000)
    }

    fn is_credential_valid(&self, _: &Credential, _: &SignaturePublicKey) -> bool {
        true
    }

    fn is_lifetime_acceptable(&self, _: Lifetime) -> bool {
        true
    }

    fn may_propose(&self, _: Sender, _: &Proposal) -> bool {
        true
    }

    fn external_psk(&self, psk_id: &[u8]) -> Option<Secret> {
        self.0.get(psk_id).map(|psk| Secret::copy_from(psk))
    }
}

struct OnEngine {
    engine: MlsRegistration,
    client: Option<AnyMlsClient>,
    group: Option<GroupId>,
}

impl Judge for OnEngine {
    fn begin(&mut self, scene: &Scene) -> Result<(), Stopped> {
        let private = |text: &String| bytes(text).map(Zeroizing::new);
        let psks = scene.external_psks.iter();
        let psks = psks.map(|psk| Ok((bytes(&psk.psk_id)?, private(&psk.psk)?)));
        let client = PassiveClient {
            cipher_suite: scene.cipher_suite,
            key_package: KeyPackageBytes::new(bytes(&scene.key_package)?),
            signature_priv: private(&scene.signature_priv)?,
            encryption_priv: private(&scene.encryption_priv)?,
            init_priv: private(&scene.init_priv)?,
            external_psks: psks.collect::<Result<_, String>>()?,
        };
        self.client = Some(match self.engine.import(&client) {
            Ok(client) => client,
            Err(EngineError::Unsupported(why)) => return Err(Stopped::Unsupported(why)),
            Err(error) => return Err(error.to_string().into()),
        });
        Ok(())
    }

    fn join(&mut self, welcome: &[u8], ratchet_tree: Option<&[u8]>) -> Result<(), String> {
        let client = self.client.as_mut().ok_or("no client")?;
        let ratchet_tree = ratchet_tree.map(|tree| RatchetTreeBytes(tree.to_vec()));
        let joined = client.join(&WelcomeBytes::new(welcome.to_vec()), ratchet_tree.as_ref());
        self.group = Some(joined.map_err(|error| error.to_string())?);
        Ok(())
    }

    fn receive(&mut self, message: &[u8]) -> Result<Option<Vec<u8>>, String> {
        let client = self.client.as_mut().ok_or("no client")?;
        let group = self.group.as_ref().ok_or("no group")?;
        match client.ingest(group, message).map_err(|error| error.to_string())? {
            Ingested::Applied(MlsEffect::Application(message)) => Ok(Some(message.payload)),
            Ingested::Applied(_) => Ok(None),
            Ingested::Removed => {
                self.group = None;
                Ok(None)
            }
            Ingested::Rejected(why) => Err(why.to_string()),
            other => Err(other.name().into()),
        }
    }

    fn epoch_authenticator(&self) -> Result<Option<Vec<u8>>, String> {
        let client = self.client.as_ref().ok_or("no client")?;
        let Some(group) = &self.group else { return Ok(None) };
        let ours = client.epoch_authenticator(group).map_err(|error| error.to_string())?;
        Ok(Some(ours.as_slice().to_vec()))
    }
}
