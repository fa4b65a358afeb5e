//! Each flow of a group, among members that all run this engine, at several sizes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod members;

use burrow::{
    codec::Decode,
    framing::MlsMessage,
    group::{ExternalProposer, JoinOptions, Status},
    types::{
        Extensions, ExternalSender, ExternalSenders, Proposal, ProposalType, ProtocolVersion, Psk,
        ReInit, ResumptionPskUsage,
    },
};
use members::{at_all_sizes, group_info, package, required, tree_of, welcome};

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
            b.add_member(package(&new[0])).add_member(package(&new[1])).without_path()
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
fn pitfall_18_an_add_takes_the_leaf_of_a_remove() {
    at_all_sizes(|mut lab| {
        let new = [lab.key_package()];
        let leaf = lab.members[1].own_leaf();
        lab.commit(0, &new, |b| b.remove_member(leaf).add_member(package(&new[0])));
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
        let name = lab.members[1].members().nth(1).unwrap().1.credential.clone();
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
        lab.commit(1, &new, |b| b.add_member(package(&new[0])).identity(identity.clone()));
        lab.talk(1, b"signed with the new key");
        lab.commit(1, &[], |b| b);
    });
}

#[test]
fn all_kinds_of_proposals_by_reference() {
    at_all_sizes(|mut lab| {
        lab.app.psks.lock().unwrap().insert(b"id".to_vec(), b"key".to_vec());
        let psk = Psk::External { psk_id: b"id".to_vec() };
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

/// P34: a newcomer derives from the same keys in the same order, with the same nonces.
#[test]
fn pitfall_34_a_newcomer_gets_the_psks_of_the_commit() {
    at_all_sizes(|mut lab| {
        let psks = [b"one", b"two", b"six"].map(|id| {
            lab.app.psks.lock().unwrap().insert(id.to_vec(), [b"key of ", &id[..]].concat());
            Psk::External { psk_id: id.to_vec() }
        });
        let new = [lab.key_package(), lab.key_package()];
        let [one, two, six] = psks;
        lab.commit(0, &new, |b| {
            let b = b.add_member(package(&new[0])).add_member(package(&new[1]));
            b.psk(two).psk(one).psk(six)
        });
        let last = lab.members.len() - 1;
        lab.commit(last, &[], |b| b);
    });
}

#[test]
fn pitfall_37_resumption_psks_of_past_epochs() {
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
        lab.commit(0, &[], |b| b.psk(psk(epoch)).psk(psk(epoch - 2)).without_path());
    });
}

/// Pitfalls 16 and 24 (P16, P24): the new list takes the place of the old one as a whole.
#[test]
fn pitfall_16_new_extensions_and_a_path() {
    at_all_sizes(|mut lab| {
        let extensions = required(ProposalType::SELF_REMOVE);
        let new = [lab.key_package()];
        lab.commit(1, &new, |b| {
            b.group_context_extensions(extensions.clone()).add_member(package(&new[0]))
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
        assert!(lab.members[1].propose_self_remove(b"").is_err(), "once per epoch");
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
        lab.app.psks.lock().unwrap().insert(b"id".to_vec(), b"key".to_vec());
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
            .psk(Psk::External { psk_id: b"id".to_vec() })
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
            let remove = proposer.propose(&id, epoch, Proposal::Remove(leaf)).unwrap();
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
        let name = lab.members[0].members().next().unwrap().1.credential.clone();
        let other = lab.client.generate_identity(lab.suite, name, members_lifetime());
        let secrets = lab.client.generate_key_package(&other.unwrap()).unwrap();
        let branch = old
            .branch(identity, b"branch".to_vec(), Extensions::new(), vec![package(&secrets)])
            .unwrap();
        let welcome = welcome(branch.messages.welcome.as_ref().unwrap());
        assert!(lab.client.join(&welcome, &secrets).is_err(), "without the old group");
        let tree = branch.messages.ratchet_tree.as_ref();
        let options = JoinOptions {
            ratchet_tree: tree.map(|_| tree_of(&branch.group)),
            origin: Some(&lab.members[0]),
        };
        let joined = lab.client.join_with(&welcome, &secrets, options).unwrap();
        assert_eq!(joined.epoch(), 1);
        assert_eq!(joined.epoch_authenticator(), branch.group.epoch_authenticator());
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
    burrow::types::Lifetime { not_before: members::NOW - 10, not_after: members::NOW + 1000 }
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
        assert_eq!(*lab.members[1].status(), Status::Reinitialized(reinit.clone()));
        assert!(lab.members[1].send(b"", b"").is_err(), "frozen");
        assert!(lab.members[1].commit().stage().is_err(), "frozen");

        let names: Vec<_> = lab.members[0].members().map(|(_, l)| l.credential.clone()).collect();
        let identities: Vec<_> = names
            .into_iter()
            .map(|name| {
                lab.client.generate_identity(reinit.cipher_suite, name, members_lifetime()).unwrap()
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
        assert!(lab.members[1].reinitialize(&identities[creator], missing).is_err());
        let next = lab.members[1].reinitialize(&identities[creator], packages).unwrap();
        let welcome = welcome(next.messages.welcome.as_ref().unwrap());
        for secrets in &others {
            let tree = next.messages.ratchet_tree.as_ref();
            let options = JoinOptions {
                ratchet_tree: tree.map(|_| tree_of(&next.group)),
                origin: Some(&lab.members[0]),
            };
            let joined = lab.client.join_with(&welcome, secrets, options).unwrap();
            assert_eq!(joined.epoch_authenticator(), next.group.epoch_authenticator());
            assert_eq!(joined.cipher_suite(), reinit.cipher_suite);
        }
    });
}
