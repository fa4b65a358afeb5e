//! What others have got wrong about leaves and what they are capable of. The numbers in the names are
//! those of the list of known pitfalls.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod backends;
mod forged_tree;
mod group_model;

use backends::backends;
use burrow::{
    Error, PeerError,
    codec::{Decode, DecodeError, Encode},
    tree::GroupRequirements,
    types::{
        Capabilities, CredentialType, Extension, ExtensionType, Extensions, KeyPackageContent,
        LeafIndex, LeafNode, LeafNodeContent, LeafNodeSource, LeafNodeUse, ProposalType,
        RequiredCapabilities, VerifiedLeafNode, is_grease,
    },
};
use crypto_api::CipherSuite;
use forged_tree::{Forged, WireNode, refused, with_suite};
use group_model::{GROUP_ID, Model, leaf_content, new_client, public_key};

#[test]
fn pitfall_23_a_leaf_is_where_its_source_and_its_signature_say() {
    with_suite(|suite| {
        let (signer, leaf_key, _) = new_client(suite, "someone");
        let content = leaf_content(suite, &signer, &leaf_key, "someone");
        let from = |leaf_node_source| LeafNodeContent { leaf_node_source, ..content.clone() };
        let sources = [
            (LeafNodeUse::KeyPackage, content.clone()),
            (LeafNodeUse::Update, from(LeafNodeSource::Update)),
            (LeafNodeUse::Commit, from(LeafNodeSource::Commit(vec![1; 32]))),
        ];
        let here = LeafIndex(2);
        for (made_for, content) in &sources {
            let leaf = content.clone().sign(suite, &signer, GROUP_ID, here).unwrap();
            let leaf = LeafNode::decode_exact(&leaf.to_bytes().unwrap()).unwrap();
            let verify = |use_as, group_id: &[u8], place| {
                leaf.clone().verify(suite, use_as, group_id, LeafIndex(place))
            };
            for (use_as, _) in &sources {
                if use_as == made_for {
                    assert!(verify(*use_as, GROUP_ID, 2).is_ok());
                } else {
                    refused(verify(*use_as, GROUP_ID, 2), "7.3: leaf_node_source");
                }
            }
            let elsewhere = [verify(*made_for, b"another", 2), verify(*made_for, GROUP_ID, 3)];
            for verified in elsewhere {
                let bad = (*made_for != LeafNodeUse::KeyPackage)
                    .then_some(Error::Peer(PeerError::BadSignature));
                assert_eq!(verified.err(), bad);
            }
        }
    });
}

#[test]
fn pitfall_48_grease_is_an_unknown_value_like_others() {
    with_suite(|suite| {
        assert!(is_grease(0x0a0a) && is_grease(0xeaea));
        assert!(!is_grease(0xfafa) && !is_grease(0x0a1a) && !is_grease(0x000a));
        let (signer, leaf_key, _) = new_client(suite, "greasy");
        let make = |listed: &[u16], in_leaf: &[u16], in_package: &[u16]| {
            let mut content = leaf_content(suite, &signer, &leaf_key, "greasy");
            let types = || listed.iter().copied();
            content.capabilities.extensions = types().map(ExtensionType).collect();
            content.capabilities.proposals = types().map(ProposalType).collect();
            content.capabilities.credentials.extend(types().map(CredentialType));
            content.capabilities.cipher_suites.extend(types().map(CipherSuite));
            content.extensions = extensions(in_leaf);
            let init_key = public_key(&suite.generate_key_pair().unwrap());
            let in_package = extensions(in_package);
            KeyPackageContent::sign(suite, &signer, init_key, content, in_package)
        };
        assert!(make(&[0x2a2a, 0x3a3a], &[0x2a2a], &[0x3a3a]).is_ok());
        assert!(make(&[0x2a2a], &[0x3a3a], &[]).is_err());
        assert!(make(&[0x2a2a], &[], &[0x3a3a]).is_err());
        assert!(make(&[0x0a0a], &[0x000a], &[]).is_err());
        // application_id is a default type, and not to be listed (pitfall 49).
        assert!(make(&[], &[1], &[]).is_ok());
    });
}

fn extensions(types: &[u16]) -> Extensions {
    let extension = |extension_type: &u16| Extension {
        extension_type: ExtensionType(*extension_type),
        extension_data: vec![0xab; 5],
    };
    Extensions::from_vec(types.iter().map(extension).collect()).unwrap()
}

#[test]
fn pitfall_49_default_types_are_always_there() {
    let none = Capabilities::default();
    assert!((1..=7).all(|t| none.has_proposal(ProposalType(t))));
    assert!((1..=5).all(|t| none.has_extension(ExtensionType(t))));
    assert!(!none.has_proposal(ProposalType(0)) && !none.has_proposal(ProposalType(8)));
    assert!(!none.has_extension(ExtensionType(0)) && !none.has_extension(ExtensionType(6)));
    assert!(!none.has_credential(CredentialType::BASIC));
    let required = RequiredCapabilities {
        extension_types: (1..=5).map(ExtensionType).collect(),
        proposal_types: (1..=7).map(ProposalType).collect(),
        credential_types: vec![],
    };
    assert!(required.are_met_by(&none));
}

#[test]
fn pitfall_50_a_leaf_lists_its_own_extensions_and_none_is_there_twice() {
    with_suite(|suite| {
        let model = Model::cold(suite, 3);
        let mut forged = Forged::new(&model.tree);
        forged.resign(&model, 1, |content| content.extensions = extensions(&[0xf123]));
        forged.is_refused(suite, "7.3: a leaf's capabilities lack one of its own");
        let mut forged = Forged::new(&model.tree);
        forged.resign(&model, 1, |content| {
            content.extensions = extensions(&[0xf123, 1]);
            content.capabilities.extensions = vec![ExtensionType(0xf123)];
        });
        assert!(forged.verify(suite).is_ok());
        let twice = extensions(&[7, 8, 9]).to_bytes().unwrap();
        let twice: Vec<u8> = twice.iter().map(|b| if *b == 9 { 7 } else { *b }).collect();
        let error = Extensions::decode_exact(&twice);
        assert!(matches!(error, Err(DecodeError::InvalidValue(_))));
    });
}

#[test]
fn pitfall_51_all_have_all_credential_types_in_use() {
    with_suite(|suite| {
        let model = Model::cold(suite, 3);
        let own_type = |content: &mut LeafNodeContent| {
            let types = &mut content.capabilities.credentials;
            types.push(CredentialType(0xf00d));
            content.credential = burrow::types::Credential::Other(CredentialType(0xf00d), vec![1]);
        };
        let listed = |content: &mut LeafNodeContent| {
            let types = &mut content.capabilities.credentials;
            types.push(CredentialType(0xf00d));
        };
        let mut forged = Forged::new(&model.tree);
        forged.resign(&model, 1, own_type);
        let rule = "7.3: a member lacks a credential type";
        forged.is_refused(suite, rule);
        forged.resign(&model, 0, listed);
        forged.is_refused(suite, rule);
        forged.resign(&model, 2, listed);
        let mut tree = forged.verify(suite).unwrap();
        assert_eq!(tree.check_credentials(), Ok(()));
        // A newcomer who doesn't have the type; then the last user of it goes.
        let (.., package) = new_client(suite, "newcomer");
        tree.add_leaf(package.leaf()).unwrap();
        refused(tree.check_credentials(), rule);
        tree.remove_leaf(LeafIndex(1)).unwrap();
        assert_eq!(tree.check_credentials(), Ok(()));
        // The type comes back into use.
        let Some(WireNode::Leaf(leaf)) = forged.0[2].clone() else { panic!("no leaf there") };
        tree.add_leaf(VerifiedLeafNode::trusted(leaf)).unwrap();
        refused(tree.check_credentials(), rule);
    });
}

/// ECDSA signatures are DER, points uncompressed, scalars as long as the order: anything else that
/// says the same is refused.
#[test]
fn pitfall_54_encodings_of_the_nist_curves() {
    for (backend, _) in backends() {
        for (number, size) in [(2, 32), (5, 66), (7, 48)] {
            let suite = backend.suite(CipherSuite(number)).unwrap();
            let (signer, leaf_key, _) = new_client(suite, "someone");
            let make = |encryption_key: &[u8]| {
                let mut content = leaf_content(suite, &signer, &leaf_key, "someone");
                content.encryption_key = encryption_key.to_vec().into();
                content.sign(suite, &signer, GROUP_ID, LeafIndex(0)).unwrap()
            };
            let verify = |leaf: LeafNode| {
                leaf.verify(suite, LeafNodeUse::KeyPackage, GROUP_ID, LeafIndex(0)).map(|_| ())
            };
            let public = leaf_key.public();
            assert_eq!((public[0], public.len()), (4, 1 + 2 * size));
            assert_eq!((signer.public()[0], signer.public().len()), (4, 1 + 2 * size));
            let leaf = make(public);
            let der = leaf.signature().as_slice();
            assert_eq!(der[0], 0x30);
            assert_eq!(verify(leaf.clone()), Ok(()));
            let compressed = [&[2 + (public[2 * size] & 1)], &public[1..=size]].concat();
            for wrong in [&compressed[..], &public[1..], &[&[6], &public[1..]].concat()] {
                assert_eq!(verify(make(wrong)), Err(Error::Peer(PeerError::BadKey)));
            }
            // The same two numbers without DER.
            let raw = raw_signature(der, size);
            let mut bytes = leaf.to_bytes().unwrap();
            let header = if der.len() < 64 { 1 } else { 2 };
            bytes.truncate(bytes.len() - der.len() - header);
            raw.encode(&mut bytes).unwrap();
            let leaf = LeafNode::decode_exact(&bytes).unwrap();
            assert_eq!(verify(leaf), Err(Error::Peer(PeerError::BadSignature)));
            // A scalar keeps its leading zeros, of which P-521 has many.
            for _ in 0..64 {
                let key = suite.generate_key_pair().unwrap();
                let signing = suite.generate_signing_key().unwrap();
                assert_eq!([key.private().len(), signing.private().len()], [size; 2]);
                assert!(suite.private_key(&key.private().as_slice()[1..]).is_err());
            }
        }
    }
}

/// `r` and `s` of a DER signature, one after the other.
fn raw_signature(der: &[u8], size: usize) -> Vec<u8> {
    let inside = if der[1] < 0x80 { &der[2..] } else { &der[3..] };
    let mut raw = Vec::new();
    let mut rest = inside;
    for _ in 0..2 {
        let (number, after) = rest[2..].split_at(usize::from(rest[1]));
        let number = number.strip_prefix(&[0]).unwrap_or(number);
        raw.extend(std::iter::repeat_n(0, size - number.len()));
        raw.extend_from_slice(number);
        rest = after;
    }
    raw
}

#[test]
fn members_have_what_the_group_context_asks_for() {
    with_suite(|suite| {
        let model = Model::cold(suite, 3);
        let mut context = Extensions::new();
        context
            .put(&RequiredCapabilities {
                proposal_types: vec![ProposalType::SELF_REMOVE],
                ..RequiredCapabilities::default()
            })
            .unwrap();
        let required = GroupRequirements::new(&context).unwrap();
        let in_use = GroupRequirements::new(&extensions(&[0xf123])).unwrap();
        let mut forged = Forged::new(&model.tree);
        refused(forged.verify_with(suite, &required), "7.3: a member lacks one of the required");
        refused(forged.verify_with(suite, &in_use), "13.4");
        refused(model.tree.check_leaf(LeafIndex(1), &in_use), "13.4");
        assert!(!model.tree.all_have_proposal(ProposalType::SELF_REMOVE));
        for leaf in 0..3 {
            refused(forged.verify_with(suite, &required), "7.3: a member lacks one");
            forged.resign(&model, leaf, |content| {
                content.capabilities.proposals = vec![ProposalType::SELF_REMOVE];
                content.capabilities.extensions = vec![ExtensionType(0xf123)];
            });
        }
        let tree = forged.verify_with(suite, &required).unwrap();
        assert!(tree.all_have_proposal(ProposalType::SELF_REMOVE));
        assert_eq!(tree.check_leaf(LeafIndex(1), &in_use), Ok(()));
    });
}
