//! Commits between staging and merging.

use engine_api::{Change, CommitBytes, EngineError, Epoch, GroupId, Ingested, LeafIndex, Member};

use crate::steps::{
    assert_agree, assert_caller, assert_received, change, each, everything, flipped, group_of, view,
};

#[test]
fn staging_changes_nothing_and_can_be_taken_back() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        let before = view(&clients[0], &group);
        let first = clients[0].stage_commit(&group, &Change::Update).unwrap();
        assert_eq!((first.group(), first.base()), (&group, Epoch(1)));
        assert_eq!(view(&clients[0], &group), before);
        assert_caller(clients[0].stage_commit(&group, &Change::Update));

        let message = clients[0].send(&group, b"meanwhile").unwrap();
        assert_received(&mut clients, 0, &group, &message, b"meanwhile");

        clients[0].discard_staged(first).unwrap();
        assert_eq!(view(&clients[0], &group), before);
        change(&mut clients, 0, &group, &Change::Update);
        assert_agree(&clients, &group, 2);
    });
}

#[test]
fn a_refused_commit_is_taken_back() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        let staged = clients[0].stage_commit(&group, &Change::Update).unwrap();
        let staged = staged.published().refused();
        clients[0].discard_staged(staged).unwrap();
        assert_agree(&clients, &group, 1);
    });
}

#[test]
fn a_peers_commit_supersedes_the_staged_one() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben", "cy"]);
        let losing = clients[0].stage_commit(&group, &Change::Update).unwrap();
        let also_losing = clients[2].stage_commit(&group, &Change::Update).unwrap();
        // A commit that doesn't apply supersedes nothing.
        let torn = CommitBytes::new(flipped(also_losing.commit().as_slice(), 100, 0));
        assert!(matches!(clients[0].ingest_commit(&group, &torn).unwrap(), Ingested::Rejected(_)));
        change(&mut clients, 1, &group, &Change::Update);
        assert_agree(&clients, &group, 2);
        assert_caller(clients[0].merge_staged(losing.published()));
        assert_caller(clients[2].discard_staged(also_losing));
        assert_agree(&clients, &group, 2);
        change(&mut clients, 0, &group, &Change::Update);
        assert_agree(&clients, &group, 3);
    });
}

#[test]
fn only_the_staged_commit_can_be_merged() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        let bens = clients[1].stage_commit(&group, &Change::Update).unwrap();
        let adas = clients[0].stage_commit(&group, &Change::Update).unwrap();
        assert_caller(clients[0].merge_staged(bens.published()));
        assert_agree(&clients, &group, 1);
        clients[0].discard_staged(adas).unwrap();

        let mut fork = engine.fork(clients[0].as_ref()).unwrap();
        let mut restored = engine.restore(&clients[0].snapshot().unwrap()).unwrap();
        let adas = clients[0].stage_commit(&group, &Change::Update).unwrap();
        for copy in [&mut fork, &mut restored] {
            let theirs = copy.stage_commit(&group, &Change::Update).unwrap();
            assert_caller(clients[0].merge_staged(theirs.published()));
        }
        assert_agree(&clients, &group, 1);
        clients[0].discard_staged(adas).unwrap();

        let (mut others, other_group) = group_of(engine, &["ada", "ben"]);
        let elsewhere = others[0].stage_commit(&other_group, &Change::Update).unwrap();
        assert_caller(clients[0].discard_staged(elsewhere));
    });
}

#[test]
fn changes_that_cannot_be_made() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        let members = clients[0].members(&group).unwrap();
        let moved = Member { leaf: members[1].leaf, identity: members[0].identity.clone() };
        let absent = Member { leaf: LeafIndex(9), identity: members[1].identity.clone() };
        let before = everything(&clients[0], &group);
        assert_caller(clients[0].stage_commit(&group, &Change::Remove(&members[..1])));
        assert_caller(clients[0].stage_commit(&group, &Change::Remove(&[moved])));
        assert_caller(clients[0].stage_commit(&group, &Change::Remove(&[absent])));
        assert_caller(clients[0].stage_commit(&group, &Change::Remove(&[])));
        assert_caller(clients[0].stage_commit(&group, &Change::Add(&[])));
        assert_caller(clients[0].stage_commit(&GroupId::new(vec![1]), &Change::Update));
        assert!(matches!(
            clients[0].stage_commit(&group, &Change::Rename("a name")),
            Err(EngineError::Unsupported(_))
        ));
        assert_eq!(everything(&clients[0], &group), before);
    });
}
