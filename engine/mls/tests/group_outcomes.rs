//! What becomes of messages that are late, early, repeated or lost, and of commits that compete.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod members;

use burrow::{
    group::{Config, Ignored, Received, Status},
    schedule::RatchetLimits,
    types::{Extension, ExtensionType, Extensions, LastResort, LeafIndex, ProposalType},
};
use members::{Lab, at_all_sizes, group_info, package, public, receive_commit};

#[test]
fn exporter_and_messages_of_all() {
    at_all_sizes(|mut lab| {
        let first = lab.members[0].export_secret(b"label", b"context", 32).unwrap();
        for member in &lab.members {
            assert_eq!(member.export_secret(b"label", b"context", 32).unwrap(), first);
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
    lab.commit(0, &new, |b| b.remove_member(leaf).add_member(package(&new[0])));
    assert_eq!(lab.members.last().unwrap().own_leaf(), leaf);
    match lab.members[0].receive(&late).unwrap() {
        Received::Application(message) => {
            assert_eq!((message.sender, message.epoch), (leaf, 1));
            assert_eq!(message.data, b"late");
        }
        other => panic!("{other:?}"),
    }
    let again = lab.members[0].receive(&late).unwrap();
    assert!(matches!(again, Received::Ignored(Ignored::Duplicate)));
    lab.commit(0, &[], |b| b);
    lab.commit(0, &[], |b| b);
    let past = lab.members[1].receive(&late).unwrap();
    assert!(matches!(past, Received::Ignored(Ignored::PastEpoch)));
}

#[test]
fn outcomes_of_what_is_not_new() {
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
        assert_eq!(ignored(lab.members[0].receive(&sent.message)), Ignored::Duplicate);
        receive_commit(&mut lab.members[1], &message);
        assert_eq!(ignored(lab.members[1].receive(&message)), Ignored::PastEpoch);
        let later = lab.members[1].commit().stage().unwrap().messages.message;
        assert_eq!(ignored(lab.members[2].receive(&later)), Ignored::FutureEpoch);
        lab.members[0].merge(staged).unwrap();
        assert_eq!(ignored(lab.members[0].receive(&message)), Ignored::PastEpoch);
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
    assert!(matches!(again, Received::Ignored(Ignored::Duplicate)));
    receive_commit(&mut lab.members[2], &winner.messages.message);
    assert!(lab.members[2].merge(loser).is_err(), "of another member and epoch");
    lab.members[0].merge(winner).unwrap();
    let (first, third) = (&lab.members[0], &lab.members[2]);
    assert_eq!(first.epoch_authenticator(), third.epoch_authenticator());
}

#[test]
fn staging_changes_nothing() {
    let mut lab = Lab::of(public(), 9, 4);
    let before = lab.members[0].write().unwrap();
    let new = lab.key_package();
    let staged = lab.members[0].commit().add_member(package(&new)).remove_member(LeafIndex(3));
    let staged = staged.stage().unwrap();
    assert_eq!(*before, *lab.members[0].write().unwrap());
    let other = lab.members[1].write().unwrap();
    let received = lab.members[1].receive(&staged.messages.message).unwrap();
    assert!(matches!(received, Received::Commit(_)));
    assert_eq!(*other, *lab.members[1].write().unwrap());
    drop((received, staged));
    lab.commit(1, &[], |b| b);
}

/// Which key package may be used again is said by itself; the engine deletes none (section 10).
#[test]
fn pitfall_53_last_resort_key_packages_say_so() {
    let mut lab = Lab::of(Config::default(), 2, 5);
    let mut extensions = Extensions::new();
    extensions.put(&LastResort).unwrap();
    let identity = lab.identity();
    let secrets = lab.client.generate_key_package_with(&identity, extensions).unwrap();
    assert!(secrets.is_last_resort());
    let stored = secrets.write().unwrap();
    let secrets = burrow::group::KeyPackageSecrets::read(&lab.client, &stored).unwrap();
    // Twice, into two groups.
    lab.commit(0, std::slice::from_ref(&secrets), |b| b.add_member(package(&secrets)));
    let mut other = Lab::new(Config::default(), 6);
    other.create();
    other.commit(0, std::slice::from_ref(&secrets), |b| b.add_member(package(&secrets)));
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
    capabilities.cipher_suites.push(crypto_api::CipherSuite(0x4a4a));
    capabilities.credentials.push(burrow::types::CredentialType(0x5a5a));
    let grease = Extension { extension_type: ExtensionType(0x2a2a), extension_data: vec![1, 2, 3] };
    identity.description.extensions.insert(grease.clone());
    let mut extensions = Extensions::new();
    extensions.insert(grease.clone());
    let secrets = lab.client.generate_key_package_with(&identity, extensions).unwrap();
    lab.commit(0, std::slice::from_ref(&secrets), |b| b.add_member(package(&secrets)));
    lab.commit(2, &[], |b| b);
    // But not in the GroupContext, which all have to support.
    let mut extensions = Extensions::new();
    extensions.insert(grease);
    let refused = lab.members[0].commit().group_context_extensions(extensions).stage();
    assert!(refused.is_err());
}

#[test]
fn all_suites() {
    for suite in members::suites() {
        let mut lab = Lab::with_suite(Config::default(), 8, suite, false);
        lab.create();
        lab.grow(4);
        lab.commit(2, &[], |b| b);
        lab.commit(1, &[], |b| b.remove_member(LeafIndex(3)));
        let identity = lab.identity();
        let info = group_info(&lab.members[1].group_info().unwrap());
        let joined = lab.client.join_externally(&identity, &info).stage().unwrap();
        lab.accept_external(joined);
        lab.talk(0, b"hello");
    }
}

#[test]
fn pitfall_44_reordered_messages() {
    let config = Config { ratchet_limits: RatchetLimits::new(5, 10).unwrap(), ..Config::default() };
    let mut lab = Lab::of(config, 2, 9);
    let sent: Vec<_> =
        (0..20_u8).map(|n| lab.members[0].send(&[n], b"").unwrap().message).collect();
    let receiver = &mut lab.members[1];
    let before = receiver.write().unwrap();
    let far = receiver.receive(&sent[11]);
    assert!(matches!(far, Err(burrow::Error::Peer(burrow::PeerError::TooFarAhead))));
    let mut damaged = sent[3].clone();
    *damaged.last_mut().unwrap() ^= 1;
    assert!(receiver.receive(&damaged).is_err());
    assert_eq!(*before, *receiver.write().unwrap(), "a rejection changes nothing");
    for at in [3, 0, 2, 1, 8, 5] {
        let received = receiver.receive(&sent[at]).unwrap();
        assert!(matches!(received, Received::Application(_)), "{at}: {received:?}");
    }
    for at in [8, 5] {
        let received = receiver.receive(&sent[at]).unwrap();
        let is_known = matches!(received, Received::Ignored(Ignored::Duplicate));
        assert!(is_known, "{at}: {received:?}");
    }
    // Out of the window: received or not, there is no telling.
    for at in [3, 0] {
        let received = receiver.receive(&sent[at]).unwrap();
        let is_too_old = matches!(received, Received::Ignored(Ignored::TooOld));
        assert!(is_too_old, "{at}: {received:?}");
    }
    assert!(matches!(receiver.receive(&sent[15]), Ok(Received::Application(_))));
    let never_received = receiver.receive(&sent[6]).unwrap();
    assert!(matches!(never_received, Received::Ignored(Ignored::TooOld)), "{never_received:?}");
}

/// Nobody fills a member's memory with proposals.
#[test]
fn an_epoch_has_as_many_proposals_as_the_configuration_says() {
    for config in [public(), Config::default()] {
        let mut lab = Lab::of(Config { max_proposals: 3, ..config }, 3, 10);
        for sender in [1, 1, 2] {
            let sent = lab.members[sender].propose_update(None, b"").unwrap();
            lab.propose(sender, &sent.message);
        }
        // Who has more room proposes more than the others take.
        let roomy =
            lab.client.with_config(Config { max_proposals: 4, ..lab.client.config().clone() });
        let written = lab.members[2].write().unwrap();
        let mut flooding = roomy.restore(&written, &[]).unwrap();
        let message = flooding.propose_update(None, b"").unwrap().message;
        let before = lab.members[0].write().unwrap();
        let error = lab.members[0].receive(&message).unwrap_err();
        assert_eq!(error, burrow::PeerError::TooManyProposals.into());
        assert_eq!(*lab.members[0].write().unwrap(), *before);
        let error = lab.members[0].propose_update(None, b"").unwrap_err();
        assert_eq!(error, burrow::CallerError::TooManyProposals.into());
        assert!(flooding.propose_update(None, b"").is_err());
        // One that is there already is no more than that.
        let again = lab.members[0].pending_proposals().next().unwrap().reference.to_vec();
        assert!(lab.members[0].drop_proposal(&again));
        assert!(matches!(lab.members[0].receive(&message), Ok(Received::Proposal(_))));
        lab.commit(1, &[], |b| b.only(Vec::new()));
        assert_eq!(lab.members[0].pending_proposals().count(), 0);
        assert!(lab.members[0].propose_update(None, b"").is_ok());
    }
}
