//! What becomes of events that come late, early, twice, back to their sender, or from a member who
//! breaks the rules: each has one outcome.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod people;

use burrow::{
    codec::Encode,
    types::{LeafIndex, Proposal},
};
use burrow_marmot::{
    CallerError, Error, PeerError,
    event::Event,
    group::{Ignored, Received},
};
use people::{
    Insider, Person, RELAY, Time, assert_agree, assert_all_talk, committed, deliver,
    everybody_follows, group_of, group_with_admins, ignored, message, wrapped_anew,
};

const START: u64 = 1_800_000_000;

fn refused(received: Result<Received, Error>) -> PeerError {
    match received {
        Err(Error::Peer(why)) => why,
        other => panic!("{other:?} instead of a peer's error"),
    }
}

#[test]
fn everything_twice_and_in_another_event() {
    let time = Time::at(START);
    let (people, mut groups) = group_of(&time, 3);
    let said = people[0].say(&mut groups[0], "once");
    assert_eq!(message(deliver(&mut groups[1], &said)).rumor.content(), "once");
    let again = wrapped_anew(&people[2].client, &said);
    let before = groups[1].kept().clone();
    for event in [&said, &again] {
        assert_eq!(ignored(deliver(&mut groups[1], event)), Ignored::Duplicate);
        assert_eq!(ignored(deliver(&mut groups[0], event)), Ignored::Own);
    }
    assert_eq!(*groups[1].kept(), before);

    let commit = groups[0].self_update().unwrap();
    let again = wrapped_anew(&people[2].client, &commit.event);
    everybody_follows(&mut groups, 0, &commit);
    for group in &mut groups {
        for event in [&commit.event, &again] {
            assert_eq!(ignored(deliver(group, event)), Ignored::Duplicate);
        }
    }
    assert_all_talk(&people, &mut groups);
}

#[test]
fn own_commits_come_back() {
    let time = Time::at(START);
    let (people, mut groups) = group_of(&time, 3);
    let commit = groups[1].self_update().unwrap();
    assert_eq!(groups[1].pending_commit(), Some(commit.event.id()));
    assert_eq!(ignored(deliver(&mut groups[1], &commit.event)), Ignored::Own);
    assert!(matches!(groups[1].self_update(), Err(Error::Caller(CallerError::CommitPending))));
    // After a restart the pending commit is still there.
    groups[1] = people[1].restart(&groups[1]);
    assert_eq!(groups[1].pending_commit(), Some(commit.event.id()));
    everybody_follows(&mut groups, 1, &commit);
    assert_eq!(ignored(deliver(&mut groups[1], &commit.event)), Ignored::Duplicate);
    // Given up, it is gone.
    let given_up = groups[1].self_update().unwrap();
    groups[1].discard_pending().unwrap();
    assert!(groups[1].merge_pending().is_err() && groups[1].discard_pending().is_err());
    assert_eq!(ignored(deliver(&mut groups[1], &given_up.event)), Ignored::Own);
    let other = groups[1].self_update().unwrap();
    everybody_follows(&mut groups, 1, &other);
    assert_all_talk(&people, &mut groups);
}

#[test]
fn messages_up_to_five_epochs_late() {
    let time = Time::at(START);
    let (people, mut groups) = group_of(&time, 3);
    let mut late = Vec::new();
    for _ in 0..7 {
        late.push(people[0].say(&mut groups[0], "late"));
        let commit = groups[1].self_update().unwrap();
        everybody_follows(&mut groups, 1, &commit);
    }
    groups[2] = people[2].restart(&groups[2]);
    let epoch = groups[2].epoch();
    for (place, event) in late.iter().enumerate() {
        let sent = u64::try_from(place).unwrap() + 1;
        if epoch - sent > 5 {
            assert_eq!(ignored(deliver(&mut groups[2], event)), Ignored::Unopened);
        } else {
            assert_eq!(message(deliver(&mut groups[2], event)).epoch, sent);
            groups[2] = people[2].restart(&groups[2]);
            assert_eq!(ignored(deliver(&mut groups[2], event)), Ignored::Duplicate);
        }
    }
    assert_all_talk(&people, &mut groups);
}

#[test]
fn a_thousand_ahead_and_a_hundred_back() {
    let time = Time::at(START);
    let (people, mut groups) = group_of(&time, 2);
    let sent: Vec<_> = (0..1102).map(|_| people[0].say(&mut groups[0], "one of many")).collect();
    let too_far = deliver(&mut groups[1], &sent[1001]);
    let far = burrow::PeerError::TooFarAhead;
    assert!(matches!(&too_far, Err(Error::Mls(burrow::Error::Peer(why))) if *why == far));
    message(deliver(&mut groups[1], &sent[1000]));
    message(deliver(&mut groups[1], &sent[999]));
    message(deliver(&mut groups[1], &sent[901]));
    assert_eq!(ignored(deliver(&mut groups[1], &sent[900])), Ignored::Stale);
    message(deliver(&mut groups[1], &sent[1101]));
}

#[test]
fn early_events_open_after_what_comes_before_them() {
    let time = Time::at(START);
    let (people, mut groups) = group_of(&time, 3);
    let mut behind = groups.pop().unwrap();
    let first = groups[0].self_update().unwrap();
    everybody_follows(&mut groups, 0, &first);
    let said = people[0].say(&mut groups[0], "early");
    let second = groups[1].self_update().unwrap();
    everybody_follows(&mut groups, 1, &second);
    let before = behind.kept().clone();
    for event in [&said, &second.event] {
        assert_eq!(ignored(deliver(&mut behind, event)), Ignored::Unopened);
    }
    assert_eq!(*behind.kept(), before);
    committed(deliver(&mut behind, &first.event));
    assert_eq!(message(deliver(&mut behind, &said)).rumor.content(), "early");
    committed(deliver(&mut behind, &second.event));
    groups.push(behind);
    assert_agree(&groups);
}

/// A member seals messages that claim to be of an epoch far ahead. Nothing is kept of them.
#[test]
fn a_forged_epoch_blocks_nobody() {
    let time = Time::at(START);
    let (people, mut groups) = group_of(&time, 3);
    let mut insider = Insider::of(&people[2], &groups[2]);
    let sent = insider.mls.send(b"{}", b"").unwrap().message;
    // version, wire format, group id of 16 bytes with its length, epoch
    let place = 2 + 2 + 17;
    for epoch in [0, 2, 1 << 63, u64::MAX] {
        let mut forged = sent.clone();
        forged[place..place + 8].copy_from_slice(&epoch.to_be_bytes());
        let before = groups[0].kept().clone();
        let why = refused(deliver(&mut groups[0], &insider.seal(&forged)));
        assert!(matches!(why, PeerError::Unexpected(_)), "{why:?}");
        assert_eq!(*groups[0].kept(), before);
    }
    assert_all_talk(&people, &mut groups);
}

#[test]
fn rumors_are_their_senders() {
    let time = Time::at(START);
    let (people, mut groups) = group_of(&time, 3);
    let honest = people[0].say(&mut groups[0], "by the founder");
    let theirs = message(deliver(&mut groups[1], &honest)).rumor;
    let mut insider = Insider::of(&people[2], &groups[2]);
    let own = people[2].client.rumor(people[2].account(), 9, Vec::new(), "forged").unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let with_their_id = text(own.to_json()).replace(&own.id().to_hex(), &theirs.id().to_hex());
    let signed = people[2].client.sign(own.clone(), &people[2].keys).unwrap();
    let tags = vec![vec!["h".to_owned(), "00".repeat(32)]];
    let naming = people[2].client.rumor(people[2].account(), 9, tags, "names the group").unwrap();
    let as_founder = people[2].client.rumor(people[0].account(), 9, Vec::new(), "x").unwrap();
    let cases = [
        (with_their_id.into_bytes(), PeerError::WrongId),
        (signed.to_json(), PeerError::Json("a rumor with a signature")),
        (naming.to_json(), PeerError::Unexpected("a rumor that names its group")),
        (as_founder.to_json(), PeerError::WrongAuthor("a message's author")),
        (b"no JSON".to_vec(), PeerError::Json("not the JSON of one")),
        (vec![0xff], PeerError::Json("not UTF-8")),
    ];
    for (data, expected) in cases {
        let event = insider.say(&data);
        assert_eq!(refused(deliver(&mut groups[1], &event)), expected);
        assert_eq!(ignored(deliver(&mut groups[1], &event)), Ignored::Duplicate);
    }
    // Without an id, it is whose it is all the same.
    let id = format!("\"id\":\"{}\",", own.id().to_hex());
    let without_id = text(own.to_json()).replace(&id, "");
    let event = insider.say(without_id.as_bytes());
    assert_eq!(message(deliver(&mut groups[1], &event)).rumor, own);
}

#[test]
fn who_may_commit_what() {
    let time = Time::at(START);
    let (people, mut groups) = group_of(&time, 4);
    let mut newcomer = Person::new(&time);
    let invitee = newcomer.publish();
    let invitee = people[3].invite(&invitee);
    let data = groups[3].data().clone();
    for error in [
        groups[3].add_members(std::slice::from_ref(&invitee)).unwrap_err(),
        groups[3].remove_members(&[people[1].account()]).unwrap_err(),
        groups[3].set_data(&data).unwrap_err(),
    ] {
        assert_eq!(error, Error::Caller(CallerError::NotAdmin));
    }
    let extensions = groups[3].mls().context().extensions.clone();
    let forge = |change: &dyn Fn(&mut Insider) -> Vec<u8>| -> Event {
        let mut insider = Insider::of(&people[3], &groups[3]);
        let message = change(&mut insider);
        insider.seal(&message)
    };
    let forged = [
        forge(&|i| {
            let key_package = invitee.key_package().clone();
            i.mls.commit().add_member(key_package).stage().unwrap().messages.message
        }),
        forge(&|i| i.mls.commit().remove_member(LeafIndex(1)).stage().unwrap().messages.message),
        forge(&|i| {
            let same = extensions.clone();
            i.mls.commit().group_context_extensions(same).stage().unwrap().messages.message
        }),
        forge(&|i| {
            i.mls
                .commit()
                .without_path()
                .proposal(Proposal::Remove(LeafIndex(2)))
                .stage()
                .unwrap()
                .messages
                .message
        }),
    ];
    let before = groups[0].kept().clone();
    for event in &forged {
        assert_eq!(refused(deliver(&mut groups[0], event)), PeerError::NotAdmin);
        assert_eq!(*groups[0].kept(), before);
    }
    let update = groups[3].self_update().unwrap();
    everybody_follows(&mut groups, 3, &update);
    assert_all_talk(&people, &mut groups);
}

#[test]
fn an_admin_stays() {
    let time = Time::at(START);
    let (people, mut groups) = group_with_admins(&time, 3, 2);
    let mut data = groups[0].data().clone();
    data.admins.clear();
    assert_eq!(groups[0].set_data(&data).unwrap_err(), CallerError::NoAdminLeft.into());
    data.admins.insert(Person::new(&time).account());
    assert_eq!(groups[0].set_data(&data).unwrap_err(), CallerError::NoAdminLeft.into());
    let mut insider = Insider::of(&people[1], &groups[1]);
    for data in [&data, &burrow_marmot::GroupData { admins: [].into(), ..data.clone() }] {
        let mut extensions = insider.mls.context().extensions.clone();
        extensions.put(data).unwrap();
        let staged = insider.mls.commit().group_context_extensions(extensions).stage().unwrap();
        let event = insider.seal(&staged.messages.message);
        assert_eq!(refused(deliver(&mut groups[0], &event)), PeerError::NoAdminLeft);
    }
    // Nor may a commit take the group data away.
    let extensions = burrow::types::Extensions::new();
    let staged = insider.mls.commit().group_context_extensions(extensions).stage().unwrap();
    let event = insider.seal(&staged.messages.message);
    assert_eq!(refused(deliver(&mut groups[0], &event)), PeerError::NoGroupData);
    // Of a removed admin the list says nothing any more.
    let removal = groups[0].remove_members(&[people[1].account()]).unwrap();
    let mut out = groups.remove(1);
    everybody_follows(&mut groups, 0, &removal);
    assert!(matches!(deliver(&mut out, &removal.event), Ok(Received::Removed)));
    assert_eq!(groups[1].data().admins, [people[0].account()].into());
}

#[test]
fn leaving_takes_a_commit_of_somebody_elses() {
    let time = Time::at(START);
    let (mut people, mut groups) = group_with_admins(&time, 4, 2);
    assert_eq!(groups[0].leave().unwrap_err(), CallerError::AdminLeaves.into());
    let leave = groups[3].leave().unwrap();
    for group in &mut groups[..3] {
        let received = deliver(group, &leave);
        let is_leave = |p: &Proposal| *p == Proposal::SelfRemove;
        assert!(matches!(received, Ok(Received::Proposal { proposal, .. }) if is_leave(&proposal)));
        assert_eq!(ignored(deliver(group, &leave)), Ignored::Duplicate);
    }
    let rumor = people[2].client.rumor(people[2].account(), 9, Vec::new(), "x").unwrap();
    let pending = burrow::CallerError::ProposalsPending;
    assert_eq!(groups[2].send(&rumor).unwrap_err(), Error::Mls(pending.into()));
    // The proposal is part of what is stored.
    groups[2] = people[2].restart(&groups[2]);
    groups[1] = people[1].restart(&groups[1]);
    let commit = groups[2].commit_departures().unwrap();
    let mut gone = groups.pop().unwrap();
    people.pop();
    everybody_follows(&mut groups, 2, &commit);
    assert!(matches!(deliver(&mut gone, &commit.event), Ok(Received::Removed)));
    assert_eq!(ignored(deliver(&mut groups[0], &leave)), Ignored::Stale);
    assert_all_talk(&people, &mut groups);
}

/// That somebody wants to leave doesn't let others remove it: only its own proposal, by reference, does.
#[test]
fn a_removal_is_no_departure() {
    let time = Time::at(START);
    let (people, mut groups) = group_of(&time, 4);
    let leave = groups[3].leave().unwrap();
    for group in &mut groups[..3] {
        deliver(group, &leave).unwrap();
    }
    let mut insider = Insider::of(&people[2], &groups[2]);
    let builder = insider.mls.commit().only(Vec::new()).remove_member(LeafIndex(3));
    let message = builder.stage().unwrap().messages.message;
    let before = groups[1].kept().clone();
    assert_eq!(refused(deliver(&mut groups[1], &insider.seal(&message))), PeerError::NotAdmin);
    // Nor with something else beside it.
    let mut newcomer = Person::new(&time);
    let invitee = people[2].invite(&newcomer.publish());
    let builder = insider.mls.commit().add_member(invitee.key_package().clone());
    let message = builder.stage().unwrap().messages.message;
    assert_eq!(refused(deliver(&mut groups[1], &insider.seal(&message))), PeerError::NotAdmin);
    assert_eq!(*groups[1].kept(), before);
    // The departure alone, without fresh keys of the committer's, may be committed by anybody.
    let message = insider.mls.commit().stage().unwrap().messages.message;
    let departure = insider.seal(&message);
    assert_eq!(committed(deliver(&mut groups[1], &departure)).changes.removed, [LeafIndex(3)]);
    assert!(matches!(deliver(&mut groups[3], &departure), Ok(Received::Removed)));
}

/// A late rival of a commit that has proposals in it: they are in the state that is gone back to.
#[test]
fn going_back_takes_proposals_along() {
    let time = Time::at(START);
    let (mut people, mut groups) = group_with_admins(&time, 4, 2);
    let leave = groups[3].leave().unwrap();
    for group in &mut groups[..3] {
        deliver(group, &leave).unwrap();
    }
    let departure = groups[2].commit_departures().unwrap();
    time.pass(1);
    let update = groups[0].self_update().unwrap();
    let mut gone = groups.pop().unwrap();
    people.pop();
    groups[2].merge_pending().unwrap();
    groups[0].merge_pending().unwrap();
    committed(deliver(&mut groups[1], &update.event));
    assert!(committed(deliver(&mut groups[1], &departure.event)).rolled_back.is_some());
    assert!(committed(deliver(&mut groups[0], &departure.event)).rolled_back.is_some());
    assert_eq!(ignored(deliver(&mut groups[2], &update.event)), Ignored::Lost);
    assert!(matches!(deliver(&mut gone, &departure.event), Ok(Received::Removed)));
    assert_agree(&groups);
    assert_all_talk(&people, &mut groups);
}

#[test]
fn an_admin_wants_to_leave_and_others_propose_what_only_commits_may_have() {
    let time = Time::at(START);
    let (people, mut groups) = group_with_admins(&time, 3, 2);
    let mut insider = Insider::of(&people[1], &groups[1]);
    let leave = insider.mls.propose_self_remove(b"").unwrap();
    assert_eq!(ignored(deliver(&mut groups[0], &insider.seal(&leave.message))), Ignored::Proposal);
    let mut insider = Insider::of(&people[2], &groups[2]);
    let update = insider.mls.propose_update(None, b"").unwrap();
    assert_eq!(ignored(deliver(&mut groups[0], &insider.seal(&update.message))), Ignored::Proposal);
    let extensions = insider.mls.context().extensions.clone();
    let proposal = Proposal::GroupContextExtensions(extensions);
    let proposed = insider.mls.propose(proposal, b"").unwrap();
    let event = insider.seal(&proposed.message);
    assert_eq!(ignored(deliver(&mut groups[0], &event)), Ignored::Proposal);
    // Nothing of it keeps anybody from sending.
    people[0].say(&mut groups[0], "on we go");
}

#[test]
fn events_of_other_times_kinds_and_groups() {
    let time = Time::at(START);
    let (people, mut groups) = group_of(&time, 2);
    let (_, mut others) = group_of(&time, 2);
    let said = people[0].say(&mut groups[0], "a message");
    assert_eq!(refused(deliver(&mut others[1], &said)), PeerError::OtherGroup);
    time.set(START - 301);
    assert_eq!(refused(deliver(&mut groups[1], &said)), PeerError::WrongTime);
    time.set(START + 45 * 24 * 3600 + 1);
    assert_eq!(refused(deliver(&mut groups[1], &said)), PeerError::WrongTime);
    time.set(START);
    let insider = Insider::of(&people[0], &groups[0]);
    let content = said.unsigned().content();
    let h = said.unsigned().tags()[0].clone();
    let upper = vec!["h".to_owned(), h[1].to_uppercase() + "A"];
    for tags in [vec![], vec![h.clone(), h.clone()], vec![vec!["h".to_owned()]], vec![upper]] {
        let event = insider.wrap(content, tags);
        assert_eq!(refused(deliver(&mut groups[1], &event)), PeerError::BadTag("h"));
    }
    let event = insider.wrap("not base64!", vec![h.clone()]);
    assert_eq!(refused(deliver(&mut groups[1], &event)), PeerError::Base64);
    let event = insider.wrap("AAAA", vec![h.clone()]);
    assert_eq!(refused(deliver(&mut groups[1], &event)), PeerError::TooShort);
    let welcome = burrow::framing::MlsMessage::Welcome(burrow::types::Welcome {
        cipher_suite: burrow_marmot::SUITE,
        secrets: Vec::new(),
        encrypted_group_info: Vec::new(),
    });
    let event = insider.seal(&welcome.to_bytes().unwrap());
    assert!(matches!(refused(deliver(&mut groups[1], &event)), PeerError::Unexpected(_)));
    assert_eq!(message(deliver(&mut groups[1], &said)).rumor.content(), "a message");
}

#[test]
fn renamed_promoted_acted_demoted_and_under_another_id() {
    let time = Time::at(START);
    let (people, mut groups) = group_of(&time, 3);
    let mut data = groups[0].data().clone();
    data.name = "another name".into();
    data.relays.insert("wss://second.example.com".into());
    data.admins.insert(people[1].account());
    data.nostr_group_id = [7; 32];
    let late = people[2].say(&mut groups[2], "under the old id");
    let change = groups[0].set_data(&data).unwrap();
    everybody_follows(&mut groups, 0, &change);
    assert_eq!(*groups[2].data(), data);
    assert_eq!(message(deliver(&mut groups[1], &late)).epoch, 1);
    assert_eq!(ignored(deliver(&mut groups[1], &change.event)), Ignored::Duplicate);
    let mut newcomer = Person::new(&time);
    let invitee = people[1].invite(&newcomer.publish());
    let add = groups[1].add_members(&[invitee]).unwrap();
    everybody_follows(&mut groups, 1, &add);
    let joined = newcomer.join(&add.welcomes[0].to_json()).unwrap();
    assert_eq!(joined.data(), groups[0].data());
    assert_eq!(joined.data().relays.last().unwrap(), "wss://second.example.com");
    assert!(joined.data().relays.contains(RELAY));
    groups.push(joined);
    data.admins.remove(&people[1].account());
    let demotion = groups[0].set_data(&data).unwrap();
    everybody_follows(&mut groups, 0, &demotion);
    assert_eq!(groups[1].set_data(&data).unwrap_err(), CallerError::NotAdmin.into());
}
