//! The working group's `secret-tree.json`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod backends;
mod conformance;
mod vectors;

use burrow::{
    schedule::{EncryptionSecret, RatchetLimits, RatchetType, SecretTree, SenderDataSecret},
    types::LeafIndex,
};
use conformance::{Floor, Tally};
use crypto_api::{Secret, Suite};
use serde::Deserialize;
use vectors::Hex;

#[derive(Deserialize)]
struct Case {
    cipher_suite: u16,
    sender_data: SenderData,
    encryption_secret: Hex,
    leaves: Vec<Vec<Generation>>,
}

#[derive(Deserialize)]
struct SenderData {
    sender_data_secret: Hex,
    ciphertext: Hex,
    key: Hex,
    nonce: Hex,
}

#[derive(Deserialize)]
struct Generation {
    generation: u32,
    handshake_key: Hex,
    handshake_nonce: Hex,
    application_key: Hex,
    application_nonce: Hex,
}

#[test]
fn secret_tree() {
    // Trees of 1, 8 and 32 leaves, generations 0 and 15, each in both orders.
    let floor = Floor {
        cases: 12 * 3,
        checks: 12 * (2 * 3 + 2 * 41 * 2 * 4),
    };
    conformance::run(
        "secret-tree.json",
        &floor,
        |case: &Case| case.cipher_suite,
        check,
    );
}

fn check(suite: &dyn Suite, case: &Case, tally: &mut Tally) {
    let v = &case.sender_data;
    let secret = SenderDataSecret::from(Secret::copy_from(&v.sender_data_secret.0));
    let (key, nonce) = secret.key_and_nonce(suite, &v.ciphertext.0).unwrap();
    tally.equal("sender_data_key", key, &v.key.0);
    tally.equal("sender_data_nonce", nonce, &v.nonce.0);

    let leaf_count = u32::try_from(case.leaves.len()).unwrap();
    let tree = || {
        let secret = EncryptionSecret::from(Secret::copy_from(&case.encryption_secret.0));
        SecretTree::new(secret, leaf_count, RatchetLimits::default())
    };
    let leaves: Vec<_> = (0..).map(LeafIndex).zip(&case.leaves).collect();
    let mut in_order = tree();
    for (leaf, generations) in &leaves {
        for generation in *generations {
            check_generation(suite, &mut in_order, *leaf, generation, tally);
        }
    }
    let mut reversed = tree();
    for (leaf, generations) in leaves.iter().rev() {
        for generation in generations.iter().rev() {
            check_generation(suite, &mut reversed, *leaf, generation, tally);
        }
    }
}

fn check_generation(
    suite: &dyn Suite,
    tree: &mut SecretTree,
    leaf: LeafIndex,
    v: &Generation,
    tally: &mut Tally,
) {
    for (ratchet, key, nonce) in [
        (RatchetType::Handshake, &v.handshake_key, &v.handshake_nonce),
        (
            RatchetType::Application,
            &v.application_key,
            &v.application_nonce,
        ),
    ] {
        let pending = tree.peek(suite, leaf, ratchet, v.generation).unwrap();
        tally.equal("key", pending.key().key(), &key.0);
        tally.equal("nonce", pending.key().nonce(), &nonce.0);
        tree.advance(suite, pending.into_advance()).unwrap();
    }
}
