//! Key agreement: `base`, a public key from a private key's bytes, and `derive`, the shared secret with
//! the private key decoded.

use std::hint::black_box;

use crypto_api::primitives::Dh;
use crypto_aws_lc::dh as aws_lc;
use crypto_dryoc::dh as dryoc;
use crypto_fiat::dh as fiat;
use crypto_graviola::dh as graviola;
use crypto_libcrux::dh as libcrux;
use crypto_rustcrypto::dh as rustcrypto;

use super::{Contender, NO_CURVE, Operation, Operations, Row, absent, into_rows};

/// A library with two private keys, the same for all.
struct Party {
    library: &'static str,
    publics: [Vec<u8>; 2],
    shared: Vec<u8>,
    operations: Operations,
}

pub(super) fn add(rows: &mut Vec<Row>) -> Result<(), String> {
    let others = [("fiat", NO_CURVE), ("libcrux", NO_CURVE), ("dryoc", NO_CURVE)];
    let cpu = [("graviola", "doesn't run on this processor")];
    let mut parties = vec![
        party::<aws_lc::X25519>("aws-lc")?,
        party::<rustcrypto::X25519>("rustcrypto")?,
        party::<fiat::X25519>("fiat")?,
        party::<libcrux::X25519>("libcrux")?,
        party::<dryoc::X25519>("dryoc")?,
        #[cfg(feature = "sodium")]
        party::<crypto_sodium::dh::X25519>("sodium")?,
    ];
    if super::graviola() {
        parties.push(party::<graviola::X25519>("graviola")?);
    }
    finish(rows, "x25519", parties, &cpu)?;
    let mut parties =
        vec![party::<aws_lc::P256>("aws-lc")?, party::<rustcrypto::P256>("rustcrypto")?];
    if super::graviola() {
        parties.push(party::<graviola::P256>("graviola")?);
    }
    finish(rows, "ecdh-p256", parties, &[&others[..], &cpu].concat())?;
    let mut parties =
        vec![party::<aws_lc::P384>("aws-lc")?, party::<rustcrypto::P384>("rustcrypto")?];
    if super::graviola() {
        parties.push(party::<graviola::P384>("graviola")?);
    }
    finish(rows, "ecdh-p384", parties, &[&others[..], &cpu].concat())?;
    let parties = vec![party::<aws_lc::P521>("aws-lc")?, party::<rustcrypto::P521>("rustcrypto")?];
    finish(rows, "ecdh-p521", parties, &[&others[..], &[("graviola", NO_CURVE)]].concat())?;
    let parties = vec![party::<rustcrypto::X448>("rustcrypto")?];
    let others = [&others[..], &[("graviola", NO_CURVE), ("aws-lc", NO_CURVE)]].concat();
    finish(rows, "x448", parties, &others)
}

fn party<G: Dh>(library: &'static str) -> Result<Party, String> {
    let failed = |_| format!("{library} refuses a private key");
    let private = |fill: u8| {
        let mut bytes = vec![fill; G::NSK];
        bytes[0] = 0; // below every order
        bytes
    };
    let (one, other) = (private(3), private(5));
    let decode = |bytes: &[u8]| G::private_key(bytes).map_err(failed);
    let public = |bytes: &[u8]| G::public_key(&decode(bytes)?).map_err(failed);
    let publics = [public(&one)?, public(&other)?];
    let shared = G::agree(&decode(&one)?, &publics[1]).map_err(failed)?.as_slice().to_vec();
    let (key, peer) = (decode(&one)?, publics[1].clone());
    let base: Operation = Box::new(move || {
        let key = G::private_key(black_box(&one));
        let _ = black_box(key.and_then(|key| G::public_key(&key)));
    });
    let derive: Operation = Box::new(move || {
        let _ = black_box(G::agree(black_box(&key), &peer));
    });
    let operations = vec![("base".into(), None, base), ("derive".into(), None, derive)];
    Ok(Party { library, publics, shared, operations })
}

fn finish(
    rows: &mut Vec<Row>,
    algorithm: &str,
    parties: Vec<Party>,
    reasons: &[(&'static str, &'static str)],
) -> Result<(), String> {
    for pair in parties.windows(2) {
        if pair[0].publics != pair[1].publics || pair[0].shared != pair[1].shared {
            let [one, other] = [pair[0].library, pair[1].library];
            return Err(format!("{algorithm}: {one} and {other} compute different keys"));
        }
    }
    let contenders: Vec<_> = parties
        .into_iter()
        .map(|party| Contender { library: party.library, operations: party.operations })
        .collect();
    let absent = absent(&contenders, reasons)?;
    into_rows(rows, algorithm, contenders, &absent);
    Ok(())
}
