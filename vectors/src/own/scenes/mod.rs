//! What can be wrong with Welcomes, commits and messages, and what can't.

mod commits;
mod external;
mod messages;
mod paths;
mod private;
mod proposals;
mod psks;
mod setting;
mod spec;
mod tags;
mod trees;
mod welcomes;

use std::sync::Arc;

use burrow::Result;
use crypto_api::{CipherSuite, CryptoBackend, Suite};
use crypto_rustcrypto::RustCrypto;

use super::Verdict;
use super::generate::hex;
use super::passive::{ExternalPsk, Kind, PassiveCase, Scene, Then};
use super::random::Named;
use setting::{Setting, Stage};
use spec::{SceneSpec, Spec};

/// All scenes of a file, in its order.
///
/// # Errors
/// If burrow or the crypto library can't make one.
pub fn generate_scenes(kind: Kind) -> Result<Vec<Scene>> {
    let specs = match kind {
        Kind::Welcomes => welcomes::scenes(),
        Kind::Commits => commits::scenes(),
        Kind::Messages => messages::scenes(),
    };
    let mut scenes = Vec::new();
    for spec in &specs {
        for number in [1, 2, 3, 5, 7] {
            let cases: Vec<_> =
                spec.cases.iter().filter(|case| case.suites.contains(&number)).collect();
            if !cases.is_empty() {
                scenes.push(scene(spec, number, &cases)?);
            }
        }
    }
    Ok(scenes)
}

fn scene(spec: &SceneSpec, number: u16, cases: &[&Spec]) -> Result<Scene> {
    let backend = |name: &str| {
        let name = format!("{} {name} {number}", spec.name);
        RustCrypto::with_random(Arc::new(Named::new(&name)))
    };
    let setup = backend("");
    let setting = (spec.setting)(setup.suite(CipherSuite(number))?)?;
    let mut made = Vec::new();
    for case in cases {
        let backend = backend(case.name);
        made.push(case_of(case, &setting, backend.suite(CipherSuite(number))?)?);
    }
    let backend = backend("then");
    let then = then(&setting, backend.suite(CipherSuite(number))?)?;
    let secret = |secret: &crypto_api::Secret| hex(secret.as_slice());
    Ok(Scene {
        name: spec.name.into(),
        what: spec.what.into(),
        cipher_suite: number,
        key_package: hex(&setting.us.draft.message(setting.group.suite)?),
        signature_priv: secret(setting.us.draft.signer.private()),
        encryption_priv: secret(setting.us.leaf_key.private()),
        init_priv: secret(setting.us.init_key.private()),
        external_psks: setting
            .psks
            .iter()
            .map(|(id, psk)| ExternalPsk { psk_id: hex(id), psk: secret(psk) })
            .collect(),
        welcome: setting.welcome.as_deref().map(hex),
        before: setting.before.iter().map(|message| hex(message)).collect(),
        epoch_authenticator: match setting.welcome {
            Some(_) => Some(hex(&setting.group.epoch_authenticator()?)),
            None => None,
        },
        cases: made,
        then,
    })
}

fn case_of(spec: &Spec, setting: &Setting<'_>, suite: &dyn Suite) -> Result<PassiveCase> {
    let mut stage = Stage::new(setting, suite);
    let judged = (spec.make)(&mut stage)?;
    let is_good = spec.reason.is_none();
    Ok(PassiveCase {
        name: spec.name.into(),
        what: spec.what.into(),
        pitfall: spec.pitfall,
        section: spec.section.into(),
        before: stage.before.iter().map(|message| hex(message)).collect(),
        offered: stage.offered.iter().map(|message| hex(message)).collect(),
        message: hex(&judged.message),
        ratchet_tree: judged.ratchet_tree.as_deref().map(hex),
        verdict: if is_good { Verdict::Accept } else { Verdict::Reject },
        reason: spec.reason,
        control: spec.control.map(Into::into),
        epoch_authenticator: judged.epoch_authenticator.filter(|_| is_good).as_deref().map(hex),
        application_data: judged.application_data.filter(|_| is_good).as_deref().map(hex),
    })
}

/// What is good after a refusal: the Welcome that there should have been, or a commit.
fn then(setting: &Setting<'_>, suite: &dyn Suite) -> Result<Then> {
    let stage = Stage::new(setting, suite);
    let (message, group) = match setting.welcome {
        None => {
            let welcomed = stage.add_us()?.welcome().make()?;
            (welcomed.message, welcomed.group)
        }
        Some(_) => {
            let made = stage.group.commit(3)?.make()?;
            (made.message, made.group)
        }
    };
    Ok(Then {
        messages: vec![hex(&message)],
        epoch_authenticator: hex(&group.epoch_authenticator()?),
    })
}
