//! What can be wrong with a key package, and what can't.

use super::forge::{Draft, Header, LIFETIME, Source};
use super::key_packages::Reason;

/// One of each family of curves, for what doesn't depend on more.
const FAMILIES: &[u16] = &[1, 2];
const ALL: &[u16] = &[1, 2, 3, 4, 5, 6, 7];
const X: &[u16] = &[1, 3, 4, 6];
const NIST: &[u16] = &[2, 5, 7];

/// How the key packages of a case are made.
pub(super) enum Make {
    /// One, changed before it is signed.
    One(fn(&mut Draft)),
    /// One, signed with a key that has nothing to do with it.
    SignedByAnother,
    /// Two, changed before they are signed.
    Two(fn(&mut [Draft; 2])),
    /// One, changed when all is done.
    Bytes(fn(&mut Vec<u8>)),
}

/// A case, for each of its cipher suites.
pub(super) struct Spec {
    pub(super) name: &'static str,
    pub(super) what: &'static str,
    pub(super) pitfall: Option<u8>,
    pub(super) section: &'static str,
    pub(super) suites: &'static [u16],
    pub(super) reason: Option<Reason>,
    pub(super) make: Make,
}

const fn good(
    name: &'static str,
    what: &'static str,
    (pitfall, section): (Option<u8>, &'static str),
    suites: &'static [u16],
    make: Make,
) -> Spec {
    Spec { name, what, pitfall, section, suites, reason: None, make }
}

const fn bad(
    name: &'static str,
    what: &'static str,
    (pitfall, section): (Option<u8>, &'static str),
    reason: Reason,
    suites: &'static [u16],
    make: Make,
) -> Spec {
    Spec { name, what, pitfall, section, suites, reason: Some(reason), make }
}

/// All of them, in the order of the file.
pub(super) fn specs() -> Vec<Spec> {
    let lists =
        [accepted(), broken_keys(), broken_signatures(), broken_encodings(), broken_rules()];
    lists.into_iter().flatten().collect()
}

/// What nobody may refuse: without these an engine that refuses everything would pass.
fn accepted() -> Vec<Spec> {
    vec![
        good("plain", "nothing is wrong with it", (None, "10"), ALL, Make::One(|_| ())),
        good("two", "nothing is wrong with either", (None, "10"), FAMILIES, Make::Two(|_| ())),
        good(
            "grease-in-capabilities",
            "GREASE values in all lists of the capabilities",
            (Some(48), "13.5"),
            FAMILIES,
            Make::One(|draft| {
                let leaf = &mut draft.leaf;
                leaf.cipher_suites.push(0x0a0a);
                leaf.extension_types.push(0x1a1a);
                leaf.proposal_types.push(0x2a2a);
                leaf.credential_types.push(0x3a3a);
            }),
        ),
        good(
            "grease-extension",
            "a GREASE extension in the leaf, listed in its capabilities",
            (Some(48), "13.5"),
            FAMILIES,
            Make::One(|draft| {
                draft.leaf.extension_types.push(0x4a4a);
                draft.leaf.extensions.push((0x4a4a, vec![1, 2, 3]));
            }),
        ),
        good(
            "default-extension-not-listed",
            "an application_id in the leaf, which capabilities don't list",
            (Some(49), "7.2"),
            FAMILIES,
            Make::One(|draft| {
                draft.leaf.extensions.push((1, b"\x05phone".to_vec()));
            }),
        ),
        good(
            "unknown-extension-listed",
            "an extension of a private type in the leaf, listed in its capabilities",
            (Some(50), "7.3"),
            FAMILIES,
            Make::One(|draft| {
                draft.leaf.extension_types.push(0xf123);
                draft.leaf.extensions.push((0xf123, Vec::new()));
            }),
        ),
    ]
}

fn broken_keys() -> Vec<Spec> {
    vec![
        bad(
            "init-key-short",
            "the init_key is one byte short",
            (None, "5.1.1"),
            Reason::Key,
            ALL,
            Make::One(|draft| {
                draft.init_key.pop();
            }),
        ),
        bad(
            "encryption-key-short",
            "the leaf's encryption_key is one byte short",
            (None, "5.1.1"),
            Reason::Key,
            ALL,
            Make::One(|draft| {
                draft.leaf.encryption_key.pop();
            }),
        ),
        bad(
            "init-key-zero",
            "the init_key is the point of small order 0, to which nothing can be encrypted",
            (None, "5.1.1"),
            Reason::Key,
            X,
            Make::One(|draft| {
                draft.init_key.fill(0);
            }),
        ),
        bad(
            "init-key-compressed",
            "the init_key is a compressed point",
            (Some(54), "5.1.1"),
            Reason::Key,
            NIST,
            Make::One(|draft| {
                let half = draft.init_key.len() / 2;
                let sign = 2 | (draft.init_key.last().copied().unwrap_or(0) & 1);
                draft.init_key.truncate(half + 1);
                draft.init_key[0] = sign;
            }),
        ),
        bad(
            "init-key-off-curve",
            "the init_key is no point of the curve",
            (Some(54), "5.1.1"),
            Reason::Key,
            NIST,
            Make::One(|draft| {
                if let Some(last) = draft.init_key.last_mut() {
                    *last ^= 1;
                }
            }),
        ),
    ]
}

fn broken_signatures() -> Vec<Spec> {
    vec![
        bad(
            "signature-empty",
            "the signature is empty",
            (Some(38), "10.1"),
            Reason::Signature,
            ALL,
            Make::One(|draft| {
                draft.damage = Vec::clear;
            }),
        ),
        bad(
            "leaf-signature-empty",
            "the leaf's signature is empty; the key package's covers that",
            (Some(38), "7.3"),
            Reason::Signature,
            ALL,
            Make::One(|draft| {
                draft.leaf.damage = Vec::clear;
            }),
        ),
        bad(
            "signature-wrong",
            "one bit of the signature is another one",
            (None, "10.1"),
            Reason::Signature,
            ALL,
            Make::One(|draft| {
                draft.damage = |signature| signature[8] ^= 1;
            }),
        ),
        bad(
            "leaf-signature-wrong",
            "one bit of the leaf's signature is another one; the key package's covers that",
            (None, "7.3"),
            Reason::Signature,
            ALL,
            Make::One(|draft| {
                draft.leaf.damage = |signature| signature[8] ^= 1;
            }),
        ),
        bad(
            "signed-by-another",
            "the key package is signed with a key that isn't its leaf's",
            (None, "10.1"),
            Reason::Signature,
            FAMILIES,
            Make::SignedByAnother,
        ),
    ]
}

fn broken_encodings() -> Vec<Spec> {
    vec![
        bad(
            "length-not-minimal",
            "the length of the init_key is written in the next longer form",
            (Some(46), "2.1.2"),
            Reason::Malformed,
            FAMILIES,
            Make::One(|draft| {
                draft.init_key_header = Header::Longer;
            }),
        ),
        bad(
            "length-prefix-11",
            "the length of the init_key is written with the prefix 11",
            (Some(46), "2.1.2"),
            Reason::Malformed,
            FAMILIES,
            Make::One(|draft| {
                draft.init_key_header = Header::Invalid;
            }),
        ),
        bad(
            "trailing-byte",
            "a byte follows the MLSMessage",
            (Some(47), "6"),
            Reason::Malformed,
            FAMILIES,
            Make::Bytes(|message| message.push(0)),
        ),
        bad(
            "truncated",
            "the last byte is missing",
            (Some(47), "6"),
            Reason::Malformed,
            FAMILIES,
            Make::Bytes(|message| {
                message.pop();
            }),
        ),
        bad(
            "empty",
            "there is nothing",
            (Some(47), "6"),
            Reason::Malformed,
            FAMILIES,
            Make::Bytes(Vec::clear),
        ),
        bad(
            "unknown-source",
            "a leaf_node_source that there isn't",
            (Some(23), "7.2"),
            Reason::Malformed,
            FAMILIES,
            Make::One(|draft| {
                draft.leaf.source = Source::Unknown;
            }),
        ),
        bad(
            "extension-twice",
            "two extensions of one type in the leaf",
            (Some(50), "13.4"),
            Reason::Malformed,
            FAMILIES,
            Make::One(|draft| {
                draft.leaf.extension_types.push(0xf123);
                draft.leaf.extensions.push((0xf123, vec![1]));
                draft.leaf.extensions.push((0xf123, vec![2]));
            }),
        ),
        bad(
            "package-extension-twice",
            "two extensions of one type in the key package",
            (Some(50), "13.4"),
            Reason::Malformed,
            FAMILIES,
            Make::One(|draft| {
                draft.leaf.extension_types.push(0xf123);
                draft.extensions.push((0xf123, vec![1]));
                draft.extensions.push((0xf123, vec![2]));
            }),
        ),
    ]
}

fn broken_rules() -> Vec<Spec> {
    let mut specs = rules_of_one();
    specs.extend(lifetimes());
    specs.extend(rules_of_two());
    specs
}

fn rules_of_one() -> Vec<Spec> {
    vec![
        bad(
            "init-key-is-encryption-key",
            "the init_key is the leaf's encryption_key",
            (Some(22), "10.1"),
            Reason::Rule,
            ALL,
            Make::One(|draft| {
                draft.init_key = draft.leaf.encryption_key.clone();
            }),
        ),
        bad(
            "source-update",
            "the leaf's leaf_node_source is update",
            (Some(23), "7.3"),
            Reason::Rule,
            FAMILIES,
            Make::One(|draft| {
                draft.leaf.source = Source::Update;
            }),
        ),
        bad(
            "source-commit",
            "the leaf's leaf_node_source is commit",
            (Some(23), "7.3"),
            Reason::Rule,
            FAMILIES,
            Make::One(|draft| {
                draft.leaf.source = Source::Commit(vec![0x5a; 32]);
            }),
        ),
        bad(
            "version-unknown",
            "the key package is for version 2",
            (Some(30), "10.1"),
            Reason::Rule,
            FAMILIES,
            Make::One(|draft| {
                draft.version = 2;
            }),
        ),
        bad(
            "other-cipher-suite",
            "the key package is for another cipher suite, with the same kinds of keys where there is one",
            (Some(30), "10.1"),
            Reason::Rule,
            ALL,
            Make::One(|draft| {
                draft.cipher_suite = match draft.cipher_suite {
                    1 => 3,
                    4 => 6,
                    6 => 4,
                    _ => 1,
                };
                draft.leaf.cipher_suites = vec![1, 2, 3, 4, 5, 6, 7];
            }),
        ),
        bad(
            "version-not-listed",
            "the leaf's capabilities don't have mls10",
            (None, "11.1"),
            Reason::Rule,
            FAMILIES,
            Make::One(|draft| {
                draft.leaf.versions = vec![0xf001];
            }),
        ),
        bad(
            "cipher-suite-not-listed",
            "the leaf's capabilities don't have the key package's cipher suite",
            (None, "11.1"),
            Reason::Rule,
            FAMILIES,
            Make::One(|draft| {
                draft.leaf.cipher_suites = vec![0xf001];
            }),
        ),
        bad(
            "credential-type-not-listed",
            "the leaf's capabilities don't have its own type of credential",
            (Some(51), "7.2"),
            Reason::Rule,
            FAMILIES,
            Make::One(|draft| {
                draft.leaf.credential_types = vec![2];
            }),
        ),
        bad(
            "extension-not-listed",
            "an extension of a private type in the leaf, not listed in its capabilities",
            (Some(50), "7.3"),
            Reason::Rule,
            FAMILIES,
            Make::One(|draft| {
                draft.leaf.extensions.push((0xf123, Vec::new()));
            }),
        ),
        bad(
            "grease-extension-not-listed",
            "a GREASE extension in the leaf, not listed in its capabilities",
            (Some(48), "7.3"),
            Reason::Rule,
            FAMILIES,
            Make::One(|draft| {
                draft.leaf.extensions.push((0x4a4a, Vec::new()));
            }),
        ),
    ]
}

fn lifetimes() -> Vec<Spec> {
    const WHERE: (Option<u8>, &str) = (Some(52), "7.3");
    vec![
        bad(
            "expired",
            "the leaf's lifetime is over",
            WHERE,
            Reason::Rule,
            FAMILIES,
            Make::One(|draft| {
                draft.leaf.source = Source::KeyPackage(1_500_000_000, 1_600_000_000);
            }),
        ),
        bad(
            "not-yet-valid",
            "the leaf's lifetime hasn't begun",
            WHERE,
            Reason::Rule,
            FAMILIES,
            Make::One(|draft| {
                draft.leaf.source = Source::KeyPackage(LIFETIME.1 - 1000, LIFETIME.1);
            }),
        ),
        bad(
            "ends-before-it-begins",
            "the leaf's lifetime ends before it begins",
            WHERE,
            Reason::Rule,
            FAMILIES,
            Make::One(|draft| {
                draft.leaf.source = Source::KeyPackage(LIFETIME.1, LIFETIME.0);
            }),
        ),
    ]
}

fn rules_of_two() -> Vec<Spec> {
    vec![
        bad(
            "same-signature-key",
            "two key packages with one signature_key",
            (Some(21), "7.3"),
            Reason::Rule,
            FAMILIES,
            Make::Two(|[one, other]| {
                other.signer = one.signer.clone();
                other.leaf.signer = one.leaf.signer.clone();
                other.leaf.signature_key = one.leaf.signature_key.clone();
            }),
        ),
        bad(
            "same-encryption-key",
            "two key packages with one encryption_key",
            (Some(21), "7.3"),
            Reason::Rule,
            FAMILIES,
            Make::Two(|[one, other]| {
                other.leaf.encryption_key = one.leaf.encryption_key.clone();
            }),
        ),
    ]
}
