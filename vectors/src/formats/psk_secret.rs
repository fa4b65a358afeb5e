//! `psk_secret.json`: pre-shared keys combined.

use burrow::schedule::PskSecret;
use burrow::types::{PreSharedKeyId, Psk};
use crypto_api::Secret;
use serde::Deserialize;
use serde_json::Value;

use crate::files::Unnoticed;
use crate::hex::Hex;
use crate::run::Bench;
use crate::{Stop, Tally};

pub(crate) const UNNOTICED: &[Unnoticed] =
    &[Unnoticed { field: "cipher_suite", why: "suites 2 and 3, and 4 and 5, have the same KDF" }];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    #[serde(rename = "cipher_suite")]
    _cipher_suite: u16,
    psks: Vec<PreSharedKey>,
    psk_secret: Hex,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PreSharedKey {
    psk_id: Hex,
    psk: Hex,
    psk_nonce: Hex,
}

pub(crate) fn check(bench: &Bench<'_>, case: &Value, tally: &mut Tally) -> Result<(), Stop> {
    let case: Case = super::read(case, tally)?;
    let psks: Vec<_> = case.psks.iter().map(external_psk).collect();
    let psks: Vec<_> = psks.iter().map(|(id, psk)| (id, psk)).collect();
    let secret = tally.step("psk_secret", PskSecret::derive(bench.suite, &psks))?;
    tally.equal("psk_secret", secret.as_secret(), &case.psk_secret.0);
    Ok(())
}

fn external_psk(psk: &PreSharedKey) -> (PreSharedKeyId, Secret) {
    let id = PreSharedKeyId {
        psk: Psk::External { psk_id: psk.psk_id.0.clone() },
        psk_nonce: psk.psk_nonce.0.clone(),
    };
    (id, Secret::copy_from(&psk.psk.0))
}
