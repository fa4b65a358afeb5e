//! Proposals that are to be refused by themselves (section 12.1).

use std::sync::atomic::Ordering;

use crypto_api::CipherSuite;

use super::{
    forge::{bare, by_value, complete, proposal},
    is_not_made, labs_of,
    members::{Lab, NOW, group_info, package, public},
    refuses,
};
use crate::{
    CallerError, PeerError,
    codec::Encode,
    framing::{MessageHeader, Sender},
    group::{Client, ExternalProposer, Group, Identity, Received},
    types::{
        Credential, Extensions, ExternalSender, ExternalSenders, KeyPackage, LeafIndex, LeafNode,
        LeafNodeSource, Lifetime, Proposal, ProposalType, Psk,
    },
};

fn labs() -> impl Iterator<Item = Lab> {
    labs_of(4)
}

/// A leaf of a member's, made with this source and this encryption key.
fn leaf(group: &Group, source: LeafNodeSource, key: Option<&[u8]>) -> LeafNode {
    let suite = group.suite().unwrap();
    let old = group.own_leaf_node().unwrap();
    let mut content = (**old).clone();
    content.leaf_node_source = source;
    let fresh = suite.generate_key_pair().unwrap();
    content.encryption_key = key.unwrap_or(fresh.public()).to_vec().into();
    let (id, leaf) = (group.group_id(), group.own_leaf());
    content.sign(suite, &group.signer, id, leaf).unwrap()
}

#[test]
fn pitfall_22_update_with_the_old_key() {
    for mut lab in labs() {
        let own = lab.members[0].own_leaf_node().unwrap().encryption_key.clone();
        let update = leaf(&lab.members[0], LeafNodeSource::Update, Some(own.as_slice()));
        let message = proposal(&mut lab.members[0], Proposal::Update(update));
        refuses(&mut lab.members[1], &message, "7.3: a member's new leaf has the encryption_key");
    }
}

/// An Update with the key of another member, or of a node above.
#[test]
fn pitfall_21_update_with_a_key_of_the_tree() {
    for mut lab in labs() {
        let foreign = lab.members[2].own_leaf_node().unwrap().encryption_key.clone();
        let update = leaf(&lab.members[0], LeafNodeSource::Update, Some(foreign.as_slice()));
        let message = proposal(&mut lab.members[0], Proposal::Update(update));
        lab.propose(0, &message);
        let reference = lab.members[3].pending_proposals().next().unwrap().reference;
        let reference = reference.to_vec();
        let rule = "7.3: an encryption key is in the tree already";
        let chosen = lab.members[3].commit().only(vec![reference.clone()]);
        is_not_made(chosen, rule);
        let staged = lab.members[3].commit().stage().unwrap();
        assert!(staged.changes().updated.is_empty(), "left out when nobody chose it");
        let entry = crate::types::ProposalOrRef::Reference(reference);
        let message = complete(&mut lab.members[3], vec![entry], true, None);
        refuses(&mut lab.members[1], &message, rule);
    }
}

#[test]
fn pitfall_23_sources() {
    for mut lab in labs() {
        let lifetime = Lifetime { not_before: 0, not_after: u64::MAX };
        for source in [LeafNodeSource::Commit(vec![0; 32]), LeafNodeSource::KeyPackage(lifetime)] {
            let update = leaf(&lab.members[0], source, None);
            let message = proposal(&mut lab.members[0], Proposal::Update(update));
            refuses(&mut lab.members[1], &message, "7.3: leaf_node_source is not");
        }
        // Signed for another place in the tree.
        let update = leaf(&lab.members[2], LeafNodeSource::Update, None);
        let message = proposal(&mut lab.members[0], Proposal::Update(update));
        refuses(&mut lab.members[1], &message, "a signature doesn't verify");
    }
}

fn key_package_of(client: &Client, identity: &Identity) -> KeyPackage {
    package(&client.generate_key_package(identity).unwrap())
}

#[test]
fn pitfall_30_key_package_of_another_suite() {
    for mut lab in labs() {
        let lifetime = Lifetime { not_before: NOW, not_after: NOW + 1 };
        let credential = Credential::Basic(b"new".to_vec());
        let suite = CipherSuite(2);
        let identity = lab.client.generate_identity(suite, credential, lifetime).unwrap();
        let other = key_package_of(&lab.client, &identity);
        let add = Proposal::Add(Box::new(other.clone()));
        let message = proposal(&mut lab.members[0], add.clone());
        let rule = "10.1: a key package's version or cipher suite is not the group's";
        refuses(&mut lab.members[1], &message, rule);
        let message = bare(&mut lab.members[0], by_value(vec![add]));
        refuses(&mut lab.members[1], &message, rule);
        is_not_made(lab.members[0].commit().add_member(other), rule);
    }
}

#[test]
fn pitfall_52_lifetimes() {
    for mut lab in labs() {
        let new = lab.key_package();
        let add = Proposal::Add(Box::new(package(&new)));
        let cached = lab.members[2].propose(add.clone(), b"").unwrap().message;
        lab.propose(2, &cached);
        lab.app.now.store(NOW + 85 * 24 * 3600, Ordering::Relaxed);
        let message = proposal(&mut lab.members[0], add);
        refuses(&mut lab.members[1], &message, "7.3: a leaf is not valid at this time");
        let rule = "7.3: a leaf is not valid at this time";
        is_not_made(lab.members[0].commit().only(Vec::new()).add_member(package(&new)), rule);
        // Received in time, and too late for a commit.
        let reference = lab.members[0].pending_proposals().next().unwrap().reference;
        let reference = reference.to_vec();
        is_not_made(lab.members[0].commit().only(vec![reference]), rule);
        let staged = lab.members[0].commit().stage().unwrap();
        assert!(staged.changes().added.is_empty());
        let identity = lab.identity_of(b"for ever");
        let endless =
            Identity { lifetime: Lifetime { not_before: 0, not_after: u64::MAX }, ..identity };
        let error = lab.client.generate_key_package(&endless).unwrap_err();
        assert_eq!(error, CallerError::Invalid("7.2: a lifetime is too long").into());
    }
}

#[test]
fn credentials_that_are_not_valid() {
    for mut lab in labs() {
        let identity = lab.identity_of(b"mallory");
        let new = key_package_of(&lab.client, &identity);
        *lab.app.banned.lock().unwrap() = Some(b"mallory".to_vec());
        let message = proposal(&mut lab.members[0], Proposal::Add(Box::new(new.clone())));
        refuses(&mut lab.members[1], &message, "5.3.1: a credential is not valid");
        is_not_made(lab.members[0].commit().add_member(new), "5.3.1: a credential is not valid");
    }
}

#[test]
fn pitfall_27_external_senders() {
    let mut lab = Lab::of(public(), 3, 3);
    let service = lab.identity();
    let propose = |lab: &Lab, index, proposal| {
        let (id, epoch) = (lab.members[0].group_id(), lab.members[0].epoch());
        let signer = service.signer.clone();
        ExternalProposer::new(&lab.client, lab.suite, signer, index).propose(id, epoch, proposal)
    };
    let remove = || Proposal::Remove(LeafIndex(2));
    let message = propose(&lab, 0, remove()).unwrap();
    refuses(&mut lab.members[1], &message, "6.1: there is no such external sender");
    let mut extensions = Extensions::new();
    extensions
        .put(&ExternalSenders(vec![ExternalSender {
            signature_key: service.signer.public().to_vec().into(),
            credential: service.description.credential.clone(),
        }]))
        .unwrap();
    lab.commit(0, &[], |b| b.group_context_extensions(extensions));
    let message = propose(&lab, 1, remove()).unwrap();
    refuses(&mut lab.members[1], &message, "6.1: there is no such external sender");
    let update = leaf(&lab.members[2], LeafNodeSource::Update, None);
    for forbidden in
        [Proposal::Update(update), Proposal::ExternalInit(vec![0; 32]), Proposal::SelfRemove]
    {
        assert_eq!(propose(&lab, 0, forbidden).unwrap_err().fault(), "caller");
    }
    let message = propose(&lab, 0, Proposal::Remove(LeafIndex(9))).unwrap();
    refuses(&mut lab.members[1], &message, "12.1.3: removed is not a non-blank leaf");
    let message = propose(&lab, 0, remove()).unwrap();
    lab.propose_from_outside(&message);
    assert_eq!(lab.members[0].pending_proposals().next().unwrap().sender, Sender::External(0));
    lab.commit(1, &[], |b| b);
    assert_eq!(lab.gone.len(), 1);
}

/// A type that the engine doesn't have, GREASE or not.
#[test]
fn pitfall_48_unknown_proposals() {
    let mut lab = Lab::of(public(), 2, 4);
    let sent = lab.members[0].propose(Proposal::Remove(LeafIndex(1)), b"").unwrap().message;
    let header = MessageHeader::peek(&sent).unwrap();
    assert!(header.group.is_some());
    let needle = ProposalType::REMOVE.to_bytes().unwrap();
    let removed = LeafIndex(1).to_bytes().unwrap();
    let needle = [needle, removed].concat();
    let at = sent.windows(needle.len()).position(|part| part == needle).unwrap();
    for unknown in [0x0a0a, 0x7777, 0xffff_u16] {
        let mut message = sent.clone();
        message[at..at + 2].copy_from_slice(&unknown.to_be_bytes());
        let error = lab.members[1].receive(&message).unwrap_err();
        assert!(matches!(error, crate::Error::Peer(PeerError::Malformed(_))), "{error}");
    }
}

/// Section 12.4: proposals are committed before application data is sent; or dropped.
#[test]
fn application_data_waits_for_a_commit() {
    for mut lab in labs() {
        let sent = lab.members[2].propose_update(None, b"").unwrap().message;
        lab.propose(2, &sent);
        let error = lab.members[0].send(b"data", b"").unwrap_err();
        assert_eq!(error, CallerError::ProposalsPending.into());
        let reference = lab.members[0].pending_proposals().next().unwrap().reference.to_vec();
        assert!(lab.members[0].drop_proposal(&reference));
        assert!(!lab.members[0].drop_proposal(&reference));
        let sent = lab.members[0].send(b"data", b"").unwrap().message;
        let received = lab.members[1].receive(&sent).unwrap();
        assert!(matches!(received, Received::Application(_)));
    }
}

/// Nobody can block all commits by proposing what is valid by itself and not in this group.
#[test]
fn a_proposal_that_can_never_be_committed() {
    for mut lab in labs() {
        let mut identity = lab.identity();
        let unknown = crate::types::CredentialType(0xf00d);
        identity.description.credential = Credential::Other(unknown, vec![1]);
        identity.description.capabilities.credentials.push(unknown);
        let add = Proposal::Add(Box::new(key_package_of(&lab.client, &identity)));
        let psk = Psk::External { psk_id: b"nobody has it".to_vec() };
        let good = lab.key_package();
        let good_add = Proposal::Add(Box::new(package(&good)));
        for proposal in [add, good_add] {
            let sent = lab.members[1].propose(proposal, b"").unwrap().message;
            lab.propose(1, &sent);
        }
        let sent = lab.members[1].propose_psk(psk, b"").unwrap().message;
        lab.propose(1, &sent);
        let staged = lab.members[0].commit().stage().unwrap();
        assert_eq!(staged.changes().added.len(), 1);
        assert!(staged.changes().psks.is_empty());
        lab.accept(0, staged, &[good]);
    }
}

/// Of many proposals only those are left out that can't be committed, wherever they are.
#[test]
fn some_of_many_that_can_never_be_committed() {
    for mut lab in labs() {
        lab.app.psks.lock().unwrap().insert(b"known".to_vec(), b"key".to_vec());
        let bad = [0, 7, 8, 21, 32];
        for at in 0..33 {
            let name = if bad.contains(&at) { &b"nobody has it"[..] } else { b"known" };
            let psk = Psk::External { psk_id: name.to_vec() };
            let sent = lab.members[1].propose_psk(psk, b"").unwrap().message;
            lab.propose(1, &sent);
        }
        let known: Vec<_> = lab.members[0]
            .pending_proposals()
            .enumerate()
            .filter(|(at, _)| !bad.contains(at))
            .filter_map(|(_, pending)| match pending.proposal {
                Proposal::PreSharedKey(id) => Some(id.clone()),
                _ => None,
            })
            .collect();
        let staged = lab.members[0].commit().stage().unwrap();
        assert_eq!(staged.changes().psks, known);
        assert_eq!(known.len(), 33 - bad.len());
        lab.accept(0, staged, &[]);
    }
}

/// What section 12.2 says to prefer: the Remove, or the latest Update.
#[test]
fn a_committer_chooses() {
    for mut lab in labs() {
        for sender in [2, 2, 3] {
            let sent = lab.members[sender].propose_update(None, b"").unwrap().message;
            lab.propose(sender, &sent);
        }
        let sent = lab.members[1].propose(Proposal::Remove(LeafIndex(3)), b"").unwrap().message;
        lab.propose(1, &sent);
        let sent = lab.members[1].propose(Proposal::Remove(LeafIndex(0)), b"").unwrap().message;
        lab.propose(1, &sent);
        let staged = lab.members[0].commit().stage().unwrap();
        assert_eq!(staged.changes().updated, [LeafIndex(2)]);
        assert_eq!(staged.changes().removed, [LeafIndex(3)]);
        lab.accept(0, staged, &[]);
    }
}

#[test]
fn the_application_has_the_last_word() {
    for mut lab in labs() {
        let remove = || Proposal::Remove(LeafIndex(2));
        let message = proposal(&mut lab.members[0], remove());
        let commit = lab.members[0].commit().remove_member(LeafIndex(2));
        let commit = commit.stage().unwrap().messages.message;
        let identity = lab.identity();
        let info = group_info(&lab.members[0].group_info().unwrap());
        let joined = lab.client.join_externally(&identity, &info).stage().unwrap();
        lab.app.is_closed.store(true, Ordering::Relaxed);
        let rule = "12.2: the application rejects a proposal";
        refuses(&mut lab.members[1], &message, rule);
        refuses(&mut lab.members[1], &commit, rule);
        is_not_made(lab.members[1].commit().remove_member(LeafIndex(2)), rule);
        let rule = "12.4.3.2: the application rejects an external commit";
        refuses(&mut lab.members[1], &joined.message, rule);
        lab.app.is_closed.store(false, Ordering::Relaxed);
        lab.accept_external(joined);
    }
}

/// The private keys of an Update don't outlive the epoch, whether it was committed or not.
#[test]
fn own_updates_end_with_their_epoch() {
    for mut lab in labs() {
        for sender in [2, 3] {
            let sent = lab.members[sender].propose_update(None, b"").unwrap();
            lab.propose(sender, &sent.message);
            assert_eq!(lab.members[sender].own_updates.len(), 1);
        }
        // Those of member 3 are its own to leave out.
        lab.commit(3, &[], |b| b);
        for member in &lab.members {
            assert!(member.own_updates.is_empty());
            assert_eq!(member.pending_proposals().count(), 0);
        }
    }
}

#[test]
fn messages_of_other_groups() {
    let mut lab = Lab::of(public(), 2, 5);
    let identity = lab.identity();
    let mut other =
        lab.client.create_group(&identity, b"another".to_vec(), Extensions::new()).unwrap();
    let message = other.send(b"data", b"").unwrap().message;
    refuses(&mut lab.members[0], &message, "6: the message is of another group");
    let message = lab.members[0].group_info().unwrap();
    assert_eq!(lab.members[1].receive(&message).unwrap_err().fault(), "caller");
}
