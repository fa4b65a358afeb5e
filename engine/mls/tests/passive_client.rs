//! The working group's passive-client vectors: join by a Welcome, follow the commits, and have the
//! same epoch authenticator at each step.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod vectors;

use std::{collections::HashMap, sync::Arc};

use burrow::{
    codec::Decode,
    crypto::SignaturePublicKey,
    framing::{MlsMessage, Sender},
    group::{Application, Client, Config, Group, JoinOptions, KeyPackageSecrets, Received},
    tree::UnverifiedRatchetTree,
    types::{Credential, KeyPackage, LeafNode, Lifetime, Proposal, Welcome},
};
use crypto_api::{CipherSuite, Secret};
use crypto_rustcrypto::RustCrypto;
use serde::Deserialize;
use vectors::Hex;

#[derive(Deserialize)]
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
struct ExternalPsk {
    psk_id: Hex,
    psk: Hex,
}

#[derive(Deserialize)]
struct Epoch {
    proposals: Vec<Hex>,
    commit: Hex,
    epoch_authenticator: Hex,
}

/// What the vectors need of an application: their external PSKs, and no clock.
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

#[test]
fn welcome() {
    run("passive-client-welcome.json", 56, 56 * 5);
}

#[test]
fn handling_commit() {
    run("passive-client-handling-commit.json", 91, 91 * 5 + 182);
}

#[test]
fn branch() {
    run("branch.json", 224, 224 * 5);
}

#[test]
fn external_join() {
    run("external_join.json", 42, 42 * 5 + 28);
}

#[test]
fn external_proposals() {
    run("external_proposals.json", 196, 196 * 5 + 322);
}

#[test]
fn reinit() {
    run("reinit.json", 336, 336 * 5);
}

/// Runs a file on every suite that is in it; so many cases and checks there have to be.
fn run(file: &str, case_floor: usize, check_floor: usize) {
    let Some(cases) = vectors::load::<Vec<Case>>(file) else {
        return;
    };
    let backend = Arc::new(RustCrypto::new());
    let mut checks = 0;
    let mut suites = [0_usize; 8];
    for (index, case) in cases.iter().enumerate() {
        let psks = case.external_psks.iter();
        let psks = psks.map(|psk| (psk.psk_id.0.clone(), psk.psk.0.clone()));
        let application = Arc::new(Passive(psks.collect()));
        let client = Client::new(backend.clone(), application, Config::default());
        let context = format!("{file}[{index}], suite {}", case.cipher_suite);
        checks += check(&client, case, &context);
        suites[usize::from(case.cipher_suite)] += 1;
    }
    println!(
        "{file}: {} cases, {checks} checks, by suite {:?}",
        cases.len(),
        &suites[1..]
    );
    assert!(cases.len() >= case_floor, "{file}: too few cases");
    assert!(checks >= check_floor, "{file}: too few checks");
    assert!(
        suites[1..].iter().all(|cases| *cases > 0),
        "{file}: a suite is missing"
    );
}

fn check(client: &Client, case: &Case, context: &str) -> usize {
    let mut group = join(client, case, context);
    let welcome_checks = 5;
    let ours = group.epoch_authenticator().as_secret().as_slice();
    assert_eq!(ours, case.initial_epoch_authenticator.0, "{context}");
    for (number, epoch) in case.epochs.iter().enumerate() {
        let context = format!("{context}, epoch {number}");
        for proposal in &epoch.proposals {
            let received = group.receive(&proposal.0);
            assert!(
                matches!(received, Ok(Received::Proposal(_))),
                "{context}: {received:?}"
            );
        }
        match group.receive(&epoch.commit.0) {
            Ok(Received::Commit(staged)) => group.merge_remote(*staged).unwrap(),
            other => panic!("{context}: {other:?}"),
        }
        let ours = group.epoch_authenticator().as_secret().as_slice();
        assert_eq!(ours, epoch.epoch_authenticator.0, "{context}");
    }
    welcome_checks + case.epochs.len()
}

/// Checks the three private keys, the suite of the Welcome and the authenticator of the Welcome's
/// epoch; the last one is the caller's.
fn join(client: &Client, case: &Case, context: &str) -> Group {
    let suite = client.suite(CipherSuite(case.cipher_suite)).unwrap();
    let secrets = KeyPackageSecrets::from_parts(
        suite,
        key_package(&case.key_package.0),
        &private(case, &case.init_priv),
        &private(case, &case.encryption_priv),
        &private(case, &case.signature_priv),
    )
    .unwrap_or_else(|error| panic!("{context}: {error}"));
    let welcome = welcome_of(&case.welcome.0);
    assert!(secrets.is_for(client, &welcome).unwrap(), "{context}");
    let ratchet_tree = case.ratchet_tree.as_ref();
    let ratchet_tree =
        ratchet_tree.map(|tree| UnverifiedRatchetTree::decode_exact(&tree.0).unwrap());
    let options = JoinOptions {
        ratchet_tree,
        origin: None,
    };
    client
        .join_with(&welcome, &secrets, options)
        .unwrap_or_else(|error| panic!("{context}: {error}"))
}

/// Some P-521 scalars are written without their leading zeros; the RFC has them at 66 bytes.
fn private(case: &Case, Hex(bytes): &Hex) -> Secret {
    let length = if case.cipher_suite == 5 {
        66
    } else {
        bytes.len()
    };
    let mut padded = vec![0; length - bytes.len()];
    padded.extend_from_slice(bytes);
    Secret::copy_from(&padded)
}

fn key_package(message: &[u8]) -> KeyPackage {
    match MlsMessage::decode_exact(message).unwrap() {
        MlsMessage::KeyPackage(key_package) => *key_package,
        other => panic!("{other:?}"),
    }
}

fn welcome_of(message: &[u8]) -> Welcome {
    match MlsMessage::decode_exact(message).unwrap() {
        MlsMessage::Welcome(welcome) => welcome,
        other => panic!("{other:?}"),
    }
}
