//! The post-quantum suites in the working group's formats.
//!
//! Trees, messages and epochs are made by hand, as those of the [`scenes`](super::scenes) are. Keys,
//! ciphertexts and signatures are RustCrypto's, by randomness that follows from the names of file and
//! suite: the same bytes each time.

mod derivations;
mod messages;
mod passive;
mod trees;

use std::sync::Arc;

use burrow::Result;
use burrow::crypto::expand_with_label;
use crypto_api::{CryptoBackend, HpkePrivateKey, PqSuite, PqSuites, Secret, Suite};
use crypto_rustcrypto::RustCrypto;
use serde_json::Value;

use super::forge::Draft;
use super::forging::Group;
use super::generate::hex;
use super::random::Named;

/// A case of a suite; the number is the suite's place in [`PqSuite::ALL`].
type Make = fn(&dyn Suite, usize) -> Result<Value>;

/// The files, and what makes a case of each.
const FILES: [(&str, Make); 11] = [
    ("crypto-basics.json", derivations::crypto_basics),
    ("secret-tree.json", derivations::secret_tree),
    ("message-protection.json", messages::message_protection),
    ("key-schedule.json", derivations::key_schedule),
    ("psk_secret.json", derivations::psks),
    ("transcript-hashes.json", messages::transcript_hashes),
    ("welcome.json", messages::welcome),
    ("tree-operations.json", trees::operations),
    ("tree-validation.json", trees::validation),
    ("treekem.json", trees::treekem),
    ("passive-client.json", passive::passive_client),
];

/// All files by their names, with a case of each suite.
///
/// # Errors
/// If burrow or the crypto library can't make one.
pub fn generate_post_quantum() -> Result<Vec<(&'static str, Vec<Value>)>> {
    let suites = PqSuites::default();
    let mut files = Vec::new();
    for (file, make) in FILES {
        let mut cases = Vec::new();
        for (number, suite) in PqSuite::ALL.iter().enumerate() {
            let random = Arc::new(Named::new(&format!("{file} {}", suite.name())));
            let backend = RustCrypto::with_post_quantum(&suites, random);
            cases.push(make(backend.suite(suite.default_code_point())?, number)?);
        }
        files.push((file, cases));
    }
    Ok(files)
}

/// A client with its private keys.
struct Joiner {
    draft: Draft,
    init_key: HpkePrivateKey,
    leaf_key: HpkePrivateKey,
}

impl Joiner {
    fn new(suite: &dyn Suite, name: &'static [u8]) -> Result<Self> {
        let (init_key, leaf_key) = (suite.generate_key_pair()?, suite.generate_key_pair()?);
        let mut draft = Draft::new(suite, name)?;
        draft.init_key = init_key.public().to_vec();
        draft.leaf.encryption_key = leaf_key.public().to_vec();
        Ok(Self { draft, init_key, leaf_key })
    }
}

/// A group of so many who have just been added, and their keys.
fn group_of(suite: &dyn Suite, count: usize) -> Result<(Group<'_>, Vec<Joiner>)> {
    const NAMES: [&[u8]; 4] = [b"member 0", b"member 1", b"member 2", b"member 3"];
    let members = NAMES.iter().take(count).map(|name| Joiner::new(suite, name));
    let members: Vec<_> = members.collect::<Result<_>>()?;
    let drafts: Vec<_> = members.iter().map(|member| member.draft.clone()).collect();
    Ok((Group::of(suite, &drafts)?, members))
}

/// Random bytes, in hex and as they are.
fn bytes(suite: &dyn Suite, length: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    suite.random(&mut bytes)?;
    Ok(bytes)
}

fn secret_hex(secret: &Secret) -> String {
    hex(secret.as_slice())
}

/// `ExpandWithLabel` to `KDF.Nh` bytes.
fn expand(suite: &dyn Suite, secret: &Secret, label: &[u8], context: &[u8]) -> Result<Secret> {
    expand_with_label(suite, secret, label, context, suite.kdf_nh())
}
