//! Storing groups, and what must never happen after coming back.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod members;

use std::time::Instant;

use burrow::{
    CallerError, Error,
    codec::{Decode, Encode},
    framing::{EpochContext, MlsMessage},
    group::{Config, Ignored, KeyUse, Received, Status},
    schedule::{RatchetType, SenderDataSecret},
    types::LeafIndex,
};
use members::{Lab, package, public, receive_commit};

/// Which key a message is encrypted with, as any member can read it: the receiver's own record.
fn key_of(lab: &mut Lab, message: &[u8]) -> KeyUse {
    match lab.members[1].receive(message).unwrap() {
        Received::Application(message) => message.key_use,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_record_of_a_few_bytes_saves_the_key() {
    let mut lab = Lab::of(Config::default(), 3, 1);
    let written = lab.members[0].write().unwrap();
    let first = lab.members[0].send(b"first", b"").unwrap();
    let record = first.key_use.unwrap().to_bytes().unwrap();
    assert_eq!(record.len(), 17);
    let record = KeyUse::decode_exact(&record).unwrap();

    // A crash. What was written knows nothing of the message; the record does.
    lab.members[0] = lab.client.restore(&written, &[record]).unwrap();
    let second = lab.members[0].send(b"second", b"").unwrap();
    let (first_key, second_key) = (first.key_use.unwrap(), second.key_use.unwrap());
    assert_eq!(first_key.consumed.generation, 0);
    assert_eq!(second_key.consumed.generation, 1);
    assert_eq!(key_of(&mut lab, &first.message), first_key);
    assert_eq!(key_of(&mut lab, &second.message), second_key);

    // The control: without the record the key would be used again, which is why it has to be kept.
    let mut forgetful = lab.client.restore(&written, &[]).unwrap();
    let again = forgetful.send(b"again", b"").unwrap();
    assert_eq!(again.key_use, first.key_use);
}

#[test]
fn a_reservation_is_passed_over() {
    let mut lab = Lab::of(Config::default(), 2, 2);
    let written = lab.members[0].write().unwrap();
    let reserved = lab.members[0].reserve(64).unwrap();
    assert!(lab.members[0].reserve(0).is_err());
    for _ in 0..10 {
        lab.talk(0, b"within the reservation");
    }
    lab.members[0] = lab.client.restore(&written, &[reserved]).unwrap();
    let sent = lab.members[0].send(b"after", b"").unwrap();
    assert_eq!(sent.key_use.unwrap().consumed.generation, 64);
    assert_eq!(key_of(&mut lab, &sent.message), sent.key_use.unwrap());
}

/// All keys up to a record's have to be derived: a number that is damaged in storage must not make that
/// take seconds.
#[test]
fn a_damaged_record_is_refused() {
    let mut lab = Lab::of(Config { past_epochs: 1, ..Config::default() }, 2, 15);
    let late = lab.members[0].send(b"in the epoch before", b"").unwrap().key_use.unwrap();
    lab.commit(1, &[], |b| b);
    let written = lab.members[0].write().unwrap();
    let first = lab.members[0].send(b"first", b"").unwrap().key_use.unwrap();
    let group = &lab.members[0];
    for count in [0, KeyUse::MAX_RESERVED + 1, u32::MAX] {
        assert!(group.reserve(count).is_err(), "{count}");
    }

    // As far ahead as a record may be, and after it another.
    let most = group.reserve(KeyUse::MAX_RESERVED).unwrap();
    let start = Instant::now();
    let mut restored = lab.client.restore(&written, &[first, most]).unwrap();
    println!("{} keys passed over in {:.1?}", KeyUse::MAX_RESERVED, start.elapsed());
    let after = restored.send(b"after", b"").unwrap().key_use.unwrap();
    assert_eq!(after.consumed.generation, KeyUse::MAX_RESERVED + 1);
    let most_again = restored.reserve(KeyUse::MAX_RESERVED).unwrap();
    lab.client.restore(&written, &[first, most, after, most_again]).unwrap();

    let refused = Error::Caller(CallerError::Invalid("a stored key use is out of reach"));
    for mut damaged in [first, late] {
        for ratchet_type in [RatchetType::Handshake, RatchetType::Application] {
            damaged.consumed.ratchet_type = ratchet_type;
            for generation in [KeyUse::MAX_RESERVED + 1, 1 << 24, u32::MAX] {
                damaged.consumed.generation = generation;
                let result = lab.client.restore(&written, &[damaged]);
                assert_eq!(result.unwrap_err(), refused, "{damaged:?}");
            }
        }
    }
    // One that is missing, too.
    let result = lab.client.restore(&written, &[first, most_again]);
    assert_eq!(result.unwrap_err(), refused);
}

#[test]
fn a_staged_commit_that_is_dropped_uses_its_key_up() {
    let mut lab = Lab::of(Config::default(), 2, 3);
    let written = lab.members[0].write().unwrap();
    let dropped = lab.members[0].commit().stage().unwrap().messages.key_use.unwrap();
    assert_eq!(dropped.consumed.ratchet_type, RatchetType::Handshake);
    let next = lab.members[0].commit().stage().unwrap().messages.key_use.unwrap();
    assert_eq!(next.consumed.generation, dropped.consumed.generation + 1);
    let mut restored = lab.client.restore(&written, &[dropped, next]).unwrap();
    let third = restored.commit().stage().unwrap().messages.key_use.unwrap();
    assert_eq!(third.consumed.generation, 2);
}

#[test]
fn received_messages_are_not_opened_twice() {
    let mut lab = Lab::of(Config::default(), 2, 4);
    let written = lab.members[1].write().unwrap();
    let sent = lab.members[0].send(b"once", b"").unwrap().message;
    let used = key_of(&mut lab, &sent);
    let mut restored = lab.client.restore(&written, &[used]).unwrap();
    let again = restored.receive(&sent).unwrap();
    assert!(matches!(again, Received::Ignored(Ignored::Duplicate)), "{again:?}");
}

#[test]
fn an_outdated_group_is_refused() {
    let mut lab = Lab::of(Config::default(), 2, 5);
    let written = lab.members[0].write().unwrap();
    lab.commit(1, &[], |b| b);
    let sent = lab.members[0].send(b"in the next epoch", b"").unwrap();
    assert!(lab.client.restore(&written, &[sent.key_use.unwrap()]).is_err());
    let mut damaged = written.to_vec();
    damaged.push(0);
    assert!(lab.client.restore(&damaged, &[]).is_err());
    for end in (0..written.len()).step_by(7) {
        assert!(lab.client.restore(&written[..end], &[]).is_err(), "cut at {end}");
    }
}

/// A client that stops between sending its commit and hearing that it was accepted.
#[test]
fn a_staged_commit_comes_back() {
    for config in [public(), Config::default()] {
        let mut lab = Lab::of(config, 4, 9);
        let mut identity = lab.identity();
        let own = lab.members[0].own_leaf();
        identity.description.credential =
            lab.members[0].tree().leaf(own).unwrap().credential.clone();
        let new = [lab.key_package()];
        let before = lab.members[0].write().unwrap();
        let builder = lab.members[0].commit().add_member(package(&new[0]));
        let staged = builder.identity(identity).stage().unwrap();
        let written = staged.write().unwrap();
        let used: Vec<_> = staged.messages.key_use.into_iter().collect();
        let changes = staged.changes().clone();
        drop(staged);

        lab.members[0] = lab.client.restore(&before, &used).unwrap();
        let staged = lab.members[0].restore_staged(&written).unwrap();
        assert_eq!(*staged.changes(), changes);
        assert_eq!(*staged.write().unwrap(), *written);
        lab.accept(0, staged, &new);
        lab.talk(0, b"signed with the new key");
        assert!(lab.members[0].restore_staged(&written).is_err(), "outdated");
        for end in (0..written.len()).step_by(11) {
            let cut = lab.client.restore(&before, &[]).unwrap();
            assert!(cut.restore_staged(&written[..end]).is_err(), "cut at {end}");
        }
    }
}

/// Everything that a group has comes back: proposals, own Updates, past epochs, PSKs, the status.
#[test]
fn all_of_it_comes_back() {
    for config in [public(), Config::default()] {
        let mut lab = Lab::of(config, 5, 6);
        lab.commit(1, &[], |b| b);
        let late = lab.members[0].send(b"late", b"").unwrap().message;
        lab.commit(1, &[], |b| b);
        let update = lab.members[2].propose_update(None, b"").unwrap();
        lab.propose(2, &update.message);
        let new = [lab.key_package()];
        let add = burrow::types::Proposal::Add(Box::new(package(&new[0])));
        let add = lab.members[3].propose(add, b"").unwrap();
        lab.propose(3, &add.message);
        for member in &mut lab.members {
            let written = member.write().unwrap();
            *member = lab.client.restore(&written, &[]).unwrap();
            assert_eq!(*member.write().unwrap(), *written);
            assert_eq!(member.pending_proposals().count(), 2);
        }
        lab.commit(4, &new, |b| b);
        assert!(matches!(lab.members[1].receive(&late).unwrap(), Received::Application(_)));
        let leaf = lab.members[1].own_leaf();
        lab.commit(0, &[], |b| b.remove_member(leaf));
        let written = lab.gone[0].write().unwrap();
        let gone = lab.client.restore(&written, &[]).unwrap();
        assert_eq!(*gone.status(), Status::Removed);
        assert!(gone.resumption_psk(1).is_some());
        assert!(gone.resumption_psk(99).is_none());
    }
}

/// No two messages of a session with crashes have one key and nonce, and all can be read.
#[test]
fn no_key_twice_over_many_crashes() {
    let mut lab = Lab::of(Config::default(), 3, 7);
    let mut seen = std::collections::HashSet::new();
    for round in 0..20 {
        let written = lab.members[0].write().unwrap();
        let mut records = Vec::new();
        for _ in 0..=round % 4 {
            let sent = lab.members[0].send(b"data", b"").unwrap();
            records.push(sent.key_use.unwrap());
            assert!(seen.insert(sent.key_use.unwrap()), "a key twice");
            assert_eq!(key_of(&mut lab, &sent.message), sent.key_use.unwrap());
        }
        lab.members[0] = lab.client.restore(&written, &records).unwrap();
        if round % 5 == 4 {
            let staged = lab.members[2].commit().stage().unwrap();
            for member in 0..2 {
                receive_commit(&mut lab.members[member], &staged.messages.message);
            }
            lab.members[2].merge(staged).unwrap();
            lab.assert_same();
        }
    }
    assert!(seen.len() > 40);
}

/// The record of a message says what its sender data says.
#[test]
fn the_record_is_what_the_message_says() {
    let mut lab = Lab::of(Config::default(), 2, 8);
    let sent = lab.members[0].send(b"data", b"").unwrap();
    let MlsMessage::PrivateMessage(message) = MlsMessage::decode_exact(&sent.message).unwrap()
    else {
        panic!("not encrypted");
    };
    let suite = lab.client.suite(lab.suite).unwrap();
    let context = lab.members[1].context().to_bytes().unwrap();
    let frame = EpochContext {
        suite,
        group_id: lab.members[1].group_id(),
        epoch: lab.members[1].epoch(),
        group_context: &context,
    };
    // A wrong secret opens nothing.
    let wrong = SenderDataSecret::from(crypto_api::Secret::zero(32));
    assert!(message.sender_data(&frame, &wrong).is_err());
    let used = sent.key_use.unwrap();
    assert_eq!(used.consumed.leaf, LeafIndex(0));
    assert_eq!(used.epoch, message.epoch());
}

/// Of a past epoch no more is stored than opens its late messages.
#[test]
fn past_epochs_are_stored_small() {
    let size_with = |past_epochs| {
        let mut lab = Lab::of(Config { past_epochs, ..Config::default() }, 33, 10);
        for committer in 1..=5 {
            lab.commit(committer, &[], |b| b);
        }
        lab.members[0].write().unwrap().len()
    };
    let (without, with) = (size_with(0), size_with(5));
    println!("33 members: {without} bytes without past epochs, {with} bytes with 5");
    // Each has a context, a secret and a secret tree of which nothing is used.
    assert!(with - without < 5 * 500, "{without} bytes without past epochs, {with} with 5");
}

/// The members of a past epoch are those of that epoch, however often the group was stored since:
/// where one has gone, where another has come, where one has a new key, and in a tree that has grown.
#[test]
fn pitfall_45_members_of_past_epochs_come_back() {
    for config in [public(), Config::default()] {
        let mut lab = Lab::of(Config { past_epochs: 9, ..config }, 4, 11);
        let late: Vec<_> =
            (0..4).map(|at| lab.members[at].send(&[at as u8], b"").unwrap().message).collect();
        let keys: Vec<_> = (0..4).map(|at| lab.members[at].signer().public().to_vec()).collect();
        let store = |lab: &mut Lab| {
            let written = lab.members[0].write().unwrap();
            lab.members[0] = lab.client.restore(&written, &[]).unwrap();
            assert_eq!(*lab.members[0].write().unwrap(), *written);
        };
        store(&mut lab);
        let mut identity = lab.identity();
        let own = lab.members[1].tree().leaf(lab.members[1].own_leaf()).unwrap();
        identity.description.credential = own.credential.clone();
        lab.commit(1, &[], |b| b.identity(identity));
        store(&mut lab);
        let new = [lab.key_package()];
        lab.commit(0, &new, |b| b.remove_member(LeafIndex(2)).add_member(package(&new[0])));
        store(&mut lab);
        lab.commit(0, &[], |b| b.remove_member(LeafIndex(3)));
        store(&mut lab);
        let new: Vec<_> = (0..6).map(|_| lab.key_package()).collect();
        lab.commit(0, &new, |b| new.iter().fold(b, |b, one| b.add_member(package(one))));
        store(&mut lab);
        for (at, message) in late.iter().enumerate().skip(1) {
            match lab.members[0].receive(message).unwrap() {
                Received::Application(received) => {
                    assert_eq!((received.epoch, received.data), (1, vec![at as u8]));
                    let sender = lab.members[0].member_at(1, received.sender).unwrap();
                    assert_eq!(sender.signature_key.as_slice(), keys[at]);
                }
                other => panic!("{other:?}"),
            }
            store(&mut lab);
        }
        assert!(lab.members[0].member_at(1, LeafIndex(5)).is_none());
        assert!(lab.members[0].member_at(lab.members[0].epoch(), LeafIndex(5)).is_some());
        assert!(lab.members[0].member_at(0, LeafIndex(0)).is_some());
        assert!(lab.members[0].member_at(0, LeafIndex(1)).is_none(), "added after epoch 0");
    }
}
