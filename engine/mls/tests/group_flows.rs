//! Each flow of a group, among members that all run this engine, at several sizes.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod members;

use burrow::{
    codec::Decode,
    framing::MlsMessage,
    group::{Config, ExternalProposer, HandshakeFormat, JoinOptions, Received, Status},
    schedule::RatchetLimits,
    types::{
        Extension, ExtensionType, Extensions, ExternalSender, ExternalSenders, LastResort,
        LeafIndex, Proposal, ProposalType, ProtocolVersion, Psk, ReInit, RequiredCapabilities,
        ResumptionPskUsage,
    },
};
use members::{Lab, group_info, package, public, receive_commit, tree_of, welcome};

const SIZES: [usize; 4] = [2, 3, 9, 33];

/// Runs a flow at all sizes, in both wire formats, with the tree inside and beside.
fn at_all_sizes(flow: impl Fn(Lab)) {
    for size in SIZES {
        for format in [HandshakeFormat::Public, HandshakeFormat::Private] {
            let config = Config {
                handshake_format: format,
                tree_in_welcome: format == HandshakeFormat::Public,
                ..Config::default()
            };
            flow(Lab::of(config, size, size as u64));
        }
    }
}

#[test]
fn add_one_by_one() {
    at_all_sizes(|mut lab| {
        for committer in 0..lab.members.len().min(4) {
            let new = [lab.key_package()];
            lab.commit(committer, &new, |b| b.add_member(package(&new[0])));
        }
        lab.talk(1, b"hello");
    });
}

#[test]
fn add_without_path() {
    at_all_sizes(|mut lab| {
        let new = [lab.key_package(), lab.key_package()];
        lab.commit(1, &new, |b| {
            b.add_member(package(&new[0]))
                .add_member(package(&new[1]))
                .without_path()
        });
        let last = lab.members.len() - 1;
        lab.commit(last, &[], |b| b);
        lab.talk(last, b"hello");
    });
}

#[test]
fn empty_commits_of_all() {
    at_all_sizes(|mut lab| {
        for committer in 0..lab.members.len().min(9) {
            lab.commit(committer, &[], |b| b);
        }
    });
}

#[test]
fn remove_and_add_to_the_same_leaf() {
    at_all_sizes(|mut lab| {
        let new = [lab.key_package()];
        let leaf = lab.members[1].own_leaf();
        lab.commit(0, &new, |b| {
            b.remove_member(leaf).add_member(package(&new[0]))
        });
        assert_eq!(lab.gone.len(), 1);
        assert_eq!(lab.members.last().unwrap().own_leaf(), leaf);
        let gone = &mut lab.gone[0];
        assert!(gone.send(b"still here?", b"").is_err());
        assert!(gone.commit().stage().is_err());
        lab.talk(0, b"hello");
    });
}

/// Down to one member, from the right: the tree shrinks each time that it can.
#[test]
fn remove_all() {
    at_all_sizes(|mut lab| {
        while lab.members.len() > 1 {
            let leaf = lab.members.last().unwrap().own_leaf();
            lab.commit(0, &[], |b| b.remove_member(leaf));
            let tree = lab.members[0].tree();
            let leaves = (lab.members.len() as u32).next_power_of_two();
            assert_eq!(tree.size().leaf_count(), leaves);
        }
        lab.commit(0, &[], |b| b);
    });
}

#[test]
fn updates_by_reference() {
    at_all_sizes(|mut lab| {
        for sender in 1..lab.members.len().min(5) {
            let sent = lab.members[sender].propose_update(None, b"").unwrap();
            lab.propose(sender, &sent.message);
        }
        lab.commit(0, &[], |b| b);
        lab.commit(1, &[], |b| b);
        lab.talk(0, b"hello");
    });
}

#[test]
fn update_with_a_new_signature_key() {
    at_all_sizes(|mut lab| {
        let name = lab.members[1]
            .members()
            .nth(1)
            .unwrap()
            .1
            .credential
            .clone();
        let mut identity = lab.identity();
        identity.description.credential = name;
        let sent = lab.members[1].propose_update(Some(&identity), b"").unwrap();
        lab.propose(1, &sent.message);
        lab.commit(0, &[], |b| b);
        assert_eq!(lab.members[1].signer().public(), identity.signer.public());
        lab.talk(1, b"signed with the new key");
    });
}

/// The Welcome's GroupInfo is signed with the new key, the commit with the old one.
#[test]
fn pitfall_32_new_signature_key_in_a_commit_that_adds() {
    at_all_sizes(|mut lab| {
        let mut identity = lab.identity();
        let own = lab.members[1].own_leaf();
        identity.description.credential =
            lab.members[1].tree().leaf(own).unwrap().credential.clone();
        let new = [lab.key_package()];
        lab.commit(1, &new, |b| {
            b.add_member(package(&new[0])).identity(identity.clone())
        });
        lab.talk(1, b"signed with the new key");
        lab.commit(1, &[], |b| b);
    });
}

#[test]
fn all_kinds_of_proposals_by_reference() {
    at_all_sizes(|mut lab| {
        lab.app
            .psks
            .lock()
            .unwrap()
            .insert(b"id".to_vec(), b"key".to_vec());
        let psk = Psk::External {
            psk_id: b"id".to_vec(),
        };
        let new = [lab.key_package()];
        let add = Proposal::Add(Box::new(package(&new[0])));
        let sent = lab.members[1].propose(add, b"").unwrap();
        lab.propose(1, &sent.message);
        let sent = lab.members[0].propose_psk(psk, b"").unwrap();
        lab.propose(0, &sent.message);
        let extensions = Proposal::GroupContextExtensions(required(ProposalType::SELF_REMOVE));
        let sent = lab.members[1].propose(extensions, b"").unwrap();
        lab.propose(1, &sent.message);
        if lab.members.len() > 2 {
            let leaf = lab.members[2].own_leaf();
            let sent = lab.members[1].propose(Proposal::Remove(leaf), b"").unwrap();
            lab.propose(1, &sent.message);
        }
        let sent = lab.members[1].propose_update(None, b"").unwrap();
        lab.propose(1, &sent.message);
        lab.commit(0, &new, |b| b);
        assert!(!lab.members[0].context().extensions.is_empty());
        lab.talk(0, b"hello");
    });
}

fn required(proposal_type: ProposalType) -> Extensions {
    let mut extensions = Extensions::new();
    extensions
        .put(&RequiredCapabilities {
            proposal_types: vec![proposal_type],
            ..Default::default()
        })
        .unwrap();
    extensions
}

#[test]
fn resumption_psks_of_past_epochs() {
    at_all_sizes(|mut lab| {
        for _ in 0..3 {
            lab.commit(1, &[], |b| b);
        }
        let epoch = lab.members[0].epoch();
        let psk = |psk_epoch| Psk::Resumption {
            usage: ResumptionPskUsage::Application,
            psk_group_id: b"the group".to_vec(),
            psk_epoch,
        };
        lab.commit(0, &[], |b| {
            b.psk(psk(epoch)).psk(psk(epoch - 2)).without_path()
        });
    });
}

#[test]
fn pitfall_16_new_extensions_and_a_path() {
    at_all_sizes(|mut lab| {
        let extensions = required(ProposalType::SELF_REMOVE);
        let new = [lab.key_package()];
        lab.commit(1, &new, |b| {
            b.group_context_extensions(extensions.clone())
                .add_member(package(&new[0]))
        });
        assert_eq!(lab.members[0].context().extensions, extensions);
        // Replaced, not merged: the empty list takes it away again.
        lab.commit(0, &[], |b| b.group_context_extensions(Extensions::new()));
        assert!(lab.members[0].context().extensions.is_empty());
    });
}

#[test]
fn self_remove() {
    at_all_sizes(|mut lab| {
        let sent = lab.members[1].propose_self_remove(b"").unwrap();
        assert!(
            lab.members[1].propose_self_remove(b"").is_err(),
            "once per epoch"
        );
        lab.propose(1, &sent.message);
        lab.commit(0, &[], |b| b);
        assert_eq!(lab.gone.len(), 1);
    });
}

#[test]
fn external_join_and_resync() {
    at_all_sizes(|mut lab| {
        let identity = lab.identity();
        let info = group_info(&lab.members[1].group_info().unwrap());
        let tree = tree_of(&lab.members[0]);
        let joined = lab.client.join_externally(&identity, &info);
        let joined = joined.ratchet_tree(tree).stage().unwrap();
        lab.accept_external(joined);
        let last = lab.members.len() - 1;
        lab.talk(last, b"hello");
        lab.commit(last, &[], |b| b);

        // The same client again, in stead of itself.
        let old = lab.members.pop().unwrap();
        let info = group_info(&lab.members[0].group_info().unwrap());
        let joined = lab.client.join_externally(&identity, &info);
        let joined = joined.ratchet_tree(tree_of(&old)).replaces(old.own_leaf());
        lab.accept_external(joined.stage().unwrap());
        lab.talk(last, b"again");
        let new = [lab.key_package()];
        lab.commit(last, &new, |b| b.add_member(package(&new[0])));
    });
}

#[test]
fn external_join_with_self_remove_and_psk() {
    at_all_sizes(|mut lab| {
        lab.app
            .psks
            .lock()
            .unwrap()
            .insert(b"id".to_vec(), b"key".to_vec());
        let identity = lab.identity();
        let info = group_info(&lab.members[0].group_info().unwrap());
        let sent = lab.members[1].propose_self_remove(b"").unwrap();
        lab.propose(1, &sent.message);
        let MlsMessage::PublicMessage(self_remove) =
            MlsMessage::decode_exact(&sent.message).unwrap()
        else {
            panic!("a SelfRemove that is encrypted");
        };
        let joined = lab
            .client
            .join_externally(&identity, &info)
            .ratchet_tree(tree_of(&lab.members[0]))
            .psk(Psk::External {
                psk_id: b"id".to_vec(),
            })
            .self_remove(*self_remove)
            .stage()
            .unwrap();
        lab.accept_external(joined);
        assert_eq!(lab.gone.len(), 1);
    });
}

#[test]
fn external_senders_and_new_member_proposals() {
    at_all_sizes(|mut lab| {
        let service = lab.identity();
        let mut extensions = Extensions::new();
        extensions
            .put(&ExternalSenders(vec![ExternalSender {
                signature_key: service.signer.public().to_vec().into(),
                credential: service.description.credential.clone(),
            }]))
            .unwrap();
        lab.commit(0, &[], |b| b.group_context_extensions(extensions));
        let (id, epoch) = (lab.members[0].group_id().to_vec(), lab.members[0].epoch());
        let proposer = ExternalProposer::new(&lab.client, lab.suite, service.signer, 0);
        let new = [lab.key_package(), lab.key_package()];
        let add = Proposal::Add(Box::new(package(&new[0])));
        let add = proposer.propose(&id, epoch, add).unwrap();
        let own_add = lab.client.propose_own_add(&new[1], &id, epoch).unwrap();
        lab.propose_from_outside(&add);
        lab.propose_from_outside(&own_add);
        if lab.members.len() > 2 {
            let leaf = lab.members[2].own_leaf();
            let remove = proposer
                .propose(&id, epoch, Proposal::Remove(leaf))
                .unwrap();
            lab.propose_from_outside(&remove);
        }
        lab.commit(1, &new, |b| b);
        lab.talk(0, b"hello");
    });
}

#[test]
fn branch() {
    at_all_sizes(|mut lab| {
        let old = &lab.members[1];
        let mut identity = lab.client.generate_identity(
            lab.suite,
            old.tree().leaf(old.own_leaf()).unwrap().credential.clone(),
            members_lifetime(),
        );
        let identity = identity.as_mut().unwrap();
        let name = lab.members[0]
            .members()
            .next()
            .unwrap()
            .1
            .credential
            .clone();
        let other = lab
            .client
            .generate_identity(lab.suite, name, members_lifetime());
        let secrets = lab.client.generate_key_package(&other.unwrap()).unwrap();
        let branch = old
            .branch(
                identity,
                b"branch".to_vec(),
                Extensions::new(),
                vec![package(&secrets)],
            )
            .unwrap();
        let welcome = welcome(branch.messages.welcome.as_ref().unwrap());
        assert!(
            lab.client.join(&welcome, &secrets).is_err(),
            "without the old group"
        );
        let tree = branch.messages.ratchet_tree.as_ref();
        let options = JoinOptions {
            ratchet_tree: tree.map(|_| tree_of(&branch.group)),
            origin: Some(&lab.members[0]),
        };
        let joined = lab.client.join_with(&welcome, &secrets, options).unwrap();
        assert_eq!(joined.epoch(), 1);
        assert_eq!(
            joined.epoch_authenticator(),
            branch.group.epoch_authenticator()
        );
        // A stranger is no branch.
        let stranger = lab.key_package();
        let refused = lab.members[1].branch(
            identity,
            b"branch".to_vec(),
            Extensions::new(),
            vec![package(&stranger)],
        );
        assert!(refused.is_err());
    });
}

fn members_lifetime() -> burrow::types::Lifetime {
    burrow::types::Lifetime {
        not_before: members::NOW - 10,
        not_after: members::NOW + 1000,
    }
}

#[test]
fn pitfall_28_reinit() {
    at_all_sizes(|mut lab| {
        let reinit = ReInit {
            group_id: b"next".to_vec(),
            version: ProtocolVersion::MLS10,
            cipher_suite: crypto_api::CipherSuite(2),
            extensions: required(ProposalType::SELF_REMOVE),
        };
        lab.commit(0, &[], |b| b.reinit(reinit.clone()).without_path());
        assert_eq!(
            *lab.members[1].status(),
            Status::Reinitialized(reinit.clone())
        );
        assert!(lab.members[1].send(b"", b"").is_err(), "frozen");
        assert!(lab.members[1].commit().stage().is_err(), "frozen");

        let names: Vec<_> = lab.members[0]
            .members()
            .map(|(_, l)| l.credential.clone())
            .collect();
        let identities: Vec<_> = names
            .into_iter()
            .map(|name| {
                lab.client
                    .generate_identity(reinit.cipher_suite, name, members_lifetime())
                    .unwrap()
            })
            .collect();
        // Whoever does it: here the second one.
        let creator = lab.members[1].own_leaf().0 as usize;
        let others: Vec<_> = identities
            .iter()
            .enumerate()
            .filter(|(index, _)| *index != creator)
            .map(|(_, identity)| lab.client.generate_key_package(identity).unwrap())
            .collect();
        let packages: Vec<_> = others.iter().map(package).collect();
        let missing = packages[1..].to_vec();
        assert!(
            lab.members[1]
                .reinitialize(&identities[creator], missing)
                .is_err()
        );
        let next = lab.members[1]
            .reinitialize(&identities[creator], packages)
            .unwrap();
        let welcome = welcome(next.messages.welcome.as_ref().unwrap());
        for secrets in &others {
            let tree = next.messages.ratchet_tree.as_ref();
            let options = JoinOptions {
                ratchet_tree: tree.map(|_| tree_of(&next.group)),
                origin: Some(&lab.members[0]),
            };
            let joined = lab.client.join_with(&welcome, secrets, options).unwrap();
            assert_eq!(
                joined.epoch_authenticator(),
                next.group.epoch_authenticator()
            );
            assert_eq!(joined.cipher_suite(), reinit.cipher_suite);
        }
    });
}

#[test]
fn exporter_and_messages_of_all() {
    at_all_sizes(|mut lab| {
        let first = lab.members[0]
            .export_secret(b"label", b"context", 32)
            .unwrap();
        for member in &lab.members {
            assert_eq!(
                member.export_secret(b"label", b"context", 32).unwrap(),
                first
            );
            assert_ne!(member.export_secret(b"label", b"other", 32).unwrap(), first);
        }
        for sender in 0..lab.members.len() {
            lab.talk(sender, format!("message of {sender}").as_bytes());
        }
    });
}

/// Messages of the last epochs are read, by the tree of their epoch; older ones are ignored.
#[test]
fn pitfall_45_late_messages() {
    let mut lab = Lab::of(Config::default(), 3, 1);
    let late = lab.members[1].send(b"late", b"").unwrap().message;
    let leaf = lab.members[1].own_leaf();
    // Another takes the sender's leaf.
    let new = [lab.key_package()];
    lab.commit(0, &new, |b| {
        b.remove_member(leaf).add_member(package(&new[0]))
    });
    assert_eq!(lab.members.last().unwrap().own_leaf(), leaf);
    match lab.members[0].receive(&late).unwrap() {
        Received::Application(message) => {
            assert_eq!((message.sender, message.epoch), (leaf, 1));
            assert_eq!(message.data, b"late");
        }
        other => panic!("{other:?}"),
    }
    let again = lab.members[0].receive(&late).unwrap();
    assert!(matches!(
        again,
        Received::Ignored(burrow::group::Ignored::Duplicate)
    ));
    lab.commit(0, &[], |b| b);
    lab.commit(0, &[], |b| b);
    let past = lab.members[1].receive(&late).unwrap();
    assert!(matches!(
        past,
        Received::Ignored(burrow::group::Ignored::PastEpoch)
    ));
}

#[test]
fn outcomes_of_what_is_not_new() {
    use burrow::group::Ignored;
    for config in [public(), Config::default()] {
        let mut lab = Lab::of(config, 3, 2);
        let ignored = |received| match received {
            Ok(Received::Ignored(ignored)) => ignored,
            other => panic!("{other:?}"),
        };
        let staged = lab.members[0].commit().stage().unwrap();
        let message = staged.messages.message.clone();
        assert_eq!(ignored(lab.members[0].receive(&message)), Ignored::Own);
        let sent = lab.members[1].propose_update(None, b"").unwrap();
        assert_eq!(ignored(lab.members[1].receive(&sent.message)), Ignored::Own);
        lab.propose(1, &sent.message);
        assert_eq!(
            ignored(lab.members[0].receive(&sent.message)),
            Ignored::Duplicate
        );
        receive_commit(&mut lab.members[1], &message);
        assert_eq!(
            ignored(lab.members[1].receive(&message)),
            Ignored::PastEpoch
        );
        let later = lab.members[1].commit().stage().unwrap().messages.message;
        assert_eq!(
            ignored(lab.members[2].receive(&later)),
            Ignored::FutureEpoch
        );
        lab.members[0].merge(staged).unwrap();
        assert_eq!(
            ignored(lab.members[0].receive(&message)),
            Ignored::PastEpoch
        );
        let message = lab.members[0].send(b"data", b"").unwrap().message;
        assert_eq!(ignored(lab.members[0].receive(&message)), Ignored::Own);
    }
}

/// Two commits in one epoch: whoever loses drops its own one and takes the other.
#[test]
fn pitfall_29_pending_commit_loses() {
    let mut lab = Lab::of(Config::default(), 3, 3);
    let leaf = lab.members[1].own_leaf();
    let winner = lab.members[0].commit().remove_member(leaf).stage().unwrap();
    let loser = lab.members[1].commit().stage().unwrap();
    let received = lab.members[1].receive(&winner.messages.message).unwrap();
    let Received::Commit(staged) = received else {
        panic!("no commit");
    };
    assert!(staged.removes_us());
    assert_eq!(staged.changes().removed, [leaf]);
    lab.members[1].merge_remote(*staged).unwrap();
    assert_eq!(*lab.members[1].status(), Status::Removed);
    let again = lab.members[1].receive(&winner.messages.message).unwrap();
    assert!(matches!(
        again,
        Received::Ignored(burrow::group::Ignored::Duplicate)
    ));
    receive_commit(&mut lab.members[2], &winner.messages.message);
    assert!(
        lab.members[2].merge(loser).is_err(),
        "of another member and epoch"
    );
    lab.members[0].merge(winner).unwrap();
    let (first, third) = (&lab.members[0], &lab.members[2]);
    assert_eq!(first.epoch_authenticator(), third.epoch_authenticator());
}

#[test]
fn staging_changes_nothing() {
    let mut lab = Lab::of(public(), 9, 4);
    let before = lab.members[0].write().unwrap();
    let new = lab.key_package();
    let staged = lab.members[0]
        .commit()
        .add_member(package(&new))
        .remove_member(LeafIndex(3));
    let staged = staged.stage().unwrap();
    assert_eq!(*before, *lab.members[0].write().unwrap());
    let other = lab.members[1].write().unwrap();
    let received = lab.members[1].receive(&staged.messages.message).unwrap();
    assert!(matches!(received, Received::Commit(_)));
    assert_eq!(*other, *lab.members[1].write().unwrap());
    drop((received, staged));
    lab.commit(1, &[], |b| b);
}

#[test]
fn last_resort_key_package() {
    let mut lab = Lab::of(Config::default(), 2, 5);
    let mut extensions = Extensions::new();
    extensions.put(&LastResort).unwrap();
    let identity = lab.identity();
    let secrets = lab
        .client
        .generate_key_package_with(&identity, extensions)
        .unwrap();
    assert!(secrets.is_last_resort());
    let stored = secrets.write().unwrap();
    let secrets = burrow::group::KeyPackageSecrets::read(&lab.client, &stored).unwrap();
    // Twice, into two groups.
    lab.commit(0, std::slice::from_ref(&secrets), |b| {
        b.add_member(package(&secrets))
    });
    let mut other = Lab::new(Config::default(), 6);
    other.create();
    other.commit(0, std::slice::from_ref(&secrets), |b| {
        b.add_member(package(&secrets))
    });
    let once = lab.key_package();
    assert!(!once.is_last_resort());
}

/// GREASE in capabilities, leaf extensions and key package extensions is nobody's business.
#[test]
fn pitfall_48_grease() {
    let mut lab = Lab::of(Config::default(), 2, 7);
    let mut identity = lab.identity();
    let capabilities = &mut identity.description.capabilities;
    capabilities.extensions.push(ExtensionType(0x2a2a));
    capabilities.proposals.push(ProposalType(0x3a3a));
    capabilities
        .cipher_suites
        .push(crypto_api::CipherSuite(0x4a4a));
    capabilities
        .credentials
        .push(burrow::types::CredentialType(0x5a5a));
    let grease = Extension {
        extension_type: ExtensionType(0x2a2a),
        extension_data: vec![1, 2, 3],
    };
    identity.description.extensions.insert(grease.clone());
    let mut extensions = Extensions::new();
    extensions.insert(grease.clone());
    let secrets = lab
        .client
        .generate_key_package_with(&identity, extensions)
        .unwrap();
    lab.commit(0, std::slice::from_ref(&secrets), |b| {
        b.add_member(package(&secrets))
    });
    lab.commit(2, &[], |b| b);
    // But not in the GroupContext, which all have to support.
    let mut extensions = Extensions::new();
    extensions.insert(grease);
    let refused = lab.members[0]
        .commit()
        .group_context_extensions(extensions)
        .stage();
    assert!(refused.is_err());
}

#[test]
fn all_suites() {
    for suite in 1..=7 {
        let mut lab = Lab::with_suite(Config::default(), 8, suite, false);
        lab.create();
        lab.grow(4);
        lab.commit(2, &[], |b| b);
        lab.commit(1, &[], |b| b.remove_member(LeafIndex(3)));
        let identity = lab.identity();
        let info = group_info(&lab.members[1].group_info().unwrap());
        let joined = lab
            .client
            .join_externally(&identity, &info)
            .stage()
            .unwrap();
        lab.accept_external(joined);
        lab.talk(0, b"hello");
    }
}

#[test]
fn pitfall_44_reordered_messages() {
    let config = Config {
        ratchet_limits: RatchetLimits::new(5, 10).unwrap(),
        ..Config::default()
    };
    let mut lab = Lab::of(config, 2, 9);
    let sent: Vec<_> = (0..20_u8)
        .map(|n| lab.members[0].send(&[n], b"").unwrap().message)
        .collect();
    let receiver = &mut lab.members[1];
    let before = receiver.write().unwrap();
    let far = receiver.receive(&sent[11]);
    assert!(matches!(
        far,
        Err(burrow::Error::Peer(burrow::PeerError::TooFarAhead))
    ));
    let mut damaged = sent[3].clone();
    *damaged.last_mut().unwrap() ^= 1;
    assert!(receiver.receive(&damaged).is_err());
    assert_eq!(
        *before,
        *receiver.write().unwrap(),
        "a rejection changes nothing"
    );
    for at in [3, 0, 2, 1, 8, 5] {
        let received = receiver.receive(&sent[at]).unwrap();
        assert!(
            matches!(received, Received::Application(_)),
            "{at}: {received:?}"
        );
    }
    for at in [3, 8, 5, 0] {
        let received = receiver.receive(&sent[at]).unwrap();
        assert!(
            matches!(received, Received::Ignored(_)),
            "{at}: {received:?}"
        );
    }
}
