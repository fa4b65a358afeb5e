//! The contract's promises, on groups of two and three MDK clients.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use engine_api::{
    AppBytes, Change, Client, CommitBytes, EngineError, Epoch, EpochAuthenticator, GroupId,
    Ingested, KeyPackageBytes, Layer, LeafIndex, Member, Registration, RejectReason, WelcomeBytes,
    Welcomes,
};

#[path = "contract/damaged.rs"]
mod damaged;

/// `mdk`; and of the target that includes this file as its module `on_sqlite`, `mdk/sqlite`.
fn engine() -> Registration {
    let engines = if on_sqlite() { adapter_mdk::layered() } else { adapter_mdk::engines() };
    engines[0]
}

fn on_sqlite() -> bool {
    module_path!().ends_with("on_sqlite")
}

fn client() -> Client {
    engine().new_client("ignored").unwrap()
}

/// A founder and `count` invitees who have joined.
fn group_of(count: usize) -> (Vec<Client>, GroupId) {
    let mut clients: Vec<Client> = (0..=count).map(|_| client()).collect();
    let key_packages: Vec<KeyPackageBytes> =
        clients[1..].iter_mut().map(|invitee| invitee.publish_key_package().unwrap()).collect();
    let founded = clients[0].create_group(&key_packages).unwrap();
    assert!(founded.published_commits.is_empty());
    for (index, invitee) in clients[1..].iter_mut().enumerate() {
        let welcome = founded.welcomes.for_invitee(index).unwrap();
        assert_eq!(invitee.join_welcome(welcome).unwrap(), founded.group);
    }
    (clients, founded.group)
}

#[derive(Debug, PartialEq, Eq)]
struct State(Epoch, Vec<Member>, LeafIndex, EpochAuthenticator);

fn state(client: &Client, group: &GroupId) -> State {
    State(
        client.epoch(group).unwrap(),
        client.members(group).unwrap(),
        client.own_leaf(group).unwrap(),
        client.epoch_authenticator(group).unwrap(),
    )
}

fn assert_agree(clients: &[Client], group: &GroupId) {
    let first = state(&clients[0], group);
    for client in clients {
        let State(epoch, members, leaf, authenticator) = state(client, group);
        assert_eq!((epoch, &members, &authenticator), (first.0, &first.1, &first.3));
        let own = members.iter().find(|member| member.leaf == leaf).unwrap();
        assert_eq!(own.identity, client.identity());
    }
    assert_eq!(first.1.len(), clients.len());
}

/// `by` commits, everybody else applies; returns the commit and its Welcomes.
fn commit(
    clients: &mut [Client],
    by: usize,
    group: &GroupId,
    change: &Change<'_>,
) -> (CommitBytes, Welcomes) {
    let staged = clients[by].stage_commit(group, change).unwrap();
    let out = (staged.commit().clone(), staged.welcomes().clone());
    let next = Epoch(staged.base().0 + 1);
    assert_eq!(clients[by].merge_staged(staged.published()).unwrap(), next);
    for (index, client) in clients.iter_mut().enumerate() {
        if index != by {
            let outcome = client.ingest_commit(group, &out.0).unwrap();
            assert_eq!(outcome, Ingested::Applied(next), "client {index}");
        }
    }
    out
}

/// `by` sends, everybody else reads.
fn say(clients: &mut [Client], by: usize, group: &GroupId, payload: &[u8]) -> AppBytes {
    let message = clients[by].send(group, payload).unwrap();
    let sender = clients[by].identity();
    for (index, client) in clients.iter_mut().enumerate() {
        if index != by {
            let read = client.ingest_app(group, &message).unwrap().applied();
            let read = read.unwrap_or_else(|| panic!("client {index} read nothing"));
            assert_eq!((read.payload.as_slice(), &read.sender), (payload, &sender));
        }
    }
    message
}

fn reason<T: std::fmt::Debug>(outcome: Ingested<T>) -> RejectReason {
    match outcome {
        Ingested::Rejected(why) => why.reason,
        other => panic!("{other:?}"),
    }
}

fn is_caller<T>(result: Result<T, EngineError>) -> bool {
    matches!(result, Err(EngineError::Caller(_)))
}

#[test]
fn describes_itself() {
    let about = engine().describe();
    let (name, layer, store, other) = if on_sqlite() {
        ("mdk/sqlite", Layer::Sqlite, "mdk-sqlite-storage", "mdk-memory-storage")
    } else {
        ("mdk", Layer::Memory, "mdk-memory-storage", "mdk-sqlite-storage")
    };
    assert_eq!((about.name, about.layer), (name, layer));
    let named: Vec<String> = about.packages.iter().map(ToString::to_string).collect();
    assert!(named.contains(&"mdk-core 0.8.0".to_owned()), "{named:?}");
    assert!(named.contains(&format!("{store} 0.8.0")), "{named:?}");
    assert!(!named.iter().any(|package| package.starts_with(other)), "{named:?}");
    // On SQLite there are SQLite and its binding, too.
    assert_eq!(about.packages.len(), if on_sqlite() { 7 } else { 5 }, "{named:?}");
}

#[test]
fn two_talk_and_a_lone_founder_is_at_epoch_0() {
    let (mut clients, group) = group_of(1);
    assert_agree(&clients, &group);
    assert_eq!(clients[0].epoch(&group).unwrap(), Epoch(1));
    let every_byte: Vec<u8> = (0..=255).collect();
    for payload in [b"".as_slice(), b"hi", &every_byte, &[0xff; 70_000]] {
        say(&mut clients, 0, &group, payload);
        say(&mut clients, 1, &group, payload);
    }
    // MDK's store takes no rumor of more than 100 KiB.
    let sent = clients[0].send(&group, &[0; 80_000]);
    assert!(matches!(sent, Err(EngineError::Storage(_))), "{sent:?}");
    say(&mut clients, 0, &group, b"and on");
    assert!(clients[0].encoded_sizes(&group).unwrap().ratchet_tree > Some(100));
    let mut alone = client();
    let founded = alone.create_group(&[]).unwrap();
    assert!(matches!(founded.welcomes, Welcomes::None));
    assert_eq!(alone.epoch(&founded.group).unwrap(), Epoch(0));
    alone.send(&founded.group, b"to nobody").unwrap();
}

#[test]
fn every_change_moves_everybody() {
    let (mut clients, group) = group_of(2);
    commit(&mut clients, 1, &group, &Change::Update);
    commit(&mut clients, 0, &group, &Change::Rename("another name"));
    let mut joiner = client();
    let key_package = joiner.publish_key_package().unwrap();
    let add = Change::Add(std::slice::from_ref(&key_package));
    let earlier = say(&mut clients, 0, &group, b"not for the joiner");
    let (_, welcomes) = commit(&mut clients, 0, &group, &add);
    joiner.join_welcome(welcomes.for_invitee(0).unwrap()).unwrap();
    assert!(joiner.ingest_app(&group, &earlier).unwrap().applied().is_none());
    clients.push(joiner);
    assert_agree(&clients, &group);
    commit(&mut clients, 3, &group, &Change::Update);
    assert_agree(&clients, &group);
    for by in 0..4 {
        say(&mut clients, by, &group, b"still here");
    }
}

#[test]
fn the_removed_one_is_told_and_out() {
    let (mut clients, group) = group_of(2);
    let before = clients[1].send(&group, b"before").unwrap();
    let mut out = clients.remove(1);
    let victim = clients[0].members(&group).unwrap()[1].clone();
    assert_eq!(victim.identity, out.identity());
    let (removal, _) = commit(&mut clients, 0, &group, &Change::Remove(&[victim]));
    assert_eq!(out.ingest_commit(&group, &removal).unwrap(), Ingested::Removed);
    assert_eq!(out.ingest_commit(&group, &removal).unwrap(), Ingested::Duplicate);
    assert_agree(&clients, &group);
    let later = say(&mut clients, 0, &group, b"not for the removed one");
    assert!(is_caller(out.ingest_app(&group, &later)));
    assert!(is_caller(out.send(&group, b"from outside")));
    assert!(is_caller(out.stage_commit(&group, &Change::Update)));
    assert!(is_caller(out.epoch(&group)));
    // What it sent while it was in is still read.
    let read = clients[0].ingest_app(&group, &before).unwrap().applied();
    assert_eq!(read.unwrap().payload, b"before");
    // And it can be let in again.
    let key_package = out.publish_key_package().unwrap();
    let add = Change::Add(std::slice::from_ref(&key_package));
    let (_, welcomes) = commit(&mut clients, 0, &group, &add);
    out.join_welcome(welcomes.for_invitee(0).unwrap()).unwrap();
    clients.push(out);
    assert_agree(&clients, &group);
    say(&mut clients, 2, &group, b"back");
}

#[test]
fn members_who_are_no_admins_may_only_update() {
    let (mut clients, group) = group_of(2);
    let key_package = client().publish_key_package().unwrap();
    let founder = clients[1].members(&group).unwrap()[0].clone();
    let before = state(&clients[1], &group);
    for change in [
        Change::Add(std::slice::from_ref(&key_package)),
        Change::Remove(std::slice::from_ref(&founder)),
        Change::Rename("mine"),
    ] {
        assert!(is_caller(clients[1].stage_commit(&group, &change)));
    }
    assert!(is_caller(clients[0].stage_commit(&group, &Change::Remove(&[founder]))));
    assert!(is_caller(clients[0].stage_commit(&group, &Change::Remove(&[]))));
    let too_long = "n".repeat(257);
    assert!(is_caller(clients[0].stage_commit(&group, &Change::Rename(&too_long))));
    assert_eq!(state(&clients[1], &group), before);
    commit(&mut clients, 1, &group, &Change::Update);
    assert_agree(&clients, &group);
}

#[test]
fn staged_discarded_and_superseded() {
    let (mut clients, group) = group_of(2);
    let before = state(&clients[0], &group);
    let staged = clients[0].stage_commit(&group, &Change::Update).unwrap();
    assert!(is_caller(clients[0].stage_commit(&group, &Change::Update)));
    assert_eq!(state(&clients[0], &group), before);
    // Its own echo is no word that it is published.
    let echo = clients[0].ingest_commit(&group, staged.commit()).unwrap();
    assert_eq!(echo, Ingested::Duplicate);
    say(&mut clients, 0, &group, b"while a commit is staged");
    say(&mut clients, 1, &group, b"while a commit is staged");
    assert_eq!(state(&clients[0], &group), before);
    let refused = staged.published().refused();
    clients[0].discard_staged(refused).unwrap();
    assert_eq!(state(&clients[0], &group), before);

    let key_package = client().publish_key_package().unwrap();
    let add = Change::Add(std::slice::from_ref(&key_package));
    let discarded = clients[0].stage_commit(&group, &add).unwrap();
    let elsewhere = clients[0].stage_commit(&group, &add);
    assert!(is_caller(elsewhere));
    clients[0].discard_staged(discarded).unwrap();

    let lost = clients[0].stage_commit(&group, &Change::Update).unwrap();
    commit(&mut clients, 1, &group, &Change::Update);
    assert!(is_caller(clients[0].merge_staged(lost.published())));
    let lost = clients[0].stage_commit(&group, &Change::Update).unwrap();
    commit(&mut clients, 2, &group, &Change::Update);
    assert!(is_caller(clients[0].discard_staged(lost)));
    assert_agree(&clients, &group);
    commit(&mut clients, 0, &group, &Change::Update);
    say(&mut clients, 0, &group, b"the loser goes on");
}

#[test]
fn repeated_and_echoed() {
    let (mut clients, group) = group_of(2);
    let message = say(&mut clients, 0, &group, b"once");
    for _ in 0..3 {
        for client in &mut clients {
            let again = client.ingest_app(&group, &message).unwrap();
            assert_eq!(again, Ingested::Duplicate);
        }
    }
    let (published, _) = commit(&mut clients, 1, &group, &Change::Update);
    let before: Vec<State> = clients.iter().map(|client| state(client, &group)).collect();
    for _ in 0..3 {
        for client in &mut clients {
            let again = client.ingest_commit(&group, &published).unwrap();
            assert_eq!(again, Ingested::Duplicate);
        }
    }
    let after: Vec<State> = clients.iter().map(|client| state(client, &group)).collect();
    assert_eq!(before, after);
    say(&mut clients, 1, &group, b"and on");
}

#[test]
fn reordered_late_and_early() {
    let (mut clients, group) = group_of(2);
    let sent: Vec<AppBytes> = (0..5).map(|n| clients[0].send(&group, &[n]).unwrap()).collect();
    for n in [4, 0, 3] {
        let read = clients[1].ingest_app(&group, &sent[n]).unwrap().applied();
        assert_eq!(read.unwrap().payload, [n as u8]);
    }
    let mut behind = clients.remove(2);
    let (first, _) = commit(&mut clients, 1, &group, &Change::Update);
    for n in [2, 1] {
        let read = clients[1].ingest_app(&group, &sent[n]).unwrap().applied();
        assert_eq!(read.unwrap().payload, [n as u8], "one epoch late");
    }
    let early = clients[0].send(&group, b"early").unwrap();
    let before = state(&behind, &group);
    let outcome = behind.ingest_app(&group, &early).unwrap();
    assert_eq!(reason(outcome), RejectReason::Unauthenticated);
    assert_eq!(state(&behind, &group), before);
    assert_eq!(behind.ingest_commit(&group, &first).unwrap().name(), "applied");
    // MDK has it on record as failed: known loss, see the crate's documentation.
    let outcome = behind.ingest_app(&group, &early).unwrap();
    assert_eq!(reason(outcome), RejectReason::Unauthenticated);
    clients.push(behind);
    assert_agree(&clients, &group);
    // Six epochs on, MDK has no key for the first one's envelope any more.
    let old = clients[0].send(&group, b"old").unwrap();
    for _ in 0..6 {
        commit(&mut clients, 0, &group, &Change::Update);
    }
    let outcome = clients[1].ingest_app(&group, &old).unwrap();
    assert_eq!(reason(outcome), RejectReason::Unauthenticated);
    say(&mut clients, 2, &group, b"and on");
}

/// A commit for an epoch that another commit has ended: MDK goes by MIP-03's order, so the later
/// one either wins, and everybody who sees both agrees, or is stale.
#[test]
fn a_race_ends_as_reported() {
    let (mut clients, group) = group_of(3);
    let one = clients[1].stage_commit(&group, &Change::Update).unwrap();
    let two = clients[2].stage_commit(&group, &Change::Update).unwrap();
    let (mut names, mut ends) = (Vec::new(), Vec::new());
    for order in [[&one, &two], [&two, &one]] {
        let mut observer = engine().fork(&*clients[3]).unwrap();
        let first = observer.ingest_commit(&group, order[0].commit()).unwrap();
        assert_eq!(first, Ingested::Applied(Epoch(2)));
        let after_first = state(&observer, &group);
        let second = observer.ingest_commit(&group, order[1].commit()).unwrap();
        let changed = state(&observer, &group) != after_first;
        assert_eq!(changed, second == Ingested::Applied(Epoch(2)), "{second:?}");
        names.push(second.name());
        ends.push(observer.epoch_authenticator(&group).unwrap());
    }
    names.sort_unstable();
    assert_eq!(names, ["applied", "stale"]);
    assert_eq!(ends[0], ends[1]);

    // Nobody can win over a committer who has merged: it took no snapshot to go back to.
    let (for_one, for_two) = (two.commit().clone(), one.commit().clone());
    for (committer, own, other) in [(1, one, for_one), (2, two, for_two)] {
        clients[committer].merge_staged(own.published()).unwrap();
        let outcome = clients[committer].ingest_commit(&group, &other).unwrap();
        assert_eq!(outcome, Ingested::Stale);
    }
}

#[test]
fn a_message_through_the_wrong_door_is_kept() {
    let (mut clients, group) = group_of(1);
    let message = clients[0].send(&group, b"a message").unwrap();
    let before = state(&clients[1], &group);
    let as_commit = CommitBytes::new(message.as_slice().to_vec());
    for _ in 0..2 {
        let outcome = clients[1].ingest_commit(&group, &as_commit).unwrap();
        assert_eq!(reason(outcome), RejectReason::Invalid);
    }
    assert_eq!(state(&clients[1], &group), before);
    let read = clients[1].ingest_app(&group, &message).unwrap().applied();
    assert_eq!(read.unwrap().payload, b"a message");
    let again = clients[1].ingest_app(&group, &message).unwrap();
    assert_eq!(again, Ingested::Duplicate);
}

/// MDK has one door for both, so here the state does change. See the crate's documentation.
#[test]
fn a_commit_through_the_wrong_door_is_applied_and_said_so() {
    let (mut clients, group) = group_of(1);
    let staged = clients[0].stage_commit(&group, &Change::Update).unwrap();
    let own = clients[1].stage_commit(&group, &Change::Update).unwrap();
    let commit = staged.commit().clone();
    clients[0].merge_staged(staged.published()).unwrap();
    let as_message = AppBytes::new(commit.as_slice().to_vec());
    assert!(is_caller(clients[1].ingest_app(&group, &as_message)));
    assert_agree(&clients, &group);
    let outcome = clients[1].ingest_commit(&group, &commit).unwrap();
    assert_eq!(outcome, Ingested::Duplicate);
    assert!(is_caller(clients[1].merge_staged(own.published())));
}

#[test]
fn other_groups_and_unknown_ones() {
    let (mut clients, group) = group_of(1);
    // The same two, in a second group: MDK itself would take the event for that one.
    let key_package = clients[1].publish_key_package().unwrap();
    let second = clients[0].create_group(&[key_package]).unwrap();
    clients[1].join_welcome(second.welcomes.for_invitee(0).unwrap()).unwrap();
    let staged = clients[0].stage_commit(&second.group, &Change::Update).unwrap();
    let before = state(&clients[1], &second.group);
    let outcome = clients[1].ingest_commit(&group, staged.commit()).unwrap();
    assert_eq!(reason(outcome), RejectReason::Misdirected);
    assert_eq!(state(&clients[1], &second.group), before);
    let outcome = clients[1].ingest_commit(&second.group, staged.commit()).unwrap();
    assert_eq!(outcome, Ingested::Applied(Epoch(2)));

    let unknown = GroupId::new(vec![7; 16]);
    let message = clients[0].send(&group, b"x").unwrap();
    assert!(is_caller(clients[1].ingest_app(&unknown, &message)));
    assert!(is_caller(clients[1].send(&unknown, b"x")));
    assert!(is_caller(clients[1].stage_commit(&unknown, &Change::Update)));
    assert!(is_caller(clients[1].members(&unknown)));
    assert!(is_caller(clients[1].encoded_sizes(&unknown)));
}

#[test]
fn forks_live_their_own_lives() {
    let (mut clients, group) = group_of(2);
    let staged = clients[1].stage_commit(&group, &Change::Update).unwrap();
    let before = state(&clients[1], &group);
    let mut fork = engine().fork(&*clients[1]).unwrap();
    assert_eq!(state(&fork, &group), before);
    let message = clients[0].send(&group, b"for both").unwrap();
    for client in [&mut fork, &mut clients[1]] {
        let read = client.ingest_app(&group, &message).unwrap().applied();
        assert_eq!(read.unwrap().payload, b"for both");
    }
    let commit = staged.commit().clone();
    fork.merge_staged(staged.published()).unwrap();
    assert_eq!(state(&clients[1], &group), before);
    for index in [0, 2] {
        let outcome = clients[index].ingest_commit(&group, &commit).unwrap();
        assert_eq!(outcome, Ingested::Applied(Epoch(2)));
    }
    clients[1] = fork;
    assert_agree(&clients, &group);
    assert!(matches!(clients[0].snapshot(), Err(EngineError::Unsupported(_))));
}

#[test]
fn a_welcome_works_once_and_for_its_addressee() {
    let mut founder = client();
    let (mut joiner, mut stranger) = (client(), client());
    let key_package = joiner.publish_key_package().unwrap();
    let founded = founder.create_group(&[key_package]).unwrap();
    let welcome = founded.welcomes.for_invitee(0).unwrap();
    match stranger.join_welcome(welcome) {
        Err(EngineError::Peer(why)) => assert_eq!(why.reason, RejectReason::Misdirected),
        other => panic!("{other:?}"),
    }
    joiner.join_welcome(welcome).unwrap();
    let mut clients = vec![founder, joiner];
    commit(&mut clients, 0, &founded.group, &Change::Update);
    let before = state(&clients[1], &founded.group);
    assert!(matches!(clients[1].join_welcome(welcome), Err(EngineError::Peer(_))));
    assert_eq!(state(&clients[1], &founded.group), before);
    say(&mut clients, 0, &founded.group, b"and on");
}

#[test]
fn bad_invitees_are_the_peers_fault() {
    let (mut clients, group) = group_of(1);
    // Not so for adding: MDK lets one account be in a group twice.
    let own = clients[0].publish_key_package().unwrap();
    let founded = clients[0].create_group(&[own]);
    assert!(matches!(founded, Err(EngineError::Peer(_))));
    let fresh = client().publish_key_package().unwrap();
    let message = clients[0].send(&group, b"no key package").unwrap();
    let before = state(&clients[0], &group);
    for bad in
        [KeyPackageBytes::new(b"{}".to_vec()), KeyPackageBytes::new(message.as_slice().to_vec())]
    {
        let invitees = [fresh.clone(), bad];
        let founded = clients[0].create_group(&invitees);
        assert!(matches!(founded, Err(EngineError::Peer(_))));
        let staged = clients[0].stage_commit(&group, &Change::Add(&invitees));
        assert!(matches!(staged, Err(EngineError::Peer(_))), "{staged:?}");
        assert_eq!(state(&clients[0], &group), before);
    }
    commit(&mut clients, 0, &group, &Change::Add(std::slice::from_ref(&fresh)));
    let staged = clients[0].stage_commit(&group, &Change::Add(&[fresh]));
    assert!(matches!(staged, Err(EngineError::Peer(_))), "in twice: {staged:?}");
    commit(&mut clients, 0, &group, &Change::Update);
}
