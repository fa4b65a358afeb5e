//! What is done for many at once, in one batch or on several threads: the outcome is that of one after
//! the other. To be run with the feature `parallel` and without it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod forged_tree;
mod group_model;
mod members;

use burrow::{
    Error, PeerError,
    codec::{Decode, Encode},
    crypto::{decrypt_with_label, encrypt_with_label_batch},
    group::Config,
    types::{Extension, ExtensionType, Extensions, KeyPackage},
};
use crypto_api::SealTo;
use forged_tree::{Forged, with_suite};
use group_model::{Model, new_client};
use members::{Lab, package};

/// So often that threads come in another order once.
const RUNS: usize = 20;

/// Of several faults it is the first one in order that is reported.
#[test]
fn the_first_fault_of_a_tree_counts() {
    with_suite(|suite| {
        let model = Model::cold(suite, 70);
        let unlisted = || {
            let extension =
                Extension { extension_type: ExtensionType(0xf1), extension_data: vec![] };
            Extensions::from_vec(vec![extension]).unwrap()
        };
        let mut forged = Forged::new(&model.tree);
        assert!(forged.verify(suite).is_ok());
        let last_byte = |forged: &mut Forged, leaf: usize| {
            let Some(forged_tree::WireNode::Leaf(node)) = &mut forged.0[2 * leaf] else {
                panic!("no leaf there");
            };
            let mut bytes = node.to_bytes().unwrap();
            *bytes.last_mut().unwrap() ^= 1;
            *node = Decode::decode_exact(&bytes).unwrap();
        };
        last_byte(&mut forged, 3);
        for _ in 0..RUNS {
            let error = forged.verify(suite).err();
            assert_eq!(error, Some(Error::Peer(PeerError::BadSignature)));
        }
        // The keys and the contents of all leaves come before their signatures.
        forged.resign(&model, 60, |content| content.encryption_key = vec![0; 32].into());
        forged.resign(&model, 65, |content| content.extensions = unlisted());
        for _ in 0..RUNS {
            assert_eq!(forged.verify(suite).err(), Some(Error::Peer(PeerError::BadKey)));
        }
        forged.resign(&model, 10, |content| content.extensions = unlisted());
        for _ in 0..RUNS {
            forged.is_refused(suite, "7.3: a leaf's capabilities lack one of its own");
        }
    });
}

#[test]
fn the_first_fault_of_key_packages_counts() {
    with_suite(|suite| {
        let good: Vec<KeyPackage> =
            (0..50).map(|_| KeyPackage::clone(&new_client(suite, "someone").2)).collect();
        let verified = KeyPackage::verify_batch(suite, good.clone()).unwrap();
        assert!(
            verified.iter().map(|one| one.as_bytes()).eq(good.iter().map(KeyPackage::as_bytes))
        );
        let with_byte = |at: usize, byte: usize| {
            let mut bytes = good[at].as_bytes().to_vec();
            let byte = if byte == usize::MAX { bytes.len() - 1 } else { byte };
            bytes[byte] ^= 3;
            KeyPackage::decode_exact(&bytes).unwrap()
        };
        let mut packages = good.clone();
        packages[2] = with_byte(2, usize::MAX);
        for _ in 0..RUNS {
            let error = KeyPackage::verify_batch(suite, packages.clone()).err();
            assert_eq!(error, Some(Error::Peer(PeerError::BadSignature)));
        }
        // An init_key of small order.
        let mut bytes = good[45].as_bytes().to_vec();
        bytes[5..37].fill(0);
        packages[45] = KeyPackage::decode_exact(&bytes).unwrap();
        for _ in 0..RUNS {
            let error = KeyPackage::verify_batch(suite, packages.clone()).err();
            assert_eq!(error, Some(Error::Peer(PeerError::BadKey)));
        }
        // Another version, at an earlier place.
        packages[30] = with_byte(30, 1);
        for _ in 0..RUNS {
            let error = KeyPackage::verify_batch(suite, packages.clone()).err().unwrap();
            assert!(error.to_string().contains("10.1: a key package's version"), "{error}");
        }
    });
}

/// Each gets its own, in order; one bad key among them and nobody gets anything.
#[test]
fn what_is_sealed_to_many_opens_in_order() {
    with_suite(|suite| {
        for count in [0, 1, 15, 16, 17, 63, 64] {
            let keys: Vec<_> = (0..count).map(|_| suite.generate_key_pair().unwrap()).collect();
            let texts: Vec<_> = (0..count).map(|n| format!("for number {n}")).collect();
            let mut recipients: Vec<_> = keys
                .iter()
                .zip(&texts)
                .map(|(key, text)| SealTo { public: key.public(), plaintext: text.as_bytes() })
                .collect();
            let seal = |recipients: &[SealTo<'_>]| {
                encrypt_with_label_batch(suite, recipients, b"label", b"context")
            };
            let sealed = seal(&recipients).unwrap();
            assert_eq!(sealed.len(), count);
            for ((key, text), sealed) in keys.iter().zip(&texts).zip(&sealed) {
                let opened = decrypt_with_label(suite, key, b"label", b"context", sealed).unwrap();
                assert_eq!(opened.as_slice(), text.as_bytes());
            }
            if let Some(last) = recipients.last_mut() {
                last.public = &[0; 32];
                assert_eq!(seal(&recipients).err(), Some(Error::Peer(PeerError::BadKey)));
            }
        }
    });
}

/// A large group made in one commit, joined and committed in.
#[test]
fn a_large_group() {
    let mut lab = Lab::new(Config::default(), 1);
    lab.create();
    lab.grow(99);
    let new = [lab.key_package()];
    lab.commit(57, &new, |b| b.add_member(package(&new[0])));
    lab.talk(99, b"hello");
}
