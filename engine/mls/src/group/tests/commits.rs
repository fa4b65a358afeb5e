//! Commits that are to be refused (sections 12.2, 12.4 and 12.4.3.2).

use crypto_api::{CipherSuite, Digest};

use super::{
    forge::{External, bare, bare_with_tag, by_value, complete, external},
    is_not_made, labs_of,
    members::{Lab, group_info, package, public, receive_commit, required},
    pair, refuses,
};
use crate::{
    PeerError,
    group::{Config, Received},
    tree::LeafDescription,
    types::{
        CredentialType, Extension, ExtensionType, Extensions, LeafIndex, PreSharedKeyId, Proposal,
        ProposalOrRef, ProposalType, ProtocolVersion, Psk, ReInit, ResumptionPskUsage,
    },
};

fn labs() -> impl Iterator<Item = Lab> {
    labs_of(5)
}

fn external_psk(nonce: &[u8]) -> Proposal {
    Proposal::PreSharedKey(PreSharedKeyId {
        psk: Psk::External { psk_id: b"id".to_vec() },
        psk_nonce: nonce.to_vec(),
    })
}

fn resumption(usage: ResumptionPskUsage) -> Psk {
    Psk::Resumption { usage, psk_group_id: b"the group".to_vec(), psk_epoch: 1 }
}

fn reinit(version: u16) -> Proposal {
    Proposal::ReInit(ReInit {
        group_id: b"next".to_vec(),
        version: ProtocolVersion(version),
        cipher_suite: CipherSuite(1),
        extensions: Extensions::new(),
    })
}

#[test]
fn pitfall_15_path_is_required() {
    for mut lab in labs() {
        let extensions = Proposal::GroupContextExtensions(Extensions::new());
        let update = lab.members[2].propose_update(None, b"").unwrap().message;
        lab.propose(2, &update);
        let reference = lab.members[0].pending_proposals().next().unwrap().reference;
        let update = ProposalOrRef::Reference(reference.to_vec());
        let (one, other) = pair(&mut lab);
        for entries in [
            Vec::new(),
            by_value(vec![Proposal::Remove(LeafIndex(3))]),
            by_value(vec![extensions.clone()]),
            vec![update.clone()],
        ] {
            let message = complete(one, entries, false, None);
            refuses(other, &message, "12.4: a commit without a path");
        }
        // Ours have one, asked for or not.
        let staged = one.commit().remove_member(LeafIndex(3)).without_path().stage().unwrap();
        assert!(staged.changes().has_path);
    }
}

#[test]
fn pitfall_19_of_the_committer() {
    for mut lab in labs() {
        let update = lab.members[0].propose_update(None, b"").unwrap().message;
        lab.propose(0, &update);
        let pending = lab.members[0].pending_proposals().next().unwrap();
        let reference = ProposalOrRef::Reference(pending.reference.to_vec());
        let by_value_update = by_value(vec![pending.proposal.clone()]);
        let (one, other) = pair(&mut lab);
        let message = bare(one, by_value(vec![Proposal::Remove(LeafIndex(0))]));
        refuses(other, &message, "12.2: the committer is removed");
        let message = bare(one, vec![reference]);
        refuses(other, &message, "12.2: an Update of the committer's");
        let message = bare(one, by_value_update);
        refuses(other, &message, "12.2: an Update of the committer's");
        is_not_made(one.commit().remove_member(LeafIndex(0)), "12.2: the committer is removed");
        // Left out when the committer chooses by itself.
        let staged = one.commit().stage().unwrap();
        assert!(staged.changes().updated.is_empty());
    }
}

#[test]
fn pitfall_20_twice() {
    for mut lab in labs() {
        let update = lab.members[2].propose_update(None, b"").unwrap().message;
        lab.propose(2, &update);
        let pending = lab.members[0].pending_proposals().next().unwrap();
        let update = ProposalOrRef::Reference(pending.reference.to_vec());
        let new = lab.key_package();
        let add = Proposal::Add(Box::new(package(&new)));
        let remove = Proposal::Remove(LeafIndex(2));
        let extensions = Proposal::GroupContextExtensions(Extensions::new());
        let psk = external_psk(&[7; 32]);
        let (one, other) = pair(&mut lab);
        let message = bare(one, by_value(vec![remove.clone(), remove.clone()]));
        refuses(other, &message, "12.2: more than one Update or Remove");
        let mut entries = by_value(vec![remove]);
        entries.push(update.clone());
        refuses(other, &bare(one, entries), "12.2: more than one Update or Remove");
        refuses(other, &bare(one, vec![update.clone(), update]), "12.2: more than one Update");
        let message = bare(one, by_value(vec![extensions.clone(), extensions]));
        refuses(other, &message, "12.2: more than one GroupContextExtensions");
        let message = bare(one, by_value(vec![psk.clone(), psk]));
        refuses(other, &message, "12.2: a PreSharedKeyID twice");
        let message = complete(one, by_value(vec![add.clone(), add]), true, None);
        refuses(other, &message, "7.3: an encryption key is in the tree already");
        let message = bare(one, by_value(vec![Proposal::Remove(LeafIndex(9))]));
        refuses(other, &message, "12.1.3: removed is not a non-blank leaf");
    }
}

#[test]
fn pitfall_21_signature_key_of_a_member() {
    for mut lab in labs() {
        let identity = lab.identity();
        let [first, second] = [0; 2].map(|_| lab.client.generate_key_package(&identity).unwrap());
        lab.commit(0, std::slice::from_ref(&first), |b| b.add_member(package(&first)));
        let add = Proposal::Add(Box::new(package(&second)));
        let (one, other) = pair(&mut lab);
        let message = complete(one, by_value(vec![add.clone()]), true, None);
        refuses(other, &message, "7.3: two members have one signature key");
        is_not_made(
            one.commit().add_member(package(&second)),
            "7.3: two members have one signature key",
        );
        // The same from outside.
        let info = group_info(&one.group_info().unwrap());
        let list = External { has_init: 1, others: Vec::new() };
        let message = external(&lab.client, &identity, &info, &lab.members[0], list);
        refuses(&mut lab.members[1], &message, "7.3: two members have one signature key");
        // But in stead of the old one it is fine.
        let leaf = lab.members.last().unwrap().own_leaf();
        lab.commit(0, std::slice::from_ref(&second), |b| {
            b.remove_member(leaf).add_member(package(&second))
        });
    }
}

#[test]
fn clients_by_name() {
    let mut lab = Lab::with_suite(public(), 3, 1, true);
    lab.create();
    lab.grow(4);
    let identity = lab.identity_of(b"member 3");
    let again = lab.client.generate_key_package(&identity).unwrap();
    let add = Proposal::Add(Box::new(package(&again)));
    let twins = [0; 2].map(|_| {
        let twin = lab.identity_of(b"twin");
        lab.client.generate_key_package(&twin).unwrap()
    });
    let (one, other) = pair(&mut lab);
    let message = complete(one, by_value(vec![add]), true, None);
    refuses(other, &message, "12.2: a client is in the group twice");
    is_not_made(one.commit().add_member(package(&again)), "12.2: a client is in the group twice");
    let adds = twins.iter().map(|t| Proposal::Add(Box::new(package(t))));
    let message = complete(one, by_value(adds.collect()), true, None);
    refuses(other, &message, "12.2: a client is in the group twice");
    let leaf = lab.members[2].own_leaf();
    lab.commit(0, std::slice::from_ref(&again), |b| {
        b.remove_member(leaf).add_member(package(&again))
    });
}

#[test]
fn pitfall_24_required_capabilities() {
    const RARE: ProposalType = ProposalType(0x7777);
    for mut lab in labs() {
        let mut identity = lab.identity();
        identity.description.capabilities.proposals.push(RARE);
        let capabilities = &mut identity.description.capabilities;
        capabilities.extensions.push(ExtensionType(0xf123));
        let able = lab.client.generate_key_package(&identity).unwrap();
        lab.commit(0, std::slice::from_ref(&able), |b| b.add_member(package(&able)));
        let list = by_value(vec![Proposal::GroupContextExtensions(required(RARE))]);
        // Who commits has it; the others don't.
        let mut committer = lab.members.pop().unwrap();
        let (one, other) = (&mut committer, &mut lab.members[1]);
        refuses(other, &complete(one, list, true, None), "7.3: a member lacks one of the required");
        is_not_made(
            one.commit().group_context_extensions(required(RARE)),
            "7.3: a member lacks one of the required",
        );
        let mut unknown = Extensions::new();
        unknown.insert(Extension {
            extension_type: ExtensionType(0xf123),
            extension_data: Vec::new(),
        });
        let list = by_value(vec![Proposal::GroupContextExtensions(unknown)]);
        refuses(other, &complete(one, list, true, None), "13.4: a member lacks an extension");
        // Of those who are removed nothing is required.
        let lacking: Vec<_> = lab.members.iter().map(|member| member.own_leaf()).collect();
        let builder = committer.commit().group_context_extensions(required(RARE));
        let builder =
            lacking[1..].iter().fold(builder, |builder, leaf| builder.remove_member(*leaf));
        assert!(builder.stage().unwrap_err().to_string().contains("7.3: a member lacks one"));
        let builder = committer.commit().group_context_extensions(required(RARE));
        let builder = lacking.iter().fold(builder, |builder, leaf| builder.remove_member(*leaf));
        let message = builder.stage().unwrap().messages.message;
        assert!(matches!(lab.members[1].receive(&message), Ok(Received::Commit(_))));
    }
}

/// New requirements count for those whom the same commit adds.
#[test]
fn pitfall_18_extensions_come_first() {
    for mut lab in labs() {
        let mut identity = lab.identity();
        identity.description.capabilities.proposals.clear();
        let unable = lab.client.generate_key_package(&identity).unwrap();
        let list = vec![
            Proposal::Add(Box::new(package(&unable))),
            Proposal::GroupContextExtensions(required(ProposalType::SELF_REMOVE)),
        ];
        let (one, other) = pair(&mut lab);
        let message = complete(one, by_value(list), true, None);
        refuses(other, &message, "7.3: a member lacks one of the required");
        // Without them it is welcome, and then nobody can leave by a SelfRemove.
        lab.commit(0, std::slice::from_ref(&unable), |b| b.add_member(package(&unable)));
        assert!(lab.members[1].propose_self_remove(b"").is_err());
    }
}

#[test]
fn pitfall_51_credential_types() {
    for mut lab in labs() {
        let mut identity = lab.identity();
        let unknown = CredentialType(0xf00d);
        identity.description.credential = crate::types::Credential::Other(unknown, vec![1]);
        identity.description.capabilities.credentials.push(unknown);
        let new = lab.client.generate_key_package(&identity).unwrap();
        let list = by_value(vec![Proposal::Add(Box::new(package(&new)))]);
        let (one, other) = pair(&mut lab);
        refuses(other, &complete(one, list, true, None), "7.3: a member lacks a credential type");
        is_not_made(
            one.commit().add_member(package(&new)),
            "7.3: a member lacks a credential type",
        );
    }
}

#[test]
fn committers_leaf() {
    for mut lab in labs() {
        let (one, other) = pair(&mut lab);
        let mut description = LeafDescription::from(one.own_leaf_node().unwrap());
        description.credential = crate::types::Credential::Basic(b"somebody else".to_vec());
        let message = complete(one, Vec::new(), true, Some(description));
        refuses(other, &message, "5.3.1: a member's new credential");
    }
}

#[test]
fn pitfall_28_reinit_is_alone() {
    for mut lab in labs() {
        let (one, other) = pair(&mut lab);
        let list = by_value(vec![reinit(1), Proposal::Remove(LeafIndex(2))]);
        refuses(other, &bare(one, list), "12.2: a ReInit with other proposals");
        refuses(other, &bare(one, by_value(vec![reinit(0)])), "12.1.5: a ReInit to a version");
        let list = by_value(vec![reinit(1), reinit(1)]);
        refuses(other, &bare(one, list), "12.2: a ReInit with other proposals");
    }
}

#[test]
fn pitfall_36_psk_nonce() {
    for mut lab in labs() {
        let (one, other) = pair(&mut lab);
        for length in [0, 31, 33] {
            let list = by_value(vec![external_psk(&vec![0; length])]);
            refuses(other, &bare(one, list), "12.1.4: a psk_nonce is not");
        }
    }
}

#[test]
fn pitfall_37_psk_usages() {
    for mut lab in labs() {
        let (one, other) = pair(&mut lab);
        for usage in [ResumptionPskUsage::Reinit, ResumptionPskUsage::Branch] {
            let list = by_value(vec![Proposal::PreSharedKey(PreSharedKeyId {
                psk: resumption(usage),
                psk_nonce: vec![0; 32],
            })]);
            refuses(other, &bare(one, list), "12.1.4: a resumption PSK for a branch");
            is_not_made(one.commit().psk(resumption(usage)), "12.1.4: a resumption PSK");
        }
    }
}

#[test]
fn missing_psk() {
    let mut lab = Lab::of(public(), 3, 4);
    let (one, other) = pair(&mut lab);
    let before = other.write().unwrap();
    let message = bare(one, by_value(vec![external_psk(&[1; 32])]));
    let error = other.receive(&message).unwrap_err();
    assert_eq!(error, crate::CallerError::MissingPsk.into());
    assert_eq!(*before, *other.write().unwrap());
    assert!(one.commit().psk(resumption(ResumptionPskUsage::Application)).stage().is_ok());
    let unknown = Psk::Resumption {
        usage: ResumptionPskUsage::Application,
        psk_group_id: b"the group".to_vec(),
        psk_epoch: 77,
    };
    assert!(one.commit().psk(unknown).stage().is_err());
}

#[test]
fn unknown_reference() {
    for mut lab in labs() {
        let (one, other) = pair(&mut lab);
        let message = bare(one, vec![ProposalOrRef::Reference(vec![7; 32])]);
        refuses(other, &message, "not known");
        let message = bare(one, vec![ProposalOrRef::Reference(vec![7; 32])]);
        let error = other.receive(&message).unwrap_err();
        assert_eq!(error, PeerError::UnknownProposal.into());
    }
}

#[test]
fn pitfall_38_confirmation_tags() {
    for mut lab in labs() {
        lab.app.psks.lock().unwrap().insert(b"id".to_vec(), b"key".to_vec());
        let (one, other) = pair(&mut lab);
        for length in [0, 1, 16, 31, 32] {
            let tag = Digest::from_fn(length, |_| {});
            let message = bare_with_tag(one, by_value(vec![external_psk(&[1; 32])]), tag);
            refuses(other, &message, "a MAC doesn't fit");
        }
    }
}

#[test]
fn pitfall_38_membership_tags() {
    let mut lab = Lab::of(public(), 3, 5);
    let (one, other) = pair(&mut lab);
    let message = one.commit().stage().unwrap().messages.message;
    let (start, tag) = message.split_at(message.len() - 33);
    assert_eq!(tag[0], 32, "the membership tag comes last");
    for length in [0, 1, 16, 31] {
        let mut cut = start.to_vec();
        cut.push(length as u8);
        cut.extend_from_slice(&tag[1..=length]);
        refuses(other, &cut, "a MAC doesn't fit");
    }
    refuses(other, start, "malformed");
    receive_commit(other, &message);
}

#[test]
fn pitfall_25_external_init_of_a_member() {
    for mut lab in labs() {
        let (one, other) = pair(&mut lab);
        let list = by_value(vec![Proposal::ExternalInit(vec![0; 32])]);
        refuses(other, &bare(one, list), "12.2: an ExternalInit in a commit of a member");
    }
}

#[test]
fn pitfall_25_external_commits() {
    for mut lab in labs() {
        let update = lab.members[2].propose_update(None, b"").unwrap().message;
        lab.propose(2, &update);
        let reference = lab.members[0].pending_proposals().next().unwrap().reference;
        let by_reference = ProposalOrRef::Reference(reference.to_vec());
        let info = group_info(&lab.members[0].group_info().unwrap());
        let identity = lab.identity();
        let new = lab.key_package();
        let value = |proposals| by_value(proposals);
        let one_init = "12.2: an external commit has one ExternalInit";
        let cases = [
            (0, Vec::new(), one_init),
            (2, Vec::new(), one_init),
            (
                1,
                value(vec![Proposal::Remove(LeafIndex(2)), Proposal::Remove(LeafIndex(3))]),
                one_init,
            ),
            (
                1,
                value(vec![Proposal::Add(Box::new(package(&new)))]),
                "12.2: a proposal that an external commit may not have",
            ),
            (
                1,
                value(vec![Proposal::GroupContextExtensions(Extensions::new())]),
                "12.2: a proposal that an external commit may not have",
            ),
            (1, value(vec![reinit(1)]), "12.2: a proposal that an external commit may not have"),
            (1, vec![by_reference], "12.4.3.2: a proposal by reference"),
            // Another member's place, with a credential that isn't that member's.
            (1, value(vec![Proposal::Remove(LeafIndex(2))]), "5.3.1: a member's new credential"),
        ];
        for (has_init, others, rule) in cases {
            let list = External { has_init, others };
            let message = external(&lab.client, &identity, &info, &lab.members[0], list);
            refuses(&mut lab.members[1], &message, rule);
        }
        let joined = lab.client.join_externally(&identity, &info);
        let joined = joined.replaces(LeafIndex(2)).stage();
        assert_eq!(joined.unwrap_err().fault(), "caller");
    }
}

/// The external key is the epoch's own.
#[test]
fn pitfall_26_external_key_of_an_old_epoch() {
    let mut lab = Lab::of(Config::default(), 3, 6);
    let old = lab.members[0].group_info().unwrap();
    lab.commit(1, &[], |b| b);
    let new = lab.members[0].group_info().unwrap();
    let key = |message: &[u8]| -> crate::types::ExternalPub {
        group_info(message).extensions.find().unwrap().unwrap()
    };
    assert_ne!(key(&old), key(&new));
    let identity = lab.identity();
    let info = group_info(&old);
    let joined = lab.client.join_externally(&identity, &info).stage().unwrap();
    let received = lab.members[1].receive(&joined.message).unwrap();
    assert!(matches!(received, Received::Ignored(_)), "{received:?}");
}

/// P30: indices out of range or that would wrap around, and one's own, which stays the same while
/// the tree grows and shrinks around it.
#[test]
fn pitfall_30_leaf_indices() {
    for mut lab in labs() {
        let (one, other) = pair(&mut lab);
        for leaf in [5, 7, 8, 1 << 30, 1 << 31, u32::MAX].map(LeafIndex) {
            let message = bare(one, by_value(vec![Proposal::Remove(leaf)]));
            refuses(other, &message, "12.1.3: removed is not a non-blank leaf");
            is_not_made(one.commit().remove_member(leaf), "12.1.3: removed is not");
        }
        let keys: Vec<_> = lab.members.iter().map(|m| m.signer.public().to_vec()).collect();
        let check = |lab: &Lab| {
            for member in &lab.members {
                let own = member.own_leaf_node().unwrap().signature_key.as_slice();
                assert_eq!(own, member.signer.public());
            }
        };
        let new: Vec<_> = (0..4).map(|_| lab.key_package()).collect();
        lab.commit(2, &new, |b| new.iter().fold(b, |b, one| b.add_member(package(one))));
        check(&lab);
        for leaf in [0, 8, 7, 6, 5, 4].map(LeafIndex) {
            lab.commit(1, &[], |b| b.remove_member(leaf));
            check(&lab);
        }
        assert_eq!(lab.members[0].signer.public(), keys[1]);
        assert_eq!(lab.members[0].tree().size().leaf_count(), 4);
    }
}

/// Commits that are damaged anywhere are refused, and the real one is then accepted.
#[test]
fn pitfall_44_damage_anywhere() {
    for mut lab in labs() {
        let new = lab.key_package();
        let (one, other) = pair(&mut lab);
        let staged = one.commit().add_member(package(&new)).stage().unwrap();
        let message = &staged.messages.message;
        let before = other.write().unwrap();
        for at in 0..message.len() {
            let mut damaged = message.clone();
            damaged[at] ^= 1;
            match other.receive(&damaged) {
                Err(_) | Ok(Received::Ignored(_)) => {}
                Ok(received) => panic!("byte {at}: {received:?}"),
            }
        }
        for end in 0..message.len() {
            assert!(other.receive(&message[..end]).is_err(), "cut at {end}");
        }
        assert_eq!(*before, *other.write().unwrap());
        receive_commit(other, message);
        one.merge(staged).unwrap();
        assert_eq!(one.epoch_authenticator(), other.epoch_authenticator());
    }
}
