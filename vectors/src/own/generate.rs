//! Making the key packages.

use std::fmt::Write as _;
use std::sync::Arc;

use burrow::Result;
use crypto_api::{CipherSuite, CryptoBackend, Suite};
use crypto_rustcrypto::RustCrypto;
use serde::Serialize;

use super::forge::Draft;
use super::key_packages::{KeyPackageCase, Verdict};
use super::random::Named;
use super::specs::{Make, Spec, specs};

/// All cases, in the order of the file.
///
/// # Errors
/// If burrow or the crypto library can't make one.
pub fn generate() -> Result<Vec<KeyPackageCase>> {
    let mut cases = Vec::new();
    for spec in &specs() {
        for number in spec.suites {
            let name = format!("{} {number}", spec.name);
            let backend = RustCrypto::with_random(Arc::new(Named::new(&name)));
            let suite = backend.suite(CipherSuite(*number))?;
            cases.push(case(spec, *number, &messages(spec, suite)?));
        }
    }
    Ok(cases)
}

/// The file that the cases are written to.
///
/// # Errors
/// If they can't be written as JSON.
pub fn to_json<T: Serialize>(cases: &[T]) -> serde_json::Result<String> {
    serde_json::to_string_pretty(cases).map(|text| text + "\n")
}

fn case(spec: &Spec, cipher_suite: u16, messages: &[Vec<u8>]) -> KeyPackageCase {
    KeyPackageCase {
        name: spec.name.into(),
        what: spec.what.into(),
        pitfall: spec.pitfall,
        section: spec.section.into(),
        cipher_suite,
        key_packages: messages.iter().map(|message| hex(message)).collect(),
        verdict: if spec.reason.is_some() { Verdict::Reject } else { Verdict::Accept },
        reason: spec.reason,
    }
}

fn messages(spec: &Spec, suite: &dyn Suite) -> Result<Vec<Vec<u8>>> {
    let mut draft = Draft::new(suite, b"alice")?;
    match spec.make {
        Make::One(change) => {
            change(&mut draft);
            Ok(vec![draft.message(suite)?])
        }
        Make::SignedByAnother => {
            draft.signer = suite.generate_signing_key()?;
            Ok(vec![draft.message(suite)?])
        }
        Make::Two(change) => {
            let mut drafts = [draft, Draft::new(suite, b"bob")?];
            change(&mut drafts);
            drafts.iter().map(|draft| draft.message(suite)).collect()
        }
        Make::Bytes(change) => {
            let mut message = draft.message(suite)?;
            change(&mut message);
            Ok(vec![message])
        }
    }
}

/// Bytes as the files write them.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string doesn't fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
