//! `secret-tree.json`: the keys of each member's ratchets.

use burrow::schedule::{
    EncryptionSecret, RatchetLimits, RatchetType, SecretTree, SenderDataSecret,
};
use burrow::types::LeafIndex;
use crypto_api::{Secret, Suite};
use serde::Deserialize;
use serde_json::Value;

use crate::files::Unnoticed;
use crate::hex::Hex;
use crate::run::Bench;
use crate::{Stop, Tally};

pub(crate) const UNNOTICED: &[Unnoticed] = &[
    Unnoticed { field: "cipher_suite", why: "suites 4 and 5 have the same KDF and AEAD" },
    Unnoticed { field: "sender_data.ciphertext", why: "only its beginning is taken" },
    Unnoticed { field: "leaves[-1]", why: "the file then has a leaf less to look at" },
    Unnoticed { field: "leaves[][-1]", why: "the file then has a generation less to look at" },
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    #[serde(rename = "cipher_suite")]
    _cipher_suite: u16,
    sender_data: SenderData,
    encryption_secret: Hex,
    leaves: Vec<Vec<Generation>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SenderData {
    sender_data_secret: Hex,
    ciphertext: Hex,
    key: Hex,
    nonce: Hex,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Generation {
    generation: u32,
    handshake_key: Hex,
    handshake_nonce: Hex,
    application_key: Hex,
    application_nonce: Hex,
}

pub(crate) fn check(bench: &Bench<'_>, case: &Value, tally: &mut Tally) -> Result<(), Stop> {
    let case: Case = super::read(case, tally)?;
    let v = &case.sender_data;
    let secret = SenderDataSecret::from(Secret::copy_from(&v.sender_data_secret.0));
    let derived = secret.key_and_nonce(bench.suite, &v.ciphertext.0);
    let (key, nonce) = tally.step("sender_data", derived)?;
    tally.equal("sender_data.key", key, &v.key.0);
    tally.equal("sender_data.nonce", nonce, &v.nonce.0);

    let leaf_count = tally.step("leaves", u32::try_from(case.leaves.len()))?;
    let tree = || {
        let secret = EncryptionSecret::from(Secret::copy_from(&case.encryption_secret.0));
        SecretTree::new(secret, leaf_count, RatchetLimits::default())
    };
    let leaves: Vec<_> = (0..).map(LeafIndex).zip(&case.leaves).collect();
    // The keys are the same in whatever order they are asked for.
    let mut in_order = tree();
    for (leaf, generations) in &leaves {
        for generation in *generations {
            check_generation(bench.suite, &mut in_order, *leaf, generation, tally)?;
        }
    }
    let mut reversed = tree();
    for (leaf, generations) in leaves.iter().rev() {
        for generation in generations.iter().rev() {
            check_generation(bench.suite, &mut reversed, *leaf, generation, tally)?;
        }
    }
    Ok(())
}

fn check_generation(
    suite: &dyn Suite,
    tree: &mut SecretTree,
    leaf: LeafIndex,
    v: &Generation,
    tally: &mut Tally,
) -> Result<(), Stop> {
    tally.place(format_args!("leaf {}, generation {}", leaf.0, v.generation));
    for (ratchet, key, nonce) in [
        (RatchetType::Handshake, &v.handshake_key, &v.handshake_nonce),
        (RatchetType::Application, &v.application_key, &v.application_nonce),
    ] {
        let pending = tally.step("a key", tree.peek(suite, leaf, ratchet, v.generation))?;
        tally.equal("key", pending.key().key(), &key.0);
        tally.equal("nonce", pending.key().nonce(), &nonce.0);
        tally.step("using the key", tree.advance(suite, pending.into_advance()))?;
    }
    Ok(())
}
