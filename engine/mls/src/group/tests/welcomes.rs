//! Welcomes and GroupInfos that are to be refused (section 12.4.3.1).

use std::sync::atomic::Ordering;

use super::members::{Lab, NOW, group_info, package, public, tree_of, welcome};
use crate::{
    Result,
    codec::Encode,
    framing::Sender,
    group::{
        Config, Group, JoinOptions, KeyPackageSecrets,
        draft::{Draft, PathDraft},
        proposal_list::{Applied, Committer, apply_unchecked},
        welcome::{GroupInfoDraft, welcome as make_welcome},
    },
    schedule::PskSecret,
    tree::LeafDescription,
    types::{GroupInfoContent, LeafIndex, Proposal, ProposalOrRef, Welcome},
};

/// A Welcome of member 0 for a key package, with a GroupInfo that `change` has changed.
fn forged(
    group: &Group,
    secrets: &KeyPackageSecrets,
    signer: &Group,
    change: impl FnOnce(&mut GroupInfoContent, &Applied),
) -> Welcome {
    let suite = group.suite().unwrap();
    let view = group.view(suite);
    let sender = Sender::Member(group.own_leaf());
    let add = Proposal::Add(Box::new(package(secrets)));
    let entries = vec![ProposalOrRef::Proposal(add)];
    let list = group.proposals.list(&view, entries.clone(), sender).unwrap();
    let committer = Committer::Member(group.own_leaf());
    let mut applied = apply_unchecked(&view, &list, committer).unwrap();
    let psk_secret = PskSecret::none(suite);
    let made = Draft {
        view,
        frame: group.epoch.frame(suite),
        interim_transcript_hash: &group.epoch.interim_transcript_hash,
        sender,
        signer: &group.signer,
        wire_format: crate::framing::WireFormat::PublicMessage,
        authenticated_data: Vec::new(),
        proposals: entries,
        path: Some(PathDraft {
            leaf: group.own_leaf(),
            description: LeafDescription::from(group.own_leaf_node().unwrap()),
            signer: group.signer.clone(),
        }),
        init_secret: &group.epoch.secrets.init_secret,
        psk_secret: &psk_secret,
    }
    .make(&mut applied)
    .unwrap();
    let info = GroupInfoDraft {
        context: &made.scheduled.context,
        confirmation_tag: made.scheduled.confirmation_tag.as_slice(),
        tree: Some(&applied.tree),
        external_pub: None,
        signer_leaf: group.own_leaf(),
        signer: &group.signer,
    };
    let mut content = (*info.sign(suite).unwrap()).clone();
    change(&mut content, &applied);
    let info = content.sign(suite, &signer.signer).unwrap();
    let path = made.path.as_ref();
    make_welcome(suite, &applied, &made.scheduled, &psk_secret, path, &info).unwrap()
}

#[track_caller]
fn is_refused(joined: Result<Group>, rule: &str) {
    let error = joined.unwrap_err();
    assert!(error.to_string().contains(rule), "{error}, not {rule}");
}

#[test]
fn pitfall_33_a_joiner_checks_everything() {
    let mut lab = Lab::of(Config::default(), 5, 1);
    let secrets = lab.key_package();
    let stranger = lab.key_package();
    let (client, one, other) = (&lab.client, &lab.members[0], &lab.members[1]);
    let join = |welcome: &Welcome| client.join(welcome, &secrets);
    assert!(join(&forged(one, &secrets, one, |_, _| {})).is_ok(), "nothing was changed");

    let wrong_tag = forged(one, &secrets, one, |info, _| info.confirmation_tag[0] ^= 1);
    is_refused(join(&wrong_tag), "a MAC doesn't fit");
    for length in [0, 31] {
        let cut = forged(one, &secrets, one, |info, _| info.confirmation_tag.truncate(length));
        is_refused(join(&cut), "a MAC doesn't fit");
    }
    let wrong_signer = forged(one, &secrets, other, |_, _| {});
    is_refused(join(&wrong_signer), "a signature doesn't verify");
    let blank_signer = forged(one, &secrets, one, |info, _| info.signer = LeafIndex(7));
    is_refused(join(&blank_signer), "12.4.3.1: the signer of a GroupInfo is no member");
    let wrong_hash = forged(one, &secrets, one, |info, _| info.group_context.tree_hash[0] ^= 1);
    is_refused(join(&wrong_hash), "12.4.3.1: the tree hash is not");
    let old_tree = one.tree().to_extension().unwrap();
    let wrong_tree = forged(one, &secrets, one, |info, _| info.extensions.insert(old_tree));
    is_refused(join(&wrong_tree), "12.4.3.1: the tree hash is not");
    let wrong_suite = forged(one, &secrets, one, |info, _| info.group_context.cipher_suite.0 = 3);
    is_refused(join(&wrong_suite), "12.4.3.1: a group's version or cipher suite");
    let wrong_version = forged(one, &secrets, one, |info, _| info.group_context.version.0 = 2);
    is_refused(join(&wrong_version), "12.4.3.1: a group's version or cipher suite");
    let wrong_epoch = forged(one, &secrets, one, |info, _| info.group_context.epoch += 1);
    is_refused(join(&wrong_epoch), "a MAC doesn't fit");
    // The path secret is for the node above both us and the signer; another signer, another node.
    let for_another = forged(one, &secrets, other, |info, _| info.signer = LeafIndex(1));
    assert!(join(&for_another).is_ok(), "leaves 0 and 1 have the same nodes above leaf 5");

    let secret_of_another_node = forged(one, &secrets, &lab.members[4], |info, _| {
        info.signer = LeafIndex(4);
    });
    is_refused(join(&secret_of_another_node), "12.4.3.1: a path secret for a node that is blank");

    // A group that we are not in: all is right, but the tree is the old one.
    let hash = one.context().tree_hash.clone();
    let tree = one.tree().to_extension().unwrap();
    let without_us = forged(one, &secrets, one, |info, _| {
        info.group_context.tree_hash = hash;
        info.extensions.insert(tree);
    });
    is_refused(join(&without_us), "12.4.3.1: the key package's leaf is not in the tree");
    let real = forged(one, &secrets, one, |_, _| {});
    is_refused(client.join(&real, &stranger), "not for this key package");
    let mut damaged = real.clone();
    damaged.encrypted_group_info[0] ^= 1;
    is_refused(join(&damaged), "a ciphertext doesn't open");
    damaged = real;
    damaged.cipher_suite.0 = 2;
    is_refused(join(&damaged), "12.4.3.1: a Welcome's cipher suite");
}

/// Without a path there is no path secret, and the joiner knows no key but its own.
#[test]
fn pitfall_31_no_path_secret() {
    let mut lab = Lab::of(Config::default(), 5, 2);
    let new = [lab.key_package()];
    lab.commit(0, &new, |b| b.add_member(package(&new[0])).without_path());
    let joined = lab.members.last().unwrap();
    assert_eq!(joined.epoch.keys.above().count(), 0);
    let new = [lab.key_package()];
    lab.commit(0, &new, |b| b.add_member(package(&new[0])));
    let joined = lab.members.last().unwrap();
    assert!(joined.epoch.keys.above().count() > 0);
}

#[test]
fn tree_beside_the_welcome() {
    let config = Config { tree_in_welcome: false, ..public() };
    let mut lab = Lab::of(config, 3, 3);
    let secrets = lab.key_package();
    let staged = lab.members[0].commit().add_member(package(&secrets)).stage().unwrap();
    let message = staged.messages.welcome.clone().unwrap();
    let without = lab.client.join(&welcome(&message), &secrets);
    is_refused(without, "the tree is neither in the GroupInfo nor beside it");
    let old = JoinOptions { ratchet_tree: Some(tree_of(&lab.members[0])), origin: None };
    let wrong = lab.client.join_with(&welcome(&message), &secrets, old);
    is_refused(wrong, "12.4.3.1: the tree hash is not");
    lab.accept(0, staged, &[secrets]);
}

#[test]
fn pitfall_52_members_that_have_expired() {
    for reject_expired_members in [true, false] {
        let config = Config { reject_expired_members, ..Config::default() };
        let mut lab = Lab::of(config, 4, 4);
        lab.app.now.store(NOW + 200 * 24 * 3600, Ordering::Relaxed);
        let secrets = lab.key_package();
        let staged = lab.members[0].commit().add_member(package(&secrets)).stage().unwrap();
        let message = staged.messages.welcome.clone().unwrap();
        let joined = lab.client.join(&welcome(&message), &secrets);
        if reject_expired_members {
            is_refused(joined, "7.3: a leaf is not valid at this time");
        } else {
            assert!(joined.is_ok());
        }
    }
}

/// Nothing is signed that nobody needs, and the GroupInfo that is asked for can be joined by.
#[test]
fn group_info_when_asked_for() {
    let mut lab = Lab::of(Config::default(), 3, 5);
    let staged = lab.members[0].commit().stage().unwrap();
    assert!(staged.messages.welcome.is_none() && staged.messages.group_info.is_none());
    let staged = lab.members[0].commit().group_info().stage().unwrap();
    let info = group_info(staged.messages.group_info.as_ref().unwrap());
    lab.accept(0, staged, &[]);
    assert_eq!(info.group_context, *lab.members[0].context());
    assert!(info.as_bytes().len() > lab.members[0].tree().to_bytes().unwrap().len());
    let identity = lab.identity();
    let joined = lab.client.join_externally(&identity, &info).stage().unwrap();
    lab.accept_external(joined);
}
