//! The passive clients: join by a Welcome, follow the commits, and have the same epoch
//! authenticator at each step.

use std::collections::HashMap;
use std::sync::Arc;

use burrow::codec::Decode;
use burrow::crypto::SignaturePublicKey;
use burrow::framing::Sender;
use burrow::group::{Application, Client, Config, Group, JoinOptions, KeyPackageSecrets, Received};
use burrow::tree::UnverifiedRatchetTree;
use burrow::types::{Credential, LeafNode, Lifetime, Proposal};
use crypto_api::{Secret, Suite};
use serde::Deserialize;
use serde_json::Value;

use super::welcome::{key_package, welcome};
use crate::files::Unnoticed;
use crate::hex::Hex;
use crate::run::Bench;
use crate::{Stop, Tally};

pub(crate) const UNNOTICED: &[Unnoticed] = &[
    Unnoticed { field: "epochs[-1]", why: "the file then has an epoch less to follow" },
    Unnoticed { field: "welcome", why: "what it has for other new members is not read" },
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    cipher_suite: u16,
    external_psks: Vec<ExternalPsk>,
    key_package: Hex,
    signature_priv: Hex,
    encryption_priv: Hex,
    init_priv: Hex,
    welcome: Hex,
    ratchet_tree: Option<Hex>,
    initial_epoch_authenticator: Hex,
    epochs: Vec<Epoch>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExternalPsk {
    psk_id: Hex,
    psk: Hex,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Epoch {
    proposals: Vec<Hex>,
    commit: Hex,
    epoch_authenticator: Hex,
}

pub(crate) fn check(bench: &Bench<'_>, case: &Value, tally: &mut Tally) -> Result<(), Stop> {
    let case: Case = super::read(case, tally)?;
    let psks = case.external_psks.iter();
    let psks = psks.map(|psk| (psk.psk_id.0.clone(), psk.psk.0.clone()));
    let application = Arc::new(Passive(psks.collect()));
    let client = Client::new(Arc::clone(bench.backend), application, Config::default());
    let mut group = join(&client, bench.suite, &case, tally)?;
    let ours = group.epoch_authenticator().as_secret();
    tally.equal("initial_epoch_authenticator", ours, &case.initial_epoch_authenticator.0);
    for (number, epoch) in case.epochs.iter().enumerate() {
        tally.place(format_args!("epoch {number}"));
        follow(&mut group, epoch, tally)?;
    }
    Ok(())
}

fn join(client: &Client, suite: &dyn Suite, case: &Case, tally: &mut Tally) -> Result<Group, Stop> {
    let secrets = key_package_secrets(suite, case, tally)?;
    let welcome = welcome(&case.welcome.0, tally)?;
    let is_for_us = tally.step("welcome", secrets.is_for(client, &welcome))?;
    tally.holds("a Welcome for this key package", is_for_us);
    let ratchet_tree = match &case.ratchet_tree {
        Some(tree) => {
            Some(tally.step("ratchet_tree", UnverifiedRatchetTree::decode_exact(&tree.0))?)
        }
        None => None,
    };
    let options = JoinOptions { ratchet_tree, origin: None };
    tally.must("joining", client.join_with(&welcome, &secrets, options))
}

/// The key package with its private keys, each of which is compared with its public one.
fn key_package_secrets(
    suite: &dyn Suite,
    case: &Case,
    tally: &mut Tally,
) -> Result<KeyPackageSecrets, Stop> {
    let key_package = key_package(&case.key_package.0, tally)?;
    let private = |hex: &Hex| super::private_key(case.cipher_suite, &hex.0);
    let (init, encryption, signature) =
        (private(&case.init_priv), private(&case.encryption_priv), private(&case.signature_priv));
    let init_key = tally.step("init_priv", suite.private_key(&init))?;
    tally.equal("init_priv", init_key.public(), key_package.init_key.as_slice());
    let leaf = &key_package.leaf_node;
    let leaf_key = tally.step("encryption_priv", suite.private_key(&encryption))?;
    tally.equal("encryption_priv", leaf_key.public(), leaf.encryption_key.as_slice());
    let signer = tally.step("signature_priv", suite.signing_key(&signature))?;
    tally.equal("signature_priv", signer.public(), leaf.signature_key.as_slice());
    let secrets = KeyPackageSecrets::from_parts(
        suite,
        key_package,
        &Secret::new(init),
        &Secret::new(encryption),
        &Secret::new(signature),
    );
    tally.must("key_package", secrets)
}

fn follow(group: &mut Group, epoch: &Epoch, tally: &mut Tally) -> Result<(), Stop> {
    for proposal in &epoch.proposals {
        let received = tally.step("proposal", group.receive(&proposal.0))?;
        tally.holds("a proposal", matches!(received, Received::Proposal(_)));
    }
    match tally.step("commit", group.receive(&epoch.commit.0))? {
        Received::Commit(staged) => tally.must("commit", group.merge_remote(*staged))?,
        _ => tally.some("a commit", None)?,
    }
    let ours = group.epoch_authenticator().as_secret();
    tally.equal("epoch_authenticator", ours, &epoch.epoch_authenticator.0);
    Ok(())
}

/// What the vectors need of an application: their external PSKs, and no clock. Their credentials,
/// lifetimes and proposers are as they are.
struct Passive(HashMap<Vec<u8>, Vec<u8>>);

impl Application for Passive {
    fn now(&self) -> Option<u64> {
        None
    }

    fn is_credential_valid(&self, _: &Credential, _: &SignaturePublicKey) -> bool {
        true
    }

    fn may_replace(&self, _: &LeafNode, _: &LeafNode) -> bool {
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
