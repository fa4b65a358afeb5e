//! The structs that aren't covered by a vector: what is made verifies, what is altered doesn't, and
//! the rules of the registries.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod group_model;

use burrow::{
    CallerError, Error, PeerError,
    codec::{Decode, DecodeError, Encode},
    types::{
        ApplicationId, Credential, CredentialType, Extension, ExtensionType, Extensions,
        ExternalPub, GroupContext, GroupInfo, GroupInfoContent, KeyPackage, KeyPackageContent,
        LastResort, LeafIndex, Lifetime, PreSharedKeyId, Proposal, ProposalType, ProtocolVersion,
        Psk, ReInit, RequiredCapabilities, ResumptionPskUsage,
    },
};
use crypto_api::{CipherSuite, CryptoBackend, Suite};
use crypto_rustcrypto::RustCrypto;
use group_model::{SeededRandom, leaf_content, new_client, public_key};

fn with_suites(test: impl Fn(&dyn Suite)) {
    let backend = RustCrypto::with_random(SeededRandom::new(3));
    for number in [1, 2, 7] {
        test(backend.suite(CipherSuite(number)).unwrap());
    }
}

/// A key package over the wire.
fn received(package: &KeyPackage) -> KeyPackage {
    KeyPackage::decode_exact(&package.to_bytes().unwrap()).unwrap()
}

#[test]
fn a_key_package_verifies_and_no_altered_byte_does() {
    with_suites(|suite| {
        let (.., package) = new_client(suite, "someone");
        let verified = received(&package).verify(suite).unwrap();
        assert_eq!(verified, package);
        assert_eq!(verified.leaf().as_bytes(), package.leaf_node.as_bytes());
        let reference = package.reference(suite).unwrap();
        assert_eq!(received(&package).reference(suite).unwrap(), reference);
        let bytes = package.as_bytes();
        let mut altered = 0;
        for at in (0..bytes.len()).step_by(7) {
            let mut other = bytes.to_vec();
            other[at] ^= 1;
            if let Ok(other) = KeyPackage::decode_exact(&other) {
                assert_ne!(other.reference(suite).unwrap(), reference);
                assert!(other.verify(suite).is_err(), "byte {at}");
                altered += 1;
            }
        }
        assert!(altered > 20, "{altered}");
    });
}

#[test]
fn a_batch_of_key_packages_is_as_good_as_its_worst() {
    with_suites(|suite| {
        let packages = [(); 3].map(|()| received(&new_client(suite, "someone").2));
        let verified = KeyPackage::verify_batch(suite, packages.to_vec()).unwrap();
        assert!(
            verified.iter().map(|p| p.as_bytes()).eq(packages.iter().map(KeyPackage::as_bytes))
        );
        assert!(KeyPackage::verify_batch(suite, vec![]).unwrap().is_empty());
        // The last byte is of the package's own signature; the leaf's is all right.
        let mut bytes = packages[1].as_bytes().to_vec();
        *bytes.last_mut().unwrap() ^= 1;
        let [first, _, last] = packages;
        let worst = KeyPackage::decode_exact(&bytes).unwrap();
        let refused = KeyPackage::verify_batch(suite, vec![first, worst, last]);
        assert_eq!(refused.err(), Some(Error::Peer(PeerError::BadSignature)));
    });
}

#[test]
fn a_batch_of_one_key_package_or_of_its_copies() {
    with_suites(|suite| {
        let good = received(&new_client(suite, "someone").2);
        let mut bytes = good.as_bytes().to_vec();
        *bytes.last_mut().unwrap() ^= 1;
        let bad = KeyPackage::decode_exact(&bytes).unwrap();
        for copies in [1, 2, 5] {
            let verified = KeyPackage::verify_batch(suite, vec![good.clone(); copies]).unwrap();
            assert_eq!(verified.len(), copies);
            assert!(verified.iter().all(|one| one.as_bytes() == good.as_bytes()));
            let refused = KeyPackage::verify_batch(suite, vec![bad.clone(); copies]);
            assert_eq!(refused.err(), Some(Error::Peer(PeerError::BadSignature)));
        }
    });
}

#[test]
fn pitfall_22_the_init_key_is_not_the_encryption_key() {
    with_suites(|suite| {
        let (signer, leaf_key, _) = new_client(suite, "someone");
        let content = leaf_content(suite, &signer, &leaf_key, "someone");
        let init_key = public_key(&leaf_key);
        let made = KeyPackageContent::sign(suite, &signer, init_key, content, Extensions::new());
        let rule = "10.1: a key package's init_key is its leaf's encryption_key";
        assert_eq!(made.err(), Some(Error::Caller(CallerError::Invalid(rule))));
    });
}

#[test]
fn pitfall_30_version_and_suite_are_the_groups() {
    let backend = RustCrypto::with_random(SeededRandom::new(4));
    let [one, three] = [1, 3].map(|n| backend.suite(CipherSuite(n)).unwrap());
    let (.., package) = new_client(one, "someone");
    let rule = "10.1: a key package's version or cipher suite is not the group's";
    let refused = Some(Error::Peer(PeerError::Invalid(rule)));
    assert_eq!(received(&package).verify(three).err(), refused);
    for at in [1, 3] {
        let mut bytes = package.as_bytes().to_vec();
        bytes[at] ^= 3;
        let other = KeyPackage::decode_exact(&bytes).unwrap();
        assert_eq!(other.verify(one).err(), refused);
    }
}

/// Section 11.1, for what is made here. What is received may come from a client that is less strict.
#[test]
fn a_key_package_of_ours_lists_its_own_suite() {
    with_suites(|suite| {
        let (signer, leaf_key, package) = new_client(suite, "someone");
        let mut content = leaf_content(suite, &signer, &leaf_key, "someone");
        content.capabilities.cipher_suites = vec![CipherSuite(0x0a0a)];
        let init_key = package.init_key.clone();
        let made = KeyPackageContent::sign(suite, &signer, init_key, content, Extensions::new());
        assert!(matches!(made, Err(Error::Caller(CallerError::Invalid(_)))));
    });
}

#[test]
fn a_group_info_verifies_with_its_signers_key_only() {
    with_suites(|suite| {
        let (signer, ..) = new_client(suite, "signer");
        let content = GroupInfoContent {
            group_context: GroupContext {
                version: ProtocolVersion::MLS10,
                cipher_suite: suite.cipher_suite(),
                group_id: b"a group".to_vec(),
                epoch: 7,
                tree_hash: vec![1; 32],
                confirmed_transcript_hash: vec![2; 32],
                extensions: Extensions::new(),
            },
            extensions: Extensions::new(),
            confirmation_tag: vec![3; 32],
            signer: LeafIndex(2),
        };
        let info = content.sign(suite, &signer).unwrap();
        let received = GroupInfo::decode_exact(&info.to_bytes().unwrap()).unwrap();
        assert_eq!(received, info);
        let key = suite.verifying_key(signer.public()).unwrap();
        assert_eq!(received.verify(suite, &key), Ok(()));
        let mut bytes = info.to_bytes().unwrap();
        bytes[14] ^= 1;
        let altered = GroupInfo::decode_exact(&bytes).unwrap();
        let refused = Err(Error::Peer(PeerError::BadSignature));
        assert_eq!(altered.verify(suite, &key), refused);
        let (other, ..) = new_client(suite, "another");
        let key = suite.verifying_key(other.public()).unwrap();
        assert_eq!(received.verify(suite, &key), refused);
    });
}

#[test]
fn pitfall_47_nothing_is_left_over_in_an_extension() {
    let mut extensions = Extensions::new();
    let required = RequiredCapabilities {
        credential_types: vec![CredentialType::BASIC],
        ..RequiredCapabilities::default()
    };
    extensions.put(&required).unwrap();
    extensions.put(&ApplicationId(b"an id".to_vec())).unwrap();
    extensions.put(&LastResort).unwrap();
    let extensions = Extensions::decode_exact(&extensions.to_bytes().unwrap()).unwrap();
    assert_eq!(extensions.find(), Ok(Some(required)));
    assert_eq!(extensions.find(), Ok(Some(LastResort)));
    assert_eq!(extensions.find::<ExternalPub>(), Ok(None));
    for extension in &extensions {
        let mut longer = extension.clone();
        longer.extension_data.push(0);
        let mut list = Extensions::new();
        list.insert(longer);
        let results = [
            list.find::<RequiredCapabilities>().err(),
            list.find::<ApplicationId>().err(),
            list.find::<LastResort>().err(),
        ];
        let errors: Vec<_> = results.into_iter().flatten().collect();
        assert_eq!(errors, [DecodeError::TrailingBytes]);
    }
}

#[test]
fn extensions_are_replaced_and_not_repeated() {
    let extension = |extension_type, byte| Extension {
        extension_type: ExtensionType(extension_type),
        extension_data: vec![byte],
    };
    let mut extensions = Extensions::new();
    extensions.insert(extension(7, 1));
    extensions.insert(extension(8, 2));
    extensions.insert(extension(7, 3));
    assert!(extensions.types().eq([ExtensionType(7), ExtensionType(8)]));
    assert_eq!(extensions.data(ExtensionType(7)), Some(&[3][..]));
    let twice = vec![extension(7, 1), extension(8, 2), extension(7, 1)];
    let bytes = twice.to_bytes().unwrap();
    assert!(Extensions::from_vec(twice).is_err());
    assert!(Extensions::decode_exact(&bytes).is_err());
}

#[test]
fn proposals_say_what_the_registry_says() {
    let psk = PreSharedKeyId {
        psk: Psk::Resumption {
            usage: ResumptionPskUsage::Branch,
            psk_group_id: b"old".to_vec(),
            psk_epoch: 1 << 40,
        },
        psk_nonce: vec![9; 32],
    };
    let reinit = ReInit {
        group_id: b"new".to_vec(),
        version: ProtocolVersion::MLS10,
        cipher_suite: CipherSuite(3),
        extensions: Extensions::new(),
    };
    // Type, "Ext" and "Path" of the registry.
    let all = [
        (Proposal::Remove(LeafIndex(5)), 3, true, true),
        (Proposal::PreSharedKey(psk), 4, true, false),
        (Proposal::ReInit(reinit), 5, true, false),
        (Proposal::ExternalInit(vec![1; 32]), 6, false, true),
        (Proposal::GroupContextExtensions(Extensions::new()), 7, true, true),
        (Proposal::SelfRemove, 10, false, true),
    ];
    for (proposal, number, is_external, needs_path) in all {
        let bytes = proposal.to_bytes().unwrap();
        assert_eq!(bytes[..2], [0, number]);
        assert_eq!(proposal.proposal_type(), ProposalType(number.into()));
        assert_eq!(proposal.is_allowed_from_external(), is_external);
        assert_eq!(proposal.is_path_required(), needs_path);
        assert_eq!(Proposal::decode_exact(&bytes).unwrap(), proposal);
    }
    for unknown in [[0, 0], [0, 9], [0x0a, 0x0a], [0xef, 0xff]] {
        let error = Proposal::decode_exact(&unknown);
        assert_eq!(error, Err(DecodeError::InvalidValue("ProposalType")));
    }
}

#[test]
fn unknown_enum_values_are_refused_and_unknown_registry_values_kept() {
    assert!(ResumptionPskUsage::decode_exact(&[0]).is_err());
    assert!(ResumptionPskUsage::decode_exact(&[4]).is_err());
    assert!(Psk::decode_exact(&[0, 0]).is_err());
    assert!(Psk::decode_exact(&[3, 0]).is_err());
    assert!(Credential::decode_exact(&[0, 0, 0]).is_err());
    let other = Credential::decode_exact(&[0xf0, 0x0d, 2, 7, 7]).unwrap();
    assert_eq!(other, Credential::Other(CredentialType(0xf00d), vec![7, 7]));
    assert_eq!(other.to_bytes().unwrap(), [0xf0, 0x0d, 2, 7, 7]);
}

#[test]
fn a_lifetime_has_both_ends() {
    let lifetime = Lifetime { not_before: 10, not_after: 20 };
    assert!(lifetime.contains(10) && lifetime.contains(20));
    assert!(!lifetime.contains(9) && !lifetime.contains(21));
    assert_eq!(lifetime.total(), Some(10));
    let backwards = Lifetime { not_before: 20, not_after: 10 };
    assert_eq!(backwards.total(), None);
    assert!(!backwards.contains(15));
}
