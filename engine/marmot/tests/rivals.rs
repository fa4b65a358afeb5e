//! Rival commits: the winner is the same everywhere, whatever comes when.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod people;

use burrow_marmot::{
    Error, PeerError,
    event::Event,
    group::{Group, Ignored, Publication, Received},
};
use people::{
    Insider, Time, assert_agree, assert_all_talk, committed, deliver, everybody_follows,
    group_with_admins, ignored, message,
};

const START: u64 = 1_800_000_000;

/// All orders of `0..n`.
fn orders(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let shorter = orders(n - 1);
    let with_last = |order: &Vec<usize>| -> Vec<Vec<usize>> {
        (0..n)
            .map(|place| {
                let mut order = order.clone();
                order.insert(place, n - 1);
                order
            })
            .collect()
    };
    shorter.iter().flat_map(with_last).collect()
}

fn order(publication: &Publication) -> (u64, [u8; 32]) {
    (publication.event.unsigned().created_at(), publication.event.id().0)
}

/// Three commit for one epoch, each at its own time, and merge at once. A fourth, who commits
/// nothing, gets all of them in some order, and so do they, their own among them.
fn race(times: [u64; 3], restart: bool) {
    for delivered in orders(3) {
        let time = Time::at(START);
        let (people, mut groups) = group_with_admins(&time, 4, 2);
        let mut rivals = Vec::new();
        for (by, at) in times.into_iter().enumerate() {
            time.set(START + at);
            rivals.push(groups[by].self_update().unwrap());
            groups[by].merge_pending().unwrap();
        }
        time.set(START + 10);
        let best = (0..3).min_by_key(|by| order(&rivals[*by])).unwrap();
        for (place, group) in groups.iter_mut().enumerate() {
            for by in &delivered {
                if restart {
                    *group = people[place].restart(group);
                }
                let received = deliver(group, &rivals[*by].event).unwrap();
                let is_outcome = matches!(
                    received,
                    Received::Commit(_)
                        | Received::Ignored(Ignored::Lost | Ignored::Duplicate | Ignored::Own)
                );
                assert!(is_outcome, "{received:?} of {by} at {place}, {delivered:?}");
            }
            let own =
                group.mls().tree().leaf(burrow::types::LeafIndex(u32::try_from(best).unwrap()));
            let source = &own.unwrap().leaf_node_source;
            assert!(matches!(source, burrow::types::LeafNodeSource::Commit(_)), "{delivered:?}");
        }
        assert_agree(&groups);
        assert_all_talk(&people, &mut groups);
    }
}

#[test]
fn the_earliest_wins_in_every_order() {
    race([2, 0, 1], false);
}

#[test]
fn of_one_second_the_smallest_id_wins() {
    race([0, 0, 0], false);
}

#[test]
fn restarts_change_nothing() {
    race([1, 0, 0], true);
}

#[test]
fn a_pending_commit_that_was_published_can_still_win() {
    let time = Time::at(START);
    let (people, mut groups) = group_with_admins(&time, 3, 2);
    let first = groups[0].self_update().unwrap();
    time.pass(1);
    let second = groups[1].self_update().unwrap();
    // The first's author sees the second before the word that its own was published.
    groups[1].merge_pending().unwrap();
    assert_eq!(committed(deliver(&mut groups[0], &second.event)).epoch, 2);
    assert!(groups[0].merge_pending().is_err());
    groups[0] = people[0].restart(&groups[0]);
    for group in &mut groups {
        let before = group.epoch();
        let won = committed(deliver(group, &first.event));
        assert_eq!((won.epoch, won.rolled_back.is_some()), (2, before == 2));
    }
    assert_eq!(ignored(deliver(&mut groups[2], &second.event)), Ignored::Lost);
    assert_agree(&groups);
    assert_all_talk(&people, &mut groups);
}

#[test]
fn a_rival_wins_epochs_later_and_the_lost_messages_are_named() {
    for epochs in 1..=5 {
        let time = Time::at(START);
        let (people, mut groups) = group_with_admins(&time, 3, 2);
        let winner = groups[1].self_update().unwrap();
        let mut lost = Vec::new();
        for _ in 0..epochs {
            time.pass(1);
            let commit = groups[0].self_update().unwrap();
            groups[0].merge_pending().unwrap();
            committed(deliver(&mut groups[2], &commit.event));
            let event = people[0].say(&mut groups[0], "in vain");
            message(deliver(&mut groups[2], &event));
            lost.push(event.id());
        }
        groups[1].merge_pending().unwrap();
        for place in [0, 2] {
            let won = committed(deliver(&mut groups[place], &winner.event));
            assert_eq!(won.epoch, 2);
            assert_eq!(won.rolled_back.unwrap(), lost);
        }
        assert_agree(&groups);
        assert_all_talk(&people, &mut groups);
    }
}

#[test]
fn beyond_the_kept_epochs_nothing_goes_back() {
    let time = Time::at(START);
    let (_, mut groups) = group_with_admins(&time, 3, 2);
    let winner = groups[1].self_update().unwrap();
    for _ in 0..6 {
        time.pass(1);
        let commit = groups[0].self_update().unwrap();
        groups[0].merge_pending().unwrap();
        committed(deliver(&mut groups[2], &commit.event));
    }
    let before = groups[2].kept().clone();
    assert_eq!(ignored(deliver(&mut groups[2], &winner.event)), Ignored::Unopened);
    assert_eq!(*groups[2].kept(), before);
}

#[test]
fn what_follows_the_winner_is_taken_when_it_comes_again() {
    let time = Time::at(START);
    let (people, mut groups) = group_with_admins(&time, 3, 2);
    let winner = groups[1].self_update().unwrap();
    groups[1].merge_pending().unwrap();
    time.pass(1);
    let next = groups[1].self_update().unwrap();
    groups[1].merge_pending().unwrap();
    let said = people[1].say(&mut groups[1], "after the winner");
    let loser = groups[0].self_update().unwrap();
    groups[0].merge_pending().unwrap();
    committed(deliver(&mut groups[2], &loser.event));
    for place in [0, 2] {
        let group = &mut groups[place];
        assert_eq!(ignored(deliver(group, &next.event)), Ignored::Unopened);
        assert_eq!(ignored(deliver(group, &said)), Ignored::Unopened);
        assert_eq!(committed(deliver(group, &winner.event)).epoch, 2);
        assert_eq!(committed(deliver(group, &next.event)).epoch, 3);
        assert_eq!(message(deliver(group, &said)).rumor.content(), "after the winner");
        assert_eq!(ignored(deliver(group, &loser.event)), Ignored::Lost);
    }
    assert_agree(&groups);
}

/// Who was removed by a commit that loses is a member again; who is removed by one that wins is not.
#[test]
fn a_removal_loses_and_a_removal_wins() {
    for removal_wins in [false, true] {
        let time = Time::at(START);
        let (people, mut groups) = group_with_admins(&time, 3, 2);
        let victim = people[2].account();
        let (remover, updater) = if removal_wins { (0, 1) } else { (1, 0) };
        let commit = |groups: &mut Vec<Group>, by: usize| {
            let made = match by == remover {
                true => groups[by].remove_members(&[victim]).unwrap(),
                false => groups[by].self_update().unwrap(),
            };
            groups[by].merge_pending().unwrap();
            made
        };
        let first = commit(&mut groups, 0);
        time.pass(1);
        let second = commit(&mut groups, 1);
        let removal: &Event = if remover == 0 { &first.event } else { &second.event };
        let update: &Event = if updater == 0 { &first.event } else { &second.event };
        if removal_wins {
            committed(deliver(&mut groups[2], update));
            groups[2] = people[2].restart(&groups[2]);
            assert!(matches!(deliver(&mut groups[2], removal), Ok(Received::Removed)));
            assert!(groups[2].is_removed());
            groups[2] = people[2].restart(&groups[2]);
            assert!(groups[2].is_removed() && groups[2].self_update().is_err());
            assert_eq!(ignored(deliver(&mut groups[2], update)), Ignored::Lost);
        } else {
            assert!(matches!(deliver(&mut groups[2], removal), Ok(Received::Removed)));
            groups[2] = people[2].restart(&groups[2]);
            assert!(groups[2].is_removed());
            committed(deliver(&mut groups[2], update));
            assert!(!groups[2].is_removed());
        }
        committed(deliver(&mut groups[1], &first.event));
        assert_eq!(ignored(deliver(&mut groups[0], &second.event)), Ignored::Lost);
        if removal_wins {
            groups.pop();
        }
        assert_agree(&groups);
        assert_all_talk(&people, &mut groups);
    }
}

/// A better commit that its author may not make, or that is no good, moves nobody.
#[test]
fn a_bad_rival_moves_nobody() {
    let time = Time::at(START);
    let (people, mut groups) = group_with_admins(&time, 4, 2);
    // An outsider of the rules: a member who is no admin, with a client that doesn't care.
    let mut insider = Insider::of(&people[3], &groups[3]);
    let commit = insider.mls.commit().remove_member(burrow::types::LeafIndex(2)).stage().unwrap();
    let sealed = insider.seal(&commit.messages.message);
    time.pass(1);
    let honest = groups[0].self_update().unwrap();
    everybody_follows(&mut groups, 0, &honest);
    let before = groups[1].kept().clone();
    let refused = deliver(&mut groups[1], &sealed);
    assert!(matches!(refused, Err(Error::Peer(PeerError::NotAdmin))), "{refused:?}");
    assert_eq!(*groups[1].kept(), before);
    assert_agree(&groups);
    assert_all_talk(&people, &mut groups);
}
